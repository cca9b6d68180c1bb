"""A walk over pieces of a dump, on several threads, finds what one walk in order finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from builders.hprof_builder import Builder, FrameSpec

from mprof.hprof import walk

HEADER_BYTES = len("JAVA PROFILE 1.0.2") + 1 + 12


def _dump(*, roots_first: bool = False) -> bytearray:
    builder = Builder(segment_bytes=300, roots_first=roots_first)
    builder.class_("app.Node", fields={"next": "object", "n": "int"})
    nodes = [builder.instance("app.Node", n=n) for n in range(200)]
    held = builder.array("app.Node", nodes)
    builder.set_static("app.Node", "HEAD", "object", held)
    builder.thread("main", [FrameSpec("app.Node", "run", "Node.java", 9, [nodes[0]])])
    return bytearray(builder.build())


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "_SMALLEST_PIECE", 512)
    monkeypatch.setattr("os.sched_getaffinity", lambda _process: {0, 1, 2})


def _same(one: object, other: object) -> bool:
    (tables, state), (others, other_state) = one, other  # type: ignore[misc]
    return all(np.array_equal(a, b) for a, b in zip(tables, others, strict=True)) and bool(
        (state == other_state).all()
    )


@pytest.mark.parametrize("roots_first", [False, True])
def test_pieces_give_the_tables_and_the_state_of_one_walk_in_order(roots_first: bool) -> None:
    buffer = np.frombuffer(bytes(_dump(roots_first=roots_first)), np.uint8)
    pieces = walk._walk_pieces(buffer, 8, HEADER_BYTES)
    assert pieces is not None
    assert _same(walk._walk(buffer, 8, HEADER_BYTES), pieces)


@pytest.mark.parametrize("cut", range(1, 700, 7))
def test_a_cut_dump_is_walked_in_order(cut: int) -> None:
    buffer = np.frombuffer(bytes(_dump()[:-cut]), np.uint8)
    assert _same(walk._walk(buffer, 8, HEADER_BYTES), walk.walk_records(buffer, 8, HEADER_BYTES))


@pytest.mark.parametrize("at", range(40, 2000, 41))
def test_a_dump_with_senseless_bytes_is_walked_as_in_order(at: int) -> None:
    data = _dump()
    data[-at : -at + 12] = b"\xee" * 12
    buffer = np.frombuffer(bytes(data), np.uint8)
    assert _same(walk._walk(buffer, 8, HEADER_BYTES), walk.walk_records(buffer, 8, HEADER_BYTES))


def test_a_mapped_file_is_walked_in_pieces_too(tmp_path: Path) -> None:
    path = tmp_path / "one.hprof"
    path.write_bytes(_dump())
    buffer = np.memmap(path, np.uint8, mode="r")
    assert walk._walk_pieces(buffer, 8, HEADER_BYTES) is not None
