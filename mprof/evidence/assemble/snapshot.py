"""What is read off one snapshot of the heap, as it stands."""

from __future__ import annotations

from collections.abc import Sequence

from mprof.code import CodeSite
from mprof.engines import LIFECYCLES, Lifecycle
from mprof.objects import HeapObjects, HolderKey, StackFrame
from mprof.objects import Holder as HeapHolder

__all__ = ["bytes_of", "lifecycle_of", "stack_of", "user_bytes"]


def bytes_of(objects: HeapObjects, key: HolderKey) -> int:
    """Bytes of a holder; one that is not listed held next to nothing."""
    return next((each.bytes for each in objects.holders if each.key == key), 0)


def user_bytes(objects: HeapObjects) -> int:
    """Memory of user code: what it keeps and what it is writing."""
    return objects.bytes_of("user") + objects.bytes_of("record_being_written")


def lifecycle_of(holder: HeapHolder) -> Lifecycle | None:
    """How long it lives, None where the dump cannot say."""
    return next((one for one in LIFECYCLES if one == holder.lifecycle), None)


def stack_of(death: HeapObjects | None, logged: Sequence[CodeSite]) -> tuple[StackFrame, ...]:
    """The dying thread, top first: from the dump with bytes, else from the logs without."""
    if death is not None and death.frames and death.oom_thread is not None:
        return death.frames
    return tuple(StackFrame(each.class_name, each.method, each.file, each.line) for each in logged)
