"""The stack of the thread that died."""

from __future__ import annotations

from collections.abc import Sequence

from mprof.code_site import CodeSite
from mprof.objects import HeapObjects, StackFrame

__all__ = ["stack_of"]


def stack_of(death: HeapObjects | None, logged: Sequence[CodeSite]) -> tuple[StackFrame, ...]:
    """The dying thread, top first: from the dump with bytes, else from the logs without."""
    if death is not None and death.frames and death.oom_thread is not None:
        return death.frames
    return tuple(StackFrame(each.class_name, each.method, each.file, each.line) for each in logged)
