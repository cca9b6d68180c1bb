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
from mprof.errors import ExpectationError
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
    """Run a case on the embedded cluster: the job, and where it has to die its profiled rerun.

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
        ExpectationError: if the job finished although it should have died.
        ClusterError: if the job cannot be built or run.
    """
    watching = observer or SilentObserver()
    chosen = case.input.seed if seed is None else seed
    fixed, dies = way == "fixed", way == "run"
    changed = {**(case.fixed.settings if fixed else {}), **(settings or {})}
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
            result = run(command, capture=capture, embedded=True, observer=watching)
        if dies:
            with _timed(seconds, "rerun"):
                result = _rerun(case, command, result, verify=verify, observer=watching)
    judgement = (
        judge(case, result.diagnosed)
        if dies
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


def _rerun(
    case: Case, command: tuple[str, ...], first: RunResult, *, verify: bool, observer: Observer
) -> RunResult:
    if not first.job_failed:
        raise ExpectationError(
            f"the job of the case {case.slug} finished, it should have died",
            next_step=f"look at {first.capture.path}; its heap or input has to change",
        )
    return rerun(str(first.capture.path), command, embedded=True, verify=verify, observer=observer)


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    seconds[stage] = round(time.monotonic() - start, 1)
