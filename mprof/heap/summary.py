"""The summary of a heap: the object that ``mprof heap DUMP --json`` prints (design section 7)."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.heap.heap import Heap
from mprof.heap.model import ClassRow, PathStep, Thread, Unreachable

__all__ = ["DominatorRow", "HeapSummary", "describe_path", "main_holder", "summarise"]

_FEWEST_DOMINATORS = 50
_UNKNOWN_LINE = -1
_MOST_OF_IT = 0.8
_DEEPEST = 16


@dataclass(frozen=True, slots=True)
class DominatorRow:
    """One of the largest objects under the virtual root; sizes in bytes."""

    node: int
    address: int
    class_name: str
    shallow_bytes: int
    retained_bytes: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeapSummary:
    """What a heap holds, ready to print; see :class:`mprof.heap.heap.Heap` for the fields."""

    objects: int
    shallow_bytes: int
    identifier_bytes: int
    layout: str
    classes: tuple[ClassRow, ...]
    dominators: tuple[DominatorRow, ...]
    threads: tuple[Thread, ...]
    unreachable: Unreachable
    losses: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """The object of the public contract, of plain lists, dicts, strings and numbers."""
        return {
            "schema_version": 1,
            "objects": self.objects,
            "shallow_bytes": self.shallow_bytes,
            "identifier_bytes": self.identifier_bytes,
            "layout": self.layout,
            "classes": [
                {
                    "name": row.name,
                    "objects": row.objects,
                    "shallow_bytes": row.shallow_bytes,
                    "retained_bytes": row.retained_bytes,
                }
                for row in self.classes
            ],
            "dominators": [
                {
                    "id": f"0x{row.address:x}",
                    "class": row.class_name,
                    "shallow_bytes": row.shallow_bytes,
                    "retained_bytes": row.retained_bytes,
                    "path": list(row.path),
                }
                for row in self.dominators
            ],
            "threads": [
                {
                    "name": thread.name,
                    "retained_bytes": thread.retained_bytes,
                    "frames": [
                        {
                            "class": frame.class_name,
                            "method": frame.method,
                            "file": frame.file or None,
                            "line": frame.line,
                            "retained_bytes": frame.retained_bytes,
                            "reachable_bytes": frame.reachable_bytes,
                        }
                        for frame in thread.frames
                    ],
                }
                for thread in self.threads
            ],
            "unreachable": {
                "objects": self.unreachable.objects,
                "shallow_bytes": self.unreachable.shallow_bytes,
            },
            "losses": list(self.losses),
        }


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


def main_holder(heap: Heap, node: int) -> DominatorRow | None:
    """The container or object below a dominator that holds most of what it retains.

    A thread dominates all that only its stack reaches, a class all that only its statics do; the
    map or list in question lies some steps below. None where the node is that object itself.
    """
    found = node
    for _ in range(_DEEPEST):
        below = heap.dominated(found)
        if not below.size or heap.retained(int(below[0])) < _MOST_OF_IT * heap.retained(found):
            break
        if heap.is_object(found) and heap.container(found) is not None:
            break
        if heap.class_name(int(below[0])) == heap.class_name(found):
            break  # a chain of its own nodes: its head is the holder
        found = int(below[0])
    if found == node or not heap.is_object(found):
        return None
    return _row(heap, found, heap.path_from_root(found))


def _row(heap: Heap, node: int, path: tuple[PathStep, ...]) -> DominatorRow:
    return DominatorRow(
        node,
        heap.address(node),
        heap.class_name(node),
        heap.shallow(node),
        heap.retained(node),
        describe_path(heap, path),
    )


def summarise(heap: Heap, *, fewest_dominators: int = _FEWEST_DOMINATORS) -> HeapSummary:
    """Sums a heap up: classes, the largest dominators with their paths, threads and frames.

    Args:
        heap: the heap.
        fewest_dominators: how many of the largest objects under the virtual root to list; all of
            them if there are fewer.
    """
    largest = [
        node for node in heap.dominator_roots()[: 4 * fewest_dominators].tolist()
        if heap.is_object(node)
    ][:fewest_dominators]  # fmt: skip
    paths = heap.paths_from_root(largest)
    return HeapSummary(
        objects=heap.objects,
        shallow_bytes=heap.shallow_bytes,
        identifier_bytes=heap.identifier_bytes,
        layout=heap.layout,
        classes=heap.class_histogram(),
        dominators=tuple(_row(heap, node, path) for node, path in zip(largest, paths, strict=True)),
        threads=heap.threads,
        unreachable=heap.unreachable,
        losses=heap.losses,
    )
