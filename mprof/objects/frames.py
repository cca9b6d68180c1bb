"""The frames of a thread, each with the user memory that its locals reach."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.heap import Heap
from mprof.objects.columns import Columns
from mprof.objects.heap_objects import StackFrame
from mprof.objects.operators import Operators
from mprof.objects.ownership import KEEPERS, Ownership
from mprof.objects.reach import reached_by_each
from mprof.objects.stack import TaskFrame, TaskThread, site_of

__all__ = ["describe_frames"]


def describe_frames(
    heap: Heap, columns: Columns, ownership: Ownership, thread: TaskThread
) -> tuple[StackFrame, ...]:
    """The frames of a thread, a probe on top left out, with the user memory their locals reach.

    And that of record writers, record readers and static fields of libraries, which user code fills
    or plugs in.
    """
    wanted = np.array([label.owner in KEEPERS for label in ownership.labels])
    total = int(ownership.bytes[wanted].sum())
    frames = thread.frames_below_probe
    held = [_held_for_users(frame, ownership, wanted) for frame in frames]
    reached = reached_by_each(
        columns.outgoing, prefix=columns.prefix, owners=ownership.owners, wanted=wanted, sets=held
    )
    operators = Operators(heap)
    found = []
    for frame, nodes in zip(frames, held, strict=True):
        at, size = site_of(frame.frame), reached[nodes]
        share = size / total if total else 0.0
        script = operators.site(frame.this)
        found.append(
            StackFrame(
                at.class_name, at.method, at.file, at.line, frame.is_user, size, share, script
            )
        )
    return tuple(found)


def _held_for_users(
    frame: TaskFrame, ownership: Ownership, wanted: NDArray[np.bool_]
) -> frozenset[int]:
    """The locals of a frame that wanted owners own."""
    owned = {node: int(ownership.owners[node]) for node in frame.frame.locals}
    return frozenset(node for node, owner in owned.items() if owner >= 0 and wanted[owner])
