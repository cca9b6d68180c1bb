"""Files that come and grow are imported as they do; others are not opened again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mprof.errors import EvidenceError
from mprof.sources import reader as reader_module
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
    assert len(store.sources()) == 3  # each with the lines that had come


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


def moved(at: int, container: int, before: str, after: str) -> str:
    return (
        f"2026-11-24 02:{at // 60:02d}:{at % 60:02d},000 INFO org.apache.hadoop.yarn.server."
        "nodemanager.containermanager.container.ContainerImpl: Container "
        f"container_1_0001_01_{container:06d} transitioned from {before} to {after}\n"
    )


def life(begin: int, end: int, container: int) -> list[tuple[int, str]]:
    steps = ["NEW", "LOCALIZING", "LOCALIZED", "RUNNING", "EXITED_WITH_SUCCESS", "DONE"]
    at = [begin, begin, begin + 1, begin + 1, end, end]
    pairs = zip(at[1:], steps, steps[1:], strict=False)
    return [(when, moved(when, container, *step)) for when, *step in pairs]


def node_manager_lines() -> list[str]:
    """Forty containers whose lives overlap."""
    told = [each for number in range(40) for each in life(5 * number, 5 * number + 33, number)]
    return [line for _, line in sorted(told, key=lambda one: one[0])]


@pytest.mark.parametrize("cut", [1, 7, 50, 10_000])
def test_a_log_in_pieces_gives_what_the_whole_gives(tmp_path: Path, cut: int) -> None:
    lines = "".join(node_manager_lines()).encode()
    whole, pieces = Store(tmp_path / "whole"), Store(tmp_path / "pieces")
    name = "hadoop-x-nodemanager-n1.log"
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / name).write_bytes(lines)
    assert ["imported"] == [one.outcome for one in Watch([tmp_path / "all"], whole).changed()]

    logs = tmp_path / "logs"
    logs.mkdir()
    watch = Watch([logs], pieces)
    step = max(1, len(lines) // cut) + 13  # within lines too
    for begin in range(0, len(lines), step):
        with (logs / name).open("ab") as file:
            file.write(lines[begin : begin + step])
        list(watch.changed())

    key = ["started_s", "finished_s", "attempt", "state", "host"]
    expected, actual = (
        store.read("attempts")[key].sort_values("attempt", ignore_index=True)
        for store in (whole, pieces)
    )
    assert 40 == len(expected)
    assert expected["started_s"].notna().all()
    pd.testing.assert_frame_equal(expected, actual)


def test_of_a_log_that_has_grown_only_the_new_lines_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, logs = Store(tmp_path / "store"), tmp_path / "logs"
    log(logs, range(2000))
    watch = Watch([logs], store)
    list(watch.changed())
    read: list[int] = []
    real = reader_module._pieces

    def counted(*words: Any, **more: Any) -> Iterator[bytes]:
        for piece in real(*words, **more):
            read.append(len(piece))
            yield piece

    monkeypatch.setattr(reader_module, "_pieces", counted)
    monkeypatch.setattr(watching, "head_of", pytest.fail)
    log(logs, range(2000, 2003))
    ((one,), size) = list(watch.changed()), (logs / "hadoop-x-datanode-n1.log").stat().st_size

    assert 3 == one.rows
    assert 2003 == len(store.read("transfers"))
    assert sum(read) < 20_000 < size // 20


def test_a_log_that_is_imported_whole_takes_the_place_of_its_pieces(tmp_path: Path) -> None:
    store, logs = Store(tmp_path / "store"), tmp_path / "logs"
    logs.mkdir()
    watch = Watch([logs], store)
    for lines in (range(3), range(3, 5), range(5, 9)):
        log(logs, lines)
        list(watch.changed())
    in_pieces = len(store.sources())
    list(Watch([logs], store).changed())  # as after a restart

    assert (3, 1) == (in_pieces, len(store.sources()))
    assert 9 == len(store.read("transfers"))


def test_a_log_that_is_rolled_is_read_from_its_start(tmp_path: Path) -> None:
    store, logs = Store(tmp_path / "store"), tmp_path / "logs"
    file = log(logs, range(5))
    watch = Watch([logs], store)
    list(watch.changed())
    file.rename(logs / f"{file.name}.1")
    log(logs, range(10, 17))
    list(watch.changed())
    log(logs, range(17, 20))
    list(watch.changed())

    assert 15 == len(store.read("transfers"))
    assert 15 == store.read("transfers")["block"].nunique()


def test_a_log_that_is_written_anew_is_read_from_its_start(tmp_path: Path) -> None:
    store, logs = Store(tmp_path / "store"), tmp_path / "logs"
    file = log(logs, range(5))
    watch = Watch([logs], store)
    list(watch.changed())
    with file.open("w", encoding="utf-8"):  # the same file, emptied
        pass
    log(logs, range(10, 20))
    list(watch.changed())

    assert set(range(10, 20)) <= {
        int(block.rpartition("blk_")[2].split("_")[0]) for block in store.read("transfers")["block"]
    }
