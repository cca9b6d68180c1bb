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
from mprof.objects import summary
from mprof.objects.summary import summarise_dump

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


def _is_read_at_random(array: np.ndarray) -> bool:
    """Whether the system reads a page that is missed alone (``rr``, proc_pid_smaps(5))."""
    address = array.ctypes.data
    is_inside = False
    for line in Path("/proc/self/smaps").read_text("utf-8").splitlines():
        begin, dash, end = line.split(" ", 1)[0].partition("-")
        if dash and not line.endswith("kB"):
            is_inside = int(begin, 16) <= address < int(end, 16)
        elif is_inside and line.startswith("VmFlags:"):
            return "rr" in line.split()
    raise AssertionError("it is not mapped")


def _with_room(size: int, monkeypatch: pytest.MonkeyPatch) -> Storage:
    """Of columns on disk, with so much room in memory for those that are read here and there."""
    monkeypatch.setattr(storage, "_KEPT_FREE_BYTES", 0)
    monkeypatch.setattr(storage, "_CACHE_SHARE", size + 1)
    return Storage(on_disk=True, room_bytes=size)


def test_what_is_read_here_and_there_is_in_memory_while_there_is_room(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = _with_room(20 * MIB, monkeypatch)
    first = columns.scattered(3 * MIB, np.int32)
    assert (0, 8 * MIB) == (_size_on_disk(), columns.left_bytes)
    second = columns.scattered(3 * MIB, np.int32)  # has to lie on disk
    assert (12 * MIB, 8 * MIB) == (_size_on_disk(), columns.left_bytes)
    first[:] = np.arange(first.size)
    settled = columns.settled(first)
    assert columns.settled(second) is second
    assert 24 * MIB == _size_on_disk()
    assert np.array_equal(first, settled)
    rows = first.reshape(-1, 2)
    del first
    assert 8 * MIB == columns.left_bytes  # the rows still are the array
    del rows
    assert 20 * MIB == columns.left_bytes


def test_others_take_memory_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = _with_room(20 * MIB, monkeypatch)
    monkeypatch.setattr(storage, "memory_room", lambda: Room(9 * MIB, "a test"))
    assert 9 * MIB == columns.left_bytes
    columns.scattered(3 * MIB, np.int32)
    assert 24 * MIB == 2 * columns.most_bytes


def test_a_second_mapping_shows_the_same_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = _with_room(64 * MIB, monkeypatch)
    array = columns.empty(3 * MIB, np.int32)
    again = columns.read_anywhere(array)
    assert again is not array
    array[:] = np.arange(array.size)
    columns.read_ahead(array)
    assert np.array_equal(array, again)
    assert [False, True] == [_is_read_at_random(each) for each in (array, again)]
    brought = columns.brought(array)  # as long as there is room
    assert brought is not array
    assert np.array_equal(array, brought)
    del brought
    roomy = _with_room(1024 * MIB, monkeypatch)
    array = roomy.empty(3 * MIB, np.int32)
    assert roomy.read_anywhere(array) is array
    in_memory = Storage(on_disk=False)
    assert in_memory.read_anywhere(array) is array
    assert in_memory.settled(array) is array


@pytest.mark.parametrize(("room", "parts"), [(24, 1), (12, 1), (7, 2), (5, 3), (1, 1), (0, 1)])
def test_columns_that_are_written_in_any_order_are_written_in_parts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, room: int, parts: int
) -> None:
    """As many as memory asks for; if those were too many, in one, on disk."""
    columns = _with_room(room * MIB, monkeypatch)
    numbers, doubled = columns.empty(MIB, np.int32), columns.empty(MIB, np.int64)
    on_disk = _size_on_disk()
    order = np.random.default_rng(1).permutation(MIB)
    calls = []

    def write(rooms: list[np.ndarray], first: int) -> None:
        calls.append((first, rooms[0].size, _size_on_disk() - on_disk))
        own = order[(order >= first) & (order < first + rooms[0].size)]
        rooms[0][own - first] = own
        rooms[1][own - first] = 2 * own

    columns.in_parts([numbers, doubled], write)
    assert parts == len(calls)
    assert MIB == sum(size for _, size, _ in calls)
    assert {0 if room > 1 else 12 * MIB} == {more for _, _, more in calls}
    assert np.array_equal(numbers, np.arange(MIB))
    assert np.array_equal(doubled, 2 * np.arange(MIB))


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


@pytest.mark.parametrize(
    "options",
    [{}, {"references": True}, {"references": True, "paths": False, "unreachable": True}],
    ids=str,
)
@pytest.mark.parametrize("room", [1, 300, 800, 2_000])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_said_of_a_heap_on_disk_is_what_is_said_of_it_in_memory(
    tmp_path: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    room: int,
    options: dict[str, bool],
) -> None:
    monkeypatch.setattr(storage, "_SMALLEST", 1)  # every column, however small
    parts = _parts_of(room, monkeypatch)
    path = tmp_path / "built.hprof"
    path.write_bytes(random_heap(seed).build())
    monkeypatch.delenv(LIMIT_VARIABLE, raising=False)
    in_memory = open_heap(path, **options)
    monkeypatch.setenv(LIMIT_VARIABLE, str(room))
    on_disk = open_heap(path, **options)
    assert max(parts) > 1 or room != 300
    assert (False, True) == (in_memory.storage.on_disk, on_disk.storage.on_disk)
    assert on_disk.storage.most_bytes > 0
    if options.get("paths", True):
        assert summarise(in_memory) == summarise(on_disk)
    for node in range(in_memory.nodes):
        assert in_memory.dominator(node) == on_disk.dominator(node)
        assert in_memory.retained(node) == on_disk.retained(node)
        assert in_memory.address(node) == on_disk.address(node)
        if options:
            assert _row(in_memory.outgoing, node) == _row(on_disk.outgoing, node)


def _parts_of(room: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Takes how many parts each pass is done in, of columns that are larger than the room."""
    monkeypatch.setattr(storage, "_KEPT_FREE_BYTES", 0)
    monkeypatch.setattr(storage, "_CACHE_SHARE", room + 1)
    monkeypatch.setattr(storage, "_MOST_PARTS", 50)
    chosen, parts = Storage.parts, []

    def noted(self: Storage, count: int, bytes_each: int) -> list[tuple[int, int]]:
        found = chosen(self, count, bytes_each)
        parts.append(len(found))
        return found

    monkeypatch.setattr(Storage, "parts", noted)
    return parts


@pytest.mark.parametrize("room", [300, 800])
@pytest.mark.parametrize("seed", range(4))
def test_who_holds_a_heap_on_disk_holds_it_in_memory(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, seed: int, room: int
) -> None:
    monkeypatch.setattr(storage, "_SMALLEST", 1)
    monkeypatch.setattr(summary, "_ASKED", 1)
    path = tmp_path / "built.hprof"
    path.write_bytes(random_heap(seed).build())
    monkeypatch.delenv(LIMIT_VARIABLE, raising=False)
    heap, expected = summarise_dump(path)
    parts = _parts_of(room, monkeypatch)
    monkeypatch.setenv(LIMIT_VARIABLE, str(room))
    on_disk, found = summarise_dump(path)
    assert (False, True) == (heap.storage.on_disk, on_disk.storage.on_disk)
    assert max(parts) > 1 or room != 300
    assert expected.to_json() == found.to_json()


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
