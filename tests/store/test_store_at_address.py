"""A store on HDFS or in an object store is the one in a folder, without locks and renaming over.

A fake WebHDFS and fsspec's memory stand for the two; a real HDFS is in
tests/hadoop/test_store_on_hdfs.py.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pandas as pd
import pyarrow.compute as pc
import pytest
from builders.fake_webhdfs import FakeHdfs, fake_hdfs
from builders.stores import add
from fsspec.implementations.memory import MemoryFileSystem

from mprof.errors import EvidenceError, UsageError
from mprof.remote.address import Address, place_of
from mprof.remote.systems import content_of, entries
from mprof.store import SourceNote, Store, frame_of
from mprof.store.retention import drop_before, merged
from mprof.store.unfinished import importing, unfinished_imports

DAY_S = 86_400.0


@pytest.fixture
def hdfs() -> Iterator[FakeHdfs]:
    with fake_hdfs() as made:
        yield made


@pytest.fixture
def memory() -> Iterator[MemoryFileSystem]:
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    yield system
    system.store.clear()


@pytest.fixture(params=["webhdfs", "memory"])
def address(request: pytest.FixtureRequest) -> str:
    if request.param == "memory":
        request.getfixturevalue("memory")
        return "memory://bucket/store"
    made: FakeHdfs = request.getfixturevalue("hdfs")
    return f"{made.address}/data/store"


def metric(host: str, at_s: float) -> dict[str, Any]:
    return {"host": host, "at_s": at_s, "user": at_s % 7}


def rows(store: Store, table: str = "metrics") -> list[dict[str, Any]]:
    """All rows of a table, in an order that depends on nothing."""
    frame = store.read(table).drop(columns=["imported_at_s"], errors="ignore")
    known = frame.astype(object).where(frame.notna(), None)
    found: list[dict[str, Any]] = known.to_dict("records")
    return sorted(found, key=str)


def filled(store: Store) -> Store:
    for number in range(3):
        add(store, f"s{number}", {
            "metrics": [metric(f"n{host}", 1.7e9 + 10 * number + host) for host in range(4)],
            "attempts": [{"job": "j", "attempt": "a", "host": "n1", "started_s": 1.0,
                          "state": "running" if number else "succeeded"}],
        })  # fmt: skip
    add(store, "list", {"nodes": [{"host": "n1"}, {"host": "N2.example.org"}]})
    store.drop("s2")
    return store


def test_the_tables_are_those_of_the_same_rows_in_a_folder(address: str, tmp_path: Path) -> None:
    here, there = filled(Store(tmp_path / "store")), filled(Store(address))

    again = Store.at(address)
    for table in ("metrics", "attempts", "nodes", "names", "sources", "jobs"):
        assert rows(here, table) == rows(again, table) == rows(there, table), table
    assert ("list", "s0", "s1") == again.sources()
    assert again.has("s1")
    assert not again.has("s2")
    wanted = pc.field("host") == "n1"
    part = again.rows("metrics", columns=("host", "at_s"), by="at_s", chosen=wanted)
    between = pickle.loads(pickle.dumps(part.between(1.7e9, 1.7e9 + 5)))
    assert [("n1", 1.7e9 + 1)] == [*between.read().itertuples(index=False, name=None)]


def test_no_file_is_written_twice_or_over_another(hdfs: FakeHdfs) -> None:
    store = filled(Store(f"{hdfs.address}/store"))
    add(store, "s1", {"metrics": [metric("n9", 1.7e9)]})
    written = [path for what, path in hdfs.asked if what == "CREATE"]

    assert len(set(written)) == len(written)
    assert ["n9"] == store.read("metrics", source="s1")["host"].tolist()
    notes = sorted(Path(path).name for path in hdfs.files if "/sources/" in path)
    assert ["list", "s0", "s1"] == [name.partition(".")[0] for name in notes]


class Killed(BaseException):
    """In the place of a process that ends at once."""


@pytest.fixture
def killed_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[str]]:
    """Let the process end before its operation with that number: nothing of it runs after that."""
    done: list[str] = []
    limit = [1_000_000]

    def counted(name: str) -> None:
        real = getattr(MemoryFileSystem, name)

        def operation(system: MemoryFileSystem, *args: Any, **named: Any) -> Any:
            if len(done) >= limit[0]:
                raise Killed
            done.append(name)
            return real(system, *args, **named)

        monkeypatch.setattr(MemoryFileSystem, name, operation)

    def start(number: int) -> list[str]:
        done.clear()
        limit[0] = number
        return done

    for name in ("pipe_file", "put_file", "rm_file", "mv"):
        counted(name)
    return start


@pytest.mark.slow
def test_what_is_killed_anywhere_leaves_the_rows_before_or_those_after(
    memory: MemoryFileSystem, killed_at: Callable[[int], list[str]]
) -> None:
    """An import, an import anew, and rows that are cut: each before each of its operations."""
    after = {}
    for what in ("import", "anew", "cut"):
        ended, number, seen = False, 0, set()
        while not ended:
            store = Store(f"memory://{what}{number}")
            add(store, "old", {"metrics": [metric("n1", 1.7e9 + 1), metric("n2", 1.7e9 + DAY_S)],
                               "nodes": [{"host": "n1"}]})  # fmt: skip
            before = rows(store)
            killed_at(number)
            try:
                if what == "cut":
                    drop_before(store, 1.7e9 + 10, kept_s=1.0)
                else:
                    name = "old" if what == "anew" else "new"
                    add(store, name, {"metrics": [metric("n3", 1.7e9 + 2)]})
                ended = True
            except Killed:
                number += 1
            killed_at(1_000_000)
            opened = Store.at(store.folder)
            found = rows(opened)
            seen.add("before" if found == before else str(found))
            nodes = opened.read("nodes")["host"].tolist()
            assert nodes == ([] if what == "anew" and found != before else ["n1"])
            if ended:
                after[what] = found
        assert seen == {"before", str(after[what])}, what
        assert number > 3, what
    assert 3 == len(after["import"])
    assert ["n3"] == [one["host"] for one in after["anew"]]
    assert ["n2"] == [one["host"] for one in after["cut"]]


@pytest.mark.slow
def test_a_merge_that_is_killed_anywhere_leaves_each_row_once(
    memory: MemoryFileSystem,
    killed_at: Callable[[int], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("s1", "s2", "s3")
    monkeypatch.setattr("mprof.store.replacement.psutil.pid_exists", lambda _number: False)

    def seen(store: Store) -> list[tuple[str, float]]:
        return sorted(store.read("metrics")[["host", "at_s"]].itertuples(index=False, name=None))

    number, ended = 0, False
    while not ended:
        store = Store(f"memory://merged{number}")
        for place, name in enumerate(names):
            add(store, name, {"metrics": [metric(f"n{place}", 1.7e9 + each) for each in range(4)]})
        expected = seen(store)
        killed_at(number)
        try:
            merged(store, names, path="answers", kind="test")
            ended = True
        except Killed:
            number += 1
        killed_at(1_000_000)
        opened = Store.at(store.folder)
        assert expected == seen(opened)
        drop_before(opened, 0.0, kept_s=1.0)  # takes out what was left
        assert expected == seen(opened)
        assert not [name for name in memory.store if name.endswith(".replaces")]
        for source in opened.sources():
            opened.drop(source)
        assert Store.at(store.folder).read("metrics").empty
    assert number > 10


def test_two_that_write_the_same_source_at_once_leave_one_of_both_whole(address: str) -> None:
    Store(address)
    one, other = Store.at(address), Store.at(address)
    with one.writing("s") as mine, other.writing("s") as theirs:
        for writer, host in ((mine, "mine"), (theirs, "theirs")):
            writer.write("metrics", frame_of("metrics", [metric(host, 1.0), metric(host, 2.0)]))
            writer.write("nodes", frame_of("nodes", [{"host": host}]))
        mine.finish(SourceNote("s", "/a", "mine", 1, 2, 0, None))
        assert {"mine"} == set(Store.at(address).read("metrics")["host"])
        theirs.finish(SourceNote("s", "/a", "theirs", 1, 2, 0, None))

    store = Store.at(address)
    (host,) = set(store.read("metrics")["host"])
    assert 2 == len(store.read("metrics"))
    assert [host] == store.read("nodes")["host"].tolist()
    assert [host] == store.read("sources")["kind"].tolist()


def test_a_reader_never_sees_an_edition_half_gone(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two looks of the reader somebody else imports the source anew."""
    store = Store(address)
    add(store, "s", {"metrics": [metric("n1", 1.0)]})
    reader = Store.at(address)
    real, left = entries, [2]

    def while_it_changes(folder: Address) -> Any:
        if folder.name == "metrics" and left[0]:
            left[0] -= 1
            add(store, "s", {"metrics": [metric(f"m{left[0]}", 1.0)]})
        return real(folder)

    monkeypatch.setattr("mprof.store.editions.entries", while_it_changes)
    assert ["m0"] == reader.read("metrics")["host"].tolist()
    left[0] = 1_000
    with pytest.raises(EvidenceError, match="changes while it is read"):
        reader.read("metrics")


def test_what_killed_imports_left_goes_after_a_day(hdfs: FakeHdfs) -> None:
    store = filled(Store(f"{hdfs.address}/store"))
    expected = rows(store)
    note = next(path for path in hdfs.files if "/sources/s0." in path)
    left = ["/store/metrics/x.1-ab.parquet", "/store/metrics/s0.9-ab.parquet",
            "/store/sources/.ab.new"]  # fmt: skip
    for path in left:
        hdfs.files[path] = hdfs.files[note]
    others = {"/store/metrics/y.1-ab.parquet", "/store/metrics/notes.txt"}
    for path in others:
        hdfs.files[path] = hdfs.files[note]
    now_s = hdfs.files[note][1]
    for path in list(hdfs.files):
        if path not in {"/store/metrics/y.1-ab.parquet", "/store/mprof-store.txt"}:
            hdfs.files[path] = hdfs.files[path][0], now_s - 1.1 * DAY_S
    store.clear_up()

    assert not set(left) & set(hdfs.files)
    assert others <= set(hdfs.files)
    assert expected == rows(Store.at(f"{hdfs.address}/store"))


def test_an_answer_that_is_lost_loses_no_row(
    memory: MemoryFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The note is there, and who wrote it does not know."""
    store = Store("memory://store")
    real = MemoryFileSystem.mv

    def lost(system: MemoryFileSystem, *args: Any, **named: Any) -> None:
        real(system, *args, **named)
        raise ConnectionError("Connection reset by peer")

    monkeypatch.setattr(MemoryFileSystem, "mv", lost)
    with pytest.raises(EvidenceError, match="Connection reset by peer"):
        add(store, "s", {"metrics": [metric("n1", 1.0)]})

    assert ["n1"] == Store.at("memory://store").read("metrics")["host"].tolist()


def test_who_is_overtaken_before_it_has_looked_at_its_note_has_written_it(
    memory: MemoryFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another import of the same source ends between the renaming and the look at what came of it.

    With its latest edition it takes the one away that has just come.
    """
    store = Store("memory://store")
    real, overtaken = MemoryFileSystem.mv, []

    def then_another_ends(system: MemoryFileSystem, *args: Any, **named: Any) -> None:
        real(system, *args, **named)
        if not overtaken:
            overtaken.append(args)
            other = Store.at("memory://store")
            add(other, "s", {"metrics": [metric("theirs", 1.0)]})
            other.clear_up()

    monkeypatch.setattr(MemoryFileSystem, "mv", then_another_ends)
    add(store, "s", {"metrics": [metric("mine", 1.0)]})

    assert overtaken
    assert ["theirs"] == Store.at("memory://store").read("metrics")["host"].tolist()


def test_a_note_that_was_not_renamed_does_not_count(
    memory: MemoryFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WebHDFS answers false then, and fsspec does not say so."""
    store = Store("memory://store")
    monkeypatch.setattr(MemoryFileSystem, "mv", lambda *_args, **_named: None)
    with pytest.raises(EvidenceError, match="did not rename it"):
        add(store, "s", {"metrics": [metric("n1", 1.0)]})
    assert Store.at("memory://store").read("metrics").empty


def test_imports_that_have_not_ended_are_told(address: str) -> None:
    store = Store(address)

    class Stopped(Exception):
        """In the place of a kill."""

    with pytest.raises(Stopped), importing(store.folder, ["/logs"]):
        raise Stopped
    (left,) = unfinished_imports(store.folder)
    assert ("/logs",) == left.what
    with importing(store.folder, ["/logs"]):
        pass
    assert () == unfinished_imports(store.folder)


def test_a_store_that_was_copied_to_an_address_is_read_and_not_written(
    memory: MemoryFileSystem, tmp_path: Path
) -> None:
    here = filled(Store(tmp_path / "store"))
    memory.put(str(tmp_path / "store"), "/copied", recursive=True)
    there = Store.at("memory://copied")

    assert rows(here) == rows(there)
    with pytest.raises(EvidenceError, match="was copied there from a folder"):
        add(there, "s9", {"nodes": [{"host": "n1"}]})
    assert rows(here) == rows(Store.at("memory://copied"))


def test_a_store_that_was_copied_from_an_address_is_a_store(
    memory: MemoryFileSystem, tmp_path: Path
) -> None:
    there = filled(Store("memory://store"))
    memory.get("/store", str(tmp_path / "copied"), recursive=True)
    here = Store.at(tmp_path / "copied")

    assert rows(there) == rows(here)
    add(here, "s9", {"metrics": [metric("n9", 1.0)]})
    assert "n9" in set(Store.at(tmp_path / "copied").read("metrics")["host"])
    assert here.has("s9")


def test_what_is_no_store_is_said_and_not_written_to(address: str) -> None:
    folder = place_of(address)
    assert isinstance(folder, Address)
    with pytest.raises(EvidenceError, match="is no folder of tables"):
        Store.at(address)
    store = Store(folder / "inner")
    with pytest.raises(EvidenceError, match="is no folder of tables"):
        Store(address)
    assert store.sources() == ()
    assert content_of(folder / "mprof-store.txt") is None


@pytest.fixture
def all_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if all files were too large to be read at once."""
    monkeypatch.setattr("mprof.store.parquet.SMALL_BYTES", 0)


@pytest.mark.usefixtures("all_in_parts")
def test_a_damaged_file_and_one_that_has_gone_are_told_apart(hdfs: FakeHdfs) -> None:
    store = Store(f"{hdfs.address}/store")
    add(store, "s", {"metrics": [metric("n1", float(each)) for each in range(500)]})
    (path,) = (path for path in hdfs.files if "/metrics/" in path)
    parts = store.rows("metrics", columns=("host",), by="at_s")
    whole = hdfs.files[path]
    hdfs.files[path] = whole[0][:-20], whole[1]
    with pytest.raises(EvidenceError, match=r"\.parquet is damaged"):
        Store.at(f"{hdfs.address}/store").read("metrics")
    del hdfs.files[path]
    with pytest.raises(EvidenceError, match="was there a moment ago"):
        parts.read()


@pytest.mark.usefixtures("all_in_parts")
@pytest.mark.parametrize("how", ["read", "rows"])
def test_a_datanode_that_refuses_is_no_damage(hdfs: FakeHdfs, how: str) -> None:
    store = Store(f"{hdfs.address}/store")
    add(store, "s", {"metrics": [metric("n1", float(each)) for each in range(500)]})
    parts = store.rows("metrics", columns=("host",), by="at_s")
    hdfs.fault.add("OPEN of a DataNode")

    with pytest.raises(EvidenceError, match="cannot be read: IOException: a disk has failed"):
        parts.read() if how == "rows" else store.read("metrics")


@pytest.mark.parametrize("operation", ["LISTSTATUS", "OPEN", "OPEN of a DataNode"])
def test_a_server_that_does_not_answer_is_one_line(
    hdfs: FakeHdfs, operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(Store(f"{hdfs.address}/store"))
    monkeypatch.setattr("mprof.remote.webhdfs.ANSWER_S", 0.2)
    hdfs.silent.add(operation)

    with pytest.raises(EvidenceError, match="its server did not answer within") as raised:
        Store.at(f"{hdfs.address}/store").read("metrics")
    assert "check the address" in raised.value.next_step


@pytest.mark.parametrize("operation", ["CREATE", "CREATE of a DataNode", "RENAME"])
def test_a_write_that_gets_no_answer_leaves_what_was_there(
    hdfs: FakeHdfs, operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(Store(f"{hdfs.address}/store"))
    expected = rows(store)
    monkeypatch.setattr("mprof.remote.webhdfs.ANSWER_S", 0.2)
    hdfs.silent.add(operation)
    with pytest.raises(EvidenceError, match="did not answer within"):
        add(store, "s0", {"metrics": [metric("n9", 1.0)]})
    hdfs.silent.clear()

    assert expected == rows(Store.at(f"{hdfs.address}/store"))


def test_who_may_not_write_is_told(hdfs: FakeHdfs) -> None:
    store = Store(f"{hdfs.address}/store")
    add(store, "s", {"nodes": [{"host": "n1"}]})
    note = next(path for path in hdfs.files if "/sources/" in path)
    hdfs.denied.add(note)
    with pytest.raises(UsageError, match="cannot be deleted: Permission denied: user=me"):
        store.drop("s")
    assert ["n1"] == store.read("nodes")["host"].tolist()


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("a/b", Path("a/b")),
        ("file:///a/b c", Path("/a/b c")),
        ("file://localhost/a%20b", Path("/a b")),
        ("webhdfs://n:1/a/", Address("webhdfs://n:1/a")),
        ("C://x", Path("C:/x")),
    ],
)
def test_a_place_is_a_path_or_an_address(named: str, expected: Path | Address) -> None:
    assert expected == place_of(named)


def test_a_password_is_not_printed() -> None:
    with pytest.raises(UsageError, match="has a password in it") as raised:
        place_of("webhdfs://me:secret@host/store")
    assert "secret" not in str(raised.value)


@pytest.mark.usefixtures("all_in_parts")
def test_a_table_of_many_parts_is_read_in_parts(hdfs: FakeHdfs) -> None:
    """Who asks for an hour of a day does not copy the day."""
    store = Store(f"{hdfs.address}/store")
    every = [metric("n1", 1.7e9 + each) for each in range(20_000)]
    add(store, "s", {"metrics": every})
    parts = store.rows("metrics", columns=("at_s",), by="at_s")
    hour = parts.between(1.7e9 + 3600, 1.7e9 + 7200)
    assert len(parts.groups) > 4
    hdfs.asked.clear()
    found = hour.read()

    assert found["at_s"].tolist() == [1.7e9 + each for each in range(3600, 7200)]
    pd.testing.assert_index_equal(found.index, pd.RangeIndex(3600))
    assert len(hdfs.asked) < 10


def test_a_small_file_is_read_once(hdfs: FakeHdfs) -> None:
    store = filled(Store(f"{hdfs.address}/store"))
    expected = rows(store)
    hdfs.asked.clear()

    for _ in range(3):
        assert expected == rows(Store.at(f"{hdfs.address}/store"))
    assert not [path for what, path in hdfs.asked if what == "OPEN" and "/metrics/" in path]


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mprof.extras._is_there", lambda module: module != "fsspec")
    with pytest.raises(UsageError, match=r"^webhdfs:// needs fsspec") as raised:
        Store.at("webhdfs://namenode:9870/store")
    assert "pip install 'mprof-hadoop[remote]'" == raised.value.next_step
