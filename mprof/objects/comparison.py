"""Two dumps, one after the other: what grew and what shrank, by holder, class and path.

Objects are matched by what they are: a holder by its name (the static field, or the field or local
and its class), a class by its name, an object under the roots by its path of classes and fields.
Where both dumps are of one process, what has the same address and path in both is the same object.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from mprof.heap import Heap
from mprof.heap.answers import as_json
from mprof.heap.summary import DominatorRow, HeapSummary, HolderRow
from mprof.objects.summary import summarise_dump

__all__ = [
    "ClassChange",
    "HeapComparison",
    "HeapSide",
    "HolderChange",
    "PathChange",
    "compare_dumps",
]

_INDEX: Final = re.compile(r"^\[\d+\]")
_SALTS: Final = (
    ("java.util.ImmutableCollections", "SALT32L"),
    ("java.util.ImmutableCollections", "SALT"),
)
"""Random numbers that a JVM draws as it starts (JDK 9 and later)."""
_NATIVE: Final = "java.lang.Thread.eetop"
"""Where the virtual machine keeps a thread, an address in its process."""

_Progress = Callable[[str, float], None] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeapSide:
    """One of the dumps.

    Attributes:
        path: of the file.
        objects: that the roots reach.
        shallow_bytes: of these.
        losses: what a damaged dump leaves unknown.
    """

    path: str
    objects: int
    shallow_bytes: int
    losses: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderChange:
    """A holder in both dumps; one that holds less than 64 KB in one of them has 0 bytes there.

    Attributes:
        name: in words, such as ``static Feed.listeners``.
        bytes_before: that it held.
        bytes_after: that it holds.
        growth_bytes: below 0 where it shrank.
        class_name: of the container, as it was last.
        length_before: elements in it; null where it is no container or was not there.
        length_after: the same of the second dump.
        element_class: of most elements, as it was last.
        path: from the frame or static field to the container, as it was last.
        thread: whose stack has a method at work on it, as it was last; null where none has.
    """

    name: str
    bytes_before: int
    bytes_after: int
    growth_bytes: int
    class_name: str
    length_before: int | None
    length_after: int | None
    element_class: str | None
    path: tuple[str, ...]
    thread: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassChange:
    """A class in both dumps; sizes in bytes.

    Attributes:
        name: of the class.
        objects_before: instances.
        objects_after: the same of the second dump.
        growth_objects: below 0 where there are fewer.
        shallow_before: of its instances alone.
        shallow_after: the same of the second dump.
        growth_bytes: of the shallow sizes; below 0 where they shrank.
        retained_before: by instances that no other one dominates.
        retained_after: the same of the second dump.
    """

    name: str
    objects_before: int
    objects_after: int
    growth_objects: int
    shallow_before: int
    shallow_after: int
    growth_bytes: int
    retained_before: int
    retained_after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PathChange:
    """What hangs under the roots by one path of classes and fields; sizes in bytes.

    Attributes:
        path: a line a step; an index is ``[*]``.
        class_name: of the objects at its end.
        objects_before: how many of the largest objects have it.
        objects_after: the same of the second dump.
        retained_before: by all of them.
        retained_after: the same of the second dump.
        growth_bytes: of the retained sizes; below 0 where they shrank.
        ids: of the largest, in the first and the second dump; null where there is none.
        same_object: whether these two are one object: both dumps are of one process, and the class
            at the address is the same; null where that is not known.
    """

    path: tuple[str, ...]
    class_name: str
    objects_before: int
    objects_after: int
    retained_before: int
    retained_after: int
    growth_bytes: int
    ids: tuple[str | None, str | None]
    same_object: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeapComparison:
    """What changed between two dumps; that which grew most comes first, what shrank most last.

    Members may be added; none is removed or changes its meaning within a schema version.

    Attributes:
        before: the first dump.
        after: the second dump.
        growth_bytes: of what the roots reach; below 0 where it shrank.
        same_process: whether both dumps are of one JVM, by what it draws at its start and where it
            keeps its threads; null where neither is there.
        holders: who holds memory, of both dumps.
        classes: of both dumps, those left out that did not change.
        paths: of the largest objects under the roots, of both dumps.
    """

    schema_version: Literal[1] = 1
    before: HeapSide
    after: HeapSide
    growth_bytes: int
    same_process: bool | None
    holders: tuple[HolderChange, ...]
    classes: tuple[ClassChange, ...]
    paths: tuple[PathChange, ...]

    def to_json(self) -> Any:
        """The object of the public contract, of plain lists, dicts, strings and numbers."""
        return as_json(self)


def compare_dumps(before: Path, after: Path, *, progress: _Progress = None) -> HeapComparison:
    """Reads two dumps, one after the other, and says what changed.

    Args:
        before: the dump that was made first.
        after: the other one.
        progress: called with the current step and the share that is done, from 0 to 1.

    Raises:
        EvidenceError: if a file cannot be read or is no heap dump.
    """
    first, of_first = _read(before, progress)
    second, of_second = _read(after, progress)
    same = _same_process(of_first, of_second)
    return HeapComparison(
        before=_side(before, first),
        after=_side(after, second),
        growth_bytes=second.shallow_bytes - first.shallow_bytes,
        same_process=same,
        holders=_holders(first.holders, second.holders),
        classes=_classes(first, second),
        paths=_paths(first.dominators, second.dominators, same_process=same),
    )


def _read(dump: Path, progress: _Progress) -> tuple[HeapSummary, _Process]:
    """The summary; the heap itself is not kept, so that one is in memory at a time."""
    heap, summary = summarise_dump(dump, progress=progress)
    return summary, _process_of(heap)


def _side(path: Path, summary: HeapSummary) -> HeapSide:
    return HeapSide(
        path=str(path),
        objects=summary.objects,
        shallow_bytes=summary.shallow_bytes,
        losses=summary.losses,
    )


# --- one process ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Process:
    """What tells a JVM from another one of the same program.

    Attributes:
        salts: random numbers by their static field.
        threads: where the virtual machine keeps each thread, by the thread's address.
    """

    salts: dict[str, int]
    threads: frozenset[int]


def _process_of(heap: Heap) -> _Process:
    salts = {}
    for class_name, name in _SALTS:
        value = heap.statics(class_name).get(name)
        if isinstance(value, int) and value:  # 0: emptied, or not drawn yet
            salts[f"{class_name}.{name}"] = value
    places = (heap.fields(thread.node).get(_NATIVE) for thread in heap.threads)
    return _Process(salts, frozenset(one for one in places if isinstance(one, int) and one > 0))


def _same_process(first: _Process, second: _Process) -> bool | None:
    both = first.salts.keys() & second.salts.keys()
    if both:
        return all(first.salts[name] == second.salts[name] for name in both)
    if first.threads and second.threads:  # threads come and go; those of the JVM stay
        return len(first.threads & second.threads) * 2 >= min(
            len(first.threads), len(second.threads)
        )
    return None


# --- changes --------------------------------------------------------------------------------------


def _holders(before: Iterable[HolderRow], after: Iterable[HolderRow]) -> tuple[HolderChange, ...]:
    first, second = _by_name(before), _by_name(after)
    changes = []
    for name in {**first, **second}:
        was, now = first.get(name, ()), second.get(name, ())
        last = (now or was)[0]
        held_before = sum(row.bytes for row in was)
        held_after = sum(row.bytes for row in now)
        changes.append(
            HolderChange(
                name=name,
                bytes_before=held_before,
                bytes_after=held_after,
                growth_bytes=held_after - held_before,
                class_name=last.class_name,
                length_before=was[0].length if was else None,
                length_after=now[0].length if now else None,
                element_class=last.element_class,
                path=last.path,
                thread=last.thread,
            )
        )
    return tuple(sorted(changes, key=lambda one: (-one.growth_bytes, one.name)))


def _by_name(rows: Iterable[HolderRow]) -> dict[str, tuple[HolderRow, ...]]:
    """The rows of each name, the largest first: two classes may have a field of the same words."""
    found: dict[str, tuple[HolderRow, ...]] = {}
    for row in rows:
        found[row.name] = (*found.get(row.name, ()), row)
    return found


def _classes(before: HeapSummary, after: HeapSummary) -> tuple[ClassChange, ...]:
    first = {row.name: row for row in before.classes}
    second = {row.name: row for row in after.classes}
    changes = []
    for name in {**first, **second}:
        was, now = first.get(name), second.get(name)
        objects = (was.objects if was else 0, now.objects if now else 0)
        shallow = (was.shallow_bytes if was else 0, now.shallow_bytes if now else 0)
        retained = (was.retained_bytes if was else 0, now.retained_bytes if now else 0)
        if objects[0] == objects[1] and shallow[0] == shallow[1] and retained[0] == retained[1]:
            continue
        changes.append(
            ClassChange(
                name=name,
                objects_before=objects[0],
                objects_after=objects[1],
                growth_objects=objects[1] - objects[0],
                shallow_before=shallow[0],
                shallow_after=shallow[1],
                growth_bytes=shallow[1] - shallow[0],
                retained_before=retained[0],
                retained_after=retained[1],
            )
        )
    return tuple(sorted(changes, key=lambda one: (-one.growth_bytes, one.name)))


_Path = tuple[tuple[str, ...], str]


def _paths(
    before: Iterable[DominatorRow], after: Iterable[DominatorRow], *, same_process: bool | None
) -> tuple[PathChange, ...]:
    first, second = _by_path(before), _by_path(after)
    changes = []
    for key in {**first, **second}:
        was, now = first.get(key, []), second.get(key, [])
        held_before = sum(row.retained_bytes for row in was)
        held_after = sum(row.retained_bytes for row in now)
        ids = (was[0].id if was else None, now[0].id if now else None)
        known = same_process is not None and None not in ids
        changes.append(
            PathChange(
                path=key[0],
                class_name=key[1],
                objects_before=len(was),
                objects_after=len(now),
                retained_before=held_before,
                retained_after=held_after,
                growth_bytes=held_after - held_before,
                ids=ids,
                same_object=bool(same_process and ids[0] == ids[1]) if known else None,
            )
        )
    return tuple(sorted(changes, key=lambda one: (-one.growth_bytes, one.path)))


def _by_path(rows: Iterable[DominatorRow]) -> dict[_Path, list[DominatorRow]]:
    found: dict[_Path, list[DominatorRow]] = defaultdict(list)
    for row in rows:
        path = tuple(_INDEX.sub("[*]", step) for step in row.path)
        found[path, row.class_name].append(row)
    return found
