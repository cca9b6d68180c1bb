"""Lines of a report that a page, a mail or a terminal has broken, in one again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mprof.intake.reported import ATTEMPT
from mprof.intake.sentences import SHORTEST_WRAPPED

__all__ = ["unbroken"]

_BEGINS_WITH_ID: Final = re.compile(r"Task Id : attempt_[\w, :]*$")

_HAS_STATUS: Final = re.compile(rf"Task Id : {ATTEMPT}, Status : [A-Z]{{4}}")

# the words of the ResourceManager and the client on an end, which a mail breaks at its width
_OF_AN_END: Final = re.compile(
    r"failed with state (?:FAILED|KILLED)\b|\bAM Container for appattempt_\d|"
    r"\bfailed \d+ times? due to\b|\bApplication application_\d+_\d+ failed\b|"
    r"\bexited with +exitCode: ?-?\d"
)

_MAY_BE_BROKEN: Final = re.compile(
    r"(?:\bfailed(?: with(?: state)?| \d+(?: times?(?: due)?)?)?|\bAM(?: Container(?: for)?)?|"
    r"\bApplication(?: application_\d+_\d+)?|\bexited(?: with(?: +exitCode:)?)?)\s*$"
)
"""How a line ends that is broken in such words."""


def unbroken(lines: Sequence[str]) -> Sequence[str]:
    """The lines, with those in one that a page, a mail or a terminal has broken in a status."""
    found: list[str] | None = None
    begin = 0  # of what the next line may go on with
    for at, next_line in enumerate(lines[1:], 1):
        line = lines[begin] if found is None else found[begin]
        whole = _rejoined(line, next_line)
        if whole is None:
            begin = at
            continue
        found = found if found is not None else list(lines)
        found[begin], found[at] = whole, ""
    return lines if found is None else found


# of the reason that the client prints of a job, only the first line begins with a capital letter
_REASON: Final = re.compile(r"\bfailed with state (?:FAILED|KILLED) due to: \S")

_GOES_ON: Final = re.compile(r"\s*[a-z<(]")


def _rejoined(line: str, after: str) -> str | None:
    """Two lines in one, where they are one of Hadoop's that was broken; None where they are not."""
    if _BEGINS_WITH_ID.search(line) and not _HAS_STATUS.search(line):
        joined = (f"{line.rstrip()}{between}{after.lstrip()}" for between in ("", " "))
        return next((one for one in joined if _HAS_STATUS.search(one)), None)
    if len(line) >= SHORTEST_WRAPPED and _REASON.search(line) and _GOES_ON.match(after):
        return f"{line.rstrip()} {after.lstrip()}"
    if _MAY_BE_BROKEN.search(line):
        whole = f"{line.rstrip()} {after.lstrip()}"
        across = (one for one in _OF_AN_END.finditer(whole) if one.end() > len(line.rstrip()))
        return whole if any(one.start() < len(line.rstrip()) for one in across) else None
    return None
