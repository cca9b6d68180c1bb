"""The summary of a heap: the object that ``mprof heap DUMP --json`` prints, and all of its text.

``docs/reference/heap.schema.json`` is generated from these classes. They are no structs of msgspec,
which takes longer to import than a small dump to sum up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from mprof.code_site import CodeSite
from mprof.heap.answers import ClassRow, PathStep, Thread, Unreachable, as_json
from mprof.heap.heap import Heap
from mprof.heap.names import hex_id

__all__ = [
    "Content",
    "DominatorRow",
    "FrameRow",
    "HeapSummary",
    "Holder",
    "HolderRow",
    "ThreadRow",
    "describe_path",
    "main_holder",
    "summarise",
]

_MOST_DOMINATORS = 50  # largest objects under the virtual root that are listed
_LARGE_SHARE = 0.1  # of the heap: the main holder inside such an object is looked for
_MOST_OF_IT = 0.8
_DEEPEST = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A large object; sizes in bytes.

    Attributes:
        id: its address in hex.
        path: from a root to it, a line a step.
    """

    id: str
    class_name: str
    shallow_bytes: int
    retained_bytes: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DominatorRow(Holder):
    """One of the largest objects under the virtual root; sizes in bytes.

    Attributes:
        holder: the container or object below it that holds most of what it retains; null where it
            is that object itself, and where it holds too little to ask.
    """

    holder: Holder | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A class of the program's, and how many of its objects a holder has in all."""

    class_name: str
    objects: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderRow:
    """What holds memory: a static field, a field, or a local of a method of the program's.

    Every live byte is held once. A container holds its nodes, also while a method of its own is at
    work on them; what a frame of the JDK alone holds belongs to the frame that called it.

    Attributes:
        name: in words, such as ``static Feed.listeners`` or ``local TreeMap of Index.build()``.
        bytes: that it holds.
        share: of what the roots reach and what else has a holder, 0 to 1.
        class_name: of the container in which the memory stands.
        length: elements, characters or bytes in it, or links of a list or tree of the program's
            own; null where it is none.
        capacity: how many it has room for before it is enlarged, of a hash table its slots; null
            where it has no such room.
        element_class: of most of its elements, of a map's values.
        key_class: of most of a map's keys.
        path: from the frame or static field to the container, a line a step.
        thread: whose stack has the method at work on it; null where no stack has.
        site: that method; null where no stack has one.
        frames: how many frames have such a local, of a recursion or of several threads.
        threads: how many threads have these frames; 1 of what is no local.
        shared_site: of several threads the topmost method of the program's in which most of them
            stand; null of one thread, and where no stack has one.
        id: address of the container in hex, of the largest where there are several; null where it
            is no object.
        copies: in how many classes of one name, loaded by different loaders, a static field is; in
            how many threads a thread-local has a value.
        objects: how many objects of the program's have a part of it each, in one field.
        content: what of the program's is in it, where its elements are something else, such as the
            segments of a library's cache or lists; null where they say it, and of less than 1 MB.
    """

    name: str
    bytes: int
    share: float
    class_name: str
    length: int | None
    element_class: str | None
    key_class: str | None
    path: tuple[str, ...]
    thread: str | None
    site: CodeSite | None
    frames: int
    id: str | None = None
    content: Content | None = None
    copies: int = 1
    capacity: int | None = None
    threads: int = 1
    shared_site: CodeSite | None = None
    objects: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRow:
    """A frame of a thread's stack.

    Attributes:
        line: above 0 a line, -1 not known, -2 compiled, -3 native.
        retained_bytes: what only this frame keeps alive.
        reachable_bytes: retained sizes of its distinct locals, none dominating another, without
            classes, class loaders and threads.
    """

    class_name: str
    method: str
    file: str | None
    line: int
    retained_bytes: int
    reachable_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRow:
    """A thread.

    Attributes:
        retained_bytes: what only this thread keeps alive, its frames and locals included.
        frames: top first.
        ran_out_of_memory: it met the OutOfMemoryError for which the dump was made.
    """

    name: str
    retained_bytes: int
    frames: tuple[FrameRow, ...]
    ran_out_of_memory: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HeapSummary:
    """What a heap holds: what roots reach, unless something else is said; sizes are bytes.

    Members may be added; none is removed or changes its meaning within a schema version.

    Attributes:
        objects: one for each loaded class included; soft references are followed, weak and phantom
            ones are not.
        identifier_bytes: of an address in the dump.
        layout: the fitted layout of objects.
        classes: the largest shallow size first; retained_bytes are those of members without a
            dominator of the same class.
        holders: who holds the memory, the largest first, at most 200; of less than 64 KB none.
        dominators: the largest children of the virtual root; all if there are fewer than 50.
        losses: what a damaged dump leaves unknown.
        ran_out_in: the topmost method of the program's on the stack of the thread that ran out of
            memory; null where none did, and where it was in no such method.
        lost_bytes: of objects that no root reaches and no holder has, in a dump of an
            OutOfMemoryError. Where the heap was full, a full collection has taken what is garbage,
            but for little; before an array beyond the VM's limit there is none.
    """

    schema_version: Literal[1] = 1
    objects: int
    shallow_bytes: int
    identifier_bytes: int
    layout: str
    classes: tuple[ClassRow, ...]
    holders: tuple[HolderRow, ...] = ()
    dominators: tuple[DominatorRow, ...]
    threads: tuple[ThreadRow, ...]
    unreachable: Unreachable
    losses: tuple[str, ...]
    ran_out_in: CodeSite | None = None
    lost_bytes: int = 0

    def to_json(self) -> Any:
        """The object of the public contract, of plain lists, dicts, strings and numbers."""
        return as_json(self)


def describe_path(heap: Heap, path: tuple[PathStep, ...]) -> tuple[str, ...]:
    """A path as text, one line a step.

    A frame reads ``thread "main": Job$Map.map (Job.java:12)``, a static field ``static Cache.MAP``,
    any other step ``field -> class``.
    """
    steps: list[str] = []
    for index, step in enumerate(path):
        following = path[index + 1] if index + 1 < len(path) else None
        if step.frame is not None:
            frame = step.frame
            place = frame.file or "unknown source"
            line = f":{frame.line}" if frame.line > 0 else ", native" if frame.is_native else ""
            name = heap.thread_of_frame[step.node].name
            steps.append(f'thread "{name}": {frame.class_name}.{frame.method} ({place}{line})')
        elif index == 0 and following is not None and following.frame is not None:
            continue  # the frame names its thread
        elif index == 0 and step.via in ("class", "system class") and following is not None:
            continue  # the static field names its class
        elif index == 1 and path[0].via in ("class", "system class"):
            steps.append(f"static {path[0].class_name}.{step.via} -> {step.class_name}")
        else:
            steps.append(f"{step.via} -> {step.class_name}")
    return tuple(steps)


def main_holder(heap: Heap, node: int) -> int | None:
    """The container or object below a dominator that holds most of what it retains.

    A thread dominates all that only its stack reaches, a class all that only its statics do; the
    map or list in question lies some steps below. None where the node is that object itself.
    """
    found = node
    for _ in range(_DEEPEST):
        below = heap.largest_dominated(found)
        if below is None or heap.retained(below) < _MOST_OF_IT * heap.retained(found):
            break
        if heap.is_object(found) and heap.container(found) is not None:
            break
        if heap.class_name(below) == heap.class_name(found):
            break  # a chain of its own nodes: its head is the holder
        found = below
    return None if found == node or not heap.is_object(found) else found


def summarise(heap: Heap) -> HeapSummary:
    """Sums a heap up: classes, the largest dominators with their paths, threads and frames."""
    largest = [
        node for node in heap.dominator_roots()[: 4 * _MOST_DOMINATORS].tolist()
        if heap.is_object(node)
    ][:_MOST_DOMINATORS]  # fmt: skip
    asked = [one for one in largest if heap.retained(one) >= _LARGE_SHARE * heap.shallow_bytes]
    below = {one: found for one in asked if (found := main_holder(heap, one)) is not None}
    nodes = [*largest, *below.values()]
    paths = dict(zip(nodes, heap.paths_from_root(nodes), strict=True))
    rows = {node: _members(heap, node, path) for node, path in paths.items()}
    died = heap.oom_thread
    return HeapSummary(
        objects=heap.objects,
        shallow_bytes=heap.shallow_bytes,
        identifier_bytes=heap.identifier_bytes,
        layout=heap.layout,
        classes=heap.class_histogram,
        dominators=tuple(
            DominatorRow(
                **rows[node], holder=Holder(**rows[below[node]]) if node in below else None
            )
            for node in largest
        ),
        threads=tuple(
            _thread(one, died=died is not None and died.serial == one.serial)
            for one in heap.threads
        ),
        unreachable=heap.unreachable,
        losses=heap.losses,
    )


def _members(heap: Heap, node: int, path: tuple[PathStep, ...]) -> dict[str, Any]:
    return {
        "id": hex_id(heap.address(node)),
        "class_name": heap.class_name(node),
        "shallow_bytes": heap.shallow(node),
        "retained_bytes": heap.retained(node),
        "path": describe_path(heap, path),
    }


def _thread(thread: Thread, *, died: bool) -> ThreadRow:
    return ThreadRow(
        name=thread.name,
        retained_bytes=thread.retained_bytes,
        frames=tuple(
            FrameRow(
                class_name=frame.class_name,
                method=frame.method,
                file=frame.file or None,
                line=frame.line,
                retained_bytes=frame.retained_bytes,
                reachable_bytes=frame.reachable_bytes,
            )
            for frame in thread.frames
        ),
        ran_out_of_memory=died,
    )
