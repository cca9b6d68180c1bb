"""What is said of attempts while they run."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Container
from pathlib import Path

import pytest
from builders.attempts import EventWriter

from mprof.errors import EvidenceError
from mprof.hadoop import Cluster, FileStatus
from mprof.runs import SilentObserver
from mprof.runs.following import MOST_ATTEMPTS, Follower, local_folders, staged_folders
from mprof.runs.staging import COPIES
from mprof.trace import read_trace
from mprof.units import MIB

JOB = "1700000000000_0001"
RUN = "abc123"


class Attempt:
    """A running map attempt with a heap of 200 MB and a split of 10,000 records."""

    def __init__(self, parent: Path, index: int = 0, *, run: str = RUN) -> None:
        self.name = f"attempt_{JOB}_m_{index:06d}_0"
        self.parent, self.writer = parent, EventWriter(self.name, heap_max=200 * MIB, run=run)

    def reads(self, records: int, live: float) -> Path:
        """So many records were read, and a collection left so many MB."""
        at = {"phase": "map", "records_in": records, "progress_ppm": records * 100}
        self.writer.add("memory", major=True, used_after=round(live * MIB), at=at)
        slots = {"phase": 3, "records_in": records, "progress_ppm": records * 100}
        return self.writer.write(self.parent, position=slots)


def follower(*folders: Path) -> Follower:
    return Follower(
        lambda left_out: [one for one in folders if one not in left_out], RUN, SilentObserver()
    )


def test_a_task_that_will_fail_before_its_end_is_named_once(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path)
    folder = attempt.reads(0, 20)
    following = follower(folder)
    looks = [following.look()]
    for records in (1000, 2000, 3000, 4000):  # 30 KB a record: 200 MB at record 6,000
        attempt.reads(records, 20 + records * 0.03)
        looks.append(following.look())

    lines = [line for look in looks for line in look]
    assert len(lines) == 1
    said = re.match(rf"{attempt.name} will fail near record ([0-9,]+) of about 10,000;", lines[0])
    assert said is not None
    assert int(said[1].replace(",", "")) == pytest.approx(6000, rel=0.01)


def test_a_task_that_will_have_finished_by_then_is_not_named(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path)
    following = follower(attempt.reads(0, 20))
    for records in (1000, 3000, 5000, 7000):  # 170 MB in the end
        attempt.reads(records, 20 + records * 0.015)
        assert following.look() == []


def test_a_task_that_crawls_at_one_record_is_said_not_to_come_out_again_at_growing_intervals(
    tmp_path: Path,
) -> None:
    attempt = Attempt(tmp_path)
    start = 1_700_000_000_000
    folder = attempt.reads(4711, 150)
    following = follower(folder)
    looks = [following.look()]
    for i in range(12):
        attempt.writer.add(
            "crawl", t=start + 20_000 + 5000 * i, ms=5000, collecting_ms=4850, collections=7,
            used=196 * MIB, at={"phase": "map", "records_in": 4711},
        )  # fmt: skip
        records = 4711 if i < 6 else 4712
        attempt.writer.write(tmp_path, position={"phase": 3, "records_in": records})
        looks.append(following.look())

    words = (
        f"{attempt.name} crawls in a full heap{{}}: for the last {{}} s "
        "collections ({} full ones) took 97 % of its time and left 196 MB of 200 MB live; it is at "
        "record {}"
    )
    hopeless = " and will not come out again"
    assert [(i, line) for i, look in enumerate(looks) for line in look] == [
        (3, words.format(hopeless, 15, 21, "4,711, as it was then")),
        (6, words.format(hopeless, 30, 42, "4,711, as it was then")),
        (12, words.format("", 60, 84, "4,712, 1 further")),
    ]


def test_a_task_that_collects_much_and_frees_much_does_not_crawl(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path)
    folder = attempt.reads(4711, 50)
    for i in range(12):
        attempt.writer.add(
            "crawl", t=1_700_000_020_000 + 5000 * i, ms=5000, collecting_ms=4850, collections=7,
            used=(60 if i == 11 else 196) * MIB, at={"phase": "map", "records_in": 4711},
        )  # fmt: skip
    attempt.writer.write(tmp_path, position={"phase": 3, "records_in": 4711})

    assert follower(folder).look() == []


def test_what_was_said_is_taken_back(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path)
    following = follower(attempt.reads(0, 20))
    for records in (500, 1000, 1500):
        attempt.reads(records, 20 + records * 0.03)
    assert len(following.look()) == 1
    for records in (3000, 5000, 7000, 9000):  # a cache that is full
        attempt.reads(records, 65)

    assert following.look() == [f"{attempt.name}: its heap no longer grows as it did"]
    assert following.look() == []


def test_attempts_of_other_runs_and_those_that_have_ended_are_left_out(tmp_path: Path) -> None:
    other, ended = Attempt(tmp_path, 0, run="other"), Attempt(tmp_path, 1)
    for records in (0, 1000, 2000, 3000):
        folders = [one.reads(records, 20 + records * 0.03) for one in (other, ended)]
    ended.writer.add("end", outcome="failed")
    ended.reads(3001, 110)

    assert follower(*folders).look() == []


def test_a_log_that_is_not_there_yet_or_is_torn_costs_a_look_alone(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path)
    for records in (0, 1000, 2000, 3000):
        folder = attempt.reads(records, 20 + records * 0.03)
    whole = (folder / "events.jsonl").read_bytes()
    following = follower(folder)

    (folder / "events.jsonl").write_bytes(b"")
    assert following.look() == []
    (folder / "events.jsonl").write_bytes(whole[:-5])
    following.look()
    (folder / "events.jsonl").write_bytes(whole)
    assert follower(folder).look() != []


def test_a_log_that_cannot_be_read_costs_no_other_attempt(tmp_path: Path) -> None:
    broken, growing = Attempt(tmp_path, 0), Attempt(tmp_path, 1)
    for records in (0, 1000, 2000, 3000):
        folders = [one.reads(records, 20 + records * 0.03) for one in (broken, growing)]
    text = (folders[0] / "events.jsonl").read_text()
    (folders[0] / "events.jsonl").write_text(text.replace('"v": 2', '"v": 99'))
    with pytest.raises(EvidenceError):
        read_trace(folders[0])

    (line,) = follower(*folders).look()
    assert line.startswith(growing.name)


def test_attempts_that_have_ended_do_not_count_as_looked_at(tmp_path: Path) -> None:
    ended = [Attempt(tmp_path, index) for index in range(MOST_ATTEMPTS)]
    for one in ended:
        one.writer.add("end", outcome="succeeded")
    growing = Attempt(tmp_path, MOST_ATTEMPTS)
    for records in (0, 1000, 2000, 3000):
        last = growing.reads(records, 20 + records * 0.03)
    following = follower(*(one.reads(1, 20) for one in ended), last)

    assert following.look() == []
    (line,) = following.look()
    assert line.startswith(growing.name)


class Copies(Cluster):
    """A file system with the copies of attempts, one written each second."""

    def __init__(self, folders: list[Path], *, gone: Path) -> None:
        self.folders, self.gone = folders, gone
        self.fetched: list[str] = []

    def exists(self, uri: str) -> bool:
        return Path(uri).exists() or uri.endswith(f"/{COPIES}")

    def list(self, uri: str) -> tuple[FileStatus, ...]:
        rows = enumerate(self.folders)
        return tuple(FileStatus(str(one), True, 0, 1000 * at) for at, one in rows)

    def fetch(self, uri: str, into: Path) -> Path:
        if Path(uri).parent == self.gone:
            raise EvidenceError("gone", next_step="look again")
        self.fetched.append(uri)
        into.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(uri, into))


def test_copies_are_fetched_newest_first_and_those_left_out_not_at_all(tmp_path: Path) -> None:
    first, second, third, gone = (
        Attempt(tmp_path / COPIES, index).reads(1, 20) for index in range(4)
    )
    cluster = Copies([first, second, third, gone], gone=gone)
    scratch = tmp_path / "scratch"

    found = staged_folders(cluster, str(tmp_path), scratch)({scratch / second.name})

    assert list(found) == [scratch / third.name, scratch / first.name]
    assert {Path(one).parent for one in cluster.fetched} == {third, first}


def test_a_look_that_fails_is_not_the_end_of_looking(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path)
    for records in (0, 1000, 2000, 3000):
        folder = attempt.reads(records, 20 + records * 0.03)
    heard, looks = threading.Event(), iter([OSError("gone"), ValueError("odd")])
    lines: list[str] = []

    class Hears(SilentObserver):
        def output(self, line: str) -> None:
            lines.append(line)
            heard.set()

    def folders(left_out: Container[Path]) -> list[Path]:
        assert folder not in left_out
        for error in looks:
            raise error
        return [folder]

    with Follower(folders, RUN, Hears(), interval_seconds=0.01):
        assert heard.wait(timeout=30)
    assert lines[0].startswith(f"mprof: {attempt.name} will fail")


def test_local_folders_are_those_of_containers_with_events(tmp_path: Path) -> None:
    container = tmp_path / "application_1_0001" / "container_1_0001_01_000002"
    container.mkdir(parents=True)
    (container.parent / "container_1_0001_01_000001").mkdir()
    (container / "events.jsonl").write_text("")

    assert list(local_folders([tmp_path])(())) == [container]
    assert list(local_folders([tmp_path])({container})) == []
