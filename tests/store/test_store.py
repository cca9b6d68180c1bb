"""The store gives back what was put in, once, and never half of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from development.pages.store import store_page
from mprof.errors import EvidenceError
from mprof.metrics import METRICS
from mprof.store import TABLES, SourceNote, Store, frame_of


def _note(source: str, rows: int) -> SourceNote:
    return SourceNote(source, f"logs/{source}.log", "a log", 100, rows, 0, None)


def _put(store: Store, source: str, table: str, rows: list[dict[str, Any]]) -> None:
    with store.writing(source) as writer:
        writer.write(table, frame_of(table, rows))
        writer.finish(_note(source, writer.rows))


TRANSFERS = st.fixed_dictionaries(
    {
        "host": st.none() | st.text(st.characters(codec="utf-8")),
        "started_s": st.none() | st.floats(-6e10, 2.5e11),  # of the years 69 to 9891
        "bytes": st.none() | st.integers(min_value=-(2**63), max_value=2**63 - 1),
    }
)


@given(parts=st.lists(st.lists(TRANSFERS, max_size=5), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_rows_come_back_as_they_were_put_in_to_the_last_digit(
    parts: list[list[dict[str, Any]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = Store(tmp_path_factory.mktemp("store"))
    with store.writing("s") as writer:
        for part in parts:
            writer.write("transfers", frame_of("transfers", part))
        writer.finish(_note("s", writer.rows))

    columns = ["host", "started_s", "bytes"]
    files = store.folder.glob("transfers/*.parquet")
    # By Arrow, in which a missing whole number does not turn the column into floats.
    back = [row for file in files for row in pq.read_table(file).to_pylist()]

    assert [row for part in parts for row in part] == [
        {name: row[name] for name in columns} for row in back
    ]
    assert {"s"} >= {row["source"] for row in back}


def test_slices_and_missing_values_stay_what_they_are(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    twelve = [float(each) for each in range(12)]
    rows = [
        {"job": "j", "attempt": "a", "slices_ms": twelve},
        {"job": "j", "attempt": "b", "started_s": float("nan")},
    ]

    _put(store, "s", "attempts", rows)
    frame = store.read("attempts")

    assert twelve == list(frame["slices_ms"][0])
    assert frame["slices_ms"][1] is None
    assert frame["started_s"].isna().all()


@pytest.mark.parametrize(
    ("table", "column"),
    [("jobs", "job"), ("attempts", "job"), ("attempts", "attempt"), ("names", "name")],
)
def test_a_row_about_nothing_is_none(tmp_path: Path, table: str, column: str) -> None:
    store = Store(tmp_path / "store")
    needed = {
        "jobs": {"job": "j"},
        "attempts": {"job": "j", "attempt": "a"},
        "names": {"name": "n"},
    }
    whole = needed[table]

    _put(store, "s", table, [{**whole, column: None}, whole, {**whole, column: None}])

    assert [whole[column]] == [*store.read(table, columns=[column])[column]]
    assert [whole[column]] == [*store.rows(table, columns=[column], by=column).read()[column]]


def test_a_table_without_rows_has_its_columns(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")

    assert TABLES["metrics"].names == list(store.read("metrics").columns)
    assert 16 == len(METRICS)


def test_rows_of_one_source_can_be_read_alone(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    _put(store, "one", "nodes", [{"host": "a"}])
    _put(store, "two", "nodes", [{"host": "b"}])

    assert ["a", "b"] == store.read("nodes")["host"].tolist()
    assert ["b"] == store.read("nodes", source="two")["host"].tolist()
    assert ("one", "two") == store.sources()


def test_what_was_not_finished_is_not_there(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    with store.writing("s") as writer:
        writer.write("nodes", frame_of("nodes", [{"host": "a"}]))

    assert not store.has("s")
    assert store.read("nodes").empty
    assert [] == list(store.folder.rglob("*.new"))


KILLED = """
import os, signal, sys
from pathlib import Path
from mprof.store import Store, frame_of
with Store(Path(sys.argv[1])).writing("s") as writer:
    writer.write("nodes", frame_of("nodes", [{"host": "a"}]))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_import_leaves_nothing_that_counts_and_the_next_one_clears_up(
    tmp_path: Path,
) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "store")], check=False)
    assert -signal.SIGKILL == done.returncode
    store = Store(tmp_path / "store")
    left = list(store.folder.rglob("*.new"))
    assert 1 == len(left)
    assert store.read("nodes").empty

    _put(store, "s", "nodes", [{"host": "a"}])

    assert ["a"] == store.read("nodes")["host"].tolist()
    assert [] == list(store.folder.rglob("*.new"))


def test_what_another_import_writes_just_now_is_left_alone(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    other = store.folder / "nodes" / f".s-{os.getpid()}.new"
    with store.writing("s") as mine:
        mine.write("nodes", frame_of("nodes", [{"host": "a"}]))
        with store.writing("s"):
            assert other.is_file()
            mine.finish(_note("s", mine.rows))

    assert ["a"] == store.read("nodes")["host"].tolist()


def test_a_dropped_source_is_gone_from_all_tables(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    _put(store, "one", "nodes", [{"host": "a"}])
    _put(store, "two", "nodes", [{"host": "b"}])

    store.drop("one")

    assert ["b"] == store.read("nodes")["host"].tolist()
    assert ["two"] == store.read("sources")["source"].tolist()


def test_a_folder_of_something_else_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(EvidenceError, match="is no folder of tables"):
        Store(tmp_path)
    with pytest.raises(EvidenceError, match="is no folder of tables"):
        Store.at(tmp_path)
    assert [tmp_path / "thesis.tex"] == list(tmp_path.iterdir())


def test_a_store_of_another_format_is_refused(tmp_path: Path) -> None:
    Store(tmp_path / "store")
    (tmp_path / "store" / "mprof-store.txt").write_text("tables of mprof import, format 9\n")
    with pytest.raises(EvidenceError, match="another version"):
        Store(tmp_path / "store")


def test_a_file_that_is_damaged_in_its_middle_is_said(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    rows = [{"host": f"n{n % 5}", "at_s": float(n), "user": (n * 7919 % 1000) / 3}
            for n in range(20_000)]  # fmt: skip
    with store.writing("s") as writer:
        writer.write("metrics", frame_of("metrics", rows))
        writer.finish(SourceNote("s", "/one", "test", 1, writer.rows, 0, None))
    file = store.folder / "metrics" / "s.parquet"
    content = bytearray(file.read_bytes())
    for place in range(200, len(content) - 4000, 50):  # its footer stays whole
        content[place] ^= 0xFF
    file.write_bytes(content)

    with pytest.raises(EvidenceError, match=r"s\.parquet is damaged"):
        store.read("metrics")


def test_a_damaged_file_of_the_store_is_said(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    _put(store, "s", "nodes", [{"host": "a"}])
    file = store.folder / "nodes" / "s.parquet"
    file.write_bytes(file.read_bytes()[:-20])

    with pytest.raises(EvidenceError, match=r"s\.parquet is damaged"):
        store.read("nodes")


def test_a_column_of_no_table_is_a_fault_of_the_reader() -> None:
    with pytest.raises(KeyError, match="colour"):
        frame_of("nodes", [{"host": "a", "colour": "red"}])


def test_half_of_a_surrogate_pair_is_written_out() -> None:
    assert ["a\\ud800", None] == frame_of("nodes", [{"host": "a\ud800"}, {}])["host"].to_pylist()


def test_the_page_of_the_tables_is_of_today() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "reference" / "store.md"

    assert store_page() == page.read_text(), "run make docs"


def test_units_are_kept_in_the_files(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    _put(store, "s", "metrics", [{"host": "a", "eth_rxbyt": 1.0}])
    (file,) = store.folder.glob("metrics/*.parquet")

    assert {b"unit": b"B/s"} == {
        key: value
        for key, value in pq.read_schema(file).field("eth_rxbyt").metadata.items()
        if key == b"unit"
    }
