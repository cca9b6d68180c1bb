"""What the tests of the distributions share: one build."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with what ``make dist`` makes of this checkout; takes a minute and a half."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        ["make", "dist", f"DIST={folder}", f"KERNEL_PYTHON={sys.executable}"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return folder
