"""The Python on the pages is Python, and that of the README runs as it stands.

That of the guide to the API is run by ``tests/api/test_guide.py``, that of the guide to rules by
``tests/rules/test_data_sets.py``.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from pages.commands import ROOT, Block, blocks
from pages.transcripts import lay_out

PYTHON = [block for block in blocks() if block.language == "python"]


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: f"{block.page}: {block.text[:30]}")
def test_a_block_is_python(block: Block) -> None:
    assert ast.parse(block.text).body


def test_the_notebook_of_the_readme_runs(tmp_path: Path) -> None:
    (code,) = (block.text for block in PYTHON if block.page == "README.md")
    lay_out(tmp_path)

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Attempt attempt_")
