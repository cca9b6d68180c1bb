"""A part of the tables is what a filter of the whole tables gives."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from builders.stores import store_of
from hypothesis import given, settings
from hypothesis import strategies as st

from mprof.store import Scope, ScopedStore

TIMES = st.none() | st.integers(0, 20).map(float)
HOSTS = st.none() | st.sampled_from(["a", "B", "c.example.org", "c"])
ROWS = st.lists(st.tuples(HOSTS, TIMES, TIMES), max_size=12)
SCOPES = st.builds(
    Scope, TIMES, TIMES, st.none() | st.frozensets(st.sampled_from(["a", "b", "c.example.org"]))
)
ONE_NAME = {"B": "b", "c": "c.example.org"}


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, scope=SCOPES)
def test_rows_in_scope_are_those_that_a_loop_over_all_rows_keeps(
    rows: list[tuple[str | None, float | None, float | None]],
    scope: Scope,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    attempts = [
        {"job": "j", "attempt": str(number), "host": host, "started_s": begin, "finished_s": end}
        for number, (host, begin, end) in enumerate(rows)
    ]
    metrics = [{"host": host, "at_s": at, "user": number} for number, (host, at, _) in
               enumerate(rows)]  # fmt: skip
    store = store_of(tmp_path_factory.mktemp("store"), attempts=attempts, metrics=metrics)
    full = any(host == "c.example.org" for host, _, _ in rows)

    def kept(host: str | None, begin: float | None, end: float | None, *, open_: bool) -> bool:
        name = "c" if host == "c" and not full else ONE_NAME.get(str(host), host)
        if scope.hosts is not None and name not in scope.hosts:
            return False
        if scope.until_s is not None and (begin is None or begin >= scope.until_s):
            return False
        if scope.since_s is None:
            return True
        if end is None:
            return open_ and begin is not None
        return end >= scope.since_s

    scoped = ScopedStore(store, scope)
    found = {int(each) for each in scoped.read("attempts")["attempt"]}
    samples = {int(each) for each in scoped.read("metrics")["user"]}

    assert found == {n for n, (h, b, e) in enumerate(rows) if kept(h, b, e, open_=True)}
    assert samples == {n for n, (h, at, _) in enumerate(rows) if kept(h, at, at, open_=False)}


def test_tables_without_times_are_whole_in_every_time(tmp_path: Path) -> None:
    rows: dict[str, list[dict[str, Any]]] = {
        "nodes": [{"host": "a"}], "hardware": [{"host": "a", "what": "memory", "amount": 1.0}],
        "jobs": [{"job": "job_1"}],
    }  # fmt: skip
    scoped = ScopedStore(store_of(tmp_path / "store", **rows), Scope(5.0, 6.0))

    assert [len(scoped.read(table)) for table in rows] == [1, 1, 1]
    assert math.isclose(scoped.read("hardware")["amount"][0], 1.0)
