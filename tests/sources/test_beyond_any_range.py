"""Digits, times and values that no program has written: rows and losses, and never more than that.

Whoever reads a store that somebody else has written gets the same.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from builders.stores import store_of
from typer.main import get_command

from mprof.cli import subcommands
from mprof.cli.options import time_given
from mprof.errors import UsageError
from mprof.sources import FileImport, import_files
from mprof.sources import imports as importing
from mprof.sources.reader import Losses, Part, Reader, quotable
from mprof.store import Store

STAMP = {"date": "2026-03-01", "time": "10:00:00", "tz": "UTC"}
DEEP: Any = []
for _ in range(900):
    DEEP = [DEEP]
VALUES = {
    "list": [], "object": {}, "null": None, "number": 7, "true": True, "deep": DEEP,
    "long": "x" * 9999,
}  # fmt: skip
MANIFEST = "file\tfault\trequest\tdatanodes_seen\n"
TRACE = (
    "{} 12:34:56,789 INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace: src: "
    "/10.0.0.7:1, dest: /10.0.0.8:2, bytes: 1, op: HDFS_WRITE, cliID: c, offset: 0, srvID: s, "
    "blockid: blk_1_2, duration: {}\n"
)


def _imported(folder: Path, name: str, content: str, *, zone: str = "UTC") -> FileImport:
    path = folder / name
    path.write_text(content)
    (one,) = import_files([path], Store(folder / "store"), zone=zone)
    return one


def _sample(**stamp: Any) -> str:
    statistics = [{"timestamp": STAMP | stamp, "queue": {"ldavg-1": 1.5}}]
    return json.dumps({"sysstat": {"hosts": [{"nodename": "n", "statistics": statistics}]}})


# Of the first, the nine digits that were checked say 7.
@pytest.mark.parametrize(
    "digits",
    ["00000000712345", "0000000079" + "9" * 4300, "1" * 5000, "100001", "-1", "\u0663", "0x1"],
)
def test_digits_are_read_as_far_as_they_are_checked(digits: str, tmp_path: Path) -> None:
    one = _imported(tmp_path, "m.tsv", f"{MANIFEST}a\tb\tw\t{digits}\na\tb\tw\t3\n")

    assert (3, 1) == (one.rows, one.unread)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("name", ["tz", "date", "time", "utc"])
def test_a_sample_may_say_anything_of_its_time(name: str, value: str, tmp_path: Path) -> None:
    one = _imported(tmp_path, "s.json", _sample(**{name: VALUES[value]}))

    assert one.outcome in {"imported", "unreadable"}
    assert importing.FAULT not in (one.first_unread or "")


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/New_York"])
@pytest.mark.parametrize(
    "day", ["0000-01-01", "0001-01-01", "0002-01-01", "9998-12-31", "9999-12-31"]
)
@pytest.mark.parametrize("duration", ["0", "9" * 18, "9223372036854775807", "9" * 30])
def test_a_log_may_be_of_any_year(day: str, duration: str, zone: str, tmp_path: Path) -> None:
    line = TRACE.format(day, duration)
    one = _imported(tmp_path, "d-datanode-n.log", line, zone=zone)

    assert one.outcome in {"imported", "unreadable"}
    assert importing.FAULT not in (one.first_unread or "")
    if one.rows:
        (started_s,) = Store(tmp_path / "store").read("transfers")["started_s"]
        assert math.isnan(started_s) or -6.3e10 < started_s < 2.54e11


def test_a_quote_of_anything_is_short() -> None:
    wide = {str(number): [list(range(99))] * 99 for number in range(99)}

    assert "[[[[[...]]]]]" == quotable(DEEP)
    assert len(quotable(wide)) < 200
    assert "'a'" == quotable("a")


def test_a_fault_in_reading_a_file_costs_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = {"a": TypeError("unhashable type: 'list'"), "b": MemoryError(), "c": RecursionError()}

    def read(path: Path, _: Losses) -> list[Part]:
        if path.name in errors:
            raise errors[path.name]
        return []

    reader = Reader("a kind", lambda _, __: True, read)
    monkeypatch.setattr(importing.readers, "reader_of", lambda _, __: reader)
    (tmp_path / "in").mkdir()
    for name in "abcd":
        (tmp_path / "in" / name).write_text(name)

    found = {one.path.name: one for one in import_files([tmp_path / "in"], Store(tmp_path / "s"))}

    assert {"unreadable": 3, "imported": 1} == {
        outcome: sum(one.outcome == outcome for one in found.values())
        for outcome in ("unreadable", "imported")
    }
    assert str(found["a"].first_unread).startswith(f"{importing.FAULT} (TypeError: ")
    assert "there is not enough memory for it" == found["b"].first_unread


def _foreign(store: Store, table: str, column: str, value: float) -> None:
    """Every second value of a column replaced, as another program may have written it."""
    file = store.folder / table / "all.parquet"
    rows = pq.read_table(file)
    values = rows[column].to_pylist()
    values[::2] = [value] * len(values[::2])
    place = rows.schema.get_field_index(column)
    field = rows.schema.field(place)
    pq.write_table(rows.set_column(place, field, pa.array(values, field.type)), file)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 1e300, -6.3e10])
def test_what_can_be_no_moment_is_missing_in_a_store_of_somebody_else(
    value: float, tmp_path: Path
) -> None:
    rows = [{"host": f"n{number}", "at_s": 1.7e9 + number, "user": 1.0} for number in range(4)]
    store = store_of(tmp_path / "store", metrics=rows)
    _foreign(store, "metrics", "at_s", value)
    _foreign(store, "metrics", "user", math.inf)
    columns = ["at_s", "user", "host"]
    batches = store.rows("metrics", columns=columns, by="host", categories=["host"])

    for frame in (store.read("metrics"), batches.read()):
        assert [True, False] * 2 == list(frame["at_s"].isna())
        assert [True, False] * 2 == list(frame["user"].isna())


@pytest.mark.parametrize(
    ("column", "verb"),
    [
        ("jobs.finished_s", ("view", "store", "-o", "pages")),
        ("attempts.finished_s", ("view", "store", "-o", "pages")),
        ("attempts.finished_s", ("triage", "job_1_0001", "--store", "store")),
        ("attempts.started_s", ("nodes", "store")),
    ],
)
def test_a_store_with_infinite_times_ends_no_verb(
    column: str, verb: tuple[str, ...], tmp_path: Path
) -> None:
    began = 1.7e9
    attempts = [
        {
            "job": "job_1_0001", "attempt": f"attempt_1_0001_m_{number:06}_0", "kind": "map",
            "host": f"n{number % 4}", "started_s": began + number, "state": "succeeded",
            "finished_s": began + number + 20 + number % 3,
        }
        for number in range(40)
    ]  # fmt: skip
    job = {"job": "job_1_0001", "submitted_s": began, "finished_s": began + 90, "state": "failed"}
    store = store_of(tmp_path / "store", jobs=[job], attempts=attempts)
    _foreign(store, *column.split("."), math.inf)

    words = [str(tmp_path / word) if word in {"store", "pages"} else word for word in verb]
    done = subprocess.run(
        [sys.executable, "-m", "mprof", *words], capture_output=True, text=True, check=False
    )

    assert done.returncode in {0, 3}, done.stderr


@pytest.mark.parametrize("seconds", [math.nan, math.inf, -math.inf, -1.0, 1e300])
def test_no_verb_waits_for_a_time_that_has_no_end(seconds: float) -> None:
    with pytest.raises(UsageError, match="is no time to wait for"):
        time_given(seconds)


def test_every_option_that_is_a_number_of_seconds_is_checked() -> None:
    pending, unchecked = [("mprof", get_command(subcommands.app))], []
    while pending:
        name, command = pending.pop()
        below = getattr(command, "commands", {})
        pending += [(f"{name} {key}", each) for key, each in below.items()]
        unchecked += [
            f"{name} {each.name}"
            for each in command.params
            if "float" in each.type.name and each.callback is None
        ]

    assert [] == unchecked


def test_a_table_without_any_row_is_empty(tmp_path: Path) -> None:
    store = store_of(tmp_path / "store", metrics=[{"host": "n", "at_s": 1.7e9, "user": 1.0}])
    file = store.folder / "metrics" / "all.parquet"
    pq.write_table(pq.read_table(file).slice(0, 0), file)
    names = store.folder / "names" / "all.parquet"
    rows = pq.read_table(names)
    pq.write_table(rows.set_column(1, "name", pa.nulls(len(rows), pa.string())), names)

    asked = store.rows("metrics", columns=["at_s"], by="at_s", chosen=pc.field("at_s") > 0)

    assert asked.is_empty
    assert {} == store.host_names()
