"""G_m and the groups of all reducers, where none had been counted before it died."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders.attempts import EventWriter, sketch

from mprof.evidence import GroupSizes, Unknown
from mprof.evidence.assemble import assemble
from mprof.history import JobHistory
from mprof.job_run import JobRun
from mprof.trace import Trace, read_trace

JOB = "1700000000000_0001"
OOM = {"class_": "java.lang.OutOfMemoryError", "message": "Java heap space", "thread": "main"}


def attempt(folder: Path, index: int, mode: str, *events: tuple[str, dict[str, Any]]) -> Trace:
    writer = EventWriter(f"attempt_{JOB}_r_{index:06d}_0", heap_max=1 << 28, mode=mode)
    for kind, members in events:
        writer.add(kind, **members)
    slots = {"phase": 9, "group": 1, "record_in_group": 5000, "records_in": 5000}
    return read_trace(writer.write(folder / f"{mode}{index}", position=slots))


def died_in_its_first_group(folder: Path, index: int) -> Trace:
    open_group = {"group": 1, "records": 5000}
    return attempt(
        folder,
        index,
        "profile",
        ("groups", {"scope": "reduce", "count": 0, "current": open_group}),
        ("failure", {"place": "reduce", **OOM}),
    )


def sizes(records: list[int]) -> dict[str, Any]:
    return {"records": sketch(records), "bytes": sketch([10 * each for each in records])}


def counted(step: str, records: list[int], *, end: bool) -> tuple[str, dict[str, Any]]:
    return "verify", {"step": step, "end": end, "others": sizes(records)}


def run(mode: Any, *traces: Trace, reducers: int = 2) -> JobRun:
    history = JobHistory("avro-binary", f"job_{JOB}", total_maps=1, total_reduces=reducers)
    return JobRun(f"job_{JOB}", mode, history=history, traces=traces)


def groups_of(*runs: JobRun) -> GroupSizes:
    found = assemble(runs).groups
    assert isinstance(found, GroupSizes)
    return found


def values(groups: GroupSizes) -> list[float]:
    assert not isinstance(groups.other_records, Unknown)
    pairs = zip(groups.other_records.values, groups.other_records.counts, strict=True)
    return [value for value, count in pairs for _ in range(count)]


@pytest.mark.parametrize("end", [True, False])
def test_a_death_in_the_first_group_is_compared_with_what_the_verify_attempts_counted(
    end: bool, tmp_path: Path
) -> None:
    died = [died_in_its_first_group(tmp_path, index) for index in (0, 1)]
    verified = attempt(
        tmp_path, 0, "verify", ("verify", {"step": "met"}), counted("group_total", [3, 4], end=True)
    )
    beside = attempt(tmp_path, 1, "verify", counted("counted", [7, 9], end=end))

    before = groups_of(run("profile", *died))
    after = groups_of(run("profile", *died), run("verify", verified, beside))

    assert isinstance(before.other_records, Unknown)
    assert not before.all_reducers
    assert values(after) == [3, 4, 7, 9]
    assert after.all_reducers is end  # else groups of the other reducer are missing


def test_a_reducer_that_was_killed_half_way_is_not_all_of_its_groups(tmp_path: Path) -> None:
    died = died_in_its_first_group(tmp_path, 0)

    def beside(mode: str, count: int, *, whole: bool) -> Trace:
        records = [2] * count
        event = {"scope": "reduce", "count": count, "whole": whole, **sizes(records)}
        return attempt(tmp_path / str(whole), 1, mode, ("groups", event))

    half = run("profile", died, beside("watch", 3, whole=False))
    empty = run("profile", died, beside("watch", 0, whole=True))
    later = run("verify", beside("watch", 8, whole=True))

    assert (values(groups_of(half)), groups_of(half).all_reducers) == ([2] * 3, False)
    assert groups_of(empty).all_reducers  # it had no group at all, and was read to its end
    assert (values(groups_of(half, later)), groups_of(half, later).all_reducers) == ([2] * 8, True)


def test_an_attempt_that_only_counted_verified_nothing(tmp_path: Path) -> None:
    died = died_in_its_first_group(tmp_path, 1)
    beside = attempt(tmp_path, 1, "verify", counted("counted", [7, 9], end=True))

    verification = assemble([run("profile", died), run("verify", beside)]).verification

    assert isinstance(verification, Unknown)
