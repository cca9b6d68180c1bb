"""A class as a table: its instances, with a column for each of their fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mprof.heap.columns import UTF16_BIG, Heads, HeapColumns, Texts
from mprof.heap.names import PRIMITIVE_NAMES
from mprof.hprof.format import (
    TYPE_BOOLEAN,
    TYPE_BYTE,
    TYPE_CHAR,
    TYPE_DOUBLE,
    TYPE_FLOAT,
    TYPE_INT,
    TYPE_LONG,
    TYPE_OBJECT,
    TYPE_SHORT,
)
from mprof.questions.batches import NODES_AT_ONCE, Rows, Words, utf8_array, with_nulls
from mprof.questions.schema import Column, Kind, Table

__all__ = ["WITH_SUBCLASSES", "ClassTable", "class_table"]

WITH_SUBCLASSES: Final = "+"
"""Behind the name of a class: with the instances of its subclasses, as AspectJ writes it."""

_KINDS: Final[dict[int, Kind]] = {
    TYPE_OBJECT: "id",
    TYPE_BOOLEAN: "flag",
    TYPE_CHAR: "text",
    TYPE_FLOAT: "number",
    TYPE_DOUBLE: "number",
    TYPE_BYTE: "count",
    TYPE_SHORT: "count",
    TYPE_INT: "count",
    TYPE_LONG: "count",
}
_OWN: Final = (
    Column("id", "id", "its identifier"),
    Column("class", "word", "its class"),
    Column("shallow", "count", "bytes of the object itself"),
    Column("retained", "count", "bytes that would be freed with it"),
)
_LENGTH: Final = Column("length", "count", "elements of the array")
_TEXT_BYTES: Final = 1 << 40  # a char a row: no part is cut


@dataclass(frozen=True, slots=True)
class _FieldColumn:
    column: Column
    kind: int
    offsets: NDArray[np.int64]


@dataclass(frozen=True)
class ClassTable:
    """The instances of a class.

    Attributes:
        table: its name and columns.
        numbers: of the classes whose instances are rows.
    """

    table: Table
    numbers: tuple[int, ...]
    _fields: tuple[_FieldColumn, ...]

    def rows(self, columns: HeapColumns, wanted: Callable[[str], bool]) -> Rows:
        """The rows in batches; see `mprof.questions.batches.rows_of`."""
        words = Words(columns)
        every = columns.of_classes(list(self.numbers))
        if columns.graph.unreachable_nodes.size:
            every = every[~columns.is_unreachable[every]]
        for start in range(0, every.size, NODES_AT_ONCE):
            nodes = every[start : start + NODES_AT_ONCE]
            heads, numbers = columns.heads(nodes), columns.numbers(nodes)
            found: dict[str, Any] = {
                "id": heads.addresses,
                "class": words.of(numbers),
                "shallow": columns.shallow(nodes),
                "retained": columns.retained(nodes),
                _LENGTH.name: heads.lengths,
            }
            known = {column.name for column in self.table.columns}
            found = {name: values for name, values in found.items() if name in known}
            for field in self._fields:
                if wanted(field.column.name):
                    found[field.column.name] = _values(columns, heads, numbers, field)
            yield found


def _values(
    columns: HeapColumns, heads: Heads, numbers: NDArray[np.int32], field: _FieldColumn
) -> Any:
    values, known = columns.values(heads, numbers, field.offsets, field.kind)
    if field.kind == TYPE_OBJECT:
        return values
    if field.kind == TYPE_CHAR:
        begins = np.where(known, heads.data + field.offsets[numbers], -1)
        units = np.ones(begins.size, np.int64)
        texts = Texts(begins, units, np.full(begins.size, UTF16_BIG, np.uint8))
        (part,) = columns.utf8(texts, most=_TEXT_BYTES)
        return utf8_array(part, known)
    wide = {"count": np.int64, "number": np.float64, "flag": np.bool_}[field.column.kind]
    return with_nulls(values.astype(wide), known)


def class_table(columns: HeapColumns, name: str) -> ClassTable | None:
    """The table of a class of the dump, None if there is no class of this name.

    Classes of one name that several loaders define are one table.

    Args:
        columns: of the heap.
        name: the class in Java source form, with `WITH_SUBCLASSES` behind it or without.
    """
    classes = columns.classes
    plain = name.removesuffix(WITH_SUBCLASSES)
    own = classes.by_name.get(plain)
    if own is None:
        return None
    if plain == name:
        numbers: tuple[int, ...] = own
    else:
        numbers = tuple(np.flatnonzero(classes.subclasses(plain)).tolist())
    heads = (*_OWN, _LENGTH) if plain.endswith("[]") else _OWN
    fields = _fields(columns, own, numbers, taken=[column.name for column in heads])
    rows = f"a reachable instance of {plain}{' or of a subclass' if plain != name else ''}"
    table = Table(name, rows, (*heads, *(field.column for field in fields)))
    return ClassTable(table, numbers, fields)


def _fields(
    columns: HeapColumns, own: tuple[int, ...], numbers: tuple[int, ...], *, taken: list[str]
) -> tuple[_FieldColumn, ...]:
    """A column for each field of the class, by the class that declares it, name and type."""
    classes = columns.classes
    keys: dict[tuple[str, str, int], None] = {}
    for number in own:
        for field in classes.fields(number):
            keys.setdefault((classes.names[field.owner], field.name, field.kind))
    offsets = {key: np.full(len(classes.names) + 1, -1, np.int64) for key in keys}
    for number in numbers:
        for field in classes.fields(number) if number < classes.dumped else ():
            key = (classes.names[field.owner], field.name, field.kind)
            if key in offsets:
                offsets[key][number] = field.offset
    used = Counter(taken)
    found = []
    for owner, name, kind in keys:
        column = _free_name(owner, name, used)
        meaning = f"field {name} of {owner}: {PRIMITIVE_NAMES.get(kind, 'a reference')}"
        found.append(
            _FieldColumn(
                Column(column, _KINDS.get(kind, "id"), meaning),
                kind if kind in _KINDS else TYPE_OBJECT,
                offsets[owner, name, kind],
            )
        )
    return tuple(found)


def _free_name(owner: str, name: str, used: Counter[str]) -> str:
    """The field's name; where that is taken, in whatever case, with the class that declares it."""
    for each in (name, f"{owner.rpartition('.')[2]}.{name}", f"{owner}.{name}"):
        if not used[each.casefold()]:
            used[each.casefold()] += 1
            return each
    used[name.casefold()] += 1
    return f"{owner}.{name} {used[name.casefold()]}"
