"""Sequence files, read back as ``SequenceFile.Reader`` and ``WritableUtils.readVInt`` read them."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest

from mprof.catalogue.sequence_file import text_bytes, write_sequence_file


def read_text(data: io.BytesIO) -> str:
    (first,) = struct.unpack(">b", data.read(1))
    length = first
    if first < -112:
        length = int.from_bytes(data.read(-112 - first), "big")
    return data.read(length).decode()


def read_records(file: Path) -> tuple[tuple[str, str], list[tuple[bytes, bytes]], int]:
    """Classes, records, and the longest way from one sync marker to the next."""
    data = io.BytesIO(file.read_bytes())
    assert data.read(4) == b"SEQ\x06"
    classes = (read_text(data), read_text(data))
    assert data.read(2) == b"\0\0"  # neither records nor blocks are compressed
    assert struct.unpack(">i", data.read(4)) == (0,)  # no metadata
    sync, marked = data.read(16), data.tell()
    records, longest = [], 0
    while head := data.read(4):
        (length,) = struct.unpack(">i", head)
        if length == -1:
            assert data.read(16) == sync
            longest, marked = max(longest, data.tell() - marked), data.tell()
            continue
        (key_length,) = struct.unpack(">i", data.read(4))
        records.append((data.read(key_length), data.read(length - key_length)))
    return classes, records, longest


def test_records_are_read_back_and_a_split_finds_its_first_one(tmp_path: Path) -> None:
    records = [(struct.pack(">i", n), b"v" * (n % 90)) for n in range(2_000)]
    write_sequence_file(tmp_path / "part", iter(records), key_class="a.Key", value_class="b.Value")

    classes, found, longest = read_records(tmp_path / "part")

    assert classes == ("a.Key", "b.Value")
    assert found == records
    assert longest < 2_200


def test_no_record_is_a_file_too(tmp_path: Path) -> None:
    write_sequence_file(tmp_path / "part", [], key_class="a.Key", value_class="b.Value")

    assert read_records(tmp_path / "part")[1] == []


@pytest.mark.parametrize("length", [0, 1, 127, 128, 255, 256, 70_000])
def test_a_text_of_any_length_is_read_back(length: int) -> None:
    text = "é" + "x" * max(length - 2, 0) if length > 1 else "x" * length

    assert len(text.encode()) == length
    assert read_text(io.BytesIO(text_bytes(text))) == text
