"""What the run with R_n alone proved (paper 4.2.2, "R_n only").

The paper compares heap sizes before R_n and after it. After it, what R_n needed meanwhile is
garbage, and what is left outlives it; so here R_n is given the room that it had when the job died,
and either runs out of it again or does not.
"""

from __future__ import annotations

from typing import Final, Literal

from mprof.evidence import Evidence, known

__all__ = ["OF_THE_RECORD", "Alone", "alone_of"]

Alone = Literal["dies", "dies where another lives", "dies in that room", "passes"]
"""``dies``: in a heap of its own. The others: in the room that was left to it. ``another``: an
ordinary record that had the same room before it."""

OF_THE_RECORD: Final = frozenset({"dies", "dies where another lives"})
"""What proves that R_n needs more than other records do."""


def alone_of(evidence: Evidence) -> Alone | None:
    """Whether R_n alone runs out of memory; None where that was not tried, or nothing follows.

    A record that dies alone in a heap of its own needs all of it. One that comes to its end there
    may have needed more than the room it had beside what was live when the job died: only where it
    had that room again does it pass. In that room every record may die, if all of them need much:
    the control record, which came to its end there, says that it is not so.
    """
    verification = known(evidence.verification)
    if verification is None or not verification.met:
        return None
    if not verification.same_room:
        return "dies" if verification.died else None
    if not verification.died:
        return "passes"
    return "dies where another lives" if verification.control == "lived" else "dies in that room"
