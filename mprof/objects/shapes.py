"""The framework's memory, told by the shape of Hadoop's objects.

Facts from Hadoop 3.4.3: ``mapred.MapTask$MapOutputBuffer``, ``mapreduce.task.reduce.*``,
``mapred.Merger``, ``mapred.IFile``, ``mapreduce.task.ReduceContextImpl``,
``mapred.Task$ValuesIterator``. Every look-up goes by class and field name; what a version does not
have yields nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mprof.heap import Heap
from mprof.objects.columns import number_field
from mprof.objects.members import field, members
from mprof.objects.model import Owner, PartName

__all__ = [
    "Part",
    "Piece",
    "encoding_buffers",
    "framework_parts",
    "map_attempt",
    "records_in_flight",
]

_MAPRED = "org.apache.hadoop.mapred."
_NEW = "org.apache.hadoop.mapreduce."
_REDUCE = _NEW + "task.reduce."
_READER_CLASSES = (_NEW + "RecordReader",)
_DEEPEST_READER = 5
_LEFTOVER_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Part:
    """An array of the framework, and the map attempt whose output it holds, where told."""

    part: PartName
    node: int
    map_attempt: str | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """An object of a record in flight or of a serialisation buffer; ``name`` says which."""

    owner: Owner
    name: str
    node: int


def framework_parts(heap: Heap, fetching: frozenset[int]) -> list[Part]:
    """The sort buffer and every shuffled segment, each array once, the surest part first.

    Args:
        heap: the heap.
        fetching: nodes among the locals of fetcher threads.
    """
    found = [
        Part("sort_buffer", buffer)
        for collector in heap.instances(
            _MAPRED + "MapTask$MapOutputBuffer", subclasses=True
        ).tolist()
        for buffer in _field(heap, collector, "kvbuffer")
    ]
    found += _segments(heap, fetching)
    found += _leftovers(heap)
    unique: dict[int, Part] = {}
    for part in found:
        unique.setdefault(part.node, part)
    return list(unique.values())


def _segments(heap: Heap, fetching: frozenset[int]) -> Iterator[Part]:
    waiting: set[int] = set()
    merging: set[int] = set()
    for manager in heap.instances(_REDUCE + "MergeManagerImpl", subclasses=True).tolist():
        for name in ("inMemoryMapOutputs", "inMemoryMergedMapOutputs"):
            for outputs in _field(heap, manager, name):
                waiting.update(members(heap, outputs))
    for merger in heap.instances(_REDUCE + "MergeThread", subclasses=True).tolist():
        for lists in _field(heap, merger, "pendingToBeMerged"):
            for inputs in members(heap, lists):
                merging.update(members(heap, inputs))
    for reader in heap.instances(_REDUCE + "InMemoryReader", subclasses=True).tolist():
        attempt = _attempt(heap, reader, "taskAttemptId")
        for name in ("buffer", "data"):
            for array in _field(heap, reader, name):
                yield Part("shuffle_merging", array, attempt)
    for output in heap.instances(_REDUCE + "InMemoryMapOutput", subclasses=True).tolist():
        part: PartName = "shuffle_leftover"
        if output in merging:
            part = "shuffle_merging"
        elif output in waiting:
            part = "shuffle_in_memory"
        elif output in fetching:
            part = "shuffle_fetching"
        for array in _field(heap, output, "memory"):
            yield Part(part, array, _attempt(heap, output, "mapId"))


def _leftovers(heap: Heap) -> Iterator[Part]:
    """Arrays of segments that only a comparator's or a merge's buffer still pins."""
    if not heap.instances(_REDUCE + "MergeManagerImpl", subclasses=True).size:
        return
    holders = [
        (holder, name)
        for class_name, names in (
            ("org.apache.hadoop.io.WritableComparator", ("buffer",)),
            (_MAPRED + "Merger$MergeQueue", ("key",)),
            (_MAPRED + "Merger$Segment", ("key",)),
        )
        for holder in heap.instances(class_name, subclasses=True).tolist()
        for name in names
    ]
    for holder, name in holders:
        for data in _field(heap, holder, name):
            for array in _bytes_of(heap, data):
                if heap.array_length(array) >= _LEFTOVER_BYTES:
                    yield Part("shuffle_leftover", array)


def _field(heap: Heap, node: int, name: str) -> tuple[int, ...]:
    """The node a field leads to, as a tuple of none or one."""
    found = field(heap, node, name)
    return () if found is None else (found,)


def _attempt(heap: Heap, holder: int, name: str) -> str | None:
    node = field(heap, holder, name)
    return None if node is None else map_attempt(heap, node)


def _bytes_of(heap: Heap, data: int) -> Iterator[int]:
    """The array that a ``DataInputBuffer`` reads (``DataInputBuffer$Buffer.buf``)."""
    for buffer in (*_field(heap, data, "buffer"), *_field(heap, data, "in")):
        yield from _field(heap, buffer, "buf")


def records_in_flight(heap: Heap) -> list[Piece]:
    """Key, value and raw bytes of the records that are being handed over, and their readers."""
    pieces: list[Piece] = []
    for tracking, name in (
        (_MAPRED + "MapTask$NewTrackingRecordReader", "real"),
        (_MAPRED + "MapTask$TrackedRecordReader", "rawIn"),
    ):
        for outer in heap.instances(tracking, subclasses=True).tolist():
            for reader in _field(heap, outer, name):
                pieces += _reader(heap, reader, 0)
    for context in heap.instances(_NEW + "task.ReduceContextImpl", subclasses=True).tolist():
        pieces += _named(heap, context, ("value", "key", "currentRawKey", "buffer"))
    for values in heap.instances(_MAPRED + "Task$ValuesIterator", subclasses=True).tolist():
        pieces += _named(heap, values, ("value", "key", "nextKey", "keyIn", "valueIn"))
    for queue in heap.instances(_MAPRED + "Merger$MergeQueue", subclasses=True).tolist():
        pieces += _named(heap, queue, ("value", "diskIFileValue"), prefix="raw ")
    return pieces


def _named(heap: Heap, holder: int, names: Iterable[str], *, prefix: str = "") -> Iterator[Piece]:
    for name in names:
        for node in _field(heap, holder, name):
            yield Piece("record_in_flight", prefix + name, node)


def _reader(heap: Heap, reader: int, depth: int) -> Iterator[Piece]:
    """A record reader: its value first, then whatever else it holds; readers in it likewise."""
    fields = heap.reference_fields(reader)
    inner = [
        node
        for node in fields.values()
        if depth < _DEEPEST_READER and _is_reader(heap, heap.class_name(node))
    ]
    for node in inner:
        yield from _reader(heap, node, depth + 1)
    for name in sorted(fields, key=lambda field: (field != "value", field != "key")):
        if fields[name] not in inner:
            yield Piece("record_in_flight", name, fields[name])
    yield Piece("record_in_flight", "reader", reader)


def _is_reader(heap: Heap, class_name: str) -> bool:
    return class_name.endswith("RecordReader") or any(
        above in _READER_CLASSES for above in heap.super_classes(class_name)
    )


def encoding_buffers(heap: Heap) -> list[Piece]:
    """Buffers that records are serialised into, besides the sort buffer."""
    pieces: list[Piece] = []
    for class_name, names in (
        (_MAPRED + "IFile$Writer",
         ("buffer", "compressedOut", "out", "rawOut", "keySerializer", "valueSerializer",
          "compressor")),
        (_MAPRED + "MapTask$MapOutputBuffer", ("keySerializer", "valSerializer", "bb")),
    ):  # fmt: skip
        for holder in heap.instances(class_name, subclasses=True).tolist():
            for name in names:
                pieces += [Piece("serialization", name, n) for n in _field(heap, holder, name)]
    for tracking, name in (
        (_MAPRED + "ReduceTask$NewTrackingRecordWriter", "real"),
        (_MAPRED + "ReduceTask$OldTrackingRecordWriter", "real"),
        (_MAPRED + "MapTask$NewDirectOutputCollector", "out"),
        (_MAPRED + "MapTask$DirectMapOutputCollector", "out"),
    ):
        for outer in heap.instances(tracking, subclasses=True).tolist():
            for writer in _field(heap, outer, name):
                if heap.class_name(writer).startswith("org.apache.hadoop."):
                    pieces += [
                        Piece("serialization", f"output {name}", node)
                        for name, node in heap.reference_fields(writer).items()
                    ]
    return pieces


def map_attempt(heap: Heap, node: int) -> str | None:
    """The text of a ``TaskAttemptID`` (``ID.id``, ``TaskID.jobId``, ``JobID.jtIdentifier``)."""
    task = field(heap, node, "taskId")
    job = None if task is None else field(heap, task, "jobId")
    tracker = None if job is None else field(heap, job, "jtIdentifier")
    if task is None or job is None or tracker is None:
        return None
    text = _text(heap, tracker)
    numbers = [number_field(heap, holder, "id") or 0 for holder in (job, task, node)]
    if text is None:
        return None
    return "attempt_{}_{:04d}_m_{:06d}_{}".format(text, *numbers)


def _text(heap: Heap, node: int) -> str | None:
    """The content of a ``Text`` or a ``String``."""
    array = field(heap, node, "bytes")
    if array is None:
        return heap.string(node)
    raw = heap.primitive_array(array).tobytes()
    length = number_field(heap, node, "length")
    return raw[: len(raw) if length is None else length].decode("utf-8", "replace")
