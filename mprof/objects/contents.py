"""What stands in a container: a few objects of it, its first step inside, its keys."""

from __future__ import annotations

from collections import Counter
from typing import Final

from mprof.engines import stable_name
from mprof.heap import Container, Heap
from mprof.heap.containers import MANY_LINKS
from mprof.objects.heap_objects import PathStep

__all__ = ["ENTRIES", "MOST_FEW", "elements_of_small", "few_in", "key_class", "linked", "steps_in"]

MOST_FEW: Final = 16  # expressions of an operator; a list of more is what grew
ENTRIES: Final = ("$Entry", "$Node", "$TreeNode")
_MOST_WRAPPERS: Final = 4
_MOST_SAMPLED: Final = 64


def few_in(heap: Heap, node: int, *, through_all: bool) -> list[tuple[str, int]]:
    """What stands in a list or array of a few objects; empty of one of more.

    Args:
        heap: the heap.
        node: of the container.
        through_all: of a set or queue as well.
    """
    content = heap.container(node)
    passes = content is not None and (through_all or content.kind == "list")
    backing = content.backing if content is not None and passes else node
    if content is not None and passes and content.capacity < 0 and content.kind == "list":
        few = content.length <= MOST_FEW
        return [("[i]", each) for each in heap.members(node)] if few else []
    if content is not None and content.kind == "map" and 0 < content.length <= MOST_FEW:
        entries = _entries(heap, content.backing)
        if entries:
            return [("[i]", each) for each in entries]
    if backing is None or not 0 <= heap.array_length(backing) <= MOST_FEW:
        return []
    found = [each for each in heap.elements(backing).tolist() if each >= 0]
    return [("[i]", each) for first in found for each in _in_slot(heap, first)]


def _in_slot(heap: Heap, first: int) -> list[int]:
    """What stands in a slot of a table: an entry, and those that share the slot with it."""
    name = heap.class_name(first)
    is_entry = name.startswith("java.util.") and name.endswith(ENTRIES)
    return (_entries(heap, first) if is_entry else []) or [first]


def _entries(heap: Heap, first: int | None) -> list[int]:
    """The few entries of a tree or a skip list, which lead to each other."""
    if first is None or heap.array_length(first) >= 0:
        return []
    name, found = heap.class_name(first), [first]
    for entry in found:
        links = heap.reference_fields(entry).values()
        further = (each for each in links if heap.class_name(each) == name)
        found += [each for each in further if each not in found]
        if len(found) > 2 * MOST_FEW:
            return []
    return found


def elements_of_small(heap: Heap, node: int) -> list[int]:
    """What stands in an array, where that is little; an operator's fields hold no more."""
    few = 0 <= heap.array_length(node) <= _MOST_SAMPLED
    return [each for each in heap.elements(node).tolist() if each >= 0] if few else []


def steps_in(heap: Heap, node: int) -> tuple[PathStep, ...]:
    """One step into a container: its table, a slot, what stands there."""
    if heap.array_length(node) >= 0:
        return _slot(heap, node)
    content = heap.container(node)
    if content is None or content.backing is None:
        return ()
    steps: list[PathStep] = []
    at = node
    for _ in range(_MOST_WRAPPERS):  # as: HashSet.map, Collections$SynchronizedMap.m
        fields = heap.reference_fields(at)
        direct = next((n for n, target in fields.items() if target == content.backing), None)
        if direct is not None:
            steps.append(_step(heap, direct, content.backing))
            break
        inner = next(((n, fields[n]) for n in ("map", "m", "c", "list", "al") if n in fields), None)
        if inner is None:
            return ()
        steps.append(_step(heap, *inner))
        at = inner[1]
    return (*steps, *_slot(heap, content.backing))


def _slot(heap: Heap, array: int) -> tuple[PathStep, ...]:
    return tuple(_step(heap, "[i]", each) for each in heap.first_elements(array, 1))


def _step(heap: Heap, name: str, node: int) -> PathStep:
    return PathStep(name, stable_name(heap.class_name(node)))


def linked(heap: Heap, node: int) -> Container | None:
    """A list or tree of the program's own links, told by the first: what links lead to."""
    name, pending, seen = heap.class_name(node), [node], {node}
    others: list[str] = []
    while pending and len(seen) < _MOST_SAMPLED:
        for target in heap.reference_fields(pending.pop()).values():
            if heap.class_name(target) != name:
                others.append(stable_name(heap.class_name(target)))
            elif target not in seen:
                seen.add(target)
                pending.append(target)
    if len(seen) < MANY_LINKS:
        return None
    of = Counter(others).most_common(1)
    return Container("links", heap.alike(node), -1, of[0][0] if of else "", node)


def key_class(heap: Heap, node: int) -> str | None:
    """Class of most keys of a map, from its first entries."""
    content = heap.container(node)
    if content is None or content.kind != "map" or content.backing is None:
        return None
    is_array = heap.array_length(content.backing) >= 0
    entries = heap.first_elements(content.backing, _MOST_SAMPLED) if is_array else [content.backing]
    keys = Counter(
        heap.class_name(key)
        for entry in entries
        if (key := heap.reference(entry, "key")) is not None
    )
    return keys.most_common(1)[0][0] if keys else None
