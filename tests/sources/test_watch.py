"""Files that come and grow are imported as they do; others are not opened again."""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.errors import EvidenceError
from mprof.sources import watch as watching
from mprof.sources.watch import Watch
from mprof.store import Store

LINE = (
    "2026-11-24 02:24:{:02d},592 INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace:"
    " src: /10.0.0.3:42754, dest: /10.0.0.2:9866, bytes: 1209, op: HDFS_WRITE, cliID: DFSClient_x,"
    " offset: 0, srvID: b6799878, blockid: BP-1:blk_{}_1002, duration(ns): 107908808\n"
)


def log(folder: Path, lines: range, host: str = "n1") -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / f"hadoop-x-datanode-{host}.log"
    with file.open("a", encoding="utf-8") as opened:
        opened.writelines(LINE.format(each % 60, each) for each in lines)
    return file


def test_lines_that_a_log_gains_are_in_the_store_after_the_next_look(tmp_path: Path) -> None:
    store, logs = Store(tmp_path / "store"), tmp_path / "logs"
    log(logs, range(3))
    watch = Watch([logs], store)

    rows = []
    for more in (range(3, 5), range(0), range(5, 9)):
        imported = [one.outcome for one in watch.changed()]
        rows.append((imported, len(store.read("transfers"))))
        log(logs, more)
    list(watch.changed())

    assert rows == [(["imported"], 3), (["imported"], 5), ([], 5)]
    assert len(store.read("transfers")) == 9
    assert len(store.sources()) == 1  # the longer file has taken the place of the shorter


def test_files_that_appear_later_are_found(tmp_path: Path) -> None:
    store, logs = Store(tmp_path / "store"), tmp_path / "logs"
    logs.mkdir()
    watch = Watch([logs], store)

    assert list(watch.changed()) == []
    log(logs, range(2), "n1")
    log(logs, range(2), "n2")
    assert sorted(one.path.name for one in watch.changed()) == [
        "hadoop-x-datanode-n1.log", "hadoop-x-datanode-n2.log",
    ]  # fmt: skip


def test_a_file_that_did_not_change_is_not_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, logs = Store(tmp_path / "store"), tmp_path / "logs"
    log(logs, range(3))
    watch = Watch([logs], store)
    list(watch.changed())
    monkeypatch.setattr(watching, "import_files", None)  # to call it would fail

    assert list(watch.changed()) == []


def test_a_file_that_goes_is_no_fault_and_its_rows_stay(tmp_path: Path) -> None:
    store, logs = Store(tmp_path / "store"), tmp_path / "logs"
    file = log(logs, range(3))
    watch = Watch([logs], store)
    list(watch.changed())
    file.unlink()

    assert list(watch.changed()) == []
    assert len(store.read("transfers")) == 3


def test_a_folder_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="there is no"):
        Watch([tmp_path / "nowhere"], Store(tmp_path / "store"))
