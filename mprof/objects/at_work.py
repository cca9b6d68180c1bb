"""Who works on what another frame has made: by the locals of the frames that it has called."""

from __future__ import annotations

from mprof.objects.owned_heap import OwnedHeap
from mprof.objects.ownership import Label
from mprof.objects.roots import Root
from mprof.objects.stack import TaskFrame, TaskThread
from mprof.objects.stacks import Blamed, Stacks, frames_above
from mprof.objects.words import is_lambda

__all__ = ["at_work_on", "not_who_made_it"]


def at_work_on(
    owned: OwnedHeap, stacks: Stacks, number: int, *, but: TaskFrame | None = None
) -> Blamed | None:
    """The topmost user frame, of a thread that does not wait, that works on a part of a holder.

    Of a singleton's memory no frame need have the singleton: its methods have returned.

    Args:
        owned: the heap.
        stacks: all of it.
        number: of the holder's label.
        but: the frame that is not asked for.
    """
    for thread in stacks.threads if owned.through_few else ():
        for frame in thread.frames if not thread.waits else ():
            if frame is not but and frame.is_user and _works_on(owned, frame, number):
                return frame, thread
    return None


def not_who_made_it(
    owned: OwnedHeap,
    stacks: Stacks,
    root: Root,
    blamed: Blamed | None,
    label: Label,
    *,
    is_shared: bool,
) -> Blamed | None:
    """Who works on what a frame has made and others use, if that waits or works elsewhere.

    Of the thread itself it is the topmost such frame, as one that has a statement of its
    caller's connection. None where no stack has any, unless the frame alone has it.

    Args:
        owned: the heap.
        stacks: all of it.
        root: of the holder.
        blamed: the frame, and its thread.
        label: of the holder.
        is_shared: whether a field of a library holds it.
    """
    if blamed is None or not owned.through_few:
        return blamed
    frame, thread = blamed
    number = int(owned.ownership.owners[root.node])
    if thread.waits:
        unknown = is_shared or _waits_for_a_dead_thread(stacks, frame, thread)
        return at_work_on(owned, stacks, number, but=frame) or (None if unknown else blamed)
    if not is_shared:
        return blamed
    if _is_elsewhere(owned, frame, thread, label):
        return at_work_on(owned, stacks, number, but=frame)
    for above in frames_above(frame, thread):
        works = above.is_user and _works_on(owned, above, label.number)
        if works and above.frame.method != "<init>" and not is_lambda(above.frame.class_name):
            return above, thread
    return blamed


def _waits_for_a_dead_thread(stacks: Stacks, frame: TaskFrame, thread: TaskThread) -> bool:
    """Whether what a frame waits for is a thread that an error has ended just now.

    That thread may have filled what both of them have, and its frames are gone.
    """
    awaited = {node for each in frames_above(frame, thread) for node in each.frame.locals}
    return any(each.has_died and each.thread.node in awaited for each in stacks.threads)


def _works_on(owned: OwnedHeap, frame: TaskFrame, number: int) -> bool:
    """Whether a local of a frame is a holder's, or refers to one.

    As a statement of a database refers to its connection.
    """
    heap, owners = owned.heap, owned.ownership.owners
    for node in frame.frame.locals:
        if owners[node] == number:
            return True
        refers = heap.array_length(node) < 0 and owned.kind(heap.class_name(node)) == "neutral"
        if refers and any(
            owners[target] == number for target in heap.reference_fields(node).values()
        ):
            return True
    return False


def _is_elsewhere(owned: OwnedHeap, frame: TaskFrame, thread: TaskThread, label: Label) -> bool:
    """Whether what a frame has called works on objects, and on none that a holder has.

    Nor has the frame been called by code that works on those, as by a server.
    """
    above = frames_above(frame, thread)
    below = thread.frames[len(above) + 1 :]
    works = any(_works_on(owned, each, label.number) for each in above)
    held = (node for each in below if not each.is_user for node in each.frame.locals)
    works = works or any(owned.is_of(node, label) for node in held)
    making = (each for each in above if each.frame.method != "<init>")  # what is to be put in
    return any(each.frame.locals for each in making) and not works
