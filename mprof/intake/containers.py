"""What is known of one container or attempt, or of a process that no id is known of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from mprof.engines import Program
from mprof.trace import Log, LoggedError, out_of_memory_in

__all__ = ["Container", "ended_by", "logged_as_an_end"]

# YarnUncaughtExceptionHandler logs at FATAL, from 3.0 on at ERROR
_LEVELS_OF_AN_END: Final = frozenset({"FATAL", "ERROR"})


@dataclass(slots=True)
class Container:
    """What is known of one container or attempt, or of a folder or file that names neither.

    Attributes:
        said: sentences that speak of an end, and are of no log.
        only_said: the one on which all that is known of its end rests.
        side: as a heading above its log says.
        end_of_id: ``r_000050_0``, where that is all its path says of its attempt.
    """

    place: str
    container_id: str | None = None
    attempt_id: str | None = None
    host: str | None = None
    logs: list[Log] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    around: str = ""
    job: str | None = None
    in_task: bool = False
    wrote: Program | None = None
    dumps: list[Path] = field(default_factory=list)
    said: frozenset[str] = frozenset()
    only_said: str = ""
    side: str | None = None
    end_of_id: str = ""

    @property
    def is_named(self) -> bool:
        """Whether the id of its container or of its attempt is known."""
        return bool(self.container_id or self.attempt_id)

    def add(self, log: Log) -> None:
        """One log more; of an attempt that came to its end well little is kept."""
        self.logs.append(log)
        if any(each.done for each in self.logs) and not any(
            each.ended or each.words for each in self.logs
        ):
            self.logs = [each.of_a_good_end() for each in self.logs]


def ended_by(log: Log, errors: tuple[LoggedError, ...]) -> Log:
    """Of a log what tells that some of its errors ended a process."""
    return replace(log, errors=errors, words=(), done=None, ended=True, no_memory=())


def logged_as_an_end(one: LoggedError) -> bool:
    """Whether it is an error of memory, logged at a level at which processes log their end."""
    return out_of_memory_in(one.error) is not None and one.level in _LEVELS_OF_AN_END
