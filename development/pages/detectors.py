"""The pages of detectors and of what is made of their comparisons: docstrings and thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from development.pages.folder import MADE_BY
from mprof.peers.detectors.registry import DETECTORS, PUBLISHED, Detector
from mprof.threshold import Threshold

__all__ = ["detector_page", "write_pages"]

_MODULE: Final = "mprof.peers."
_OF_COMPARISONS: Final = {
    "islands": "verdict.islands",
    "racks": "verdict.racks",
    "many-looks": "verdict.many_looks",
    "clocks": "verdict.clocks",
    "heard-otherwise": "verdict.heard_otherwise",
    "waiting": "verdict.waiting",
    "confidence": "verdict.confidence",
    "comparability": "verdict.comparability",
    "live": "live",
    "calibration": "calibration.false_alarms",
    "synthesis": "synthesis.training",
}
"""What is made of the detectors' comparisons, and the module whose docstring is the page."""


def write_pages(folder: Path) -> None:
    """Write the page of every detector, and of what is made of comparisons, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {each.name: detector_page(each) for each in (*DETECTORS, *PUBLISHED)}
    pages |= {
        name: _page_of_comparisons(_MODULE + module) for name, module in _OF_COMPARISONS.items()
    }
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "README.md").write_text(_index(pages), encoding="utf-8")


def _index(pages: Mapping[str, str]) -> str:
    """The first page of the folder: the title of each other one."""
    rows = {
        name: f"| [`{name}`]({name}.md) | {_title(text).rpartition('`: ')[2]} |"
        for name, text in pages.items()
    }
    lines = [
        "# Detectors", "", MADE_BY, "",
        "How [`mprof nodes`](../../guides/compare-nodes.md) compares the nodes of a cluster.", "",
        "| detector | what it compares |", "|---|---|",
        *(rows[each.name] for each in DETECTORS), "",
        "| of a paper, asked by `--detectors` | what it compares |", "|---|---|",
        *(rows[each.name] for each in PUBLISHED), "",
        "[The papers](../papers.md) compares their results with ours.", "",
        "| from the comparisons | what is made of them |", "|---|---|",
        *(rows[name] for name in _OF_COMPARISONS), "",
    ]  # fmt: skip
    return "\n".join(lines)


def _title(page: str) -> str:
    return page.partition("\n")[0].removeprefix("# ")


def detector_page(detector: Detector) -> str:
    """The Markdown page of a detector."""
    what = "A detector of `mprof nodes`."
    if detector.paper is not None:
        what = (
            "A detector of a paper, as published: `mprof nodes STORE --detectors"
            f" {detector.name}`. Its verdict is printed beside mprof's own, and names no suspect."
        )
    return _page(detector.module, what, detector.thresholds)


def _page_of_comparisons(module: str) -> str:
    thresholds: tuple[Threshold, ...] = import_module(module).THRESHOLDS
    what = "How `mprof nodes` uses the comparisons of its detectors."
    return _page(module, what, thresholds)


def _page(module: str, what: str, thresholds: Sequence[Threshold]) -> str:
    docstring = (import_module(module).__doc__ or "").strip()
    first, _, rest = docstring.partition("\n")
    lines = [
        f"# {first.rstrip('.')}", "", what, "", rest.strip(), "",
        "## Thresholds", "", "| name | value | unit | reason |", "|---|---|---|---|",
    ]  # fmt: skip
    lines += [f"| {one.name} | {one.default:g} | {one.unit} | {one.reason} |" for one in thresholds]
    return "\n".join([*lines, ""])
