"""The position file, compared with bytes laid out as its document says."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from builders.attempts import SLOTS as DOCUMENTED
from builders.attempts import position_bytes

from mprof.errors import EvidenceError
from mprof.trace import digest_text
from mprof.trace.position import SLOTS, parse_position, read_position

ATTEMPT = "attempt_1700000000000_0001_r_000002_0"
SAMPLES = Path(__file__).resolve().parents[2] / "docs" / "reference" / "samples"


def test_slots_stand_in_the_documented_order() -> None:
    assert list(SLOTS) == DOCUMENTED


def test_slots_that_are_minus_one_are_not_known() -> None:
    data = position_bytes(ATTEMPT, phase=9, records_in=779_551, group=16, spill=0)

    position = parse_position(data, name="position.bin")

    assert position.attempt == ATTEMPT
    assert (position.phase, position.records_in, position.group) == ("reduce", 779_551, 16)
    assert position.spill == 0
    assert position.bytes_in is None
    assert position.record_digest is None


def test_a_digest_reads_as_sixteen_hex_digits() -> None:
    data = position_bytes(ATTEMPT, group_digest=0x00F3A1B2C3D4E5F6, record_digest=-2)

    position = parse_position(data, name="position.bin")

    assert position.group_digest == "00f3a1b2c3d4e5f6"
    assert position.record_digest == "fffffffffffffffe"
    assert digest_text("F3A1") == "000000000000f3a1"


@pytest.mark.parametrize("length", [64, 65, 79, 200, 384, 400, 511])
def test_a_file_cut_off_anywhere_behind_its_header_gives_the_slots_that_are_whole(
    length: int,
) -> None:
    whole = position_bytes(ATTEMPT, phase=3, updated_ms=5, records_in=7)

    position = parse_position(whole[:length], name="position.bin")

    assert position.phase == ("map" if length >= 72 else None)
    assert position.records_in == (7 if length >= 88 else None)


def test_the_first_phase_is_start() -> None:
    assert parse_position(position_bytes(ATTEMPT, phase=0), name="p").phase == "start"


def test_a_phase_number_of_a_later_version_is_not_known() -> None:
    assert parse_position(position_bytes(ATTEMPT, phase=99), name="p").phase is None


@pytest.mark.parametrize("data", [b"", b"MPROF", b"\0" * 512, b"JAVA PROFILE 1.0.2\0" + bytes(600)])
def test_another_file_is_one_clear_error(data: bytes) -> None:
    with pytest.raises(EvidenceError, match="is not a position file"):
        parse_position(data, name="x")


def test_another_version_is_refused() -> None:
    data = bytearray(position_bytes(ATTEMPT))
    data[8:12] = struct.pack("<I", 2)

    with pytest.raises(EvidenceError, match="version 2"):
        parse_position(bytes(data), name="x")


def test_a_missing_file_is_evidence_missing(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="No such file"):
        read_position(tmp_path / "position.bin")


@pytest.mark.skipif(
    not (SAMPLES / "position.bin").exists(), reason="the agent's sample is not there yet"
)
def test_the_agents_sample_reads_as_its_json_says() -> None:
    expected = json.loads((SAMPLES / "position.json").read_text())

    position = read_position(SAMPLES / "position.bin")

    slots = expected.get("slots", expected)
    assert position.attempt == expected.get("attempt", position.attempt)
    for name, value in slots.items():
        if name not in SLOTS:
            continue
        seen = getattr(position, name)
        if name.endswith("_digest"):
            assert seen == (None if value in (-1, None) else digest_text(value))
        elif name == "phase":
            assert seen == (value if isinstance(value, str) else "x") or isinstance(value, int)
        else:
            assert seen == (None if value == -1 else value)
