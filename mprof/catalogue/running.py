"""A case for real: build, generate, run, rerun with profiling, compare."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from mprof.catalogue.build import build_jar
from mprof.catalogue.case import Case, Setting, setting_words
from mprof.catalogue.inputs import make_input
from mprof.catalogue.judge import judge, judge_repair
from mprof.catalogue.result import CaseResult, Way
from mprof.errors import ExpectationError, UsageError
from mprof.hadoop import connect
from mprof.runs import Observer, RunResult, SilentObserver, rerun, run

__all__ = ["job_command", "run_case"]


def job_command(
    case: Case, jar: Path, source: Path, output: Path, *, changed: Mapping[str, Setting]
) -> tuple[str, ...]:
    """The command a user would give: ``hadoop jar JAR MAIN -D... ARGUMENTS INPUT OUTPUT``."""
    settings = setting_words({**case.job.settings, **changed})
    folders = (str(source), str(output))
    return ("hadoop", "jar", str(jar), case.job.main, *settings, *case.job.arguments, *folders)


def run_case(
    case: Case,
    *,
    capture: Path,
    seed: int | None = None,
    way: Way = "run",
    settings: Mapping[str, Setting] | None = None,
    verify: bool = True,
    observer: Observer | None = None,
) -> CaseResult:
    """Run a case on the embedded cluster: the job, and where memory kills it its profiled rerun.

    Args:
        case: the case.
        capture: new folder for the capture.
        seed: of the input, the case's own unless told otherwise.
        way: ``run`` the job that dies; ``fixed``, the repaired one; or ``advised``, the job that
            died with other settings, and then it has to finish.
        settings: properties that replace the case's own.
        verify: let the rerun run R_n alone where a verdict hangs on it.
        observer: told how it goes.

    Raises:
        UsageError: if the case is a control, which has nothing to repair.
        ExpectationError: if the job finished although it should have failed, or the other way.
        ClusterError: if the job cannot be built or run.
    """
    if way != "run" and case.kind == "control":
        raise UsageError(
            f"{case.slug} is a control: there is nothing to repair",
            next_step=f"run it with: mprof cases run {case.slug}",
        )
    watching = observer or SilentObserver()
    chosen = case.input.seed if seed is None else seed
    fixed = way == "fixed"
    changed = {**(case.fixed.settings if fixed else {}), **(settings or {})}
    agent = {"keys": "text"} if case.job.keys else {}
    seconds: dict[str, float] = {}
    with (
        tempfile.TemporaryDirectory(prefix="mprof-case-") as scratch,
        # Joined for the whole case, so that run and rerun meet the same cluster.
        connect(embedded=True, progress=watching.stage),
    ):
        jar, output = Path(scratch, f"{case.slug}.jar"), Path(scratch, "output")
        with _timed(seconds, "build"):
            watching.stage(f"building the job of {case.slug}")
            build_jar(case, jar, fixed=fixed, progress=watching.stage)
        with _timed(seconds, "input"):
            watching.stage(f"generating the input of {case.slug}, seed {chosen}")
            source = make_input(case, seed=chosen)
        command = job_command(case, jar, source, output, changed=changed)
        with _timed(seconds, "run"):
            result = run(command, capture=capture, embedded=True, settings=agent, observer=watching)
        if way == "run":
            _check_end(case, result)
        if way == "run" and case.is_profiled:
            with _timed(seconds, "rerun"):
                result = rerun(
                    str(result.capture.path),
                    command,
                    embedded=True,
                    verify=verify,
                    settings=agent,
                    observer=watching,
                )
    judgement = (
        judge(case, result.diagnosed)
        if way == "run"
        else judge_repair(result.diagnosed, job_failed=result.job_failed)
    )
    return CaseResult(
        case=case.slug,
        way=way,
        seed=chosen,
        judgement=judgement,
        diagnosed=result.diagnosed,
        seconds=seconds,
        capture=capture,
    )


def _check_end(case: Case, first: RunResult) -> None:
    if case.fails and not first.job_failed:
        raise ExpectationError(
            f"the job of the case {case.slug} finished, it should have died",
            next_step=f"look at {first.capture.path}; its heap or input has to change",
        )
    if not case.fails and first.job_failed:
        raise ExpectationError(
            f"the job of the control {case.slug} failed, it should have finished",
            next_step=f"look at {first.capture.path}",
        )


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    seconds[stage] = round(time.monotonic() - start, 1)
