"""A reducer that ends a group once it has met the next: it died of the group before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders.attempts import EventWriter, sketch

from mprof.evidence import DeathPosition, GroupSizes
from mprof.evidence.assemble import assemble
from mprof.job_run import JobRun
from mprof.trace import read_trace

JOB = "1700000000000_0001"
REDUCE = f"attempt_{JOB}_r_000001_0"
HIVE = "org.apache.hadoop.hive.ql.exec.mr.ExecReducer.reduce(ExecReducer.java:222)"
OWN = "com.example.Sum.reduce(Sum.java:12)"


def _died(
    folder: Path, caller: str, *, group: int = 3, record: int = 1, largest: int = 2
) -> tuple[DeathPosition, GroupSizes]:
    """A reducer that had read 900 records, 700 of them of one group, when it died."""
    writer = EventWriter(REDUCE, heap_max=256 << 20)
    writer.add(
        "groups",
        scope="reduce",
        count=group - 1,
        records=sketch([200, 700][: group - 1]),
        bytes=sketch([2_000, 7_000][: group - 1]),
        largest_by_records=[{"group": largest, "records": 700, "bytes": 7_000}],
        largest_by_bytes=[{"group": largest, "records": 700, "bytes": 7_000}],
    )
    stack = ["java.util.Arrays.copyOf(Arrays.java:1)", caller]
    oom: dict[str, Any] = {"class_": "java.lang.OutOfMemoryError", "message": "Java heap space"}
    writer.add("failure", place="reduce", thread="main", stack=stack, **oom)
    at = {"phase": 9, "records_in": 900 + record, "group": group, "record_in_group": record}
    trace = read_trace(writer.write(folder, position=at))
    evidence = assemble([JobRun(f"job_{JOB}", "watch", traces=(trace,))])
    assert isinstance(evidence.position, DeathPosition)
    assert isinstance(evidence.groups, GroupSizes)
    return evidence.position, evidence.groups


def test_at_the_first_record_of_the_next_group_it_worked_on_the_one_before(tmp_path: Path) -> None:
    position, groups = _died(tmp_path, HIVE)

    assert (position.group, position.record_in_group, position.record) == (2, 700, 900)
    assert groups.current is not None
    assert (groups.current.ordinal, groups.current.records, groups.current.whole) == (2, 700, True)


@pytest.mark.parametrize(
    ("caller", "change"),
    [
        (OWN, {}),
        # well within the next group
        (HIVE, {"record": 2}),
        # a group that is not the largest cannot be what filled the heap
        (HIVE, {"largest": 1}),
        (HIVE, {"group": 1, "largest": 1}),
    ],
)
def test_else_it_worked_on_the_group_it_was_in(
    caller: str, change: dict[str, int], tmp_path: Path
) -> None:
    position, groups = _died(tmp_path, caller, **change)

    wanted = {"group": 3, "record": 1} | change
    assert (position.group, position.record_in_group) == (wanted["group"], wanted["record"])
    assert groups.current is not None
    assert groups.current.ordinal == wanted["group"]
