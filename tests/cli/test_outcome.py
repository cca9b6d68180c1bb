"""How ``run`` and ``rerun`` end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from catalogue.test_judge import diagnosed
from catalogue.test_verifying import write_capture

from mprof.cli.outcome import finish
from mprof.diagnosis import diagnose
from mprof.errors import ClusterError
from mprof.runs import RunResult, open_capture


def result(folder: Path, *, job_failed: bool, exit_code: int) -> RunResult:
    capture = open_capture(write_capture(folder / "capture"))
    return RunResult(capture, diagnose(diagnosed().evidence), job_failed, exit_code)


def test_a_job_that_failed_ends_with_5_whatever_its_command_returned(tmp_path: Path) -> None:
    with pytest.raises(typer.Exit) as raised:
        finish(result(tmp_path, job_failed=True, exit_code=1), as_json=True, fail_on=None)

    assert raised.value.exit_code == 5


def test_a_command_that_fails_although_its_jobs_succeeded_ends_with_4_after_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ClusterError, match="ended with exit code 3, though its jobs") as raised:
        finish(result(tmp_path, job_failed=False, exit_code=3), as_json=True, fail_on=None)

    assert raised.value.exit_code == 4
    assert str(tmp_path / "capture" / "runs" / "001" / "output.txt") in raised.value.next_step
    assert '"schema_version"' in capsys.readouterr().out


def test_a_command_and_jobs_that_succeed_end_with_0(tmp_path: Path) -> None:
    finish(result(tmp_path, job_failed=False, exit_code=0), as_json=True, fail_on=None)


@pytest.mark.parametrize(("job_failed", "code"), [(True, 5), (False, 2)])
def test_a_report_that_cannot_be_kept_is_printed_whole_and_the_job_says_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], job_failed: bool, code: int
) -> None:
    ended = result(tmp_path, job_failed=job_failed, exit_code=0)
    (ended.capture.latest.path / "report.html").mkdir()

    with pytest.raises(typer.Exit) as raised:
        finish(ended, as_json=True, fail_on=None)

    printed = capsys.readouterr()
    assert raised.value.exit_code == code
    assert json.loads(printed.out)["schema_version"]
    assert [line[:9] for line in printed.err.splitlines()] == [
        "mprof: " + str(tmp_path)[:2],
        "next step",
    ]
