"""Jobs of a MapReduce HistoryServer that runs, by its REST interface, as a history file has them.

The answers of a job are kept as one file, in which they stand one after the other as they came; it
is read as any file is, so that answers that somebody saved with ``curl`` can be imported too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO, Final

from mprof.errors import EvidenceError
from mprof.history import jobs_of_answers, listed_in
from mprof.io.printable import one_line
from mprof.sources.job_history import tables_of
from mprof.sources.json_objects import json_object, json_objects
from mprof.sources.reader import Losses, Part, Reader
from mprof.sources.server import Server, ServerKind, why_unread

__all__ = ["HISTORY_SERVER", "HISTORY_SERVER_ANSWERS", "jobs_of_history_server"]

HISTORY_SERVER: Final = ServerKind(
    name="a MapReduce HistoryServer",
    example="--history-server http://host:19888",
    variable="MPROF_HADOOP_HEADER",
    fewer="ask for less time with --since and --until",
    parameters=frozenset({"user.name"}),
)

_JOBS: Final = "/ws/v1/history/mapreduce/jobs"
_IDS: Final = {
    "job": re.compile(r"job_[0-9]{1,20}_[0-9]{1,10}"),
    "task": re.compile(r"task_[0-9]{1,20}_[0-9]{1,10}_[a-z]_[0-9]{1,10}"),
    "attempt": re.compile(r"attempt_[0-9]{1,20}_[0-9]{1,10}_[a-z]_[0-9]{1,10}_[0-9]{1,10}"),
}
_AT_ONCE: Final = 4
"""Questions: the server reads a job's history once, and answers from memory."""

_MOST_BYTES_OF_A_JOB: Final = 1 << 30
_HEAD: Final = re.compile(
    rb'\s*\{\s*"(?:job"\s*:\s*\{|(?:tasks|taskAttempts|jobTaskAttemptCounters)"\s*:)'
)


def jobs_of_history_server(
    server: Server,
    *,
    since_s: float,
    until_s: float,
    folder: Path,
    known: Collection[str] = (),
    told: Callable[[str], None] = lambda _: None,
) -> Iterator[Path]:
    """Ask for the jobs that ended in a time, and keep what is answered of each as a file.

    Memory: the list of the jobs, and one answer. A job of n attempts costs 2n + 2 questions or so.

    Args:
        server: whom to ask.
        since_s: jobs that ended from this second on.
        until_s: up to this one.
        folder: for the files, which are given back as they are written, the job that ended first
            first.
        known: jobs that need not be asked for.
        told: what could not be had of a job; the others are given all the same.

    Raises:
        EvidenceError: if it does not answer, refuses, or answers what no HistoryServer does; or if
            it lists jobs and gives none of them.
    """
    words = {"finishedTimeBegin": int(since_s * 1000), "finishedTimeEnd": int(until_s * 1000)}
    listed = listed_in(_asked(server, _JOBS, words, "jobs"), "jobs", "job")
    listed.sort(key=_ended_ms)
    names = dict.fromkeys(_id("job", one) for one in listed)
    wanted = [name for name in names if name is not None and name not in known]
    failed: EvidenceError | None = None
    given = 0
    for name in wanted:
        path = folder / f"{name}.rest.json"
        try:
            with path.open("wb") as file:
                _write_job(server, name, file)
        except EvidenceError as error:
            failed = error
            path.unlink(missing_ok=True)
            told(f"{name} is left out: {error.what}")
            continue
        given += 1
        yield path
    if failed is not None and not given:
        raise failed


def _write_job(server: Server, job: str, file: BinaryIO) -> None:
    """The answers to all questions about a job."""
    at = f"{_JOBS}/{job}"
    size = 0

    def write(text: bytes) -> None:
        nonlocal size
        size += len(text) + 1
        if size > _MOST_BYTES_OF_A_JOB:
            raise why_unread(server, f"it tells more than 1 GiB of {job}")
        file.write(text + b"\n")

    def attempts_of(task: str) -> tuple[list[bytes], list[str]]:
        text, answer = _text(server, f"{at}/tasks/{task}/attempts", "taskAttempts")
        found = (_id("attempt", one) for one in listed_in(answer, "taskAttempts", "taskAttempt"))
        return [text], [f"{at}/tasks/{task}/attempts/{one}/counters" for one in found if one]

    def counters_at(path: str) -> bytes:
        return _text(server, path, "jobTaskAttemptCounters")[0]

    text, _ = _text(server, at, "job")
    write(text)
    text, answer = _text(server, f"{at}/tasks", "tasks")
    write(text)
    tasks = [_id("task", one) for one in listed_in(answer, "tasks", "task")]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for start in range(0, len(tasks), _TOGETHER):
            some = [task for task in tasks[start : start + _TOGETHER] if task]
            paths: list[str] = []
            for texts, more in pool.map(attempts_of, some):
                for each in texts:
                    write(each)
                paths += more
            for each in pool.map(counters_at, paths):
                write(each)


_TOGETHER: Final = 256
"""Tasks whose answers are held at once."""


def _text(server: Server, path: str, name: str) -> tuple[bytes, dict[str, Any]]:
    text = server.asked(path, {})
    return text, _answer(server, text, name)


def _asked(server: Server, path: str, words: Mapping[str, object], name: str) -> dict[str, Any]:
    return _answer(server, server.asked(path, words), name)


def _answer(server: Server, text: bytes, name: str) -> dict[str, Any]:
    answer = json_object(text)
    if answer is None or name not in answer:
        raise why_unread(server, "its answer is none of a MapReduce HistoryServer")
    return answer


def _id(of: str, told: Mapping[str, Any]) -> str | None:
    """The id of a part; None where it is none, which no address is to be made of."""
    name = told.get("id")
    return name if isinstance(name, str) and _IDS[of].fullmatch(name) else None


def _ended_ms(one: Mapping[str, Any]) -> float:
    ended = one.get("finishTime")
    return float(ended) if isinstance(ended, int | float) else 0.0


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    if path.stat().st_size > _MOST_BYTES_OF_A_JOB:
        losses.add(f"the answers are larger than {_MOST_BYTES_OF_A_JOB:,} bytes")
        return
    for job in jobs_of_answers(json_objects(path, losses)):
        for loss in job.losses:
            losses.add(one_line(loss))
        yield from tables_of(job)


HISTORY_SERVER_ANSWERS: Final = Reader(
    kind="HistoryServer answers",
    recognises=lambda _, head: _HEAD.match(head) is not None,
    read=_read,
    tables=("jobs", "attempts"),
)
