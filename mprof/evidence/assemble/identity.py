"""Who died, and how: the job, the attempt and the kind of death."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mprof.engines import Program, master_in, program_in
from mprof.evidence.facts import Attempt, AttemptLine, Death, Job
from mprof.history import JobHistory
from mprof.job_run import JobRun
from mprof.trace import (
    END_OF_STDERR,
    MEMORY_KINDS,
    Needs,
    Trace,
    classify_death,
    parse_container_end,
    refused_in,
    spark_told_in,
    why_not_started,
)
from mprof.trace.events import End

__all__ = ["attempt_of", "death_of", "job_of", "other_failures"]

# names of the collectors' MBeans -> the name people use (HotSpot: gcVMOperations, management)
_COLLECTORS: Final = (
    ("G1", "G1"),
    ("PS ", "Parallel"),
    ("MarkSweepCompact", "Serial"),
    ("Copy", "Serial"),
    ("ConcurrentMarkSweep", "CMS"),
    ("ParNew", "CMS"),
    ("ZGC", "ZGC"),
    ("Shenandoah", "Shenandoah"),
)


_OF_MASTER: Final = re.compile(r"\bAM Container\b|\bApplicationMaster for attempt\b")
"""RMAppAttemptImpl of the ResourceManager, where the application master's container ended, or
where it was not heard of any more."""

_ENDED: Final = re.compile(r"^.*\bexited with +exitCode: .*$", re.MULTILINE)
_WHY: Final = re.compile(
    r"^.*\bDiagnostics: (?!Exception from container-launch)\S.*$", re.MULTILINE
)
"""What YARN says of it in the lines behind the first."""


def job_of(trace: Trace, history: JobHistory | None, run: JobRun) -> Job:
    """The job, as far as its history or the agent names it."""
    return Job(
        job_id=history.job_id if history else run.job_id,
        name=(history.name if history else run.name) or None,
        user=(history.user or None) if history else None,
        state=history.state if history and history.state else run.state,
        hadoop_version=trace.attach.hadoop_version if trace.attach else None,
        driver_error=run.driver_error or None,
        driver_exit_code=run.driver_exit_code,
        local_jobs=run.local_jobs,
        no_task_failed=run.no_task_failed,
        names_memory=run.names_memory,
        maps=maps_of(history, run),
    )


def maps_of(history: JobHistory | None, run: JobRun) -> int | None:
    """How many map tasks the job has, as its history or a log says."""
    return history.total_maps if history and history.total_maps is not None else run.maps


def attempt_of(trace: Trace, run: JobRun) -> Attempt:
    """The attempt that is diagnosed."""
    mode = trace.mode if trace.mode in {"watch", "profile", "verify"} else "none"
    end = trace.last(End)
    recorded = run.history.attempts().get(trace.attempt_id or "") if run.history else None
    host = (trace.attach.host if trace.attach else None) or trace.host
    host = host or (recorded.host if recorded else None)
    return Attempt(
        attempt_id=trace.attempt_id,
        task_type="map" if trace.task_type == "map" else ("reduce" if trace.task_type else None),
        index=trace.index,
        number=trace.number or 0,
        mode=mode,  # type: ignore[arg-type]
        host=host,
        java_version=trace.attach.java_version if trace.attach else None,
        collector=_collector(trace),
        finished=trace.state == "SUCCEEDED" or (end is not None and end.outcome == "done"),
        container_id=trace.container_id or (recorded.container_id if recorded else None),
    )


def death_of(death: Death, run: JobRun) -> Death:
    """How the attempt died; of a job that failed without a failed attempt, how the job ended.

    The application master may die before any task starts or after all of them have ended, or a
    user may kill the job.
    """
    if death.kind != "none" or run.state not in {"FAILED", "KILLED"}:
        return death
    of_job = classify_death(diagnostics=run.diagnostics)
    program = program_in(run.diagnostics)
    if _OF_MASTER.search(run.diagnostics):
        why = _words_of_its_end(run)
        ended = _ENDED.search(run.diagnostics) if of_job.kind not in MEMORY_KINDS else None
        line = f"{ended[0].strip()} (diagnostics)" if ended is not None else of_job.evidence
        is_said = why.removeprefix("Diagnostics: ") in line
        more = "" if is_said else f"; {why}"
        last = of_job if END_OF_STDERR in of_job.evidence else None  # its own last words
        more += f"; {last.evidence}" if last is not None and last.evidence != line else ""
        return Death(
            "application-master",
            f"{line}{more}",
            message=last.message if last is not None else None,
            chain=last.chain if last is not None else (),
            container=parse_container_end(run.diagnostics),
            program=program or _master_of(run),
            needs=Needs(spark=spark_told_in(f"{run.diagnostics}\n{run.around}")),
        )
    if of_job.kind != "none":
        return replace(of_job, program=program)
    word = "failed" if run.state == "FAILED" else "was killed"
    return Death("not-memory", f"the job {word}, and nothing says why")


# org.apache.hadoop.yarn.YarnUncaughtExceptionHandler, MRAppMaster.main, and run of
# org.apache.spark.deploy.yarn.ApplicationMaster: the error stands below
_OF_ITS_LOG: Final = re.compile(
    r"(?: FATAL \[[^\n]{1,200}\b(?:YarnUncaughtExceptionHandler: Thread [^\n]{1,300} threw an "
    r"(?:Error|Exception)|MRAppMaster: Error starting MRAppMaster)|"
    r"\bERROR\b[^\n]{1,80}\bUncaught exception: )[^\n]{0,100}\n\s*([^\n]{1,300})"
)


def _words_of_its_end(run: JobRun) -> str:
    """What says why an application master ended: YARN's words, its JVM's, or its own log's.

    Of a text that tells of no other end.
    """
    not_started = why_not_started(run.diagnostics)
    if not_started:
        return f"Diagnostics: {not_started}"
    why = _WHY.search(run.diagnostics)
    if why is not None:
        return why[0].strip()
    refused = refused_in(f"{run.diagnostics}\n{run.around}".split("\n"))
    logged = _OF_ITS_LOG.search(f"{run.diagnostics}\n{run.around}")
    return refused or (logged[1].strip() if logged is not None else "")


def _master_of(run: JobRun) -> Program | None:
    """What led the job: that it was MapReduce has to be shown, as of every other engine.

    A history, a configuration of a job and a number of map tasks are of MapReduce alone.
    """
    is_shown = run.history is not None or run.conf is not None or run.maps is not None
    return master_in("MRAppMaster" if is_shown else run.around)


def other_failures(traces: Iterable[Trace], chosen: Trace | None) -> tuple[AttemptLine, ...]:
    """The other attempts that failed, one line each, by task; not those that were killed."""
    others = [
        each
        for each in traces
        if each.failed
        and each.state != "KILLED"
        and each is not chosen
        and each.attempt_id is not None
    ]
    others.sort(key=lambda each: each.attempt_id or "")
    return tuple(
        AttemptLine(each.attempt_id or "", each.death.kind, each.death.evidence.split("\n")[0])
        for each in others
    )


def _collector(trace: Trace) -> str | None:
    """The collector's usual name."""
    for name in trace.collectors:
        for beginning, usual in _COLLECTORS:
            if name.startswith(beginning):
                return usual
    return trace.collectors[0] if trace.collectors else None
