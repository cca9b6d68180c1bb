"""`wb-durations`: nodes on which the same work takes longer than on their peers.

Definition. Kahuna-WB and Blimey-WB compare, node with node, how the durations of a state (map,
reduce, reading and writing a block) are distributed, and indict a node that differs from most
others (Tan et al., "Kahuna", NOMS 2010; Pan et al., "Blind Men and the Elephant", HotCloud 2009).
Here a node stands for a state by a *low quantile* of its durations, and is indicted where it is of
the slower of two groups of nodes, that group is a minority, and the two are far apart.

Where it departs from the papers, and why:

- The papers' distance of whole distributions also indicts nodes that *wait* for a sick one (the
  other replicas of a pipeline, a reducer that copies from it). A sick node is slow always, a node
  that waits is slow only in such company: its fastest fifth is as fast as anyone's.
- The papers' majority rule takes the median distance to the others, which large minorities of sick
  nodes shift; two groups on one axis stay apart up to the half.
- Distances have no scale that carries over from one run to another, so that thresholds learnt on
  one run raise false alarms in the next; a ratio within the run has one.
- What differs, but without a slower minority, is withheld: there is no healthy majority.
- An interval that has not ended counts with the time it has run, once that is long among those
  that have: a hang never ends.
- A node that nothing was heard of while its peers were at work is indicted for its silence; that
  it should be there must come from outside.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Final

import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from mprof.peers.comparison import Comparison, Look, NodeStanding, Observation
from mprof.peers.detectors.request import Asked, looks_of_pieces
from mprof.peers.tables.durations import (
    LEAST_INTERVALS,
    LEAST_PEERS,
    LEAST_RATIO,
    THRESHOLDS_OF_STATES,
    Durations,
    states_of,
)
from mprof.peers.tables.intervals import intervals_of_attempts, intervals_of_transfers
from mprof.store import TABLES, Rows, Tables
from mprof.threshold import Threshold

__all__ = ["DETECTOR", "THRESHOLDS", "compare_durations", "looks"]

DETECTOR: Final = "wb-durations"

HEARD_OF_NEARLY_ALL = Threshold(
    "wb-durations.heard-of-nearly-all",
    0.05,
    "quantile of the intervals that a node has",
    "silence tells something where nearly every other node had as many intervals as are needed to "
    "compare it",
    most=1.0,
)

WINDOW_SECONDS = Threshold(
    "wb-durations.window",
    300.0,
    "s",
    "long enough for a node to end several tasks or writes; since when a node differs is told as "
    "exactly as this",
)

WINDOWS_IN_A_ROW = Threshold(
    "wb-durations.windows-in-a-row",
    3.0,
    "windows",
    "a fault that came late is seen in windows only; in one or two, a node that waits for others "
    "may have had no work without them (4 of 1,350 healthy nodes of TraceBench with 2, none with "
    "3)",
)

THRESHOLDS: Final = (
    *THRESHOLDS_OF_STATES, HEARD_OF_NEARLY_ALL, WINDOW_SECONDS, WINDOWS_IN_A_ROW,
)  # fmt: skip
"""Every free parameter of the detector."""

_ROWS_AT_ONCE: Final = 200_000  # attempts of some jobs, 30 MB
_OF_ATTEMPTS: Final = (
    "job", "attempt", "kind", "host", "started_s", "shuffled_s", "sorted_s", "finished_s", "state",
)  # fmt: skip
_OF_TRANSFERS: Final = ("source", "host", "operation", "started_s", "seconds", "status")


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the attempts of each job, and the transfers of each recording."""
    yield from _of_attempts(asked)
    if asked.job is None:
        yield from _of_transfers(asked)


def compare_durations(intervals: pd.DataFrame, hosts: Iterable[str] = ()) -> Comparison:
    """Compare how long the same work takes on each node.

    Args:
        intervals: of one cluster, columns as in ``INTERVAL_COLUMNS``; a state is compared within
            its group only.
        hosts: nodes that should be there; those with intervals are added.
    """
    seen = set(intervals["host"])
    expected = sorted(set(hosts) | seen)
    if len(seen) < LEAST_PEERS:
        return Comparison(DETECTOR, (), withheld=_too_few(len(seen), len(expected)))
    whole = states_of(intervals)
    if not whole:
        why = f"no state has {LEAST_INTERVALS.value:.0f} intervals on {LEAST_PEERS} nodes"
        return Comparison(DETECTOR, (), withheld=why)
    silent = _silent(intervals, expected)
    disputed = next((each for each in whole if each.is_withheld), None)
    if disputed is not None:
        assert disputed.groups is not None  # noqa: S101 - is_withheld said so
        return Comparison(
            DETECTOR,
            tuple(_of_silence(host) for host in silent),
            withheld=(
                f"no healthy majority: {disputed.state} takes {disputed.groups.ratio:.1f} times "
                f"as long on {disputed.slower} of {disputed.nodes} nodes as on the "
                "others"
            ),
            disputed=True,
        )
    alarms = _alarms(intervals)
    nodes = [
        _of_silence(host) if host in silent else _standing(host, whole, alarms.get(host, ()))
        for host in expected
    ]
    nodes.sort(key=lambda node: (not node.indicted, -node.score, node.host))
    return Comparison(DETECTOR, tuple(nodes), windows=_windows_of(intervals).nunique())


def _too_few(seen: int, expected: int) -> str:
    if seen == 0:
        return "nothing to compare: no intervals of any node"
    return f"nothing to compare: intervals of {seen} of {expected} nodes"


def _silent(intervals: pd.DataFrame, expected: list[str]) -> tuple[str, ...]:
    """Nodes without an interval, where nearly all others have enough of them."""
    counts = intervals.groupby("host").size()
    heard = float(counts.quantile(HEARD_OF_NEARLY_ALL.value))
    if heard < LEAST_INTERVALS.value:
        return ()
    return tuple(host for host in expected if host not in counts.index)


def _of_silence(host: str) -> NodeStanding:
    silence = Observation("intervals", 0.0, LEAST_INTERVALS.value, "at least")
    return NodeStanding(host, indicted=True, score=math.inf, observations=(silence,))


def _windows_of(intervals: pd.DataFrame) -> pd.Series[float]:
    first = intervals["started_s"].min()
    numbers: pd.Series[float] = (intervals["started_s"] - first) // WINDOW_SECONDS.value
    return numbers


def _alarms(intervals: pd.DataFrame) -> dict[str, tuple[float, ...]]:
    """Start of each window in which a node was in alarm."""
    found: dict[str, list[float]] = {}
    first = float(intervals["started_s"].min())
    for number, rows in intervals.groupby(_windows_of(intervals)):
        start = first + float(str(number)) * WINDOW_SECONDS.value
        for host in {host for state in states_of(rows) for host in state.slow}:
            found.setdefault(host, []).append(start)
    return {host: tuple(starts) for host, starts in found.items()}


def _standing(host: str, whole: tuple[Durations, ...], alarms: tuple[float, ...]) -> NodeStanding:
    compared = [state for state in whole if host in state.low.index]
    if not compared:
        why = f"fewer than {LEAST_INTERVALS.value:.0f} intervals of any state"
        return NodeStanding(host, indicted=None, score=0.0, why_not=why)
    slow = [state for state in compared if host in state.slow]
    late = _in_a_row(alarms) >= WINDOWS_IN_A_ROW.value
    ratios = {state.state: _ratio(state, host) for state in compared}
    worst = max(ratios.values())
    observations = tuple(
        Observation(state.state, float(state.medians[host]), state.usual_median, "s")
        for state in sorted(slow, key=lambda each: (-ratios[each.state], each.state))
    )
    return NodeStanding(
        host,
        indicted=bool(slow) or late,
        score=worst / LEAST_RATIO.value,
        since_s=alarms[0] if alarms else None,
        until_s=alarms[-1] if alarms else None,
        observations=observations,
        alarms_s=alarms,
    )


def _ratio(state: Durations, host: str) -> float:
    usual = state.usual_low if state.has_minority else float(state.low.median())
    return float(state.low[host]) / usual


def _in_a_row(starts: tuple[float, ...]) -> int:
    """The most windows that follow each other."""
    longest = run = 1 if starts else 0
    for one, other in pairwise(starts):
        run = run + 1 if math.isclose(other - one, WINDOW_SECONDS.value) else 1
        longest = max(longest, run)
    return longest


def _of_attempts(asked: Asked) -> Iterator[Look]:
    """The attempts of each job; some jobs make a piece."""
    rows = asked.store.rows("attempts", columns=_OF_ATTEMPTS, by="job")
    jobs = rows.selecting("job").read()["job"].value_counts().sort_index()
    if asked.job is not None:
        jobs = jobs[jobs.index == asked.job]
    number = jobs.cumsum() // _ROWS_AT_ONCE
    pieces = [rows.among([str(job) for job in some.index]) for _, some in jobs.groupby(number)]
    yield from looks_of_pieces(asked.engine, partial(_of_jobs, asked.hosts), pieces)


def _of_jobs(hosts: frozenset[str], rows: Rows) -> Iterator[Look]:
    for name, of_job in rows.read().groupby("job", sort=True):
        # A job uses the nodes that it is given: only those with an attempt of it are compared.
        seen = set(of_job["host"].dropna())
        found = compare_durations(intervals_of_attempts(of_job), seen & hosts or seen)
        where = rows.among([str(name)]).selecting(*TABLES["attempts"].names)
        yield Look(f"attempts of {name}", found, of="attempts", rows=where)


@dataclass(frozen=True, slots=True)
class _Recording:
    """Transfers that were recorded together: a piece.

    Attributes:
        name: of the recording.
        rows: the transfers.
    """

    name: str
    rows: Rows


def _of_transfers(asked: Asked) -> Iterator[Look]:
    rows = asked.store.rows("transfers", columns=_OF_TRANSFERS, by="source")
    if not rows.is_empty:
        pieces = tuple(_recordings(asked.store, rows))
        yield from looks_of_pieces(asked.engine, partial(_of_recording, asked.hosts), pieces)


def _of_recording(hosts: frozenset[str], recording: _Recording) -> Iterator[Look]:
    intervals = intervals_of_transfers(recording.rows.read()).assign(group=recording.name)
    for role in _roles(intervals):
        mine = set(role["host"])
        if hosts and not hosts & mine:
            continue  # clients, whose work is their own
        busiest = role.groupby("state")["seconds"].sum().idxmax()
        found = compare_durations(role, hosts)
        where = recording.rows.of_hosts(mine).selecting(*TABLES["transfers"].names)
        yield Look(f"{busiest} in {recording.name}", found, of="transfers", rows=where)


def _recordings(store: Tables, rows: Rows) -> Iterator[_Recording]:
    """The transfers of each recording.

    A file that tells of many hosts is a recording of its own. Files of one host each, such as the
    logs of DataNodes, are one recording together.
    """
    sources = store.read("sources", columns=["source", "path", "kind"]).set_index("source")
    hosts = rows.selecting("source", "host").read().groupby("source")["host"].nunique()
    together: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    for source, count in ((str(source), count) for source, count in hosts.items()):
        path, kind = (str(sources[column].get(source, source)) for column in ("path", "kind"))
        group = source if count > 1 else kind
        together.setdefault(group, []).append(source)
        names[group] = path.rpartition("/")[2] if count > 1 else f"{kind}s"
    for group in sorted(together):
        yield _Recording(names[group], rows.among(together[group]))


def _roles(intervals: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The intervals of nodes that do the same kinds of work, directly or through others.

    Clients and DataNodes have no operation in common: each is compared with its like. Where it is
    known which nodes there are, only they are compared.
    """
    host, hosts = pd.factorize(intervals["host"], sort=True)
    state, states = pd.factorize(intervals["state"], sort=True)
    size = len(hosts) + len(states)
    links = coo_array(([True] * len(host), (host, state + len(hosts))), shape=(size, size))
    _, role = connected_components(links, directed=False)
    for number in sorted(set(role[: len(hosts)].tolist())):
        yield intervals[role[host] == number]
