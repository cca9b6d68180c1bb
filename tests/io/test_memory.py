"""How much memory is left, read from files as the documentation of Linux describes them."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from mprof.io.memory import Room, lies_in_memory, memory_room

GIB = 1 << 30
MACHINE = Room(8 * GIB, "the memory of this machine")


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A machine with 8 GiB of memory to be had, and no control group yet."""
    own = tmp_path / "proc" / "self"
    own.mkdir(parents=True)
    (tmp_path / "proc" / "meminfo").write_text(
        f"MemTotal: 16777216 kB\nMemAvailable: {8 * GIB // 1024} kB\n", "ascii"
    )
    (own / "status").write_text("Name: python\nVmSize: 2097152 kB\nVmData: 1048576 kB\n", "ascii")
    return tmp_path


def _mount(system: Path, kind: str, options: str, place: str, root: str = "/") -> Path:
    point = system / "sys" / "fs" / "cgroup"
    folder = point / place.removeprefix(root).strip("/")
    folder.mkdir(parents=True)
    own = system / "proc" / "self"
    (own / "mountinfo").write_text(
        f"30 20 0:26 {root} /sys/fs/cgroup rw,nosuid - {kind} cgroup rw,{options}\n", "ascii"
    )
    number, names = ("0", "") if kind == "cgroup2" else ("4", "memory")
    (own / "cgroup").write_text(f"{number}:{names}:{place}\n", "ascii")
    return folder


def _write(folder: Path, **numbers: object) -> None:
    for name, value in numbers.items():
        folder.joinpath(f"memory.{name}").write_text(f"{value}\n", "ascii")


def test_without_a_group_it_is_what_the_machine_has(system: Path) -> None:
    assert MACHINE == memory_room(system)


def test_of_a_group_of_version_2_what_is_cached_of_files_is_free(system: Path) -> None:
    folder = _mount(system, "cgroup2", "nsdelegate", "/job")
    stat = f"anon 1\ninactive_file {GIB // 4}\nactive_file {GIB // 4}\nslab 5"
    _write(folder, max=2 * GIB, current=GIB, stat=stat)
    assert Room(GIB + GIB // 2, "memory.max of a control group") == memory_room(system)
    _write(folder, max="max")
    assert MACHINE == memory_room(system)


def test_the_tightest_of_nested_groups_counts(system: Path) -> None:
    inner = _mount(system, "cgroup2", "nsdelegate", "/outer/inner")
    _write(inner, max=4 * GIB, current=0)
    _write(inner.parent, max=3 * GIB, current=GIB)
    assert Room(2 * GIB, "memory.max of a control group") == memory_room(system)


def test_of_a_group_of_version_1_whose_place_is_the_machines(system: Path) -> None:
    folder = _mount(system, "cgroup", "memory", "/docker/0123", root="/docker/0123")
    stat = f"cache 5\ntotal_inactive_file {GIB // 2}\ntotal_active_file 0"
    _write(folder, limit_in_bytes=GIB, usage_in_bytes=GIB, stat=stat)
    assert Room(GIB // 2, "memory.limit_in_bytes of a control group") == memory_room(system)


def test_a_group_of_another_controller_says_nothing(system: Path) -> None:
    folder = _mount(system, "cgroup", "cpu,cpuacct", "/job")
    _write(folder, limit_in_bytes=GIB, usage_in_bytes=0)
    assert MACHINE == memory_room(system)


def test_limits_of_the_process_count_what_it_has_taken(
    system: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {resource.RLIMIT_AS: resource.RLIM_INFINITY, resource.RLIMIT_DATA: 3 * GIB}
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limits[which], -1))
    assert Room(2 * GIB, "RLIMIT_DATA") == memory_room(system)
    limits[resource.RLIMIT_AS] = 2 * GIB + 5
    assert Room(5, "RLIMIT_AS") == memory_room(system)


def test_nothing_is_known_where_nothing_can_be_read(tmp_path: Path) -> None:
    assert memory_room(tmp_path) is None


@pytest.mark.parametrize(("kind", "expected"), [("tmpfs", True), ("ramfs", True), ("ext4", False)])
def test_the_kind_of_its_file_system_says_whether_a_folder_takes_memory(
    system: Path, kind: str, *, expected: bool
) -> None:
    device = system.stat().st_dev
    own = f"{os.major(device)}:{os.minor(device)}"
    (system / "proc" / "self" / "mountinfo").write_text(
        f"22 1 0:999 / / rw - ext4 x rw\n30 22 {own} / /tmp rw shared:1 - {kind} x rw\n", "ascii"
    )
    assert expected == lies_in_memory(system, system)


def test_what_nothing_is_known_of_takes_a_disk(system: Path) -> None:
    assert not lies_in_memory(system, system)
