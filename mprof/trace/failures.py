"""Which of several failures of one attempt count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mprof.code_site import CodeSite
from mprof.trace.events import Failure
from mprof.trace.throwable import Throwable, out_of_memory_in, parse_frame

__all__ = ["is_of_memory", "last_like", "of_task_first", "throwable_of"]


def of_task_first(failures: Iterable[Failure]) -> list[Failure]:
    """The failures of the task's threads, then all others; each in order.

    An error of another thread may come long before the task fails, and end no more than that
    thread.
    """
    return sorted(failures, key=lambda each: not each.is_of_task)


def last_like(told: Failure, failures: Iterable[Failure]) -> Failure:
    """The newest failure that is like ``told``, since code of the job may go on after an error.

    Alike are those in the same step of the task, and of memory if ``told`` is. What fails in other
    steps, such as a last spill while the task is closed, comes after the death; where input is
    closed while a thread still reads it, that thread's error is none of memory.
    """
    if not told.is_of_task:
        return told
    alike = [
        each
        for each in failures
        if each.is_of_task and each.place == told.place and is_of_memory(each) == is_of_memory(told)
    ]
    return alike[-1]


def is_of_memory(failure: Failure) -> bool:
    """Whether it is an OutOfMemoryError, or was caused by one."""
    return out_of_memory_in(throwable_of(failure)) is not None


def throwable_of(failure: Failure) -> Throwable:
    """What was thrown."""
    return Throwable(
        class_name=failure.class_name,
        message=failure.message,
        stack=_frames(failure.stack),
        causes=tuple(
            Throwable(cause.class_name, cause.message, _frames(cause.stack))
            for cause in failure.causes
        ),
    )


def _frames(stack: Sequence[str]) -> tuple[CodeSite, ...]:
    return tuple(frame for text in stack if (frame := parse_frame(text)) is not None)
