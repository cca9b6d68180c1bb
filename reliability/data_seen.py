"""The data side of the evidence: where the task stood, and the data on its way to it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from mprof.evidence import (
    Attempt,
    Death,
    DeathPosition,
    Distribution,
    Evidence,
    Group,
    GroupSizes,
    Job,
    MapBuffer,
    Memory,
    Partitions,
    Peak,
    Progress,
    RecordSizes,
    Shuffle,
    Split,
    Unknown,
)
from mprof.trace import DeathKind
from mprof.units import MIB
from reliability.model import Course, Task
from reliability.scene import Scene, whole
from reliability.stack_seen import stack_of

__all__ = ["DataSide", "finished", "sketched"]

_GAMMA: Final = 1.02


def sketched(values: np.ndarray) -> Distribution:
    """The distribution as a sketch of the event log tells it, each value within 1 %."""
    values = np.asarray(values, dtype=np.float64)
    values = values[values > 0]
    if not len(values):
        return Distribution((), ())
    top = float(values.max())
    index = np.ceil(np.log(np.maximum(values, 1.0)) / np.log(_GAMMA))
    buckets, counts = np.unique(index, return_counts=True)
    middle = 2 * np.power(_GAMMA, buckets) / (_GAMMA + 1)
    middle = np.minimum(middle, top)  # the largest is kept exactly
    return Distribution.from_counts(
        zip(middle.tolist(), counts.tolist(), strict=True), relative_error=0.01
    )


class DataSide:
    """What events, counters and the configuration of a task tell."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.task, self.end, self.rng = scene, scene.task, scene.end, scene.rng

    def evidence(self) -> Evidence:
        task, end = self.task, self.end
        is_map = task.side == "map"
        letter = "m" if is_map else "r"
        in_data = end.step > 0
        kind: DeathKind = "gc-overhead" if self._crawls() else "heap"
        message = "GC overhead limit exceeded" if kind == "gc-overhead" else "Java heap space"
        phase = {"init": "init", "setup": "setup" if is_map else "reduce_setup",
                 "shuffle": "shuffle"}.get(end.place, task.side)  # fmt: skip
        grouped = in_data and not is_map
        position = DeathPosition(
            phase,
            record=self.scene.record if in_data or end.place == "setup" else None,
            group=self.scene.group_index + 1 if grouped else None,
            record_in_group=self.scene.record_in_group if grouped else None,
            partition=None if is_map else task.own,
            unread=self.scene.is_reading and is_map,
        )
        death = Death(
            kind, f"java.lang.OutOfMemoryError: {message}", message=message, thread="main",
            stack=tuple(each.site for each in stack_of(self.scene)), place=self.scene.place,
            error_class="java.lang.OutOfMemoryError",
        )  # fmt: skip
        return Evidence(
            job=Job("job_1_0001", "job", state="FAILED"),
            attempt=Attempt(
                f"attempt_1_0001_{letter}_000000_0", task.side, 0, mode="watch",
                collector=task.collector, finished=True,
            ),
            death=death,
            place=self.scene.place,
            position=position,
            progress=self._progress(),
            split=split_of(task) if is_map else None,
            map_buffer=MapBuffer(task.buffer, allocated=end.place != "init")
            if is_map and task.buffer
            else None,
            shuffle=None if is_map else self._shuffle(),
            partitions=None if is_map else partitions_of(task),
            groups=self._groups() if grouped else None,
            records=self._records() if in_data else None,
            records_at_once=task.threads,
            reducers=task.reducers,
            conf=self._conf(),
        )  # fmt: skip

    def _crawls(self) -> bool:
        end = self.end
        gently = end.place == "work" and not end.array and end.refused < 0.02 * self.task.usable
        return self.task.collector == "Parallel" and gently and self.rng.random() < 0.5

    def _conf(self) -> dict[str, str]:
        task = self.task
        conf = {"mapreduce.job.reduces": str(task.reducers)}
        if task.buffer:
            conf["mapreduce.task.io.sort.mb"] = str(task.buffer // MIB)
        if task.shuffling is not None:
            name = "mapreduce.reduce.shuffle.input.buffer.percent"
            conf[name] = f"{task.shuffling.ratio:.3g}"
        return conf

    def _progress(self) -> Any:
        task, end = self.task, self.end
        if end.place in ("init", "shuffle"):
            return Unknown("how far the task was", "run")
        if end.step == 0:
            return Progress(0.0, "bytes read of the split")
        sizes = task.input.sizes
        if task.side == "map":
            read = float(sizes[: end.step].sum()) / float(sizes.sum())
            if task.input.records > 50:  # a reader is a buffer ahead
                read = min(1.0, read * float(self.rng.uniform(1.0, 1.01)))
            return Progress(read, "bytes read of the split")
        done = self.scene.record / (task.input.records * task.grain)
        return Progress(done, "records of the merged input")

    def _shuffle(self) -> Any:
        end, how, task = self.end, self.task.shuffling, self.task
        if how is None:
            return Shuffle(whole(0.7 * task.heap_max), 0, 0, 0)
        limit = whole(how.ratio * task.heap_max)
        return Shuffle(limit, whole(end.shuffled), 0, whole(end.shuffled))

    def _groups(self) -> Any:
        task = self.task
        groups, starts = task.input.groups, task.input.starts
        assert groups is not None
        at, grain = self.scene.group_index, task.grain
        sums = np.add.reduceat(task.input.sizes, starts)
        begun = int(starts[at])
        so_far = float(task.input.sizes[begun : self.scene.step].sum())
        current = Group(at + 1, self.scene.record_in_group, whole(so_far), digest="0f")
        counted = None
        records, sizes = groups[:at] * grain, sums[:at]
        passed_records, passed_sizes = records, sizes
        if self.rng.random() < 0.85:
            counted = Group(None, int(groups[at]) * grain, whole(float(sums[at])), "0f", whole=True)
            after = slice(at + 1, None)
            records = np.concatenate((records, groups[after] * grain))
            sizes = np.concatenate((sizes, sums[after]))
        everyone = task.others is None
        if task.others is not None and self.rng.random() < 0.85:
            r, s = task.others
            everyone = bool(self.rng.random() < 0.9)
            if not everyone:
                r, s = r[: len(r) // 2], s[: len(s) // 2]
            records = np.concatenate((records, r * grain))
            sizes = np.concatenate((sizes, s))
            # those as large as G_m had become died of it too, as far as they were tried
            through = r * grain <= self.scene.record_in_group
            passed_records = np.concatenate((passed_records, r[through] * grain))
            passed_sizes = np.concatenate((passed_sizes, s[through]))
        missing = Unknown("sizes of the other groups", "rerun")
        before = [
            Group(i + 1, int(groups[i]) * grain, whole(float(sums[i])), whole=True)
            for i in np.argsort(sums[:at])[-3:].tolist()
        ]
        return GroupSizes(
            current,
            sketched(records) if len(records) else missing,
            sketched(sizes) if len(sizes) else missing,
            all_reducers=everyone,
            largest=max([*before, current], key=lambda g: g.bytes or 0),
            counted=counted,
            passed_records=sketched(passed_records),
            passed_bytes=sketched(passed_sizes),
        )

    def _records(self) -> RecordSizes:
        task, step = self.task, self.scene.step
        first = 0
        ordinal = self.scene.record
        if task.side == "reduce":
            first = int(task.input.starts[self.scene.group_index])
            ordinal = self.scene.record_in_group
        unknown = Unknown("the size of the record in flight", "rerun")
        if self.scene.is_uncounted:
            missing = Unknown("sizes of the records before it", "rerun")
            return RecordSizes(ordinal, unknown, missing, being_read=self.scene.is_reading)
        before = task.input.sizes[first : step - 1] / task.grain
        if self.scene.within > 1:
            before = np.append(before, task.input.sizes[step - 1] / task.grain)
        size: int | Unknown = whole(float(task.input.sizes[step - 1]) / task.grain)
        if task.side == "map" and self.scene.is_reading and self.rng.random() < 0.7:
            size = unknown  # it had not come to its end
        return RecordSizes(
            ordinal,
            size,
            sketched(before) if len(before) else Unknown("sizes of the records before it", "rerun"),
            being_read=self.scene.is_reading,
        )


def split_of(task: Task) -> Split:
    """The split of a map task."""
    path = "hdfs:/in/part-0" if task.splittable else "hdfs:/in/part-0.gz"
    length = whole(float(task.input.sizes.sum()))
    return Split(path, 0, length, splittable=task.splittable)


def partitions_of(task: Task) -> Any:
    """The partitions of the job, as the map tasks counted them."""
    if not task.partitions:
        return Unknown("what every map task left for each reducer", "run")
    grain = task.grain
    mine = task.input.records * grain
    each = float(task.input.sizes.sum()) / mine
    records = [max(0, whole(size * grain)) for size in task.partitions]
    records[task.own] = mine
    sizes = [whole(count * each) for count in records]
    sizes[task.own] = whole(float(task.input.sizes.sum()))
    if task.shuffling is not None:
        scale = task.shuffling.bytes / sizes[task.own]
        sizes = [whole(size * scale) for size in sizes]
    keys: Any = Unknown("keys of the partitions", "run")
    largest: Any = Unknown("largest keys of the partitions", "run")
    largest_bytes: Any = largest
    groups = task.input.groups
    if groups is not None and task.shuffling is None:
        mean = len(groups) / task.input.records
        many = [max(1, whole(count / grain * mean)) for count in records]
        many[task.own] = len(groups)
        keys = tuple(many)
        tops = [max(1, min(count, whole(count * groups.max() / groups.sum())))
                for count in records]  # fmt: skip
        tops[task.own] = int(groups.max()) * grain
        largest = tuple(tops)
        largest_bytes = tuple(whole(top * each) for top in tops)
    return Partitions(task.own, tuple(records), tuple(sizes), keys, keys, largest, largest_bytes)


def finished(task: Task, course: Course) -> Evidence:
    """A task that came to its end: nothing but its counters and its collections."""
    letter = "m" if task.side == "map" else "r"
    fixed = task.base + task.buffer
    total = course.after.sum(axis=0) + fixed
    peak = float(total.max())
    return Evidence(
        job=Job("job_1_0001", "job", state="SUCCEEDED"),
        attempt=Attempt(
            f"attempt_1_0001_{letter}_000000_0", task.side, 0, mode="watch", finished=True,
            collector=task.collector,
        ),
        death=Death("none", "the job succeeded"),
        memory=Memory(
            heap_max_bytes=task.heap_max, usable_bytes=task.heap_max,
            live_bytes_at_death=whole(peak), largest_block_bytes=task.block,
            container_bytes=task.container,
        ),
        peak=Peak(whole(peak), at_most=False, records=task.input.records * task.grain,
                  records_in_all=task.input.records * task.grain),
        progress=Progress(1.0, "records"),
        split=split_of(task) if task.side == "map" else None,
        map_buffer=MapBuffer(task.buffer, allocated=True) if task.buffer else None,
        shuffle=None,
        partitions=partitions_of(task) if task.side == "reduce" else None,
        groups=None,
        records=None,
        reducers=task.reducers,
    )  # fmt: skip
