"""A process that the kernel killed because memory was short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mprof.units import format_bytes

__all__ = ["KernelKill", "killed_in_words"]


@dataclass(frozen=True, slots=True)
class KernelKill:
    """What the kernel's log says of a process that it killed.

    Attributes:
        program: the name of the process, of 15 characters at most.
        resident_bytes: of its own memory (anonymous pages).
    """

    pid: int
    program: str
    resident_bytes: int


def killed_in_words(kills: Sequence[KernelKill]) -> str:
    """A sentence on each of them, the first few by name; "" of none.

    >>> killed_in_words([KernelKill(7, "perl", 1 << 30)])[:37]
    'The kernel killed perl, process 7, be'
    """
    if not kills:
        return ""
    first, *others = kills
    named = "".join(
        f"; and {one.program}, process {one.pid}, which had {format_bytes(one.resident_bytes)}"
        for one in others[:_MOST_NAMED]
    )
    more = f"; and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    return (
        f"The kernel killed {first.program}, process {first.pid}, because memory was short, as its "
        f"log in the text says: it had {format_bytes(first.resident_bytes)} of its own"
        f"{named}{more}."
    )


_MOST_NAMED: Final = 2  # beside the first
