"""Everything one attempt left behind, as one value."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from mprof.engines import Place
from mprof.trace.death import Death
from mprof.trace.events import Attach, DumpEvent, Event, Failure, MemoryEvent
from mprof.trace.gc_log import Collection
from mprof.trace.logs import Logs
from mprof.trace.position import Position

__all__ = ["Trace"]

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Trace:
    """One attempt: who it was, where it stood, what happened, how it ended.

    Attributes:
        attempt_id: ``attempt_..._m_000003_0``, or None where nothing names it.
        task_type: ``map`` or ``reduce``.
        attach: the agent's first event, None if no agent was in.
        position: the last position: of the position file, else of the newest event.
        position_is_last: whether it is of the position file, which is right to the record read.
        logs: errors and last words in stdout, stderr and syslog.
        collections: of a garbage collection log, where there is one.
        death: how it ended.
        state: as the cluster says: ``SUCCEEDED``, ``FAILED``, ``KILLED``; None where not asked.
        dump_files: heap dumps in the folder, by name.
        losses: what is missing or damaged, in words.
        container_id: of the container that it ran in; None where nothing names it.
        host: that it ran on, as the logs or the agent say; None where they do not.
    """

    folder: Path
    attempt_id: str | None
    task_type: str | None
    index: int | None
    number: int | None
    attach: Attach | None
    position: Position | None
    position_is_last: bool
    events: tuple[Event, ...]
    logs: Logs
    collections: tuple[Collection, ...]
    death: Death
    state: str | None = None
    dump_files: tuple[Path, ...] = ()
    losses: tuple[str, ...] = field(default=())
    container_id: str | None = None
    host: str | None = None

    def of(self, kind: type[E]) -> tuple[E, ...]:
        """The events of one type, in order."""
        return tuple(each for each in self.events if isinstance(each, kind))

    def last(self, kind: type[E]) -> E | None:
        """The newest event of one type, or None."""
        return next((each for each in reversed(self.events) if isinstance(each, kind)), None)

    @property
    def failure(self) -> Failure | None:
        """The failure of the task that the death is told from, None where it is told otherwise.

        What the job has lived on with is none, nor is the failure of a thread that does no work of
        the task: where the task stood then, its position says.
        """
        failure = self.death.failure
        return failure if failure is not None and failure.is_of_task else None

    @property
    def dumps(self) -> tuple[DumpEvent, ...]:
        """The heap dumps the agent tells of, whether or not the file is still there."""
        return self.of(DumpEvent)

    @property
    def mode(self) -> str | None:
        """``watch``, ``profile`` or ``verify``; None if no agent was in."""
        return None if self.attach is None else self.attach.mode

    @property
    def heap_max(self) -> int | None:
        """Largest heap as the JVM gives it, else as its command does in the process tree; bytes."""
        if self.attach is not None:
            return self.attach.heap_max
        container = self.death.container
        return container.task_heap_bytes if container is not None else None

    @property
    def collectors(self) -> tuple[str, ...]:
        """Names of the collectors, as their MBeans give them."""
        return () if self.attach is None else self.attach.collectors

    @property
    def place(self) -> Place | None:
        """The step of the task in which the attempt ended; None where it is not known.

        The failure itself comes first: a spill may run combine() while map() is what fails. If the
        OutOfMemoryError was in a thread that does no work of the task, the position decides.
        """
        if self.death.place is not None:
            return self.death.place
        return self.position.place if self.position is not None else None

    @property
    def peak_live_bytes(self) -> int | None:
        """The most that a major collection left behind: live objects, and no garbage.

        None where no major collection is known. Of a task that crawled to its end what its last
        ones left counts too, to which the agent no longer listened.
        """
        majors = [each.used_after for each in self.of(MemoryEvent) if each.major]
        majors += [self.death.crawl.live_bytes] if self.death.crawl is not None else []
        if not any(majors) and self.attach is None:
            majors += [each.used_after for each in self.collections if each.major]
        return max((used for used in majors if used), default=None)

    @property
    def peak_before_failure(self) -> int | None:
        """The same of an attempt that failed, else None."""
        return self.peak_live_bytes if self.failed else None

    @property
    def seconds(self) -> float | None:
        """From its first event to its last; None where there are not two."""
        times = [each.t for each in self.events if each.t > 0]
        return (max(times) - min(times)) / 1000 if len(times) > 1 else None

    @property
    def failed(self) -> bool:
        """Whether it is known to have failed."""
        return self.death.kind != "none"
