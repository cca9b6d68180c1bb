"""What is too old goes, what is not stays; and several sources become one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders.stores import add

from mprof.store import Store
from mprof.store.retention import drop_before, merged
from mprof.store.store import SourceWriter

DAY_S = 86_400.0


def metric(host: str, at_s: float) -> dict[str, object]:
    return {"host": host, "at_s": at_s, "user": at_s % 7}


def test_rows_that_are_too_old_go_and_all_others_stay(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    at_s = np.arange(1.7e9, 1.7e9 + 20 * DAY_S, 3600.0)
    for day in range(20):
        of_day = at_s[day * 24 : day * 24 + 24]
        add(store, f"day{day:02d}", {"metrics": [metric("n1", each) for each in of_day]})
    add(store, "log", {"metrics": [metric("n2", each) for each in at_s],
                       "names": [{"name": "n2", "address": "10.0.0.2"}]})  # fmt: skip
    add(store, "list", {"nodes": [{"host": "n1"}, {"host": "n2"}]})
    add(store, "jobs", {
        "jobs": [{"job": "job_1", "finished_s": at_s[5]}, {"job": "job_2"}],
        "attempts": [
            {"job": "job_1", "attempt": "a1", "started_s": at_s[1], "finished_s": at_s[5]},
            {"job": "job_2", "attempt": "a2", "started_s": at_s[1], "finished_s": at_s[-1]},
        ],
    })  # fmt: skip
    before_s = at_s[-1] - 7 * DAY_S
    gone = drop_before(store, before_s, kept_s=7 * DAY_S)

    rows = store.read("metrics")
    kept = rows.groupby("host")["at_s"].apply(sorted)
    assert [f"day{day:02d}" for day in range(12)] == list(gone)
    assert at_s[at_s >= before_s].tolist() == kept["n2"]
    assert at_s[at_s >= before_s].tolist() == kept["n1"]
    assert ["n1", "n2"] == sorted(store.read("nodes")["host"])
    # of the attempts the first is too old; the job without a time cannot be
    assert ["a2"] == store.read("attempts")["attempt"].tolist()
    assert ["job_2"] == store.read("jobs")["job"].tolist()
    assert () == drop_before(store, before_s, kept_s=7 * DAY_S)


def test_a_source_that_is_mostly_new_is_not_written_anew_for_each_row(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    add(store, "day", {"metrics": [metric("n1", 1.7e9 + 3600 * hour) for hour in range(24)]})
    for kept_hours, before_hour in ((24, 20), (240, 20)):
        drop_before(store, 1.7e9 + 3600 * before_hour, kept_s=3600.0 * kept_hours)
        if kept_hours == 24:
            assert 4 == len(store.read("metrics"))
            add(store, "next", {"metrics": [metric("n2", 1.7e9 + 3600 * at) for at in range(24)]})
    assert 24 == (store.read("metrics")["host"] == "n2").sum()


def test_a_store_does_not_grow_for_ever(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    most = 0
    for hour in range(200):
        begin_s = 1.7e9 + 3600 * hour
        rows = [metric("n1", begin_s + each) for each in range(0, 3600, 600)]
        add(store, f"hour{hour:03d}", {"metrics": rows})
        drop_before(store, begin_s - 36_000.0, kept_s=36_000.0)
        most = max(most, len(store.sources()))

    assert 12 >= most
    assert 12 >= len(list((store.folder / "metrics").iterdir()))


def test_one_source_has_the_rows_of_several(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    for number in range(5):
        add(store, f"s{number}", {
            "metrics": [metric(f"n{host}", 1.7e9 + number) for host in range(3)],
            "node_states": [{"host": "n1", "at_s": 1.7e9 + number, "state": "LOST"}],
        })  # fmt: skip
    before = {
        table: store.read(table).drop(columns="source").sort_values(["at_s", "host"])
        for table in ("metrics", "node_states")
    }
    name = merged(store, ["s1", "s2", "s3"], path="answers", kind="test")

    assert sorted(["s0", "s4", name]) == list(store.sources())
    for table, rows in before.items():
        after = store.read(table).drop(columns="source").sort_values(["at_s", "host"])
        pd.testing.assert_frame_equal(rows.reset_index(drop=True), after.reset_index(drop=True))


class Killed(BaseException):
    """In the place of a process that ends at once."""


@pytest.fixture
def killed_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[str]]:
    """Let the process end before its operation with that number; all that it did before are told.

    Nothing of it runs any more after that, so that nothing is cleared up.
    """
    done: list[str] = []
    limit = [0]

    def counted(name: str) -> None:
        real = getattr(Path, name)

        def operation(path: Path, *args: object, **named: object) -> object:
            if len(done) == limit[0]:
                raise Killed
            done.append(name)
            return real(path, *args, **named)

        monkeypatch.setattr(Path, name, operation)

    def start(number: int) -> list[str]:
        done.clear()
        limit[0] = number
        return done

    limit[0] = 1_000_000
    for name in ("replace", "unlink", "write_bytes", "rename"):
        counted(name)
    monkeypatch.setattr(SourceWriter, "close", lambda _writer: None)
    monkeypatch.setattr("mprof.store.replacement.psutil.pid_exists", lambda _number: False)
    return start


def test_a_merge_that_is_killed_anywhere_leaves_each_row_once(
    tmp_path: Path, killed_at: Callable[[int], list[str]]
) -> None:
    names = ("s1", "s2", "s3")
    last, ended = -1, False
    for number in range(1000):
        store = Store(tmp_path / f"store{number}")
        for place, name in enumerate(names):
            add(store, name, {
                "metrics": [metric(f"n{place}", 1.7e9 + each) for each in range(4)],
                "nodes": [{"host": f"n{place}"}],
            })  # fmt: skip
        expected = store.read("metrics")[["host", "at_s", "user"]].sort_values(["host", "at_s"])
        done = killed_at(number)
        try:
            merged(store, names, path="answers", kind="test")
            ended = True
        except Killed:
            last = len(done)
        killed_at(1_000_000)

        def rows(opened: Store) -> pd.DataFrame:
            return opened.read("metrics")[["host", "at_s", "user"]].sort_values(["host", "at_s"])

        opened = Store.at(store.folder)
        pd.testing.assert_frame_equal(rows(opened), expected, check_like=True)
        assert sorted(opened.read("nodes")["host"]) == ["n0", "n1", "n2"]
        # Whatever comes next takes out what was left; dropping the one brings nothing back.
        drop_before(opened, 0.0, kept_s=1.0)
        pd.testing.assert_frame_equal(rows(opened), expected, check_like=True)
        assert not list((store.folder / "sources").glob("*.replaces"))
        for source in opened.sources():
            opened.drop(source)
        assert Store.at(store.folder).read("metrics").empty
        if ended:
            break

    assert ended
    assert last > 10  # operations, before each of which it was killed once


def test_dropping_what_a_killed_merge_made_brings_nothing_back(
    tmp_path: Path, killed_at: Callable[[int], list[str]]
) -> None:
    store = Store(tmp_path / "store")
    for name in ("s1", "s2"):
        add(store, name, {"metrics": [metric("n1", 1.7e9)]})
    for number in range(1000):
        killed_at(number)
        try:
            name = merged(store, ["s1", "s2"], path="answers", kind="test")
            break
        except Killed:
            killed_at(1_000_000)
            if len(store.sources()) == 1:
                (name,) = store.sources()
                break
    killed_at(1_000_000)
    assert not store.has("s1")
    store.drop(name)

    assert store.read("metrics").empty
    assert store.sources() == ()
