"""Heap dumps read while a job runs give the snapshots that are read after it."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from builders.attempts import EventWriter
from builders.hprof_builder import Builder, FrameSpec

from mprof.engines import MAPREDUCE, UserClasses
from mprof.runs import early_reading
from mprof.runs.early_reading import EarlyReader
from mprof.runs.following import local_folders
from mprof.runs.snapshots import read_snapshots
from mprof.trace import read_trace

RUN = "abc123"
ATTEMPT = "attempt_1_0001_m_000000_0"
PROBE = "probe-before_record-1.hprof"
CONF = (
    "<configuration><property><name>mapreduce.job.map.class</name>"
    "<value>{}</value></property></configuration>"
)


def _dump() -> bytes:
    """map() of a class that only the configuration names as a mapper holds 4 MB."""
    builder = Builder()
    specs = []
    held = builder.primitives("byte", bytes(4 << 20))
    frames = (
        ("com.acme.Job", "map"),
        ("org.apache.hadoop.mapreduce.Mapper", "run"),
        ("org.apache.hadoop.mapred.MapTask", "runNewMapper"),
    )
    for class_name, method in frames:
        builder.class_(class_name)
        specs.append(FrameSpec(class_name, method, "A.java", 1, [held] if not specs else []))
    builder.thread("main", specs)
    return builder.build()


class Node:
    """A folder of container logs on this machine, with one attempt in it."""

    def __init__(
        self, tmp_path: Path, *, run: str = RUN, told: bool = True, dump: bytes | None = None
    ) -> None:
        dump = _dump() if dump is None else dump
        self.logs = tmp_path / "application_1_0001" / "container_1_0001_01_000002"
        writer = EventWriter(ATTEMPT, run=run, mode="profile")
        if told:
            writer.add("dump", file=PROBE, reason="probe", point="before_record", ordinal=1,
                       bytes=len(dump), at={"phase": "map", "records_in": 1})  # fmt: skip
        shutil.copytree(writer.write(tmp_path / "written"), self.logs)
        (self.logs / PROBE).write_bytes(dump)
        self.conf = tmp_path / "job.xml"
        self.conf.write_text(CONF.format("com.acme.Job"), encoding="utf-8")
        self.scratch = tmp_path / "scratch"
        self.scratch.mkdir()

    def reader(self) -> EarlyReader:
        folders = local_folders([self.logs.parent.parent])
        return EarlyReader(folders, RUN, lambda _container: self.conf, self.scratch)

    def fetched(self, jobs: Path, mapper: str = "com.acme.Job") -> Path:
        """The job's folder in the capture, as it is fetched when the job has ended."""
        folder = jobs / "job_1_0001" / "attempts" / ATTEMPT
        shutil.copytree(self.logs, folder)
        (folder.parent.parent / "conf.xml").write_text(CONF.format(mapper), encoding="utf-8")
        return folder

    @property
    def read(self) -> list[str]:
        return sorted(each.name for each in self.scratch.rglob("*"))


def test_the_snapshot_is_the_one_that_is_read_after_the_job(tmp_path: Path) -> None:
    node = Node(tmp_path)
    reader = node.reader()
    reader.look()
    early, late = node.fetched(tmp_path / "early"), node.fetched(tmp_path / "late")
    reader.hand_over(tmp_path / "early")
    dumps_read: list[str] = []

    def snapshots(folder: Path) -> object:
        classes = UserClasses(MAPREDUCE, frozenset({"com.acme.Job"}))
        return read_snapshots(read_trace(folder), folder, classes, dumps_read.append)

    expected = snapshots(late)
    assert dumps_read == [PROBE]
    assert snapshots(early) == expected
    assert dumps_read == [PROBE]  # that of the early one is not read again
    assert not (early / PROBE).exists()


def test_an_attempt_whose_name_leads_elsewhere_is_read_into_the_scratch_folder(
    tmp_path: Path,
) -> None:
    """The log folder is a task's: it may say that it is of any attempt."""
    node = Node(tmp_path)
    events = node.logs / "events.jsonl"
    events.write_text(events.read_text(encoding="utf-8").replace(ATTEMPT, "../elsewhere"))
    before = {*tmp_path.iterdir()}

    node.reader().look()

    assert "___elsewhere" in node.read
    assert before == {*tmp_path.iterdir()}


@pytest.mark.parametrize(("run", "told"), [("of another run", True), (RUN, False)])
def test_attempts_of_other_runs_and_dumps_still_being_written_are_left_alone(
    tmp_path: Path, run: str, told: bool
) -> None:
    node = Node(tmp_path, run=run, told=told)

    node.reader().look()

    assert node.read == []


@pytest.mark.parametrize(("more_bytes", "is_read"), [(0, True), (1, False)])
def test_a_dump_at_death_is_read_once_the_virtual_machine_says_that_it_is_written(
    tmp_path: Path, more_bytes: int, is_read: bool
) -> None:
    node = Node(tmp_path, told=False)
    dump = (node.logs / PROBE).rename(node.logs / f"oom-{ATTEMPT}.hprof")
    size = dump.stat().st_size + more_bytes
    said = f"rows: 7\nHeap dump file created [{size} bytes in 1.234 secs]\n"
    (node.logs / "stdout").write_text(said, encoding="utf-8")

    node.reader().look()

    assert node.read == ([ATTEMPT, f"snapshot-oom-{ATTEMPT}.json"] if is_read else [])


@pytest.mark.parametrize("written", [0, 1000])
def test_the_event_of_a_dump_that_is_still_being_written_does_not_count(
    tmp_path: Path, written: int
) -> None:
    node = Node(tmp_path)
    events = node.logs / "events.jsonl"
    size = (node.logs / PROBE).stat().st_size
    told = events.read_text(encoding="utf-8")
    assert f'"bytes":{size}' in told.replace(" ", "")
    events.write_text(told.replace(str(size), str(written)), encoding="utf-8")

    node.reader().look()

    assert node.read == []


def test_a_folder_that_did_not_change_since_is_of_an_earlier_job(tmp_path: Path) -> None:
    node = Node(tmp_path)
    os.utime(node.logs, (0, 0))

    node.reader().look()

    assert node.read == []


def test_where_memory_is_short_nothing_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = SimpleNamespace(available=1_024_000)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: short)
    node = Node(tmp_path)

    node.reader().look()

    assert node.read == []


def test_snapshots_made_for_other_classes_are_not_handed_over(tmp_path: Path) -> None:
    node = Node(tmp_path)
    reader = node.reader()
    reader.look()
    folder = node.fetched(tmp_path / "jobs", mapper="com.acme.Other")

    reader.hand_over(tmp_path / "jobs")

    assert node.read != []
    assert not list(folder.glob("snapshot-*"))


def test_a_damaged_dump_costs_its_early_reading_alone(tmp_path: Path) -> None:
    node = Node(tmp_path, dump=b"JAVA PROFILE")
    reader = node.reader()

    reader.look()
    folder = node.fetched(tmp_path / "jobs")
    reader.hand_over(tmp_path / "jobs")

    assert node.read == [ATTEMPT]  # it was tried
    assert not list(folder.glob("snapshot-*"))


def test_a_snapshot_that_finds_no_room_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = Node(tmp_path)
    reader = node.reader()
    reader.look()
    folder = node.fetched(tmp_path / "jobs")

    def full(target: Path, content: bytes) -> None:
        with target.open("wb") as file:
            file.write(content[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    reader.hand_over(tmp_path / "jobs")

    assert not [*folder.glob("snapshot-*"), *folder.glob(".*")]


def test_a_reader_is_ended_with_its_context(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "pid"
    os.mkfifo(told)
    sleeper = f"import os, time; open({str(told)!r}, 'w').write(str(os.getpid())); time.sleep(300)"
    monkeypatch.setattr(early_reading, "_COMMAND", (sys.executable, "-c", sleeper))
    monkeypatch.setattr(early_reading, "_INTERVAL_SECONDS", 0.01)
    pids = []

    def interrupted() -> None:
        with Node(tmp_path).reader():
            pids.append(told.read_text())  # waits until the process runs
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert not Path("/proc", *pids).exists()
    assert "mprof early reader" not in {one.name for one in threading.enumerate()}
