"""The pages of detectors and of what is made of their comparisons: docstrings and thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from mprof.peers.detectors import DETECTORS
from mprof.threshold import Threshold

__all__ = ["detector_page", "detector_topics", "write_pages"]

_MODULE: Final = "mprof.peers."
_VERDICTS: Final = {
    "islands": "which nodes are compared with each other",
    "racks": "what is said where whole racks differ",
    "waiting": "which node is sick, and which one waits for it",
    "confidence": "how sure it is that a node is sick",
    "comparability": "whether the nodes did the same work at all",
    "live": "what is looked at while a store grows",
    "calibration": "how control runs set the detectors",
    "synthesis": "how labelled runs teach kinds of sickness",
}
"""Modules that make verdicts of what detectors say, each with its page."""

_PAGE_STANDS_IN: Final = {
    "calibration": "calibration.false_alarms",
    "synthesis": "synthesis.training",
}
"""Of packages, the module that has the page."""


def detector_topics() -> tuple[tuple[str, str], ...]:
    """(name, title) of every detector, and of what is made of their comparisons."""
    return (*((each.name, each.title) for each in DETECTORS), *_VERDICTS.items())


def detector_page(name: str) -> str | None:
    """The Markdown page of a detector or a verdict; None where none has this name."""
    wanted = name.strip().lower().replace("_", "-")
    if wanted in _VERDICTS:
        return _page_of_verdict(wanted)
    found = next((each for each in DETECTORS if each.name == wanted), None)
    if found is None:
        return None
    return _page(found.module, "A detector of `mprof nodes`.", found.thresholds)


def write_pages(folder: Path) -> None:
    """Write the page of every detector and verdict as `<name>.md` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, _ in detector_topics():
        (folder / f"{name}.md").write_text(detector_page(name) or "", encoding="utf-8")


def _page_of_verdict(name: str) -> str:
    module = _MODULE + _PAGE_STANDS_IN.get(name, name)
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
