"""The summary of any dump, and who holds its memory: what ``mprof heap`` says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from mprof.code_site import CodeSite
from mprof.engines import MAPREDUCE, UserClasses, stable_name
from mprof.heap import Heap, open_heap
from mprof.heap.names import hex_id
from mprof.heap.summary import Content, HeapSummary, HolderRow, ThreadRow, summarise
from mprof.kernels.cores import beside
from mprof.objects.heap_objects import HeapObjects, Holder
from mprof.objects.read import objects_of
from mprof.objects.stack import site_of
from mprof.objects.thresholds import LISTED
from mprof.objects.words import holder_in_words, is_lambda

__all__ = ["summarise_dump"]

_ASKED = 1 << 20  # bytes of a holder; of less nobody asks what else is in it


def summarise_dump(
    dump: Path, *, progress: Callable[[str, float], None] | None = None
) -> tuple[Heap, HeapSummary]:
    """Reads a dump of whatever program and sums it up, its holders among the rest.

    Classes of the JDK, of Hadoop and of common libraries are told by their names; all others are
    the program's.

    Args:
        dump: the dump, plain or gz, whole or damaged.
        progress: called with the current step and the share that is done, from 0 to 1.

    Returns:
        The heap, for further questions, and its summary.

    Raises:
        EvidenceError: if the file cannot be read or is no heap dump.
    """
    heap = open_heap(dump, progress=progress, references=True)

    def opened(unreachable: bool) -> Heap:
        if not unreachable:
            return heap
        return open_heap(dump, references=True, paths=False, unreachable=True)

    on_disk = (
        summarise(heap) if heap.storage.on_disk else None
    )  # each needs the memory that is left
    with beside(lambda: on_disk or summarise(heap)) as summarised:
        objects = objects_of(opened, user_classes=UserClasses(MAPREDUCE), through_few=True)
        summary = summarised()
    sizes = {row.name: row.shallow_bytes // row.objects for row in summary.classes if row.objects}
    users = UserClasses(MAPREDUCE)
    rows = tuple(
        replace(
            _row(holder, objects.live_bytes),
            content=_content(holder, sizes, users) if holder.bytes >= _ASKED else None,
        )
        for holder in objects.holders
        if not holder.direct_bytes or holder.bytes >= LISTED.value  # the summary is of the heap
    )
    attributed = objects.live_bytes - summary.shallow_bytes
    died = objects.oom_thread is not None
    return heap, replace(
        summary,
        holders=rows,
        ran_out_in=_ran_out_in(objects, summary.threads, users),
        lost_bytes=summary.unreachable.shallow_bytes - attributed if died else 0,
    )


def _content(holder: Holder, sizes: dict[str, int], users: UserClasses) -> Content | None:
    """The program's class of which most is in a holder, unless its elements are of that class.

    All objects of a class are of one size, arrays left out: bytes are as good as a count.
    """
    for each in holder.classes:
        size = sizes.get(each.class_name, 0)
        if size and users.is_user(each.class_name) and not is_lambda(each.class_name):
            objects = each.bytes // size
            element = holder.element_class or ""
            many = objects >= 2 * (holder.length or 1)
            known = not many and (element == each.class_name or users.is_user(element))
            return None if known else Content(class_name=each.class_name, objects=objects)
    return None


def _ran_out_in(
    objects: HeapObjects, threads: Iterable[ThreadRow], users: UserClasses
) -> CodeSite | None:
    """The topmost frame of the program's code in the thread that ran out of memory."""
    if (
        objects.thread == objects.oom_thread
    ):  # read as the program's own, even where it is a library
        frames = (each for each in objects.frames if each.user)
        own = next((each for each in frames if not is_lambda(each.class_name)), None)
        return None if own is None else own.site
    died = next((each for each in threads if each.ran_out_of_memory), None)
    for frame in () if died is None else died.frames:
        name = stable_name(frame.class_name)
        if users.is_user(name) and not is_lambda(name):
            return site_of(frame)
    return None


def _row(holder: Holder, heap_bytes: int) -> HolderRow:
    return HolderRow(
        name=holder_in_words(holder),
        bytes=holder.bytes,
        share=holder.bytes / heap_bytes,
        class_name=holder.class_name,
        length=holder.length,
        capacity=holder.capacity,
        element_class=holder.element_class,
        key_class=holder.key_class,
        path=tuple(f"{step.name} -> {step.class_name}" for step in holder.path),
        thread=holder.thread,
        site=holder.site,
        frames=holder.frames,
        threads=holder.threads,
        shared_site=holder.shared_site,
        copies=holder.copies,
        objects=holder.objects,
        id=None if holder.address is None else hex_id(holder.address),
    )
