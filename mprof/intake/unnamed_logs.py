"""Logs and dumps that name nobody -> the process whose other logs lie beside them."""

from __future__ import annotations

from pathlib import Path

from mprof.engines import names_a_task
from mprof.intake.containers import Container
from mprof.intake.masters import Masters
from mprof.intake.owners import is_log_name
from mprof.intake.reported import Reports
from mprof.trace import Log

__all__ = ["join_logs_beside", "name_by_folders", "takes_dump"]


def join_logs_beside(containers: dict[str, Container], masters: Masters) -> None:
    """Take logs that name nobody for those of the process whose other logs lie beside them.

    A process has its standard output, its standard error and its syslog in one folder, and
    as a rule the last alone names it: a container, or the application master of a job.
    """
    for key in [*containers]:
        unnamed = containers[key]
        if key != f"{unnamed.place}/" or unnamed.is_named:
            continue
        files = {log.file for log in unnamed.logs}
        beside = [
            one
            for one in containers.values()
            if one.place == unnamed.place
            and one.is_named
            and any(is_log_name(log.file) for log in one.logs)
        ]
        if len(beside) == 1 and files.isdisjoint(log.file for log in beside[0].logs):
            for log in unnamed.logs:
                beside[0].add(log)
            del containers[key]
        of_place = masters.places.get(unnamed.place, set())
        if not beside and len(of_place) == 1:
            own = masters.logs[next(iter(of_place))]
            is_own = files.isdisjoint(log.file for log in own) and is_log_name(own[0].file)
            if is_own and not any(map(_may_be_of_a_task, unnamed.logs)):
                own += unnamed.logs
                del containers[key]


def _may_be_of_a_task(log: Log) -> bool:
    """Whether an error in it is of a main thread, or of code that a task runs."""
    return any(
        one.thread == "main"
        or names_a_task("\n".join(frame.class_name for frame in one.error.stack))
        for one in log.errors
    )


def name_by_folders(containers: dict[str, Container], reports: Reports) -> None:
    """Logs in a folder called by the end of an id, ``r_000050_0``, are of the attempt so told.

    Unless two jobs have such an attempt.
    """
    told = {*reports.texts, *reports.states}
    for key, one in [*containers.items()]:
        if not one.is_named and one.end_of_id:
            named = [id_ for id_ in told if id_.endswith(f"_{one.end_of_id}")]
            if len(named) == 1 and named[0] not in containers:
                one.attempt_id = named[0]
                containers[named[0]] = containers.pop(key)


def takes_dump(containers: dict[str, Container], path: Path, place: str) -> bool:
    """Whether a heap dump is of a container whose logs lie beside it, which takes it."""
    for one in containers.values():
        if one.place == place and one.logs:
            one.dumps.append(path)
            return True
    return False
