"""Plain twins of mprof.heap._passes, _tally and _incoming, under their names; lists and dicts.

Objects are those of :mod:`oracles.scan`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from oracles.scan import CLASS, INSTANCE, OBJECT_ARRAY, Object, identifier

__all__ = ["append_row", "array_bytes", "cut_off", "gather_referents", "mark_referenced",
           "number_nodes", "place_objects", "rows_of", "sample_gaps", "shallow", "stack_bytes",
           "sum_up"]  # fmt: skip

FARTHEST = 4096
ELEMENT_BYTES = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}


def sample_gaps(
    objects: Sequence[Object],
    numbers: Sequence[int],
    known: Sequence[int],
    *,
    samples: int,
    longest: int,
) -> tuple[dict[int, list[int]], dict[tuple[int, int], list[int]]]:
    """Distances to the next of all known addresses, of the first objects of each class.

    Instances by class number; arrays by element type and length.
    """
    by_class: dict[int, list[int]] = defaultdict(list)
    by_array: dict[tuple[int, int], list[int]] = defaultdict(list)
    for one, number in zip(objects, numbers, strict=True):
        above = [other for other in known if other > one.address]
        gap = min(above) - one.address if above else FARTHEST
        if gap >= FARTHEST or one.tag == CLASS:
            continue
        if one.tag == INSTANCE:
            found = by_class[number] if number >= 0 else []
        else:
            kind = 2 if one.tag == OBJECT_ARRAY else one.class_
            found = by_array[kind, one.length] if one.length < longest else []
        if len(found) < samples:
            found.append(gap)
    return (
        {key: gaps for key, gaps in by_class.items() if gaps},
        {key: gaps for key, gaps in by_array.items() if gaps},
    )


def _array_size(length: int, element: int, header: int, alignment: int) -> int:
    begin = -(-header // element) * element
    return -(-(begin + length * element) // alignment) * alignment


def shallow(
    one: Object,
    number: int,
    *,
    instances: Sequence[int],
    mirrors: Sequence[int],
    header: int,
    reference: int,
    alignment: int,
    stack_words: int | None = None,
) -> int:
    """Bytes of an object itself; ``stack_words`` is not None for a stack chunk."""
    if one.tag == INSTANCE and stack_words is not None:
        return instances[number] + stack_bytes(stack_words, reference, alignment)
    if one.tag == INSTANCE:
        return instances[number] if number >= 0 else one.length + 16
    if one.tag == CLASS:
        return mirrors[number] if number >= 0 else 0
    element = reference if one.tag == OBJECT_ARRAY else ELEMENT_BYTES[one.class_]
    return _array_size(one.length, element, header, alignment)


def stack_bytes(words: int, reference: int, alignment: int) -> int:
    """Bytes of a stack of 8-byte words, with a bit for each reference that would fit into it."""
    places = 8 * words // reference
    size = 8 * words + 8 * math.ceil(places / 64)
    return math.ceil(size / alignment) * alignment


def place_objects(
    objects: Sequence[Object],
    numbers: Sequence[int],
    sizes: Sequence[int],
    nodes: Mapping[int, int],
    *,
    class_class: int,
    unknown: int,
) -> tuple[dict[int, tuple[int, int, int]], tuple[int, int]]:
    """By node: position, class number, bytes. Then number and bytes of what has no node.

    ``nodes`` is by address; an object that occurs twice counts the first time.
    """
    found: dict[int, tuple[int, int, int]] = {}
    left = [size for one, size in zip(objects, sizes, strict=True) if nodes.get(one.address, 0) < 0]
    for one, number, size in zip(objects, numbers, sizes, strict=True):
        node = nodes.get(one.address, -1)
        if node >= 0 and node not in found:
            class_ = class_class if one.tag == CLASS else number if number >= 0 else unknown
            found[node] = (one.position, class_, size)
    return found, (len(left), sum(left))


def sum_up(
    found: Mapping[int, tuple[int, int, int]], count: int
) -> tuple[list[int], list[int], list[int]]:
    """By node: position, class number, and the bytes before it; what is no object has 0, -1, 0."""
    rows = [found.get(node, (0, -1, 0)) for node in range(count)]
    positions, classes, sizes = zip(*rows, strict=True)
    return list(positions), list(classes), [sum(sizes[:node]) for node in range(count + 1)]


def gather_referents(
    data: bytes,
    objects: Sequence[Object],
    numbers: Sequence[int],
    width: int,
    offsets: Sequence[int],
    ranks: Mapping[int, int],
) -> list[tuple[int, int]]:
    """Ranks of each final reference and its referent."""
    pairs = []
    for one, number in zip(objects, numbers, strict=True):
        if one.tag != INSTANCE or number < 0 or offsets[number] < 0:
            continue
        if offsets[number] + width > one.length:
            continue
        place = one.position + 9 + 2 * width + offsets[number]
        referent = ranks.get(identifier(data, place, width), -1)
        if referent >= 0:
            pairs.append((ranks[one.address], referent))
    return pairs


def mark_referenced(rows: Mapping[int, Sequence[int]]) -> set[int]:
    """What some other vertex refers to."""
    return {target for source, targets in rows.items() for target in targets if target != source}


def cut_off(rows: Mapping[int, Sequence[int]], reached: Collection[int]) -> dict[int, list[int]]:
    """The rows, edges from the rest to what is reached redirected to where they begin."""
    return {
        source: list(targets)
        if source in reached
        else [source if target in reached else target for target in targets]
        for source, targets in rows.items()
    }


def append_row(rows: Mapping[int, Sequence[int]], source: int, targets: Sequence[int]) -> list[int]:
    """The row of a vertex with further targets."""
    return [*rows.get(source, ()), *targets]


def number_nodes(numbers: Sequence[int], places: Sequence[int]) -> list[int]:
    """The place of each vertex by its number, -1 for one without."""
    return [places[number] if number >= 0 else -1 for number in numbers]


def array_bytes(
    objects: Sequence[Object],
    numbers: Sequence[int],
    *,
    unknown: int,
    header: int,
    reference: int,
    alignment: int,
) -> tuple[Counter[int], Counter[int], Counter[int]]:
    """By class number: objects, bytes of arrays, bytes of instances whose class is not known."""
    counts: Counter[int] = Counter()
    arrays: Counter[int] = Counter()
    fields: Counter[int] = Counter()
    for one, number in zip(objects, numbers, strict=True):
        if one.tag == CLASS:
            continue
        class_ = number if number >= 0 else unknown
        counts[class_] += 1
        if one.tag != INSTANCE:
            element = reference if one.tag == OBJECT_ARRAY else ELEMENT_BYTES[one.class_]
            arrays[class_] += _array_size(one.length, element, header, alignment)
        elif number < 0:
            fields[class_] += one.length + 16
    return counts, arrays, fields


def rows_of(rows: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    """References turned round: the vertices that refer to each, ascending."""
    found: dict[int, list[int]] = defaultdict(list)
    for source in sorted(rows):
        for target in rows[source]:
            found[target].append(source)
    return dict(found)
