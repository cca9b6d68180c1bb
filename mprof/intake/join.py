"""Everything that was gathered -> jobs, by the ids of applications, containers and attempts."""

from __future__ import annotations

from mprof.intake.attempts import is_of_no_job, traces_of
from mprof.intake.gathered import Gathered
from mprof.intake.jobs import job_run
from mprof.intake.pairs import are_of, paired, with_the_only_id
from mprof.intake.remarks import asked_to_end, killed_beside, waiting
from mprof.intake.reported import is_executor, job_of
from mprof.intake.taken_in import TakenIn, without_said
from mprof.intake.unnamed_logs import join_logs_beside, name_by_folders, takes_dump
from mprof.trace import Trace

__all__ = ["joined"]


def joined(gathered: Gathered) -> TakenIn:
    """Everything by job."""
    containers, reports = gathered.containers, gathered.reports
    gathered.masters.find_among(containers, reports)
    join_logs_beside(containers, gathered.masters)
    name_by_folders(containers, reports)
    lone = [path for path, place in gathered.dumps if not takes_dump(containers, path, place)]
    jobs = _without_said(_by_job(gathered))
    return TakenIn(
        jobs=tuple(
            job_run(name, jobs[name], gathered, alone=len(jobs) == 1)
            for name in sorted(jobs, key=lambda one: one or "~")
        ),
        dumps=tuple(lone),
        captures=tuple(gathered.captures),
        found=gathered.account.found(),
        unused=gathered.account.not_used(),
        notes=(*gathered.notes, *killed_beside(reports), *gathered.remarks.out_of_use()),
        remarks=(
            *gathered.remarks.texts.values(),
            *waiting(reports, gathered.histories),
            *asked_to_end(reports),
        ),
    )


def _without_said(jobs: dict[str | None, list[Trace]]) -> dict[str | None, list[Trace]]:
    """Without what is only named, and which is of no job then."""
    kept = dict(zip(jobs, without_said([*jobs.values()]), strict=True))
    return {name: traces for name, traces in kept.items() if traces or name or not jobs[name]}


def _by_job(gathered: Gathered) -> dict[str | None, list[Trace]]:
    """The traces of each job that anything names, and of None those of which nothing names one."""
    reports, masters = gathered.reports, gathered.masters
    jobs: dict[str | None, list[Trace]] = {}
    for trace, job in [*((trace, None) for trace in gathered.traces), *traces_of(gathered)]:
        id_ = trace.attempt_id or trace.container_id
        by_id = job_of(id_) if id_ is not None and not is_executor(id_) else job
        jobs.setdefault(by_id, []).append(trace)
    of_masters = {job_of(name) for name in (*masters.logs, *reports.masters)}
    named = {*gathered.histories, *reports.jobs, *gathered.confs, *of_masters}
    for name in named - {None}:
        jobs.setdefault(name, [])
    if None in of_masters and masters.end_of(None, reports)[1]:  # of one that names no application
        jobs.setdefault(None, [])
    alone = [name for name in jobs if name is not None]
    of_no_job = None in jobs and jobs[None] != [] and all(map(is_of_no_job, jobs[None]))
    if None in jobs and len(alone) == 1 and not jobs[alone[0]] and not of_no_job:
        jobs[alone[0]] = jobs.pop(None)  # logs beside the history of one job are that job's
    elif None in jobs and len(alone) == 1 and are_of(jobs[None], jobs[alone[0]]):
        jobs[alone[0]] += jobs.pop(None)
    return {name: paired(with_the_only_id(of_job), name) for name, of_job in jobs.items()}
