"""Parts of a table that is larger than memory: the rows asked for, and no others."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pytest

from mprof.errors import EvidenceError
from mprof.store import Rows, SourceNote, Store, frame_of

COLUMNS = ("host", "at_s", "user")


def _put(store: Store, source: str, rows: pd.DataFrame) -> None:
    with store.writing(source) as writer:
        columns = {name: rows[name].tolist() for name in rows}
        writer.write("metrics", frame_of("metrics", columns))
        writer.finish(SourceNote(source, source, "test", 1, len(rows), 0, None))


@pytest.fixture
def table() -> pd.DataFrame:
    """Three nodes for three hours; one time is not known, and one is of another year."""
    rows = pd.DataFrame(
        {
            "host": np.repeat(["a", "b", "c"], 10_800),
            "at_s": np.tile(np.arange(10_800.0), 3),
            "user": np.arange(32_400.0),
        }
    )
    rows.loc[5, "at_s"] = np.nan
    rows.loc[7, "at_s"] = 1e9
    return rows


@pytest.fixture
def store(tmp_path: Path, table: pd.DataFrame) -> Store:
    made = Store(tmp_path / "store")
    for host, rows in table.groupby("host"):
        _put(made, f"of-{host}", rows)
    return made


def _all(store: Store, **more: object) -> Rows:
    return store.rows("metrics", columns=COLUMNS, by="at_s", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("low", "high"), [(0, 1), (100, 3700), (7199, 7201), (2e4, 2e9), (-5, 0)])
def test_a_range_gives_the_rows_that_a_plain_filter_gives(
    low: float, high: float, store: Store, table: pd.DataFrame
) -> None:
    expected = table[(table["at_s"] >= low) & (table["at_s"] < high)]
    found = _all(store).between(low, high).read()

    pd.testing.assert_frame_equal(
        expected.reset_index(drop=True), found, check_dtype=False, check_exact=True
    )


def test_a_range_reads_the_row_groups_that_hold_some_of_it(store: Store) -> None:
    rows = _all(store)

    assert 9 == len(rows.groups)
    assert [0, 0, 0] == [each.number for each in rows.between(100, 200).groups]
    # what has a time of another year may hold anything in between
    assert 3 + 1 == len(rows.between(4000, 4001).groups)
    assert 32_400 == rows.count


def test_batches_hold_every_row_once(store: Store, table: pd.DataFrame) -> None:
    batches = _all(store).batches(8_000)

    assert [7200] * 4 + [3600] == [each.count for each in batches]
    assert table["user"].tolist() == pd.concat(each.read() for each in batches)["user"].tolist()


def test_texts_may_be_read_as_categories(store: Store) -> None:
    found = _all(store, categories=["host"]).read()

    assert isinstance(found["host"].dtype, pd.CategoricalDtype)
    assert ["a", "b", "c"] == found["host"].cat.categories.tolist()
    assert "host" not in _all(store, categories=["host"]).selecting("user").read()


def test_what_holds_for_the_rows_holds_for_every_part(store: Store, table: pd.DataFrame) -> None:
    found = _all(store, chosen=pc.field("host").isin(["a", "c"])).between(0, 10).read()

    expected = table[(table["at_s"] < 10) & (table["host"] != "b")]
    assert expected["user"].tolist() == found["user"].tolist()


def test_some_values_are_asked_for_by_name(store: Store) -> None:
    rows = store.rows("metrics", columns=("host", "user"), by="host")

    assert {"b"} == set(rows.among(["b"]).read()["host"])
    assert 3 == len(rows.among(["b"]).groups)
    assert {"a", "c"} == set(rows.among(["c", "a", "z"]).read()["host"])


def test_a_host_has_one_name_in_every_part(store: Store) -> None:
    frame = pd.DataFrame({"host": ["A.example.org", "a.example.org"], "at_s": [1.0, 2.0]})
    _put(store, "names", frame.assign(user=0.0))
    rows = _all(store, categories=["host"])

    assert set(store.read("metrics")["host"]) == set(rows.read()["host"])
    assert rows.read()["host"].cat.categories.is_unique


def test_rows_of_which_none_is_wanted_are_empty(store: Store) -> None:
    rows = _all(store)

    assert (False, False) == (rows.is_empty, rows.between(0, 1).is_empty)
    # between the ends of a row group with an odd time, and yet nothing is there
    assert rows.between(5e8, 5e8 + 1).groups
    assert rows.between(5e8, 5e8 + 1).is_empty
    assert store.rows("attempts", columns=("job",), by="job").is_empty


def test_rows_can_be_sent_to_another_machine(store: Store) -> None:
    rows = _all(store, chosen=pc.field("host") == "a").between(0, 10)

    assert rows.read().equals(pickle.loads(pickle.dumps(rows)).read())


def test_a_damaged_file_is_one_line(store: Store) -> None:
    rows = _all(store)
    file = store.folder / "metrics" / "of-b.parquet"
    content = file.read_bytes()
    file.write_bytes(content[:100] + bytes(len(content) - 200) + content[-100:])

    with pytest.raises(EvidenceError, match=r"of-b\.parquet is damaged"):
        rows.read()
    file.write_bytes(b"PAR1")
    with pytest.raises(EvidenceError, match=r"of-b\.parquet is damaged"):
        _all(store)
