"""The event log: typed events, lines cut off, garbage, gaps."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.attempts import EventWriter, sketch

from mprof.errors import EvidenceError
from mprof.trace import events
from mprof.trace.event_log import parse_events

ATTEMPT = "attempt_1700000000000_0001_m_000003_0"
SAMPLES = Path(__file__).resolve().parents[2] / "docs" / "reference" / "samples"


def _log() -> EventWriter:
    return (
        EventWriter(ATTEMPT, heap_max=512 << 20, pools=[{"name": "G1 Old Gen", "max": 1}])
        .add("split", path="hdfs://h/in", start=0, length=9, class_="o.a.h.FileSplit")
        .add("phase", phase="map", edge="begin", at={"phase": "map", "records_in": 0})
        .add(
            "spill",
            spill=0,
            edge="end",
            records_in=10,
            bytes_in=100,
            reason="full",
            partitions={"records": [6, 4], "keys": [2, 1], "raw_bytes": [60, 40]},
        )
        .add("records", scope="map", count=3, bytes=sketch([1, 2, 3]), current={"record": 4})
        .add("dump", file="oom.hprof", reason="oom", bytes=5, seconds=1.5)
        .add("failure", class_="java.lang.OutOfMemoryError", message="Java heap space", place="map")
        .add("end", outcome="failed")
    )


def test_each_line_becomes_its_type_with_members_that_are_absent_as_none() -> None:
    log = parse_events(_log().text.encode())

    assert log.losses == ()
    attach, split, phase, spill, records, dump, failure, end = log.events
    assert isinstance(attach, events.Attach)
    assert attach.pools[0].name == "G1 Old Gen"
    assert attach.java_version is None
    assert isinstance(split, events.SplitEvent)
    assert split.class_name == "o.a.h.FileSplit"
    assert isinstance(phase, events.Phase)
    assert phase.at is not None
    assert phase.at.records_in == 0
    assert isinstance(spill, events.Spill)
    assert spill.partitions is not None
    assert spill.partitions.raw_bytes == (60, 40)
    assert spill.partitions.compressed_bytes == ()
    assert isinstance(records, events.Records)
    assert records.bytes is not None
    assert records.bytes.count == 3
    assert isinstance(dump, events.DumpEvent)
    assert isinstance(failure, events.Failure)
    assert failure.class_name == "java.lang.OutOfMemoryError"
    assert isinstance(end, events.End)


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_a_torn_last_line_is_left_out_and_said(cut: int) -> None:
    log = parse_events(_log().text.encode()[:-cut])

    assert len(log.events) == (8 if cut == 1 else 7)
    assert log.losses == (
        () if cut == 1 else ("events: the last line is cut off, as after a kill; it is left out",)
    )


def test_garbage_between_lines_costs_those_lines_alone() -> None:
    lines = _log().text.encode().split(b"\n")
    lines[2] = b"\xff\xfe\x00garbage"
    lines[4] = b'{"v":2,"n":5,"type":"records","count":"many"}'

    log = parse_events(b"\n".join(lines))

    assert len(log.events) == 6
    assert log.losses == ("events: 2 lines are damaged and left out",)


@pytest.mark.parametrize(
    "value",
    ["[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000, "1" + "0" * 400,
     "9" * 5000, "9223372036854775808", "-9223372036854775809", "1e400", "NaN", '"\\ud800"'],
)  # fmt: skip
def test_a_line_too_deep_or_with_a_number_beyond_any_range_costs_that_line_alone(
    value: str,
) -> None:
    lines = _log().lines
    strange = f'{{"v":2,"n":99,"t":1,"type":"open","path":"x","length":{value}}}'

    log = parse_events("\n".join([*lines[:3], strange, *lines[3:], ""]).encode())

    assert len(log.events) == len(lines)
    assert log.losses == ("events: 1 lines are damaged and left out",)


@pytest.mark.parametrize("version", [1, 3])
def test_a_log_of_another_format_is_one_error_with_a_next_step(version: int) -> None:
    text = _log().text.replace('"v": 2', f'"v": {version}')

    with pytest.raises(EvidenceError) as error:
        parse_events(text.encode())

    assert f"format {version}" in error.value.what
    assert "format 2" in error.value.what
    assert "mprof run" in error.value.next_step


def test_a_log_whose_first_line_of_the_old_format_cannot_be_decoded_is_that_error_too() -> None:
    line = b'{"v":1,"t":0,"type":"attach","oom_dump":"armed","n":1}\n'

    with pytest.raises(EvidenceError, match="format 1"):
        parse_events(line)


def test_types_and_members_that_this_version_does_not_know_are_passed_over() -> None:
    text = _log().add("weather", sky="blue").add("end", outcome="failed", mood=3).text

    log = parse_events(text.encode())

    assert log.losses == ()
    assert len(log.events) == 9


def test_a_log_that_begins_late_says_so() -> None:
    text = "".join(line + "\n" for line in _log().lines[3:])

    assert parse_events(text.encode()).losses == (
        "events: the log begins with event 4; earlier events are lost",
    )


def test_an_empty_log_has_no_events() -> None:
    assert parse_events(b"").events == ()


@pytest.mark.skipif(
    not (SAMPLES / "events.jsonl").exists(), reason="the agent's sample is not there yet"
)
def test_the_agents_sample_holds_only_events_this_version_knows() -> None:
    data = (SAMPLES / "events.jsonl").read_bytes()

    log = parse_events(data)

    assert log.losses == ()
    assert len(log.events) == data.count(b"\n")
