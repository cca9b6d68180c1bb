"""Outputs of mappers that could not be copied: is it the node that wrote, or the one that read?

Hadoop fails the mapper, and so speaks of the node that wrote. Where one node could not read what
several others wrote, it is the one that they have in common; and the other way about.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Blamed", "blamed_for_copies"]


@dataclass(frozen=True, slots=True)
class Blamed:
    """A node that copies which failed have in common.

    Attributes:
        host: its name.
        reads: it could not read what others wrote; otherwise others could not read from it.
        attempts: mappers whose output could not be copied.
        others: the nodes at the other ends.
    """

    host: str
    reads: bool
    attempts: tuple[str, ...]
    others: frozenset[str]


def blamed_for_copies(
    copies: Iterable[tuple[str, str, str]],
) -> tuple[tuple[Blamed, ...], tuple[str, ...]]:
    """Nodes that failed copies have in common, and the mappers of which neither end is told.

    The node with most other ends explains its copies; what is left is asked again. A single other
    end tells nothing.
    """
    left = sorted(set(copies))
    found = []
    while left:
        ends: dict[tuple[str, bool], dict[str, list[str]]] = {}
        for attempt, wrote, read in left:
            ends.setdefault((wrote, False), {}).setdefault(read, []).append(attempt)
            ends.setdefault((read, True), {}).setdefault(wrote, []).append(attempt)
        most = max(ends, key=lambda end: (len(ends[end]), end))
        rivals = [end for end in ends if len(ends[end]) == len(ends[most])]
        if len(ends[most]) == 1 or len(rivals) > 1:
            break
        host, reads = most
        attempts = sorted({each for every in ends[most].values() for each in every})
        found.append(Blamed(host, reads, tuple(attempts), frozenset(ends[most])))
        left = [one for one in left if one[2 if reads else 1] != host]
    return tuple(found), tuple(sorted({attempt for attempt, _, _ in left}))
