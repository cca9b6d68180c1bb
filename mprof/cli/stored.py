"""The report that a finished run keeps in its capture, as text, page and JSON.

It is printed as it is: to load what makes a report takes longer than a second.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from mprof.version import __version__

if TYPE_CHECKING:
    from mprof.diagnosis import Diagnosed
    from mprof.runs import Capture

__all__ = ["keep_report", "kept_report"]

_TEXT: Final = "report.txt"
_PAGE: Final = "report.html"
_DIAGNOSIS: Final = "diagnosis.json"


class _Made(msgspec.Struct):
    """What is asked of a stored diagnosis."""

    mprof_version: str


def keep_report(folder: Path, diagnosed: Diagnosed) -> Path:
    """Write the report into a run's folder; its page.

    Raises:
        UsageError: if it cannot be written there.
    """
    from mprof.cli.output import write_file
    from mprof.report import render_html, render_json, render_text

    write_file(folder / _TEXT, render_text(diagnosed) + "\n")
    write_file(folder / _PAGE, render_html(diagnosed))
    write_file(folder / _DIAGNOSIS, render_json(diagnosed) + "\n")  # the last: it tells their age
    return folder / _PAGE


def kept_report(capture: Capture, *, html: bool, json: bool) -> str | None:
    """What the newest run kept; None where the capture has to be diagnosed again.

    It has to where not all of it is there, where another version of mprof made it, and where
    anything else in the capture is newer.
    """
    folder = capture.latest.path
    diagnosis = folder / _DIAGNOSIS
    kept = {folder / name for name in (_TEXT, _PAGE, _DIAGNOSIS)}
    try:
        made = diagnosis.stat().st_mtime_ns
        others = (path for path in capture.path.rglob("*") if path.is_file() and path not in kept)
        if any(path.stat().st_mtime_ns > made for path in others):
            return None
        if msgspec.json.decode(diagnosis.read_bytes(), type=_Made).mprof_version != __version__:
            return None
        if html:
            return (folder / _PAGE).read_text(encoding="utf-8")
        shown = diagnosis if json else folder / _TEXT
        return shown.read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, ValueError):
        return None
