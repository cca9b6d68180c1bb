"""What of a dump's values stays: the numbers by which containers are measured, and what is asked.

All else is emptied. A number stays only where :mod:`mprof.heap.containers` or the layout of objects
reads it, and only as far as it can be the count of something in this dump; any other becomes -1,
which is no count either.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.errors import UsageError
from mprof.heap.classes import Classes, Field, value_bytes
from mprof.heap.containers import SIZE_FIELDS
from mprof.hprof.format import (
    TYPE_BYTE,
    TYPE_CHAR,
    TYPE_INT,
    TYPE_LONG,
    TYPE_OBJECT,
    TYPE_SHORT,
)

__all__ = [
    "ALWAYS_KEPT",
    "COUNT",
    "FLAG",
    "LISTED",
    "REFERENCES",
    "SIGNED",
    "WHOLE",
    "Kept",
    "Rules",
    "kept_before",
    "kept_of",
    "rules_of",
]

# What becomes of a field's value.
WHOLE: Final = 0
"""It is copied."""
COUNT: Final = 1
"""It stays where it can be a count, 0 up to the largest there can be; else it becomes -1."""
SIGNED: Final = 2
"""It stays where it is no further from 0 than a count can be; else it becomes 0."""
FLAG: Final = 3
"""It stays where it is 0 or 1; else it becomes 0."""
LISTED: Final = 4
"""It is a count in those objects that were listed, and becomes 0 in all others."""
REFERENCES: Final = 5
"""References, one behind the other: each stays where it leads to an object."""

_COUNTS: Final = frozenset({*SIZE_FIELDS, "elementCount"})
"""Of any class with references: by its shape each of them may be a container."""

_OF_CLASS: Final = {
    ("java.util.ArrayDeque", "head"): COUNT,
    ("java.util.ArrayDeque", "tail"): COUNT,
    ("java.util.concurrent.ConcurrentHashMap", "baseCount"): SIGNED,
    ("java.util.concurrent.ConcurrentHashMap$CounterCell", "value"): SIGNED,
    ("java.util.concurrent.atomic.AtomicInteger", "value"): LISTED,
    ("java.lang.String", "coder"): FLAG,
    ("java.lang.AbstractStringBuilder", "coder"): FLAG,
    ("jdk.internal.vm.StackChunk", "size"): WHOLE,  # in words; its bytes follow from it
}
"""By the class that declares a field, and its name."""

_NEVER: Final = frozenset({("java.lang.String", "hash")})
"""Numbers from which a short text can be found again."""

_INTEGRAL: Final = (TYPE_BYTE, TYPE_SHORT, TYPE_INT, TYPE_LONG)

ALWAYS_KEPT: Final = "references and the lengths of containers"
"""In words."""

_NUMBERS: Final = "numbers"
_THREAD_NAMES: Final = "thread-names"
_STRINGS_OF: Final = "strings-of:"


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept beside what is always kept.

    Attributes:
        numbers: primitive fields, statics and arrays of numbers; no byte[] and no char, which hold
            text, and no hash of a String.
        thread_names: the names of threads.
        strings_of: names of classes, in Java source form: the strings that fields of theirs refer
            to.
    """

    numbers: bool = False
    thread_names: bool = False
    strings_of: tuple[str, ...] = ()

    def in_words(self) -> str:
        """``numbers, strings of app.Settings``; empty where nothing more is kept."""
        words = ["numbers"] if self.numbers else []
        words += ["names of threads"] if self.thread_names else []
        words += [f"strings of {name}" for name in self.strings_of]
        return ", ".join(words)


def kept_of(words: Sequence[str]) -> Kept:
    """What ``--keep`` asks for, a word each.

    Raises:
        UsageError: if a word is none of them.
    """
    strings_of = []
    for word in words:
        name = word.removeprefix(_STRINGS_OF).strip()
        if word.startswith(_STRINGS_OF) and name:
            strings_of.append(name)
        elif word not in (_NUMBERS, _THREAD_NAMES):
            raise UsageError(
                f"{word} is nothing that --keep knows",
                next_step=f"give {_NUMBERS}, {_THREAD_NAMES} or {_STRINGS_OF}CLASS",
            )
    return Kept(
        numbers=_NUMBERS in words,
        thread_names=_THREAD_NAMES in words,
        strings_of=tuple(dict.fromkeys(strings_of)),
    )


def kept_before(text: str, names: Collection[str]) -> str | None:
    """What a dump says was kept when it was emptied; None where these are not the words for it."""
    always, *more = text.split(", ")
    words = {_NUMBERS, *(f"strings of {name}" for name in names)}
    words.add(Kept(thread_names=True).in_words())
    return text if always == ALWAYS_KEPT and words.issuperset(more) else None


class Rules(NamedTuple):
    """What stays of an instance, by class number.

    Attributes:
        starts: int64, one longer than there are classes: where the rows of each begin.
        rows: int32: offset in the instance's fields, bytes, and what becomes of them.
        field_bytes: int64, bytes of an instance's fields.
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    field_bytes: NDArray[np.int64]


def rules_of(classes: Classes, kept: Kept) -> Rules:
    """The rules for all classes of a dump."""
    width = classes.dump.identifier_bytes
    starts, sizes = [0], []
    rows: list[tuple[int, int, int]] = []
    for number in range(len(classes.names)):
        fields = classes.fields(number)
        rows += _rows(classes, fields, kept)
        starts.append(len(rows))
        sizes.append(fields[-1].offset + value_bytes(fields[-1].kind, width) if fields else 0)
    return Rules(
        np.array(starts, np.int64),
        np.array(rows, np.int32).reshape(len(rows), 3),
        np.array(sizes, np.int64),
    )


def _rows(classes: Classes, fields: Sequence[Field], kept: Kept) -> list[tuple[int, int, int]]:
    width = classes.dump.identifier_bytes
    may_hold = any(field.kind == TYPE_OBJECT for field in fields)
    found: list[tuple[int, int, int]] = []
    for field in fields:
        action = _action(classes.names[field.owner], field, may_hold=may_hold, kept=kept)
        if action is None:
            continue
        size = value_bytes(field.kind, width)
        if found and found[-1][2] == action and action in (WHOLE, REFERENCES):
            begin, before, _ = found[-1]
            if begin + before == field.offset:  # what lies together is one row
                found[-1] = (begin, before + size, action)
                continue
        found.append((field.offset, size, action))
    return found


def _action(owner: str, field: Field, *, may_hold: bool, kept: Kept) -> int | None:
    if field.kind == TYPE_OBJECT:
        return REFERENCES
    if (owner, field.name) in _NEVER or field.kind == TYPE_CHAR:
        return None
    if kept.numbers:
        return WHOLE
    if field.kind not in _INTEGRAL:
        return None
    known = _OF_CLASS.get((owner, field.name))
    if known is not None:
        return known
    return COUNT if may_hold and field.name in _COUNTS else None
