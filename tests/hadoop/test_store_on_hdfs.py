"""A store on a real HDFS: every verb says of it what it says of the same store in a folder."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders.hadoop_daemons import HadoopDaemons
from builders.spark import local_cluster

from mprof.peers.detectors.registry import detectors_named
from mprof.peers.findings import find_sick_nodes
from mprof.report.nodes import render_json
from mprof.sources import import_files
from mprof.store import TABLES, Store
from mprof.store.retention import drop_before, merged

pytestmark = [pytest.mark.hadoop, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "testbed/recordings/checksum-error-pig-1-speculation"
JOB = "job_1795506508590_0013"


@pytest.fixture(scope="module")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an empty folder."""
    made = HadoopDaemons(tmp_path_factory.mktemp("daemons") / "work")
    try:
        yield f"webhdfs://{made.start_hdfs()}"
    finally:
        made.close()


@pytest.fixture(autouse=True)
def a_user_of_hdfs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one who has started it; else WebHDFS takes everybody for nobody."""
    import getpass

    from fsspec.config import conf

    monkeypatch.setenv("FSSPEC_WEBHDFS_USER", getpass.getuser())
    # fsspec reads its environment once, and another test may have imported it before
    monkeypatch.setitem(conf, "webhdfs", {"user": getpass.getuser()})


def mprof(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mprof", *map(str, words)],
        capture_output=True, text=True, timeout=500, cwd=ROOT, check=False,
    )  # fmt: skip


def rows_of(store: Store) -> dict[str, list[str]]:
    """All rows; nothing of when they were imported, and from what folder."""
    tables = {}
    for name in TABLES:
        frame = store.read(name).drop(columns=["imported_at_s", "path"], errors="ignore")
        tables[name] = sorted(map(str, frame.to_dict("records")))
    return tables


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("here") / "store"
    done = mprof("import", RECORDED, "--store", folder)
    assert "0 rows" not in done.stdout, done.stderr
    return folder


@pytest.fixture(scope="module")
def there(hdfs: str, here: Path) -> str:
    import getpass

    os.environ["FSSPEC_WEBHDFS_USER"] = getpass.getuser()
    try:
        mprof("import", RECORDED, "--store", f"{hdfs}/mprof/store")
    finally:
        del os.environ["FSSPEC_WEBHDFS_USER"]
    return f"{hdfs}/mprof/store"


def test_the_rows_are_the_same(here: Path, there: str) -> None:
    assert rows_of(Store.at(here)) == rows_of(Store.at(there))
    again = json.loads(mprof("import", RECORDED, "--store", there, "--json").stdout)
    assert {"there already", "of no known kind"} == {one["outcome"] for one in again["files"]}


def test_nodes_triage_and_view_say_the_same(here: Path, there: str, tmp_path: Path) -> None:
    for words in (["nodes", "STORE", "--json"], ["triage", JOB, "--store", "STORE", "--json"],
                  ["nodes", "STORE"]):  # fmt: skip
        one, other = (
            mprof(*(str(store) if word == "STORE" else word for word in words))
            for store in (here, there)
        )
        assert 0 == one.returncode == other.returncode, other.stderr
        assert one.stdout.replace(str(here), there) == other.stdout
        assert len(other.stdout) > 200
    sites = []
    for store in (here, there):
        site = tmp_path / f"site{len(sites)}"
        done = mprof("view", store, "-o", site, "--name", "one")
        assert 0 == done.returncode, done.stderr
        sites.append({each.name: each.read_bytes() for each in site.rglob("*") if each.is_file()})
    assert sites[0].keys() == sites[1].keys()
    one, other = ({name: without_times(of[name]) for name in of} for of in sites)
    assert not [name for name in one if one[name] != other[name]]


def without_times(content: bytes) -> bytes:
    """Without when the page was made."""
    return re.sub(rb"20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?|\d{10}\.\d+", b"", content)


def test_spark_writes_and_reads_it_where_it_lies(hdfs: str, tmp_path: Path) -> None:
    here, store = Store(tmp_path / "store"), Store(f"{hdfs}/mprof/by-spark")
    histories = [RECORDED / "histories"]
    assert all(one.outcome == "imported" for one in import_files(histories, here))
    asked = detectors_named("wb-durations,wb-ends")
    with local_cluster() as engine:
        list(import_files(histories, store, engine=engine))
        found = find_sick_nodes(Store.at(store.folder), engine=engine, detectors=asked)
    assert rows_of(here) == rows_of(store)
    assert render_json(find_sick_nodes(here, detectors=asked)) == render_json(found)


def files_at(address: str) -> int:
    from mprof.remote.address import Address
    from mprof.remote.systems import entries

    return len(entries(Address(f"{address}/sources")))


def test_an_import_that_is_killed_loses_nothing(hdfs: str, here: Path) -> None:
    address = f"{hdfs}/mprof/killed"
    process = subprocess.Popen(
        [sys.executable, "-m", "mprof", "import", str(RECORDED), "--store", address],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    end_s = time.monotonic() + 300
    while process.poll() is None and files_at(address) < 3 and time.monotonic() < end_s:
        pass  # the next look is the synchronisation
    process.send_signal(signal.SIGKILL)
    assert -signal.SIGKILL == process.wait()

    store, whole = Store.at(address), Store.at(here)
    left = store.sources()
    assert 0 < len(left) < len(whole.sources())
    for source in left:
        for table in ("metrics", "attempts", "transfers"):
            assert len(store.read(table, source=source)) == len(whole.read(table, source=source))
    assert "was broken off: run it again" in mprof("nodes", address).stdout
    mprof("import", RECORDED, "--store", address)
    assert rows_of(whole) == rows_of(Store.at(address))
    assert () == store.unfinished()


def test_two_imports_at_once(hdfs: str, here: Path) -> None:
    address = f"{hdfs}/mprof/two"
    Store(address)
    both = [
        subprocess.Popen(
            [sys.executable, "-m", "mprof", "import", str(RECORDED), "--store", address],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    for one in both:
        _, said = one.communicate(timeout=500)
        assert one.returncode == 0, said
    assert rows_of(Store.at(here)) == rows_of(Store.at(address))


def test_rows_are_cut_and_sources_are_merged(hdfs: str, here: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(here, tmp_path / "store")
    stores = [Store.at(tmp_path / "store"), Store(f"{hdfs}/mprof/cut")]
    list(import_files([RECORDED], stores[1]))

    def seen(store: Store) -> list[Any]:
        return [sorted(store.read(table).drop(columns=["source", "counters", "slices_ms"],
                                              errors="ignore").astype(str).to_numpy().tolist())
                for table in ("metrics", "transfers", "attempts")]  # fmt: skip

    middle_s = float(stores[0].read("metrics")["at_s"].median())
    before = seen(stores[0])
    for store in stores:
        drop_before(store, middle_s, kept_s=1.0)
    assert seen(stores[0]) == seen(stores[1]) != before
    for store in stores:
        with_metrics = set(store.read("metrics")["source"])
        sources = [source for source in store.sources() if source in with_metrics]
        merged(store, sources[:3], path="three", kind="test")
    assert seen(stores[0]) == seen(stores[1])
    assert stores[0].sources() == stores[1].sources()


def test_a_namenode_that_is_gone_is_one_line(hdfs: str) -> None:
    done = mprof("nodes", "webhdfs://localhost:1/store")

    assert 3 == done.returncode
    assert "webhdfs://localhost:1/store cannot be listed: " in done.stderr
    assert "next step: check the address, and that its server answers from here" in done.stderr
