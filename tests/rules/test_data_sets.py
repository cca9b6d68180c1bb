"""Two data sets, 20 % either side of a rule's threshold, give opposite verdicts.

The data sets are what a job reads: records, groups, partitions, files. Each becomes what its
attempts would have left behind (event logs, positions, heap snapshots, in the documented formats),
and is diagnosed from that. ``test_thresholds.py`` asks the rules alone, with facts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from builders.attempts import EventWriter, sketch
from builders.keys import field_key, local_key
from builders.snapshots import MIB, holding, snapshot

from mprof.diagnosis import diagnose_runs
from mprof.history import JobConf
from mprof.job_run import JobRun
from mprof.objects import Holder
from mprof.rules import RULES, Fires, Silent
from mprof.trace import read_trace

JOB = "1700000000000_0001"
MAP, REDUCE = f"attempt_{JOB}_m_000000_0", f"attempt_{JOB}_r_000000_0"
HEAP, FULL = 256 * MIB, 240 * MIB
PROBES = 7
FIELD = field_key("com.example.Job", "kept")
LOCAL = local_key("com.example.Job", "reduce", "java.util.ArrayList")
OOM = {
    "class_": "java.lang.OutOfMemoryError", "message": "Java heap space", "thread": "main",
    "stack": ["com.example.Parser.parse(Parser.java:7)", "com.example.Job.map(Job.java:18)"],
}  # fmt: skip


@dataclass
class Attempt:
    """One attempt that dies with a full heap: what user code held at the probes and at death."""

    name: str
    place: str
    position: dict[str, int]
    probes: list[tuple[dict[str, Any], list[Holder]]] = field(default_factory=list)
    at_death: list[Holder] = field(default_factory=list)
    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    framework: int = 30 * MIB
    parts: dict[str, int] = field(default_factory=dict)
    thread: str = "main"
    record: dict[str, Any] | None = None

    def recorded(self, folder: Path, beside: Sequence[EventWriter] = (), **conf: str) -> Any:
        writer = EventWriter(self.name, heap_max=HEAP, mode="profile", collectors=["Copy"])
        for type_, members in self.events:
            writer.add(type_, **members)
        snapshots = []
        side = "map" if "_m_" in self.name else "reduce"
        for index, (point, holders) in enumerate(self.probes):
            writer.add("dump", file=f"p{index}.hprof", reason="probe", **point)
            snapshots.append(snapshot(f"p{index}", holders, side=side, place=self.place))
        record = {} if self.record is None else {"record": self.record}
        writer.add("failure", place=self.place, **{**OOM, "thread": self.thread}, **record)
        held = sum(each.bytes for each in self.at_death) + self.framework
        death = snapshot(
            "oom", self.at_death, at_death=True, side=side, place=self.place, parts=self.parts,
            framework=self.framework, other=FULL - held, thread=self.thread,
        )  # fmt: skip
        traces = [read_trace(writer.write(folder, position=self.position))]
        traces += [read_trace(each.write(folder)) for each in beside]
        return JobRun(
            job_id=f"job_{JOB}", mode="profile", traces=tuple(traces),
            snapshots={self.name: (*snapshots, death)},
            conf=JobConf({"mapreduce.job.reduces": "0", **conf}),
        )  # fmt: skip


def probed(total: int) -> list[int]:
    """Ordinals of the records or groups that are probed: from the first to the last."""
    return sorted({1 + k * (total - 1) // (PROBES - 1) for k in range(PROBES)})


def kept(key: str, size: int, lifecycle: str) -> list[Holder]:
    return [holding(key, size, lifecycle=lifecycle)] if size else []


def mapping(kept_of_each: Sequence[int], *, split: int, read: int) -> Attempt:
    """A mapper that keeps something of each record, dead at the last of them."""
    held = [0, *accumulate(kept_of_each)]
    return Attempt(
        MAP, "map",
        {"phase": 3, "records_in": len(kept_of_each), "bytes_in": read, "split_length": split,
         "progress_ppm": read * 1_000_000 // split},
        [({"point": "before_record", "ordinal": n}, kept(FIELD, held[n - 1], "map"))
         for n in probed(len(kept_of_each))],
        kept(FIELD, held[-1], "map"),
        [("split", {"path": "hdfs:/in/part-0", "start": 0, "length": split})],
    )  # fmt: skip


def map_outputs(parts: Sequence[Sequence[int]], keys: Sequence[int]) -> list[EventWriter]:
    """Finished map tasks: bytes for each reducer, in records of 100 bytes."""
    found = []
    for index, sizes in enumerate(parts):
        writer = EventWriter(f"attempt_{JOB}_m_{index:06d}_0")
        lists = {"raw_bytes": list(sizes), "records": [s // 100 for s in sizes], "keys": list(keys)}
        writer.add("map_output", partitions=lists, spills=1).add("end", outcome="done")
        found.append(writer)
    return found


def finished_reducer(index: int, groups: Sequence[int], record_bytes: int) -> EventWriter:
    writer = EventWriter(f"attempt_{JOB}_r_{index:06d}_0")
    bytes_ = sketch([size * record_bytes for size in groups])
    return writer.add(
        "groups", scope="reduce", count=len(groups), records=sketch(groups), bytes=bytes_,
        whole=True,
    ).add("end", outcome="done")  # fmt: skip


def reducing(
    groups: Sequence[int], last: int, *, kept_of_each: int, record_bytes: int = 100
) -> Attempt:
    """A reducer that keeps each record of a group, dead at the last record of its last group.

    Args:
        groups: records of the groups that it finished.
        last: records of the group at death, all of which it has read.
        kept_of_each: bytes of heap for each record.
        record_bytes: of data.
    """
    number = len(groups) + 1
    bytes_ = sketch([size * record_bytes for size in groups])
    counted = {"count": len(groups), "records": sketch(groups), "bytes": bytes_}
    return Attempt(
        REDUCE, "reduce",
        {"phase": 9, "records_in": sum(groups) + last, "group": number, "record_in_group": last,
         "group_bytes": last * record_bytes, "reduce_total": sum(groups) + last},
        [({"point": "before_group", "ordinal": g}, []) for g in probed(number)]
        + [({"point": "in_group", "group": number, "ordinal": n},
            kept(LOCAL, (n - 1) * kept_of_each, "group")) for n in probed(last)],
        kept(LOCAL, last * kept_of_each, "group"),
        [("groups", {"scope": "reduce", **counted})],
    )  # fmt: skip


def shuffling(held: int) -> Attempt:
    """A reducer that dies while it fetches, with so much of its partition in memory."""
    position = {"phase": 6, "shuffle_limit": 175 * MIB, "shuffle_used": held}
    attempt = Attempt(REDUCE, "shuffle", position, framework=held + 10 * MIB, thread="fetcher#1")
    attempt.parts["shuffle_in_memory"] = held
    return attempt


# -- the data sets, each with its size as a factor of the threshold --------------------------------


def words_kept_by_the_mapper(factor: float, folder: Path) -> JobRun:
    # 1 KB of each record of the split: 31 and 21 % of the heap; in between it is neither named nor
    # denied beside something larger
    records = round(0.26 * FULL * factor / 1024)
    return mapping([1024] * records, split=records * 200, read=records * 200).recorded(folder)


def records_of_the_split(factor: float, folder: Path) -> JobRun:
    # 180 MB are kept of the records read so far; an eighth of a split 8 times as long as what
    # was read needs just the heap
    read = 16 * MIB
    whole = round(8 * read * factor)
    return mapping([180 * 1024] * 1024, split=whole, read=read).recorded(folder)


def groups_kept_by_the_reducer(factor: float, folder: Path) -> JobRun:
    # 10 KB of each group of the partition, the same shares of the heap
    groups = round(0.26 * FULL * factor / 10_240)
    sizes = [2] * (groups - 1)
    attempt = reducing(sizes, 2, kept_of_each=0)
    attempt.probes = [
        ({"point": "before_group", "ordinal": g}, kept(FIELD, (g - 1) * 10_240, "reduce"))
        for g in probed(groups)
    ]
    attempt.at_death = kept(FIELD, groups * 10_240, "reduce")
    beside = map_outputs([[groups * 200]], [groups])
    return attempt.recorded(folder, beside, **{"mapreduce.job.reduces": "1"})


def records_kept_of_one_group(factor: float, folder: Path) -> JobRun:
    # 1 KB a record: 30 % of what the framework leaves of the heap after the last record of G_m
    records = round(0.30 * (FULL - 30 * MIB) * factor / 1024)
    attempt = reducing([records] * 8, records, kept_of_each=1024)
    attempt.position["reduce_total"] = 9 * records
    return attempt.recorded(folder)


def record_that_explodes(factor: float, folder: Path) -> JobRun:
    # records of 1,000 bytes; the last is as long as any, and the work on it takes 20 % of the heap
    attempt = mapping([0] * 3500, split=7_000_000, read=3_500_000)
    made = round(0.20 * FULL * factor)
    attempt.at_death = kept(
        local_key("com.example.Job", "map", "java.util.ArrayList"), made, "record"
    )
    attempt.record = {"ordinal": 3500, "bytes": 1000}
    attempt.events.append(
        ("records", {"scope": "map", "count": 3499, "bytes": sketch([1000] * 3499)})
    )
    return attempt.recorded(folder)


def table_of_the_distributed_cache(factor: float, folder: Path) -> JobRun:
    # four bytes of heap for each byte of the file
    file_bytes = round(0.30 * FULL / 4 * factor)
    attempt = mapping([0] * 500, split=10 * MIB, read=5 * MIB)
    table = kept(field_key("com.example.Job", "table"), 4 * file_bytes, "map")
    attempt.probes = [(point, table) for point, _ in attempt.probes]
    attempt.at_death = table
    attempt.events.append(("open", {"path": "hdfs:/cache/table", "length": file_bytes}))
    return attempt.recorded(folder, **{"mapreduce.job.cache.files": "hdfs:/cache/table"})


def data_of_four_reducers(factor: float, folder: Path) -> JobRun:
    # the mean partition is as large as the heap of a reducer
    mean = round(HEAP * factor / 8)
    beside = map_outputs([[mean, mean + 900, mean - 900, mean]] * 8, [500] * 4)
    return shuffling(170 * MIB).recorded(folder, beside, **{"mapreduce.job.reduces": "4"})


def keys_that_fall_to_one_reducer(factor: float, folder: Path) -> JobRun:
    # 1.6 times what the other reducers get
    own = 1.6 * factor
    sizes = [round(size * 32 * MIB) for size in (own, 1, 1, 1, 1)]
    beside = map_outputs([sizes] * 4, [round(900 * own), 900, 900, 900, 900])
    return shuffling(170 * MIB).recorded(folder, beside, **{"mapreduce.job.reduces": "5"})


def records_of_one_key(factor: float, folder: Path) -> JobRun:
    # 10,000 to 70,000 records a key: 1.6 times the largest
    others = [n * 10_000 for n in range(1, 8)]
    last = round(1.6 * 70_000 * factor)
    attempt = reducing(others, last, kept_of_each=180 * MIB // last)
    total = [("verify", {"step": "group_total", "records": last, "bytes": 100 * last,
                         "whole": True})]  # fmt: skip
    job = attempt.recorded(
        folder, [finished_reducer(1, others, 100)], **{"mapreduce.job.reduces": "2"}
    )
    return _verified(job, folder, total)


def records_of_every_key(factor: float, folder: Path) -> JobRun:
    # 50,000 records filled the 180 MB that were free; keys have 0.25 to 1.75 times the median, and
    # those that come after it were counted by the verification alone
    median, last = round(50_000 * factor), 50_000
    others = [round(median * k / 4) for k in range(1, 8)] * 3
    attempt = reducing([25_000, 35_000, 40_000, 45_000], last, kept_of_each=180 * MIB // last)
    total = [("verify", {"step": "group_total", "records": last, "bytes": 100 * last,
                         "whole": True, "end": True, "others": {
                             "records": sketch(others),
                             "bytes": sketch([100 * one for one in others])}})]  # fmt: skip
    return _verified(attempt.recorded(folder, **{"mapreduce.job.reduces": "1"}), folder, total)


def _verified(
    job: JobRun, folder: Path, steps: Sequence[tuple[str, dict[str, Any]]]
) -> list[JobRun]:
    """With a run that handed R_n alone to the user's code and counted its group to the end."""
    writer = EventWriter(REDUCE, heap_max=HEAP, mode="verify")
    writer.add("verify", step="met").add("verify", step="survived")
    for type_, members in steps:
        writer.add(type_, **members)
    trace = read_trace(writer.write(folder / "verify"))
    return [job, JobRun(job_id=job.job_id, mode="verify", traces=(trace,))]


def one_long_line(factor: float, folder: Path) -> JobRun:
    # lines of 1 to 7 MB: 1.6 times the longest
    before = [n * MIB for n in range(1, 8)] * 30
    attempt = mapping([0] * (len(before) + 1), split=2000 * MIB, read=sum(before))
    attempt.at_death = kept(
        local_key("com.example.Job", "map", "java.util.ArrayList"), 150 * MIB, "record"
    )
    attempt.record = {"ordinal": len(before) + 1, "bytes": round(1.6 * 7 * MIB * factor)}
    attempt.events.append(
        ("records", {"scope": "map", "count": len(before), "bytes": sketch(before)})
    )
    return attempt.recorded(folder)


def sort_buffer(factor: float, folder: Path) -> JobRun:
    # not data but a setting: 30 % of the heap
    return _beside_a_buffer(round(0.30 * FULL * factor), 9 * MIB, folder)


def _beside_a_buffer(buffer: int, read: int, folder: Path) -> JobRun:
    attempt = mapping([0] * 2000, split=10 * MIB, read=read)
    attempt.framework, attempt.parts = buffer + 5 * MIB, {"sort_buffer": buffer}
    attempt.position |= {"map_buffer_bytes": buffer, "map_buffer_ready": 1}
    attempt.events.append(("map_buffer", {"edge": "ready", "bytes": buffer}))
    return attempt.recorded(folder, **{"mapreduce.job.reduces": "2"})


def map_output_held_in_the_shuffle(factor: float, folder: Path) -> JobRun:
    # 30 % of the heap is map output; all partitions are alike, and larger than the bound
    beside = map_outputs([[50 * MIB] * 3] * 4, [900] * 3)
    held = round(0.30 * FULL * factor)
    return shuffling(held).recorded(folder, beside, **{"mapreduce.job.reduces": "3"})


DataSet = Callable[[float, Path], JobRun | list[JobRun]]
MORE, LESS = True, False  # which data set fires
DATA_SETS: list[tuple[str, DataSet, bool]] = [
    ("large_accumulated_results.map", words_kept_by_the_mapper, MORE),
    ("large_input_split", records_of_the_split, LESS),
    ("large_accumulated_results.reduce", groups_kept_by_the_reducer, MORE),
    ("large_accumulated_results.group", records_kept_of_one_group, MORE),
    ("large_intermediate_results", record_that_explodes, MORE),
    ("large_external_data", table_of_the_distributed_cache, MORE),
    ("improper_partition.few_reducers", data_of_four_reducers, MORE),
    ("improper_partition.unbalanced", keys_that_fall_to_one_reducer, MORE),
    ("hotspot_key", records_of_one_key, MORE),
    ("hotspot_key", records_of_every_key, MORE),
    ("large_single_record", one_long_line, MORE),
    ("large_framework_buffer.map", sort_buffer, MORE),
    ("large_framework_buffer.shuffle", map_output_held_in_the_shuffle, MORE),
]


@pytest.mark.parametrize(
    ("cause", "data_set", "more_fires"), DATA_SETS, ids=[d[1].__name__ for d in DATA_SETS]
)
def test_a_fifth_more_and_a_fifth_less_data_give_opposite_verdicts(
    cause: str, data_set: DataSet, more_fires: bool, tmp_path: Path
) -> None:
    verdicts = []
    for factor in (1.2, 0.8) if more_fires else (0.8, 1.2):
        jobs = data_set(factor, tmp_path / str(factor))
        diagnosed = diagnose_runs(jobs if isinstance(jobs, list) else [jobs])
        verdicts.append(diagnosed.diagnosis.verdicts[cause])

    fires, silent = verdicts
    assert isinstance(fires, Fires), fires
    assert isinstance(silent, Silent), silent


def test_every_rule_has_its_data_sets() -> None:
    missing = {rule.cause for rule in RULES} - {cause for cause, _, _ in DATA_SETS}
    assert not missing, (
        f"add a data set for {', '.join(sorted(missing))} to DATA_SETS in "
        "tests/rules/test_data_sets.py; see docs/guides/add-a-rule.md"
    )
