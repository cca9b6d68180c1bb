"""Packed files: all that comes before the damage is read, however small the pieces."""

from __future__ import annotations

import gzip
import io

import pytest

from mprof.io.gzip import unpacked

CONTENT = b"".join(b"line %d of a log %d\n" % (i, i * 7919 % 1000) for i in range(4_000))
PACKED = gzip.compress(CONTENT)


def read(packed: bytes, piece_bytes: int = 1 << 20) -> tuple[bytes, list[str]]:
    lost: list[str] = []
    pieces = list(unpacked(io.BytesIO(packed), lost.append, piece_bytes=piece_bytes))
    assert all(0 < len(piece) for piece in pieces)
    return b"".join(pieces), lost


@pytest.mark.parametrize("piece_bytes", [1 << 20, 777, 64])
def test_members_and_their_padding_are_one_content(piece_bytes: int) -> None:
    two = PACKED + b"\0" * 11 + gzip.compress(b"more") + b"\0" * 5

    assert read(two, piece_bytes) == (CONTENT + b"more", [])


@pytest.mark.parametrize("piece_bytes", [1 << 20, 4096, 100])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.99])
def test_of_a_file_that_is_cut_off_all_that_is_there_is_read(
    share: float, piece_bytes: int
) -> None:
    cut = PACKED[: int(len(PACKED) * share)]
    found, lost = read(cut, piece_bytes)

    with gzip.GzipFile(fileobj=io.BytesIO(cut)) as theirs:
        expected = b""
        try:
            while byte := theirs.read(1):
                expected += byte
        except EOFError:
            pass
    assert CONTENT.startswith(found)
    assert len(found) >= len(expected)
    assert lost == ["the compressed file is cut off"]


@pytest.mark.parametrize("at", [-8, -6, -1])
def test_a_wrong_checksum_or_length_costs_no_content(at: int) -> None:
    damaged = bytearray(PACKED)
    damaged[at] ^= 1
    found, lost = read(bytes(damaged))

    assert found == CONTENT
    assert lost[0].startswith("the compressed file is damaged from here on")


def test_behind_the_damage_of_one_member_nothing_is_read() -> None:
    damaged = bytearray(PACKED)
    damaged[-6] ^= 1

    found, lost = read(bytes(damaged) + gzip.compress(b"more"))

    assert (found, len(lost)) == (CONTENT, 1)
