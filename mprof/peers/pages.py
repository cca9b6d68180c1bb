"""The pages of the detectors: their docstrings and thresholds."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from mprof.peers.detectors import DETECTORS, Detector

__all__ = ["detector_page", "detector_topics", "write_pages"]


def detector_topics() -> tuple[tuple[str, str], ...]:
    """(name, title) of every detector."""
    return tuple((each.name, each.title) for each in DETECTORS)


def detector_page(name: str) -> str | None:
    """The Markdown page of a detector; None where none has this name."""
    wanted = name.strip().lower().replace("_", "-")
    found = next((each for each in DETECTORS if each.name == wanted), None)
    return None if found is None else _page(found)


def write_pages(folder: Path) -> None:
    """Write the page of every detector as `<name>.md` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in DETECTORS:
        (folder / f"{each.name}.md").write_text(_page(each), encoding="utf-8")


def _page(detector: Detector) -> str:
    docstring = (import_module(detector.module).__doc__ or "").strip()
    first, _, rest = docstring.partition("\n")
    lines = [
        f"# {first.rstrip('.')}", "", "A detector of `mprof nodes`.", "", rest.strip(), "",
        "## Thresholds", "", "| name | value | unit | reason |", "|---|---|---|---|",
    ]  # fmt: skip
    lines += [
        f"| {one.name} | {one.default:g} | {one.unit} | {one.reason} |"
        for one in detector.thresholds
    ]
    return "\n".join([*lines, ""])
