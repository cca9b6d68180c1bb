"""What containers, logs and reports tell of each attempt -> its trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from mprof.intake.containers import Container
from mprof.intake.gathered import Gathered
from mprof.intake.owners import only_job
from mprof.intake.posts import Posts
from mprof.intake.reported import Reports, is_executor, job_of
from mprof.intake.sentences import rests_on
from mprof.intake.statements import of_side
from mprof.intake.told_ends import without_request
from mprof.trace import Trace, log_order, trace_of_logs

__all__ = ["is_of_no_job", "traces_of"]

# of a client, that may run several
_OF_NO_JOB: Final = ("command", "distcp", "hive-local-task", "hive-session")
_ASKED_TO_END: Final = (0, 137, 143)  # or well


def traces_of(gathered: Gathered) -> Iterator[tuple[Trace, str | None]]:
    """Of every container and attempt that anything tells of; the job that its text names."""
    reports = gathered.reports
    reports.name_executors()
    recorded = (one for each in gathered.histories.values() for one in each.attempts().values())
    for kept in recorded:
        if kept.container_id is not None:
            reports.attempts.setdefault(kept.container_id, kept.id)
    for one in gathered.containers.values():
        if one.container_id is not None and one.attempt_id is not None:
            reports.attempts.setdefault(one.container_id, one.attempt_id)
    containers = {attempt: container for container, attempt in reports.attempts.items()}
    seen: set[str] = set()
    read = {trace.attempt_id for trace in gathered.traces}
    for one in gathered.containers.values():
        container = one.container_id or containers.get(one.attempt_id or "")
        attempt = one.attempt_id or reports.attempts.get(container or "")
        seen |= {name for name in (container, attempt) if name is not None}
        if attempt is not None and attempt in read:
            continue  # its own folder, with events, tells the same and more
        trace = _trace(one, container, attempt, reports=reports, posts=gathered.posts)
        yield trace, None if is_of_no_job(trace) else one.job
    failed = [one for one, code in reports.exits.items() if code not in _ASKED_TO_END]
    for id_ in dict.fromkeys([*reports.texts, *reports.states, *failed]):
        is_attempt = id_.startswith("attempt")
        container = containers.get(id_) if is_attempt else id_
        attempt = id_ if is_attempt else reports.attempts.get(id_)
        if seen & {container, attempt} or attempt in read or container in reports.masters:
            continue
        seen |= {name for name in (container, attempt) if name is not None}
        around = gathered.around.get(id_, "")
        one = Container("", around=around)
        trace = _trace(one, container, attempt, reports=reports, posts=gathered.posts)
        if trace.failed or trace.state == "SUCCEEDED" or attempt is not None:
            yield trace, only_job(around) if is_executor(id_) else None


def _trace(
    one: Container, container: str | None, attempt: str | None, *, reports: Reports, posts: Posts
) -> Trace:
    states = [reports.states.get(name) for name in (attempt, container) if name is not None]
    state = next((each for each in states if each not in {None, "STOPPED"}), None)
    said = reports.said_of(attempt, container)
    code = reports.exits.get(container or "")
    by_itself = state is None and code not in _ASKED_TO_END
    if code and (state == "FAILED" or by_itself) and not said:
        said = f"Container exited with a non-zero exit code {code}"
    # the kernel, whose log stands beside an exit code, asks for no end
    is_killed = posts.has_kills(job_of(container or attempt or ""))
    told = said if is_killed else without_request(said, state)
    if not said:
        told = "\n".join(one.ends)
    trace = trace_of_logs(
        Path(one.place),
        sorted(one.logs, key=lambda log: log_order(log.file)),
        attempt_id=attempt,
        container_id=container,
        host=one.host or reports.hosts.get(container or ""),
        diagnostics=told or None,
        state=state,
        dump_files=one.dumps,
        around=one.around,
        in_task=one.in_task,
        wrote=one.wrote,
    )
    trace = of_side(trace, one.side)
    rest = (said for said in sorted(one.said) if rests_on(trace.death, said))
    death = replace(
        trace.death,
        of_hadoop_1=posts.of_hadoop_1,
        of_mapreduce=posts.of_mapreduce,
        said=one.only_said or next(rest, trace.death.said),
    )
    return replace(trace, death=death)


def is_of_no_job(trace: Trace) -> bool:
    """Whether it is of a server, or of a client, which may run several jobs."""
    program = trace.death.program
    return program is not None and (program.is_server or program.id in _OF_NO_JOB)
