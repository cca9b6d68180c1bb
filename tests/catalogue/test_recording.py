"""A recording comes back from a wheel as it is in the checkout."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import msgspec
import pytest
from builders.unpacked_wheel import build_hook

from mprof.catalogue import find_case, load_cases
from mprof.catalogue.recording import recorded_capture
from mprof.errors import EvidenceError

ROOT = Path(__file__).parents[2] / "cases"
CASE = find_case(ROOT, "grep")


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_wheel_has_all_cases_and_their_recordings(installed: Path) -> None:
    here = load_cases(ROOT)
    there = load_cases(installed / "mprof" / "cases")

    assert [case.slug for case in here] == [case.slug for case in there]
    for mine, shipped in zip(here, there, strict=True):
        assert mine.is_recorded == shipped.is_recorded
        if mine.is_recorded:
            with recorded_capture(shipped) as capture:
                assert contents(mine.evidence) == contents(capture)
                assert not capture.is_relative_to(installed)


def test_the_same_recording_is_packed_into_the_same_bytes(tmp_path: Path) -> None:
    pack = build_hook()._packed
    packed = [pack(CASE.evidence, tmp_path / name).read_bytes() for name in ("1", "2")]

    assert packed[0] == packed[1]


def case_with(archive: bytes, folder: Path) -> Path:
    case = msgspec.structs.replace(CASE, folder=folder)
    case.packed_evidence.write_bytes(archive)
    with recorded_capture(case) as capture:
        return capture


def test_a_damaged_recording_is_said_to_be_one(tmp_path: Path) -> None:
    whole = build_hook()._packed(CASE.evidence, tmp_path / "whole").read_bytes()
    for damaged in (b"", b"nothing", whole[: len(whole) // 2]):
        with pytest.raises(EvidenceError, match="is damaged"):
            case_with(damaged, tmp_path)


def test_nothing_is_unpacked_beside_its_folder(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as archive:
        archive.addfile(tarfile.TarInfo(str(tmp_path / "escaped")))
    with pytest.raises(EvidenceError, match="leads out of it"):
        case_with(packed.getvalue(), tmp_path)

    assert not (tmp_path / "escaped").exists()
