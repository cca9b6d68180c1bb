"""The rows of each table as Arrow record batches, made when somebody asks for the next one.

A batch is made of numpy columns of a range of nodes; of the columns that nobody asked for there are
only nulls. No table is held whole, but for those whose rows are threads, frames, roots or holders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mprof.heap.columns import HeapColumns, Utf8
from mprof.heap.names import PRIMITIVE_NAMES
from mprof.heap.records import read_value
from mprof.hprof import scan
from mprof.hprof.format import TYPE_OBJECT
from mprof.kernels.retained import retained_by_group
from mprof.questions.schema import Column, Table
from mprof.waste import collections_of

__all__ = [
    "NODES_AT_ONCE",
    "Rows",
    "Words",
    "arrow_schema",
    "batches_of",
    "rows_of",
    "utf8_array",
    "with_nulls",
]

Rows = Iterator[Mapping[str, Any]]
"""For each batch: by column, what `pyarrow` takes. What is not there is null in every row."""

NODES_AT_ONCE = 131_072
"""Rows of a batch, at most."""

_REFERENCES = 262_144
_TEXT_BYTES = 16 << 20

_WORDS = pa.dictionary(pa.int32(), pa.string())
_TYPES = {
    "id": pa.uint64(),
    "word": _WORDS,
    "text": pa.string(),
    "count": pa.int64(),
    "flag": pa.bool_(),
    "number": pa.float64(),
}
_KINDS = {
    scan.CLASS: "class",
    scan.INSTANCE: "instance",
    scan.OBJECT_ARRAY: "object array",
    scan.PRIMITIVE_ARRAY: "primitive array",
}


def arrow_schema(table: Table) -> pa.Schema:
    """The Arrow schema of a table."""
    return pa.schema([(column.name, _TYPES[column.kind]) for column in table.columns])


def batches_of(table: Table, rows: Rows) -> Iterator[pa.RecordBatch]:
    """Record batches of the rows, in the table's schema."""
    schema = arrow_schema(table)
    for batch in rows:
        count = next((len(each) for each in batch.values()), 0)
        yield pa.record_batch(
            [_array(batch.get(column.name), column, count) for column in table.columns],
            schema=schema,
        )


def _array(values: Any, column: Column, count: int) -> pa.Array:
    kind = _TYPES[column.kind]
    if values is None:
        if column.kind == "word":
            return pa.DictionaryArray.from_arrays(pa.nulls(count, pa.int32()), pa.array([""]))
        return pa.nulls(count, kind)
    if isinstance(values, pa.Array):
        return values
    if isinstance(values, np.ndarray) and column.kind == "id":
        found = np.ascontiguousarray(values).view(np.uint64)
        return pa.array(found, mask=found == 0)
    if column.kind == "word":
        return pa.array(values, pa.string()).dictionary_encode()
    return pa.array(values, kind)


def rows_of(name: str, columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:
    """The rows of a table."""
    return _ROWS[name](columns, wanted)


# --- objects --------------------------------------------------------------------------------------


class Words:
    """Class names as a dictionary that all batches share."""

    def __init__(self, columns: HeapColumns) -> None:
        self._names = pa.array(columns.classes.names, pa.string())
        identifiers = columns.classes.identifiers
        self._identifiers = np.append(identifiers, 0)

    def of(self, numbers: NDArray[np.int32]) -> pa.Array:
        """Names by class number; null for -1."""
        return pa.DictionaryArray.from_arrays(
            pa.array(numbers, pa.int32(), mask=numbers < 0), self._names
        )

    def identifiers(self, numbers: NDArray[np.int32]) -> NDArray[np.int64]:
        """Identifiers of the classes; 0 where there is none."""
        return np.asarray(self._identifiers[numbers], np.int64)


def with_nulls(values: NDArray[Any], known: NDArray[np.bool_]) -> pa.Array:
    """An array with null where the value is not known."""
    return pa.array(values, mask=~known)


def utf8_array(part: Utf8, known: NDArray[np.bool_]) -> pa.Array:
    """Texts as an Arrow array; one of more than 2 GiB is null."""
    if part.ends[-1] > np.iinfo(np.int32).max:
        return pa.nulls(known.size, pa.string())
    bits = np.packbits(known, bitorder="little")
    buffers = [bits, part.ends.astype(np.int32), part.written]
    return pa.Array.from_buffers(pa.string(), known.size, [pa.py_buffer(each) for each in buffers])


def _parts(nodes: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    for start in range(0, nodes.size, NODES_AT_ONCE):
        yield nodes[start : start + NODES_AT_ONCE]


def _ranges(columns: HeapColumns) -> Iterator[NDArray[np.int64]]:
    """All objects in parts."""
    for start in range(1, columns.nodes, NODES_AT_ONCE):
        nodes = np.arange(start, min(columns.nodes, start + NODES_AT_ONCE))
        yield nodes[columns.graph.positions[nodes] != 0]


def _objects(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:
    words = Words(columns)
    for nodes in _ranges(columns):
        yield _object_columns(columns, words, nodes, wanted, reachable=True)


def _unreachable(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:
    words = Words(columns)
    for nodes in _parts(columns.graph.unreachable_nodes):
        yield _object_columns(columns, words, nodes, wanted, reachable=False)


def _object_columns(
    columns: HeapColumns,
    words: Words,
    nodes: NDArray[np.int64],
    wanted: Callable[[str], bool],
    *,
    reachable: bool,
) -> dict[str, Any]:
    found: dict[str, Any] = {"shallow": columns.shallow(nodes)}
    if any(map(wanted, ("id", "kind", "length"))):
        heads = columns.heads(nodes)
        is_array = (heads.tags == scan.OBJECT_ARRAY) | (heads.tags == scan.PRIMITIVE_ARRAY)
        found["id"] = heads.addresses
        found["length"] = with_nulls(heads.lengths, is_array)
        if wanted("kind"):
            found["kind"] = pa.DictionaryArray.from_arrays(
                pa.array((heads.tags - min(_KINDS)).astype(np.int32)),
                pa.array([_KINDS[tag] for tag in sorted(_KINDS)]),
            )
    numbers = columns.numbers(nodes)
    if wanted("class"):
        found["class"] = words.of(numbers)
    if wanted("class_id"):
        found["class_id"] = words.identifiers(numbers)
    if wanted("retained"):
        found["retained"] = columns.retained(nodes)
    if wanted("dominator"):
        found["dominator"] = columns.heads(columns.nearest_objects(nodes)).addresses
    if wanted("reachable"):
        found["reachable"] = np.full(nodes.size, reachable)
    return found


def _strings(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:
    for nodes in _parts(columns.of_classes(columns.string_numbers)):
        heads, numbers = columns.heads(nodes), columns.numbers(nodes)
        addresses, arrays = columns.text_arrays(heads, numbers)
        texts = columns.texts(heads, numbers, arrays)
        known = texts.begins >= 0
        found: dict[str, Any] = {
            "id": heads.addresses,
            "length": with_nulls(texts.units, known),
            "shallow": columns.shallow(nodes),
            "value": np.where(known, addresses, 0),
            "value_bytes": with_nulls(columns.shallow(np.maximum(arrays, 0)), known),
        }
        if not wanted("text"):
            yield found
            continue
        start = 0
        for part in columns.utf8(texts, most=_TEXT_BYTES):
            rows = slice(start, start + part.ends.size - 1)
            start = rows.stop
            batch = {name: values[rows] for name, values in found.items()}
            yield batch | {"text": utf8_array(part, known[rows])}


def _arrays(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:
    words = Words(columns)
    for every in _ranges(columns):
        heads = columns.heads(every)
        own = (heads.tags == scan.OBJECT_ARRAY) | (heads.tags == scan.PRIMITIVE_ARRAY)
        nodes, heads = every[own], heads.rows(own)
        found: dict[str, Any] = {
            "id": heads.addresses,
            "class": words.of(columns.numbers(nodes)),
            "length": heads.lengths,
            "shallow": columns.shallow(nodes),
            "retained": columns.retained(nodes),
        }
        if wanted("filled"):
            found["filled"] = columns.filled(nodes, heads)
        yield found


def _references(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:
    words = Words(columns)
    names = pa.array(columns.field_names, pa.string())
    for nodes in _ranges(columns):
        every, all_numbers = columns.heads(nodes), columns.numbers(nodes)
        start = 0
        while start < nodes.size:
            heads = every.rows(slice(start, None))
            numbers = all_numbers[start:]
            refs, taken = columns.references(heads, numbers, _REFERENCES)
            start += taken
            found: dict[str, Any] = {"target": refs.targets}
            if wanted("source"):
                found["source"] = heads.addresses[refs.rows]
            if wanted("source_class"):
                found["source_class"] = words.of(numbers[refs.rows])
            if wanted("field"):
                found["field"] = pa.DictionaryArray.from_arrays(
                    pa.array(refs.names, mask=refs.names < 0), names
                )
            if wanted("index"):
                found["index"] = with_nulls(refs.indices.astype(np.int64), refs.indices >= 0)
            if wanted("target_class"):
                targets = columns.nodes_at(refs.targets)
                classes = np.where(targets > 0, columns.graph.classes[targets], -1)
                found["target_class"] = words.of(classes.astype(np.int32))
            yield found


def _collections(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:  # noqa: ARG001
    words = Words(columns)
    for part in collections_of(columns):
        yield {
            "id": columns.heads(part.nodes).addresses,
            "class": words.of(columns.numbers(part.nodes)),
            "kind": [part.kind] * part.nodes.size,
            "length": part.lengths,
            "capacity": with_nulls(part.capacities, part.capacities >= 0),
            "backing": columns.heads(np.maximum(part.arrays, 0)).addresses,
            "retained": columns.retained(part.nodes),
            "wasted": part.wasted,
        }


# --- classes --------------------------------------------------------------------------------------


def _classes(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:  # noqa: ARG001
    classes, graph = columns.classes, columns.graph
    numbers = graph.classes
    if graph.unreachable_nodes.size:
        numbers = numbers.copy()
        numbers[graph.unreachable_nodes] = -1
    objects, shallow, retained = retained_by_group(
        numbers, graph.sizes, graph.prefix, len(classes.names)
    )
    kept = np.flatnonzero((np.arange(len(classes.names)) < classes.dumped) | (objects > 0))
    loaders = np.asarray(classes.loaders[kept], np.int64)
    above = classes.supers[kept]
    loader_nodes = columns.nodes_at(loaders)
    yield {
        "id": classes.identifiers[kept],
        "name": [classes.names[number] for number in kept.tolist()],
        "loader": loaders,
        "loader_class": [
            None
            if not loader
            else classes.names[graph.classes[node]]
            if node > 0
            else "(not reachable)"
            for loader, node in zip(loaders.tolist(), loader_nodes.tolist(), strict=True)
        ],
        "super": np.where(above >= 0, classes.identifiers[above], 0),
        "super_name": [classes.names[n] if n >= 0 else None for n in above.tolist()],
        "objects": objects[kept],
        "shallow": shallow[kept],
        "retained": retained[kept],
        "fields": [len(classes.own_fields(number)) for number in kept.tolist()],
        "statics": [len(classes.statics(number)) for number in kept.tolist()],
    }


def _type(kind: int) -> str:
    return PRIMITIVE_NAMES.get(kind, "object")


def _fields(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:  # noqa: ARG001
    classes = columns.classes
    rows = [
        (number, position, name, _type(kind))
        for number in range(classes.dumped)
        for position, (name, kind) in enumerate(classes.own_fields(number))
    ]
    numbers = np.array([row[0] for row in rows], np.int64)
    yield {
        "class_id": classes.identifiers[numbers],
        "class": [classes.names[row[0]] for row in rows],
        "position": [row[1] for row in rows],
        "name": [row[2] for row in rows],
        "type": [row[3] for row in rows],
    }


def _statics(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:  # noqa: ARG001
    classes, dump = columns.classes, columns.dump
    rows = [(number, one) for number in range(classes.dumped) for one in classes.statics(number)]
    values = [read_value(dump, one.kind, one.position) for _, one in rows]
    is_reference = np.array([one.kind == TYPE_OBJECT for _, one in rows], bool)
    targets = np.array(
        [
            value if one.kind == TYPE_OBJECT else 0
            for (_, one), value in zip(rows, values, strict=True)
        ],
        np.int64,
    )
    nodes = columns.nodes_at(targets)
    known = nodes > 0
    held = np.maximum(nodes, 0)
    numbers = np.array([number for number, _ in rows], np.int64)
    yield {
        "class_id": classes.identifiers[numbers],
        "class": [classes.names[number] for number, _ in rows],
        "name": [one.name for _, one in rows],
        "type": [_type(one.kind) for _, one in rows],
        "value": [
            None if reference else str(value).lower() if isinstance(value, bool) else str(value)
            for reference, value in zip(is_reference.tolist(), _printable(values), strict=True)
        ],
        "target": targets,
        "target_class": Words(columns).of(
            np.where(known, columns.graph.classes[held], -1).astype(np.int32)
        ),
        "retained": with_nulls(columns.retained(held), known),
    }


def _printable(values: list[int | float | bool | str]) -> list[int | float | bool | str]:
    """Half a pair of surrogates is no text of Arrow's."""
    return [
        "\ufffd" if isinstance(value, str) and "\ud800" <= value <= "\udfff" else value
        for value in values
    ]


# --- threads, roots, holders ----------------------------------------------------------------------


def _identifiers(columns: HeapColumns, nodes: list[int]) -> NDArray[np.int64]:
    return columns.heads(np.array(nodes, np.int64)).addresses


def _threads(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:  # noqa: ARG001
    threads, died = columns.heap.threads, columns.heap.oom_thread
    yield {
        "id": _identifiers(columns, [one.node for one in threads]),
        "serial": [one.serial for one in threads],
        "name": [one.name for one in threads],
        "frames": [len(one.frames) for one in threads],
        "retained": [one.retained_bytes for one in threads],
        "virtual": [one.is_virtual for one in threads],
        "ran_out_of_memory": [one is died for one in threads],
    }


def _frames(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:  # noqa: ARG001
    rows = [
        (thread, depth, frame)
        for thread in columns.heap.threads
        for depth, frame in enumerate(thread.frames)
    ]
    yield {
        "thread": [thread.serial for thread, _, _ in rows],
        "thread_name": [thread.name for thread, _, _ in rows],
        "depth": [depth for _, depth, _ in rows],
        "class": [frame.class_name for _, _, frame in rows],
        "method": [frame.method for _, _, frame in rows],
        "file": [frame.file or None for _, _, frame in rows],
        "line": [frame.line if frame.line > 0 else None for _, _, frame in rows],
        "retained": [frame.retained_bytes for _, _, frame in rows],
        "locals": [len(frame.locals) for _, _, frame in rows],
    }


def _locals(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:  # noqa: ARG001
    heap = columns.heap
    rows = [
        (thread.serial, depth, node)
        for thread in heap.threads
        for depth, frame in enumerate(thread.frames)
        for node in frame.locals
    ]
    nodes = np.array([node for _, _, node in rows], np.int64)
    yield {
        "thread": [serial for serial, _, _ in rows],
        "depth": [depth for _, depth, _ in rows],
        "object": columns.heads(nodes).addresses,
        "class": [heap.class_name(node) for node in nodes.tolist()],
        "retained": columns.retained(nodes),
    }


def _roots(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:  # noqa: ARG001
    heap, graph = columns.heap, columns.graph
    kinds = {int(graph.nodes[rank]): kind for rank, kind in graph.roots.kinds.items()}
    kinds |= {thread.node: "thread" for thread in heap.threads if heap.is_object(thread.node)}
    nodes = np.array(list(kinds), np.int64)
    yield {
        "id": columns.heads(nodes).addresses,
        "class": [heap.described_class(node) or heap.class_name(node) for node in kinds],
        "kind": list(kinds.values()),
        "retained": columns.retained(nodes),
    }


def _holders(columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:  # noqa: ARG001
    from mprof.objects.summary import summarise_dump

    _, summary = summarise_dump(columns.path)
    rows = summary.holders
    yield {
        "name": [row.name for row in rows],
        "bytes": [row.bytes for row in rows],
        "share": [row.share for row in rows],
        "class": [row.class_name for row in rows],
        "length": [row.length for row in rows],
        "element_class": [row.element_class for row in rows],
        "key_class": [row.key_class for row in rows],
        "path": ["\n".join(row.path) for row in rows],
        "thread": [row.thread for row in rows],
        "method": [
            f"{row.site.class_name}.{row.site.method}" if row.site is not None else None
            for row in rows
        ],
    }


_ROWS: dict[str, Callable[[HeapColumns, Callable[[str], bool]], Rows]] = {
    "objects": _objects,
    "unreachable": _unreachable,
    "classes": _classes,
    "fields": _fields,
    "statics": _statics,
    "refs": _references,
    "strings": _strings,
    "arrays": _arrays,
    "collections": _collections,
    "threads": _threads,
    "frames": _frames,
    "locals": _locals,
    "roots": _roots,
    "holders": _holders,
}
