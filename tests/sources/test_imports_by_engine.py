"""Files that are read at the same time leave the store that files read one by one leave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from builders.spark import local_cluster

from mprof.pieces import Engine, LocalEngine
from mprof.sources import FileImport, import_files
from mprof.store import TABLES, Store

HEADER = "host\top\tstart_ms\tend_ms\tstatus\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Recordings, the same one twice, one without a name in UTF-8, and what is no recording."""
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(6):
        rows = [f"datanode{row:03d}\twriteBlock\t{row}.000\t{row + 9}.000\tok" for row in range(9)]
        text = HEADER + "\n".join(rows[: number % 3 + 2]) + "\n"
        (folder / f"{number}.tsv").write_text(text)
    (folder / "empty").write_text("")
    (folder / "notes.txt").write_text("of no known kind\n")
    (folder / "cut.tsv").write_text(HEADER + "datanode001\twriteBlock\t0.000\n")
    (Path(str(folder)) / "b\udcff.tsv").write_text(HEADER + "datanode007\tx\t1.000\t2.000\tok\n")
    return folder


def _tables(store: Store) -> dict[str, pd.DataFrame]:
    return {
        name: store.read(name).drop(columns=["imported_at_s"], errors="ignore") for name in TABLES
    }


def _same(files: Path, tmp_path: Path, engine: Engine) -> list[FileImport]:
    one_by_one, at_once = Store(tmp_path / "one-by-one"), Store(tmp_path / "at-once")

    expected = list(import_files([files], one_by_one))
    found = list(import_files([files], at_once, engine=engine))

    assert expected == found
    expected_tables, found_tables = _tables(one_by_one), _tables(at_once)
    for name, frame in expected_tables.items():
        pd.testing.assert_frame_equal(frame, found_tables[name], check_exact=True)
    return found


def test_every_file_comes_to_the_same(files: Path, tmp_path: Path) -> None:
    found = _same(files, tmp_path, LocalEngine(4))

    outcomes = [one.outcome for one in found]
    assert 4 == outcomes.count("imported")
    assert 3 == outcomes.count("there already")
    assert {"unreadable", "of no known kind"} <= set(outcomes)


def test_what_is_there_is_not_read_again(files: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    list(import_files([files], store, engine=LocalEngine(2)))

    again = list(import_files([files], store, engine=LocalEngine(2)))

    assert "imported" not in {one.outcome for one in again}


@pytest.fixture(scope="module")
def spark() -> Iterator[Engine]:
    with local_cluster() as engine:
        yield engine


@pytest.mark.slow
@pytest.mark.jvm
def test_spark_leaves_the_same_store(files: Path, tmp_path: Path, spark: Engine) -> None:
    _same(files, tmp_path, spark)
