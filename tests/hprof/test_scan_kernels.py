"""The scan of records against its plain twin: sound, cut, flipped and random bytes."""

from __future__ import annotations

import random
import struct
from itertools import pairwise

import numpy as np
import pytest
from builders.hprof_builder import Builder, FrameSpec
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles import scan as plain

from mprof.hprof import scan, walk
from mprof.kernels.lookup import build_lookup

GENERATIONS = [
    {"version": "1.0.1", "width": 4, "compact_strings": False},
    {"version": "1.0.1", "width": 8},
    {"version": "1.0.2", "width": 8, "segment_bytes": 250},
    {"version": "1.0.2", "width": 8, "roots_first": True},
]


def _dump(seed: int = 0, **options: object) -> tuple[bytes, int, int]:
    """Bytes, width of an identifier, and where the first record begins."""
    chance = random.Random(seed)
    builder = Builder(**options)
    builder.class_("app.Node", fields={"next": "object", "n": "int", "b": "byte"})
    builder.class_("app.Leaf", above="app.Node", fields={"data": "object", "d": "double"})
    nodes = [
        builder.instance(chance.choice(["app.Node", "app.Leaf"]), n=n)
        for n in range(chance.randrange(12, 60))
    ]
    for one, following in pairwise(nodes):
        builder.set(one, next=following)
    some = [chance.choice([*nodes, 0]) for _ in range(4)]
    held = builder.array("app.Node", [0, *nodes[:3], nodes[2], nodes[2], *some])
    for kind in ("boolean", "char", "float", "double", "byte", "short", "int", "long"):
        builder.primitives(kind, [0, 1, 1][: chance.randrange(4)])
    builder.string("text")
    builder.set_static("app.Node", "HEAD", "object", held)
    builder.set_static("app.Node", "COUNT", "long", 7)
    builder.thread("main", [FrameSpec("app.Node", "run", "Node.java", 9, [nodes[0]])])
    data = builder.build()
    return data, builder.width, data.index(b"\0") + 13


def _assert_same_walk(data: bytes, width: int, start: int) -> None:
    expected = plain.walk(data, width, start)
    tables, state = walk._walk(np.frombuffer(data, np.uint8), width, start)
    names = scan.Tables._fields
    for name, rows, table in zip(names, expected.tables(), tables, strict=True):
        assert rows == [tuple(row) for row in table.tolist()], name
    known = expected.addresses
    assert len(known) == state[scan.TOTAL]
    assert expected.is_open == bool(state[scan.OPEN])
    assert (expected.last_object, expected.first_root, expected.ended, expected.segments) == (
        state[scan.LAST_OBJECT], state[scan.FIRST_ROOT], state[scan.ENDED], state[scan.SEGMENTS],
    )  # fmt: skip
    if known:
        bits = 0
        for one in known:
            bits |= one ^ known[0]
        assert (min(known), max(known), bits) == (
            state[scan.LOW], state[scan.HIGH], state[scan.BITS])  # fmt: skip
        assert sum(b < a for a, b in pairwise(known)) == state[scan.DESCENTS]


@pytest.mark.parametrize("options", GENERATIONS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_a_sound_dump_is_walked_as_by_the_plain_twin(seed: int, options: dict[str, object]) -> None:
    data, width, start = _dump(seed, **options)
    assert [] == plain.walk(data, width, start).faults
    _assert_same_walk(data, width, start)


@pytest.mark.parametrize("options", GENERATIONS, ids=str)
def test_a_dump_cut_anywhere_is_walked_as_by_the_plain_twin(options: dict[str, object]) -> None:
    data, width, start = _dump(1, **options)
    for cut in range(start, len(data), 5):
        _assert_same_walk(data[:cut], width, start)


@given(
    st.sampled_from(range(len(GENERATIONS))),
    st.integers(0, 3),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 7)), max_size=6),
    st.floats(0.2, 1),
)
@settings(max_examples=150, deadline=None)
def test_flipped_bits_are_recovered_from_as_by_the_plain_twin(
    generation: int, seed: int, flips: list[tuple[float, int]], share: float
) -> None:
    data, width, start = _dump(seed, **GENERATIONS[generation])
    damaged = bytearray(data)
    for place, bit in flips:
        damaged[start + int(place * (len(data) - start))] ^= 1 << bit
    _assert_same_walk(bytes(damaged[: int(share * len(data))]), width, start)


@given(st.binary(max_size=400), st.integers(0, 2), st.floats(0, 1, exclude_max=True))
@example(junk=b"\x80", seed=0, place=0.2583571121784267)  # the first address is beyond 2^63
@settings(max_examples=100, deadline=None)
def test_random_bytes_inside_a_dump_are_skipped_as_by_the_plain_twin(
    junk: bytes, seed: int, place: float
) -> None:
    data, width, start = _dump(seed, segment_bytes=400)
    at = start + int(place * (len(data) - start))
    _assert_same_walk(data[:at] + junk + data[at + len(junk) // 2 :], width, start)


@given(st.integers(0, 3), st.integers(1, 900), st.integers(0, 60), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_cuts_between_records_are_those_of_the_plain_twin(
    seed: int, step: int, lost: int, generation: int
) -> None:
    data, _, start = _dump(seed, **GENERATIONS[generation])
    data = data[: len(data) - lost] if lost < 50 else data
    cuts = np.zeros(5, np.int64)
    count = scan.find_cuts(np.frombuffer(data, np.uint8), start, step, cuts)
    assert plain.find_cuts(data, start, step, 5) == (None if count < 0 else cuts[:count].tolist())


def _columns(rows: int) -> scan.Columns:
    return scan.Columns(np.zeros(rows, np.uint8), *np.zeros((4, rows), np.int64))


@pytest.mark.parametrize("options", GENERATIONS, ids=str)
def test_objects_and_their_classes_are_those_of_the_plain_twin(options: dict[str, object]) -> None:
    data, width, start = _dump(2, **options)
    buffer = np.frombuffer(data, np.uint8)
    walked = plain.walk(data, width, start)
    identifiers = [row[1] for row in walked.loads][::2]  # half of the classes are not known
    lookup = build_lookup(np.array(identifiers, np.int64))
    primitive = np.full(256, -1, np.int32)
    primitive[4:12] = range(100, 108)
    for begin, end, count in walked.chunks:
        expected = plain.read_objects(data, begin, end, width)
        columns = _columns(count)
        assert len(expected) == count == scan.read_objects(buffer, begin, end, width, columns)
        assert [tuple(one) for one in expected] == list(
            zip(*(column.tolist() for column in columns), strict=True)
        )
        numbers = np.zeros(count, np.int32)
        scan.classify(columns, count, scan.ClassNumbers(lookup, primitive, -1, -1), numbers)
        known = {one: number for number, one in enumerate(identifiers)}
        assert plain.classify(expected, known, primitive.tolist()) == numbers.tolist()


def test_more_objects_than_there_is_room_for_are_left_out() -> None:
    data, width, start = _dump(2)
    begin, end, count = plain.walk(data, width, start).chunks[0]
    columns = _columns(5)
    assert count > 5 == scan.read_objects(np.frombuffer(data, np.uint8), begin, end, width, columns)


@pytest.mark.parametrize("options", GENERATIONS, ids=str)
def test_class_dumps_are_parsed_as_by_the_plain_twin(options: dict[str, object]) -> None:
    data, width, start = _dump(1, **options)
    _assert_same_classes(data, [row[0] for row in plain.walk(data, width, start).classes], width)


@pytest.mark.parametrize("width", [4, 8])
def test_constant_pools_are_passed_over(width: int) -> None:
    # HotSpot writes none; other writers may: { 1: int, 2: object, 3: long }, one static, one field
    one = "Q" if width == 8 else "I"
    record = b"\x20" + struct.pack(f">{one}I6{one}I", 9, 1, 8, 7, 0, 0, 0, 0, 24)
    record += struct.pack(f">H HBI HB{one} HBQ", 3, 1, 10, 5, 2, 2, 77, 3, 11, 6)
    record += struct.pack(f">H {one}BI", 1, 55, 10, 3) + struct.pack(f">H {one}B", 1, 66, 4)
    data = b"...." + record
    assert len(record) == plain.record_bytes(data, 4, len(data), width)
    _assert_same_classes(data, [4], width)
    ((head, fields, statics),) = plain.parse_classes(data, [4], width)
    assert ((9, 8, 7, 24), [(66, 4)]) == (head, fields)
    assert (55, 10) == statics[0][:2]


def _assert_same_classes(data: bytes, positions: list[int], width: int) -> None:
    expected = plain.parse_classes(data, positions, width)
    heads = np.zeros((len(positions), scan.HEAD_COLUMNS), np.int64)
    room = sum(len(part) for _, *parts in expected for part in parts)
    fields, statics = np.zeros((room, 2), np.int64), np.zeros((room, 3), np.int64)
    counts = scan.parse_classes(
        np.frombuffer(data, np.uint8), np.array(positions, np.int64), width, heads, fields, statics
    )
    assert counts == (
        sum(len(one) for _, one, _ in expected), sum(len(one) for _, _, one in expected)
    )  # fmt: skip
    bounds = [*heads[:, 4:].tolist(), list(counts)]
    for row, (head, own, constants) in enumerate(expected):
        assert head == tuple(heads[row, :4].tolist())
        (first, static), (end, static_end) = bounds[row], bounds[row + 1]
        assert own == [tuple(one) for one in fields[first:end].tolist()]
        assert constants == [tuple(one) for one in statics[static:static_end].tolist()]
    again = scan.parse_classes(  # without room it still says how much it needs
        np.frombuffer(data, np.uint8), np.array(positions, np.int64), width, heads,
        np.zeros((0, 2), np.int64), np.zeros((0, 3), np.int64),
    )  # fmt: skip
    assert counts == again
