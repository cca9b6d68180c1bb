"""How full the heap of an attempt was that came to its end, and of what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from builders.attempts import EventWriter

from mprof.evidence import Peak, PeakPart, Unknown
from mprof.evidence.assemble import assemble
from mprof.history import JobHistory
from mprof.job_run import JobRun
from mprof.trace import Trace, read_trace
from mprof.units import MIB

JOB = "1700000000000_0001"


def at(records: int, **slots: Any) -> dict[str, Any]:
    return {"phase": "map", "records_in": records, **slots}


def finished(folder: Path, index: int, *events: tuple[str, dict[str, Any]]) -> Trace:
    """A map attempt with a heap of 256 MB that took in 1,000 records."""
    writer = EventWriter(f"attempt_{JOB}_m_{index:06d}_0", heap_max=256 * MIB)
    for kind, members in events:
        writer.add(kind, **members)
    writer.add("end", outcome="done")
    slots = {"phase": 13, "records_in": 1000}
    return read_trace(writer.write(folder, position=slots))


def minor(size: int, records: int, **slots: Any) -> tuple[str, dict[str, Any]]:
    return "memory", {"major": False, "used_after": size * MIB, "at": at(records, **slots)}


def major(size: int, records: int, **slots: Any) -> tuple[str, dict[str, Any]]:
    return "memory", {"major": True, "used_after": size * MIB, "at": at(records, **slots)}


def peak_of(*traces: Trace) -> Peak | Unknown:
    history = JobHistory("avro-binary", f"job_{JOB}", state="SUCCEEDED", total_maps=len(traces))
    return assemble([JobRun(f"job_{JOB}", "watch", history=history, traces=traces)]).peak


def test_of_minor_collections_the_garbage_is_not_live(tmp_path: Path) -> None:
    # 90 MB at record 10 were garbage in part: by record 300 only 40 of them were left
    peak = peak_of(finished(tmp_path, 0, minor(90, 10), minor(40, 300), minor(60, 700)))

    assert peak == Peak(
        60 * MIB, True, records=700, records_in_all=1000, most_left_bytes=90 * MIB, collections=3
    )


def test_a_major_collection_leaves_what_is_live(tmp_path: Path) -> None:
    peak = peak_of(finished(tmp_path, 0, minor(200, 10), major(50, 300), major(45, 700)))

    assert peak == Peak(
        50 * MIB, False, records=300, records_in_all=1000, most_left_bytes=200 * MIB, collections=3
    )


def test_without_a_collection_nothing_is_known(tmp_path: Path) -> None:
    peak = peak_of(finished(tmp_path, 0))

    assert isinstance(peak, Unknown)
    assert peak.run_that_would_tell == "none"


def test_the_parts_are_buffers_and_the_classes_beside_them(tmp_path: Path) -> None:
    classes = [["byte[]", 10, 120 * MIB], ["java.lang.String", 99, 30 * MIB], ["int[]", 1, MIB]]
    histogram = {
        "reason": "filling", "total_bytes": 160 * MIB, "classes": classes,
        "at": at(800, map_buffer_ready=1, map_buffer_bytes=100 * MIB),
    }  # fmt: skip

    peak = peak_of(finished(tmp_path, 0, major(100, 300), ("histogram", histogram)))

    assert isinstance(peak, Peak)
    assert peak.looked_at
    assert (peak.live_bytes, peak.records) == (160 * MIB, 800)
    assert peak.parts == (
        PeakPart("sort buffer", 100 * MIB),
        PeakPart("class", 30 * MIB, "java.lang.String"),
        PeakPart("class", 20 * MIB, "byte[]"),  # those that are not the buffer's
    )


def test_what_was_left_before_the_fullest_look_did_not_come_later(tmp_path: Path) -> None:
    look = {"total_bytes": 43 * MIB, "classes": [["byte[]", 1, 40 * MIB]], "at": at(400)}

    before = peak_of(finished(tmp_path / "1", 0, minor(50, 300), ("histogram", look)))
    after = peak_of(finished(tmp_path / "2", 0, ("histogram", look), minor(50, 900)))

    assert isinstance(before, Peak)
    assert isinstance(after, Peak)
    assert (before.live_bytes, before.later_bytes) == (43 * MIB, None)
    assert (after.live_bytes, after.later_bytes) == (43 * MIB, 50 * MIB)


def test_a_histogram_of_long_before_the_peak_says_nothing_of_it(tmp_path: Path) -> None:
    early = {"total_bytes": 50 * MIB, "classes": [["char[]", 1, 40 * MIB]], "at": at(10)}

    peak = peak_of(finished(tmp_path, 0, ("histogram", early), major(200, 900)))

    assert isinstance(peak, Peak)
    assert (peak.live_bytes, peak.parts, peak.looked_at) == (200 * MIB, (), False)


def test_of_attempts_that_finished_the_one_nearest_its_limit_stands_for_the_job(
    tmp_path: Path,
) -> None:
    peak = peak_of(
        finished(tmp_path, 0, major(100, 10)),
        finished(tmp_path, 1, major(180, 20)),
        finished(tmp_path, 2, minor(130, 30)),
    )

    assert isinstance(peak, Peak)
    assert peak.live_bytes == 180 * MIB


def test_a_buffer_that_is_larger_than_the_live_heap_was_made_after_the_collection(
    tmp_path: Path,
) -> None:
    slots = {"map_buffer_ready": 1, "map_buffer_bytes": 100 * MIB}

    peak = peak_of(finished(tmp_path, 0, major(16, 0, **slots)))

    assert peak == Peak(
        16 * MIB, False, records=0, records_in_all=1000, most_left_bytes=16 * MIB, collections=1
    )


def test_of_a_finished_reducer_the_fullest_group_is_followed(tmp_path: Path) -> None:
    #  group    1     2 (hot)         3
    #  left    20   30  60  90 120   22
    writer = EventWriter(f"attempt_{JOB}_r_000000_0", heap_max=256 * MIB)
    seen = [(20, 1, 1, 5), (30, 2, 10, 15), (60, 2, 110, 115), (90, 2, 210, 215),
            (120, 2, 310, 315), (22, 3, 2, 405)]  # fmt: skip
    for size, group, within, records in seen:
        slots = {"phase": "reduce", "group": group, "record_in_group": within}
        writer.add("memory", major=True, used_after=size * MIB, at=at(records, **slots))
    writer.add("end", outcome="done")
    position = {"phase": 12, "records_in": 500, "group": 3}
    trace = read_trace(writer.write(tmp_path, position=position))
    history = JobHistory("avro-binary", f"job_{JOB}", state="SUCCEEDED", total_reduces=1)

    evidence = assemble([JobRun(f"job_{JOB}", "watch", history=history, traces=(trace,))])

    (over,) = [one for one in evidence.series if one.unit == "group"]
    assert {0.0, 1.0, 2.0} == {point.x for point in over.points}
    inside = evidence.fullest_group
    assert inside is not None
    assert inside.group == 2
    assert [(9.0, 30), (109.0, 60), (209.0, 90), (309.0, 120)] == [
        (point.x, point.size_bytes / MIB) for point in inside.points
    ]
