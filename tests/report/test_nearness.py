"""What is said of an attempt that came to its end: where its heap would be full, and what fits."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.attempts import EventWriter

from mprof.diagnosis import diagnose_runs
from mprof.job_run import JobRun
from mprof.report.published.nearness import FullAt, Nearness
from mprof.report.published.report import Report
from mprof.report.sentences import _prediction, _what_fits, nearness_sentences
from mprof.trace import Trace, read_trace
from mprof.units import MIB


def near(full_at: FullAt | None = None, fits_times: float | None = None) -> Nearness:
    return Nearness(
        live_bytes=1 << 20, at_most=False, most_left_bytes=None, later_bytes=None,
        briefly_bytes=None, heap_bytes=4 << 20, record=10,
        parts=(),
        full_at=full_at, looked_at=True, why_not_full="nothing grows",
        may_be_soft=False, fits_times=fits_times,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("full_at", "sentence"),
    [
        (
            FullAt(unit="record", ordinal=2000, times=2.0, input_bytes=128 << 20,
                   at_the_earliest=False, group=None),
            ("If its growth continues, the heap is full after about 2,000 input records, "
            "2.0 times its input: a split of 128 MB."),
        ),
        (
            FullAt(unit="record_in_group", ordinal=2000, times=2.0, input_bytes=None,
                   at_the_earliest=True, group=7),
            ("If its growth continues, the heap is full at the earliest after 2,000 records of one "
            "group, 2.0 times those of group 7."),
        ),
        (None, "No input size is predicted at which it would die: nothing grows."),
    ],
)  # fmt: skip
def test_where_the_heap_would_be_full_is_one_sentence(
    full_at: FullAt | None, sentence: str
) -> None:
    assert sentence == _prediction(near(full_at))


def test_what_fits_is_said_or_that_nothing_shows_it() -> None:
    assert _what_fits(near(fits_times=2.25)).startswith("Up to 2.2 times its input should fit, as")
    assert _what_fits(near()) == (
        "Its garbage collections do not show whether more input would fit."
    )


def test_where_only_minor_collections_were_seen_both_bounds_are_said(tmp_path: Path) -> None:
    """What one record needed for a while is in the larger of them alone."""
    report = Report.of(diagnose_runs([finished(tmp_path)]))
    said = " ".join(nearness_sentences(report))

    assert "at most 20 MB live of" in said
    assert "collections left up to 60 MB" in said
    assert "garbage included" in said


def finished(folder: Path) -> JobRun:
    """A mapper whose heap was full once, and empty again at its end."""
    writer = EventWriter("attempt_1700000000000_0001_m_000000_0", heap_max=100 * MIB)
    for records, left in enumerate((15, 18, 60, 20), start=1):
        at = {"phase": "map", "records_in": records * 100, "progress_ppm": records * 250_000}
        writer.add("memory", major=False, used_after=left * MIB, at=at)
    writer.add("end", outcome="done")
    return job_of(read_trace(writer.write(folder), state="SUCCEEDED"))


def test_what_came_after_the_fullest_full_collection_is_said_too(tmp_path: Path) -> None:
    """43 MB at three quarters of its groups, and more by the minor collections that followed."""
    trace = attempt(tmp_path, (20, False), (48, False), (43, True), (46, False), (51, False))
    said = " ".join(nearness_sentences(Report.of(diagnose_runs([job_of(trace)]))))

    assert "43 MB live of 100 MB (43 %) at a full collection" in said
    assert "later minor ones, which leave garbage too, left up to 51 MB (51 %)" in said


def test_garbage_that_a_full_collection_freed_is_not_said_to_have_come_later(
    tmp_path: Path,
) -> None:
    trace = attempt(tmp_path, (70, False), (43, True), (60, False), (41, True), (42, False))
    said = " ".join(nearness_sentences(Report.of(diagnose_runs([job_of(trace)]))))

    assert "43 MB live of 100 MB (43 %)." in said


@pytest.mark.parametrize(("left", "told"), [(94, True), (60, False)])
def test_a_heap_that_stayed_full_may_be_that_of_soft_references(
    tmp_path: Path, left: int, *, told: bool
) -> None:
    """It filled up within a tenth of its input, and took in the rest in the room that was left."""
    full = [(left, True)] * 12
    trace = attempt(tmp_path, (20, False), (left // 2, False), *full)
    said = " ".join(nearness_sentences(Report.of(diagnose_runs([job_of(trace)]))))

    assert told == ("soft references" in said)


def test_a_heap_that_goes_on_growing_to_its_limit_is_near_it(tmp_path: Path) -> None:
    trace = attempt(tmp_path, *((10 * step, True) for step in range(1, 10)))
    said = " ".join(nearness_sentences(Report.of(diagnose_runs([job_of(trace)]))))

    assert "the heap is full after about" in said
    assert "soft references" not in said


def attempt(folder: Path, *left: tuple[int, bool]) -> Trace:
    """A mapper that finished, with a heap of 100 MB: (MB left, whether by a full collection)."""
    writer = EventWriter("attempt_1700000000000_0001_m_000000_0", heap_max=100 * MIB)
    for step, (used, major) in enumerate(left, start=1):
        at = {"phase": "map", "records_in": step * 100}
        writer.add("memory", major=major, used_after=used * MIB, at=at)
    writer.add("end", outcome="done")
    position = {"phase": 4, "records_in": 100 * len(left)}
    return read_trace(writer.write(folder, position=position), state="SUCCEEDED")


def job_of(trace: Trace) -> JobRun:
    return JobRun("job_1700000000000_0001", "watch", traces=(trace,), state="SUCCEEDED")


@pytest.mark.parametrize(("phase", "told"), [("commit", True), ("map", False)])
def test_what_was_gone_before_the_only_full_collection_is_said(
    tmp_path: Path, phase: str, *, told: bool
) -> None:
    """Writers that are open while map() runs, and closed before the task commits."""
    writer = EventWriter("attempt_1700000000000_0001_m_000000_0", heap_max=100 * MIB)
    for left, major, where in ((72, False, "map"), (16, True, phase), (17, False, phase)):
        writer.add("memory", major=major, used_after=left * MIB, at={"phase": where})
    writer.add("end", outcome="done")
    job = job_of(read_trace(writer.write(tmp_path), state="SUCCEEDED"))

    said = " ".join(nearness_sentences(Report.of(diagnose_runs([job]))))

    assert ("left up to 72 MB (72 %), of which nothing tells how much was live" in said) is told
