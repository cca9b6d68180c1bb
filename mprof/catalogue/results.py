"""Results of runs, a line each in a file: what is done is not run again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from mprof.catalogue.case import Case, Setting
from mprof.catalogue.result import CaseResult, Way
from mprof.errors import UsageError
from mprof.io.files import UnreadableError, read_file, replace_file

__all__ = ["Result", "add_result", "fingerprint", "read_results"]

_LIMIT_BYTES: Final = 64 << 20


class Result(msgspec.Struct, frozen=True):
    """What came of one run of a case.

    Attributes:
        way: as in ``CaseResult``.
        day: on which it ended, in UTC, as ``2026-11-23``.
        correct: whether the diagnosis was as expected; of a first run, whether nothing is wrong
            and it leaves to a rerun what it lacks.
        problems: what was not as expected, one clause each.
        seconds: wall-clock seconds of the whole run.
    """

    case: str
    way: Way
    seed: int
    day: str
    correct: bool
    found: tuple[str, ...]
    problems: tuple[str, ...]
    seconds: float
    fingerprint: str

    @staticmethod
    def of(done: CaseResult, fingerprint: str) -> Result:
        """The line of a run that came to its end."""
        return Result(
            case=done.case,
            way=done.way,
            seed=done.seed,
            day=_today(),
            correct=done.judgement.correct or done.needs_rerun,
            found=done.judgement.found,
            problems=done.judgement.problems,
            seconds=round(sum(done.seconds.values()), 1),
            fingerprint=fingerprint,
        )

    @staticmethod
    def of_fault(case: Case, way: Way, seed: int, what: str, fingerprint: str) -> Result:
        """The line of a run whose job did not end as it should."""
        return Result(case.slug, way, seed, _today(), False, (), (what,), 0.0, fingerprint)


def fingerprint(case: Case, *, seed: int, way: Way, settings: Mapping[str, Setting]) -> str:
    """Of a case's sources, input, expectation and settings: a changed one is to be run again."""
    content = hashlib.sha256()
    told = (case.job, case.fixed, case.input, case.expected, seed, way, dict(settings))
    content.update(msgspec.json.encode(told, order="deterministic"))
    for name in ("data.py", "job", "fixed"):
        path = case.folder / name
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file():
                content.update(file.relative_to(case.folder).as_posix().encode())
                content.update(hashlib.sha256(file.read_bytes()).digest())
    return content.hexdigest()[:16]


def read_results(file: Path) -> tuple[Result, ...]:
    """The results of a file, oldest first; none if it does not exist.

    A last line that was cut, as by a kill, is left out.

    Raises:
        UsageError: if the file cannot be read, or another line is damaged.
    """
    if not file.exists():
        return ()
    try:
        lines = read_file(file, limit_bytes=_LIMIT_BYTES).splitlines(keepends=True)
    except UnreadableError as error:
        raise UsageError(error.what, next_step="name another file with --results") from error
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    try:
        return tuple(msgspec.json.decode(line, type=Result) for line in lines)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{file} does not hold results of cases: {error}",
            next_step="name another file with --results",
        ) from error


def add_result(file: Path, result: Result) -> None:
    """Append a result; a line that was cut before goes."""
    kept = read_results(file)
    lines = [msgspec.json.encode(one) + b"\n" for one in (*kept, result)]
    replace_file(file, b"".join(lines))


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
