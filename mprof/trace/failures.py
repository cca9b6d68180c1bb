"""Which of several failures of one attempt count."""

from __future__ import annotations

from collections.abc import Sequence

from mprof.trace.events import Event, Failure

__all__ = ["of_task_first"]


def of_task_first(events: Sequence[Event]) -> list[Failure]:
    """The failures among some events: those of the task's threads, then all others; each in order.

    An error of another thread may come long before the task fails, and end no more than that
    thread.
    """
    failures = [each for each in events if isinstance(each, Failure)]
    return sorted(failures, key=lambda each: not each.is_of_task)
