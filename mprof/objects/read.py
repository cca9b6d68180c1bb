"""From a dump to its owners and holders: the one call of this package."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from mprof.heap import Heap, open_heap
from mprof.kernels.claim import reached_sizes
from mprof.objects.claims import Label
from mprof.objects.columns import Columns, read_columns
from mprof.objects.describe import Describer
from mprof.objects.model import (
    FRAMEWORK_PARTS,
    LISTED_BYTES,
    LISTED_HOLDERS,
    OWNERS,
    FrameBytes,
    FrameworkPart,
    HeapObjects,
    Holder,
    Lifecycle,
    LifecycleBytes,
    Owner,
    OwnerBytes,
    PartName,
    Place,
    Segment,
    Side,
    SnapshotPoint,
)
from mprof.objects.names import UserClasses
from mprof.objects.ownership import Ownership, assign_owners
from mprof.objects.roots import stable_name
from mprof.objects.shapes import framework_parts
from mprof.objects.stack import FrameRole, ThreadRole, read_stack
from mprof.objects.tasks import task_objects

__all__ = ["describe_heap", "read_objects"]

_TOO_LATE = (
    "the dump was made when the thread {!r} ran out of memory; no user code was on a stack by "
    "then, so what only its locals held may be gone"
)
_IN_A_PROBE = (
    "the heap ran full in a probe of mprof: the dump at death shows the job as it stood when that "
    "probe began"
)
_RECORD_KEYS = ("record key", "record value", "record being read")


def read_objects(
    dump: Path,
    *,
    user_classes: UserClasses | None = None,
    point: SnapshotPoint | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> HeapObjects:
    """Reads a task's heap dump and says whose memory it is.

    Args:
        dump: the dump, plain or gz, whole or damaged.
        user_classes: with the job's mapper, reducer and combiner named, where they are known;
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
    heap: Heap, *, user_classes: UserClasses | None = None, point: SnapshotPoint | None = None
) -> HeapObjects:
    """The same for a heap that is open already."""
    users, threads = _read_threads(heap, user_classes or UserClasses())
    oom = heap.oom_thread
    ordered = _by_interest(threads, oom.node if oom else None)
    side = _side(heap, ordered)
    interest = _of_interest(ordered)
    place = _place(heap, ordered)
    columns = read_columns(heap, users)
    ownership = assign_owners(heap, columns, users, ordered, side=side, place=place)
    holders = _holders(heap, columns, ownership, ordered)
    return HeapObjects(
        point=point or SnapshotPoint(name=_stem(heap.path), at_death=oom is not None),
        side=side,
        place=place,
        live_bytes=int(ownership.bytes.sum()),
        live_objects=int(ownership.objects.sum()),
        owners=_owners(ownership),
        framework=_framework(ownership),
        lifecycles=_lifecycles(ownership),
        holders=holders,
        thread=interest.thread.name if interest else None,
        oom_thread=oom.name if oom else None,
        frames=_frames(columns, ownership, interest) if interest else (),
        losses=(*heap.losses, *_losses(ordered, oom.name if oom else None)),
    )


def _stem(path: Path) -> str:
    name = path.name
    for ending in (".gz", ".hprof"):
        name = name.removesuffix(ending)
    return name


# --- threads --------------------------------------------------------------------------------------


def _read_threads(heap: Heap, users: UserClasses) -> tuple[UserClasses, tuple[ThreadRole, ...]]:
    """Reads all stacks twice: what the first reading shows at work is the user's in the second."""
    threads = _roles(heap, users)
    tasks = {heap.class_name(node) for node in task_objects(heap, threads, users)}
    at_work = {stable_name(name) for name in tasks} - users.task_classes
    if not at_work:
        return users, threads
    users = users.with_tasks(frozenset(at_work))
    return users, _roles(heap, users)


def _roles(heap: Heap, users: UserClasses) -> tuple[ThreadRole, ...]:
    """All stacks. A mapper that a reduce task runs in a chain lives as long as that task."""
    roles = tuple(read_stack(thread, users, heap.class_name) for thread in heap.threads)
    if not any(role.is_reduce_task for role in roles):
        return roles
    return tuple(replace(role, side="reduce") if role.side == "map" else role for role in roles)


def _by_interest(threads: tuple[ThreadRole, ...], oom: int | None) -> tuple[ThreadRole, ...]:
    """The thread that ran out of memory, that of a probe, those that work, all others.

    Of two at work the one that only waits (map() for a spill that combines) comes after.
    """
    return tuple(
        sorted(
            threads,
            key=lambda thread: (
                thread.thread.node != oom if oom is not None else False,
                not thread.is_probe,
                not thread.has_template,
                _waits(thread),
                not thread.is_task,
                not thread.works,
            ),
        )
    )


def _waits(thread: ThreadRole) -> bool:
    """Whether it stands in a wait of the JDK's (``Unsafe.park``, ``Object.wait0``)."""
    top = next(iter(thread.frames), None)
    return top is not None and top.frame.method in ("park", "wait", "wait0")


def _of_interest(ordered: tuple[ThreadRole, ...]) -> ThreadRole | None:
    """The first one, unless another tells of the job and it does not.

    The first OutOfMemoryError may hit any thread (a reporter, an IPC client): what the task was
    doing by then stands on the stacks of the others.
    """
    return next((thread for thread in ordered if thread.tells), next(iter(ordered), None))


def _side(heap: Heap, threads: tuple[ThreadRole, ...]) -> Side:
    known = [thread.side for thread in threads if thread.side != "unknown"]
    if known:
        return known[0]
    for side, name in (("map", "MapTask"), ("reduce", "ReduceTask")):
        if heap.instances(f"org.apache.hadoop.mapred.{name}").size:
            return side  # type: ignore[return-value]
    return "unknown"


def _place(heap: Heap, threads: tuple[ThreadRole, ...]) -> Place:
    """That of the thread of interest, else, where it does no task's work, of the next that does.

    A map task that has its sort buffer is past its start, whatever its stack still shows.
    """
    place: Place = next((thread.place for thread in threads if thread.place != "other"), "other")
    return "map" if place == "init" and framework_parts(heap, frozenset()) else place


def _losses(threads: tuple[ThreadRole, ...], oom: str | None) -> list[str]:
    """What the stacks cannot say."""
    if not any(thread.works for thread in threads):
        return ["no thread of the dump runs a map or reduce task: lifecycles are not known"]
    if oom is not None and threads[0].is_probe and threads[0].thread.name == oom:
        return [_IN_A_PROBE]
    if (
        oom is not None
        and not threads[0].works
        and not any(r.is_user for t in threads for r in t.frames)
    ):
        return [_TOO_LATE.format(oom)]
    return []


# --- sums -----------------------------------------------------------------------------------------


def _owners(ownership: Ownership) -> tuple[OwnerBytes, ...]:
    sums: dict[Owner, list[int]] = {owner: [0, 0] for owner in OWNERS}
    for label in ownership.labels:
        sums[label.owner][0] += int(ownership.bytes[label.number])
        sums[label.owner][1] += int(ownership.objects[label.number])
    return tuple(OwnerBytes(owner, size, count) for owner, (size, count) in sums.items())


def _lifecycles(ownership: Ownership) -> tuple[LifecycleBytes, ...]:
    sums: dict[Lifecycle, int] = defaultdict(int)
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


# --- holders and frames ---------------------------------------------------------------------------


def _holders(
    heap: Heap, columns: Columns, ownership: Ownership, threads: tuple[ThreadRole, ...]
) -> tuple[Holder, ...]:
    describer = Describer(heap, columns, ownership, threads)
    listed = [
        label
        for label in ownership.labels[1:]
        if label.roots and ownership.bytes[label.number] >= _least(label)
    ]
    listed.sort(key=lambda label: (-int(ownership.bytes[label.number]), label.key))
    return tuple(describer.holder(label) for label in listed[:LISTED_HOLDERS])


def _least(label: Label) -> int:
    """The record in flight is listed whatever its size."""
    return 1 if label.key in _RECORD_KEYS else LISTED_BYTES


def _frames(columns: Columns, ownership: Ownership, thread: ThreadRole) -> tuple[FrameBytes, ...]:
    wanted = np.array([label.owner == "user" for label in ownership.labels])
    total = int(ownership.bytes[wanted].sum())
    known: dict[frozenset[int], int] = {}

    def reached(role: FrameRole) -> int:
        held = frozenset(node for node in role.frame.locals if ownership.owners[node] >= 0)
        mine = frozenset(node for node in held if wanted[ownership.owners[node]])
        if mine not in known:
            sizes = reached_sizes(
                columns.starts, columns.targets, weights=columns.sizes, owners=ownership.owners,
                wanted=wanted, sources=np.array(sorted(mine), np.int64),
            )  # fmt: skip
            known[mine] = int(sizes.sum())
        return known[mine]

    return tuple(
        FrameBytes(
            class_name=stable_name(role.frame.class_name),
            method=role.frame.method,
            file=role.frame.file or None,
            line=role.frame.line if role.frame.line > 0 else None,
            user_bytes=(size := reached(role)),
            share=size / total if total else 0.0,
            is_user=role.is_user,
        )
        for role in thread.frames_below_probe
    )
