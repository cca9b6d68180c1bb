"""Files on a real HDFS, read by WebHDFS: the store is that of the same files on this machine."""

from __future__ import annotations

import getpass
import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from builders.hadoop_daemons import HadoopDaemons
from builders.spark import local_cluster

from mprof.sources import import_files
from mprof.sources.remote import remote_tree
from mprof.store import TABLES, Store

pytestmark = [pytest.mark.hadoop, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "testbed/recordings/checksum-error-pig-1-speculation/histories"


@pytest.fixture(scope="module")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a NameNode."""
    made = HadoopDaemons(tmp_path_factory.mktemp("daemons") / "work")
    try:
        yield made.start_hdfs()
    finally:
        made.close()


def ask(url: str, content: bytes | None = None) -> bytes:
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, data=content, method="PUT"), timeout=60
        ) as answer:
            text: bytes = answer.read()
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{url}: {error.read().decode()}") from error
    return text


def of_namenode(hdfs: str, path: str, operation: str) -> str:
    return f"http://{hdfs}/webhdfs/v1{quote(path)}?op={operation}&user.name={getpass.getuser()}"


def put(hdfs: str, path: str, content: bytes) -> None:
    """A file onto HDFS, in two steps: the NameNode says which DataNode takes it."""
    place = ask(of_namenode(hdfs, path, "CREATE&noredirect=true"))
    ask(json.loads(place)["Location"], content)


@pytest.fixture(scope="module")
def folder(hdfs: str) -> str:
    """Histories on HDFS, in folders, one of them closed; and a file of no known kind."""
    for number, path in enumerate(sorted(RECORDED.glob("*.gz"))):
        put(hdfs, f"/history/done/{number % 2}/{path.name}", path.read_bytes())
    put(hdfs, "/history/a b/notes.txt", b"of no known kind\n")
    put(hdfs, "/history/closed/x.jhist", b"x")
    ask(of_namenode(hdfs, "/history/closed", "SETPERMISSION&permission=700"))
    return f"webhdfs://{hdfs}/history"


def tables_of(store: Store) -> dict[str, list[str]]:
    tables = {}
    for name in TABLES:
        frame = store.read(name).drop(columns=["imported_at_s", "path", "name"], errors="ignore")
        tables[name] = sorted(map(str, frame.to_dict("records")))
    return tables


def assert_same(store: Store, tmp_path: Path) -> None:
    here = Store(tmp_path / "here")
    assert all(one.outcome == "imported" for one in import_files([RECORDED], here))
    expected, found = tables_of(here), tables_of(store)
    assert len(expected["attempts"])
    assert expected == found


def test_a_folder_on_hdfs_is_read_as_one_here_is(folder: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    read = list(import_files([remote_tree(folder)], store))

    by_outcome = {one.path.name: one.outcome for one in read}
    assert by_outcome.pop("closed") == "unreadable"
    assert by_outcome.pop("notes.txt") == "of no known kind"
    assert set(by_outcome.values()) == {"imported"}
    assert len(by_outcome) == len(list(RECORDED.glob("*.gz")))
    assert "ermission" in next(one.first_unread or "" for one in read if one.path.name == "closed")
    assert_same(store, tmp_path)
    again = {
        one.outcome for one in import_files([remote_tree(folder)], store) if one.source is not None
    }
    assert again == {"there already"}


def test_spark_reads_it_from_there_too(folder: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    with local_cluster() as engine:
        read = list(import_files([remote_tree(folder)], store, engine=engine))
    assert [one.outcome for one in read].count("imported") == len(list(RECORDED.glob("*.gz")))
    assert_same(store, tmp_path)


def test_the_command_names_what_it_left(folder: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "mprof", "import", folder, "--store", str(tmp_path / "store")],
        capture_output=True, text=True, timeout=300, cwd=ROOT, check=False,
    )  # fmt: skip
    assert ran.returncode == 3, ran.stderr
    assert f"{folder}/closed: not read: " in ran.stdout
    assert f"{folder}/a b/notes.txt: left out: of no known kind" in ran.stdout


def test_nothing_there(hdfs: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "mprof", "import", f"webhdfs://{hdfs}/nothing", "--store",
         str(tmp_path / "store")],
        capture_output=True, text=True, timeout=300, cwd=ROOT, check=False,
    )  # fmt: skip
    assert ran.returncode == 3
    assert f"there is no webhdfs://{hdfs}/nothing" in ran.stderr
    assert not (tmp_path / "store").exists()
