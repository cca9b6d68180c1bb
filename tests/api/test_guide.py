"""The code of the guide runs as it stands there, and prints what the guide says it prints."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from mprof import tables

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guides" / "python-api.md").read_text(encoding="utf-8")
CODE_AND_OUTPUT = re.compile(r"```python\n(.*?)```\n(?:\n```\n(.*?)```)?", re.DOTALL)


def test_the_worked_example_prints_what_the_guide_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = CODE_AND_OUTPUT.findall(GUIDE)
    namespace: dict[str, Any] = {}
    printed = []
    for code, _ in blocks:
        out = StringIO()
        with redirect_stdout(out):
            exec(compile(code, "python-api.md", "exec"), namespace)
        printed.append(out.getvalue())
    assert [output for _, output in blocks] == printed
    assert len(printed) == GUIDE.count("```python") >= 4


def test_the_plot_of_the_guide_runs_as_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip(
        "matplotlib", reason="matplotlib is not there: pip install 'mprof-hadoop[notebook]'"
    )
    matplotlib.use("agg")  # no window
    monkeypatch.chdir(ROOT)
    before, plot = re.match(r"(.*?)To plot them: `(.*?)`", GUIDE, re.DOTALL).groups()  # type: ignore[union-attr]
    namespace: dict[str, Any] = {}
    with redirect_stdout(StringIO()):
        for code, _ in CODE_AND_OUTPUT.findall(before):
            exec(compile(code, "python-api.md", "exec"), namespace)

    drawn = eval(plot, namespace)

    (line,) = drawn.lines
    assert list(namespace["points"]["bytes"]) == list(line.get_ydata())
    matplotlib.pyplot.close("all")


def test_the_guide_lists_every_table_once() -> None:
    listed = re.findall(r"^\| `(\w+)` \| each", GUIDE, re.MULTILINE)
    assert sorted(tables.__all__) == sorted(listed)
