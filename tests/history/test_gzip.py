"""A history that was packed tells what the plain one tells."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest

import mprof
from mprof.errors import EvidenceError
from mprof.history import read_history

PLAIN = next((Path(__file__).parents[2] / "cases").glob("in-mem-word-count/evidence/**/*.jhist"))


def test_a_packed_history_is_read_as_the_plain_one(tmp_path: Path) -> None:
    packed = tmp_path / f"{PLAIN.name}.gz"
    packed.write_bytes(gzip.compress(PLAIN.read_bytes()))

    assert read_history(PLAIN) == read_history(packed)
    assert mprof.diagnose(PLAIN).evidence.job == mprof.diagnose(packed).evidence.job


def test_what_comes_before_a_cut_is_read_and_the_loss_is_said(tmp_path: Path) -> None:
    whole = gzip.compress(PLAIN.read_bytes())
    packed = tmp_path / "cut.jhist.gz"
    packed.write_bytes(whole[: len(whole) * 9 // 10])

    job = read_history(packed)

    assert job.job_id == read_history(PLAIN).job_id
    assert job.losses


@pytest.mark.parametrize(
    "content", [b"\x1f\x8b", b"\x1f\x8b" + b"x" * 100, gzip.compress(b"", mtime=0)]
)
def test_a_packed_file_that_holds_no_history_is_one_line(tmp_path: Path, content: bytes) -> None:
    packed = tmp_path / "none.jhist.gz"
    packed.write_bytes(content)

    with pytest.raises(EvidenceError, match="empty"):
        read_history(packed)


def test_a_file_that_unpacks_to_gigabytes_is_refused_in_little_memory(tmp_path: Path) -> None:
    packed = tmp_path / "bomb.jhist.gz"
    mebibyte = gzip.compress(bytes(1 << 20))
    packed.write_bytes(mebibyte * 1025)

    tracemalloc.start()
    try:
        with pytest.raises(EvidenceError, match="larger than 1 GB unpacked"):
            read_history(packed)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 50 << 20
