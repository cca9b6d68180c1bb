"""Where reachability begins: root records joined with threads, stack traces and frames.

Frames are vertices of their own: thread → frame → local. A frame's locals are what its
ROOT_JAVA_FRAME and ROOT_JNI_LOCAL records name, joined by thread serial and frame number; they may
be anywhere in the file, before or after the traces they refer to.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mprof.heap.classes import Classes
from mprof.hprof import Dump, RootKind, StackFrame, scan
from mprof.kernels.rank import Ranks, ranks_of

__all__ = ["FrameRoot", "Roots", "ThreadRoot", "gather_roots"]

_NATIVE_LINE = -3
_OOM_FRAME = ("java/lang/OutOfMemoryError", "<init>")
_NO_FRAME = 0xFFFFFFFF  # frame number -1: held by the thread, as heapDumper.cpp writes it
_YOUNG_BYTES = 1 << 30
_KIND_NAMES = {
    RootKind.UNKNOWN: "unknown root",
    RootKind.JNI_GLOBAL: "JNI global",
    RootKind.STICKY_CLASS: "system class",
    RootKind.MONITOR_USED: "locked object",
}
_THREAD_KINDS = (
    RootKind.JNI_LOCAL,
    RootKind.JAVA_FRAME,
    RootKind.NATIVE_STACK,
    RootKind.THREAD_BLOCK,
    RootKind.THREAD_OBJECT,
)


@dataclass(frozen=True, slots=True)
class FrameRoot:
    """A frame: its vertex, its record and the vertices of its locals, each once."""

    vertex: int
    frame: StackFrame
    locals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ThreadRoot:
    """A thread.

    Attributes:
        serial: its number in the dump.
        vertex: the rank of its object, or an extra vertex if the object is not in the dump.
        frames: top first.
        others: vertices held by the thread itself, without a frame.
    """

    serial: int
    vertex: int
    frames: tuple[FrameRoot, ...]
    others: tuple[int, ...]

    @property
    def ran_out_of_memory(self) -> bool:
        """Whether its stack begins with the frame that HotSpot adds when it dumps on an OOM."""
        return any((f.frame.class_name, f.frame.method) == _OOM_FRAME for f in self.frames)


@dataclass(frozen=True, slots=True, eq=False)
class Roots:
    """All roots; vertices are ranks of objects, extra vertices follow after the last rank.

    Attributes:
        threads: by serial.
        globals: int64, ranks of the objects that are roots by themselves, each once.
        kinds: what kind of root each of those is.
        extra_vertices: how many vertices are no objects.
        extra_edges: edges besides the references of objects.
        starts: int64, the targets of the virtual root.
        incomplete: whether roots are missing, so that others must stand in for them.
        absent: root records whose object is not in the dump.
    """

    threads: tuple[ThreadRoot, ...]
    globals: NDArray[np.int64]
    kinds: dict[int, str]
    extra_vertices: int
    extra_edges: tuple[tuple[int, int], ...]
    starts: NDArray[np.int64]
    incomplete: bool
    absent: int

    def with_objects(self, ranks: NDArray[np.int64]) -> Roots:
        """These roots and further objects."""
        return replace(self, starts=_distinct(np.concatenate((self.starts, ranks))))


def _distinct(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each rank once, in the order of the first."""
    _, first = np.unique(ranks, return_index=True)
    return ranks[np.sort(first)]


def gather_roots(dump: Dump, classes: Classes, ranks: Ranks, objects: int) -> Roots:
    """Joins the root records of a dump."""
    table = dump.tables.roots
    root_ranks = ranks_of(ranks, np.ascontiguousarray(table[:, scan.ROOT_OBJECT]))
    tags = table[:, scan.ROOT_TAG]
    of_threads = np.isin(tags, _THREAD_KINDS)
    absent = _absent_roots(dump, table, root_ranks)
    plain = ~of_threads & (root_ranks >= 0)
    kinds: dict[int, str] = {}
    for tag, rank in zip(tags[plain].tolist(), root_ranks[plain].tolist(), strict=True):
        kinds.setdefault(rank, _KIND_NAMES.get(tag, "root"))
    has_sticky = bool((tags == RootKind.STICKY_CLASS).any())
    incomplete = _is_incomplete(dump, has_roots=bool(len(table)))
    class_ranks = ranks_of(ranks, classes.identifiers[: classes.dumped])
    if incomplete or not has_sticky:
        chosen = class_ranks >= 0
        if not incomplete:
            chosen &= classes.loaders[: classes.dumped] == 0
        for rank in class_ranks[chosen].tolist():
            kinds.setdefault(rank, "class")
    # The boot loader's array classes live as long as their element classes, without a record.
    for number in np.flatnonzero(class_ranks >= 0).tolist():
        if classes.loaders[number] == 0 and classes.names[number].endswith("[]"):
            kinds.setdefault(int(class_ranks[number]), "system class")
    threads, extra_vertices = _threads(
        dump, table[of_threads], root_ranks[of_threads], first_extra=objects
    )
    edges = _thread_edges(threads) + _loader_edges(classes, ranks, class_ranks)
    globals_ = np.fromiter(kinds, np.int64, len(kinds))
    vertices = np.array([thread.vertex for thread in threads], np.int64)
    return Roots(
        threads=threads,
        globals=globals_,
        kinds=kinds,
        extra_vertices=extra_vertices,
        extra_edges=tuple(edges),
        starts=_distinct(np.concatenate((vertices, globals_))),
        incomplete=incomplete,
        absent=absent,
    )


def _absent_roots(dump: Dump, table: NDArray[np.int64], root_ranks: NDArray[np.int64]) -> int:
    """Root records whose object should be in the dump and is not.

    With ZGC a frame may hold an object that was made after the collector had chosen what to dump;
    such an identifier lies among those of other objects and is no sign of damage.
    """
    low, high, bits = (int(dump.state[index]) for index in (scan.LOW, scan.HIGH, scan.BITS))
    identifiers = table[:, scan.ROOT_OBJECT]
    among_others = (
        (identifiers >= low)
        & (identifiers <= high + _YOUNG_BYTES)
        & (((identifiers - low) & ((bits & -bits) - 1)) == 0)
    )
    of_frames = np.isin(table[:, scan.ROOT_TAG], (RootKind.JAVA_FRAME, RootKind.JNI_LOCAL))
    lost = (root_ranks < 0) & (identifiers != 0) & ~(of_frames & among_others)
    return int(lost.sum())


def _is_incomplete(dump: Dump, *, has_roots: bool) -> bool:
    after_objects = int(dump.state[scan.LAST_OBJECT])
    return (
        dump.is_cut
        or not has_roots
        or (
            not dump.roots_come_first
            and any(
                fault.start > after_objects and fault.kind != scan.WRONG_LENGTH
                for fault in dump.faults
            )
        )
    )


def _loader_edges(
    classes: Classes, ranks: Ranks, class_ranks: NDArray[np.int64]
) -> list[tuple[int, int]]:
    """A loader keeps its classes alive, including hidden ones, which its own list leaves out."""
    loaders = ranks_of(ranks, classes.loaders[: classes.dumped])
    loaders[classes.loaders[: classes.dumped] == 0] = -1
    both = (loaders >= 0) & (class_ranks >= 0)
    return list(zip(loaders[both].tolist(), class_ranks[both].tolist(), strict=True))


def _thread_edges(threads: tuple[ThreadRoot, ...]) -> list[tuple[int, int]]:
    edges = []
    for thread in threads:
        for frame in thread.frames:
            edges.append((thread.vertex, frame.vertex))
            edges += [(frame.vertex, target) for target in frame.locals]
        edges += [(thread.vertex, target) for target in thread.others]
    return edges


def _threads(
    dump: Dump, table: NDArray[np.int64], root_ranks: NDArray[np.int64], *, first_extra: int
) -> tuple[tuple[ThreadRoot, ...], int]:
    """Threads by serial, and how many extra vertices they take."""
    objects: dict[int, tuple[int, int]] = {}  # serial: rank, trace serial
    held: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)  # tag, rank
    for (tag, _, serial, number), rank in zip(table.tolist(), root_ranks.tolist(), strict=True):
        if tag == RootKind.THREAD_OBJECT:
            objects.setdefault(serial, (rank, number))
        elif rank >= 0:
            is_framed = tag in (RootKind.JAVA_FRAME, RootKind.JNI_LOCAL) and number != _NO_FRAME
            held[serial, number if is_framed else -1].append((tag, rank))
    numbers_by_serial: dict[int, list[int]] = defaultdict(list)
    for serial, number in held:
        numbers_by_serial[serial].append(number)
    trace_of_thread = {thread: serial for serial, (thread, _) in dump.traces.items() if thread}
    extra = first_extra
    threads = []
    for serial in sorted(objects.keys() | numbers_by_serial.keys()):
        rank, trace = objects.get(serial, (-1, trace_of_thread.get(serial, -1)))
        vertex = rank
        if rank < 0:
            vertex, extra = extra, extra + 1
        identifiers = dump.traces.get(trace, (0, ()))[1]
        records = [
            dump.stack_frame(identifier) or StackFrame("", "?", "", "", -1)
            for identifier in identifiers
        ]
        shift = _jni_shift(dump, records, {n: held[serial, n] for n in numbers_by_serial[serial]})
        locals_: list[list[int]] = [[] for _ in records]
        others: list[int] = []
        for number in numbers_by_serial[serial]:
            for tag, target in held[serial, number]:
                at = number + (shift if tag == RootKind.JNI_LOCAL and number >= 0 else 0)
                (locals_[at] if 0 <= at < len(records) else others).append(target)
        frames = tuple(
            FrameRoot(extra + index, record, tuple(dict.fromkeys(targets)))
            for index, (record, targets) in enumerate(zip(records, locals_, strict=True))
        )
        extra += len(frames)
        threads.append(ThreadRoot(serial, vertex, frames, tuple(dict.fromkeys(others))))
    return tuple(threads), extra - first_extra


def _jni_shift(
    dump: Dump, records: list[StackFrame], held: dict[int, list[tuple[int, int]]]
) -> int:
    """1 where JNI locals of the thread that ran out of memory are numbered one too low, else 0.

    HotSpot adds a frame on top of that thread's stack. Until JDK 21 it did not count it for JNI
    locals (``heapDumper.cpp``, ``JNILocalsDumper``). They belong to native frames, so the numbering
    that meets more native frames is right; where that says nothing, the order of roots does.
    """
    if not any((record.class_name, record.method) == _OOM_FRAME for record in records[:1]):
        return 0
    numbers = [
        number
        for number, targets in held.items()
        if number >= 0 and any(tag == RootKind.JNI_LOCAL for tag, _ in targets)
    ]

    def native(shift: int) -> int:
        return sum(
            number + shift < len(records) and records[number + shift].line == _NATIVE_LINE
            for number in numbers
        )

    if native(0) != native(1):
        return int(native(1) > native(0))
    return int(not dump.roots_come_first)
