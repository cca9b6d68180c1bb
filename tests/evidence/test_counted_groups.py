"""G_m and the groups of all reducers, where none had been counted before it died."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders.attempts import EventWriter, sketch

from mprof.evidence import Group, GroupSizes, Unknown
from mprof.evidence.assemble import assemble
from mprof.history import JobConf, JobHistory
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


def rest(
    records: int, others: list[int], *, whole: bool = True, end: bool = True
) -> tuple[str, dict[str, Any]]:
    group = {"records": records, "bytes": 10 * records, "whole": whole}
    return "rest", {"scope": "reduce", "group": group, "others": sizes(others), "end": end}


def died_and_counted(
    folder: Path, index: int, *counted: tuple[str, dict[str, Any]], mode: str = "watch"
) -> Trace:
    """Of its first group it met 5,000 records."""
    open_group = {"group": 1, "records": 5000}
    groups = ("groups", {"scope": "reduce", "count": 0, "current": open_group})
    return attempt(folder, index, mode, groups, ("failure", {"place": "reduce", **OOM}), *counted)


def test_the_failed_attempt_itself_counts_its_group_to_the_end(tmp_path: Path) -> None:
    died = died_and_counted(tmp_path, 0, rest(9000, [3, 4]))

    groups = groups_of(run("watch", died, reducers=1))

    assert groups.whole == Group(1, 9000, 90_000, None, whole=True)
    assert groups.current is not None
    assert groups.current.records == 5000  # what it died of stays what it was
    assert values(groups) == [3, 4]
    assert groups.all_reducers


def test_a_count_that_came_to_no_end_is_none_of_the_whole_group(tmp_path: Path) -> None:
    died = died_and_counted(tmp_path, 0, rest(9000, [], whole=False, end=False))

    groups = groups_of(run("watch", died, reducers=1))

    assert groups.whole is None
    assert groups.counted is not None
    assert groups.counted.records == 9000


@pytest.mark.parametrize("end", [True, False])
def test_the_groups_of_another_reducer_that_died_are_whole_once_it_counted_them(
    end: bool, tmp_path: Path
) -> None:
    died = died_and_counted(tmp_path, 0, rest(9000, [3, 4]))
    beside = died_and_counted(tmp_path, 1, rest(48, [5, 6], end=end))

    groups = groups_of(run("watch", died, beside))

    assert values(groups) == [3, 4, 5, 6, 48]  # its own G_m is one of the others here
    assert groups.all_reducers is end


def test_of_two_counts_of_one_group_the_whole_one_holds(tmp_path: Path) -> None:
    died = died_and_counted(tmp_path, 0, rest(9000, [3], whole=False, end=False))
    step, members = counted("group_total", [3, 4], end=True)
    total = (step, {**members, "records": 9500, "whole": True})
    verified = attempt(tmp_path, 0, "verify", ("verify", {"step": "met"}), total)

    groups = groups_of(run("watch", died, reducers=1), run("verify", verified, reducers=1))

    assert groups.whole is not None
    assert groups.whole.records == 9500
    assert values(groups) == [3, 4]


def test_what_an_older_attempt_of_the_task_counted_of_the_group_holds(tmp_path: Path) -> None:
    """The newer one was halted before it came to count."""
    watched = died_in("00ab", tmp_path / "1", rest_of_group("00ab", 9000))
    again = died_in("00ab", tmp_path / "2")
    elsewhere = died_in("00cd", tmp_path / "3")

    same = groups_of(run("watch", watched, reducers=1), run("profile", again, reducers=1))
    other = groups_of(run("watch", watched, reducers=1), run("profile", elsewhere, reducers=1))

    assert same.whole is not None
    assert same.whole.records == 9000
    assert other.counted is None


def died_in(digest: str, folder: Path, *counted: tuple[str, dict[str, Any]]) -> Trace:
    writer = EventWriter(f"attempt_{JOB}_r_000000_0", heap_max=1 << 28, mode="watch")
    current = {"group": 1, "records": 5000, "digest": digest}
    writer.add("groups", scope="reduce", count=0, current=current)
    writer.add("failure", place="reduce", **OOM)
    for kind, members in counted:
        writer.add(kind, **members)
    slots = {"phase": 9, "group": 1, "record_in_group": 5000, "records_in": 5000}
    return read_trace(writer.write(folder, position={**slots, "group_digest": int(digest, 16)}))


def rest_of_group(digest: str, records: int) -> tuple[str, dict[str, Any]]:
    kind, members = rest(records, [3])
    return kind, {**members, "group": {**members["group"], "digest": digest.zfill(16)}}


def map_output(
    folder: Path, index: int, *partitions: dict[str, int], combined: bool = False
) -> Trace:
    """Of a map task that tells the records of all its keys, by digest."""
    keys = [(digest.zfill(16), each) for keys in partitions for digest, each in keys.items()]
    lists = {
        "records": [sum(keys.values()) for keys in partitions],
        "keys": [len(keys) for keys in partitions],
        "every_key_digest": [digest for digest, _ in keys],
        "every_key_records": [each for _, each in keys],
        "every_key_bytes": [12 * each for _, each in keys],  # 10 of key and value, two lengths
    }
    writer = EventWriter(f"attempt_{JOB}_m_{index:06d}_0", heap_max=1 << 28, mode="watch")
    writer.add("map_output", partitions=lists, spills=1, combined=combined)
    writer.add("end", outcome="done")
    return read_trace(writer.write(folder / f"map{index}"))


def run_of(*traces: Trace, maps: int = 2, **conf: str) -> JobRun:
    history = JobHistory("avro-binary", f"job_{JOB}", total_maps=maps, total_reduces=2)
    return JobRun(f"job_{JOB}", "watch", history=history, traces=traces, conf=JobConf(conf))


def test_where_map_tasks_tell_all_keys_every_group_is_known(tmp_path: Path) -> None:
    """Nothing was counted after the failure: the reducer was halted at once."""
    maps = (
        map_output(tmp_path, 0, {"ab": 4000, "01": 30}, {"02": 7}),
        map_output(tmp_path, 1, {"ab": 5000, "03": 40}, {"02": 8, "04": 9}),
    )

    groups = groups_of(run_of(died_in("00ab", tmp_path), *maps))

    assert groups.whole == Group(1, 9000, 90_000, "ab".zfill(16), whole=True)
    assert groups.current is not None
    assert groups.current.records == 5000
    assert values(groups) == [9, 15, 30, 40]
    assert groups.all_reducers


@pytest.mark.parametrize(
    "why",
    [
        "comparator",
        "sorting",
        "combiner",
        "old combiner",
        "combined",
        "map missing",
        "perhaps a map missing",
        "no conf",
    ],
)
def test_a_key_that_may_be_no_group_is_not_taken_for_one(why: str, tmp_path: Path) -> None:
    maps = [
        map_output(tmp_path, 0, {"ab": 4000, "01": 30}, {"02": 7}, combined=why == "combined"),
        map_output(tmp_path, 1, {"ab": 5000, "03": 40}, {"02": 8, "04": 9}),
    ]
    names = {
        "comparator": "mapreduce.job.output.group.comparator.class",
        "sorting": "mapreduce.job.output.key.comparator.class",
        "combiner": "mapreduce.job.combine.class",
        "old combiner": "mapred.combiner.class",
    }
    conf = {names[why]: "org.example.Some"} if why in names else {}
    died = died_in("00ab", tmp_path)
    of = run_of(died, *maps, maps=3 if why == "map missing" else 2, **conf)
    if why == "no conf":
        of = replace(of, conf=None)
    if why == "perhaps a map missing":
        of = replace(of, history=None)

    groups = groups_of(of)

    assert groups.whole is None
    assert isinstance(groups.other_records, Unknown)


@pytest.mark.parametrize("of_group", [4999, None])
def test_a_group_that_no_key_accounts_for_is_counted_by_none(
    of_group: int | None, tmp_path: Path
) -> None:
    """Of a type that compares a part of its bytes alone several keys are one group."""
    keys = {"01": 30} if of_group is None else {"ab": of_group, "01": 30}
    traces = died_in("00ab", tmp_path), map_output(tmp_path, 0, keys, {"02": 7})

    groups = groups_of(run_of(*traces, maps=1))

    assert groups.counted is None
    assert isinstance(groups.other_records, Unknown)  # those of the other reducer neither


@pytest.mark.parametrize(
    "finished", [{"01": 30}, {"01": 30, "02": 40}, {"01": 31}, {"05": 30}, {"01": 30, "05": 1}]
)
def test_groups_that_the_reducer_has_finished_must_be_keys(
    finished: dict[str, int], tmp_path: Path
) -> None:
    traces = (
        died_after(finished, tmp_path),
        map_output(tmp_path, 0, {"01": 30, "02": 40, "ab": 9000}, {"03": 7}),
    )

    groups = groups_of(run_of(*traces, maps=1))

    agree = finished in ({"01": 30}, {"01": 30, "02": 40})
    assert (groups.whole is not None) == agree


def died_after(
    finished: dict[str, int], folder: Path, *, reduce_total: int = 9070, others: int = 0
) -> Trace:
    """In the group 00ab, after these and others that were not among the largest."""
    writer = EventWriter(f"attempt_{JOB}_r_000000_0", heap_max=1 << 28, mode="watch")
    largest = [
        {"group": at, "records": each, "digest": digest.zfill(16)}
        for at, (digest, each) in enumerate(finished.items(), 1)
    ]
    members = {"count": len(finished) + others, "largest_by_records": largest}
    writer.add("groups", scope="reduce", **members, **sizes([*finished.values()]))
    writer.add("failure", place="reduce", **OOM)
    slots = {"phase": 9, "group": len(finished) + 1, "record_in_group": 5000, "records_in": 5030}
    slots |= {"group_digest": 0xAB, "reduce_total": reduce_total}
    return read_trace(writer.write(folder, position=slots))


@pytest.mark.parametrize("others", [1, 2])
def test_a_reducer_has_no_more_groups_than_there_are_keys(others: int, tmp_path: Path) -> None:
    died = died_after({"01": 30}, tmp_path, others=others)
    output = map_output(tmp_path, 0, {"01": 30, "02": 40, "ab": 9000}, {"03": 7})

    groups = groups_of(run_of(died, output, maps=1))

    assert (groups.whole is not None) == (others == 1)


@pytest.mark.parametrize("total", [9070, 9069])
def test_the_reducer_must_read_what_the_map_tasks_wrote(total: int, tmp_path: Path) -> None:
    died = died_after({"01": 30}, tmp_path, reduce_total=total)
    output = map_output(tmp_path, 0, {"01": 30, "02": 40, "ab": 9000}, {"03": 7})

    groups = groups_of(run_of(died, output, maps=1))

    assert (groups.whole is not None) == (total == 9070)


def test_what_map_tasks_and_reducers_count_of_a_group_is_as_large(tmp_path: Path) -> None:
    """Of small records the lengths that a map task writes with them would be a third more."""
    digests = [f"{at:02x}" for at in range(8)]
    output = map_output(tmp_path, 0, {"ab": 9000}, dict.fromkeys(digests, 9000))
    whole = {"scope": "reduce", "count": 8, "whole": True, **sizes([9000] * 8)}
    beside = attempt(tmp_path, 1, "watch", ("groups", whole))

    groups = groups_of(run_of(died_in("00ab", tmp_path), output, beside, maps=1))

    assert groups.whole is not None
    assert not isinstance(groups.other_bytes, Unknown)
    assert groups.whole.bytes == groups.other_bytes.median == 90_000


def test_a_later_run_with_other_reducers_takes_nothing_away(tmp_path: Path) -> None:
    output = map_output(tmp_path, 0, {"ab": 9000, "01": 30}, {"02": 7})
    first = run_of(died_in("00ab", tmp_path / "1"), output, maps=1)
    again = map_output(tmp_path / "2", 0, {"01": 30}, {"02": 7}, {"ab": 9000})
    second = run_of(died_in("00ab", tmp_path / "2"), again, maps=1)

    assert groups_of(first).whole == groups_of(second, first).whole
    assert groups_of(first).whole is not None
