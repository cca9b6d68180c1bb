"""Writes input in Hadoop's SequenceFile format: version 6, records not compressed.

The layout is that of ``org.apache.hadoop.io.SequenceFile``: a header, then records, with a sync
marker at least every 2,000 bytes, so that a file can be split.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable
from pathlib import Path

__all__ = ["text_bytes", "write_sequence_file"]

_VERSION = 6
_SYNC_ESCAPE = struct.pack(">i", -1)
_SYNC_INTERVAL = 2_000  # SequenceFile.SYNC_INTERVAL of Hadoop 2: 100 * (4 + 16)
_ONE_BYTE = 127  # the largest length that WritableUtils.writeVInt writes in one byte


def write_sequence_file(
    file: Path, records: Iterable[tuple[bytes, bytes]], *, key_class: str, value_class: str
) -> None:
    """Write records, each a serialised key and a serialised value.

    Args:
        file: the file to write.
        records: keys and values as their ``Writable.write`` leaves them.
        key_class: Java class of the keys.
        value_class: Java class of the values.
    """
    # Hadoop draws it at random; here the same file must get the same bytes.
    sync = hashlib.md5(file.name.encode(), usedforsecurity=False).digest()
    header = b"SEQ" + bytes([_VERSION]) + text_bytes(key_class) + text_bytes(value_class)
    not_compressed, no_metadata = b"\x00\x00", struct.pack(">i", 0)
    with file.open("wb") as out:
        out.write(header + not_compressed + no_metadata + sync)
        since_sync = 0
        for key, value in records:
            if since_sync >= _SYNC_INTERVAL:
                out.write(_SYNC_ESCAPE + sync)
                since_sync = 0
            record = struct.pack(">ii", len(key) + len(value), len(key)) + key + value
            out.write(record)
            since_sync += len(record)


def text_bytes(text: str) -> bytes:
    """A string as ``org.apache.hadoop.io.Text`` writes it: its length as a VInt, then UTF-8."""
    data = text.encode()
    if len(data) <= _ONE_BYTE:
        return bytes([len(data)]) + data
    length = len(data).to_bytes((len(data).bit_length() + 7) // 8, "big")
    # WritableUtils.writeVLong: -113 .. -120 stand for one to eight bytes of a positive number.
    return struct.pack(">b", -112 - len(length)) + length + data
