"""Which runs a case is given."""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mprof.catalogue import find_case, replay_case, run_case, running
from mprof.catalogue.result import Way
from mprof.errors import ClusterError

ROOT = Path(__file__).parents[2] / "cases"


@pytest.mark.parametrize(
    ("way", "runs"), [("run", ["run", "rerun"]), ("first run", ["run"]), ("fixed", ["run"])]
)
def test_only_the_whole_run_of_a_case_reruns_it(
    way: Way, runs: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    case = find_case(ROOT, "in-mem-word-count")
    asked: list[str] = []
    outcome = SimpleNamespace(
        capture=SimpleNamespace(path=tmp_path),
        diagnosed=replay_case(case).diagnosed,
        job_failed=way != "fixed",
        exit_code=0,
    )

    def ran(name: str) -> Any:
        def call(*_given: Any, **_how: Any) -> Any:
            asked.append(name)
            return outcome

        return call

    job = SimpleNamespace(command=lambda *_given, **_how: ["hadoop"])
    monkeypatch.setattr(running, "connect", lambda **_how: contextlib.nullcontext())
    monkeypatch.setattr(running, "prepare_job", lambda *_given, **_how: job)
    monkeypatch.setattr(running, "make_input", lambda *_given, **_how: tmp_path)
    monkeypatch.setattr(running, "run", ran("run"))
    monkeypatch.setattr(running, "rerun", ran("rerun"))

    done = run_case(case, capture=tmp_path / "capture", way=way)

    assert asked == runs
    assert done.way == way
    assert done.judgement.correct is (way != "fixed")


def test_a_job_that_is_compiled_already_is_not_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands: list[tuple[str, ...]] = []

    def submit(command: tuple[str, ...], **_how: Any) -> None:
        commands.append(command)
        raise ClusterError("far enough", next_step="none")

    monkeypatch.setattr(running, "connect", lambda **_how: contextlib.nullcontext())
    monkeypatch.setattr(running, "prepare_job", lambda *_given, **_how: pytest.fail("compiled"))
    monkeypatch.setattr(running, "make_input", lambda *_given, **_how: tmp_path)
    monkeypatch.setattr(running, "run", submit)
    case = find_case(ROOT, "in-mem-word-count")
    with pytest.raises(ClusterError, match="far enough"):
        run_case(case, capture=tmp_path / "capture", jar=tmp_path / "job.jar")

    assert ("hadoop", "jar", str(tmp_path / "job.jar")) == commands[0][:3]
