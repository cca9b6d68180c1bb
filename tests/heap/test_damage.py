"""Damaged dumps: what can be read is analysed, the loss is stated, nothing crashes or hangs."""

from __future__ import annotations

import random
import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from builders.hprof_builder import Builder, FrameSpec

from mprof.errors import EvidenceError
from mprof.heap import Heap, open_heap, summarise

GENERATIONS = [
    {"version": "1.0.1", "width": 4, "compact_strings": False},
    {"version": "1.0.1", "width": 8},
    {"version": "1.0.2", "width": 8, "segment_bytes": 250},
    {"version": "1.0.2", "width": 8, "roots_first": True},
]


def _small(**options: object) -> Builder:
    builder = Builder(**options)
    builder.class_("app.Node", fields={"next": "object", "n": "int"})
    nodes = [builder.instance("app.Node", n=n) for n in range(8)]
    for one, following in pairwise(nodes):
        builder.set(one, next=following)
    held = builder.array("app.Node", nodes[:4])
    payload = builder.primitives("long", list(range(20)))
    builder.set_static("app.Node", "HEAD", "object", held)
    builder.thread("main", [FrameSpec("app.Node", "run", "Node.java", 9, [nodes[0], payload])])
    return builder


def _boundaries(data: bytes) -> list[int]:
    """Where every record and sub-record of a sound dump ends."""
    width = struct.unpack_from(">I", data, data.index(b"\0") + 1)[0]
    at = data.index(b"\0") + 13
    found = [at]
    primitive = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
    while at < len(data):
        tag, _, length = struct.unpack_from(">BII", data, at)
        end = at + 9 + length
        inner = at + 9
        while tag in (0x0C, 0x1C) and inner < end:
            kind = data[inner]
            if kind == 0x20:
                inner += 9 + 7 * width + 2
                (statics,) = struct.unpack_from(">H", data, inner)
                inner += 2
                for _ in range(statics):
                    inner += width + 1 + primitive.get(data[inner + width], width)
                (fields,) = struct.unpack_from(">H", data, inner)
                inner += 2 + fields * (width + 1)
            elif kind == 0x21:
                inner += 9 + 2 * width + struct.unpack_from(">I", data, inner + 5 + 2 * width)[0]
            elif kind == 0x22:
                count = struct.unpack_from(">I", data, inner + 5 + width)[0]
                inner += 9 + 2 * width + count * width
            elif kind == 0x23:
                count, element = struct.unpack_from(">IB", data, inner + 5 + width)
                inner += 10 + width + count * primitive[element]
            else:
                inner += 1 + {0x05: width, 0x01: 2 * width}.get(kind, width + 8)
            found.append(inner)
        at = end
        found.append(at)
    return found


def _analyse(path: Path, data: bytes) -> Heap | None:
    """The heap, all of it asked for, or None if the file is refused with one clear error."""
    path.write_bytes(data)
    try:
        heap = open_heap(path)
    except EvidenceError:
        return None
    summarise(heap).to_json()
    for node in range(heap.nodes):
        heap.references(node)
        heap.container(node)
        heap.string(node)
    _walk(open_heap(path, references=True))
    return heap


def _walk(heap: Heap) -> None:
    """Each row of references ends, and leads to nodes only."""
    starts, targets = heap.outgoing
    for start in starts.tolist():
        row = targets[start:] if start else targets[:0]
        length = int(np.argmax(row < 0)) + 1 if start else 0
        assert start == 0 or row[length - 1] < 0
        assert all(0 < (each if each >= 0 else ~each) < heap.nodes for each in row[:length])


@pytest.mark.parametrize("options", GENERATIONS, ids=str)
def test_a_dump_cut_around_any_record_boundary_states_its_loss(
    tmp_path: Path, options: dict[str, object]
) -> None:
    data = _small(**options).build()
    path = tmp_path / "cut.hprof"
    whole = _analyse(path, data)
    assert whole is not None
    assert () == whole.losses
    cuts = {end + shift for end in _boundaries(data) for shift in (-1, 0, 1)} | {1, 12, 20}
    for cut in sorted(cut for cut in cuts if 0 < cut < len(data)):
        heap = _analyse(path, data[:cut])
        assert heap is None or heap.losses, cut
        assert heap is None or heap.objects <= whole.objects + whole.unreachable.objects


@pytest.mark.parametrize("options", GENERATIONS, ids=str)
def test_flipped_bits_never_crash_the_analysis(tmp_path: Path, options: dict[str, object]) -> None:
    chance = random.Random(20)
    data = _small(**options).build()
    for _ in range(120):
        damaged = bytearray(data)
        for _ in range(chance.choice([1, 1, 2, 8])):
            damaged[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        _analyse(tmp_path / "flipped.hprof", bytes(damaged))


def test_random_bytes_after_a_header_never_crash_the_analysis(tmp_path: Path) -> None:
    chance = random.Random(4)
    for size in (1, 9, 100, 5000):
        junk = b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 0) + chance.randbytes(size)
        heap = _analyse(tmp_path / "junk.hprof", junk)
        assert heap is None or heap.losses


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a dump", b"JAVA PROFILE 1.0.2\0\0\0"])
def test_what_is_no_dump_is_refused_with_one_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.hprof"
    path.write_bytes(content)
    with pytest.raises(EvidenceError) as raised:
        open_heap(path)
    assert str(path) in str(raised.value)


def test_a_dump_cut_before_its_roots_still_says_what_filled_the_heap(tmp_path: Path) -> None:
    builder = Builder()
    builder.class_("app.Cache", fields={})
    kept = builder.primitives("long", [0] * 1000)
    lost = builder.primitives("long", [0] * 2000)
    holder = builder.array("java.lang.Object", [lost])
    builder.set_static("app.Cache", "KEPT", "object", kept)
    thread = builder.thread("main", [FrameSpec("app.Cache", "fill", "Cache.java", 1, [holder])])
    data = builder.build()
    path = tmp_path / "cut.hprof"
    path.write_bytes(data[: data.index(b"\x08" + thread.to_bytes(8, "big"))])
    heap = open_heap(path)
    assert () == heap.threads
    assert any("roots are missing" in loss for loss in heap.losses)
    top = [heap.address(node) for node in heap.dominator_roots()[:2].tolist()]
    assert [holder, builder.class_identifier("app.Cache")] == top
    node = heap.node_at(lost)
    assert node is not None
    assert ["unreferenced", "[0]"] == [step.via for step in heap.path_from_root(node)]


def test_a_segment_whose_length_is_wrong_is_read_by_its_records(tmp_path: Path) -> None:
    data = bytearray(_small(segment_bytes=400).build())
    segments = [end for end in _boundaries(bytes(data)) if data[end : end + 1] == b"\x1c"]
    path = tmp_path / "length.hprof"
    whole = _analyse(path, bytes(data))
    assert whole is not None
    for delta in (-60, 7, 1 << 20):
        damaged = bytearray(data)
        at = segments[1] + 5
        (length,) = struct.unpack_from(">I", damaged, at)
        struct.pack_into(">I", damaged, at, length + delta)
        heap = _analyse(path, bytes(damaged))
        assert heap is not None
        assert heap.losses
        assert whole.objects == heap.objects, delta


def test_a_single_segment_whose_length_was_never_written_is_read_to_its_end(
    tmp_path: Path,
) -> None:
    data = bytearray(_small(version="1.0.1").build())
    at = next(end for end in _boundaries(bytes(data)) if data[end] == 0x0C)
    path = tmp_path / "zero.hprof"
    whole = _analyse(path, bytes(data))
    struct.pack_into(">I", data, at + 5, 0)
    heap = _analyse(path, bytes(data))
    assert whole is not None
    assert heap is not None
    assert whole.objects == heap.objects
    assert heap.losses


def test_damage_in_the_middle_of_a_segment_costs_only_what_it_touches(tmp_path: Path) -> None:
    builder = Builder(segment_bytes=1 << 16)
    builder.class_("app.Node", fields={"next": "object", "n": "int"})
    nodes = [builder.instance("app.Node", n=n) for n in range(400)]
    builder.root(0x01, builder.array("app.Node", nodes))
    data = bytearray(builder.build())
    at = data.index(b"\x21" + nodes[200].to_bytes(8, "big"))
    data[at : at + 60] = b"\xee" * 60
    heap = _analyse(tmp_path / "middle.hprof", bytes(data))
    assert heap is not None
    assert any("skipped" in loss for loss in heap.losses)
    assert 395 <= len(heap.instances("app.Node")) <= 399
