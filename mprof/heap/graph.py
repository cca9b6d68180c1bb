"""From a dump's columns to a dominator tree: the pipeline of the analysis.

Every pass reads the chunks afresh, on all cores, so no column of the whole dump is ever held:

1. addresses → ranks (:mod:`mprof.kernels.rank`);
2. rows of references by rank, and distances for the size fit;
3. roots, threads, frames → extra vertices and extra edges;
4. objects that hang on one reference are set apart (:mod:`mprof.kernels.pendants`); of all others,
   depth-first numbers, dominators, flat tree (:mod:`mprof.kernels`); then what hangs is put behind
   what it hangs on;
5. positions, classes and shallow sizes by node.

Where the columns lie on disk (:mod:`mprof.heap.storage`) what is written by node in any order is
written for some nodes after the others, with a pass for each, and rows are put in their order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.errors import EvidenceError
from mprof.heap._passes import (
    Finals,
    Gaps,
    Nodes,
    Placement,
    Sizes,
    append_row,
    cut_off,
    fill_chunk,
    first_search,
    gaps_of,
    mark_referenced,
    number_nodes,
    place_chunk,
    sum_up,
)
from mprof.heap.chunks import Chunk, Chunks, new_scratch
from mprof.heap.classes import Classes, value_bytes
from mprof.heap.layout import fit_layout
from mprof.heap.outgoing import Outgoing, outgoing_by_node, rows_in_order, starts_in_order
from mprof.heap.ranking import rank_objects
from mprof.heap.roots import Roots, gather_roots
from mprof.heap.samples import Samples, joined
from mprof.heap.shortest import ShortestPaths
from mprof.heap.storage import Storage, storage_for
from mprof.hprof import Dump, scan
from mprof.hprof.format import TYPE_OBJECT
from mprof.kernels import repeated
from mprof.kernels.cores import fill, touch
from mprof.kernels.depth_first import Search
from mprof.kernels.dominators import immediate_dominators
from mprof.kernels.pendants import (
    Core,
    Shape,
    core_numbers,
    core_rows,
    find_core,
    joined_entries,
    new_entries,
    number_vertices,
    weights_of,
    whole_core,
)
from mprof.kernels.rank import Ranks, ranks_of
from mprof.kernels.retained import (
    dominators_of,
    flatten_tree,
    places_in_tree,
    renumber,
    subtree_sizes,
)
from mprof.kernels.spare import Spare

__all__ = ["Graph", "Notes", "analyse", "build_schema"]

_MOST_OBJECTS = np.iinfo(np.int32).max - (1 << 24)
_NOT_FILLED = -1
_BATCH = 65_536  # objects that become roots after the search from the others, in one more
_MOST_CYCLES = 10_000  # of unreachable objects; what further ones hold has no nodes
_LISTED_BY_A_WORKER = 65_536  # objects with dangling references; the rest is only counted
_STRETCH = 1 << 20  # references a worker takes room for at once; 4 MiB, so two huge pages
_REFERENCE = "java.lang.ref.Reference"
_FAR = 1 << 32  # bytes of a dump whose positions take more than 32 bits
_ROOM = 30
"""Bytes an object: nodes, subtree sizes, rows, classes, owners and kinds, prefix sums."""

Progress = Callable[[str, float], None] | None


@dataclass(frozen=True, slots=True)
class Notes:
    """Where the records of a dump contradict each other.

    Attributes:
        dangling: references to objects that should be in the dump and are not.
        classless: objects whose class is not in the dump.
        mismatched: instances whose fields take other bytes than their class says.
        duplicates: records of objects that had one before.
    """

    dangling: int
    classless: int
    mismatched: int
    duplicates: int


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """References of all objects by rank, as :mod:`mprof.kernels.depth_first` takes them.

    Attributes:
        slots: where each row begins; room for the extra vertices and the root at the end.
        edges: the rows, and room for extra rows from ``used`` on.
        used: where the extra rows may begin.
        gaps: distances between addresses.
        finals: int64 rows of two ranks: final references and their referents.
        notes: int64 counts, see ``scan.DANGLING`` and so on.
        entries: how many edges lead to each, see :mod:`mprof.kernels.pendants`.
    """

    slots: NDArray[Any]
    edges: NDArray[np.int32]
    used: int
    gaps: Gaps
    finals: NDArray[np.int64]
    notes: NDArray[np.int64]
    entries: NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class _Searched:
    """The graph that is searched; its vertices are numbers among the core, the root the last.

    Attributes:
        core: the number of each rank.
        shape: what they are the core of.
        slots: as in _Rows; the search changes them.
        edges: as in _Rows.
        weights: int32, how many vertices each stands for, itself and those that hang on it.
        end: where the row of the virtual root may begin.
    """

    core: Core
    shape: Shape
    slots: NDArray[Any]
    edges: NDArray[np.int32]
    weights: NDArray[np.int32]
    end: int

    def without_edges(self, rows: _Rows, spare: Spare, storage: Storage) -> _Searched:
        """What is left to know when all is searched: slots are read in order from now on."""
        if self.slots is rows.slots:
            return self
        spare.give(self.edges)
        return replace(self, edges=np.empty(0, np.int32), slots=storage.settled(self.slots))


@dataclass(frozen=True, eq=False)
class Graph:
    """The analysed heap; nodes are numbers in preorder of the dominator tree, 0 the virtual root.

    Attributes:
        source: the dump, addresses to ranks, and where references lie.
        nodes: int32, node of each rank and, after those, of each extra vertex; -1 if not reached.
        sizes: int32, nodes each dominates, itself included.
        prefix: int64, one longer, sums of shallow sizes before each node.
        classes: int32, class number of each node, -1 for the virtual root and frames.
        positions: uint32 or int64, where each node's record begins, 0 for the virtual root and
            frames.
        outgoing: all references; None where they were not kept.
        paths: shortest paths from roots; None where nobody will ask for any.
        roots: where the search began.
        layout: a description of the fitted layout.
        size_model: what it makes of a class, and of an array of a length.
        finalizable: int64, ranks of the objects that only wait for their finalizer.
        unreachable: objects that no root reaches.
        unreachable_bytes: their shallow size.
        unreachable_nodes: int64, their nodes, ascending, where they have any.
        unreachable_tops: int64, nodes of those that no other object refers to, and one of each
            cycle that nothing else reaches.
        notes: where records contradict each other.
        spare: memory left over from the analysis, for later passes over all nodes; empty unless
            references were kept.
        storage: where the arrays lie.
    """

    source: scan.Source
    nodes: NDArray[np.int32]
    sizes: NDArray[np.int32]
    prefix: NDArray[np.int64]
    classes: NDArray[np.int32]
    positions: NDArray[Any]
    outgoing: Outgoing | None
    paths: ShortestPaths | None
    roots: Roots
    layout: str
    size_model: Sizes
    finalizable: NDArray[np.int64]
    unreachable: int
    unreachable_bytes: int
    unreachable_nodes: NDArray[np.int64]
    unreachable_tops: NDArray[np.int64]
    notes: Notes
    spare: Spare
    storage: Storage

    @property
    def ranks(self) -> Ranks:
        """Addresses to ranks."""
        return self.source.ranks

    @cached_property
    def dominators(self) -> NDArray[np.int32]:
        """The immediate dominator of each node, 0 for the virtual root; few ask for it."""
        return dominators_of(self.sizes)

    @property
    def by_node(self) -> Nodes:
        """What compiled passes take to know of the nodes."""
        return Nodes(self.nodes, self.positions, self.classes)


def analyse(
    dump: Dump,
    classes: Classes,
    progress: Progress = None,
    *,
    references: bool = False,
    paths: bool = True,
    unreachable: bool = False,
) -> Graph:
    """Runs the whole pipeline.

    Args:
        dump: the dump.
        classes: its classes.
        progress: called with the current step and the share that is done.
        references: whether all references are kept.
        paths: whether shortest paths will be asked for; then references are kept, too.
        unreachable: whether objects that no root reaches are nodes as well; only with references.

    Raises:
        EvidenceError: if the dump has more objects than nodes can be numbered.
    """
    report = progress or (lambda _what, _share: None)
    references = references or paths
    report("finding objects", 0.1)
    ranks, objects, duplicates = rank_objects(dump)
    if objects > _MOST_OBJECTS:
        raise EvidenceError(
            f"{dump.path} holds {objects:,} objects, more than {_MOST_OBJECTS:,}",
            next_step="use --histogram, or dump with a smaller heap",
        )
    storage = storage_for(objects)
    chunks = Chunks(dump, workers=1 if duplicates else None)  # of two records the first counts
    report("reading references", 0.2)
    roots = gather_roots(dump, classes, ranks, objects)
    schema = build_schema(dump, classes, ranks, roots.globals)
    source = scan.Source(dump.buffer, dump.identifier_bytes, schema, ranks)
    rows = _read_rows(dump, classes, source, chunks, objects, roots, storage)
    notes = _notes(rows.notes, duplicates)
    layout, _, size_model = fit_layout(
        classes,
        rows.gaps,
        gaps_of(ranks, classes.identifiers[: classes.dumped]),
        address_bits=int(dump.state[scan.BITS]),
        typical_address=classes.typical_address,
    )
    if roots.incomplete:
        roots = roots.with_objects(_unreferenced(rows.slots, rows.edges, objects))
    report("searching depth first", 0.45)
    rows.slots[objects:] = 0
    own_rows_of = [(source, int(rows.slots[source])) for source, _ in roots.extra_edges]
    end = _append_extra_edges(rows, roots)
    own_rows = storage.copy(rows.slots) if unreachable else None  # the search overwrites them
    class_ranks = _class_ranks(classes, ranks)
    room = storage.room(_ROOM * objects)
    spare = storage.spare(room)
    searched = _searched(rows, roots, class_ranks, end, storage, spare, whole=unreachable)
    with ThreadPoolExecutor(1) as other_core:
        other_core.submit(touch, room)
        search, finalizable = _search(searched, rows, roots, spare)
        further = _search_unreachable(searched, search, objects) if unreachable else _NONE
        report("finding dominators", 0.6)
        search.end(spare)
        searched = searched.without_edges(rows, spare, storage)
        storage.read_ahead(search.result.sources, search.result.links)
        nearest = immediate_dominators(search.result, spare)
        search.give_to(spare)
        del search
        nodes, sizes = _flattened(
            rows, searched, nearest, spare, storage, keeps_rows=references and not unreachable
        )
    count = sizes.size
    del room, searched, nearest
    outgoing = None
    if references:
        own_slots = rows.slots if own_rows is None else own_rows
        for vertex, slot in own_rows_of:
            own_slots[vertex] = slot
        if storage.on_disk:
            nodes = storage.brought(nodes)
            starts, end = starts_in_order(own_slots, rows.edges, nodes, count, storage)
            nodes = storage.settled(nodes)
            outgoing = rows_in_order(own_slots, rows.edges, nodes, starts, end, storage)
        else:
            outgoing = outgoing_by_node(own_slots, rows.edges, nodes, count, spare)
    shortest = None
    if outgoing is not None and paths:
        shortest = ShortestPaths(
            outgoing, nodes, roots, class_ranks, finalizable, storage, spare.take
        )
    report("measuring objects", 0.8)
    position_type = np.uint32 if dump.buffer.size < _FAR else np.int64
    positions, prefix = spare.take(count, position_type), spare.take(count + 1, np.int64)
    numbers = spare.take(count, np.int32)
    del rows, own_rows
    if not references:
        spare = storage.spare(storage.room(0))
    left = _place(classes, source, chunks, size_model, storage, nodes, positions, prefix, numbers)
    found = np.sort(nodes[further.ranks].astype(np.int64))
    report("measuring objects", 1.0)
    return Graph(
        source=source,
        nodes=nodes,
        sizes=sizes,
        prefix=prefix,
        classes=numbers,
        positions=positions,
        outgoing=outgoing,
        paths=shortest,
        roots=roots,
        layout=layout,
        size_model=size_model,
        finalizable=finalizable,
        unreachable=int(left[0]) + found.size,
        unreachable_bytes=int(left[1]) + int((prefix[found + 1] - prefix[found]).sum()),
        unreachable_nodes=found,
        unreachable_tops=nodes[further.tops].astype(np.int64),
        notes=notes,
        spare=spare,
        storage=storage,
    )


def _notes(counts: NDArray[np.int64], duplicates: int) -> Notes:
    return Notes(
        dangling=int(counts[scan.DANGLING]),
        classless=int(counts[scan.CLASSLESS]),
        mismatched=int(counts[scan.MISMATCHED]),
        duplicates=duplicates,
    )


# --- rows -----------------------------------------------------------------------------------------


def build_schema(
    dump: Dump, classes: Classes, ranks: Ranks, global_roots: NDArray[np.int64]
) -> scan.Schema:
    """Where references lie in instances of each class.

    The referent of a weak or phantom reference is left out, as collectors do. That of a final
    reference too: objects that wait for their finalizer are roots of their own. An edge from an
    instance to its class is left out where the class is a root, since it cannot matter there.
    """
    width = dump.identifier_bytes
    skip = np.zeros(len(classes.names), bool)
    for name in ("WeakReference", "PhantomReference", "FinalReference"):
        skip |= classes.subclasses(f"java.lang.ref.{name}")
    references = set(classes.by_name.get(_REFERENCE, ()))
    starts = np.zeros(len(classes.names) + 1, np.int64)
    field_bytes = np.full(len(classes.names), -1, np.int64)
    offsets: list[int] = []
    for number in range(len(classes.names)):
        if number < classes.dumped:
            fields = classes.fields(number)
            offsets += [
                field.offset
                for field in fields
                if field.kind == TYPE_OBJECT
                and not (skip[number] and field.name == "referent" and field.owner in references)
            ]
            top = classes.lineage(number)[-1]
            if top < classes.dumped and classes.dump.class_heads[top, scan.HEAD_SUPER] == 0:
                field_bytes[number] = (
                    fields[-1].offset + value_bytes(fields[-1].kind, width) if fields else 0
                )
        starts[number + 1] = len(offsets)
    own_ranks = ranks_of(ranks, classes.identifiers)
    own_ranks[classes.identifiers == 0] = -1
    own_ranks[np.isin(own_ranks, global_roots)] = -1
    return scan.Schema(
        own_ranks,
        starts,
        np.array(offsets, np.int32),
        field_bytes,
    )


def _read_rows(
    dump: Dump,
    classes: Classes,
    source: scan.Source,
    chunks: Chunks,
    objects: int,
    roots: Roots,
    storage: Storage,
) -> _Rows:
    """Reads all references; each worker writes rows contiguously into stretches it takes."""
    width = dump.identifier_bytes
    needs = -(-(dump.chunks[:, 1] - dump.chunks[:, 0]) // width)
    room = _Room()
    extended = {vertex for vertex, _ in roots.extra_edges}
    # rows that are copied to take further targets, the root's row, and one of the finalizable
    behind = _room_to_copy(dump, extended) + len(roots.extra_edges)
    behind += roots.starts.size + (objects if roots.incomplete else 0) + _BATCH
    total = room.most(int(needs.sum()), chunks.workers) + behind
    slot_type = np.int32 if total < np.iinfo(np.int32).max else np.int64
    edges, room.reserve = storage.growing(total, np.int32)
    slots = storage.empty(objects + roots.extra_vertices + 1, slot_type)
    fill(slots, _NOT_FILLED)
    all_entries: list[NDArray[np.uint64]] = []
    final_offsets = _referent_offsets(classes)
    all_samples: list[Samples] = []
    all_notes: list[NDArray[np.int64]] = []
    all_dangling: list[NDArray[np.int64]] = []
    all_finals = [np.empty((0, 2), np.int64)]

    def read(own_chunks: Iterator[Chunk]) -> None:
        samples = Samples(len(classes.names))
        notes = np.zeros(scan.NOTES_SIZE, np.int64)
        dangling = np.empty((_LISTED_BY_A_WORKER, 2), np.int64)
        finals = np.empty((scan.CHUNK_OBJECTS, 2), np.int64)
        entries = new_entries(slots.size)
        begin = end = 0
        fill_rows = repeated(
            fill_chunk, source, 0, 0, new_scratch(), classes.numbering,
            scan.Rows(slots, edges, notes, dangling), 0, samples.gaps,
            Finals(final_offsets, finals), entries, changing=(1, 2, 6),
        )  # fmt: skip
        for chunk in own_chunks:
            need = int(needs[chunk.number])
            if begin + need > end:
                begin, end = room.take(need)
            begin, found = fill_rows(chunk.start, chunk.end, begin)
            samples.end_of_chunk(chunk.number)
            if found:
                all_finals.append(finals[:found].copy())
        all_samples.append(samples)
        all_notes.append(notes)
        all_entries.append(entries)
        all_dangling.append(dangling[: notes[scan.LISTED]])

    chunks.each(read)
    room.reserve(room.taken + behind)
    totals = np.asarray(np.sum(all_notes, axis=0), np.int64)
    totals[scan.DANGLING] = totals[scan.DANGLING_UNLISTED] + _lost_references(
        np.concatenate(all_dangling), roots
    )
    return _Rows(
        slots,
        edges,
        room.taken,
        joined(all_samples),
        np.concatenate(all_finals),
        totals,
        joined_entries(all_entries),
    )


class _Room:
    """Hands out stretches of an array to workers.

    How many references a chunk has is known only once it is read; its bytes are an upper bound,
    three times too high. So workers fill stretches of their own, and only memory that is written is
    ever touched, except for the rest of a stretch.
    """

    def __init__(self) -> None:
        self.taken = 1  # position 0 belongs to no row
        self.reserve: Callable[[int], None] = lambda _taken: None
        self._lock = threading.Lock()

    def most(self, needs: int, workers: int) -> int:
        """An upper bound on what can be taken for chunks that together need so much."""
        return 1 + needs + needs // 7 + 1 + workers * _STRETCH

    def take(self, need: int) -> tuple[int, int]:
        """A stretch with room for a chunk; a large chunk gets one of its own size."""
        size = need if need > _STRETCH // 8 else _STRETCH
        with self._lock:
            begin = self.taken
            self.reserve(begin + size)
            self.taken += size
        return begin, begin + size


def _lost_references(dangling: NDArray[np.int64], roots: Roots) -> int:
    """References to objects that are not in the dump and should be.

    Whole dumps have some too: HotSpot's array of archived objects, which is a root, refers to
    objects that it never used and therefore does not dump (``heapDumper.cpp``, dormant objects).
    """
    return int(dangling[~np.isin(dangling[:, 0], roots.globals), 1].sum())


def _room_to_copy(dump: Dump, extended: set[int]) -> int:
    """An upper bound of the references of the objects that take further targets.

    Threads and loaders are instances of bounded size: a field list has at most 65,535 entries.
    """
    return min(len(extended) * 65_536, dump.buffer.size // dump.identifier_bytes)


def _referent_offsets(classes: Classes) -> NDArray[np.int32]:
    """Where an instance of each final reference class has its referent, -1 in other classes."""
    offsets = np.full(len(classes.names), -1, np.int32)
    for number in np.flatnonzero(classes.subclasses("java.lang.ref.FinalReference")).tolist():
        for field in classes.fields(number):
            if field.name == "referent" and classes.names[field.owner] == _REFERENCE:
                offsets[number] = field.offset
    return offsets


def _unreferenced(slots: NDArray[Any], edges: NDArray[np.int32], objects: int) -> NDArray[np.int64]:
    """Ranks of the objects that no other object refers to."""
    marks = np.zeros(objects, np.uint8)
    mark_referenced(slots, edges, objects, marks)
    return np.flatnonzero(marks == 0)


# --- search ---------------------------------------------------------------------------------------


def _append_extra_edges(rows: _Rows, roots: Roots) -> int:
    """Adds the edges that the dump has no references for; returns the end of the rows.

    Of frames, of which thousands of threads have a hundred thousand, all at once.
    """
    added = np.array(roots.extra_edges, np.int64).reshape(-1, 2)
    first_extra = rows.slots.size - 1 - roots.extra_vertices
    without_row = added[:, 0] >= first_extra
    own = added[without_row]
    own = own[np.argsort(own[:, 0], kind="stable")]
    at = rows.used + len(own)
    sources, begins = np.unique(own[:, 0], return_index=True)
    new = own[:, 1].astype(np.int32)
    ends = np.append(begins[1:], len(own))[: sources.size] - 1
    new[ends] = ~new[ends]
    rows.edges[rows.used : at] = new
    rows.slots[sources] = rows.used + begins
    by_source: dict[int, list[int]] = {}
    for source, target in added[~without_row].tolist():
        by_source.setdefault(source, []).append(target)
    for source, targets in by_source.items():
        at = append_row(rows.slots, rows.edges, source, np.array(targets, np.int64), at)
    return at


def _class_ranks(classes: Classes, ranks: Ranks) -> NDArray[np.int64]:
    found = ranks_of(ranks, classes.identifiers[: classes.dumped])
    return found[found >= 0]


def _searched(
    rows: _Rows,
    roots: Roots,
    class_ranks: NDArray[np.int64],
    end: int,
    storage: Storage,
    spare: Spare,
    *,
    whole: bool,
) -> _Searched:
    """The core of the rows, or all of them.

    Whatever is asked for its number belongs to the core: roots, and what they are joined to; class
    objects, where paths begin; final references and what they refer to.
    """
    if whole:
        none = np.empty(0, np.int32)
        core = whole_core(rows.slots.size)
        shape = Shape(rows.slots, rows.edges, core.table, rows.slots, rows.edges)
        return _Searched(core, shape, rows.slots, rows.edges, none, end)
    threads = [vertex for thread in roots.threads for vertex in (thread.vertex, *thread.others)]
    kept = (
        roots.starts,
        np.array(threads, np.int64),
        np.array(roots.extra_edges, np.int64).reshape(-1),
        np.arange(rows.slots.size - 1 - roots.extra_vertices, rows.slots.size),
        class_ranks,
        rows.finals.reshape(-1),
    )
    core = find_core(rows.slots, rows.edges, rows.entries, np.concatenate(kept))
    room = roots.starts.size + _BATCH
    far_slots, far_edges = storage.read_anywhere(rows.slots), storage.read_anywhere(rows.edges)
    shape = Shape(rows.slots, rows.edges, core.table, far_slots, far_edges)
    return _Searched(
        core,
        shape,
        *core_rows(shape, core, room=room, empty=spare.take, scattered=spare.scattered),
    )


def _search(
    searched: _Searched,
    rows: _Rows,
    roots: Roots,
    spare: Spare,
) -> tuple[Search, NDArray[np.int64]]:
    """Numbers all that is reachable, and then what only waits for its finalizer.

    Args:
        searched: what is searched.
        rows: what that is the core of.
        roots: where the search begins.
        spare: where memory is taken from.

    Returns:
        The search; and the ranks that are roots because a reached final reference refers to
        them and nothing stronger does: the collector keeps those alive until they are finalized.
    """
    slots, edges, start = searched.slots, searched.edges, searched.end
    root = slots.size - 1
    at = append_row(slots, edges, root, core_numbers(searched.core, roots.starts), start)
    search = Search(
        slots, edges, root, edge_count=start, empty=spare.take, scattered=spare.scattered
    )
    search.follow(start if at > start else 0)
    finals = core_numbers(searched.core, rows.finals.reshape(-1)).reshape(-1, 2)
    is_waiting = (slots[finals[:, 0]] < 0) & (slots[finals[:, 1]] >= 0)
    # without an index numpy would import its masked arrays, a tenth of the time of a small dump
    waiting = np.unique(rows.finals[is_waiting, 1], return_index=True)[0]
    _follow(searched, search, core_numbers(searched.core, waiting))
    return search, waiting


def _follow(searched: _Searched, search: Search, numbers: NDArray[np.int64]) -> None:
    """Numbers what further roots reach; the end of the rows takes a batch of them at a time."""
    slots, edges, start = searched.slots, searched.edges, searched.end
    root = slots.size - 1
    for first in range(0, numbers.size, _BATCH):
        slots[root] = 0
        append_row(slots, edges, root, numbers[first : first + _BATCH], start)
        slots[root] = ~0
        search.follow(start)


def _flattened(
    rows: _Rows,
    searched: _Searched,
    nearest: NDArray[np.int32],
    spare: Spare,
    storage: Storage,
    *,
    keeps_rows: bool,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The flat dominator tree of all vertices; returns nodes by rank, and sizes by node.

    Nodes lie where the slots did, unless these are kept.
    """
    slots = searched.slots
    if slots is rows.slots:
        places, sizes = flatten_tree(nearest, spare)
        nodes = number_nodes(rows.slots, places)
        spare.give(nearest, places)
        return nodes, sizes
    shape = searched.shape
    is_free = not keeps_rows and rows.slots.dtype == np.int32 and not storage.on_disk
    if is_free:
        nodes = rows.slots
    elif not storage.on_disk:
        nodes = spare.take(rows.slots.size, np.int32)
    weights = spare.scattered(nearest.size, np.int32)
    weights_of(slots, searched.weights, weights)
    own_sizes = subtree_sizes(nearest, weights, spare)
    sizes = spare.take(int(own_sizes[0]), np.int32)
    # behind what stays: then what is free is in one piece
    places = places_in_tree(nearest, own_sizes, weights, spare)
    spare.give(weights)
    del weights
    own_sizes = storage.settled(own_sizes)
    if storage.on_disk:
        nodes = spare.scattered(rows.slots.size, np.int32)

    def write(rooms: list[NDArray[Any]], first: int) -> None:
        renumber(own_sizes, places, rooms[0], first)
        number_vertices(
            shape, slots, searched.weights,
            places=places, sizes=rooms[0], nodes=nodes, first=first,
        )  # fmt: skip

    storage.in_parts([sizes], write)
    spare.give(nearest, places, own_sizes, slots, searched.weights)
    return nodes, sizes


class _Unreachable(NamedTuple):
    """Ranks of the objects that no root reaches, and of those where the search among them began."""

    ranks: NDArray[np.int64]
    tops: NDArray[np.int64]


_NONE = _Unreachable(np.empty(0, np.int64), np.empty(0, np.int64))


def _search_unreachable(searched: _Searched, search: Search, objects: int) -> _Unreachable:
    """Numbers what no root reaches, from the objects on that no other one refers to.

    Then from one object of each cycle that nothing reaches: of the objects at which a search in any
    order has to begin anew, the last one is on such a cycle, and so is the last that this one does
    not reach, and so on. References to what roots reach are redirected: no garbage may hold what
    others hold.
    """
    slots, edges = searched.slots, searched.edges
    ranks = np.flatnonzero(slots[:objects] >= 0)
    cut_off(slots, edges, objects)
    tops = np.intersect1d(_unreferenced(slots, edges, objects), ranks, assume_unique=True)
    _follow(searched, search, tops)
    begins, pending = np.empty((2, ranks.size), np.int64)
    marks = np.zeros(objects, np.uint8)
    count = first_search(slots, edges, ranks, marks, pending, begins)
    on_cycles: list[int] = []
    for rank in begins[:count][::-1].tolist():
        if len(on_cycles) == _MOST_CYCLES:
            break
        if slots[rank] >= 0:
            on_cycles.append(rank)
            _follow(searched, search, np.array([rank], np.int64))
    numbered = ranks[slots[ranks] < 0]
    return _Unreachable(numbered, np.append(tops, np.array(on_cycles, np.int64)))


# --- nodes ----------------------------------------------------------------------------------------


def _place(
    classes: Classes,
    source: scan.Source,
    chunks: Chunks,
    size_model: Sizes,
    storage: Storage,
    nodes: NDArray[np.int32],
    positions: NDArray[Any],
    prefix: NDArray[np.int64],
    numbers: NDArray[np.int32],
) -> NDArray[np.int64]:
    """Writes all objects by node; returns number and bytes of those that were not reached."""
    totals: list[NDArray[np.int64]] = []
    prefix[0] = 0
    before = 0

    def write(rooms: list[NDArray[Any]], first: int) -> None:
        nonlocal before
        places, found = rooms
        fill(found, 0)

        def place(own_chunks: Iterator[Chunk]) -> None:
            unreachable = np.zeros(2, np.int64)
            place_objects = repeated(
                place_chunk, source, 0, 0, new_scratch(), classes.numbering, size_model,
                Placement(nodes, places, found, first, unreachable), changing=(1, 2),
            )  # fmt: skip
            for _, start, end in own_chunks:
                place_objects(start, end)
            totals.append(unreachable)

        chunks.each(place)
        before = sum_up(found, places, numbers[first : first + found.size], before)

    storage.in_parts([positions, prefix[1:]], write)
    return np.asarray(np.sum(totals, axis=0), np.int64)
