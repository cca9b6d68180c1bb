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
        of_group: whether a control group had reached its limit, and not the machine.
    """

    pid: int
    program: str
    resident_bytes: int
    of_group: bool = False


@dataclass(frozen=True, slots=True)
class NodeMemory:
    """What a text says of the machine on which a process was killed.

    Attributes:
        machine_bytes: its memory; None where the text gives none, or several.
        heaps_bytes: of other processes that run there.
    """

    machine_bytes: int | None
    heaps_bytes: tuple[int, ...] = ()


_LISTED: Final = 4  # in a sentence


def killed_in_words(kills: Sequence[KernelKill]) -> str:
    """A sentence on them; of several nothing says which one it was. "" of none.

    >>> killed_in_words([KernelKill(7, "perl", 1 << 30)])[:37]
    'The kernel killed perl, process 7, be'
    """
    if not kills:
        return ""
    if len(kills) > 1:
        listed = ", ".join(
            f"{one.program}, process {one.pid}, with {format_bytes(one.resident_bytes)} of its own"
            for one in kills[:_LISTED]
        )
        more = f", and {len(kills) - _LISTED} more" if len(kills) > _LISTED else ""
        return (
            f"The kernel killed {len(kills)} processes because memory was short, as its log in the "
            f"text says ({listed}{more}); which of them this was, if any, it does not say."
        )
    (one,) = kills
    why = "its control group had reached its limit" if one.of_group else "memory was short"
    return (
        f"The kernel killed {one.program}, process {one.pid}, because {why}, as its "
        f"log in the text says: it had {format_bytes(one.resident_bytes)} of its own."
    )
