"""Columns that do not fit into memory lie in files without a name, and the answers are the same."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from builders.random_heaps import random_heap

from mprof.errors import EvidenceError, UsageError
from mprof.heap import open_heap, storage
from mprof.heap.outgoing import Outgoing
from mprof.heap.storage import LIMIT_VARIABLE, Storage, storage_for
from mprof.heap.summary import summarise
from mprof.io.memory import Room

MIB = 1 << 20


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def _size_on_disk() -> int:
    """Bytes of all files without a name that this process has mapped, as the system counts them."""
    inodes: dict[str, int] = {}
    for line in Path("/proc/self/maps").read_text("utf-8").splitlines():
        if line.endswith("(deleted)") and "/temporary/" in line:
            begin, end = line.split(" ", 1)[0].split("-")
            inodes[line.split()[4]] = int(end, 16) - int(begin, 16)
    return sum(inodes.values())


def test_a_column_on_disk_has_no_name_and_gives_its_room_back(folder: Path) -> None:
    columns = Storage(on_disk=True)
    before = columns.empty(3 * MIB, np.int32)
    before[:] = np.arange(before.size)
    assert [] == list(folder.iterdir())
    assert 12 * MIB == _size_on_disk()
    copied = columns.copy(before)
    assert 24 * MIB == _size_on_disk()
    assert np.array_equal(before, copied)
    copied[5] = 0
    assert before[5] == 5
    del before, copied
    assert 0 == _size_on_disk()
    assert 24 * MIB == columns.most_bytes


def test_only_what_is_asked_for_of_a_growing_column_takes_room(folder: Path) -> None:
    columns = Storage(on_disk=True)
    array, reserve = columns.growing(1 << 30, np.int32)  # 4 GiB, of which 64 MiB are used
    assert 0 == columns.most_bytes
    reserve(100)
    array[:100] = 7
    assert 64 * MIB == columns.most_bytes
    assert [7] * 100 == array[:100].tolist()
    reserve(50)
    assert 64 * MIB == columns.most_bytes


def test_small_arrays_and_those_that_fit_are_in_memory(folder: Path) -> None:
    for columns, count in ((Storage(on_disk=True), 1000), (Storage(on_disk=False), 3 * MIB)):
        array = columns.empty(count, np.int32)
        assert count == array.size
        assert 0 == _size_on_disk()


def test_a_full_disk_is_an_error_that_says_what_to_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int, _start: int, _size: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(EvidenceError, match=r"No space left on device.*TMPDIR"):
        Storage(on_disk=True).empty(3 * MIB, np.int32)


@pytest.mark.parametrize(
    ("left", "on_disk"), [(64 * 10**6 + 65 * MIB, False), (64 * 10**6 + 63 * MIB, True)]
)
def test_columns_lie_on_disk_where_memory_has_no_room_for_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch, left: int, *, on_disk: bool
) -> None:
    monkeypatch.delenv(LIMIT_VARIABLE, raising=False)
    monkeypatch.setattr(storage, "memory_room", lambda: Room(left, "a test"))
    chosen = storage_for(10**6)
    assert on_disk == chosen.on_disk
    assert "1,000,000 objects take up to 61 MB" in chosen.reason
    assert on_disk == (str(folder) in chosen.reason)


def test_the_environment_says_how_much_memory_they_may_take(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text, on_disk in (("1k", True), ("4g", False)):
        monkeypatch.setenv(LIMIT_VARIABLE, text)
        assert on_disk == storage_for(10**6).on_disk
    monkeypatch.setenv(LIMIT_VARIABLE, "much")
    with pytest.raises(UsageError, match=r"MPROF_HEAP_MEMORY is 'much'.*900m"):
        storage_for(10**6)


def test_an_address_space_that_is_full_is_an_error_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    monkeypatch.setattr(storage.mmap, "mmap", full)
    with pytest.raises(EvidenceError, match=r"Cannot allocate memory.*TMPDIR"):
        Storage(on_disk=True).empty(3 * MIB, np.int32)


def test_files_that_take_memory_are_no_way_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LIMIT_VARIABLE, "1m")
    assert storage_for(10**6).on_disk
    monkeypatch.setattr(storage, "lies_in_memory", lambda place: place == folder)
    with pytest.raises(EvidenceError, match=r"lies in memory too.*TMPDIR.*MPROF_HEAP_MEMORY"):
        storage_for(10**6)


def test_too_small_a_disk_is_refused_before_anything_is_done(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LIMIT_VARIABLE, "1m")
    with pytest.raises(EvidenceError, match=r"are free in .*TMPDIR"):
        storage_for(10**12)


@pytest.mark.parametrize("options", [{}, {"references": True}], ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_what_is_said_of_a_heap_on_disk_is_what_is_said_of_it_in_memory(
    tmp_path: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    options: dict[str, bool],
) -> None:
    monkeypatch.setattr(storage, "_SMALLEST", 1)  # every column, however small
    path = tmp_path / "built.hprof"
    path.write_bytes(random_heap(seed).build())
    monkeypatch.delenv(LIMIT_VARIABLE, raising=False)
    in_memory = open_heap(path, **options)
    monkeypatch.setenv(LIMIT_VARIABLE, "1k")
    on_disk = open_heap(path, **options)
    assert (False, True) == (in_memory.storage.on_disk, on_disk.storage.on_disk)
    assert on_disk.storage.most_bytes > 0
    assert summarise(in_memory) == summarise(on_disk)
    for node in range(in_memory.nodes):
        assert in_memory.dominator(node) == on_disk.dominator(node)
        assert in_memory.retained(node) == on_disk.retained(node)
        assert in_memory.address(node) == on_disk.address(node)
        if options:
            assert _row(in_memory.outgoing, node) == _row(on_disk.outgoing, node)


def _row(outgoing: Outgoing, node: int) -> list[int]:
    found, at = [], int(outgoing.starts[node])
    while at > 0:
        target = int(outgoing.targets[at])
        found.append(max(target, ~target))
        at = 0 if target < 0 else at + 1
    return found


def test_nothing_is_left_of_a_process_that_is_killed(folder: Path) -> None:
    program = (
        "import numpy as np, sys, time\n"
        "from mprof.heap.storage import Storage\n"
        "kept = Storage(on_disk=True).empty(1 << 22, np.int32)\n"
        "kept[:] = 1\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    environment = {
        **os.environ, "TMPDIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)
    }  # fmt: skip
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert b"ready\n" == process.stdout.readline()
        assert [] == list(folder.iterdir())
        process.send_signal(signal.SIGKILL)
        assert -signal.SIGKILL == process.wait()
    for _ in range(100):
        if not list(folder.iterdir()):
            break
        time.sleep(0.01)
    assert [] == list(folder.iterdir())
