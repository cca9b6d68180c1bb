"""Control groups of both versions, from their files."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from builders.recorded_rows import read_rows

from mprof.errors import UsageError
from mprof.io.control_groups import group_folders
from mprof.metrics import SAMPLED_NAMES
from mprof.metrics.cgroup import CgroupReader
from mprof.metrics.groups import Groups
from mprof.metrics.reading import row_of
from mprof.metrics.slow_measure import SlowMeasure
from mprof.metrics.tasks import Tasks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the files of Linux")


def _write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


@pytest.fixture
def version_2(tmp_path: Path) -> Groups:
    folder = _write(
        tmp_path / "node",
        cgroup__controllers="cpu io memory pids\n",
        cgroup__events="populated 1\n",
        cgroup__procs="11\n12\n",
        cpu__stat="usage_usec 9000000\nuser_usec 6000000\nsystem_usec 3000000\nnr_periods 0\n",
        cpu__max="25000 100000\n",
        io__pressure="some avg10=1.00 avg60=0.5 avg300=0.1 total=2500000\n"
        "full avg10=0.00 avg60=0.0 avg300=0.0 total=7\n",
        io__stat="8:0 rbytes=1000 wbytes=2000 rios=1 wios=2 dbytes=0 dios=0\n"
        "7:1 rbytes=24 wbytes=48 rios=1 wios=2 dbytes=0 dios=0\n",
        memory__stat="anon 5\npgfault 77\npgmajfault 3\n",
        pids__current="9\n",
    )
    _write(folder / "inner", cgroup__procs="13\n")
    return Groups([folder])


@pytest.fixture
def version_1(tmp_path: Path) -> Groups:
    cpu = _write(
        tmp_path / "cpu" / "node",
        cpu__stat="nr_periods 10\nnr_throttled 2\nthrottled_time 5\n",
        cpu__cfs_quota_us="50000\n",
        cpu__cfs_period_us="100000\n",
        cgroup__procs="",
    )
    accounts = _write(
        tmp_path / "cpuacct" / "node",
        cpuacct__usage_user="6000000000\n",
        cpuacct__usage_sys="3000000000\n",
        cgroup__procs="11\n",
    )
    disks = _write(
        tmp_path / "blkio" / "node",
        blkio__throttle__io_service_bytes="8:0 Read 1000\n8:0 Write 2000\n8:0 Sync 2000\n"
        "8:0 Async 1000\n8:0 Total 3000\n7:1 Read 24\n7:1 Write 48\nTotal 3072\n",
    )
    memory = _write(
        tmp_path / "memory" / "node", memory__stat="pgpgin 4\npgfault 5\ntotal_pgfault 77\n"
    )
    return Groups([cpu, accounts, disks, memory])


def test_version_2_is_read(version_2: Groups) -> None:
    assert (6.0, 3.0) == pytest.approx(
        (version_2.processor_s("user"), version_2.processor_s("system"))
    )
    assert 0.25 == version_2.processors(8)
    assert 2.5 == version_2.waited_s()
    assert (1024, 2048) == version_2.moved_bytes()
    assert (77, 9) == (version_2.faults(), version_2.tasks())
    assert {11, 12, 13} == version_2.processes()


def test_version_1_is_read(version_1: Groups) -> None:
    assert (6.0, 3.0) == pytest.approx(
        (version_1.processor_s("user"), version_1.processor_s("system"))
    )
    assert 0.5 == version_1.processors(8)
    assert version_1.waited_s() is None
    assert (1024, 2048) == version_1.moved_bytes()
    assert (77, None) == (version_1.faults(), version_1.tasks())
    assert {11} == version_1.processes()


def test_without_a_quota_a_group_may_use_all_processors(tmp_path: Path) -> None:
    unlimited = Groups([_write(tmp_path / "a", cpu__max="max 100000\n")])
    minus_one = Groups(
        [_write(tmp_path / "b", cpu__cfs_quota_us="-1\n", cpu__cfs_period_us="100000\n")]
    )
    generous = Groups([_write(tmp_path / "c", cpu__max="900000 100000\n")])

    assert [8, 8, 8] == [each.processors(8) for each in (unlimited, minus_one, generous)]


def test_older_kernels_count_in_ticks(tmp_path: Path) -> None:
    groups = Groups([_write(tmp_path, cpuacct__stat="user 250\nsystem 100\n")])
    ticks = os.sysconf("SC_CLK_TCK")

    assert 250 / ticks == groups.processor_s("user")


def test_the_uppermost_group_is_the_machine_and_is_not_read(tmp_path: Path) -> None:
    first = _write(tmp_path / "1", release_agent="", cpuacct__usage_user="5\n")
    second = _write(tmp_path / "2", cgroup__controllers="", cpu__stat="user_usec 5\n")
    groups = Groups([first, second])

    assert () == groups.folders
    assert groups.processor_s("user") is None
    with pytest.raises(UsageError, match="no control group of its own"):
        CgroupReader(groups)


def test_files_with_nonsense_are_not_known(tmp_path: Path) -> None:
    groups = Groups(
        [
            _write(
                tmp_path, cpu__stat="user_usec x\n", cpu__max="\n", io__pressure="some\n",
                memory__stat="\n", pids__current="max\n", cgroup__procs="x\n",
            )
        ]
    )  # fmt: skip

    assert groups.processor_s("user") is None
    assert 4 == groups.processors(4)
    assert (None, None, None) == (groups.waited_s(), groups.faults(), groups.tasks())
    assert groups.moved_bytes() is None
    assert frozenset() == groups.processes()


def _mounts(tmp_path: Path) -> bytes:
    return (
        f"22 1 254:1 / / rw - ext4 /dev/vda rw\n"
        f"33 31 0:29 / {tmp_path}/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
        f"34 31 0:30 / {tmp_path}/systemd rw - cgroup cgroup rw,name=systemd\n"
        f"41 31 0:38 / {tmp_path}/with\\040space rw - cgroup2 cgroup2 rw,nsdelegate\n"
    ).encode()


def folders_of(groups: bytes, mounts: bytes) -> tuple[Path, ...]:
    return tuple(each.folder for each in group_folders(groups, mounts))


def test_the_groups_of_a_process_are_found_in_both_versions_at_once(tmp_path: Path) -> None:
    for name in ("cpu,cpuacct/node", "systemd/node", "with space/other/node"):
        (tmp_path / name).mkdir(parents=True)
    groups = b"5:pids:/node\n4:cpu,cpuacct:/node\n1:name=systemd:/node\n0::/other/node\n"

    expected = ("cpu,cpuacct/node", "systemd/node", "with space/other/node")

    assert tuple(tmp_path / each for each in expected) == folders_of(groups, _mounts(tmp_path))


def test_in_a_container_the_mount_is_the_group(tmp_path: Path) -> None:
    (tmp_path / "with space").mkdir()
    outside = folders_of(b"0::/../../docker/x\n", _mounts(tmp_path))
    bound = f"41 31 0:38 /docker/x {tmp_path}/with\\040space rw - cgroup2 cgroup2 rw\n".encode()
    (tmp_path / "with space" / "in").mkdir()

    assert (tmp_path / "with space",) == outside
    assert (tmp_path / "with space",) == folders_of(b"0::/docker/x\n", bound)
    assert (tmp_path / "with space" / "in",) == folders_of(b"0::/docker/x/in\n", bound)


def test_a_row_of_a_group_has_its_own_share_of_its_own_quota(version_2: Groups) -> None:
    reader = CgroupReader(version_2)
    before = reader.read()
    (folder,) = version_2.folders
    (folder / "cpu.stat").write_text("user_usec 6010000\nsystem_usec 3000000\n")
    time.sleep(0.2)
    now = reader.read()
    row = row_of(before, now)
    elapsed_s = now.monotonic_s - before.monotonic_s

    # 10 ms of a quarter of a processor
    assert 100 * 0.010 / elapsed_s / 0.25 == pytest.approx(row["user"], rel=1e-4)
    assert (0, 0, 0, 9) == (row["iowait"], row["bread"], row["pgpgout"], row["plist_sz"])
    assert set(SAMPLED_NAMES) == set(row)


def _thread(folder: Path, process: int, thread: int, state: str, switches: int) -> None:
    _write(
        folder / str(process) / "task" / str(thread),
        status=f"Name:\tjava\nState:\t{state} (what)\nvoluntary_ctxt_switches:\t{switches}\n"
        "nonvoluntary_ctxt_switches:\t5\n",
    )


def test_threads_are_counted_by_state_and_their_switches_by_growth(tmp_path: Path) -> None:
    for thread, state in ((1, "R"), (2, "D"), (3, "S")):
        _thread(tmp_path, 1, thread, state, 100)
    _thread(tmp_path, 9, 9, "R", 100)
    tasks = Tasks(lambda: (1, 9, 404), proc=tmp_path, own=9)
    first = tasks.look()
    time.sleep(0.1)
    _thread(tmp_path, 1, 1, "S", 150)
    _thread(tmp_path, 1, 4, "S", 20)  # new: all of its switches are
    (tmp_path / "1" / "task" / "3" / "status").unlink()
    began_s = time.monotonic()
    second = tasks.look()

    # the process that looks is not counted as running
    assert (4, 1, None, None) == (first.tasks, first.runnable, first.load, first.switches_per_s)
    assert (4, 0) == (second.tasks, second.runnable)
    assert second.switches_per_s is not None
    assert 50 + 25 >= second.switches_per_s * 0.1 > 0.5 * (50 + 25)
    assert 1.0 == pytest.approx(second.load)
    assert time.monotonic() - began_s < 1


def test_the_load_is_a_mean_over_time_and_not_what_the_first_look_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the definition: each second counts exp(-age / 60 s), and the first look has no length."""
    now_s = 0.0
    monkeypatch.setattr("mprof.metrics.tasks.time.monotonic", lambda: now_s)
    busy = [9, *([1] * 30), *([3] * 30)]  # threads that run: at the first look nine
    tasks = Tasks(lambda: (1,), proc=tmp_path, own=0)
    seen = []
    for second, running in enumerate(busy):
        now_s = float(second)
        for thread in range(9):
            _thread(tmp_path, 1, thread, "R" if thread < running else "S", 0)
        seen.append(tasks.look().load)

    ages = np.arange(len(busy) - 1)[::-1]
    weights = np.exp(-ages / 60)
    assert None is seen[0]
    assert 1.0 == pytest.approx(seen[30])
    assert np.average(busy[1:], weights=weights) == pytest.approx(seen[-1])


def test_context_switches_of_this_process_are_seen() -> None:
    tasks = Tasks(lambda: (os.getpid(),), proc=Path("/proc"), own=0)
    tasks.look()
    for _ in range(200):
        time.sleep(0.001)
    seen = tasks.look()

    assert seen.switches_per_s is not None
    assert 100 < seen.switches_per_s < 100_000


@pytest.fixture
def real_groups() -> Iterator[tuple[Path, ...]]:
    """A group of our own in each hierarchy that lets us make one and moves us into it."""
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    points = [Path(line.split()[4]) for line in mounts if " - cgroup" in line]
    made = []
    for point in points:
        folder = point / f"mprof-test-{os.getpid()}"
        try:
            folder.mkdir()
            made.append(folder)
        except OSError:
            continue
    try:
        yield tuple(made)
    finally:
        for folder in made:
            folder.rmdir()


_SPIN = "end = time.monotonic() + 60\nwhile time.monotonic() < end: pass\n"


def test_a_spinner_in_a_group_is_seen_there_against_its_quota(
    real_groups: tuple[Path, ...], tmp_path: Path
) -> None:
    counts = ("cpuacct.usage_user", "cpu.max")
    usable = [
        folder
        for folder in real_groups
        if any((folder / name).exists() for name in (*counts, "cpu.cfs_quota_us"))
    ]
    if not any((folder / name).exists() for folder in usable for name in counts):
        pytest.skip("no control group with a processor controller can be made here")
    for folder in usable:
        if (folder / "cpu.cfs_quota_us").exists():
            (folder / "cpu.cfs_quota_us").write_text("25000")
        if (folder / "cpu.max").exists():
            (folder / "cpu.max").write_text("25000 100000")
    join = (
        "import os, sys, time\n"
        "for f in sys.argv[1:]: open(f + '/cgroup.procs', 'w').write(str(os.getpid()))\n"
    )
    names = [str(folder) for folder in usable]
    spinner = subprocess.Popen([sys.executable, "-c", join + _SPIN, *names])
    collector = subprocess.Popen(
        [
            sys.executable, "-c",
            join.replace("[1:]", "[2:]") + "from pathlib import Path\nfrom threading import Event\n"
            "from mprof.metrics.collector import collect\n"
            "collect(Path(sys.argv[1]), host='g', back_end='cgroup', interval_s=0.5, seconds=5,"
            " stop=Event())",
            str(tmp_path), *names,
        ]
    )  # fmt: skip
    try:
        assert 0 == collector.wait(timeout=60)
    finally:
        spinner.kill()
        spinner.wait()
        collector.kill()
        collector.wait()
    (file,) = tmp_path.iterdir()
    rows = read_rows(file)
    user = [value for value in rows["user"] if isinstance(value, float)]
    running = [value for value in rows["runq_sz"] if isinstance(value, float)]

    # a quarter of a processor, of which the spinner uses all that it gets; others want it too
    assert len(user) >= 8
    assert 50 < sorted(user)[len(user) // 2] <= 100
    assert 1 == max(running)
    assert all(isinstance(value, float) and value >= 2 for value in rows["plist_sz"])


def test_a_slow_measure_may_give_any_value() -> None:
    assert ("a", 1) == SlowMeasure(lambda: ("a", 1)).value()
