"""The pages of detectors and of what is made of their comparisons: docstrings and thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from mprof.peers.detectors.registry import DETECTORS
from mprof.threshold import Threshold

__all__ = ["detector_page", "detector_topics", "write_pages"]

_MODULE: Final = "mprof.peers."
_VERDICTS: Final = {
    "islands": ("verdict.islands", "which nodes are compared with each other"),
    "racks": ("verdict.racks", "what is said where whole racks differ"),
    "waiting": ("verdict.waiting", "which node is sick, and which one waits for it"),
    "confidence": ("verdict.confidence", "how sure it is that a node is sick"),
    "comparability": ("verdict.comparability", "whether the nodes did the same work at all"),
    "live": ("live", "what is looked at while a store grows"),
    "calibration": ("calibration.false_alarms", "how control runs set the detectors"),
    "synthesis": ("synthesis.training", "how labelled runs teach kinds of sickness"),
}
"""What is made of the detectors' comparisons: the module that has the page, and its title."""


def detector_topics() -> tuple[tuple[str, str], ...]:
    """(name, title) of every detector, and of what is made of their comparisons."""
    verdicts = ((name, title) for name, (_, title) in _VERDICTS.items())
    return (*((each.name, each.title) for each in DETECTORS), *verdicts)


def detector_page(name: str) -> str | None:
    """The Markdown page of a detector or a verdict; None where none has this name."""
    wanted = name.strip().lower().replace("_", "-")
    if wanted in _VERDICTS:
        return _page_of_verdict(_MODULE + _VERDICTS[wanted][0])
    found = next((each for each in DETECTORS if each.name == wanted), None)
    if found is None:
        return None
    return _page(found.module, "A detector of `mprof nodes`.", found.thresholds)


def write_pages(folder: Path) -> None:
    """Write the page of every detector and verdict as `<name>.md` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, _ in detector_topics():
        (folder / f"{name}.md").write_text(detector_page(name) or "", encoding="utf-8")


def _page_of_verdict(module: str) -> str:
    thresholds: tuple[Threshold, ...] = import_module(module).THRESHOLDS
    what = "What `mprof nodes` makes of the comparisons of its detectors."
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
