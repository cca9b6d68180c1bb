"""A task on paper: its heap, its input, and the consumers of its memory; when and where it dies.

One step is a record of the model, which stands for `grain` records of the job. The task dies in the
first step at which what is live at once is more than live objects may take.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from mprof.evidence.facts import Owner
from reliability.laws import Curve, Law

__all__ = [
    "Consumer",
    "Course",
    "Driver",
    "End",
    "Input",
    "Shuffling",
    "Task",
    "course_of",
    "end_of",
]

Level = Literal["setup", "map", "reduce", "group", "record"]
Driver = Literal["records", "bytes", "groups"]
Place = Literal["init", "shuffle", "setup", "reading", "work"]


@dataclass(frozen=True, slots=True)
class Consumer:
    """What keeps memory.

    Attributes:
        name: of its field or local, unique in the task.
        level: how long it lives; `setup` is loaded before the first record and stays.
        law: how it grows with its input; of level `record` ignored.
        bytes: what it holds where its input is `scale`; of level `record` by bytes, heap bytes a
            byte of the record, by records, heap bytes a record.
        by: what it grows with.
        scale: input at which it holds `bytes`: model records, groups, or bytes.
        owner: whose memory it is.
        file: path and length of the file it is loaded from; None where no file is read.
        seen: the file was opened through Hadoop's file systems.
        static: a static field holds it.
        spiky: of level `record`, it follows the input's `work`.
        culprit: it was drawn to be one; says nothing of what is true.
    """

    name: str
    level: Level
    law: Law
    bytes: float
    by: Driver = "records"
    scale: float = 1.0
    owner: Owner = "user"
    file: tuple[str, int] | None = None
    seen: bool = True
    static: bool = False
    spiky: bool = False
    culprit: bool = True


@dataclass(frozen=True, slots=True)
class Input:
    """What user code is given.

    Attributes:
        sizes: bytes of each record of the model, key and value.
        work: temporary objects of each record, relative to those of an ordinary one.
        groups: records of each group, in order; None in map().
        damped: how much is left of all temporary objects of each record; None where all are.
    """

    sizes: Curve
    work: Curve
    groups: np.ndarray | None = None
    damped: Curve | None = None

    @property
    def records(self) -> int:
        """How many there are."""
        return len(self.sizes)

    @property
    def starts(self) -> np.ndarray:
        """Index of the first record of each group."""
        assert self.groups is not None
        return np.concatenate(([0], np.cumsum(self.groups)[:-1])).astype(int)

    def of_groups(self, chosen: np.ndarray, longest: int | None = None) -> Input:
        """The same with these groups alone, none longer than `longest` from the first chosen on."""
        assert self.groups is not None
        starts = self.starts
        spans = [
            np.arange(starts[g], starts[g] + min(int(self.groups[g]), longest or 1 << 60))
            for g in chosen
        ]
        index = np.concatenate(spans) if spans else np.arange(0)
        lengths = np.array([len(span) for span in spans], int)
        return replace(self._of(index), groups=lengths)

    def part(self, first: int, last: int) -> Input:
        """Records [first, last) of a split."""
        return self._of(np.arange(first, last))

    def _of(self, index: np.ndarray) -> Input:
        """These records, without groups."""
        damped = None if self.damped is None else self.damped[index]
        return Input(self.sizes[index], self.work[index], damped=damped)


@dataclass(frozen=True, slots=True)
class Shuffling:
    """Hadoop's own model of the memory of a shuffle (MergeManagerImpl).

    Attributes:
        ratio: mapreduce.reduce.shuffle.input.buffer.percent.
        maps: map tasks, each of which sends one segment.
        bytes: of this reducer's partition.
        single: largest segment that is fetched into memory, as a share of the limit.
        overhead: heap bytes a byte in flight (codecs, buffers of the fetchers), as a share.
    """

    ratio: float
    maps: int
    bytes: float
    single: float = 0.25
    overhead: float = 0.01

    def peak(self, heap_max: float) -> float:
        """The most that it holds at once: the limit and the segment that passed it, or all.

        A reservation is refused only once the limit is passed, so one segment goes beyond it; a
        merge frees its segments when it ends. A segment larger than the limit for one goes to disk.
        """
        limit = self.ratio * heap_max
        segment = self.bytes / self.maps
        if segment > self.single * limit:
            return self.overhead * limit
        return min(self.bytes, limit + segment) * (1 + self.overhead)


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        heap_max: -Xmx in bytes.
        usable: what live objects may take.
        block: the largest array that can be placed.
        base: the JVM's, Hadoop's and the job's own small things.
        buffer: of the map side, 0 where there is none.
        in_flight: heap bytes of a byte of the record in flight.
        threads: records that are worked on at once.
        grain: records of the job for one of the model.
        reducers: of the job; `partitions` are records of each, in model records, `own` this one.
        others: records and bytes of the groups of the other reducers.
        splittable: whether the split's file can be cut.
    """

    side: Literal["map", "reduce"]
    heap_max: int
    usable: int
    block: int
    container: int
    collector: str
    base: int
    input: Input
    consumers: tuple[Consumer, ...]
    buffer: int = 0
    in_flight: float = 1.5
    threads: int = 1
    grain: int = 1
    reducers: int = 1
    own: int = 0
    partitions: tuple[float, ...] = ()
    others: tuple[np.ndarray, np.ndarray] | None = None
    shuffling: Shuffling | None = None
    splittable: bool = True
    kinds: tuple[str, ...] = field(default=())

    def having(self, given: Input) -> Task:
        """The same with another input."""
        return replace(self, input=given)


@dataclass(frozen=True, slots=True)
class Course:
    """What is live over the course of a task, were its heap without limits.

    Rows are consumers; columns of `after` are steps 0 (before the first record) to n, those of
    `during` the most within each step. `flight` is the record in flight, in column 0 nothing.
    """

    after: Curve
    during: Curve
    flight: Curve


@dataclass(frozen=True, slots=True)
class End:
    """Where the task died.

    Attributes:
        step: 1-based record of the model; 0 before the first.
        held: bytes of each consumer then, as far as they had come.
        flight: of the record in flight.
        shuffled: map output in memory.
        live: all of it, with the base and the buffer.
        refused: bytes that were not granted.
        array: whether the refused was one array (a container being enlarged, the sort buffer).
    """

    place: Place
    step: int
    held: tuple[float, ...]
    flight: float
    shuffled: float
    live: float
    refused: float
    array: bool = False


def course_of(task: Task) -> Course:
    """How much each consumer holds, step by step."""
    given = task.input
    n = given.records
    rows = [_held(one, task) for one in task.consumers]
    empty = np.zeros((0, n + 1))
    flight = np.concatenate(([0.0], given.sizes * task.in_flight / task.grain))
    return Course(
        after=np.array([after for after, _ in rows]) if rows else empty,
        during=np.array([during for _, during in rows]) if rows else empty,
        flight=_at_once(flight, task.threads),
    )


def _held(one: Consumer, task: Task) -> tuple[Curve, Curve]:
    given, n = task.input, task.input.records
    if one.level == "record":
        each = (given.sizes / task.grain if one.by == "bytes" else np.ones(n)) * one.bytes
        each = each * given.work if one.spiky else each
        each = each * given.damped if given.damped is not None else each
        during = _at_once(np.concatenate(([0.0], each)), task.threads)
        return np.zeros(n + 1), during
    if one.level == "setup":
        whole = np.full(n + 1, one.bytes)
        return whole, whole
    if one.level == "group":
        return _in_groups(one, given)
    after, during = one.law.held(_taken(one, given) / one.scale)
    return after * one.bytes, during * one.bytes


def _taken(one: Consumer, given: Input) -> Curve:
    """Input taken in after each step, from 0."""
    n = given.records
    if one.by == "bytes":
        return np.concatenate(([0.0], np.cumsum(given.sizes)))
    if one.by == "groups" and given.groups is not None:
        # a group counts from its first record on
        begun = np.repeat(np.arange(1, len(given.groups) + 1), given.groups)
        return np.concatenate(([0.0], begun.astype(np.float64)))
    return np.arange(n + 1, dtype=np.float64)


def _in_groups(one: Consumer, given: Input) -> tuple[Curve, Curve]:
    """What is kept of one group: it begins with nothing in each, and is gone after it."""
    assert given.groups is not None
    n = given.records
    after, during = np.zeros(n + 1), np.zeros(n + 1)
    starts = given.starts
    lengths = given.groups
    if one.law.name in ("flushed", "doubling"):
        taken = _taken(one, Input(given.sizes, given.work))
        for start, length in zip(starts, lengths, strict=True):
            t = (taken[start : start + length + 1] - taken[start]) / one.scale
            a, d = one.law.held(t)
            after[start + 1 : start + length + 1] = a[1:]
            during[start + 1 : start + length + 1] = d[1:]
    else:
        taken = _taken(replace(one, by="records" if one.by == "groups" else one.by), given)
        begin = np.repeat(taken[starts], lengths)
        a, d = one.law.held((taken[1:] - begin) / one.scale)
        after[1:], during[1:] = a, d
    ends = starts + lengths
    after[ends] = 0.0  # reduce() has returned
    return after * one.bytes, during * one.bytes


def _at_once(each: Curve, threads: int) -> Curve:
    """The sum over the records that are worked on at the same time."""
    if threads <= 1:
        return each
    total = np.cumsum(each)
    late = total.copy()
    late[threads:] -= total[:-threads]
    return late


def end_of(
    task: Task,
    course: Course | None = None,
    *,
    factors: Curve | None = None,
    usable: float | None = None,
    buffer: float | None = None,
) -> End | None:
    """Where the task dies, None where it comes to its end.

    Args:
        task: the task.
        course: of it, where it has been computed.
        factors: of each consumer, how much of it is left.
        usable: instead of the task's.
        buffer: instead of the task's.
    """
    limit = float(task.usable if usable is None else usable)
    kept = float(task.buffer if buffer is None else buffer)
    fixed = task.base + kept
    block = task.block * limit / task.usable
    if task.buffer and (fixed > limit or kept > block):
        return End("init", 0, (0.0,) * len(task.consumers), 0, 0, task.base, kept, array=True)
    if task.shuffling is not None:
        peak = task.shuffling.peak(task.heap_max)
        if task.base + peak > limit:
            over = task.base + peak - limit
            held = (0.0,) * len(task.consumers)
            return End("shuffle", 0, held, 0, peak - over, limit, over)
    course = course_of(task) if course is None else course
    weights = np.ones(len(task.consumers)) if factors is None else factors
    before = float(weights @ course.after[:, 0]) + fixed
    if before > limit:
        loaded = _loaded(weights * course.after[:, 0], limit - fixed)
        return End("setup", 0, tuple(loaded.tolist()), 0, 0, limit, before - limit)
    total = weights @ course.during + course.flight + fixed
    beyond = np.flatnonzero(total[1:] > limit)
    if not len(beyond):
        return None
    return _end_in(task, course, weights, int(beyond[0]) + 1, limit, fixed)


def _loaded(sizes: Curve, room: float) -> Curve:
    """What had been loaded when the room was full: one after the other, in their order."""
    so_far = np.minimum(np.cumsum(sizes), room)
    return np.diff(np.concatenate(([0.0], so_far)))


def _end_in(
    task: Task, course: Course, weights: Curve, step: int, limit: float, fixed: float
) -> End:
    """The death in one step: what the step adds is cut where the heap was full."""
    start = weights * course.after[:, step - 1]
    wanted = weights * course.during[:, step]
    flight = float(course.flight[step])
    old_flight = float(course.flight[step - 1]) if task.threads > 1 else 0.0
    over = float(wanted.sum()) + flight + fixed - limit
    if float(start.sum()) + flight + fixed > limit:
        got = limit - fixed - float(start.sum())
        return End("reading", step, tuple(start.tolist()), max(got, old_flight), 0.0, limit, over)
    copying = np.array([one.law.name == "doubling" for one in task.consumers], bool)
    copying &= course.during[:, step] > course.after[:, step] * (1 + 1e-9)
    arrays = np.where(copying, wanted - start, 0.0)
    if arrays.any() and arrays.max() >= over:
        # the new array is one allocation: refused, nothing of it is there
        which = int(arrays.argmax())
        held = wanted.copy()
        held[which] = start[which]
        live = float(held.sum()) + flight + fixed
        return End(
            "work", step, tuple(held.tolist()), flight, 0.0, live, float(arrays[which]), array=True
        )
    added = np.maximum(wanted - start, 0.0)
    falling = np.minimum(wanted - start, 0.0)
    done = 1.0 - over / float(added.sum()) if added.sum() else 0.0
    held = start + falling + added * max(done, 0.0)
    return End("work", step, tuple(held.tolist()), flight, 0.0, limit, over)
