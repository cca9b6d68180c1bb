"""Files of other file systems; a real HDFS is in tests/hadoop/test_hdfs.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from builders.fake_webhdfs import FakeHdfs, fake_hdfs
from fsspec.implementations.memory import MemoryFileSystem

from mprof.errors import EvidenceError, MprofError, UsageError
from mprof.io.files import is_address
from mprof.pieces import LocalEngine
from mprof.sources import FileImport, import_files
from mprof.sources.remote import copied, remote_tree
from mprof.store import Store
from mprof.store.unfinished import unfinished_imports

HEADER = "host\top\tstart_ms\tend_ms\tstatus\n"


@pytest.fixture
def memory() -> Iterator[MemoryFileSystem]:
    system = fsspec.filesystem("memory")
    system.store.clear()
    for number in range(3):
        text = HEADER + f"datanode{number:03d}\twriteBlock\t0.000\t9.000\tok\n" * (number + 1)
        system.pipe(f"/logs/{number}/a.tsv", text.encode())
    yield system
    system.store.clear()


def took(store: Store, address: str, **options: Any) -> dict[str, FileImport]:
    read = import_files([remote_tree(address)], store, **options)
    return {str(one.path): one for one in read}


@pytest.mark.parametrize("engine", [None, LocalEngine(2)], ids=["here", "at once"])
def test_all_files_below_an_address(
    memory: MemoryFileSystem, tmp_path: Path, engine: LocalEngine | None
) -> None:
    store = Store(tmp_path / "store")

    first = took(store, "memory://logs/", engine=engine)
    memory.pipe("/logs/2/b.tsv", (HEADER + "datanode009\tx\t0.000\t9.000\tok\n").encode())
    again = took(store, "memory://logs", engine=engine)

    assert {f"memory://logs/{number}/a.tsv" for number in range(3)} == set(first)
    assert [1, 2, 3] == [one.rows for one in first.values()]
    assert {"imported"} == {one.outcome for one in first.values()}
    assert {"memory://logs/2/b.tsv"} == {
        name for name, one in again.items() if one.outcome == "imported"
    }
    assert set(first) | set(again) == set(store.read("sources")["path"])


def test_what_is_there_is_not_copied_again(
    memory: MemoryFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store")
    took(store, "memory://logs")
    monkeypatch.setattr(MemoryFileSystem, "get_file", lambda *_: pytest.fail("it was copied"))

    assert {"there already"} == {one.outcome for one in took(store, "memory://logs").values()}


def test_a_log_that_has_grown_takes_the_place_of_the_shorter_one(
    memory: MemoryFileSystem, tmp_path: Path
) -> None:
    store = Store(tmp_path / "store")
    took(store, "memory://logs/1")
    longer = memory.cat("/logs/1/a.tsv") + b"datanode001\twriteBlock\t20.000\t29.000\tok\n"
    memory.pipe("/logs/1/a.tsv", longer)

    (grown,) = took(store, "memory://logs/1").values()

    assert ("imported", 3) == (grown.outcome, grown.rows)
    assert 1 == len(store.read("sources"))


def test_another_zone_is_read_anew(memory: MemoryFileSystem, tmp_path: Path) -> None:
    text = (
        "2014-08-20 12:00:00,000 INFO ContainerImpl: Container container_1_0001_01_000002"
        " transitioned from SCHEDULED to RUNNING\n"
    )
    memory.pipe("/one/yarn-yarn-nodemanager-n1.log", text.encode())
    store = Store(tmp_path / "store")

    outcomes = [
        next(iter(took(store, "memory://one", zone=zone).values())).outcome
        for zone in ("UTC", "UTC", "Europe/Berlin")
    ]

    assert ["imported", "there already", "imported"] == outcomes


def test_a_file_that_cannot_be_copied_costs_no_other(
    memory: MemoryFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = MemoryFileSystem.get_file

    def broken(self: MemoryFileSystem, path: str, local: str, **more: Any) -> None:
        if path.startswith("/logs/1"):
            raise ConnectionError("Connection reset by peer\nmore")
        whole(self, path, local, **more)

    monkeypatch.setattr(MemoryFileSystem, "get_file", broken)
    store = Store(tmp_path / "store")

    read = took(store, "memory://logs")

    lost = read.pop("memory://logs/1/a.tsv")
    assert ("unreadable", "it was not copied: Connection reset by peer") == (
        lost.outcome, lost.first_unread,
    )  # fmt: skip
    assert {"imported"} == {one.outcome for one in read.values()}
    assert () == unfinished_imports(store.folder)


def test_a_folder_that_cannot_be_listed_is_named(
    memory: MemoryFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = MemoryFileSystem.ls

    def closed(self: MemoryFileSystem, path: str, **more: Any) -> Any:
        if path.rstrip("/") == "/logs/1":
            raise PermissionError("Permission denied: user=me")
        return whole(self, path, **more)

    monkeypatch.setattr(MemoryFileSystem, "ls", closed)

    read = took(Store(tmp_path / "store"), "memory://logs")

    assert "Permission denied: user=me" == read["memory://logs/1"].first_unread
    assert 3 == len(read)


@pytest.mark.parametrize(
    ("address", "kind", "what"),
    [
        ("memory://nothing", EvidenceError, "there is no memory://nothing"),
        ("nosuch://a/b", UsageError, "cannot be opened: Protocol not known: nosuch"),
        ("webhdfs://me:secret@host/x", UsageError, "has a password in it"),
        ("webhdfs://localhost:1/x", EvidenceError, "cannot be listed: "),
    ],
)
def test_addresses_that_cannot_be_read(
    memory: MemoryFileSystem, address: str, kind: type[MprofError], what: str
) -> None:
    with pytest.raises(kind) as raised:
        remote_tree(address)
    assert what in raised.value.what
    assert "secret" not in raised.value.what + raised.value.next_step


@pytest.fixture
def hdfs() -> Iterator[FakeHdfs]:
    with fake_hdfs() as made:
        made.make("/logs")
        made.files["/logs/a.tsv"] = (HEADER + "n1\twriteBlock\t0.000\t9.000\tok\n").encode(), 1.7e9
        yield made


def test_a_file_on_hdfs_is_copied(hdfs: FakeHdfs, tmp_path: Path) -> None:
    (one,) = took(Store(tmp_path / "store"), f"{hdfs.address}/logs").values()

    assert ("imported", 1) == (one.outcome, one.rows)


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        ("OPEN of a DataNode", "it was not copied: IOException: a disk has failed"),
        ("OPEN", "it was not copied: a disk has failed"),
    ],
)
def test_what_a_datanode_says_is_not_taken_for_a_log(
    hdfs: FakeHdfs, tmp_path: Path, operation: str, why: str
) -> None:
    hdfs.fault.add(operation)
    (one,) = took(Store(tmp_path / "store"), f"{hdfs.address}/logs").values()

    assert ("unreadable", why) == (one.outcome, one.first_unread)


def test_a_copy_that_is_shorter_than_the_file_is_none(
    memory: MemoryFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(self: MemoryFileSystem, path: str, local: str, **_: Any) -> None:
        Path(local).write_bytes(self.cat(path)[:40])

    monkeypatch.setattr(MemoryFileSystem, "get_file", cut)
    (one,) = took(Store(tmp_path / "store"), "memory://logs/1").values()

    assert ("unreadable", "it was not copied: of 107 bytes 40 came") == (
        one.outcome, one.first_unread,
    )  # fmt: skip


@pytest.mark.parametrize("operation", ["GETFILESTATUS", "LISTSTATUS"])
def test_a_namenode_that_does_not_answer_is_one_line(
    hdfs: FakeHdfs, operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mprof.remote.webhdfs.ANSWER_S", 0.2)
    hdfs.silent.add(operation)

    with pytest.raises(EvidenceError, match="cannot be listed: its server did not answer") as told:
        remote_tree(f"{hdfs.address}/logs")
    assert "check the address, and that its server answers from here" == told.value.next_step


def test_the_copy_goes(memory: MemoryFileSystem) -> None:
    (file,) = remote_tree("memory://logs/0/a.tsv").files
    assert file.named
    with copied(file) as path:
        assert path.read_bytes() == memory.cat("/logs/0/a.tsv")
        assert file.name == path.name
    assert not path.parent.exists()


def test_names_of_this_machine_are_no_addresses() -> None:
    assert [is_address(name) for name in ("s3://a", "a:b", "/a://b", "C://x")] == [
        True, False, False, False,
    ]  # fmt: skip
