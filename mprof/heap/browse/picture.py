"""What the page of a heap shows: one value, which the page renders and does not judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mprof.heap.answers import ClassRow, Thread, Unreachable, as_json
from mprof.heap.browse.describe import frame_name, frame_place, object_row
from mprof.heap.browse.questions import ask_object
from mprof.heap.browse.tree import Tree, tree_of
from mprof.heap.browse.values import ObjectAnswer, ObjectRow
from mprof.heap.heap import Heap
from mprof.heap.summary import HeapSummary, HolderRow
from mprof.io.printable import one_line

__all__ = ["HeapPicture", "PictureFrame", "PictureThread", "picture_of"]

_MOST_CLASSES: Final = 3000
_MOST_THREADS: Final = 500
_MOST_FRAMES: Final = 100
_MOST_FRAMES_OF_ALL: Final = 12_000
_FEWEST_FRAMES: Final = 4  # of a thread, however many there are
_MOST_LOCALS: Final = 12
_MOST_LOCALS_OF_ALL: Final = 4000
_MOST_OBJECTS: Final = 240
_ROWS: Final = 15
_MOST_INVERTED: Final = 3_000_000  # nodes: half a second for who refers to what


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureFrame:
    """A frame: its method and line, and the locals that retain most.

    Attributes:
        retained_bytes: what only this frame keeps alive.
        reachable_bytes: retained sizes of its locals, as of :class:`mprof.heap.Frame`.
        local_count: of all its locals.
    """

    name: str
    place: str
    retained_bytes: int
    reachable_bytes: int
    locals: tuple[ObjectRow, ...]
    local_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureThread:
    """A thread with its uppermost frames; ``frame_count`` is of all."""

    id: str | None
    name: str
    retained_bytes: int
    ran_out_of_memory: bool
    frames: tuple[PictureFrame, ...]
    frame_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeapPicture:
    """What the page shows of a heap.

    Attributes:
        name: of the dump's file.
        headline: who holds the heap, in sentences.
        tree: the dominator tree in rows.
        classes: the largest first; those that are left out come to ``other_classes``.
        other_classes: how many classes there are besides.
        threads: those that retain most first; ``thread_count`` is of all.
        objects: those about which the page knows all that the terminal says.
    """

    name: str
    headline: tuple[str, ...]
    object_count: int
    shallow_bytes: int
    unreachable: Unreachable
    layout: str
    losses: tuple[str, ...]
    holders: tuple[HolderRow, ...]
    tree: Tree
    classes: tuple[ClassRow, ...]
    other_classes: int
    threads: tuple[PictureThread, ...]
    thread_count: int
    objects: tuple[ObjectAnswer, ...]

    def to_json(self) -> Any:
        """For the page: plain lists, dicts, strings and numbers."""
        return as_json(self)


def picture_of(
    heap: Heap,
    summary: HeapSummary,
    headline: Sequence[str],
    *,
    progress: Callable[[str, float], None] | None = None,
) -> HeapPicture:
    """Everything that the page shows.

    Time: a pass over the dominator tree, and about a second for what is described.

    Args:
        heap: the heap, opened with its paths.
        summary: of the same heap.
        headline: its first lines, in words.
        progress: called with the current step and the share that is done, from 0 to 1.
    """
    report = progress or (lambda _what, _share: None)
    tree = tree_of(heap)
    report("describing the largest objects", 0.3)
    threads = _threads(heap)
    chosen = _of_interest(heap, summary, tree, threads)
    is_cheap = heap.references_are_inverted or heap.nodes <= _MOST_INVERTED
    objects = []
    for at, (node, path) in enumerate(zip(chosen, heap.path_nodes_of_each(chosen), strict=True)):
        report("describing the largest objects", 0.3 + 0.7 * at / len(chosen))
        objects.append(ask_object(heap, node, rows=_ROWS, referrers=is_cheap, path=path))
    report("describing the largest objects", 1.0)
    return HeapPicture(
        name=one_line(heap.path.name),
        headline=tuple(one_line(line) for line in headline),
        object_count=summary.objects,
        shallow_bytes=summary.shallow_bytes,
        unreachable=summary.unreachable,
        layout=summary.layout,
        losses=summary.losses,
        holders=summary.holders,
        tree=tree,
        classes=summary.classes[:_MOST_CLASSES],
        other_classes=max(0, len(summary.classes) - _MOST_CLASSES),
        threads=threads,
        thread_count=len(heap.threads),
        objects=tuple(objects),
    )


def _of_interest(
    heap: Heap, summary: HeapSummary, tree: Tree, threads: Sequence[PictureThread]
) -> list[int]:
    """Nodes of the objects that somebody will click: holders, the largest, locals of frames."""

    def found(identifiers: Iterable[str | None]) -> list[int]:
        addresses = (int(each, 16) for each in identifiers if each is not None)
        signed = (each - (1 << 64) if each >> 63 else each for each in addresses)
        return [node for each in signed if (node := heap.node_at(each)) is not None]

    locals_ = sorted(
        (row for thread in threads for frame in thread.frames for row in frame.locals),
        key=lambda row: -row.retained_bytes,
    )
    largest = sorted(
        (at for at, identifier in enumerate(tree.ids) if identifier),
        key=lambda at: (-tree.totals[at], at),
    )
    wanted = [
        *found(holder.id for holder in summary.holders[:_MOST_OBJECTS // 4]),
        *found(row.id for row in locals_[:_MOST_OBJECTS // 4]),
        *found(tree.ids[at] for at in largest[:_MOST_OBJECTS]),
    ]  # fmt: skip
    return list(dict.fromkeys(wanted))[:_MOST_OBJECTS]


def _threads(heap: Heap) -> tuple[PictureThread, ...]:
    died = heap.oom_thread
    left, frames_left = _MOST_LOCALS_OF_ALL, _MOST_FRAMES_OF_ALL
    rows = []
    for thread in sorted(heap.threads, key=lambda one: -one.retained_bytes)[:_MOST_THREADS]:
        frames = []
        listed = thread.frames[: min(_MOST_FRAMES, max(_FEWEST_FRAMES, frames_left))]
        frames_left -= len(listed)
        for frame in listed:
            nodes = np.array(frame.locals, np.int64)
            order = np.argsort(-heap.retained_all(nodes), kind="stable") if nodes.size else nodes
            shown = nodes[order][: min(_MOST_LOCALS, left)].tolist()
            left -= len(shown)
            frames.append(
                PictureFrame(
                    name=one_line(frame_name(frame)),
                    place=one_line(frame_place(frame)),
                    retained_bytes=frame.retained_bytes,
                    reachable_bytes=frame.reachable_bytes,
                    locals=tuple(object_row(heap, node) for node in shown),
                    local_count=len(frame.locals),
                )
            )
        rows.append(_thread(heap, thread, frames, died))
    return tuple(rows)


def _thread(
    heap: Heap, thread: Thread, frames: Sequence[PictureFrame], died: Thread | None
) -> PictureThread:
    is_object = heap.is_object(thread.node)
    return PictureThread(
        id=object_row(heap, thread.node).id if is_object else None,
        name=one_line(thread.name),
        retained_bytes=thread.retained_bytes,
        ran_out_of_memory=died is not None and died.serial == thread.serial,
        frames=tuple(frames),
        frame_count=len(thread.frames),
    )
