"""What a run of mprof sees of a task: evidence as `mprof.evidence.assemble` would make it.

`watch` is the first run: counters, events, collections, one dump at the death. `rerun` adds probes
at planned points, `verified` a run of R_n alone. Nothing here knows what is true.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from numpy.random import Generator

from mprof.evidence import (
    Attempt,
    CodeSite,
    Composition,
    Death,
    DeathPosition,
    Distribution,
    Evidence,
    ExternalLoad,
    Group,
    GroupSizes,
    Holder,
    HolderKey,
    Job,
    MapBuffer,
    Memory,
    OpenedFile,
    Partitions,
    Peak,
    Point,
    Probes,
    Progress,
    RecordGrowth,
    RecordSizes,
    Series,
    Shuffle,
    Split,
    StackFrame,
    Unknown,
    Verification,
)
from mprof.evidence.thresholds import (
    CONSTANT,
    CONSTANT_POINTS,
    FILE_INFLATION,
    GIVEN_UP,
    LARGE_OBJECT,
    LEAST_HOLDER,
    MAJOR_COLLECTIONS,
    MOST_OF_IT,
    STILL_THERE,
)
from mprof.units import MIB
from reliability.model import Consumer, Course, End, Task, course_of, end_of

__all__ = ["RUNS", "Run", "observe"]

Run = Literal["watch", "rerun", "verified"]
RUNS: Final[tuple[Run, ...]] = ("watch", "rerun", "verified")

JOB: Final = "com.example.Job"
_PROBES: Final = 7
_GAMMA: Final = 1.02
_MOST_POINTS: Final = 40


def observe(task: Task, run: Run, seed: Sequence[int]) -> Evidence:
    """The evidence that a run brings; the same numbers wherever two runs see the same thing.

    Args:
        task: that died or did not.
        run: how it was run.
        seed: of its noise.
    """
    course = course_of(task)
    end = end_of(task, course)
    scene = _Scene(task, course, end, np.random.default_rng([*seed, 1]))
    evidence = scene.watched()
    if run == "watch" or end is None:
        return replace(evidence, attempt=replace(evidence.attempt, mode="watch"))
    evidence = _Probed(scene, np.random.default_rng([*seed, 2])).rerun(evidence)
    if run == "verified":
        verified = _verification(scene, np.random.default_rng([*seed, 3]))
        if verified is not None:
            evidence = replace(evidence, verification=verified)
    return evidence


def _whole(value: float) -> int:
    return round(value)


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


@dataclass(frozen=True)
class _Scene:
    """A task and its death, in the words of its job."""

    task: Task
    course: Course
    end: End | None
    rng: Generator

    # -- positions

    @cached_property
    def within(self) -> int:
        """Which record of the step it died at, 1-based: the first, where that loads something."""
        drawn = int(self.rng.integers(1, self.task.grain + 1))
        end = self.end
        loading = end is not None and end.step > 0 and any(
            one.law.name == "lazy" and self.course.after[i, end.step - 1] == 0 and end.held[i] > 0
            for i, one in enumerate(self.task.consumers)
        )
        sizes = self.task.input.sizes
        step = end.step if end is not None else 0
        larger = step > 1 and float(sizes[step - 1]) > 1.3 * float(sizes[: step - 1].max())
        return 1 if loading or larger else drawn

    @cached_property
    def group_index(self) -> int:
        """Index of G_m."""
        end = self.end
        assert end is not None
        return int(np.searchsorted(self.task.input.starts, max(end.step, 1) - 1, side="right")) - 1

    @cached_property
    def record(self) -> int:
        """Ordinal of R_n in the task."""
        end = self.end
        assert end is not None
        return 0 if end.step == 0 else (end.step - 1) * self.task.grain + self.within

    @cached_property
    def record_in_group(self) -> int:
        start = int(self.task.input.starts[self.group_index])
        return self.record - start * self.task.grain

    @cached_property
    def place(self) -> Any:
        end = self.end
        assert end is not None
        if end.place in ("init", "setup", "shuffle"):
            return end.place
        return self.task.side

    @cached_property
    def is_reading(self) -> bool:
        """Whether R_n had not been handed to user code."""
        end = self.end
        if end is None or end.step == 0:
            return False
        return end.place == "reading" or self._taker == "reader"

    @cached_property
    def _taker(self) -> str:
        """Who asked for the memory that was refused: what grew most in the last step."""
        end = self.end
        assert end is not None
        start = self.course.after[:, end.step - 1] if end.step else 0 * np.array(end.held)
        grown = np.array(end.held) - start
        if not len(grown) or grown.max() <= 0:
            return "user"
        return self.task.consumers[int(grown.argmax())].owner

    # -- sizes

    @cached_property
    def held(self) -> np.ndarray:
        end = self.end
        assert end is not None
        return np.array(end.held)

    @cached_property
    def before_last(self) -> np.ndarray:
        """Bytes of each consumer right before R_n."""
        end = self.end
        assert end is not None
        if end.step == 0:
            return self.held
        start = self.course.after[:, end.step - 1]
        part = (self.within - 1) / self.task.grain
        grown = self.held - start
        grown[[one.level == "record" for one in self.task.consumers]] = 0.0
        return start + part * grown

    def sizes_at(self, x: float) -> np.ndarray:
        """Bytes of each consumer when so many records of the job had been taken in."""
        if self.end is not None and x >= self.record - 1:
            return self.before_last
        step = x / self.task.grain
        low = int(step)
        part = step - low
        start = self.course.after[:, low]
        if part == 0 or low + 1 >= self.course.after.shape[1]:
            return start
        kept = np.array([one.level != "record" for one in self.task.consumers])
        grown = np.where(kept, self.course.during[:, low + 1] - start, 0.0)
        grown = np.where(grown > 0, grown, self.course.after[:, low + 1] - start)
        loads = np.array([one.law.name == "lazy" for one in self.task.consumers])
        return start + np.where(loads, 1.0, part) * np.where(kept, grown, 0.0)

    # -- the evidence of the first run

    def watched(self) -> Evidence:
        if self.end is None:
            return self._finished()
        evidence = self._heap_at_death(self._data_side())
        rng = self.rng
        if rng.random() < 0.03:
            evidence = replace(evidence, progress=Unknown("how far the task was", "rerun"))
        if rng.random() < 0.03 and self.task.side == "reduce":
            missing = Unknown("what every map task left for each reducer", "run")
            evidence = replace(evidence, partitions=missing)
        if rng.random() < 0.03 and isinstance(evidence.records, RecordSizes):
            sizes = replace(evidence.records, bytes=Unknown("the size of the record in flight"))
            evidence = replace(evidence, records=sizes)
        return evidence

    def _finished(self) -> Evidence:
        """A task that came to its end: nothing but its counters and its collections."""
        task = self.task
        letter = "m" if task.side == "map" else "r"
        fixed = task.base + task.buffer
        total = self.course.after.sum(axis=0) + fixed
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
                live_bytes_at_death=_whole(peak), largest_block_bytes=task.block,
                container_bytes=task.container,
            ),
            peak=Peak(_whole(peak), at_most=False, records=task.input.records * task.grain,
                      records_in_all=task.input.records * task.grain),
            progress=Progress(1.0, "records"),
            split=self._split() if task.side == "map" else None,
            map_buffer=MapBuffer(task.buffer, allocated=True) if task.buffer else None,
            shuffle=None,
            partitions=self._partitions() if task.side == "reduce" else None,
            groups=None,
            records=None,
            reducers=task.reducers,
        )  # fmt: skip

    def _data_side(self) -> Evidence:
        task, end = self.task, self.end
        assert end is not None
        is_map = task.side == "map"
        letter = "m" if is_map else "r"
        in_data = end.step > 0
        kind = "gc-overhead" if self._crawls() else "heap"
        message = "GC overhead limit exceeded" if kind == "gc-overhead" else "Java heap space"
        phase = {"init": "init", "setup": "setup" if is_map else "reduce_setup",
                 "shuffle": "shuffle"}.get(end.place, task.side)  # fmt: skip
        grouped = in_data and not is_map
        position = DeathPosition(
            phase,
            record=self.record if in_data or end.place == "setup" else None,
            group=self.group_index + 1 if grouped else None,
            record_in_group=self.record_in_group if grouped else None,
            partition=None if is_map else task.own,
            unread=self.is_reading and is_map,
        )
        death = Death(
            kind, f"java.lang.OutOfMemoryError: {message}", message=message, thread="main",
            stack=tuple(each.site for each in self.stack()), place=self.place,
            error_class="java.lang.OutOfMemoryError",
        )  # fmt: skip
        return Evidence(
            job=Job("job_1_0001", "job", state="FAILED"),
            attempt=Attempt(
                f"attempt_1_0001_{letter}_000000_0", task.side, 0, mode="watch",
                collector=task.collector, finished=True,
            ),
            death=death,
            place=self.place,
            position=position,
            progress=self._progress(),
            split=self._split() if is_map else None,
            map_buffer=MapBuffer(task.buffer, allocated=end.place != "init")
            if is_map and task.buffer
            else None,
            shuffle=None if is_map else self._shuffle(),
            partitions=None if is_map else self._partitions(),
            groups=self._groups() if grouped else None,
            records=self._records() if in_data else None,
            records_at_once=task.threads,
            reducers=task.reducers,
            conf=self._conf(),
        )  # fmt: skip

    def _crawls(self) -> bool:
        end = self.end
        assert end is not None
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
        assert end is not None
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
        done = self.record / (task.input.records * task.grain)
        return Progress(done, "records of the merged input")

    def _split(self) -> Split:
        path = "hdfs:/in/part-0" if self.task.splittable else "hdfs:/in/part-0.gz"
        length = _whole(float(self.task.input.sizes.sum()))
        return Split(path, 0, length, splittable=self.task.splittable)

    def _shuffle(self) -> Any:
        end, how, task = self.end, self.task.shuffling, self.task
        assert end is not None
        if how is None:
            return Shuffle(_whole(0.7 * task.heap_max), 0, 0, 0, user_code_running=end.step > 0)
        limit = _whole(how.ratio * task.heap_max)
        return Shuffle(limit, _whole(end.shuffled), 0, _whole(end.shuffled))

    def _partitions(self) -> Any:
        task = self.task
        if not task.partitions:
            return Unknown("what every map task left for each reducer", "run")
        grain = task.grain
        mine = task.input.records * grain
        each = float(task.input.sizes.sum()) / mine
        records = [max(0, _whole(size * grain)) for size in task.partitions]
        records[task.own] = mine
        sizes = [_whole(count * each) for count in records]
        sizes[task.own] = _whole(float(task.input.sizes.sum()))
        if task.shuffling is not None:
            scale = task.shuffling.bytes / sizes[task.own]
            sizes = [_whole(size * scale) for size in sizes]
        keys: Any = Unknown("keys of the partitions", "run")
        largest: Any = Unknown("largest keys of the partitions", "run")
        largest_bytes: Any = largest
        groups = task.input.groups
        if groups is not None and task.shuffling is None:
            mean = len(groups) / task.input.records
            many = [max(1, _whole(count / grain * mean)) for count in records]
            many[task.own] = len(groups)
            keys = tuple(many)
            tops = [max(1, min(count, _whole(count * groups.max() / groups.sum())))
                    for count in records]  # fmt: skip
            tops[task.own] = int(groups.max()) * grain
            largest = tuple(tops)
            largest_bytes = tuple(_whole(top * each) for top in tops)
        return Partitions(
            task.own, tuple(records), tuple(sizes), keys, keys, largest, largest_bytes
        )

    def _groups(self) -> Any:
        task = self.task
        groups, starts = task.input.groups, task.input.starts
        assert groups is not None
        at, grain = self.group_index, task.grain
        sums = np.add.reduceat(task.input.sizes, starts)
        begun = int(starts[at])
        so_far = float(task.input.sizes[begun : self._step].sum())
        current = Group(at + 1, self.record_in_group, _whole(so_far), digest="0f")
        counted = None
        records, sizes = groups[:at] * grain, sums[:at]
        passed_records, passed_sizes = records, sizes
        if self.rng.random() < 0.85:
            counted = Group(
                None, int(groups[at]) * grain, _whole(float(sums[at])), "0f", whole=True
            )
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
            through = r * grain <= self.record_in_group
            passed_records = np.concatenate((passed_records, r[through] * grain))
            passed_sizes = np.concatenate((passed_sizes, s[through]))
        missing = Unknown("sizes of the other groups", "rerun")
        before = [
            Group(i + 1, int(groups[i]) * grain, _whole(float(sums[i])), whole=True)
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

    @property
    def _step(self) -> int:
        assert self.end is not None
        return self.end.step

    def _records(self) -> RecordSizes:
        task, step = self.task, self._step
        first = 0
        ordinal = self.record
        if task.side == "reduce":
            first = int(task.input.starts[self.group_index])
            ordinal = self.record_in_group
        before = task.input.sizes[first : step - 1] / task.grain
        if self.within > 1:
            before = np.append(before, task.input.sizes[step - 1] / task.grain)
        return RecordSizes(
            ordinal,
            _whole(float(task.input.sizes[step - 1]) / task.grain),
            sketched(before) if len(before) else Unknown("sizes of the records before it", "rerun"),
            being_read=self.is_reading,
        )

    # -- the heap at death

    def _heap_at_death(self, evidence: Evidence) -> Evidence:
        task, end = self.task, self.end
        assert end is not None
        holders = self.holders()
        live = _whole(end.live)
        full = live >= GIVEN_UP.value * task.heap_max
        majors, passive = _Collections(self).seen()
        memory = Memory(
            heap_max_bytes=task.heap_max,
            usable_bytes=live if full else task.heap_max,
            live_bytes_at_death=live,
            largest_block_bytes=task.block,
            container_bytes=task.container,
        )
        if majors.in_group is not None:
            memory = replace(memory, live_bytes_before_record=majors.in_group)
        return replace(
            evidence,
            memory=memory,
            peak=Peak(live, at_most=False, records=self.record or None,
                      records_in_all=self.record or None),
            composition=self.composition(holders),
            holders=holders,
            stack=self.stack(),
            series=passive,
            record_growth=Unknown("heap sizes at earlier records", "rerun"),
            external=self._external(holders, majors.lowest),
            death_snapshot="death",
        )  # fmt: skip

    def key(self, one: Consumer) -> HolderKey:
        """What holds it."""
        if one.owner == "writer":
            return HolderKey("output_buffer", "com.example.BatchWriter", fields=(one.name,))
        if one.owner == "reader":
            return HolderKey("field", "com.example.BlockReader", fields=(one.name,))
        if one.owner == "library":
            return HolderKey("static", "org.apache.hadoop.fs.FileSystem", fields=(one.name,))
        if one.static:
            return HolderKey("static", JOB, fields=(one.name,))
        if one.level in ("group", "record"):
            method = "reduce" if self.task.side == "reduce" else "map"
            return HolderKey("local", JOB, method, class_of(one), fields=(one.name,))
        return HolderKey("field", JOB, fields=(one.name,))

    def lifecycle(self, one: Consumer) -> Any:
        """As the holder's path tells it."""
        return self.task.side if one.level == "setup" else one.level

    def holders(self) -> tuple[Holder, ...]:
        end, task = self.end, self.task
        assert end is not None
        in_setup = end.place == "setup"
        found: list[Holder] = []
        for i, one in enumerate(task.consumers):
            size = _whole(self.held[i])
            if size < LEAST_HOLDER.value:
                continue
            mine = one.owner == "user"
            owner: Any = "external" if mine and in_setup else one.owner
            found.append(
                Holder(
                    self.key(one), owner, self.lifecycle(one), class_of(one), self._path(one), size,
                    site=self._site(one),
                    length=self._length(one),
                    doubling=self._doubles(i),
                    loaded_before_first_record=True if mine and in_setup else None,
                )
            )  # fmt: skip
        if end.flight and end.step:
            key = HolderKey("record", "org.apache.hadoop.mapred.MapTask", fields=("value",))
            found.append(
                Holder(key, "record_in_flight", "record", "org.apache.hadoop.io.Text",
                       "the record in flight", _whole(end.flight))
            )  # fmt: skip
        return tuple(sorted(found, key=lambda each: -each.bytes))

    def _doubles(self, i: int) -> bool:
        end = self.end
        assert end is not None
        return (
            end.array
            and end.step > 0
            and self.task.consumers[i].law.name == "doubling"
            and (
                self.held[i] >= self.held.max()
                or self.course.during[i, end.step] > 1.001 * self.course.after[i, end.step]
            )
        )

    def _length(self, one: Consumer) -> int | None:
        """Elements: one for each record or group where it grows evenly, else some."""
        end = self.end
        assert end is not None
        if end.step and one.level in ("map", "reduce") and one.law.name in ("linear", "doubling"):
            return self.group_index + 1 if one.by == "groups" else self.record
        if end.step and one.level == "group" and one.law.name in ("linear", "doubling"):
            return self.record_in_group
        return None

    def _path(self, one: Consumer) -> str:
        key = self.key(one)
        if key.kind == "local":
            return f"local {one.name}"
        return f"this.{one.name} ({key.class_name.rpartition('.')[2]}.{one.name})"

    def _site(self, one: Consumer) -> CodeSite | None:
        if one.owner == "library":
            return None
        if one.owner in ("writer", "reader"):
            method = "write" if one.owner == "writer" else "nextKeyValue"
            return CodeSite(self.key(one).class_name, method, None, 77)
        end = self.end
        assert end is not None
        method = "setup" if end.place == "setup" else self.task.side
        return CodeSite(JOB, method, "Job.java", 42)

    def composition(self, holders: Sequence[Holder]) -> Composition:
        """Live bytes by owner; what rounding leaves is the virtual machine's."""
        task, end = self.task, self.end
        assert end is not None
        own = dict.fromkeys(("user", "writer", "reader", "library"), 0.0)
        for i, one in enumerate(task.consumers):
            own[one.owner] += self.held[i]
        external = sum(each.bytes for each in holders if each.owner == "external")
        buffer = task.buffer if end.place != "init" else 0
        shuffled = _whole(end.shuffled)
        framework = _whole(0.4 * task.base) + buffer + shuffled
        flight = _whole(end.flight) if end.step else 0
        user = _whole(own["user"])
        external = min(external, user)
        other = _whole(end.live) - framework - flight - user
        return Composition(
            framework_bytes=framework,
            record_bytes=flight,
            external_bytes=external,
            user_bytes=user - external,
            other_bytes=other,
            shuffle_bytes=shuffled,
        )

    def _external(self, holders: Sequence[Holder], lowest: int | None) -> Any:
        end = self.end
        assert end is not None
        if end.place in ("init", "shuffle"):
            return None
        user = [each for each in holders if each.owner in ("user", "external")]
        if end.place == "setup":
            return self.load(user, "loading")
        loading = self.loading_files()
        if loading is not None:
            new = [each for each in user if not too_small(loading, each.bytes)]
            lasting = [each for each in new if each.lifecycle not in ("record", "group")]
            if new:
                return self.load(lasting or new, "loading", loading)
        lasting = [each.bytes for each in user if each.lifecycle not in ("record", "group")]
        if max(lasting, default=0) < LARGE_OBJECT.value:
            return None
        if lowest is not None:
            return ExternalLoad(lowest, (), "setup", self.opened(), "passive")
        return Unknown("the heap before the first record", "rerun")

    def loading_files(self) -> tuple[OpenedFile, ...] | None:
        """Files that were opened while R_n was worked on, where none was before."""
        end = self.end
        assert end is not None
        lazy = [
            (i, one) for i, one in enumerate(self.task.consumers)
            if one.law.name == "lazy" and one.file is not None and one.seen
        ]  # fmt: skip
        begun = [one for i, one in lazy if self.held[i] > 0]
        if not begun or end.step == 0:
            return None
        if any(self.course.after[i, end.step - 1] > 0 for i, _ in lazy):
            return None
        return tuple(OpenedFile(*one.file) for one in begun if one.file is not None)

    def opened(self) -> tuple[OpenedFile, ...]:
        """Files it has opened, or may have."""
        end = self.end
        assert end is not None
        files = []
        for i, one in enumerate(self.task.consumers):
            if one.file is not None and (self.held[i] > 0 or not one.seen):
                files.append(OpenedFile(*one.file, seen=one.seen))
        return tuple(files)

    def load(
        self, holders: Sequence[Holder], when: Any, opened: tuple[OpenedFile, ...] | None = None
    ) -> ExternalLoad:
        """What was loaded, and from what."""
        size = sum(each.bytes for each in holders)
        files = self.opened() if opened is None else opened
        files = () if too_small(files, size) else files
        return ExternalLoad(size, tuple(each.key for each in holders), when, files)

    def stack(self) -> tuple[StackFrame, ...]:
        """The dying thread, top first."""
        end, task = self.end, self.task
        assert end is not None
        side = "Mapper" if task.side == "map" else "Reducer"
        hadoop = "org.apache.hadoop."
        below = (
            StackFrame(f"{hadoop}mapreduce.{side}", "run", f"{side}.java", 146),
            StackFrame(f"{hadoop}mapred.{task.side.capitalize()}Task", f"runNew{side}", None, 800),
            StackFrame(f"{hadoop}mapred.YarnChild$2", "run", "YarnChild.java", 178),
        )
        if end.place == "init":
            init = StackFrame(
                f"{hadoop}mapred.MapTask$MapOutputBuffer", "init", "MapTask.java", 994
            )
            return (init, *below[1:])
        if end.place == "shuffle":
            names = (("BoundedByteArrayOutputStream", "<init>"), ("Fetcher", "copyMapOutput"))
            return tuple(StackFrame(f"{hadoop}mapreduce.task.reduce.{c}", m) for c, m in names)
        user_bytes = _whole(sum(self.held))
        call = "setup" if end.place == "setup" else task.side
        user = StackFrame(JOB, call, "Job.java", 42, user=True, user_bytes=user_bytes, share=1.0)
        if self.is_reading:
            if self._taker == "reader":
                reader = StackFrame("com.example.BlockReader", "nextKeyValue", None, 77, user=True)
            else:
                reader = StackFrame(f"{hadoop}util.LineReader", "readDefaultLine", None, 227)
            nexts = StackFrame(f"{hadoop}mapreduce.task.MapContextImpl", "nextKeyValue", None, 81)
            if task.side == "reduce":
                nexts = StackFrame(f"{hadoop}mapreduce.task.ReduceContextImpl", "nextKeyValue")
            return (reader, nexts, *below)
        top: tuple[StackFrame, ...] = ()
        if end.array:
            top = (
                StackFrame("java.util.Arrays", "copyOf", "Arrays.java", 3512),
                StackFrame("java.util.ArrayList", "grow", "ArrayList.java", 237),
            )
        if self._taker == "writer":
            write = StackFrame("com.example.BatchWriter", "write", None, 77, user=True)
            return (*top, write, user, *below)
        return (*top, user, *below)


def too_small(files: Sequence[OpenedFile], held: float) -> bool:
    """Whether what is held cannot be what these files became."""
    lengths = [each.length_bytes or 0 for each in files]
    return bool(files) and held > FILE_INFLATION.value * sum(lengths)


def class_of(one: Consumer) -> str:
    """A class that such an object may have."""
    if one.law.name == "doubling":
        return "java.util.ArrayList"
    if one.level == "record":
        return "java.util.ArrayList" if one.by == "records" else "com.example.Document"
    return {"setup": "double[][]" if one.file is None else "java.util.HashMap",
            "group": "java.util.ArrayList"}.get(one.level, "java.util.HashMap")  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Least:
    """What collections say of moments before R_n."""

    lowest: int | None = None
    in_group: int | None = None


class _Collections:
    """The live heap after the collections of a run."""

    def __init__(self, scene: _Scene) -> None:
        self.scene = scene
        self.task, self.course, self.end = scene.task, scene.course, scene.end
        self.rng = scene.rng

    def seen(self) -> tuple[_Least, tuple[Series, ...]]:
        end = self.end
        assert end is not None
        if end.step == 0:
            return _Least(), ()
        placed = self._placed()
        if not placed:
            return _Least(), ()
        lowest = min((size for x, size, _ in placed if x > 0), default=None)
        if self.task.side == "map":
            series = self._series("record", "map", placed, self.scene.record)
            return _Least(lowest), series
        return self._of_reduce(placed, lowest)

    def _placed(self) -> list[tuple[float, int, bool]]:
        """(records taken in before, bytes, whether exact), by time."""
        rng, n = self.rng, self.scene.record
        minors = int(rng.integers(3, 40))
        majors = int(rng.choice([0, 1, 2, 4, 6, 10]))
        xs = [(float(x), False) for x in rng.uniform(0, max(n - 1, 0), minors)]
        late = rng.uniform(rng.choice([0.0, 0.5, 0.9]), 1, majors) * max(n - 1, 0)
        xs += [(float(x), True) for x in late]
        found = []
        for x, major in sorted((float(int(x)), major) for x, major in xs):
            live = self._live(x)
            room = self.task.usable - live
            waste = 0.0 if major else room * float(rng.beta(0.6, 3))
            found.append((x, _whole(max(live + waste, 1.0)), major))
        return found

    def _live(self, x: float) -> float:
        """What is live at a moment of the work on the record after x."""
        sizes = self.scene.sizes_at(x).copy()
        step = min(int(x / self.task.grain) + 1, self._last)
        for i, one in enumerate(self.task.consumers):
            if one.level == "record":
                sizes[i] = self.course.during[i, step] * float(self.rng.random())
        flight = float(self.course.flight[step])
        return min(float(sizes.sum()) + flight + self.task.base + self.task.buffer,
                   float(self.task.usable))  # fmt: skip

    @property
    def _last(self) -> int:
        assert self.end is not None
        return max(1, self.end.step - 1)

    def _of_reduce(
        self, placed: list[tuple[float, int, bool]], lowest: int | None
    ) -> tuple[_Least, tuple[Series, ...]]:
        scene, grain = self.scene, self.task.grain
        starts = self.task.input.starts * grain
        begin = float(starts[scene.group_index])
        inside = [(x - begin, size, major) for x, size, major in placed if x >= begin]
        groups = [
            (float(np.searchsorted(starts, x, side="right") - 1), size, major)
            for x, size, major in placed
        ]
        found = list(self._series("group", "reduce", groups, scene.group_index + 1))
        before = [size for x, size, _ in placed if x < begin]
        for one in self._series("record_in_group", "group", inside, scene.record_in_group):
            start = None
            if before:
                start = Point(0.0, min(float(before[-1]), one.points[0].size_bytes))
            found.append(replace(one, at_start=start, group=scene.group_index + 1))
        exact = [i for i, (x, _, major) in enumerate(inside) if major]
        in_group = min((s for _, s, _ in inside[exact[-1] :]), default=None) if exact else None
        return _Least(lowest, in_group), tuple(found)

    def _series(
        self, unit: Any, level: Any, placed: list[tuple[float, int, bool]], ordinal: int
    ) -> tuple[Series, ...]:
        end = self.end
        assert end is not None
        early = [each for each in placed if each[0] < ordinal - 1]
        if not early:
            return ()
        enough = len({x for x, _, major in early if major}) >= MAJOR_COLLECTIONS.value
        if enough:
            points = [(x, size) for x, size, major in early if major]
        else:
            points, least = [], float("inf")
            for x, size, _ in reversed(early):
                least = min(least, size)
                points.append((x, int(least)))
            points.reverse()
        death = Point(float(ordinal), float(_whole(end.live)))
        kept = tuple(Point(x, float(size)) for x, size in _thinned(points))
        one = Series(None, level, unit, kept, "passive", at_death=death, upper_bounds=not enough)
        return (one,)


def _thinned(points: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """At most so many, the lowest of each stretch."""
    if len(points) <= _MOST_POINTS:
        return points
    low, high = points[0][0], points[-1][0]
    width = (high - low) / _MOST_POINTS or 1.0
    best: dict[int, tuple[float, int]] = {}
    for x, size in points:
        stretch = int((x - low) / width)
        if stretch not in best or size < best[stretch][1]:
            best[stretch] = (x, size)
    return sorted(best.values())


class _Probed:
    """A rerun with probes at planned points."""

    def __init__(self, scene: _Scene, rng: Generator) -> None:
        self.scene, self.task, self.rng = scene, scene.task, rng
        self.noise = float(rng.choice([0.0, 0.002, 0.01]))
        self.jittered = bool(rng.random() < 0.5)

    def rerun(self, evidence: Evidence) -> Evidence:
        scene = self.scene
        end = scene.end
        assert end is not None
        attempt = replace(evidence.attempt, mode="profile")
        if end.place == "setup":
            return replace(evidence, attempt=attempt)
        if end.step == 0:
            return replace(evidence, attempt=attempt)
        records = self._points(0, scene.record - 1)
        moments = [(x, self._sizes(x)) for x in records]
        if self.task.side == "map":
            series = self._of_map(moments)
            growth = self._growth(moments, scene.record, "record")
        else:
            series, growth = self._of_reduce()
        holders = self._loaded(evidence.holders)  # type: ignore[arg-type]
        return replace(
            evidence,
            attempt=attempt,
            holders=holders,
            composition=scene.composition(holders),
            series=(*series, *evidence.series),
            record_growth=growth,
            external=self._external(holders, series),
            probes=Probes(_PROBES + 1, 0, 30.0, 120.0),
        )

    def _points(self, first: int, last: int) -> list[int]:
        """Even or jittered, from the first to the last, both included."""
        if last <= first:
            return [last] if last >= 0 else []
        steps = np.arange(_PROBES)
        if self.jittered:
            inner = (steps > 0).astype(float)
            steps = steps + inner * self.rng.uniform(-0.35, 0.35, _PROBES)
        xs = np.unique(np.round(first + steps * (last - first) / _PROBES).astype(int)).tolist()
        return [x for x in xs if x < last] + [last]

    def _sizes(self, x: int) -> np.ndarray:
        sizes = self.scene.sizes_at(x)
        near = x >= self.scene.record - 1
        sigma = self.noise * (0.02 if near else 1.0)
        noisy = sizes * (1 + sigma * self.rng.standard_normal(len(sizes)))
        fixed = np.array([one.level == "setup" for one in self.task.consumers], bool)
        return np.where(fixed, sizes, np.maximum(noisy, 0.0))

    def _user(self, sizes: np.ndarray) -> int:
        mine = [one.owner == "user" for one in self.task.consumers]
        return _whole(float(sizes[mine].sum()))

    def _of_map(self, moments: list[tuple[int, np.ndarray]]) -> list[Series]:
        points = [(float(x), sizes) for x, sizes in moments]
        return self._series("record", points, float(self.scene.record), ("map", "setup"))

    def _series(
        self, unit: Any, points: list[tuple[float, np.ndarray]], last: float,
        levels: tuple[str, ...], group: int | None = None,
    ) -> list[Series]:  # fmt: skip
        found = []
        for i, one in enumerate(self.task.consumers):
            largest = max(self.scene.held[i], *(sizes[i] for _, sizes in points), 0.0)
            if one.level not in levels or largest < LEAST_HOLDER.value:
                continue
            found.append(
                Series(
                    self.scene.key(one), self.scene.lifecycle(one), unit,
                    tuple(Point(x, float(_whole(sizes[i]))) for x, sizes in points), "dump",
                    at_death=Point(last, float(_whole(self.scene.held[i]))),
                    class_name=class_of(one), group=group,
                )
            )  # fmt: skip
        return found

    def _of_reduce(self) -> tuple[list[Series], RecordGrowth | Unknown]:
        scene, grain = self.scene, self.task.grain
        at = scene.group_index
        starts = self.task.input.starts * grain
        before = self._points(0, at) if at else [0]
        of_groups = [(g, int(starts[g]), self._sizes(int(starts[g]))) for g in before]
        begin = int(starts[at])
        inside = self._points(0, scene.record_in_group - 1)
        of_group = [(x, self._sizes(begin + x)) for x in inside]
        if inside and inside[0] == 0 and at:
            of_groups[-1] = (at, begin, of_group[0][1])
        lasting = ("reduce", "setup")
        groups = [(float(g), sizes) for g, _, sizes in of_groups]
        records = [(float(x), sizes) for _, x, sizes in of_groups]
        within = [(float(x), sizes) for x, sizes in of_group]
        series = self._series("group", groups, float(at + 1), lasting)
        series += self._series("record", records, float(scene.record), lasting)
        series += self._series(
            "record_in_group", within, float(scene.record_in_group), (*lasting, "group"), at + 1
        )
        return series, self._growth(of_group, scene.record_in_group, "record_in_group")

    def _growth(
        self, moments: list[tuple[int, np.ndarray]], ordinal: int, unit: Any
    ) -> RecordGrowth | Unknown:
        if not moments:
            return Unknown("heap sizes at earlier records", "rerun")
        sizes = [(x, self._user(each)) for x, each in moments]
        before = tuple((b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(sizes))
        end = self.scene.end
        assert end is not None
        x, last = sizes[-1]
        grown = self._user(self.scene.held) - last
        return RecordGrowth(before, ordinal - x, grown, "dump", doubling=end.array, unit=unit)

    def _loaded(self, holders: tuple[Holder, ...]) -> tuple[Holder, ...]:
        """The holders, with what the probe before R_1 or G_1 showed of them."""
        first = {
            self.scene.key(one): float(self.scene.course.after[i, 0])
            for i, one in enumerate(self.task.consumers)
        }
        found = []
        for each in holders:
            if each.owner != "user":
                found.append(each)
                continue
            before = first[each.key]
            loaded = before >= LARGE_OBJECT.value and before >= STILL_THERE.value * each.bytes
            owner: Any = "external" if loaded else "user"
            found.append(replace(each, owner=owner, loaded_before_first_record=loaded))
        return tuple(found)

    def _external(self, holders: Sequence[Holder], series: Sequence[Series]) -> Any:
        scene = self.scene
        user = [each for each in holders if each.owner in ("user", "external")]
        loading = scene.loading_files()
        if loading is not None:
            last = {
                scene.key(one): scene.before_last[i] for i, one in enumerate(self.task.consumers)
            }
            new = [
                each for each in user
                if not too_small(loading, each.bytes)
                and last[each.key] < MOST_OF_IT.value * each.bytes
            ]  # fmt: skip
            lasting = [each for each in new if each.lifecycle not in ("record", "group")]
            if new:
                return scene.load(lasting or new, "loading", loading)
        before = [each for each in user if each.loaded_before_first_record]
        once = {each.holder for each in series if _once(each)}
        late = [each for each in user if each.key in once and each.bytes >= LARGE_OBJECT.value]
        late = [each for each in late if each not in before]
        if sum(each.bytes for each in late) > sum(each.bytes for each in before):
            return scene.load([*before, *late], "once")
        points = {each.holder: len(each.points) for each in series}
        if scene.opened() and any(
            each not in before
            and each.lifecycle not in ("record", "group")
            and each.bytes >= LARGE_OBJECT.value
            and points.get(each.key, 0) < CONSTANT_POINTS.value
            for each in user
        ):
            return Unknown("whether it was loaded after the first record", "none")
        return scene.load(before, "setup") if before else None


def _once(series: Series) -> bool:
    """It jumped to its size between the first two points and stayed there."""
    points = sorted(series.points, key=lambda each: each.x)
    if series.unit not in {"record", "group"} or len(points) < CONSTANT_POINTS.value:
        return False
    first, rest = points[0].size_bytes, [each.size_bytes for each in points[1:]]
    if series.at_death is not None:
        rest.append(series.at_death.size_bytes)
    top = max(rest)
    return (
        top >= LARGE_OBJECT.value
        and first < MOST_OF_IT.value * top
        and min(rest) >= (1 - CONSTANT.value) * top
    )


def _verification(scene: _Scene, rng: Generator) -> Verification | None:
    """What becomes of R_n alone: in the room that it had, after other records; or in an empty heap.

    What R_n adds to what is kept is what it would add to objects that hold the records before it in
    the verification, and no more: a container that had grown to its limit is small again.
    """
    task, end, course = scene.task, scene.end, scene.course
    assert end is not None
    if end.step == 0:
        return None
    if rng.random() < 0.05:
        return Verification(False, Unknown("the record: it was not met again", "none"))
    same_room = bool(rng.random() < 0.7)
    first = 1
    if task.side == "reduce":
        first = int(task.input.starts[scene.group_index]) + 1
    most = max(0, (end.step - first if task.side == "reduce" else end.step - 1))
    warm = min(int(rng.integers(1, 60)), most) if same_room else 0
    worked = np.array([one.level == "record" for one in task.consumers], bool)
    loads = np.array([one.law.name == "lazy" for one in task.consumers], bool)
    loaded = course.after[:, 0].copy()
    if warm and rng.random() < 0.5:  # the other records need what is loaded at first use too
        loaded[loads] = np.array([one.bytes for one in task.consumers])[loads]
    alone = course.during[:, end.step] * worked
    kept, stays = _added_alone(scene, warm)
    late = loads & (loaded == 0) & (course.during[:, end.step] > 0)
    kept = np.where(late, [one.bytes for one in task.consumers], kept)
    stays = np.where(late, kept, stays)
    flight = float(course.flight[end.step])
    fixed = task.base + task.buffer
    if same_room:
        room = float(task.usable) - fixed - float(scene.before_last.sum())
    else:
        room = float(task.usable) - fixed - float(course.after[:, 0].sum())
    room *= 1 + 0.002 * float(rng.standard_normal())
    need = float(alone.sum() + kept.sum()) + flight
    died = need > room
    mine = np.array([one.owner == "user" for one in task.consumers], bool)
    growth = float(stays[mine].sum())
    if died:
        growth = max(0.0, min(float((alone + kept)[mine].sum()), room - flight))
    grown: int | Unknown = _whole(growth)
    if rng.random() < 0.04:
        grown = Unknown("heap dumps before and after the record", "verify")
    records = warm * task.grain
    others = _others_pass(scene, room) if same_room and warm else None
    return Verification(True, grown, died, same_room, records, others)


def _others_pass(scene: _Scene, room: float) -> bool:
    """Whether the largest few records before R_n pass in the room that R_n has."""
    task, end, course = scene.task, scene.end, scene.course
    assert end is not None
    worked = np.array([one.level == "record" for one in task.consumers], bool)
    steps = 1 + np.argsort(-task.input.sizes[: end.step - 1])[:4]
    needs = [float((course.during[:, i] * worked).sum() + course.flight[i]) for i in steps]
    return max(needs, default=0.0) <= room


def _added_alone(scene: _Scene, warm: int) -> tuple[np.ndarray, np.ndarray]:
    """What R_n adds to each kept object that holds the records of the warm-up: during, and after."""
    task, end, course = scene.task, scene.end, scene.course
    assert end is not None
    first = 0
    if task.side == "reduce":
        first = int(task.input.starts[scene.group_index])
    during, after = np.zeros(len(task.consumers)), np.zeros(len(task.consumers))
    for i, one in enumerate(task.consumers):
        if one.level in ("record", "setup") or one.law.name in ("lazy", "constant"):
            continue
        start = first if one.level == "group" else 0
        low = min(start + warm, course.after.shape[1] - 2)
        scale = 1.0
        if one.by == "bytes":
            scale = float(task.input.sizes[end.step - 1] / task.input.sizes[low])
        during[i] = max(0.0, course.during[i, low + 1] - course.after[i, low]) * scale
        after[i] = max(0.0, course.after[i, low + 1] - course.after[i, low]) * scale
    return during / task.grain, after / task.grain
