"""The framework's memory, told by the shape of its objects.

Every look-up goes by the class and field names of the engine's profile (`HeapShapes`); what a
version does not have yields nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mprof.engines import Engine, Fields, HeapShapes
from mprof.heap import Container, Heap
from mprof.objects.heap_objects import HolderKind, PartName
from mprof.objects.thresholds import LEADS_ON, LEAST_LEFTOVER, MANY

__all__ = ["Part", "Piece", "Shapes", "read_shapes", "steps_to_many"]

_MOST_READERS_DEEP = 5
_MOST_STEPS = 6
_OF_ONE_RECORD = frozenset(
    {"key", "value", "record", "current", "currentKey", "currentValue", "currentRecord"}
)
"""Fields in which a reader holds the record that it hands out."""
_ELEMENTS = frozenset({"list", "map", "set", "queue"})


class Part(NamedTuple):
    """An array of the framework."""

    part: PartName
    node: int


class Piece(NamedTuple):
    """An object of a reader, of a record in flight or of a buffer; ``field`` of ``of`` holds it."""

    kind: HolderKind
    field: str
    node: int
    of: int | None = None


@dataclass(frozen=True, slots=True)
class Shapes:
    """What the framework holds.

    Attributes:
        parts: the sort buffer and every shuffled segment, each array once, the surest part first.
        reader_buffers: arrays through which readers read.
        read_ahead: what record readers hold of many records.
        in_flight: key, value and raw bytes of the records being handed over, and their readers.
        buffers: what records are serialised into, besides the sort buffer.
        writers: the job's record writers, ascending.
    """

    parts: tuple[Part, ...]
    reader_buffers: tuple[int, ...]
    read_ahead: tuple[Piece, ...]
    in_flight: tuple[Piece, ...]
    buffers: tuple[Piece, ...]
    writers: tuple[int, ...]


def read_shapes(
    heap: Heap, engine: Engine, fetching: frozenset[int], handed: frozenset[int] = frozenset()
) -> Shapes:
    """Finds what the framework holds.

    Args:
        heap: the heap.
        engine: whose framework it is.
        fetching: nodes among the locals of frames that fetch map output.
        handed: nodes among the locals of the user's map(), which has been handed a record.
    """
    shapes = engine.shapes
    unique: dict[int, Part] = {}
    for part in (
        *(Part("sort_buffer", node) for _, _, node in _in_fields(heap, shapes.sort_buffers)),
        *_segments(heap, shapes, fetching),
        *_leftovers(heap, shapes),
    ):
        unique.setdefault(part.node, part)
    records = tuple(_records(heap, shapes))
    ahead = _read_ahead(heap, records, handed)
    of_many = {each.node for each in ahead}
    return Shapes(
        parts=tuple(unique.values()),
        reader_buffers=tuple(node for _, _, node in _in_fields(heap, shapes.reader_buffers)),
        read_ahead=ahead,
        in_flight=tuple(each for each in records if each.node not in of_many),
        buffers=tuple(_buffers(heap, engine)),
        writers=_writers(heap, shapes),
    )


def _in_fields(heap: Heap, places: Iterable[Fields]) -> Iterator[tuple[int, str, int]]:
    """Holder, field and node, for objects of these classes, subclasses included."""
    for class_name, names in places:
        for holder in heap.instances(class_name, subclasses=True).tolist():
            fields = heap.reference_fields(holder)
            yield from ((holder, name, fields[name]) for name in names if name in fields)


# --- parts of the framework -----------------------------------------------------------------------


def _segments(heap: Heap, shapes: HeapShapes, fetching: frozenset[int]) -> Iterator[Part]:
    waiting = _members(heap, shapes.waiting, levels=1)
    merging = _members(heap, shapes.merging, levels=2)
    for _, _, array in _in_fields(heap, shapes.segment_readers):
        yield Part("shuffle_merging", array)
    for output, _, array in _in_fields(heap, shapes.segments):
        part: PartName = "shuffle_leftover"
        if output in merging:
            part = "shuffle_merging"
        elif output in waiting:
            part = "shuffle_in_memory"
        elif output in fetching:
            part = "shuffle_fetching"
        yield Part(part, array)


def _members(heap: Heap, places: Iterable[Fields], *, levels: int) -> set[int]:
    """Elements of the collections in these fields, so many levels deep."""
    nodes = {node for _, _, node in _in_fields(heap, places)}
    for _ in range(levels):
        nodes = {member for node in nodes for member in heap.members(node)}
    return nodes


def _leftovers(heap: Heap, shapes: HeapShapes) -> Iterator[Part]:
    """Arrays of segments that only a comparator's or a merge's buffer still pins."""
    if not any(heap.instances(owner, subclasses=True).size for owner, _ in shapes.waiting):
        return
    for _, _, data in _in_fields(heap, shapes.pins):
        fields = heap.reference_fields(data)
        for buffer in (fields[name] for name in shapes.buffer_fields if name in fields):
            array = heap.reference(buffer, shapes.buffer_array)
            if array is not None and heap.array_length(array) >= LEAST_LEFTOVER.value:
                yield Part("shuffle_leftover", array)


# --- records --------------------------------------------------------------------------------------


def _records(heap: Heap, shapes: HeapShapes) -> Iterator[Piece]:
    for _, _, reader in _in_fields(heap, shapes.record_readers):
        yield from _of_reader(heap, shapes, reader, 0)
    for _, name, node in _in_fields(heap, shapes.records):
        yield Piece("record", name, node)
    for _, name, node in _in_fields(heap, shapes.raw_records):
        yield Piece("raw_record", name, node)


def _of_reader(heap: Heap, shapes: HeapShapes, reader: int, depth: int) -> Iterator[Piece]:
    """A record reader: its value first, then whatever else it holds; readers in it likewise."""
    fields = heap.reference_fields(reader)
    inner = [
        node
        for node in fields.values()
        if depth < _MOST_READERS_DEEP and _is_reader(heap, shapes, heap.class_name(node))
    ]
    for node in inner:
        yield from _of_reader(heap, shapes, node, depth + 1)
    for name in sorted(fields, key=lambda field: (field != "value", field != "key")):
        if fields[name] not in inner:
            yield Piece("record", name, fields[name], reader)
    yield Piece("record", "reader", reader)


def _is_reader(heap: Heap, shapes: HeapShapes, class_name: str) -> bool:
    named = bool(shapes.reader_suffix) and class_name.endswith(shapes.reader_suffix)
    return named or shapes.reader_base in heap.super_classes(class_name)


def _read_ahead(heap: Heap, records: Iterable[Piece], handed: frozenset[int]) -> tuple[Piece, ...]:
    """What readers hold of many records, the shortest way to them first.

    Of a field that holds the record itself, by its name or because map() has been handed what is in
    it, nothing is read ahead.
    """
    found = []
    for each in records:
        if each.of is None or each.node in handed or each.field in _OF_ONE_RECORD:
            continue
        steps = steps_to_many(heap, each.node)
        if steps is not None:
            found.append((steps, each.field, each))
    found.sort(key=lambda each: each[:2])
    return tuple(each._replace(kind="reader") for _, _, each in found)


def steps_to_many(heap: Heap, node: int) -> int | None:
    """How many fields away from an object a collection of many objects is that it keeps alive.

    Each step leads into the field that keeps most of what the object keeps (a result set of a
    database keeps its rows in a list of its row data). None where none is found.
    """
    for steps in range(_MOST_STEPS):
        content = heap.container(node)
        if content is not None:
            return steps if _is_of_many(heap, node, content) else None
        fields = heap.reference_fields(node).values()
        largest = max(fields, key=heap.retained, default=None)
        if largest is None or heap.retained(largest) < LEADS_ON.value * heap.retained(node):
            return None
        node = largest
    return None


def _is_of_many(heap: Heap, node: int, content: Container) -> bool:
    has_elements = content.kind in _ELEMENTS or bool(heap.first_elements(node, 1))
    return has_elements and content.length >= MANY.value


def _buffers(heap: Heap, engine: Engine) -> Iterator[Piece]:
    """What records are serialised into; of the task's record writer a stream of the framework's."""
    for _, name, node in _in_fields(heap, engine.shapes.serialization):
        yield Piece("buffer", name, node)
    streams = engine.shapes.writer_streams
    for _, _, writer in _in_fields(heap, engine.shapes.output_writers):
        if heap.class_name(writer).startswith(engine.package):
            for name, node in heap.reference_fields(writer).items():
                own = heap.class_name(node)
                if not {own, *heap.super_classes(own)}.isdisjoint(streams):
                    yield Piece("output_buffer", name, node)


# --- writers --------------------------------------------------------------------------------------


def _writers(heap: Heap, shapes: HeapShapes) -> tuple[int, ...]:
    """All record writers: those that the task has, and those that others keep or wrap.

    An interface, as that of the old API, leaves no trace in a dump; its implementors are told by
    where they stand.
    """
    kept = [node for _, _, node in _in_fields(heap, shapes.output_writers)]
    found = {node for node in kept if heap.array_length(node) < 0}
    for array in set(kept) - found:
        found.update(node for node in heap.elements(array).tolist() if node >= 0)
    found.update(heap.instances(shapes.writer_base, subclasses=True).tolist())
    return tuple(
        sorted(node for node in found if heap.class_name(node) not in shapes.writer_relays)
    )
