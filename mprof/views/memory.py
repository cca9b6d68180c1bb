"""The memory diagnoses behind the squares: a page for each job whose failures can be diagnosed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mprof.diagnosis import Diagnosed
from mprof.errors import MprofError
from mprof.io.printable import file_name
from mprof.report import render_html
from mprof.runs import Observer, diagnose

__all__ = ["FOLDER", "MemoryPages", "captures_in", "write_memory_pages"]

FOLDER: Final = "memory"
_CAPTURE: Final = "capture.json"


@dataclass(frozen=True, slots=True)
class MemoryPages:
    """What was written.

    Attributes:
        of_attempts: attempt -> its page, relative to the site.
        not_read: what could not be diagnosed, and why.
    """

    of_attempts: dict[str, str] = field(default_factory=dict)
    not_read: tuple[str, ...] = ()


def captures_in(folder: Path) -> tuple[Path, ...]:
    """The captures in a folder, or the folder itself where it is one."""
    if (folder / _CAPTURE).is_file():
        return (folder,)
    return tuple(sorted(path.parent for path in folder.glob(f"*/{_CAPTURE}")))


def write_memory_pages(evidence: Iterable[Path], site: Path, observer: Observer) -> MemoryPages:
    """Diagnose captures and histories, and write the report of each that has a failed attempt.

    Args:
        evidence: captures and job history files; of several that tell of an attempt, the first.
        site: the folder of the pages.
        observer: told how it goes.
    """
    pages: dict[str, str] = {}
    not_read: list[str] = []
    for path in evidence:
        try:
            diagnosed = diagnose(
                str(path), embedded=False, conf_dir=None, capture=None, observer=observer
            )
        except MprofError as error:
            not_read.append(f"{path}: {error.what}")
            continue
        new = [attempt for attempt in _failed_attempts(diagnosed) if attempt not in pages]
        if new:
            (site / FOLDER).mkdir(exist_ok=True)
            page = f"{FOLDER}/{file_name(new[0])}.html"
            (site / page).write_text(render_html(diagnosed), encoding="utf-8")
            pages |= dict.fromkeys(new, page)
    return MemoryPages(pages, tuple(not_read))


def _failed_attempts(diagnosed: Diagnosed) -> list[str]:
    """The attempts that the report tells of: the diagnosed one, and the others in its list."""
    evidence = diagnosed.evidence
    if diagnosed.end != "died" or evidence.attempt.attempt_id is None:
        return []
    return [evidence.attempt.attempt_id, *(one.attempt_id for one in evidence.attempts)]
