"""The summary of any dump, and who holds its memory: what ``mprof heap`` says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from mprof.engines import MAPREDUCE, UserClasses
from mprof.heap import Heap, open_heap
from mprof.heap.names import hex_id
from mprof.heap.summary import HeapSummary, HolderRow, Site, summarise
from mprof.objects.model import Holder
from mprof.objects.read import objects_of
from mprof.objects.words import path_in_words

__all__ = ["summarise_dump"]


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

    summary = summarise(heap)
    objects = objects_of(opened, user_classes=UserClasses(MAPREDUCE))
    rows = tuple(_row(holder, summary.shallow_bytes) for holder in objects.holders)
    return heap, replace(summary, holders=rows)


def _row(holder: Holder, heap_bytes: int) -> HolderRow:
    site = holder.site
    return HolderRow(
        name=path_in_words(holder),
        bytes=holder.bytes,
        share=holder.bytes / heap_bytes,
        class_name=holder.class_name,
        length=holder.length,
        element_class=holder.element_class,
        key_class=holder.key_class,
        path=tuple(f"{step.name} -> {step.class_name}" for step in holder.path),
        thread=holder.thread,
        site=Site(class_name=site.class_name, method=site.method, file=site.file, line=site.line)
        if site is not None
        else None,
        frames=holder.frames,
        id=None if holder.address is None else hex_id(holder.address),
    )
