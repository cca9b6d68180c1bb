"""All stacks of a heap, whatever holder is asked for: the topmost frame, the one that emits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from mprof.code_site import CodeSite
from mprof.objects.ownership import Ownership
from mprof.objects.stack import TaskFrame, TaskThread, has_line, site_of

__all__ = ["Blamed", "Stacks", "emitting", "frames_above", "shared_site", "stacks_of", "topmost"]

Blamed = tuple[TaskFrame, TaskThread]


@dataclass(frozen=True, slots=True)
class Stacks:
    """All stacks of a heap.

    Attributes:
        threads: the one of interest first.
        locals_by_owner: the locals of all frames, by the number of their label.
    """

    threads: tuple[TaskThread, ...]
    locals_by_owner: Mapping[int, Sequence[int]]


def stacks_of(threads: tuple[TaskThread, ...], ownership: Ownership) -> Stacks:
    """The stacks of some threads, in their order."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for node in {n for t in threads for f in t.frames for n in f.frame.locals}:
        found[int(ownership.owners[node])].append(node)
    return Stacks(threads, {number: nodes for number, nodes in found.items() if number > 0})


def frames_above(frame: TaskFrame, thread: TaskThread) -> tuple[TaskFrame, ...]:
    """What a frame has called, top first."""
    return thread.frames[: thread.frames.index(frame)]


def topmost(threads: Sequence[TaskThread], fits: Callable[[str], bool]) -> Blamed | None:
    """The topmost user frame whose class fits, of a thread that has one.

    A constructor made what is not in the container yet: its caller is who adds it, where that
    fits as well. The class behind a lambda has no line.
    """
    for thread in threads:
        found = [each for each in thread.frames if has_line(each) and fits(each.frame.class_name)]
        if found:
            adding = (each for each in found if each.frame.method != "<init>")
            return next(adding, found[0]), thread
    return None


def emitting(thread: TaskThread | None) -> Blamed | None:
    """The user frame that emits a record, not the code of the record that serialises it.

    In one thread: another one that stands in an emit waits for its turn.
    """
    if thread is None:
        return None
    is_written = False
    for frame in thread.frames:
        if is_written and frame.is_user and frame.level != "encoder":
            return frame, thread
        is_written = is_written or frame.via == "write"
    return None


def shared_site(threads: Collection[TaskThread]) -> CodeSite | None:
    """The topmost user frame in which most of some threads stand."""
    tops = Counter(
        site_of(top.frame)
        for thread in threads
        if (top := next((f for f in thread.frames if has_line(f)), None)) is not None
    )
    found = tops.most_common(1)
    return found[0][0] if found and 2 * found[0][1] > len(threads) else None
