"""Packed dumps: no more is unpacked than a dump can need and the disk has room for."""

from __future__ import annotations

import gzip
import os
import tempfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from builders.hprof_builder import Builder, gzip_like_hotspot

from mprof.errors import EvidenceError
from mprof.hprof import unpacked
from mprof.hprof.source import open_source

MIB = 1 << 20


def _dump() -> bytes:
    heap = Builder()
    heap.root(0x01, heap.array("java.lang.Object", [heap.string(f"a text {n}") for n in range(99)]))
    return heap.build()


@cache
def _zeros() -> bytes:
    """A member of 512 MB of zeros."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return b"".join(packer.compress(bytes(16 * MIB)) for _ in range(32)) + packer.flush()


@pytest.mark.parametrize("head", [b"", _dump(), _dump()[:-20], b"not a dump"])
def test_a_bomb_is_unpacked_as_far_as_damage_can_reach_and_no_further(
    head: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "bomb.hprof.gz"
    path.write_bytes(gzip.compress(head) + _zeros())

    source = open_source(path)

    assert source.content.size < 300 * MIB
    assert source.content[: len(head)].tobytes() == head
    (loss,) = source.losses
    assert "of the dump on it holds no records" in loss


def test_a_bomb_of_many_members_ends_too(tmp_path: Path) -> None:
    path = tmp_path / "bomb.hprof.gz"
    block = 8 * MIB
    path.write_bytes(gzip_like_hotspot(_dump() + bytes(400 * MIB), block=block))

    source = open_source(path)

    assert source.content.size < 300 * MIB
    assert len(source.losses) == 1


def test_a_dump_of_empty_arrays_that_packs_as_a_bomb_does_is_unpacked_whole(
    tmp_path: Path,
) -> None:
    heap = Builder(segment_bytes=64 * MIB)
    arrays = [heap._primitive("byte", 100 * MIB, bytes(100 * MIB)) for _ in range(3)]
    heap.root(0x01, heap.array("java.lang.Object", arrays))
    whole = heap.build()
    path = tmp_path / "empty.hprof.gz"
    path.write_bytes(gzip.compress(whole, 1))
    assert path.stat().st_size < len(whole) // 150

    source = open_source(path)

    assert (source.content.size, source.losses) == (len(whole), ())


@pytest.mark.parametrize("pack", [gzip.compress, gzip_like_hotspot])
def test_a_disk_that_takes_a_part_at_a_time_loses_nothing(
    pack: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _dump()
    path = tmp_path / "a.hprof.gz"
    path.write_bytes(pack(whole))
    write = os.write
    monkeypatch.setattr(os, "write", lambda to, data: write(to, bytes(data)[:7]))

    assert open_source(path).content.tobytes() == whole


def test_a_full_disk_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.hprof.gz"
    path.write_bytes(gzip.compress(_dump()))

    def full(_to: int, _data: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    message = r"a\.hprof\.gz cannot be unpacked into .*: No space"
    with pytest.raises(EvidenceError, match=message) as at:
        open_source(path)
    assert at.value.next_step.startswith("set TMPDIR to a folder with room")


def test_the_last_room_of_a_disk_is_left_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.hprof.gz"
    path.write_bytes(gzip.compress(_dump()))
    blocks = (4096, 4096, 10**9, 10**3, 10**3, 1, 1, 1, 0, 255)  # 4 MB are free
    monkeypatch.setattr(os, "fstatvfs", lambda _file: os.statvfs_result(blocks))

    with pytest.raises(EvidenceError, match="there is too little room"):
        open_source(path)


def test_no_temporary_folder_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.hprof.gz"
    path.write_bytes(gzip.compress(_dump()))

    def none(**_options: object) -> object:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "TemporaryFile", none)
    with pytest.raises(EvidenceError, match="No usable temporary directory"):
        open_source(path)


def test_records_are_followed_however_the_bytes_come(tmp_path: Path) -> None:
    whole = _dump()
    for size in (1, 3, 11, 64, 1000):
        with unpacked.Unpacked(tmp_path / "x") as target:
            for at in range(0, len(whole), size):
                assert target.write(whole[at : at + size])
            assert target._next_record == len(whole), size
