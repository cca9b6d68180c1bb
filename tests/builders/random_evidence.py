"""Random evidence: built from nothing, and recorded or exemplary evidence with facts exchanged.

Sizes are multiples of 4 KB, so that factors such as 1.5 leave whole numbers. What is built is
consistent: the composition adds up to what was live, holders have room in it, points lie before the
death, a group has no more records than its partition.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from builders.chance import Chance
from builders.examples import examples_of
from builders.keys import field_key, record_key
from builders.missing_facts import removals
from builders.transformed import larger

from mprof.evidence import (
    Attempt,
    AttemptLine,
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
    Point,
    Progress,
    RecordGrowth,
    RecordSizes,
    Series,
    Shuffle,
    Split,
    StackFrame,
    Unknown,
    Verification,
    known,
)
from mprof.evidence.assemble import assemble
from mprof.rules import RULES
from mprof.runs import SilentObserver, open_capture
from mprof.runs.diagnosing import load_failed_job
from mprof.units import MIB

__all__ = ["any_evidence", "built", "known_evidence", "recorded"]

PAGE = 4096
"""Every size is a multiple of it."""

_CAPACITIES = [60 * MIB, 240 * MIB, 640 * MIB, 1000 * MIB, 8000 * MIB]
_SHARES = [0.0, 0.002, 0.02, 0.1, 0.19, 0.25, 0.31, 0.5, 0.7, 0.9]
_LARGE = [0.3, 0.5, 0.7, 0.9]
_LEADING = ["framework", "record", "output", "external", "user", "user", "user", "other"]
_SHAPES = ["line", "line", "flat", "steps", "noise", "square", "root", "last", "sawtooth"]
_MAP_PLACES = ["map"] * 4 + ["combine"] * 3 + ["init", "setup", "sort", "cleanup", "other"]
_REDUCE_PLACES = (
    ["reduce"] * 4 + ["shuffle"] * 3 + ["combine", "sort", "init", "setup", "cleanup", "other"]
)
_KINDS = ["heap"] * 8 + [
    "gc-overhead", "array-limit", "container-physical", "metaspace", "not-memory", "none",
]  # fmt: skip
_UNITS = {"map": "record", "reduce": "group", "group": "record_in_group", "record": "record"}


@cache
def recorded() -> dict[str, Evidence]:
    """The evidence of every recorded case, of all its runs and of the first alone."""
    found = {}
    for folder in sorted((Path(__file__).parents[2] / "cases").rglob("evidence")):
        jobs = load_failed_job(open_capture(folder), SilentObserver())
        found[folder.parent.name] = assemble(jobs)
        if len(jobs) > 1:
            found[f"{folder.parent.name}, first run"] = assemble(jobs[:1])
    return found


@cache
def known_evidence() -> dict[str, Evidence]:
    """Recorded evidence, and that of every rule's examples, by name."""
    examples = {f"{r.slug}: {one.title}": one.evidence() for r in RULES for one in examples_of(r)}
    return {**recorded(), **examples}


def any_evidence(chance: Chance) -> Evidence:
    """Built, known or perturbed evidence, one time in three with fewer facts."""
    evidence = chance.one([built, known_of, perturbed])(chance)
    if chance.number(1, 3) > 1:
        return evidence
    every = removals(evidence)
    for name in chance.some(sorted(every), 3):
        evidence = every[name](evidence)
    return evidence


def known_of(chance: Chance) -> Evidence:
    """Recorded evidence, or that of an example."""
    return chance.one(list(known_evidence().values()))


def perturbed(chance: Chance) -> Evidence:
    """Known evidence with facts of another attempt of the same side."""
    evidence, other = known_of(chance), chance.one([built, known_of])(chance)
    here, there = known(evidence.memory.capacity_bytes), known(other.memory.capacity_bytes)
    if evidence.attempt.task_type == other.attempt.task_type and here and there:
        other = larger(other, here / there)
        names = [
            "death", "place", "progress", "record_growth", "verification", "map_buffer", "shuffle",
            "partitions", "groups", "records", "external", "split", "stack",
        ]  # fmt: skip
        for name in chance.some(names, 3):
            evidence = replace(evidence, **{name: getattr(other, name)})
    return _consistent(evidence)


def _consistent(evidence: Evidence) -> Evidence:
    """The same, without what cannot be.

    A record that added more than user objects hold, a record where none is processed, and map
    output in the dump beyond what was live or ever reserved, a load of more than was live.
    """
    growth, holders = known(evidence.record_growth), known(evidence.holders)
    composition = known(evidence.composition)
    if composition is not None and evidence.place not in ("map", "combine", "reduce"):
        other = composition.other_bytes + composition.record_bytes
        composition = replace(composition, record_bytes=0, other_bytes=other)
        holders = tuple(one for one in holders or () if one.owner != "record_in_flight")
        evidence = replace(evidence, composition=composition, holders=holders)
    live, shuffle = known(evidence.memory.live_bytes_at_death), known(evidence.shuffle)
    load = known(evidence.external)
    if load is not None and live is not None:
        evidence = replace(evidence, external=replace(load, bytes=min(load.bytes, live)))
    if shuffle is not None and shuffle.held_bytes is not None and live is not None:
        shuffle = replace(shuffle, held_bytes=min(shuffle.held_bytes, live))
        evidence = replace(evidence, shuffle=shuffle)
    if shuffle is not None and shuffle.held_bytes is None and composition is not None:
        reserved = shuffle.used_bytes + shuffle.leftover_bytes
        composition = replace(composition, shuffle_bytes=min(composition.shuffle_bytes, reserved))
        evidence = replace(evidence, composition=composition)
    if growth is not None and holders is not None:
        held = sum(one.bytes for one in holders if one.owner in ("user", "record_being_written"))
        growth = replace(growth, last_bytes=min(growth.last_bytes, held))
        evidence = replace(evidence, record_growth=growth)
    return evidence


def built(chance: Chance) -> Evidence:
    """Evidence of nothing but random numbers."""
    return _consistent(_Builder(chance).whole())


class _Builder:
    """One attempt drawn fact by fact, each in the bounds that those before it leave."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self.is_map = chance.flip()
        self.place = chance.one(_MAP_PLACES if self.is_map else _REDUCE_PLACES)
        self.capacity = chance.one(_CAPACITIES)
        self.live = self.of(self.capacity, [1.0, 1.0, 0.97, 0.6, 0.3])
        self.group = chance.one([1, 2, 31, 4000])
        self.in_group = chance.one([1, 2, 150, 50_000])
        self.record = chance.one([1, 2, 120, 4001, 10**6])
        if not self.is_map or self.place == "combine":
            self.record = max(self.record, self.in_group + self.group - 1)
        self.leading = chance.one(_LEADING)
        self.composition = self._composition()
        self.holders = self._holders()

    def of(self, whole: float, shares: list[float] | None = None) -> int:
        """A share of a size, in pages."""
        return int(self.chance.one(shares or _SHARES) * whole) // PAGE * PAGE

    def maybe(self, value: Any) -> Any:
        return value if self.chance.flip() else None

    def whole(self) -> Evidence:
        chance, grouped = self.chance, not self.is_map or self.place == "combine"
        kind = chance.one(_KINDS)
        lines = [AttemptLine(f"attempt_1_0001_m_00000{i}_0", kind, "a line") for i in range(3)]
        return Evidence(
            job=Job("job_1_0001", "words"),
            attempt=Attempt(
                "attempt_1_0001_m_000000_0",
                "map" if self.is_map else "reduce",
                0,
                collector=chance.one(["Serial", "Parallel", "G1", None]),
            ),
            death=Death(kind, "a line of the log"),
            place=self.place,
            position=DeathPosition(
                "map" if self.is_map else "reduce",
                record=self.record,
                group=self.group if grouped else None,
                record_in_group=self.in_group if grouped else None,
                partition=None if self.is_map else 0,
            ),
            attempts=tuple(lines[: chance.number(0, 3)]),
            memory=Memory(
                heap_max_bytes=self.capacity + 4 * MIB,
                usable_bytes=self.capacity,
                live_bytes_at_death=self.live,
                live_bytes_before_record=chance.one(
                    [Memory().live_bytes_before_record, self.of(self.live, [0.1, 0.5, 0.9, 1.0])]
                ),
                largest_block_bytes=self.of(self.capacity, [1.0, 0.67]),
                container_bytes=2 * self.capacity,
            ),
            composition=self.composition,
            holders=self.holders,
            stack=self._stack(),
            series=self._series(),
            record_growth=self._record_growth(),
            external=self._external(),
            progress=Progress(chance.one([0.0, 0.05, 0.4, 0.79, 0.8, 0.95, 1.0]), "x"),
            split=self._split(),
            map_buffer=self._map_buffer(),
            shuffle=self._shuffle(),
            partitions=None if self.is_map else self.maybe(self._partitions()),
            groups=self._groups() if grouped else None,
            records=self._records(),
            verification=self._verification(),
            reducers=chance.one([1, 5, 40]),
        )

    def _composition(self) -> Composition:
        """One owner has most of the heap; what is left is shared by chance."""
        names = ["framework", "record", "output", "external", "user", "other"]
        parts = dict.fromkeys(names, 0)
        rest = self.live
        for name in [self.leading, *names]:
            shares = _LARGE if name == self.leading else _SHARES[:5]
            parts[name] = parts[name] or min(self.of(self.live, shares), rest)
            rest = self.live - sum(parts.values())
        shuffled = 0 if self.is_map else self.of(parts["framework"], [0.0, 0.5, 0.9, 1.0])
        return Composition(
            framework_bytes=parts["framework"],
            record_bytes=parts["record"],
            output_bytes=parts["output"],
            external_bytes=parts["external"],
            user_bytes=parts["user"],
            other_bytes=parts["other"] + rest,
            shuffle_bytes=shuffled,
        )

    def _lifecycles(self) -> list[str | None]:
        if self.is_map and self.place != "combine":
            return ["map", "map", "map", "record", None]
        lives: list[str | None] = ["reduce", "reduce", "group", "group", "record", None]
        return [*lives, "map"] if self.is_map else lives

    def _holders(self) -> tuple[Holder, ...]:
        rest, found = self.composition.user_bytes, []
        for name in ["counts", "index", "lines"][: self.chance.one([1, 2, 3, 0])]:
            size = self.of(rest, [0.2, 0.5, 0.9, 1.0])
            rest -= size
            found.append(self._holder(field_key("com.x.Job", name), size, "user"))
        if self.composition.external_bytes:
            found.append(
                self._holder(
                    field_key("com.x.Job", "model"), self.composition.external_bytes, "external"
                )
            )
        if self.composition.record_bytes:
            one = self._holder(
                record_key("value"), self.composition.record_bytes, "record_in_flight"
            )
            found.append(replace(one, lifecycle="record"))
        return tuple(one for one in found if one.bytes)

    def _holder(self, key: HolderKey, size: int, owner: Any) -> Holder:
        chance = self.chance
        length = chance.one([None, 3, self.record, self.in_group, self.group, self.record // 2])
        return Holder(
            key=key,
            owner=owner,
            lifecycle=chance.one(self._lifecycles()),  # type: ignore[arg-type]
            class_name="java.util.ArrayList",
            path=f"this.{key.fields[0]}",
            bytes=size,
            site=self.maybe(CodeSite("com.x.Job", "map", "Job.java", len(key.fields[0]))),
            length=length,
            element_class=chance.one([None, "char", "java.lang.String"]),
            doubling=chance.one([False, False, True]),
            loaded_before_first_record=chance.one([None, None, False, True]),
        )

    def _stack(self) -> tuple[StackFrame, ...]:
        frames = (
            StackFrame("java.util.Arrays", "copyOf", "Arrays.java", 3),
            StackFrame("com.x.Job", "map", "Job.java", 18, user=True),
            StackFrame("org.apache.hadoop.mapreduce.Mapper", "run", "Mapper.java", 146),
        )
        return self.chance.one([frames, frames, frames[::2], ()])

    def _points(self, last_x: float, size: int) -> tuple[Point, ...]:
        """Sizes of one shape at rising x, the last of them near `size`."""
        chance = self.chance
        number = chance.one([8, 6, 5, 4, 3, 2, 0])
        shape = chance.one(_SHAPES)
        if number == 0:
            return ()
        first = chance.one([0.0, 0.0, 0.3, 0.6])
        base = self.of(size, [0.0, 0.0, 0.5])
        points = []
        for index in range(number):
            t = index / (number - 1)
            x = round(last_x * (first + (1 - first) * t))
            share = {
                "line": t,
                "flat": 0.0,
                "steps": 2.0 ** (index - number + 1),
                "noise": t + chance.one([-0.1, 0.0, 0.05, 0.2]),
                "square": t * t,
                "root": t**0.5,
                "last": 0.0 if index < number - 1 else 1.0,
                "sawtooth": t / 2 + 0.5 * (index % 2),
            }[shape]
            points.append(Point(float(x), base + (size - base) * max(0.0, share) // PAGE * PAGE))
        return tuple(points)

    def _series(self) -> tuple[Series, ...]:
        found = []
        for one in self.holders:
            followed = one.owner == "user" and one.lifecycle is not None
            if followed and self.chance.one([True, True, False]):
                found += self._series_of(one.key, one.lifecycle, one.bytes, "dump")
        for source in ("passive", "histogram"):
            if self.chance.one([False, False, True]):
                lives = [one for one in self._lifecycles() if one in ("map", "reduce", "group")]
                life = self.chance.one(lives)
                found += self._series_of(None, life, self.live, source)
        return tuple(found)

    def _series_of(self, key: HolderKey | None, life: Any, size: int, source: Any) -> list[Series]:
        unit: Any = _UNITS[life]
        end = {"record": self.record, "group": self.group, "record_in_group": self.in_group}[unit]
        points = self._points(float(end - 1), size)
        one = Series(
            holder=key,
            lifecycle=life,
            unit=unit,
            points=points,
            source=source,
            at_death=self.maybe(Point(float(end), float(size))),
            class_name="com.x.Pair" if source == "histogram" else None,
            upper_bounds=source == "passive" and self.chance.flip(),
        )
        if life != "reduce" or source != "dump" or self.chance.flip():
            return [one]
        return [one, replace(one, unit="record", points=self._points(self.record - 1.0, size))]

    def _record_growth(self) -> RecordGrowth:
        chance = self.chance
        before = tuple(
            (
                chance.one([1, 10, 500]),
                chance.one([-PAGE, 0, PAGE, 20 * PAGE, self.of(self.live, [0.0, 0.1])]),
            )
            for _ in range(chance.one([0, 1, 3, 6, 8]))
        )
        return RecordGrowth(
            before=before,
            last_records=chance.one([1, 1, 40]),
            last_bytes=self.of(self.composition.user_bytes, [0.0, 0.0, 0.02, 0.3, 0.9]),
            source=chance.one(["dump", "dump", "histogram", "passive"]),
            doubling=chance.flip(),
            unit="record" if self.is_map else "record_in_group",
        )

    def _external(self) -> ExternalLoad | None:
        chance = self.chance
        mine = [one for one in self.holders if one.owner in ("external", "user")]
        held = [one for one in mine if one.owner == "external" or one.loaded_before_first_record]
        files = tuple(
            OpenedFile(f"hdfs:/cache/{name}", self.maybe(self.of(self.live)), chance.flip())
            for name in ["a", "b", "c"][: chance.number(0, 3)]
        )
        if held:
            return ExternalLoad(
                bytes=sum(one.bytes for one in held),
                holders=tuple(one.key for one in held),
                when=chance.one(["setup", "loading", "once"]),
                opened=files,
            )
        if chance.flip():
            return ExternalLoad(self.of(self.live), (), "setup", files, source="passive")
        return None

    def _split(self) -> Split | None:
        if not self.is_map:
            return None
        sizes, splittable = [1 * MIB, 64 * MIB, 512 * MIB], [True, True, False, None]
        return self.maybe(
            Split("hdfs:/in/part", 0, self.chance.one(sizes),
                  self.chance.one(splittable))
        )  # fmt: skip

    def _map_buffer(self) -> MapBuffer | None:
        if not self.is_map:
            return None
        if self.place == "init":
            # it asked for more than was free, or user code ran before it
            return self.maybe(MapBuffer(self.of(self.capacity, [0.1, 0.6, 1.2]), allocated=False))
        return self.maybe(MapBuffer(self.composition.framework_bytes, allocated=True))

    def _shuffle(self) -> Shuffle | None:
        if self.is_map:
            return None
        held, limit = self.composition.shuffle_bytes, self.of(self.capacity, [0.2, 0.7])
        return Shuffle(
            limit_bytes=limit,
            used_bytes=held + self.of(self.capacity, [0.0, 0.1, 0.5]),
            leftover_bytes=self.of(held, [0.0, 0.5]),
            held_bytes=self.maybe(held),
        )

    def _partitions(self) -> Partitions:
        chance = self.chance
        number = chance.one([1, 2, 5, 7])
        own = chance.number(0, number - 1)
        records, sizes, keys, in_one_map = [], [], [], []
        for index in range(number):
            factor = chance.one([0.02, 0.9, 1.0, 1.0, 1.05, 8.0])
            count = max(round(factor * 10**6), self.record if index == own else 0)
            records.append(count)
            sizes.append(self.of(self.capacity, [0.02, 0.9, 1.5]) if factor > 1.05 else
                         int(factor * self.capacity) // PAGE * PAGE)  # fmt: skip
            in_one_map.append(chance.one([1, 2, 400, 6000]))
            keys.append(min(in_one_map[-1] * chance.one([1, 1, 3]), count))
        share = chance.one([0.001, 0.5, 0.97])
        largest = [tuple(self.of(one, [share]) for one in column) for column in (records, sizes)]
        return Partitions(own, tuple(records), tuple(sizes), tuple(keys), tuple(in_one_map),
                          *largest, complete=chance.flip())  # fmt: skip

    def _groups(self) -> GroupSizes:
        chance = self.chance
        whole = chance.flip()
        more = chance.one([0, 0, 10, 100_000])
        records = self.in_group + (more if whole else 0)
        size = chance.one([1, 3, 25]) * PAGE * records
        current = Group(self.group, records, self.maybe(size), whole=whole)
        others = chance.one([[], [3], [40] * 4, [9, 9, 10, 11, 12, 13, 14], [60_000] * 8])
        error = chance.one([0.0, 0.01])
        larger = replace(current, ordinal=1, records=2 * records, whole=True)
        return GroupSizes(
            current=self.maybe(current),
            other_records=Distribution.of(others, relative_error=error),
            other_bytes=Distribution.of([PAGE * one for one in others], relative_error=error),
            all_reducers=chance.flip(),
            largest=chance.one([None, current, larger]),
            counted=chance.one([None, replace(current, records=records + more, whole=True)]),
        )

    def _records(self) -> RecordSizes | None:
        chance = self.chance
        before = [PAGE * one for one in chance.one([
            [], [1], [1, 1, 2], [1] * 7, [1, 2, 3, 4, 5, 6, 7, 8], [1] * 20 + [4000],
        ])]  # fmt: skip
        size = max(PAGE, self.of(self.composition.record_bytes, [0.1, 0.5, 1.0]))
        return self.maybe(
            RecordSizes(
                self.maybe(self.record),
                size,
                Distribution.of(before),
                being_read=chance.one([False, False, True]),
            )
        )

    def _verification(self) -> Verification | Unknown:
        chance = self.chance
        if chance.flip():
            return Unknown("a run with R_n only", "verify")
        died = chance.flip()
        growth: int | Unknown = self.of(self.live)
        if died and chance.flip():
            growth = Unknown("growth in a run that died", "none")
        return Verification(chance.flip(), growth, died)
