"""Many objects of a heap at once, as numpy columns that are read when they are asked for.

Where :class:`mprof.heap.heap.Heap` answers about one node, this answers about a range or an array
of nodes, in compiled passes. Nothing of the whole heap is kept besides what the analysis keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.heap._columns import (
    LATIN1,
    UTF16_BIG,
    UTF16_LITTLE,
    Links,
    Listed,
    Texts,
    count_filled,
    count_references,
    hash_contents,
    list_references,
    read_heads,
    read_raw,
    utf8_bytes,
    write_utf8,
)
from mprof.heap.classes import Classes, Field, read_classes, value_bytes
from mprof.heap.graph import Graph, analyse
from mprof.heap.heap import Heap
from mprof.hprof import Dump, read_dump, scan
from mprof.hprof.format import TYPE_CHAR, TYPE_OBJECT
from mprof.kernels.cores import on_all_cores
from mprof.kernels.rank import ranks_of

__all__ = [
    "LATIN1",
    "UTF16_BIG",
    "UTF16_LITTLE",
    "Heads",
    "HeapColumns",
    "Texts",
    "Utf8",
]

_LINK_NAMES = ("<superclass>", "<loader>", "<signers>", "<protection domain>")
_WIDTHS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.int64}
_STRING = "java.lang.String"


class Heads(NamedTuple):
    """Heads of the records of some nodes.

    Attributes:
        tags: uint8, ``scan.INSTANCE`` and so on; 0 where the node is no object.
        addresses: int64, identifiers.
        lengths: int64, elements of an array, bytes of an instance's fields.
        data: int64, where those begin.
    """

    tags: NDArray[np.uint8]
    addresses: NDArray[np.int64]
    lengths: NDArray[np.int64]
    data: NDArray[np.int64]

    def rows(self, chosen: slice | NDArray[np.bool_] | NDArray[np.int64]) -> Heads:
        """Some of them."""
        tags, addresses, lengths, data = self
        return Heads(tags[chosen], addresses[chosen], lengths[chosen], data[chosen])


class Utf8(NamedTuple):
    """Some texts: text ``i`` is ``written[ends[i]:ends[i + 1]]``."""

    ends: NDArray[np.int64]
    written: NDArray[np.uint8]


class HeapColumns:
    """A dump whose columns are read on demand; it is analysed when the first one needs that.

    Args:
        path: the dump.
        unreachable: whether objects that no root reaches are nodes as well; takes longer.
        paths: whether :attr:`heap` knows shortest paths from roots; only without ``unreachable``.
        progress: called with the current step and the share that is done.

    Raises:
        EvidenceError: if the file cannot be read or is no heap dump.
    """

    def __init__(
        self,
        path: Path,
        *,
        unreachable: bool = False,
        paths: bool = False,
        progress: Callable[[str, float], None] | None = None,
    ) -> None:
        self.path = path
        self._paths = paths
        self._unreachable = unreachable
        self._progress = progress
        self.dump: Dump = read_dump(path, progress=progress)
        self.classes: Classes = read_classes(self.dump)

    def with_unreachable(self) -> HeapColumns:
        """The same dump with nodes for what no root reaches; this one if it has them already."""
        return (
            self
            if self._unreachable
            else HeapColumns(self.path, unreachable=True, progress=self._progress)
        )

    @cached_property
    def graph(self) -> Graph:
        """The analysed heap."""
        return analyse(
            self.dump,
            self.classes,
            self._progress,
            references=self._unreachable,
            paths=self._paths,
            unreachable=self._unreachable,
        )

    @cached_property
    def heap(self) -> Heap:
        """The heap, for questions about one node."""
        return Heap(self.dump, self.classes, self.graph)

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return int(self.graph.sizes.size)

    # --- nodes ------------------------------------------------------------------------------------

    def heads(self, nodes: NDArray[np.int64] | slice) -> Heads:
        """Heads of the records of some nodes."""
        positions = self.graph.positions[nodes].astype(np.int64)
        count = positions.size
        heads = Heads(np.empty(count, np.uint8), *np.empty((3, count), np.int64))
        buffer, width = self.dump.buffer, self.dump.identifier_bytes

        def read(start: int, end: int) -> None:
            tags, addresses, lengths, data = heads.rows(slice(start, end))
            read_heads(buffer, width, positions[start:end], tags, addresses, lengths, data)

        on_all_cores(read, count)
        return heads

    def nodes_at(self, addresses: NDArray[np.int64]) -> NDArray[np.int64]:
        """The node of each identifier, -1 where none has it."""
        ranks = ranks_of(self.graph.ranks, np.ascontiguousarray(addresses))
        found = np.where(ranks >= 0, self.graph.nodes[ranks], -1).astype(np.int64)
        found[addresses == 0] = -1
        return found

    def numbers(self, nodes: NDArray[np.int64] | slice) -> NDArray[np.int32]:
        """Class numbers; -1 where the node is no object."""
        return np.ascontiguousarray(self.graph.classes[nodes])

    def shallow(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Bytes of each object itself."""
        prefix = self.graph.prefix
        return np.asarray(prefix[nodes + 1] - prefix[nodes], np.int64)

    def retained(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Bytes that each node keeps alive."""
        prefix = self.graph.prefix
        return np.asarray(prefix[nodes + self.graph.sizes[nodes]] - prefix[nodes], np.int64)

    def nearest_objects(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The nearest dominator of each node that is an object; 0 where there is none."""
        above = self.graph.dominators[nodes].astype(np.int64)
        while True:
            frames = np.flatnonzero((above > 0) & (self.graph.positions[above] == 0))
            if not frames.size:
                return above
            above[frames] = self.graph.dominators[above[frames]]

    @cached_property
    def is_unreachable(self) -> NDArray[np.bool_]:
        """By node: whether no root reaches it."""
        flags = np.zeros(self.nodes, bool)
        flags[self.graph.unreachable_nodes] = True
        return flags

    def of_classes(self, numbers: NDArray[np.int32] | list[int]) -> NDArray[np.int64]:
        """Nodes of the instances of some classes, by number, ascending."""
        wanted = np.zeros(len(self.classes.names) + 1, bool)
        wanted[numbers] = True
        wanted[-1] = False
        return np.flatnonzero(wanted[self.graph.classes]).astype(np.int64)

    def elements(self, nodes: NDArray[np.int64], heads: Heads) -> NDArray[np.uint8]:
        """The basic type of each node's elements, 0 where it is no array."""
        kinds = np.zeros(nodes.size, np.uint8)
        kinds[heads.tags == scan.OBJECT_ARRAY] = TYPE_OBJECT
        primitive = np.flatnonzero(heads.tags == scan.PRIMITIVE_ARRAY)
        kinds[primitive] = self.dump.buffer[heads.data[primitive] - 1]
        return kinds

    def filled(self, nodes: NDArray[np.int64], heads: Heads) -> NDArray[np.int64]:
        """Elements of arrays that are neither null nor 0; -1 where the node is no array."""
        kinds, found = self.elements(nodes, heads), np.empty(nodes.size, np.int64)
        buffer, width = self.dump.buffer, self.dump.identifier_bytes
        on_all_cores(
            lambda start, end: count_filled(
                buffer,
                width,
                kinds[start:end],
                heads.lengths[start:end],
                heads.data[start:end],
                found[start:end],
            ),
            nodes.size,
        )
        return found

    def hashes(
        self, begins: NDArray[np.int64], sizes: NDArray[np.int64], *, seed: int
    ) -> NDArray[np.int64]:
        """A word for the bytes of each stretch of the dump, see :func:`hash_contents`."""
        found = np.empty(begins.size, np.int64)
        on_all_cores(
            lambda start, end: hash_contents(
                self.dump.buffer, begins[start:end], sizes[start:end], seed, found[start:end]
            ),
            begins.size,
        )
        return found

    # --- fields -----------------------------------------------------------------------------------

    def offsets(
        self, name: str, *, owner: str | None = None, kind: int | None = None
    ) -> NDArray[np.int64]:
        """By class number: where an instance has the field of this name, -1 where it has none.

        Args:
            name: of the field; the lowest class wins a clash.
            owner: name of the class that declares it, if that matters.
            kind: its basic type, if that matters.
        """
        found = np.full(len(self.classes.names) + 1, -1, np.int64)
        for number in range(self.classes.dumped):
            for field in self.classes.fields(number):
                if (
                    field.name == name
                    and kind in (None, field.kind)
                    and owner in (None, self.classes.names[field.owner])
                ):
                    found[number] = field.offset
                    break
        return found

    def raw(
        self, heads: Heads, numbers: NDArray[np.int32], offsets: NDArray[np.int64], size: int
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """A field of many instances as words without sign, and whether each has it.

        Args:
            heads: of the instances.
            numbers: int32, their class numbers.
            offsets: int64 by class number, -1 where the class has no such field.
            size: bytes of the field.
        """
        at = offsets[numbers]
        known = (heads.tags == scan.INSTANCE) & (at >= 0) & (at + size <= heads.lengths)
        positions = np.where(known, heads.data + at, -1)
        values = np.empty(positions.size, np.int64)
        on_all_cores(
            lambda start, end: read_raw(
                self.dump.buffer, positions[start:end], size, values[start:end]
            ),
            positions.size,
        )
        return values, known

    def values(
        self, heads: Heads, numbers: NDArray[np.int32], offsets: NDArray[np.int64], kind: int
    ) -> tuple[NDArray[np.generic], NDArray[np.bool_]]:
        """A field of many instances in its own type, and whether each has it; chars as uint16."""
        size = value_bytes(kind, self.dump.identifier_bytes)
        words, known = self.raw(heads, numbers, offsets, size)
        if kind == TYPE_OBJECT:
            return words, known
        return words.astype(_WIDTHS[size]).view(_DTYPES[kind]), known

    # --- references -------------------------------------------------------------------------------

    @cached_property
    def field_names(self) -> tuple[str, ...]:
        """Names of fields and statics that refer to objects, by their numbers."""
        return tuple(self._name_numbers)

    @cached_property
    def _name_numbers(self) -> dict[str, int]:
        names = dict.fromkeys(_LINK_NAMES)
        for number in range(self.classes.dumped):
            names.update(dict.fromkeys(name for name, kind in self.classes.own_fields(number)
                                       if kind == TYPE_OBJECT))  # fmt: skip
            names.update(dict.fromkeys(static.name for static in self.classes.statics(number)
                                       if static.kind == TYPE_OBJECT))  # fmt: skip
        return {name: number for number, name in enumerate(names)}

    @cached_property
    def links(self) -> Links:
        """Where references lie, for the compiled passes."""
        numbers = self._name_numbers
        count = len(self.classes.names)
        starts, static_starts = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
        fields: list[Field] = []
        statics: list[tuple[int, int]] = []
        for number in range(count):
            if number < self.classes.dumped:
                fields += [f for f in self.classes.fields(number) if f.kind == TYPE_OBJECT]
                statics += [(one.position, numbers[one.name])
                            for one in self.classes.statics(number)
                            if one.kind == TYPE_OBJECT]  # fmt: skip
            starts[number + 1], static_starts[number + 1] = len(fields), len(statics)
        return Links(
            starts,
            np.array([field.offset for field in fields], np.int32),
            np.array([numbers[field.name] for field in fields], np.int32),
            static_starts,
            np.array([position for position, _ in statics], np.int64),
            np.array([name for _, name in statics], np.int32),
            np.arange(len(_LINK_NAMES), dtype=np.int32),
        )

    def references(self, heads: Heads, numbers: NDArray[np.int32], most: int) -> tuple[Listed, int]:
        """References of objects in a row, of as many as together have no more than ``most``.

        Args:
            heads: of the objects.
            numbers: int32, their class numbers.
            most: references at once; of one object with more than that all are listed.

        Returns:
            The references, and of how many objects, 1 at least.
        """
        numbers = self.represented(heads, numbers)
        counts = np.empty(heads.tags.size, np.int64)
        count_references(heads.tags, numbers, heads.lengths, self.links, counts)
        sums = np.cumsum(counts)
        taken = max(1, int(np.searchsorted(sums, most, "right")))
        room = int(sums[taken - 1])
        rows, names, indices = np.empty((3, room), np.int32)
        targets = np.empty(room, np.int64)
        tags, _, lengths, data = heads.rows(slice(taken))
        found = list_references(
            self.dump.buffer,
            self.dump.identifier_bytes,
            tags,
            numbers[:taken],
            lengths,
            data,
            self.links,
            Listed(rows, names, indices, targets),
        )
        return Listed(rows[:found], names[:found], indices[:found], targets[:found]), taken

    def represented(self, heads: Heads, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Class numbers; of a class object the number of the class that it represents."""
        own = np.flatnonzero(heads.tags == scan.CLASS)
        if not own.size:
            return numbers
        result = numbers.copy()
        result[own] = [self.classes.number_of(a) for a in heads.addresses[own].tolist()]
        return result

    # --- strings ----------------------------------------------------------------------------------

    @cached_property
    def string_numbers(self) -> list[int]:
        """Class numbers of java.lang.String."""
        return list(self.classes.by_name.get(_STRING, ()))

    @cached_property
    def _string_offsets(self) -> dict[str, NDArray[np.int64]]:
        return {name: self.offsets(name, owner=_STRING)
                for name in ("value", "coder", "offset", "count")}  # fmt: skip

    def text_arrays(
        self, heads: Heads, numbers: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Of Strings: identifier of the array with the text, and its node, -1 where it has none."""
        addresses, _ = self.raw(
            heads, numbers, self._string_offsets["value"], self.dump.identifier_bytes
        )
        return addresses, self.nodes_at(addresses)

    def texts(self, heads: Heads, numbers: NDArray[np.int32], arrays: NDArray[np.int64]) -> Texts:
        """Where the texts of Strings lie, whatever JDK wrote them.

        Args:
            heads: of the Strings.
            numbers: int32, their class numbers.
            arrays: int64, the nodes of their arrays.
        """
        inner = self.heads(np.maximum(arrays, 0))
        kinds = self.elements(arrays, inner)
        known = (arrays > 0) & (inner.tags == scan.PRIMITIVE_ARRAY)
        coder, _ = self.raw(heads, numbers, self._string_offsets["coder"], 1)
        of_chars = kinds == TYPE_CHAR
        begins, units = inner.data.copy(), inner.lengths.copy()
        codings = np.where(of_chars, UTF16_BIG, np.where(coder == 0, LATIN1, UTF16_LITTLE))
        units[codings == UTF16_LITTLE] >>= 1
        start, in_part = self.raw(heads, numbers, self._string_offsets["offset"], 4)
        count, has_count = self.raw(heads, numbers, self._string_offsets["count"], 4)
        part = np.flatnonzero(of_chars & in_part & has_count)  # a window: JDK 6 and early 7
        room = inner.lengths[part]
        start[part] = np.minimum(start[part], room)
        begins[part] += 2 * start[part]
        units[part] = np.minimum(count[part], room - start[part])
        begins[~known] = -1
        units[~known] = 0
        return Texts(begins, units, codings.astype(np.uint8))

    def utf8(self, texts: Texts, *, most: int) -> Iterator[Utf8]:
        """Texts in UTF-8, in parts of about ``most`` bytes; a text is in one part."""
        sizes = np.empty(texts.begins.size, np.int64)
        utf8_bytes(self.dump.buffer, texts, sizes)
        first = 0
        sums = np.cumsum(sizes)
        while first < sizes.size:
            before = int(sums[first - 1]) if first else 0
            end = max(first + 1, int(np.searchsorted(sums, before + most, "right")))
            ends = np.empty(end - first + 1, np.int64)
            written = np.empty(int(sums[end - 1]) - before, np.uint8)
            write_utf8(self.dump.buffer, texts, first, ends, written)
            yield Utf8(ends, written)
            first = end


_DTYPES = {4: np.bool_, 5: np.uint16, 6: np.float32, 7: np.float64, 8: np.int8, 9: np.int16,
           10: np.int32, 11: np.int64}  # fmt: skip
