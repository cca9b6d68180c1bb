"""Rows in files: bounded, complete up to a crash, and harmless to a full disk."""

from __future__ import annotations

import errno
import gzip
import os
from pathlib import Path
from typing import Any

import pytest
from builders.recorded_rows import read_rows

from mprof.errors import UsageError
from mprof.metrics import SAMPLED_NAMES, recording
from mprof.metrics.reading import Row
from mprof.metrics.recording import Recording


def _row(value: float) -> Row:
    return {**dict.fromkeys(SAMPLED_NAMES, value), "rto_max": None}


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


@pytest.fixture
def always_flushed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_FLUSH_S", 0.0)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    written = Recording(tmp_path / "new" / "folder", "node/1 x")
    written.add(1.5, _row(3.0))
    written.add(2.5, _row(4.0))
    written.close()
    (file,) = _files(tmp_path / "new" / "folder")
    columns = read_rows(file)

    assert file.name.startswith("metrics-node_1_x-")
    assert ["node/1 x"] * 2 == columns["host"]
    assert [1.5, 2.5] == columns["at_s"]
    assert [3.0, 4.0] == columns["user"]
    assert [None, None] == columns["rto_max"]
    assert {"host", "at_s", *SAMPLED_NAMES} == set(columns)


def test_what_was_flushed_survives_a_kill(tmp_path: Path, always_flushed: None) -> None:
    written = Recording(tmp_path, "n")
    for second in range(5):
        written.add(second, _row(second))
    # as it lies on the disk now: the file is never ended
    (file,) = _files(tmp_path)
    with pytest.raises(EOFError), gzip.open(file) as unpacked:
        unpacked.read()

    assert [0, 1, 2, 3, 4] == read_rows(file)["at_s"]
    written.close()


def test_after_a_damage_nothing_is_made_up(tmp_path: Path, always_flushed: None) -> None:
    written = Recording(tmp_path, "n")
    for second in range(50):
        written.add(second, _row(second))
    written.close()
    (file,) = _files(tmp_path)
    content = bytearray(file.read_bytes())
    content[len(content) // 2 :] = b"\xff" * (len(content) // 2)
    file.write_bytes(content)
    at_s = read_rows(file)["at_s"]

    assert len(at_s) < 40
    assert list(range(len(at_s))) == at_s


def test_files_and_their_sum_are_bounded(tmp_path: Path, always_flushed: None) -> None:
    other = tmp_path / "metrics-nn-000001-20200101T000000Z.jsonl.gz"
    other.write_bytes(b"x" * 5000)
    written = Recording(tmp_path, "n", file_bytes=2000, total_bytes=9000)
    for second in range(400):
        written.add(
            second, {name: second * 1.37 + place for place, name in enumerate(SAMPLED_NAMES)}
        )
    written.close()
    own = [file for file in _files(tmp_path) if file != other]

    assert other.exists()
    assert 2 <= len(own) <= 5
    assert sum(file.stat().st_size for file in own) <= 9000 + 1000
    assert 399 == read_rows(own[-1])["at_s"][-1]


def test_a_second_collector_does_not_write_into_the_file_of_the_first(tmp_path: Path) -> None:
    first, second = Recording(tmp_path, "n"), Recording(tmp_path, "n")
    first.add(1, _row(1))
    second.add(2, _row(2))
    first.close()
    second.close()

    assert [[1], [2]] == [read_rows(file)["at_s"] for file in _files(tmp_path)]


def test_the_disk_is_never_filled(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="left on its disk"):
        Recording(tmp_path, "n", least_free_bytes=1 << 62)


def test_a_full_disk_ends_collection_in_words_and_keeps_what_was_written(
    tmp_path: Path, always_flushed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Recording(tmp_path, "n")
    written.add(1, _row(1))

    def full(*_arguments: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(gzip.GzipFile, "flush", full)
        with pytest.raises(UsageError, match="No space left on device"):
            written.add(2, _row(2))
    written.close()

    (file,) = _files(tmp_path)
    assert 1 == read_rows(file)["at_s"][0]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_device_that_is_full_ends_collection_in_words(
    tmp_path: Path, always_flushed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "open", lambda _path, _mode: os.fdopen(os.open("/dev/full", 1), "wb"))
    written = Recording(tmp_path, "n")

    with pytest.raises(UsageError, match="No space left on device"):
        written.add(1, _row(1))


def test_a_folder_that_cannot_be_made_is_an_error_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(UsageError, match="cannot be written to"):
        Recording(tmp_path / "file" / "folder", "n")
