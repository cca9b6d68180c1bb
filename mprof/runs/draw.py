"""Which containers are in a share of all: told by the id alone, in the shell and afterwards here.

YARN gives every container an id of its own, in ``CONTAINER_ID``, and the job history names it for
each attempt. So the shell that launches a task needs nothing else, and a history tells later which
attempts were in the share. The numbers in the id are mixed, because containers that follow each
other often run alike tasks.
"""

from __future__ import annotations

import re

__all__ = ["draw", "in_share", "share_in"]

PARTS = 10_000
"""The smallest share, 0.01 %, is one of so many parts."""

_ID = re.compile(r"container_(?:e[0-9]+_)?([0-9]+)_([0-9]+)_([0-9]+)_([0-9]+)")
_WORD = 0xFFFFFFFF
_FACTOR = 0x45D9F3B
"""Twice with shifts by 16 (C. Wellons, "Prospecting for Hash Functions", 2018), each bit of the
result depends on each bit of the number. Products stay below 2^63, the range of a shell's numbers.
"""

_MIX = f"h=$(((h>>16^h)*{_FACTOR}&{_WORD}))"
# 1 before a part: with a zero in front, a shell takes a number for octal.
_DRAW = (
    "IFS=_; set -- $CONTAINER_ID; [ $# -gt 4 ] && shift $(($#-4)) && h=0 && "
    f"for n in $1 1$2 1$3 1$4; do h=$(((h^n)&{_WORD})); {_MIX}; {_MIX}; h=$((h>>16^h)); done && "
)
_TEST = re.compile(rf"\[ \$\(\(h%{PARTS}\)\) -lt ([0-9]+) \]")


def draw(container_id: str) -> float | None:
    """The number between 0 and 1 that is drawn for a container; None if that is no id of one.

    >>> draw("container_1700000000000_0042_01_000002")
    0.0467
    """
    found = _ID.fullmatch(container_id)
    if found is None:
        return None
    first, *others = found.groups()
    mixed = 0
    for number in (first, *(f"1{each}" for each in others)):
        mixed = (mixed ^ int(number)) & _WORD
        for _ in range(2):
            mixed = ((mixed >> 16 ^ mixed) * _FACTOR) & _WORD
        mixed = mixed >> 16 ^ mixed
    return mixed % PARTS / PARTS


def in_share(share: float) -> str:
    """Commands of a shell that succeed where the container's `draw` is below the share.

    They start no process. Without ``CONTAINER_ID`` they fail. No ``${...}``, because Hadoop's
    ``Configuration`` would look for a property of that name.
    """
    return f"{_DRAW}[ $((h%{PARTS})) -lt {round(share * PARTS)} ]"


def share_in(commands: str) -> float | None:
    """The share in commands that `in_share` made; None in any others.

    >>> share_in(in_share(0.05))
    0.05
    """
    found = _TEST.search(commands)
    return int(found[1]) / PARTS if found is not None else None
