"""From a dump to its owners and holders: the one call of this package."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from mprof.engines import Lifetime, UserClasses
from mprof.heap import Heap, open_heap
from mprof.objects.columns import read_columns
from mprof.objects.describe import describe_frames, describe_holders
from mprof.objects.model import (
    FRAMEWORK_PARTS,
    OWNERS,
    FrameworkPart,
    HeapObjects,
    LifecycleBytes,
    Owner,
    OwnerBytes,
    PartName,
    Segment,
    SnapshotPoint,
)
from mprof.objects.ownership import Label, Ownership, assign_owners
from mprof.objects.shapes import read_shapes
from mprof.objects.threads import read_threads

__all__ = ["describe_heap", "read_objects"]


def read_objects(
    dump: Path,
    *,
    user_classes: UserClasses,
    point: SnapshotPoint | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> HeapObjects:
    """Reads a task's heap dump and says whose memory it is.

    Args:
        dump: the dump, plain or gz, whole or damaged.
        user_classes: the engine, and the job's mapper, reducer and combiner where they are known;
            else they are told by shape.
        point: the moment it shows; by default it is named after the file, and a dump of an
            OutOfMemoryError is one at death.
        progress: told what is going on, and how far it is, from 0 to 1.

    Raises:
        EvidenceError: if the file cannot be read or is no heap dump.
    """
    heap = open_heap(dump, progress=progress)
    return describe_heap(heap, user_classes=user_classes, point=point)


def describe_heap(
    heap: Heap, *, user_classes: UserClasses, point: SnapshotPoint | None = None
) -> HeapObjects:
    """The same for a heap that is open already."""
    threads = read_threads(heap, user_classes)
    columns = read_columns(heap, threads.classes)
    shapes = read_shapes(heap, threads.classes.engine, threads.fetching)
    place = threads.place
    if place == "init" and shapes.parts:  # it has its sort buffer, whatever its stack still shows
        place = "map"
    ownership = assign_owners(heap, columns, threads, shapes, in_setup=place == "setup")
    interest = threads.of_interest
    return HeapObjects(
        point=point or _point_of(heap.path, at_death=threads.oom_thread is not None),
        side=threads.side,
        place=place,
        live_bytes=int(ownership.bytes.sum()),
        live_objects=int(ownership.objects.sum()),
        owners=_owners(ownership),
        framework=_framework(ownership),
        lifecycles=_lifecycles(ownership),
        holders=describe_holders(heap, columns, ownership, threads),
        thread=interest.thread.name if interest else None,
        oom_thread=threads.oom_thread,
        frames=describe_frames(columns, ownership, interest) if interest else (),
        losses=(*heap.losses, *threads.losses),
    )


def _point_of(path: Path, *, at_death: bool) -> SnapshotPoint:
    name = path.name.removesuffix(".gz").removesuffix(".hprof")
    return SnapshotPoint(name=name, at_death=at_death)


def _owners(ownership: Ownership) -> tuple[OwnerBytes, ...]:
    sums: dict[Owner, list[int]] = {owner: [0, 0] for owner in OWNERS}
    for label in ownership.labels:
        sums[label.owner][0] += int(ownership.bytes[label.number])
        sums[label.owner][1] += int(ownership.objects[label.number])
    return tuple(OwnerBytes(owner, size, count) for owner, (size, count) in sums.items())


def _lifecycles(ownership: Ownership) -> tuple[LifecycleBytes, ...]:
    sums: dict[Lifetime, int] = defaultdict(int)
    for label in ownership.labels:
        if label.owner == "user":
            sums[label.lifecycle] += int(ownership.bytes[label.number])
    return tuple(LifecycleBytes(name, size) for name, size in sorted(sums.items()) if size)


def _framework(ownership: Ownership) -> tuple[FrameworkPart, ...]:
    labels: dict[PartName, list[Label]] = {part: [] for part in FRAMEWORK_PARTS}
    for label in ownership.labels:
        if label.part is not None:
            labels[label.part].append(label)
    parts = []
    for name, members in labels.items():
        sizes = [int(ownership.bytes[label.number]) for label in members]
        segments = tuple(
            Segment(size, label.map_attempt)
            for size, label in zip(sizes, members, strict=True)
            if name.startswith("shuffle") and size
        )
        count = sum(size > 0 for size in sizes) if name != "other" else 0
        parts.append(FrameworkPart(name, sum(sizes), count, segments))
    return tuple(parts)
