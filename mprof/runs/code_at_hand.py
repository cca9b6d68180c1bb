"""The code of a diagnosed job, where it is at hand: which lines filled a holder, and what they say.

The line at death is where the heap ran out: often a sort, or a copy, of what other lines had
gathered. Those are told by the bytecode of the class (`mprof.bytecode`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mprof.code_site import CodeSite
from mprof.diagnosed import Diagnosed, ReadCode
from mprof.evidence import Holder, known

if TYPE_CHECKING:
    from mprof.bytecode import JobCode
    from mprof.runs.capture import Capture

__all__ = ["jars_of", "with_code"]

_MOST_LINES: Final = 20
"""Of one holder; a class that fills it in more tells nobody which of them."""


def jars_of(capture: Capture) -> tuple[Path, ...]:
    """The jars that the newest command named, as far as they are here and as old as that run."""
    newest = next((run.manifest for run in reversed(capture.runs) if run.manifest.command), None)
    if newest is None:
        return ()
    words = (part for word in newest.command for part in word.split(","))
    jars = (Path(word) for word in dict.fromkeys(words) if word.endswith(".jar"))
    return tuple(jar for jar in jars if _is_of_then(jar, newest.started_ms))


def _is_of_then(jar: Path, started_ms: int) -> bool:
    try:
        return jar.is_file() and jar.stat().st_mtime_ns <= started_ms * 1_000_000
    except (OSError, ValueError):
        return False


def with_code(diagnosed: Diagnosed, places: Sequence[Path]) -> Diagnosed:
    """The same, with what the code says of the lines that are named, unless that was read before.

    Args:
        diagnosed: a diagnosis.
        places: jars and folders with classes, with sources, or both. What cannot be read is a loss.
    """
    if diagnosed.end != "died" or not places or diagnosed.code != ReadCode():
        return diagnosed
    from mprof.bytecode import open_code  # here: few diagnoses have code beside them

    with open_code(places) as code:
        return _read(diagnosed, code)


def _read(diagnosed: Diagnosed, code: JobCode) -> Diagnosed:
    evidence = diagnosed.evidence
    holders = known(evidence.holders) or evidence.program or ()
    fills = {one.key: sites[:_MOST_LINES] for one in holders if (sites := _fills(code, one))}
    named = chain(_named(diagnosed), *fills.values())
    text = {site: line for site in named if (line := code.line_of(site)) is not None}
    losses = tuple(f"code that was named could not be used: {one}" for one in code.unread)
    return replace(
        diagnosed,
        code=ReadCode(fills, text),
        losses=tuple(dict.fromkeys((*diagnosed.losses, *losses))),
    )


def _fills(code: JobCode, holder: Holder) -> tuple[CodeSite, ...]:
    key = holder.key
    if key.kind in {"field", "static"} and key.fields:
        return code.fills_of_field(key.class_name, key.fields)
    if key.kind == "local" and not key.fields:
        return code.fills_of_local(key.class_name, key.method, key.value_class)
    if key.kind == "local":
        return code.fills_of_field(key.value_class, key.fields)
    return ()


def _named(diagnosed: Diagnosed) -> Iterator[CodeSite]:
    """The places in code that a report shows."""
    for cause in diagnosed.diagnosis.causes:
        where = cause.finding.where
        if where is not None:
            yield CodeSite(where.class_name, where.method, where.file, where.line)
    for frame in known(diagnosed.evidence.stack) or ():
        if frame.user:
            yield frame.site
