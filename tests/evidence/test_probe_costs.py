"""What the probes of an attempt cost it, from the events that tell of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.attempts import EventWriter
from builders.keys import field_key
from builders.snapshots import MIB, holding, snapshot

from mprof.advice import advise
from mprof.diagnosis import diagnose_runs
from mprof.evidence.assemble.probes import probes_of
from mprof.job_run import JobRun
from mprof.report import render_text, to_json
from mprof.trace import Trace, read_trace

START = 1_700_000_000_000


def _trace(folder: Path, *, probed: bool) -> Trace:
    """A mapper that ran for 40 s with a dump of 2 s, histograms of 0.5 and 1.5 s, and its death."""
    writer = EventWriter("attempt_1_0001_m_000000_0", mode="profile", heap_max=1 << 30, t=START)
    if probed:
        writer.add("dump", file="probe-before_record-1.hprof", reason="probe", seconds=2.0)
        for seconds in (0.5, 1.5):
            writer.add("histogram", reason="probe", seconds=seconds, total_bytes=1, classes=[])
    # Neither of these is a probe of the plan
    writer.add("histogram", reason="filling", seconds=7.0, total_bytes=1, classes=[])
    writer.add("dump", file="oom.hprof", reason="oom", seconds=9.0)
    writer.add(
        "failure",
        t=START + 40_000,
        class_="java.lang.OutOfMemoryError",
        message="Java heap space",
        stack=["com.example.Job.map(Job.java:1)"],
    )
    return read_trace(writer.write(folder, position={"phase": 3, "records_in": 7}))


def _words(text: str) -> str:
    """The text without its line breaks."""
    return " ".join(text.split())


def test_the_probes_of_the_plan_alone_are_counted_with_what_was_expected(tmp_path: Path) -> None:
    trace = _trace(tmp_path, probed=True)
    run = JobRun("job_1_0001", "profile", traces=(trace,), why="profiling m_000000: about 3 s")

    diagnosed = advise(diagnose_runs([run]))

    probes = diagnosed.evidence.probes
    assert probes is not None
    assert (probes.dumps, probes.histograms, probes.seconds) == (1, 2, 4.0)
    assert probes.attempt_seconds == 40.0
    text = _words(render_text(diagnosed))
    assert "1 heap dump and 2 class histograms before its end took 4.0 s, 10 % of the 40 s" in text
    assert "the plan was: profiling m_000000: about 3 s" in text
    assert to_json(diagnosed)["probes"]["seconds"] == 4.0


def test_an_attempt_without_probes_says_nothing_of_their_cost(tmp_path: Path) -> None:
    trace = _trace(tmp_path, probed=False)
    run = JobRun("job_1_0001", "watch", traces=(trace,))

    assert probes_of(trace, run) is None
    diagnosed = advise(diagnose_runs([run]))
    assert "WHAT THE PROBES COST" not in _words(render_text(diagnosed))


def _died(folder: Path, job: str, *, death: bool, counted: int) -> JobRun:
    """A mapper that died with 200 MB in a field; its probes: two dumps, and some histograms."""
    name = f"attempt_{job}_m_000000_0"
    writer = EventWriter(name, heap_max=256 * MIB, mode="profile")
    key = field_key("com.x.Words", "seen")
    heaps = []
    for record, size in ((1, 2), (50, 100)):
        file = f"probe-before_record-{record}"
        writer.add("dump", file=f"{file}.hprof", reason="probe", point="before_record",
                   ordinal=record, at={"phase": "map", "records_in": record})  # fmt: skip
        heaps.append(snapshot(file, [holding(key, size * MIB)]))
    for record in range(60, 60 + counted):
        at = {"phase": "map", "records_in": record}
        writer.add("histogram", reason="probe", point="before_record", ordinal=record, seconds=1.0,
                   total_bytes=1, classes=[], at=at)  # fmt: skip
    if death:
        writer.add("dump", file="oom.hprof", reason="oom")
        heaps.append(snapshot("oom", [holding(key, 200 * MIB)], at_death=True))
    writer.add(
        "failure",
        place="map",
        class_="java.lang.OutOfMemoryError",
        message="Java heap space",
        thread="main",
    )
    trace = read_trace(writer.write(folder, position={"phase": 3, "records_in": 99}))
    return JobRun(f"job_{job}", "profile", traces=(trace,), snapshots={name: tuple(heaps)})


@pytest.mark.parametrize("counted", [0, 1, 3])
def test_the_dump_of_one_run_and_the_probes_of_the_next_are_told_together(
    tmp_path: Path, *, counted: int
) -> None:
    before = _died(tmp_path / "1", "1_0001", death=True, counted=0)
    newest = _died(tmp_path / "2", "1_0002", death=False, counted=counted)

    evidence = diagnose_runs([before, newest]).evidence

    assert evidence.attempt.attempt_id == "attempt_1_0001_m_000000_0"
    assert evidence.probes is not None
    assert (evidence.probes.dumps, evidence.probes.histograms) == (2, counted)
