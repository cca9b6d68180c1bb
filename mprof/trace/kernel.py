"""A process that the kernel killed because memory was short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class NodeMemory:
    """What a text says of the machine on which a process was killed.

    Attributes:
        machine_bytes: its memory; None where the text gives none, or several.
        heaps_bytes: of other processes that run there.
    """

    machine_bytes: int | None
    heaps_bytes: tuple[int, ...] = ()


def killed_in_words(kills: Sequence[KernelKill]) -> str:
    """A sentence on the largest of them; "" of none.

    >>> killed_in_words([KernelKill(7, "perl", 1 << 30)])[:37]
    'The kernel killed perl, process 7, be'
    """
    if not kills:
        return ""
    most = max(kills, key=lambda one: one.resident_bytes)
    also = f" (one of {len(kills)} that it killed)" if len(kills) > 1 else ""
    return (
        f"The kernel killed {most.program}, process {most.pid}, because memory was short, as its "
        f"log in the text says: it had {format_bytes(most.resident_bytes)} of its own{also}."
    )
