"""The heap of a dump, analysed: every object, thread and frame, and what each keeps alive.

Nodes are numbered in preorder of the dominator tree. Node 0 is the virtual root above all roots;
the objects that node v keeps alive are exactly the nodes ``v + 1`` up to ``v + subtree(v)``, and
its dominator has a smaller number than v. Frames are nodes too, without bytes of their own; so is a
thread whose object is missing from the dump. Objects that no root reaches have no node, unless they
are asked for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from mprof.heap import containers
from mprof.heap.answers import (
    ClassRow,
    Container,
    Frame,
    PathStep,
    Reference,
    Thread,
    TypedField,
    Unreachable,
    Value,
)
from mprof.heap.classes import Classes, read_classes, value_bytes
from mprof.heap.graph import Graph, analyse
from mprof.heap.losses import describe_losses
from mprof.heap.members import is_table, members_of
from mprof.heap.names import PRIMITIVE_NAMES
from mprof.heap.outgoing import Outgoing
from mprof.heap.paths import Paths
from mprof.heap.records import Record, read_array, read_record, read_value
from mprof.heap.roots import ThreadRoot
from mprof.heap.storage import Storage
from mprof.heap.threads import threads_of
from mprof.hprof import Dump, read_dump, scan
from mprof.hprof.format import TYPE_OBJECT
from mprof.kernels.cores import on_all_cores
from mprof.kernels.outline import Rows, outline
from mprof.kernels.rank import look_up, ranks_of
from mprof.kernels.retained import children_of, largest_child, retained_by_group
from mprof.kernels.select import where_flagged
from mprof.kernels.spare import Spare

__all__ = ["Heap", "open_heap"]

_ELEMENTS_AT_ONCE = 4096
_FEW = 4  # references that are looked up one by one faster than together
_CONTAINERS_KEPT = 1000  # a few of them are asked for again and again, some are walked for seconds
_CLASS_LINKS = ("<superclass>", "<loader>", "<signers>", "<protection domain>")


def open_heap(
    path: Path,
    *,
    progress: Callable[[str, float], None] | None = None,
    references: bool = False,
    paths: bool = True,
    unreachable: bool = False,
) -> Heap:
    """Reads and analyses a dump.

    Args:
        path: the dump: plain, gz, or the parts of one that was never merged.
        progress: called with the current step and the share that is done, from 0 to 1.
        references: whether to keep all references, for :attr:`Heap.outgoing`.
        paths: whether shortest paths from roots will be asked for (:meth:`Heap.path_from_root`);
            then references are kept, too.
        unreachable: whether objects that no root reaches are nodes as well, and count among the
            objects and bytes of the heap, though not among its instances; only with references
            and without paths.

    Raises:
        EvidenceError: if the file cannot be read or is no heap dump at all. A damaged dump raises
            nothing: see :attr:`Heap.losses`.
    """
    if unreachable and (paths or not references):
        raise ValueError("unreachable objects have nodes where references are kept, and no paths")
    dump = read_dump(path, progress=progress)
    classes = read_classes(dump)
    graph = analyse(
        dump, classes, progress, references=references, paths=paths, unreachable=unreachable
    )
    return Heap(dump, classes, graph)


_PART = 1 << 16  # nodes


def _in_parts(
    table: NDArray[np.int32], numbers: NDArray[np.int32], result: NDArray[np.int32],
    start: int, end: int,
) -> None:  # fmt: skip
    """What a table says of numbers from -1 on, some at a time: numpy makes 8 bytes of each."""
    for at in range(start, end, _PART):
        part = slice(at, min(at + _PART, end))
        result[part] = table[numbers[part] + 1]


class Heap:
    """An analysed heap; every node argument is a number below :attr:`nodes`."""

    def __init__(self, dump: Dump, classes: Classes, graph: Graph) -> None:
        self._dump = dump
        self._classes = classes
        self._graph = graph
        self.path = dump.path
        self.identifier_bytes = dump.identifier_bytes
        self.layout = graph.layout
        self.emptied = dump.emptied
        self.losses = describe_losses(dump, graph)
        self.nodes = int(graph.sizes.size)
        self.objects = int(np.count_nonzero(graph.positions))
        self.shallow_bytes = int(graph.prefix[-1])
        self.unreachable = Unreachable(graph.unreachable, graph.unreachable_bytes)
        self._one_by_one = threading.local()  # a server asks from several threads
        self._statics: dict[str, dict[str, Value]] = {}
        self._super_classes: dict[str, tuple[str, ...]] = {}
        self._containers: dict[int, Container | None] = {}

    # --- one node ---------------------------------------------------------------------------------

    def is_object(self, node: int) -> bool:
        """Whether the node is an object: not the virtual root, a frame or a lost thread."""
        return bool(self._graph.positions[node])

    def is_class(self, node: int) -> bool:
        """Whether the node is a class object of the dump."""
        return self.is_object(node) and self._record(node).tag == scan.CLASS

    def class_name(self, node: int) -> str:
        """Class in Java source form; ``<frame>``, ``<thread>`` or ``<root>`` for other nodes."""
        number = int(self._graph.classes[node])
        if number >= 0:
            return self._classes.names[number]
        if node == 0:
            return "<root>"
        return "<frame>" if node in self.frames_by_node else "<thread>"

    def described_class(self, node: int) -> str | None:
        """The class that a class object represents, None for any other node."""
        if not self.is_class(node):
            return None
        number = self._number_of_class(self._record(node).address)
        return self._classes.names[number] if number >= 0 else None

    def shallow(self, node: int) -> int:
        """Bytes of the object itself."""
        return int(self._graph.prefix[node + 1] - self._graph.prefix[node])

    def retained(self, node: int) -> int:
        """Bytes of all that would be freed with it."""
        prefix = self._graph.prefix
        return int(prefix[node + int(self._graph.sizes[node])] - prefix[node])

    def subtree(self, node: int) -> int:
        """How many nodes it dominates, itself included: those from ``node`` on."""
        return int(self._graph.sizes[node])

    @property
    def subtrees(self) -> NDArray[np.int32]:
        """The same of all nodes."""
        return self._graph.sizes

    def keeps(self, node: int, other: int) -> bool:
        """Whether a node keeps another one alive, or is that one."""
        return node <= other < node + self.subtree(node)

    def alike(self, node: int) -> int:
        """How many objects of its own class a node keeps alive, itself included."""
        below = self._graph.classes[node : node + self.subtree(node)]
        return int(np.count_nonzero(below == below[0]))

    def dominated_ranges(
        self, above: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What is kept alive by at least one of some nodes, as ranges of nodes.

        Args:
            above: those nodes, in order; of each the range begins behind it.

        Returns:
            The first node of each range and the one behind its last, in order and disjoint.
        """
        ends = above + self._graph.sizes[above]
        # Subtrees are nested or disjoint: only those that lie in no other one are counted.
        before = np.maximum.accumulate(ends)
        outermost = ends > above + 1  # of those that keep anything alive
        outermost[1:] &= above[1:] >= before[:-1]
        return above[outermost] + 1, ends[outermost]

    def dominator(self, node: int) -> int | None:
        """The nearest node that all paths from roots lead through; None for the virtual root."""
        return int(self._graph.dominators[node]) if node else None

    def dominated_in_order(self, node: int) -> NDArray[np.int64]:
        """The nodes whose dominator it is, in the order of their numbers."""
        return children_of(self._graph.sizes, node)

    def largest_dominated(self, node: int) -> int | None:
        """Of these the one with the largest retained size, the first of several; None if none."""
        child = largest_child(self._graph.sizes, self._graph.prefix, node)
        return child if child > 0 else None

    def objects_in(self, first: int, behind: int) -> int:
        """How many of the nodes in a range are objects."""
        return int(np.count_nonzero(self._graph.positions[first:behind]))

    def retained_all(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Retained bytes of many nodes."""
        prefix = self._graph.prefix
        ends = nodes + self._graph.sizes[nodes]
        return np.asarray(prefix[ends] - prefix[nodes], np.int64)

    @property
    def storage(self) -> Storage:
        """Where its columns lie, and why."""
        return self._graph.storage

    @property
    def spare(self) -> Spare:
        """Memory left over from the analysis, for arrays with an element for each node."""
        return self._graph.spare

    @property
    def prefix(self) -> NDArray[np.int64]:
        """Shallow bytes of all nodes before each one, and at the end of all."""
        return self._graph.prefix

    @property
    def unreachable_nodes(self) -> NDArray[np.int64]:
        """Nodes of the objects that no root reaches, ascending, where they were asked for."""
        return self._graph.unreachable_nodes

    @property
    def unreachable_tops(self) -> NDArray[np.int64]:
        """Of these, what no other object refers to, and one of each cycle that nothing reaches."""
        return self._graph.unreachable_tops

    def waiting_for_finalizer(self) -> NDArray[np.int64]:
        """Nodes of the objects that nothing but the queue of finalizers keeps, ascending."""
        return np.sort(self._graph.nodes[self._graph.finalizable].astype(np.int64))

    def outline(self, *, least: int) -> Rows:
        """The dominator tree with what retains less than ``least`` bytes together, by class."""
        graph = self._graph
        return outline(graph.dominators, graph.classes, graph.sizes, graph.prefix, least=least)

    def dominator_roots(self) -> NDArray[np.int64]:
        """What hangs directly under the virtual root, largest retained size first."""
        below = self.dominated_in_order(0)
        order = np.argsort(-self.retained_all(below), kind="stable")
        return np.asarray(below[order], np.int64)

    def address(self, node: int) -> int:
        """The object's identifier in the dump, 0 if the node is no object."""
        return self._record(node).address if self.is_object(node) else 0

    def is_in_dump(self, address: int) -> bool:
        """Whether an object has this identifier, be it reachable or not."""
        return bool(address) and bool(
            ranks_of(self._graph.ranks, np.array([address], np.int64))[0] >= 0
        )

    @cached_property
    def nodes_with_further_references(self) -> NDArray[np.int64]:
        """Nodes that hold something without a reference in the dump, as frames do; ascending."""
        sources = [source for source, _ in self._graph.roots.extra_edges]
        return np.unique(self._graph.nodes[np.array(sources, np.int64)].astype(np.int64))

    def node_at(self, address: int) -> int | None:
        """The node of the object with this identifier, None if no reachable one has it."""
        node = int(self._nodes_at(np.array([address], np.int64))[0])
        return node if address and node > 0 else None

    # --- content ----------------------------------------------------------------------------------

    def fields(self, node: int) -> dict[str, Value]:
        """Instance fields by name, those of superclasses included; the lowest class wins a clash.

        Each field is also there as ``Class.field``. A reference is a node, or None for null and for
        objects that have no node.
        """
        if not self.is_object(node):
            return {}
        record = self._record(node)
        if record.tag != scan.INSTANCE:
            return {}
        present = []
        for field in self._classes.fields(int(self._graph.classes[node])):
            if field.offset + value_bytes(field.kind, self.identifier_bytes) > record.length:
                break
            present.append(field)
        kinds = [field.kind for field in present]
        found = self._values(kinds, [record.data + field.offset for field in present])
        values: dict[str, Value] = {}
        for field, value in zip(present, found, strict=True):
            values.setdefault(field.name, value)
            values.setdefault(f"{self._classes.names[field.owner]}.{field.name}", value)
        return values

    def typed_fields(self, node: int) -> list[TypedField]:
        """The fields of an instance, those of its own class first; of a class object its statics.

        What the virtual machine adds to a class (``<init_lock>``) is among them.
        """
        if not self.is_object(node):
            return []
        record = self._record(node)
        found: list[tuple[int, str, int, int]] = []
        if record.tag == scan.INSTANCE:
            for field in self._classes.fields(int(self._graph.classes[node])):
                if field.offset + value_bytes(field.kind, self.identifier_bytes) > record.length:
                    break
                found.append((field.owner, field.name, field.kind, record.data + field.offset))
        elif record.tag == scan.CLASS and (number := self._number_of_class(record.address)) >= 0:
            found = [
                (number, static.name, static.kind, static.position)
                for static in self._classes.statics(number)
            ]
        values = [read_value(self._dump, kind, position) for *_, kind, position in found]
        nodes = self._values([kind for *_, kind, _ in found], [position for *_, position in found])
        return [
            TypedField(
                self._classes.names[owner],
                name,
                PRIMITIVE_NAMES.get(kind, "object"),
                value,
                int(node) if kind == TYPE_OBJECT and node is not None else None,
            )
            for (owner, name, kind, _), value, node in zip(found, values, nodes, strict=True)
        ]

    def identified_elements(self, node: int, most: int) -> list[tuple[int, int | None]]:
        """Identifier and node of the first elements of an object array; of anything else none."""
        record = self._record(node)
        if not self.is_object(node) or record.tag != scan.OBJECT_ARRAY:
            return []
        identifiers = read_array(self._dump, record)[:most].astype(np.int64)
        nodes = self._nodes_at(identifiers).tolist()
        return [
            (identifier, found if identifier and found > 0 else None)
            for identifier, found in zip(identifiers.tolist(), nodes, strict=True)
        ]

    def reference_name(self, above: int, below: int) -> str | None:
        """By what one node refers to another, as :meth:`references` names it; None if it does not.

        Of a large array no list of all its references is made.
        """
        return self.reference_names(above, [below]).get(below)

    def reference_names(self, above: int, below: Sequence[int]) -> dict[int, str]:
        """By what one node refers to some others, the first of several; those that it does."""
        if self.is_object(above) and self._record(above).tag == scan.OBJECT_ARRAY:
            wanted = np.array([self.address(node) for node in below], np.int64)
            elements = read_array(self._dump, self._record(above)).astype(np.int64)
            places = np.flatnonzero(np.isin(elements, wanted[wanted != 0]))
            index = {int(elements[place]): int(place) for place in places[::-1]}
            return {
                node: f"[{index[address]}]"
                for node, address in zip(below, wanted.tolist(), strict=True)
                if address in index
            }
        asked, found = set(below), dict[int, str]()
        for reference in self.references(above):
            if reference.target in asked:
                found.setdefault(reference.target, reference.name)
        return found

    def root_kind(self, node: int) -> str:
        """In words, why a node is reached from the virtual root, if it is."""
        return self._paths.root_kind(node)

    def reference_fields(self, node: int) -> dict[str, int]:
        """Those instance fields that refer to a node, by name; the lowest class wins a clash."""
        found: dict[str, int] = {}
        for reference in self.references(node) if self._is_instance(node) else ():
            if not reference.name.startswith("<"):
                found.setdefault(reference.name, reference.target)
        return found

    def reference(self, node: int, name: str) -> int | None:
        """The node that a reference field leads to, None where it is unset or not there."""
        found = (value for kind, value in self._fields_named(node, name) if kind == TYPE_OBJECT)
        return next((int(value) for value in found if value is not None), None)

    def number(self, node: int, name: str) -> int | None:
        """An integral field, None where there is no such field."""
        _, value = next(self._fields_named(node, name), (0, None))
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def _fields_named(self, node: int, name: str) -> Iterator[tuple[int, Value]]:
        """Kind and value of the instance fields of a name, that of the lowest class first.

        Other fields are not read: of thousands of threads one field each is asked for.
        """
        number = int(self._graph.classes[node])
        named = self._classes.fields_named(number, name) if number >= 0 else ()
        if not named or not self._is_instance(node):
            return
        record = self._record(node)
        for field in named:
            if field.offset + value_bytes(field.kind, self.identifier_bytes) <= record.length:
                yield field.kind, self._value(field.kind, record.data + field.offset)

    def statics(self, class_name: str) -> dict[str, Value]:
        """Static fields of a class by name; empty if no such class is in the dump."""
        known = self._statics.get(class_name)
        if known is not None:
            return dict(known)
        values: dict[str, Value] = {}
        for number in self._classes.by_name.get(class_name, ()):
            for static in self._classes.statics(number):
                values.setdefault(static.name, self._value(static.kind, static.position))
        self._statics[class_name] = values
        return dict(values)

    def elements(self, node: int) -> NDArray[np.int64]:
        """Nodes of an object array's elements, -1 for null and for objects that have no node."""
        record = self._record(node)
        if not self.is_object(node) or record.tag != scan.OBJECT_ARRAY:
            return np.empty(0, np.int64)
        return self._nodes_at(read_array(self._dump, record).astype(np.int64))

    def filled(self, node: int) -> int:
        """Elements of an array; of an object array those that are not null."""
        record = self._record(node)
        if not self.is_object(node) or record.tag != scan.OBJECT_ARRAY:
            return self.array_length(node)
        return int(np.count_nonzero(read_array(self._dump, record)))

    def first_elements(self, node: int, most: int) -> list[int]:
        """Nodes of the first elements of an object array that have one; not all of it is read."""
        record = self._record(node)
        if not self.is_object(node) or record.tag != scan.OBJECT_ARRAY:
            return []
        identifiers = read_array(self._dump, record)
        found: list[int] = []
        for start in range(0, identifiers.size, _ELEMENTS_AT_ONCE):
            part = self._nodes_at(identifiers[start : start + _ELEMENTS_AT_ONCE].astype(np.int64))
            found += part[part >= 0][: most - len(found)].tolist()
            if len(found) == most:
                break
        return found

    def primitive_array(self, node: int, most: int | None = None) -> NDArray[np.generic]:
        """Elements of a primitive array, in the machine's byte order; chars as uint16.

        Args:
            node: the array.
            most: how many of the first ones; None for all.
        """
        record = self._record(node)
        if not self.is_object(node) or record.tag != scan.PRIMITIVE_ARRAY:
            return np.empty(0, np.int8)
        raw = read_array(self._dump, record)[:most]
        return raw.astype(raw.dtype.newbyteorder("="))

    def array_length(self, node: int) -> int:
        """Elements of an array, -1 if the node is none."""
        if not self.is_object(node):
            return -1
        record = self._record(node)
        return record.length if record.tag in (scan.OBJECT_ARRAY, scan.PRIMITIVE_ARRAY) else -1

    def string(self, node: int, most: int | None = None) -> str | None:
        """The text of a java.lang.String, None if the node is none or its text is not there.

        Args:
            node: the string.
            most: how many of its first characters; None for all.
        """
        if self.class_name(node) != "java.lang.String":
            return None
        text = containers.text_of(self, self.fields(node), most)
        return None if text and self.emptied is not None and not text.strip("\0") else text

    def container(self, node: int) -> Container | None:
        """What the node holds, if it is a collection, a buffer, a text or an array."""
        try:
            return self._containers[node]
        except KeyError:
            found = containers.container_of(self, node)
        if len(self._containers) >= _CONTAINERS_KEPT:
            self._containers.clear()
        self._containers[node] = found
        return found

    def members(self, node: int) -> list[int]:
        """Elements of a list or set, keys of a map; empty for what is none of those."""
        return members_of(self, node)

    def is_table(self, node: int) -> bool:
        """Whether it is a container by its shape: arrays and a count, nothing else large."""
        return is_table(self, node)

    # --- classes ----------------------------------------------------------------------------------

    def instances(self, class_name: str, *, subclasses: bool = False) -> NDArray[np.int64]:
        """Nodes of a class's reachable instances, ascending."""
        if subclasses:
            wanted = self._classes.subclasses(class_name)
        else:
            wanted = np.zeros(len(self._classes.names), bool)
            wanted[list(self._classes.by_name.get(class_name, ()))] = True
        if not wanted.any():
            return np.empty(0, np.int64)
        found = where_flagged(wanted, self._graph.classes)
        if not self.unreachable_nodes.size:
            return found
        return np.setdiff1d(found, self.unreachable_nodes, assume_unique=True)

    def has_subclasses(self, class_name: str) -> bool:
        """Whether any class of the dump extends a class of this name."""
        own = len(self._classes.by_name.get(class_name, ()))
        return int(np.count_nonzero(self._classes.subclasses(class_name))) > own

    def super_classes(self, class_name: str) -> tuple[str, ...]:
        """Names of the superclasses, nearest first; empty if no such class is in the dump."""
        known = self._super_classes.get(class_name)
        if known is None:
            number = next(iter(self._classes.by_name.get(class_name, ())), None)
            lineage = [] if number is None else self._classes.lineage(number)[1:]
            known = tuple(self._classes.names[above] for above in lineage)
            self._super_classes[class_name] = known
        return known

    def class_objects(self, class_name: str) -> list[tuple[int, str]]:
        """Node and class of the loader of every class of a name that is in the dump and reachable.

        The loader of the virtual machine itself is ``<boot>``.
        """
        found = []
        for number in self._classes.by_name.get(class_name, ()):
            node = self.node_at(int(self._classes.identifiers[number]))
            if node is not None:
                loader = self.node_at(int(self._classes.loaders[number]))
                found.append((node, "<boot>" if loader is None else self.class_name(loader)))
        return found

    def static_references(self) -> list[tuple[str, str, int]]:
        """Class, field and node of every static field that refers to an object.

        Classes of one name, which different loaders have loaded, have one each. What the virtual
        machine adds to a class (``<init_lock>``) is none of its fields.
        """
        own_nodes = self._nodes_at(self._classes.identifiers)
        positions = self._graph.positions
        found: list[tuple[str, str, int]] = []
        for name, numbers in self._classes.by_name.items():
            for number in numbers:
                own = own_nodes[number] if self._classes.identifiers[number] else 0
                if own > 0 and self._dump.buffer[positions[own]] == scan.CLASS:
                    found += [
                        (name, static.name, static.position)
                        for static in self._classes.statics(number)
                        if static.kind == TYPE_OBJECT and not static.name.startswith("<")
                    ]
        identifiers = [read_value(self._dump, TYPE_OBJECT, position) for *_, position in found]
        nodes = self._nodes_at(np.array(identifiers, np.int64)).tolist()
        return [
            (name, field, node)
            for (name, field, _), node in zip(found, nodes, strict=True)
            if node > 0
        ]

    def class_numbers(self) -> NDArray[np.int32]:
        """Number of each node's class in :meth:`class_names`, -1 for nodes that are no objects."""
        return self._graph.classes

    def class_names(self) -> tuple[str, ...]:
        """Names by class number; classes of different loaders may share one."""
        return self._classes.names

    @cached_property
    def class_histogram(self) -> tuple[ClassRow, ...]:
        """Reachable objects by class name, largest shallow size first.

        ``retained_bytes`` sums over the members that no other member dominates.
        """
        names = self._classes.names
        distinct = {name: number for number, name in enumerate(dict.fromkeys(names))}
        groups = np.array([distinct[name] for name in names], np.int32)
        numbers = self._graph.classes
        by_node = numbers
        if len(distinct) < len(names):
            by_node = self._graph.storage.empty(numbers.size, np.int32)
            table = np.append(np.int32(-1), groups)
            on_all_cores(
                lambda start, end: _in_parts(table, numbers, by_node, start, end), numbers.size
            )
        objects, shallow, retained = retained_by_group(
            by_node,
            self._graph.sizes,
            self._graph.prefix,
            len(distinct),
            self._graph.storage.read_anywhere(self._graph.prefix),
        )
        rows = [
            ClassRow(name, count, own, kept)
            for name, count, own, kept in zip(
                distinct, objects.tolist(), shallow.tolist(), retained.tolist(), strict=True
            )
            if count
        ]
        return tuple(sorted(rows, key=lambda row: (-row.shallow_bytes, row.name)))

    # --- threads ----------------------------------------------------------------------------------

    @cached_property
    def threads(self) -> tuple[Thread, ...]:
        """All threads, in the order of the dump."""
        return threads_of(self, self._dump, self._classes, self._graph)

    def threads_at(self, node: int) -> tuple[Thread, ...]:
        """The threads whose node it is; none of any other node."""
        return self._threads_by_node.get(node, ())

    @cached_property
    def frames_by_node(self) -> dict[int, Frame]:
        """Every frame by its node."""
        return {frame.node: frame for thread in self.threads for frame in thread.frames}

    @cached_property
    def thread_of_frame(self) -> dict[int, Thread]:
        """The thread of every frame, by the frame's node."""
        return {frame.node: thread for thread in self.threads for frame in thread.frames}

    @cached_property
    def oom_thread(self) -> Thread | None:
        """The thread that threw the OutOfMemoryError, by the frame HotSpot adds to its stack."""
        for root, thread in zip(self._graph.roots.threads, self.threads, strict=True):
            if root.ran_out_of_memory:
                return thread
        return None

    # --- references and paths ---------------------------------------------------------------------

    def references(self, node: int) -> list[Reference]:
        """Outgoing references with field names; of a thread its frames, of a frame its locals.

        All references that the dump has, those of weak references too.
        """
        frame = self.frames_by_node.get(node)
        if frame is not None:
            return [Reference("<local>", local) for local in frame.locals]
        found: list[Reference] = []
        for thread in self._threads_by_node.get(node, ()):
            found += [Reference("<frame>", frame.node) for frame in thread.frames]
        for root in self._thread_roots.get(node, ()):
            found += [
                Reference("<thread>", int(self._graph.nodes[vertex])) for vertex in root.others
            ]
        if not self.is_object(node):
            return found
        record = self._record(node)
        if record.tag == scan.OBJECT_ARRAY:
            targets = self.elements(node)
            held = np.flatnonzero(targets >= 0)
            return found + [
                Reference(f"[{index}]", target)
                for index, target in zip(held.tolist(), targets[held].tolist(), strict=True)
            ]
        if record.tag == scan.CLASS:
            return found + self._class_references(record)
        fields = [
            field
            for field in self._classes.fields(int(self._graph.classes[node]))
            if field.kind == TYPE_OBJECT and field.offset + self.identifier_bytes <= record.length
        ]
        places = [record.data + field.offset for field in fields]
        held_there = self._values([TYPE_OBJECT] * len(fields), places)
        return found + [
            Reference(field.name, int(target))
            for field, target in zip(fields, held_there, strict=True)
            if target is not None
        ]

    @property
    def outgoing(self) -> Outgoing:
        """All references between objects at once.

        Raises:
            ValueError: if the heap was opened without them.
        """
        if self._graph.outgoing is None:
            raise ValueError("the heap was opened without its references")
        return self._graph.outgoing

    def referrers(self, node: int) -> NDArray[np.int64]:
        """Nodes that refer to it, each once; frames and threads for locals. Weak ones are left out.

        The first call inverts all references, which costs 4 bytes a reference and 8 a node.
        """
        starts, sources = self._paths.incoming
        nodes = np.unique(sources[starts[node] : starts[node + 1]]).astype(np.int64)
        extra = self._paths.extra_referrers.get(node, ())
        return np.unique(np.concatenate((nodes, np.array(extra, np.int64))))

    @property
    def references_are_inverted(self) -> bool:
        """Whether :meth:`referrers` has done the work of its first call."""
        return self._paths.are_inverted

    def prepare(self) -> None:
        """Does what first calls would do: inverts references, searches paths to everything."""
        self.referrers(0)
        self.dominator(self.nodes - 1)
        if self._graph.paths is not None:
            self._graph.paths.to_all()

    def path_from_root(self, node: int) -> tuple[PathStep, ...]:
        """A shortest path to the node: from a thread's frame, a static field, or another root.

        Empty for the virtual root.

        Raises:
            ValueError: if the heap was opened without paths.
        """
        return self._paths.to(node)

    def path_nodes(self, node: int) -> list[int]:
        """The nodes of :meth:`path_from_root`, the virtual root first.

        Raises:
            ValueError: if the heap was opened without paths.
        """
        return self._paths.line_to(node)

    def path_nodes_of_each(self, nodes: Sequence[int]) -> list[list[int]]:
        """The same of many nodes: one call for each takes a pass over all objects each time.

        Raises:
            ValueError: if the heap was opened without paths.
        """
        return self._paths.lines_to(nodes)

    def path_step(self, above: int, below: int) -> PathStep:
        """One step of :meth:`path_from_root`."""
        return self._paths.step(above, below)

    def paths_from_root(self, nodes: list[int]) -> list[tuple[PathStep, ...]]:
        """Shortest paths to many nodes, as :meth:`path_from_root`."""
        return self._paths.to_each(nodes)

    @cached_property
    def _paths(self) -> Paths:
        return Paths(self, self._graph)

    @cached_property
    def _thread_roots(self) -> dict[int, tuple[ThreadRoot, ...]]:
        found: dict[int, tuple[ThreadRoot, ...]] = {}
        for root in self._graph.roots.threads:
            node = int(self._graph.nodes[root.vertex])
            found[node] = (*found.get(node, ()), root)
        return found

    @cached_property
    def _threads_by_node(self) -> dict[int, tuple[Thread, ...]]:
        found: dict[int, tuple[Thread, ...]] = {}
        for thread in self.threads:
            found[thread.node] = (*found.get(thread.node, ()), thread)
        return found

    def _class_references(self, record: Record) -> list[Reference]:
        found = []
        for index, name in enumerate(_CLASS_LINKS):
            target = self._value(TYPE_OBJECT, record.data + index * self.identifier_bytes)
            if target is not None:
                found.append(Reference(name, int(target)))
        number = self._number_of_class(record.address)
        for static in self._classes.statics(number) if number >= 0 else ():
            if static.kind == TYPE_OBJECT:
                target = self._value(TYPE_OBJECT, static.position)
                if target is not None:
                    found.append(Reference(static.name, int(target)))
        return found

    def _is_instance(self, node: int) -> bool:
        return self.is_object(node) and self._record(node).tag == scan.INSTANCE

    # --- plumbing ---------------------------------------------------------------------------------

    def _record(self, node: int) -> Record:
        return read_record(self._dump, int(self._graph.positions[node]))

    def _number_of_class(self, identifier: int) -> int:
        return self._classes.number_of(identifier)

    def _value(self, kind: int, position: int) -> Value:
        return self._values([kind], [position])[0]

    def _values(self, kinds: Sequence[int], positions: Iterable[int]) -> list[Value]:
        """The values of these kinds at positions; all references are looked up in one call."""
        values: list[Value] = [
            read_value(self._dump, kind, position)
            for kind, position in zip(kinds, positions, strict=True)
        ]
        references = [at for at, kind in enumerate(kinds) if kind == TYPE_OBJECT]
        if len(references) <= _FEW:
            for at in references:
                values[at] = self._node_of(cast("int", values[at]))
        else:
            addresses = np.array([values[at] for at in references], np.int64)
            for at, node in zip(references, self._nodes_at(addresses).tolist(), strict=True):
                values[at] = node if values[at] and node > 0 else None
        return values

    def _node_of(self, address: int) -> int | None:
        if not address:
            return None
        look = getattr(self._one_by_one, "rank", None)
        if look is None:
            look = self._one_by_one.rank = look_up(self._graph.ranks)
        rank = look(address)
        node = int(self._graph.nodes[rank]) if rank >= 0 else -1
        return node if node > 0 else None

    def _nodes_at(self, addresses: NDArray[np.int64]) -> NDArray[np.int64]:
        ranks = ranks_of(self._graph.ranks, addresses)
        return np.where(ranks >= 0, self._graph.nodes[ranks], -1).astype(np.int64)
