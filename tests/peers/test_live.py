"""A store that grows is followed: who falls ill, who recovers, each stretch looked at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders.metric_nodes import START_S, Cluster, cpu_hog
from builders.stores import add

from mprof.peers import live as module
from mprof.peers.comparison import Comparison, Look, NodeStanding
from mprof.peers.findings import NodeFindings, Suspect, suspects
from mprof.peers.live import Live
from mprof.peers.verdict.changes import Change, changes_between, suspects_of, updated
from mprof.peers.verdict.comparability import Comparability
from mprof.peers.verdict.islands import Islands
from mprof.report.nodes import change_as_text
from mprof.store import Store

MINUTES = 60
SICK = "node003"
SICK_FROM_S, SICK_UNTIL_S = START_S + 20 * 60, START_S + 40 * 60


@pytest.fixture(scope="module")
def metrics() -> pd.DataFrame:
    """Eight nodes for an hour, one of which has a hog from the 20th to the 40th."""
    well = Cluster(nodes=8, seconds=60 * MINUTES, interval_s=4.0)
    sick = Cluster(
        nodes=8, seconds=60 * MINUTES, interval_s=4.0, faults={3: cpu_hog}, fault_from_s=0.0
    )
    one, other = well.table(), sick.table()
    during = (one["at_s"] >= SICK_FROM_S) & (one["at_s"] < SICK_UNTIL_S)
    return one.where(~during, other)


def fed(store: Store, metrics: pd.DataFrame, live: Live, *, minutes: int = 5) -> Iterator[Change]:
    """Give the store so many minutes at a time, and look at it after each."""
    piece = (metrics["at_s"] - START_S) // (60 * minutes)
    for number, rows in metrics.groupby(piece):
        add(store, f"piece-{number}", {"metrics": rows.to_dict("records")})
        yield from live.advance()


@pytest.fixture(scope="module")
def changes(metrics: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> list[Change]:
    store = Store(tmp_path_factory.mktemp("store"))
    return list(fed(store, metrics, Live(store)))


def test_a_node_appears_while_it_is_sick_and_recovers_after(changes: list[Change]) -> None:
    assert {change.suspect.host for change in changes} == {SICK}
    assert changes[0].what == "appears"
    assert SICK_FROM_S < changes[0].at_s <= SICK_FROM_S + 15 * 60
    assert changes[0].suspect.sides == ("compute",)
    assert [change.what for change in changes].count("recovers") == 1
    assert changes[-1].what == "recovers"
    assert SICK_UNTIL_S < changes[-1].at_s <= SICK_UNTIL_S + 15 * 60


def test_since_when_it_is_sick_is_kept_as_long_as_it_is(changes: list[Change]) -> None:
    since = {change.suspect.since_s for change in changes}
    assert len(since) == 1
    assert SICK_FROM_S - 120 <= (since.pop() or 0) <= SICK_FROM_S + 120
    assert changes[-1].suspect.until_s == pytest.approx(SICK_UNTIL_S, abs=150)


def test_each_stretch_is_looked_at_once_whatever_the_pieces(
    metrics: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[float, float]] = []
    real = module.find_sick_nodes

    def noted(store: Store, **words: Any) -> NodeFindings:
        asked.append((words["scope"].since_s, words["scope"].until_s))
        return real(store, **words)

    monkeypatch.setattr(module, "find_sick_nodes", noted)
    found = []
    for minutes in (5, 35):
        asked.clear()
        store = Store(tmp_path / str(minutes))
        live = Live(store, since_s=START_S)
        changes = [
            (one.what, one.at_s, one.suspect.host)
            for one in fed(store, metrics, live, minutes=minutes)
        ]
        found.append((changes, list(asked)))

    assert found[0] == found[1]
    assert len(set(asked)) == len(asked)
    assert all(until - since == 600.0 for since, until in asked)


def test_without_new_rows_nothing_is_looked_at(
    metrics: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    live = Live(store)
    list(fed(store, metrics[metrics["at_s"] < START_S + 1800], live))
    monkeypatch.setattr(module, "find_sick_nodes", None)  # to call it would fail

    assert list(live.advance()) == []


def test_a_clock_that_jumps_years_ahead_is_silence_and_changes_nothing_else(
    metrics: pd.DataFrame, tmp_path: Path
) -> None:
    jumped = metrics.copy()
    of_one = (jumped["host"] == "node007") & (jumped["at_s"] >= START_S + 3000)
    jumped.loc[of_one, "at_s"] += 10 * 365 * 86_400
    store = Store(tmp_path)
    live = Live(store)

    changes = []
    for minutes in range(0, MINUTES, 5):
        by_file = (metrics["at_s"] - START_S) // 300 == minutes // 5
        add(store, f"piece-{minutes}", {"metrics": jumped[by_file].to_dict("records")})
        changes += list(live.advance())

    appear = [change.suspect for change in changes if change.what == "appears"]
    assert [one.host for one in appear] == [SICK, "node007"]
    ((_, jumped_away),) = appear[1].looks
    assert [spell.what for spell in jumped_away.spells] == ["silent"]
    assert jumped_away.since_s == pytest.approx(START_S + 3000, abs=120)  # a window


def test_a_night_in_which_nothing_was_recorded_is_not_looked_at(
    metrics: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    real = module.find_sick_nodes

    def noted(store: Store, **words: Any) -> NodeFindings:
        asked.append(words["scope"].until_s)
        return real(store, **words)

    monkeypatch.setattr(module, "find_sick_nodes", noted)
    evening = metrics[metrics["at_s"] < START_S + 900]
    morning = evening.assign(at_s=evening["at_s"] + 12 * 3600)
    store = Store(tmp_path)

    list(fed(store, pd.concat([evening, morning]), Live(store, since_s=START_S)))

    assert sorted(asked) == asked
    assert all(
        any(begin - 300 < until < begin + 900 + 600 + 300 for begin in (START_S, START_S + 43_200))
        for until in asked
    )  # rows, the length of a stretch, and a step on either side
    assert len(asked) <= 10  # of the 146 that the time has


def attempts(job: str, *, sick: str | None, begin_s: float) -> dict[str, list[dict[str, Any]]]:
    rows = [
        {
            "job": job, "attempt": f"attempt_{job}_{host}_{number}", "kind": "map",
            "host": f"host-{host}", "started_s": begin_s + 60 * number, "state": "succeeded",
            "finished_s": begin_s + 60 * number
            + (20 + (number * 7 + host) % 5) * (5 if f"host-{host}" == sick else 1),
        }
        for host in range(8)
        for number in range(10)
    ]  # fmt: skip
    end_s = max(row["finished_s"] for row in rows)
    return {
        "attempts": rows,
        "jobs": [{"job": job, "state": "succeeded", "finished_s": end_s}],
    }


def test_a_job_is_compared_when_its_history_comes_and_only_then(tmp_path: Path) -> None:
    store = Store(tmp_path)
    live = Live(store, since_s=1.6e9)
    said = []
    for number, sick in enumerate((None, "host-4", "host-4", None)):
        begin_s = 1.6e9 + 1000 * number
        add(store, f"job-{number}", attempts(f"job_1_{number}", sick=sick, begin_s=begin_s))
        said.append([(one.what, one.suspect.host) for one in live.advance()])

    assert said == [[], [("appears", "host-4")], [], [("recovers", "host-4")]]


def finding(node: NodeStanding, *, detector: str = "bb-window") -> NodeFindings:
    look = Look("metrics", Comparison(detector, (node,)), of="metrics")
    islands: Islands | None = None
    return NodeFindings((look,), suspects([look]), (), Comparability(0), islands)


def test_a_suspect_that_is_not_seen_any_more_has_not_recovered() -> None:
    sick = NodeStanding("a", indicted=True, score=2.0)
    unseen = NodeStanding("a", indicted=None, score=0.0, why_not="too little")
    before = updated({}, finding(sick), of="time")

    after = updated(before, finding(unseen), of="time")

    assert changes_between(before, after, at_s=0.0) == ()
    assert set(suspects_of(after)) == {"a"}


def test_what_another_detector_says_takes_nothing_back() -> None:
    sick = NodeStanding("a", indicted=True, score=2.0)
    well = NodeStanding("a", indicted=False, score=0.1)
    before = updated({}, finding(sick), of="time")

    other = updated(before, finding(well, detector="hb-rate"), of="time")
    same = updated(other, finding(well), of="time")

    assert changes_between(before, other, at_s=0.0) == ()
    assert [one.what for one in changes_between(other, same, at_s=0.0)] == ["recovers"]


@pytest.mark.parametrize(
    ("at_s", "said"),
    [
        (1.6e9, "2020-09-13 12:26:40 UTC  a recovers"),
        (90.0, "90 s after the start of the recording  a recovers"),
        (1e15, "1,000,000,000,000,000 s after the start of the recording  a recovers"),
    ],
)
def test_a_line_says_when_whatever_the_clock(at_s: float, said: str) -> None:
    change = Change("recovers", at_s, Suspect("a", (), compared=1))

    assert change_as_text(change).startswith(said)


def test_what_is_kept_does_not_grow_with_time(metrics: pd.DataFrame, tmp_path: Path) -> None:
    store = Store(tmp_path)
    live = Live(store)
    kept = []
    for repeat in (0, 1, 2):
        later = metrics.assign(at_s=metrics["at_s"] + repeat * 60 * MINUTES)
        add(store, f"again-{repeat}", {"metrics": later.to_dict("records")})
        list(live.advance())
        standing = live._standing
        kept.append(
            sum(max(len(each), 1) for means in standing.values() for each in means.values())
        )

    assert kept[1] == kept[2]
    assert not any(
        look.rows is not None or look.comparison.nodes
        for means in live._standing.values()
        for every in means.values()
        for look, _ in every
    )


@pytest.mark.parametrize("gone", [0, 4, 5, 6])
def test_the_time_goes_on_without_the_nodes_that_are_gone(
    metrics: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: int
) -> None:
    """Of eight nodes some say nothing after 20 minutes: half of them and more."""
    until: list[float] = []

    def noted(store: Store, **words: Any) -> NodeFindings:
        until.append(words["scope"].until_s)
        raise module.NothingComparedError(f"{store.folder}: not looked at", next_step="")

    monkeypatch.setattr(module, "find_sick_nodes", noted)
    dead = {f"node{number:03d}" for number in range(gone)}
    left = metrics[~metrics["host"].isin(dead) | (metrics["at_s"] < START_S + 20 * 60)]
    store = Store(tmp_path)
    list(fed(store, left, Live(store, since_s=START_S)))

    assert until == [START_S + 600 + 300 * step for step in range(len(until))]
    assert until[-1] == START_S + 55 * 60


@pytest.mark.parametrize("clocks", [2, 3])
def test_some_clocks_that_are_ahead_hide_no_sick_node(
    metrics: pd.DataFrame, tmp_path: Path, clocks: int
) -> None:
    """By two hours, as where a time zone is wrong; the sick node's clock is right."""
    ahead = metrics["host"].isin([f"node{number:03d}" for number in range(4, 4 + clocks)])
    moved = metrics.assign(at_s=metrics["at_s"] + ahead * 7200.0)
    piece = (metrics["at_s"] - START_S) // 300
    store, live = Store(tmp_path), None
    said: list[Change] = []
    for number, rows in moved.groupby(piece):
        add(store, f"piece-{number}", {"metrics": rows.to_dict("records")})
        live = live or Live(store)
        said += live.advance()

    assert SICK in {change.suspect.host for change in said if change.what == "appears"}


def test_one_clock_that_is_ahead_moves_no_time(
    metrics: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def noted(store: Store, **words: Any) -> NodeFindings:
        asked.append(words["scope"].until_s)
        raise module.NothingComparedError(f"{store.folder}: not looked at", next_step="")

    monkeypatch.setattr(module, "find_sick_nodes", noted)
    ahead = metrics["host"] == "node001"
    moved = metrics.assign(at_s=metrics["at_s"] + ahead * 7 * 24 * 3600.0)
    store = Store(tmp_path)
    list(fed(store, moved[~ahead], Live(store, since_s=START_S)))
    honest = list(asked)
    asked.clear()
    other = Store(tmp_path / "other")
    live = Live(other, since_s=START_S)
    add(other, "ahead", {"metrics": moved[ahead].to_dict("records")})
    list(fed(other, moved[~ahead], live))

    assert max(asked) <= max(honest)


@pytest.mark.parametrize("others", ["a-metrics", "z-metrics"])
def test_what_the_resource_manager_says_is_heard_beside_sources_of_something_else(
    tmp_path: Path, others: str
) -> None:
    store = Store(tmp_path / "store")
    live = Live(store)
    add(store, others, {"metrics": [{"host": "n1", "at_s": START_S, "user": 1.0}]})
    add(store, "m-states", {"node_states": [
        {"host": "n1", "at_s": START_S, "state": "RUNNING"},
        {"host": "n2", "at_s": START_S, "state": "LOST", "heard_s": START_S - 700},
    ]})  # fmt: skip
    changed, well = live.report()

    assert (["n2"], ()) == ([one.host for one in changed], well)
    add(store, others + "-2", {"metrics": [{"host": "n1", "at_s": START_S + 9, "user": 1.0}]})
    add(store, "m-states-2", {"node_states": [
        {"host": host, "at_s": START_S + 60, "state": "RUNNING"} for host in ("n1", "n2")
    ]})  # fmt: skip
    changed, well = live.report()
    assert ((), ["n2"]) == (changed, [one.host for one in well])
