"""Strings of equal text that live more than once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

from mprof.errors import EvidenceError
from mprof.heap.heap import Heap

__all__ = ["DuplicateString", "DuplicateStrings", "duplicate_strings"]

_SHOWN = 60  # characters of a text in a report
_REPORT_EVERY = 10_000  # strings, a fifth of a second's work


@dataclass(frozen=True, slots=True)
class DuplicateString:
    """A text that occurs more than once; ``wasted_bytes`` is what all copies but one take."""

    text: str
    copies: int
    wasted_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateStrings:
    """All duplicates: the worst ones, and the sums over every one."""

    copies: int
    wasted_bytes: int
    texts: tuple[DuplicateString, ...]


def duplicate_strings(
    heap: Heap, *, limit: int = 20, progress: Callable[[str, float], None] | None = None
) -> DuplicateStrings:
    """Groups all reachable strings by their text.

    A text array that several strings share is counted once. One record is read and hashed for
    each string; memory 16 bytes for each distinct text, and the arrays.

    Args:
        heap: the heap.
        limit: how many of the worst texts to list.
        progress: called with the current step and the share that is done, from 0 to 1.

    Raises:
        EvidenceError: if the texts of the dump were emptied.
    """
    if heap.emptied is not None:
        raise EvidenceError(
            f"the texts of {heap.path} were emptied, so that none can be compared",
            next_step="ask for duplicate strings where the dump was made",
        )
    report = progress or (lambda _what, _share: None)
    strings = heap.instances("java.lang.String").tolist()
    seen: dict[bytes, tuple[int, int, int]] = {}  # digest: first node, copies, bytes of copies
    arrays: set[int] = set()
    for number, node in enumerate(strings):
        if number % _REPORT_EVERY == 0:
            report("looking for duplicate strings", number / len(strings))
        value = heap.fields(node).get("value")
        if not isinstance(value, int):
            continue
        size = heap.shallow(node)
        if value not in arrays:
            arrays.add(value)
            size += heap.shallow(value)
        content = heap.primitive_array(value)
        digest = blake2b(content.tobytes(), digest_size=16, key=content.dtype.char.encode())
        first, copies, wasted = seen.get(digest.digest(), (node, -1, -size))
        seen[digest.digest()] = (first, copies + 1, wasted + size)
    report("looking for duplicate strings", 1.0)
    repeated = [row for row in seen.values() if row[1] > 0]
    repeated.sort(key=lambda row: (-row[2], row[0]))
    return DuplicateStrings(
        copies=sum(copies for _, copies, _ in repeated),
        wasted_bytes=sum(wasted for _, _, wasted in repeated),
        texts=tuple(
            DuplicateString((heap.string(node) or "")[:_SHOWN], copies, wasted)
            for node, copies, wasted in repeated[:limit]
        ),
    )
