"""From a dump to its owners and holders: the one call of this package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mprof.engines import UserClasses
from mprof.heap import Heap, open_heap
from mprof.objects.columns import read_columns
from mprof.objects.describe import describe_holders
from mprof.objects.frames import describe_frames
from mprof.objects.heap_objects import HeapObjects, Holder, SnapshotPoint
from mprof.objects.ownership import Ownership, assign_owners
from mprof.objects.regions import lost_at_ends
from mprof.objects.scalar_replaced import (
    may_hide_holders,
    with_fields_at_work,
    with_scalar_replaced,
)
from mprof.objects.shapes import read_shapes
from mprof.objects.stack import TaskThread
from mprof.objects.threads import Threads, read_threads
from mprof.objects.thresholds import LEADS_ON
from mprof.objects.totals import framework_of, lifecycles_of, owners_of

__all__ = ["objects_of", "read_objects"]


def read_objects(
    dump: Path,
    *,
    user_classes: UserClasses,
    point: SnapshotPoint | None = None,
) -> HeapObjects:
    """Reads a task's heap dump and says whose memory it is.

    Args:
        dump: the dump, plain or gz, whole or damaged.
        user_classes: the engine, and the job's mapper, reducer and combiner where they are known;
            else they are told by shape.
        point: the moment it shows; by default it is named after the file, and a dump of an
            OutOfMemoryError is one at death.

    Raises:
        EvidenceError: if the file cannot be read or is no heap dump.
    """
    return objects_of(
        lambda unreachable: open_heap(dump, references=True, paths=False, unreachable=unreachable),
        user_classes=user_classes,
        point=point,
    )


def objects_of(
    opened: Callable[[bool], Heap],
    *,
    user_classes: UserClasses,
    point: SnapshotPoint | None = None,
    through_few: bool = False,
) -> HeapObjects:
    """Says whose memory it is in a heap that is opened with its references.

    Args:
        opened: opens it; asked for a second time, with True, where objects that no root reaches
            have to be nodes, too. Of two heaps only one has to fit into memory.
        user_classes: as of :func:`read_objects`.
        point: as of :func:`read_objects`.
        through_few: holders are described by the container inside a container of a few objects, as
            those of a program that runs no task always are.
    """
    heap = opened(False)
    threads = read_threads(heap, user_classes)
    if may_hide_holders(heap, threads):
        del heap, threads
        heap = opened(True)
        threads = with_scalar_replaced(heap, read_threads(heap, user_classes))
    threads = with_fields_at_work(heap, threads)
    through_few = through_few or threads.side == "unknown"
    columns = read_columns(heap, threads.classes)
    shapes = read_shapes(heap, threads.classes.engine, threads.fetching, threads.handed)
    place = threads.place
    if place == "init" and shapes.parts:  # it has its sort buffer, whatever its stack still shows
        place = "map"
    ownership = assign_owners(heap, columns, threads, shapes, in_setup=place == "setup")
    holders, classes = describe_holders(heap, columns, ownership, threads, through_few=through_few)
    if _is_of_a_library(threads, holders, ownership, user_classes):
        heap.spare.give(columns.kinds, ownership.owners)
        del heap, threads, columns, ownership
        wider = UserClasses(user_classes.engine, user_classes.task_classes, with_libraries=True)
        return objects_of(opened, user_classes=wider, point=point, through_few=through_few)
    interest = _at_work(threads, holders, ownership)
    return HeapObjects(
        point=point or _point_of(heap.path, at_death=threads.oom_thread is not None),
        side=threads.side,
        place=place,
        live_bytes=int(ownership.bytes.sum()),
        live_objects=int(ownership.objects.sum()),
        owners=owners_of(ownership),
        framework=framework_of(ownership),
        lifecycles=lifecycles_of(ownership),
        holders=holders,
        thread=interest.thread.name if interest else None,
        oom_thread=threads.oom_thread,
        frames=describe_frames(heap, columns, ownership, interest) if interest else (),
        losses=(*heap.losses, *threads.losses),
        classes=classes,
        records_at_once=threads.records_at_once,
        unreachable_bytes=heap.unreachable.shallow_bytes,
        lost_at_ends=lost_at_ends(columns.prefix),
    )


def _is_of_a_library(
    threads: Threads, holders: tuple[Holder, ...], ownership: Ownership, classes: UserClasses
) -> bool:
    """Whether a program that runs no task keeps most of its heap in no code that is the user's.

    So it is with a process of Spark, or a server of Hadoop: then that is the program.
    """
    if threads.side != "unknown" or classes.with_libraries:
        return False
    named = sum(one.bytes for one in holders)
    return bool(named < LEADS_ON.value * ownership.bytes.sum())


def _at_work(
    threads: Threads, holders: tuple[Holder, ...], ownership: Ownership
) -> TaskThread | None:
    """The thread of interest; of a program that runs no task the one that fills the heap.

    Any thread may be the first to meet the error. Where one runs a task it is that one; where no
    stack shows who fills the heap, it is the one that met the error.
    """
    largest = next(iter(holders), None)
    is_most = largest is not None and largest.bytes >= LEADS_ON.value * ownership.bytes.sum()
    if largest is not None and is_most and threads.place == "other":
        for thread in threads.ordered:
            if thread.thread.name == (largest.thread or threads.oom_thread):
                return thread
    return threads.of_interest


def _point_of(path: Path, *, at_death: bool) -> SnapshotPoint:
    name = path.name.removesuffix(".gz").removesuffix(".hprof")
    return SnapshotPoint(name=name, at_death=at_death)
