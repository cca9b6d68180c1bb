"""`mprof run` and `rerun` on job jars mprof has never seen, from driver to verdict."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from e2e.conftest import Command

from mprof.runs.capture import open_capture
from mprof.trace import read_trace

pytestmark = [pytest.mark.hadoop, pytest.mark.slow]

COULD_NOT_RUN = 4
DIAGNOSED = 5


def _causes(report: dict) -> list[str]:  # type: ignore[type-arg]
    return [cause["cause"] for cause in report["causes"]]


def test_a_mapper_that_remembers_every_line_is_named_by_field_and_rerun_makes_it_sure(
    mprof: Command, jar: Path, lines: Path, tmp_path: Path
) -> None:
    # The driver has no ToolRunner and sets its own configuration.
    capture, out = tmp_path / "capture", tmp_path / "out"
    job = ["hadoop", "jar", str(jar), "acme.SessionTimes", str(lines), str(out), "48m"]

    watched = mprof("run", "--embedded", "-o", str(capture), "--json", "--", *job)

    assert watched.exit_code == DIAGNOSED, watched.stderr
    assert watched.json["death"]["kind"] == "heap"

    profiled = mprof("rerun", "--embedded", str(capture), "--json", "--", *job)

    assert profiled.exit_code == DIAGNOSED, profiled.stderr
    report = profiled.json
    assert "large_accumulated_results.map" in _causes(report), report
    cause = report["causes"][0]
    assert cause["confidence"] == "sure"
    assert cause["where"]["class"] == "acme.SessionTimes$Remember"
    assert cause["where"]["method"] == "map"
    assert "sessions" in cause["where"]["path"]
    assert ["001", "002"] == sorted(p.name for p in (capture / "runs").iterdir())
    assert (tmp_path / "out.mprof-aside-1").is_dir()


def test_the_second_of_two_jobs_is_the_one_that_is_explained(
    mprof: Command, jar: Path, lines: Path, tmp_path: Path
) -> None:
    # Step one counts with a combiner and succeeds; step two keeps the distinct lines of a key.
    settings = [
        *("-D", "mapreduce.reduce.java.opts=-Xmx32m"),
        *("-D", "mapreduce.reduce.memory.mb=512"),
        *("-D", "mapreduce.task.io.sort.mb=16"),
        *("-D", "mapreduce.job.reduces=2"),
        *("-D", "mapreduce.reduce.maxattempts=1"),
    ]
    # One session holds half of all lines, so that its group alone is too large.
    folder = tmp_path / "in"
    folder.mkdir()
    text = (lines / "lines.txt").read_text().splitlines()
    hot = [f"hot {line}" if n % 2 else line for n, line in enumerate(text)]
    (folder / "lines.txt").write_text("\n".join(hot) + "\n")
    job = ["hadoop", "jar", str(jar), "acme.TwoSteps", *settings, str(folder), str(tmp_path / "o")]

    watched = mprof("run", "--embedded", "-o", str(tmp_path / "c"), "--json", "--", *job)

    assert watched.exit_code == DIAGNOSED, watched.stderr
    report = watched.json
    assert report["job"]["name"] == "step two"
    assert report["death"]["kind"] == "heap"
    assert "large_accumulated_results.group" in _causes(report), report
    assert report["causes"][0]["where"]["class"] == "acme.TwoSteps$Distinct"

    again = [*job[:-1], str(tmp_path / "again")]
    profiled = mprof("rerun", "--embedded", str(tmp_path / "c"), "--json", "--", *again)

    assert profiled.exit_code == DIAGNOSED, profiled.stderr
    assert profiled.json["attempt"]["mode"] == "profile"
    assert profiled.json["job"]["name"] == "step two"
    assert "large_accumulated_results.group" in _causes(profiled.json), profiled.json
    # r_000000 and r_000001 are tasks of both jobs
    runs = open_capture(tmp_path / "c").runs[1:]
    for run, probed in zip(runs, ({"watch", "profile"}, {"watch", "verify"}), strict=False):
        first, second = run.jobs
        assert {read_trace(each.path).mode for each in first.attempts} == {"watch"}
        assert {read_trace(each.path).mode for each in second.attempts} == probed


def test_where_the_first_of_two_jobs_fails_it_is_the_one_that_is_explained(
    mprof: Command, jar: Path, lines: Path, tmp_path: Path
) -> None:
    settings = ["-D", "mapreduce.map.java.opts=-Xmx64m", "-D", "mapreduce.task.io.sort.mb=100"]
    settings += ["-D", "mapreduce.map.maxattempts=1"]
    job = ["hadoop", "jar", str(jar), "acme.TwoSteps", *settings, str(lines), str(tmp_path / "o")]

    outcome = mprof("run", "--embedded", "-o", str(tmp_path / "c"), "--json", "--", *job)

    assert outcome.exit_code == DIAGNOSED, outcome.stderr
    assert outcome.json["job"]["name"] == "step one"
    assert _causes(outcome.json) == ["large_framework_buffer.map"]
    assert outcome.json["job"]["driver_exit_code"] == 1
    assert len(open_capture(tmp_path / "c").latest.jobs) == 1


def test_a_job_inside_the_command_runs_as_it_is_and_is_said_to_have_no_task_to_watch(
    mprof: Command, jar: Path, three_lines: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    job = ["hadoop", "jar", str(jar), "acme.Troubled", "-D", "mapreduce.framework.name=local"]
    job += [str(three_lines), str(out)]

    outcome = mprof("run", "--embedded", "-o", str(tmp_path / "c"), "--json", "--", *job)

    assert outcome.exit_code == COULD_NOT_RUN
    assert outcome.stdout == ""
    assert re.search(r"mprof: job_local\d+_\d+ ran inside the command, not on", outcome.stderr)
    assert "next step: run it on the cluster" in outcome.stderr
    assert (out / "_SUCCESS").is_file()


def test_a_job_inside_the_command_that_needs_its_memory_is_said_to_have_run_out_of_it(
    mprof: Command, jar: Path, three_lines: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HADOOP_CLIENT_OPTS", "-Xmx64m")
    job = ["hadoop", "jar", str(jar), "acme.Troubled", "-D", "mapreduce.framework.name=local"]
    job += ["-D", "mapreduce.task.io.sort.mb=100", str(three_lines), str(tmp_path / "out")]

    outcome = mprof("run", "--embedded", "-o", str(tmp_path / "c"), "--json", "--", *job)

    assert outcome.exit_code == COULD_NOT_RUN
    assert "and ran out of memory there (Java heap space)" in outcome.stderr


def test_a_record_is_not_run_alone_where_closing_a_writer_keeps_what_it_wrote(
    mprof: Command, jar: Path, lines: Path, tmp_path: Path
) -> None:
    ledger = tmp_path / "ledger"
    ledger.mkdir()
    settings = ["-D", f"acme.ledger={ledger}", "-D", "acme.record=5000"]
    settings += ["-D", "mapreduce.map.java.opts=-Xmx64m", "-D", "mapreduce.map.maxattempts=1"]
    job = ["hadoop", "jar", str(jar), "acme.Ledger", *settings, str(lines)]

    watched = mprof("run", "--embedded", "-o", str(tmp_path / "c"), "--json", "--", *job)

    assert watched.exit_code == DIAGNOSED, watched.stderr
    assert _causes(watched.json) == ["large_intermediate_results"], watched.json

    profiled = mprof("rerun", "--embedded", str(tmp_path / "c"), "--json", "--", *job)

    assert profiled.exit_code == DIAGNOSED, profiled.stderr
    assert _causes(profiled.json) == ["large_intermediate_results"], profiled.json
    assert "not run alone, because the job writes through acme.Ledger$Rows" in profiled.stderr
    first, second = open_capture(tmp_path / "c").runs
    # what was booked is of the two runs that the owner asked for
    asked_for = {*first.manifest.job_ids, *second.manifest.job_ids}
    booked = {path.name.split("_m_")[0].replace("attempt", "job") for path in ledger.iterdir()}
    assert booked
    assert booked <= asked_for


def test_a_driver_that_runs_out_of_memory_itself_is_said_beside_its_job(
    mprof: Command, jar: Path, three_lines: Path, tmp_path: Path
) -> None:
    job = ["hadoop", "jar", str(jar), "acme.Troubled", "-D", "acme.way=collects"]
    job += [str(three_lines), str(tmp_path / "out")]

    outcome = mprof("run", "--embedded", "-o", str(tmp_path / "c"), "--json", "--", *job)

    assert outcome.exit_code == COULD_NOT_RUN
    assert "mprof: the command ended with exit code 1, though its jobs" in outcome.stderr
    assert outcome.json["job"]["state"] == "SUCCEEDED", outcome.stderr
    assert outcome.json["job"]["driver_error"] == "Java heap space"
    assert [] == outcome.json["causes"]


def test_a_job_that_fails_for_a_reason_of_its_own_gets_no_cause(
    mprof: Command, jar: Path, three_lines: Path, tmp_path: Path
) -> None:
    job = ["hadoop", "jar", str(jar), "acme.Troubled", "-D", "acme.way=own"]
    job += ["-D", "mapreduce.map.maxattempts=1", str(three_lines), str(tmp_path / "out")]

    outcome = mprof("run", "--embedded", "-o", str(tmp_path / "c"), "--json", "--", *job)

    assert outcome.exit_code == DIAGNOSED, outcome.stderr
    assert outcome.json["death"]["kind"] == "not-memory"
    assert [] == outcome.json["causes"]
    assert "is not mine" in outcome.json["death"]["evidence"]


def test_an_error_that_the_application_made_itself_is_told_apart(
    mprof: Command, jar: Path, three_lines: Path, tmp_path: Path
) -> None:
    job = ["hadoop", "jar", str(jar), "acme.Troubled", "-D", "acme.way=made"]
    job += ["-D", "mapreduce.map.maxattempts=1", str(three_lines), str(tmp_path / "out")]

    outcome = mprof("run", "--embedded", "-o", str(tmp_path / "c"), "--json", "--", *job)

    assert outcome.json["death"]["kind"] == "application-made"
    assert [] == outcome.json["causes"]


def test_a_job_that_succeeds_is_told_so_and_its_output_stays(
    mprof: Command, jar: Path, three_lines: Path, tmp_path: Path
) -> None:
    side = tmp_path / "side.txt"
    side.write_text("a b\n" * 10)
    out = tmp_path / "out"
    job = ["hadoop", "jar", str(jar), "acme.Troubled", "-files", str(side), "-D", "acme.way=side"]

    command = [*job, str(three_lines), str(out)]
    outcome = mprof("run", "--embedded", "-o", str(tmp_path / "c"), "--json", "--", *command)

    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.json["death"]["kind"] == "none"
    assert [] == outcome.json["causes"]
    assert (out / "_SUCCESS").is_file()

    again = mprof("rerun", "--embedded", str(tmp_path / "c"), "--", *command)

    assert again.exit_code == 3
    assert "nothing to profile" in again.stderr
    assert (out / "_SUCCESS").is_file()


def test_a_driver_that_starts_no_job_is_one_clear_error(
    mprof: Command, jar: Path, three_lines: Path, tmp_path: Path
) -> None:
    taken = tmp_path / "out"
    taken.mkdir()
    job = ["hadoop", "jar", str(jar), "acme.Troubled", str(three_lines), str(taken)]

    outcome = mprof("run", "--embedded", "-o", str(tmp_path / "c"), "--", *job)

    assert outcome.exit_code == 4
    assert "started no job" in outcome.stderr
    assert "Traceback" not in outcome.stderr.split("mprof:")[-1]
