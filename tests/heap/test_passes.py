"""The passes over chunks against their plain twins: sound dumps and damaged ones."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from builders.hprof_builder import Builder, FrameSpec
from oracles import passes as plain
from oracles import scan as plain_scan

from mprof.errors import EvidenceError
from mprof.heap import _incoming, _passes, _tally
from mprof.heap.chunks import new_scratch
from mprof.heap.classes import Classes, read_classes
from mprof.heap.graph import _referent_offsets, build_schema
from mprof.heap.layout import new_gaps, stack_chunks
from mprof.heap.ranking import rank_objects
from mprof.heap.roots import gather_roots
from mprof.hprof import Dump, read_dump, scan
from mprof.hprof.format import INSTANCE, TYPE_INT
from mprof.kernels.pendants import new_entries
from mprof.kernels.rank import Ranks, ranks_of

GENERATIONS = [
    {"version": "1.0.1", "width": 4, "compact_strings": False},
    {"version": "1.0.1", "width": 8},
    {"version": "1.0.2", "width": 8, "segment_bytes": 300},
    {"version": "1.0.2", "width": 8, "roots_first": True},
    {"version": "1.0.2", "width": 8, "far": True},
]
STACK = "jdk.internal.vm.StackChunk"
_FAR_APART = 48 << 30  # bytes: more than a table without regions stands for


def _dump(seed: int, *, far: bool = False, **options: object) -> bytes:
    chance = random.Random(seed)
    builder = Builder(**options)
    builder.class_("java.lang.ref.Reference", fields={"referent": "object", "next": "object"})
    for kind in ("Weak", "Final"):
        builder.class_(f"java.lang.ref.{kind}Reference", above="java.lang.ref.Reference")
    builder.class_("java.lang.ref.Finalizer", above="java.lang.ref.FinalReference")
    builder.class_(STACK, fields={"parent": "object", "size": "int", "sp": "int", "bottom": "int"})
    builder.class_("app.Lost", fields={"next": "object"}, dumped=False)
    builder.class_("app.Node", fields={"next": "object", "n": "int", "b": "byte"})
    builder.class_("app.Leaf", above="app.Node", fields={"data": "object"}, loader=builder.base)
    names = ["app.Node", "app.Leaf", "java.lang.ref.Finalizer", "java.lang.ref.WeakReference"]
    nodes = [builder.instance(chance.choice(names)) for _ in range(chance.randrange(30, 90))]
    if far:
        builder.continue_at(builder.base + _FAR_APART)
        nodes += [builder.instance(chance.choice(names)) for _ in range(chance.randrange(60))]
    for one in nodes:
        target = chance.choice([*nodes, 0])
        try:
            builder.set(one, referent=target)
        except (KeyError, AssertionError, ValueError):
            builder.set(one, next=target)
    for words in (0, 1, 31, 32, 33, 64, 65, 5000):
        nodes.append(builder.instance(STACK, size=words, sp=7))
    held = [chance.choice([*nodes, 0]) for _ in range(chance.randrange(90))]
    array = builder.array("app.Node", held)
    for kind in ("boolean", "char", "double", "byte", "int", "long"):
        for _ in range(3):
            builder.primitives(kind, [0] * chance.choice([0, 1, 2, 5, 63, 64, 65, 200]))
    builder.set_static("app.Node", "HEAD", "object", array)
    builder.thread("main", [FrameSpec("app.Node", "run", "Node.java", 9, [nodes[0]])])
    return builder.build()


@dataclass
class Read:
    """A dump as the passes get it, and the same as the plain twins get it."""

    data: bytes
    dump: Dump
    classes: Classes
    ranks: Ranks
    schema: scan.Schema
    count: int
    objects: list[plain_scan.Object]
    numbers: list[int]
    by_address: dict[int, int]

    @property
    def width(self) -> int:
        return self.dump.identifier_bytes

    @property
    def source(self) -> scan.Source:
        return scan.Source(self.dump.buffer, self.width, self.schema, self.ranks)

    @property
    def stack_words(self) -> list[int | None]:
        """Of each object, the words of its stack, None where it is no stack chunk."""
        stacks = self.classes.by_name.get(STACK, ())[:1]
        offset = next((f.offset for n in stacks for f in self.classes.fields(n) if f.name == "size"
                       and f.kind == TYPE_INT), None)  # fmt: skip
        words: list[int | None] = []
        for one, number in zip(self.objects, self.numbers, strict=True):
            is_chunk = one.tag == INSTANCE and number in stacks and offset is not None
            if is_chunk and offset + 4 <= one.length:
                at = one.position + 9 + 2 * self.width + offset
                words.append(int.from_bytes(self.data[at : at + 4], "big"))
            else:
                words.append(None)
        return words

    def plain_rows(self) -> tuple[dict[int, list[int]], dict[int, int]]:
        starts, offsets = self.schema.starts.tolist(), self.schema.offsets.tolist()
        return plain_scan.fill_rows(
            self.data, self.objects, self.numbers, self.width,
            [offsets[a:b] for a, b in pairwise(starts)], self.schema.ranks.tolist(),
            self.by_address,
        )  # fmt: skip


def _read(path: Path, data: bytes) -> Read | None:
    path.write_bytes(data)
    try:
        dump = read_dump(path)
    except EvidenceError:
        return None
    classes = read_classes(dump)
    ranks, count, _ = rank_objects(dump)
    roots = gather_roots(dump, classes, ranks, count)
    schema = build_schema(dump, classes, ranks, roots.globals)
    objects = [
        one
        for start, end, _ in dump.chunks.tolist()
        for one in plain_scan.read_objects(data, start, end, dump.identifier_bytes)
    ]
    addresses = [one.address for one in objects]
    by_address = dict(
        zip(addresses, ranks_of(ranks, np.array(addresses, np.int64)).tolist(), strict=True)
    )
    known = {one: classes.number_of(one) for one in {o.class_ for o in objects}}
    numbers = plain_scan.classify(objects, known, classes.numbering.primitive.tolist())
    return Read(data, dump, classes, ranks, schema, count, objects, numbers, by_address)


def _damaged(data: bytes, seed: int) -> bytes:
    """Sound for seed 0, else with a few bits flipped or the end cut off."""
    chance = random.Random(seed)
    damaged = bytearray(data)
    for _ in range(seed % 4):
        damaged[chance.randrange(60, len(data))] ^= 1 << chance.randrange(8)
    return bytes(damaged[: len(data) - (chance.randrange(400) if seed % 3 == 2 else 0)])


@pytest.fixture(params=[(g, s) for g in range(len(GENERATIONS)) for s in range(9)], ids=str)
def read(request: pytest.FixtureRequest, tmp_path: Path) -> Read:
    generation, seed = request.param
    found = _read(tmp_path / "one.hprof", _damaged(_dump(seed, **GENERATIONS[generation]), seed))
    if found is None:
        pytest.skip("nothing in it can be read")
    return found


def test_rows_samples_and_referents_are_those_of_the_plain_twins(read: Read) -> None:
    room = read.dump.buffer.size // read.width + 64
    slots, edges = np.full(read.count, -1, np.int32), np.zeros(room, np.int32)
    rows_of_dump = _rows_of(read, slots, edges)
    gaps = new_gaps(len(read.classes.names))
    scratch, pairs = new_scratch(), np.empty((scan.CHUNK_OBJECTS, 2), np.int64)
    offsets = _referent_offsets(read.classes)
    entries = new_entries(read.count)
    at, referents = 1, []
    for start, end, _ in read.dump.chunks.tolist():
        at, found = _passes.fill_chunk(
            read.source, start, end, scratch, read.classes.numbering, rows_of_dump, at, gaps,
            _passes.Finals(offsets, pairs), entries,
        )  # fmt: skip
        referents += pairs[:found].tolist()
    rows, lost = read.plain_rows()
    assert rows == {rank: _row(slots, edges, rank) for rank in range(read.count)}
    times = Counter(target for targets in rows.values() for target in targets)
    words = np.unpackbits(entries.view(np.uint8), bitorder="little").reshape(-1, 2, 64)
    for at_least, bits in enumerate((words[:, 0].ravel(), words[:, 1].ravel()), start=1):
        assert {target for target, count in times.items() if count >= at_least} == set(
            np.flatnonzero(bits).tolist()
        )
    assert lost == dict(rows_of_dump.dangling[: rows_of_dump.notes[scan.LISTED]].tolist())
    assert sum(lost.values()) == rows_of_dump.notes[scan.DANGLING]
    assert at == 1 + sum(map(len, rows.values()))
    assert plain.gather_referents(
        read.data, read.objects, read.numbers, read.width, offsets.tolist(), read.by_address
    ) == [tuple(pair) for pair in referents]

    by_class, by_array = plain.sample_gaps(
        read.objects, read.numbers, _inside(read), samples=_passes.SAMPLES,
        longest=_passes.LONGEST_SAMPLED,
    )  # fmt: skip
    assert by_class == {
        number: gaps.class_gaps[number, :seen].tolist()
        for number, seen in enumerate(gaps.class_seen.tolist())
        if seen
    }
    assert by_array == {
        (kind, length): gaps.array_gaps[kind, length, :seen].tolist()
        for (kind, length), seen in np.ndenumerate(gaps.array_seen)
        if seen
    }


def _rows_of(read: Read, slots: np.ndarray, edges: np.ndarray) -> scan.Rows:
    return scan.Rows(
        slots, edges, np.zeros(scan.NOTES_SIZE, np.int64), np.empty((read.count, 2), np.int64)
    )


def _row(slots: np.ndarray, edges: np.ndarray, vertex: int) -> list[int]:
    at = int(slots[vertex])
    row: list[int] = []
    while at > 0:
        target = int(edges[at])
        row.append(max(target, ~target))
        if target < 0:
            break
        at += 1
    return row


def _inside(read: Read) -> list[int]:
    """The addresses among which distances are taken; single ones far away are not among them."""
    far = set(read.ranks.outliers.tolist())
    return [one.address for one in read.objects if one.address not in far]


def test_positions_classes_and_sizes_are_placed_as_by_the_plain_twin(read: Read) -> None:
    chance = random.Random(len(read.data))
    order = list(range(1, read.count + 1))
    chance.shuffle(order)
    nodes = np.array([node if chance.random() < 0.8 else -1 for node in order], np.int32)
    classes = len(read.classes.names)
    instances = [8 * chance.randrange(2, 9) for _ in range(classes)]
    mirrors = [8 * chance.randrange(12, 40) for _ in range(classes)]
    widths = np.array([0, 0, 4, 0, 1, 2, 4, 8, 1, 2, 4, 8], np.int64)
    bases = np.where(widths == 8, 16, 12)
    model = _passes.Sizes(
        np.array(instances), np.array(mirrors), bases, widths, 8, stack_chunks(read.classes)
    )
    positions, prefix = np.full(read.count + 1, -7, np.int64), np.zeros(read.count + 2, np.int64)
    numbers, left = np.full(read.count + 1, -7, np.int32), np.zeros(2, np.int64)
    scratch = new_scratch()
    before = 0
    for first, last in pairwise((0, positions.size // 3, positions.size)):
        places, found = positions[first:last], prefix[1:][first:last]
        for start, end, _ in read.dump.chunks.tolist():
            _passes.place_chunk(
                read.source, start, end, scratch, read.classes.numbering, model,
                _passes.Placement(nodes, places, found, first, left),
            )  # fmt: skip
        before = _passes.sum_up(found, places, numbers[first:last], before)
    sizes = [
        plain.shallow(
            one,
            number,
            instances=instances,
            mirrors=mirrors,
            header=12,
            reference=4,
            alignment=8,
            stack_words=words,
        )
        for one, number, words in zip(read.objects, read.numbers, read.stack_words, strict=True)
    ]
    expected, without = plain.place_objects(
        read.objects, read.numbers, sizes,
        {address: int(nodes[rank]) for address, rank in read.by_address.items()},
        class_class=read.classes.numbering.class_class, unknown=read.classes.numbering.unknown,
    )  # fmt: skip
    assert plain.sum_up(expected, read.count + 1) == (
        positions.tolist(), numbers.tolist(), prefix.tolist()
    )  # fmt: skip
    assert without == tuple(left.tolist())


@pytest.mark.parametrize(("header", "reference", "alignment"), [(12, 4, 8), (16, 4, 8),
                         (16, 8, 8), (20, 8, 8), (24, 8, 16)])  # fmt: skip
def test_counts_and_bytes_of_arrays_are_those_of_the_plain_twin(
    read: Read, header: int, reference: int, alignment: int
) -> None:
    tally = _tally.new_tally(len(read.classes.names))
    gaps = new_gaps(len(read.classes.names))
    counters = _tally.Counters(
        read.classes.numbering, stack_chunks(read.classes), alignment, tally, read.ranks, gaps
    )
    for start, end, _ in read.dump.chunks.tolist():
        _tally.tally_chunk(read.dump.buffer, start, end, read.width, counters)
    counts, arrays, fields = plain.array_bytes(
        read.objects, read.numbers, unknown=read.classes.numbering.unknown, header=header,
        reference=reference, alignment=alignment,
    )  # fmt: skip
    numbers = read.classes.numbering.primitive
    found = _tally.array_bytes(
        tally, np.where(numbers >= 0, numbers, read.classes.numbering.unknown), header=header,
        reference=reference, alignment=alignment,
    )  # fmt: skip
    for expected, values in ((counts, tally.objects), (arrays, found), (fields, tally.fields)):
        assert {k: v for k, v in expected.items() if v} == {
            k: v for k, v in enumerate(values.tolist()) if v
        }
    assert tally.stacks[int(reference == 8)] == sum(
        plain.stack_bytes(words, reference, alignment)
        for words in read.stack_words
        if words is not None
    )
    by_class, by_array = plain.sample_gaps(
        read.objects, read.numbers, _inside(read), samples=_passes.SAMPLES,
        longest=_passes.LONGEST_SAMPLED,
    )  # fmt: skip
    assert {k: len(v) for k, v in by_class.items()} == {
        k: v for k, v in enumerate(gaps.class_seen.tolist()) if v
    }
    assert sum(map(sum, by_array.values())) == gaps.array_gaps.sum()


def test_references_turned_round_are_those_of_the_plain_twin(read: Read) -> None:
    rows, _ = read.plain_rows()
    first: dict[int, tuple[plain_scan.Object, int]] = {}
    for one, number in zip(read.objects, read.numbers, strict=True):
        first.setdefault(read.by_address[one.address], (one, number))
    positions = np.array([first[rank][0].position for rank in range(read.count)], np.int64)
    numbers = np.array([first[rank][1] for rank in range(read.count)], np.int32)
    arguments = (
        read.source, _passes.Nodes(np.arange(read.count, dtype=np.int32), positions, numbers),
        np.empty(read.dump.buffer.size, np.int32), np.zeros(scan.NOTES_SIZE, np.int64),
    )  # fmt: skip
    counts = np.zeros(read.count + 1, np.int64)
    _incoming.rows_of(*arguments, counts, np.empty(0, np.int32), False)
    starts = np.cumsum(counts)
    sources = np.empty(int(starts[-1]), np.int32)
    _incoming.rows_of(*arguments, starts[:-1].copy(), sources, True)
    assert plain.rows_of(rows) == {
        target: sources[a:b].tolist()
        for target, (a, b) in enumerate(pairwise(starts.tolist()))
        if b > a
    }


@pytest.mark.parametrize("slot_type", [np.int32, np.int64])
@pytest.mark.parametrize("seed", range(10))
def test_rows_take_further_targets_and_mark_theirs_as_by_the_plain_twins(
    seed: int, slot_type: type
) -> None:
    chance = random.Random(seed)
    rows = {v: [chance.randrange(12) for _ in range(chance.randrange(4))] for v in range(12)}
    slots, flat = np.zeros(12, slot_type), [0]
    for vertex, targets in rows.items():
        if targets:
            slots[vertex] = len(flat)
            flat += [*targets[:-1], ~targets[-1]]
    edges = np.array([*flat, *[0] * 20], np.int32)
    marks = np.zeros(12, np.uint8)
    _passes.mark_referenced(slots, edges, 12, marks)
    assert plain.mark_referenced(rows) == set(np.flatnonzero(marks).tolist())
    more = np.array([chance.randrange(12) for _ in range(chance.randrange(4))], np.int64)
    source = chance.randrange(12)
    expected = plain.append_row(rows, source, more.tolist())
    end = _passes.append_row(slots, edges, source, more, len(flat))
    assert expected == _row(slots, edges, source)
    assert len(flat) + len(expected) == end


@pytest.mark.parametrize("slot_type", [np.int32, np.int64])
@pytest.mark.parametrize("seed", range(10))
def test_edges_to_what_is_reached_are_redirected_as_by_the_plain_twin(
    seed: int, slot_type: type
) -> None:
    chance = random.Random(seed)
    rows = {v: [chance.randrange(12) for _ in range(chance.randrange(5))] for v in range(12)}
    reached = {v for v in range(12) if chance.random() < 0.4}
    slots, flat = np.zeros(12, slot_type), [0]
    for vertex, targets in rows.items():
        if targets:
            slots[vertex] = len(flat)
            flat += [*targets[:-1], ~targets[-1]]
    own = slots.copy()
    slots[list(reached)] = -1 - np.arange(len(reached))  # as the search numbers them
    edges = np.array(flat, np.int32)

    _passes.cut_off(slots, edges, 12)

    assert plain.cut_off(rows, reached) == {v: _row(own, edges, v) for v in range(12)}


@pytest.mark.parametrize("slot_type", [np.int32, np.int64])
@pytest.mark.parametrize("seed", range(30))
def test_the_last_begins_of_a_search_lie_on_the_cycles_that_nothing_reaches(
    seed: int, slot_type: type
) -> None:
    chance = random.Random(seed)
    rows = {v: [chance.randrange(14) for _ in range(chance.randrange(3))] for v in range(14)}
    slots, flat = np.zeros(14, slot_type), [0]
    for vertex, targets in rows.items():
        if targets:
            slots[vertex] = len(flat)
            flat += [*targets[:-1], ~targets[-1]]
    order = np.array(chance.sample(range(14), 14), np.int64)
    begins = np.empty(14, np.int64)
    graph = nx.DiGraph({v: set(targets) for v, targets in rows.items()})
    graph.add_nodes_from(range(14))

    count = _passes.first_search(
        slots, np.array(flat, np.int32), order, np.zeros(14, np.uint8), np.empty(14, np.int64),
        begins,
    )  # fmt: skip

    tops: list[int] = []
    reached: set[int] = set()
    for begin in begins[:count][::-1].tolist():
        if begin not in reached:
            tops.append(begin)
            reached |= {begin, *nx.descendants(graph, begin)}
    whole = nx.condensation(graph)
    sources = [whole.nodes[each]["members"] for each in whole if whole.in_degree(each) == 0]
    assert reached == set(range(14))
    assert sorted(map(min, sources)) == sorted(
        min(members) for top in tops for members in sources if top in members
    )
    assert len(tops) == len(sources)


@pytest.mark.parametrize("slot_type", [np.int32, np.int64])
def test_nodes_are_numbered_as_by_the_plain_twin_on_several_cores(slot_type: type) -> None:
    count = 300_000
    chance = np.random.default_rng(7)
    numbers = np.where(chance.random(count) < 0.7, chance.permutation(count), -1)
    places = chance.permutation(count).astype(np.int32)
    slots = np.where(numbers >= 0, ~numbers, chance.integers(0, 9, count)).astype(slot_type)
    expected = plain.number_nodes(numbers.tolist(), places.tolist())
    assert expected == _passes.number_nodes(slots, places).tolist()


def test_rows_beyond_32_bits_are_those_at_the_beginning(tmp_path: Path) -> None:
    read = _read(tmp_path / "one.hprof", _dump(1))
    assert read is not None
    far = (1 << 31) + 1000
    path = tmp_path / "edges"
    with path.open("wb") as file:
        file.truncate(4 * (far + 100_000))  # a hole: costs no disk
    edges = np.memmap(path, np.int32, mode="r+")
    slots = np.full(read.count, -1, np.int64)
    far_rows = _rows_of(read, slots, edges)
    scratch, pairs = new_scratch(), np.empty((scan.CHUNK_OBJECTS, 2), np.int64)
    at = far
    for start, end, _ in read.dump.chunks.tolist():
        at, _ = _passes.fill_chunk(
            read.source, start, end, scratch, read.classes.numbering, far_rows, at,
            new_gaps(len(read.classes.names)),
            _passes.Finals(_referent_offsets(read.classes), pairs), new_entries(read.count),
        )  # fmt: skip
    rows, _ = read.plain_rows()
    assert slots.max() > np.iinfo(np.int32).max
    assert rows == {rank: _row(slots, edges, rank) for rank in range(read.count)}
