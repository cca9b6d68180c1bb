"""Which attempt stands for a job that did not fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.attempts import EventWriter

from mprof.diagnosis import diagnose_runs
from mprof.evidence.assemble import assemble
from mprof.job_run import JobRun
from mprof.report import render_text
from mprof.trace import Trace, read_trace

JOB = "1700000000000_0001"


def attempt(folder: Path, number: int, state: str, *, records: int, diagnostics: str = "") -> Trace:
    name = f"attempt_{JOB}_r_000001_{number}"
    at = {"phase": "reduce", "records_in": records}
    writer = EventWriter(name, heap_max=256 << 20)
    writer.add("end", outcome="done" if state == "SUCCEEDED" else "exit", at=at)
    written = writer.write(folder / name, position={"phase": 9, "records_in": records})
    return read_trace(written, state=state, diagnostics=diagnostics or None)


@pytest.mark.parametrize("killed_first", [False, True])
def test_an_attempt_that_another_one_had_overtaken_does_not_stand_for_the_job(
    tmp_path: Path, killed_first: bool
) -> None:
    done = attempt(tmp_path, 0, "SUCCEEDED", records=10)
    why = f"Speculation: attempt_{JOB}_r_000001_0 succeeded first!"
    killed = attempt(tmp_path, 1, "KILLED", records=900, diagnostics=why)
    traces = (killed, done) if killed_first else (done, killed)
    run = JobRun(f"job_{JOB}", "watch", traces=traces, state="SUCCEEDED")

    evidence = assemble([run])

    assert evidence.attempt.attempt_id == done.attempt_id
    assert evidence.death.kind == "none"
    assert "did not fail" in render_text(diagnose_runs([run]))


def test_it_can_still_be_asked_for(tmp_path: Path) -> None:
    done = attempt(tmp_path, 0, "SUCCEEDED", records=10)
    killed = attempt(tmp_path, 1, "KILLED", records=900, diagnostics="Speculation")
    run = JobRun(f"job_{JOB}", "watch", traces=(done, killed), state="SUCCEEDED")

    assert assemble([run], killed.attempt_id).attempt.attempt_id == killed.attempt_id
