"""Runs a case: build, generate input, run, rerun with profiling, compare."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from mprof.catalogue.build import ReadyJob, prepare_job
from mprof.catalogue.case import Case, Setting, check_causes
from mprof.catalogue.inputs import make_input
from mprof.catalogue.judging import judge, judge_repair
from mprof.catalogue.result import CaseResult, Way
from mprof.errors import ExpectationError, UsageError
from mprof.hadoop import connect
from mprof.runs import Observer, RunResult, SilentObserver, rerun, rerun_advised, run

__all__ = ["run_case"]


def run_case(
    case: Case,
    *,
    capture: Path,
    seed: int | None = None,
    way: Way = "run",
    settings: Mapping[str, Setting] | None = None,
    jar: Path | None = None,
    observer: Observer | None = None,
) -> CaseResult:
    """Run a case on the embedded cluster; if it runs out of memory, rerun it with profiling.

    Args:
        case: the case.
        capture: new folder for the capture.
        seed: seed of the input; None for the case's own.
        way: ``run``, the job as it is; ``first run``, the same without the rerun; ``fixed``, the
            repaired job; or ``advised``, the job with other settings. The last two must succeed.
            ``intervened`` is ``run``, and after it ``mprof rerun --advised``.
        settings: properties that override the case's own.
        jar: the job, compiled; None to compile it now, which takes a JDK.
        observer: receives progress.

    Raises:
        UsageError: if the case is a control, which has nothing to repair, or names a cause of no
            rule.
        ExpectationError: if the job succeeded although it should have failed, or vice versa.
        ClusterError: if the job cannot be built or run.
    """
    check_causes(case)
    repaired = way in {"fixed", "advised"}
    if repaired and case.kind == "control":
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
    with tempfile.TemporaryDirectory(prefix="mprof-case-") as scratch:
        output = Path(scratch, "output")
        with _timed(seconds, "build"):
            if jar is None:
                watching.stage(f"building the job of {case.slug}")
                job = prepare_job(case, Path(scratch), fixed=fixed, progress=watching.stage)
            else:
                job = ReadyJob(case, jar)
        with _timed(seconds, "input"):
            watching.stage(f"generating the input of {case.slug}, seed {chosen}")
            source = make_input(case, seed=chosen)
        # Connected for all runs, so that they use the same cluster.
        with connect(embedded=True, progress=watching.stage):
            command = job.command(source, output, changed=changed)
            with _timed(seconds, "run"):
                result = run(
                    command, capture=capture, embedded=True, settings=agent, observer=watching
                )
            if not repaired:
                _check_end(case, result)
            if way in {"run", "intervened"} and case.is_profiled:
                with _timed(seconds, "rerun"):
                    result = rerun(
                        str(result.capture.path),
                        command,
                        embedded=True,
                        settings=agent,
                        observer=watching,
                    )
            if way == "intervened":
                with _timed(seconds, "intervention"):
                    result = rerun_advised(
                        str(result.capture.path),
                        command,
                        embedded=True,
                        settings=agent,
                        observer=watching,
                    )
    judgement = (
        judge_repair(result.diagnosed, job_failed=result.job_failed or result.exit_code != 0)
        if repaired
        else judge(case, result.diagnosed)
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
            f"the job of the case {case.slug} succeeded, but should have failed",
            next_step=f"see {first.capture.path}; change the heap or the input of the case",
        )
    if not case.fails and first.job_failed:
        raise ExpectationError(
            f"the job of the control {case.slug} failed, but should have succeeded",
            next_step=f"see its report: mprof report {first.capture.path}",
        )


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    seconds[stage] = round(time.monotonic() - start, 1)
