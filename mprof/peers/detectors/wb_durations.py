"""`wb-durations`: nodes on which the same work takes longer than on their peers.

Definition. Kahuna-WB and Blimey-WB compare, node with node, how the durations of a state (map,
reduce, reading and writing a block) are distributed, and indict a node that differs from most
others (Tan et al., "Kahuna", NOMS 2010; Pan et al., "Blind Men and the Elephant", HotCloud 2009).
Here each node is tested against all the others: its durations must be longer than theirs by more
than a margin, and a *low quantile* of them, too.

It departs from the papers in these points:

- The papers' distance between whole distributions also indicts nodes that *wait* for a sick one
  (the other replicas of a pipeline, a reducer that copies from it). A sick node is always slow; a
  node that waits is slow only while it works with a sick one, and its fastest fifth is as fast as
  anyone's.
- The papers' majority rule takes the median distance to the others, which a large minority of sick
  nodes shifts; here the nodes that are found are left out, and the others are compared again.
- Distances have no scale that carries over from one run to another, so thresholds learnt on one run
  raise false alarms in the next; a ratio within the run has such a scale.
- Time within the recording: each interval is ranked among those that started at about the same
  time, and the stretches in which a node's ranks are high are tested in the same way, with as many
  more comparisons as there are stretches. In this way a node that was slow for part of the time is
  found, and since when.
- If nodes differ and the slower ones are not a minority, the verdict is withheld, because there is
  no healthy majority. It is also withheld if data came from fewer than half of the nodes that
  should be there.
- An interval that has not ended counts with the time it has run, once that is long compared with
  those that have ended: a hang never ends.
- If no data came from a node while its peers were at work, it is indicted for its silence, from its
  last sign of life to the next one, if there is one. A node from which no data ever came is
  indicted only if a list says that it should be there.
- Jobs of a few tasks each show no difference between nodes. The durations of a state in a job are
  therefore also divided by their median in that job, and all jobs are compared together.
- For each node and state it says how many times slower the node would have to be in it to be found
  in 19 of 20 cases, from the number of its intervals and their spread.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from mprof.peers.comparison import Comparison, Look, NodeStanding, Observation, Spell
from mprof.peers.detectors.request import Asked, looks_of_pieces
from mprof.peers.statistics.silence import SILENCE_THRESHOLDS, Silence, silences
from mprof.peers.tables.durations import (
    LEAST_INTERVALS,
    LEAST_PEERS,
    LEAST_RATIO,
    THRESHOLDS_OF_STATES,
    Durations,
    Stretch,
    states_of,
)
from mprof.peers.tables.intervals import (
    NumberedIntervals,
    intervals_of_attempts,
    intervals_of_transfers,
    numbered,
)
from mprof.store import TABLES, Rows, Tables

__all__ = ["DETECTOR", "THRESHOLDS", "compare_durations", "looks"]

DETECTOR: Final = "wb-durations"

THRESHOLDS: Final = (*THRESHOLDS_OF_STATES, *SILENCE_THRESHOLDS)
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


def compare_durations(
    intervals: pd.DataFrame, hosts: Iterable[str] = (), *, all_the_time: bool = True
) -> Comparison:
    """Compare how long the same work takes on each node.

    Args:
        intervals: of one cluster, columns as in ``INTERVAL_COLUMNS``; a state is compared within
            its group only.
        hosts: nodes that should be there; those with intervals are added.
        all_the_time: these nodes should have work from start to end.
    """
    hosts = set(hosts)
    return _compared(numbered(intervals, hosts), hosts if all_the_time else frozenset())


def _compared(intervals: NumberedIntervals, listed: Collection[str]) -> Comparison:
    """The same of intervals with numbers.

    Args:
        intervals: of the nodes that should be there, and others.
        listed: nodes that should have work from start to end.
    """
    expected = intervals.hosts
    seen = int((np.bincount(intervals.host, minlength=len(expected)) > 0).sum())
    if seen < LEAST_PEERS or 2 * seen <= len(expected):
        return Comparison(DETECTOR, (), withheld=_too_few(seen, len(expected)))
    whole = states_of(intervals)
    silent = _silent(intervals, listed)
    return _of_states(intervals, whole, silent)


def _of_states(
    intervals: NumberedIntervals, whole: tuple[Durations, ...],
    silent: dict[str, tuple[Silence, ...]],
) -> Comparison:  # fmt: skip
    """The verdict on all nodes, by the durations of each state and the silences of each node."""
    expected = intervals.hosts
    if not whole and not silent:
        why = f"no state has {LEAST_INTERVALS.value:.0f} intervals on {LEAST_PEERS} nodes"
        return Comparison(DETECTOR, (), withheld=why)
    # Where half of the nodes are silent, the others may have got all the work.
    half = len(expected) / 2
    many = {host for host, every in silent.items() if any(each.silent >= half for each in every)}
    if len(many) > half:
        of = f"{len(many)} of {len(expected)}"
        why = f"no majority of the nodes was active: {of} were silent at the same time"
        return Comparison(DETECTOR, (), withheld=why, disputed=True)
    untold = {host: silent.pop(host) for host in many}
    disputed = next((each for each in whole if each.is_withheld), None)
    nodes = [
        _untold(host, untold[host])
        if host in untold and not any(host in state.slow for state in whole)
        else _standing(host, whole if disputed is None else (), silent.get(host, ()))
        for host in expected
        if disputed is None or host in silent
    ]
    nodes.sort(key=lambda node: (not node.indicted, -node.score, node.host))
    withheld = None if disputed is None else f"no healthy majority: {disputed.why_withheld}"
    return Comparison(DETECTOR, tuple(nodes), withheld=withheld, disputed=disputed is not None)


def _too_few(seen: int, expected: int) -> str:
    if seen == 0:
        return "nothing to compare: no intervals of any node"
    return f"nothing to compare: intervals of {seen} of {expected} node{'s'[: expected != 1]}"


def _silent(
    intervals: NumberedIntervals, listed: Collection[str]
) -> dict[str, tuple[Silence, ...]]:
    """The silences of each node."""
    # What did not come to its own end was ended from elsewhere, or is only not known to have.
    ran_s = np.where(intervals.ended, intervals.seconds, np.nan)
    found: dict[str, tuple[Silence, ...]] = {}
    for each in silences(
        intervals.host, intervals.started_s, intervals.started_s + ran_s,
        nodes=len(intervals.hosts),
        listed={place for place, host in enumerate(intervals.hosts) if host in listed}
        if listed else (),
    ):  # fmt: skip
        host = intervals.hosts[each.node]
        found[host] = (*found.get(host, ()), each)
    return found


def _standing(host: str, whole: tuple[Durations, ...], silent: tuple[Silence, ...]) -> NodeStanding:
    compared = [state for state in whole if host in state.low]
    if not compared and not silent:
        why = f"fewer than {LEAST_INTERVALS.value:.0f} intervals of any state"
        return NodeStanding(host, indicted=None, score=0.0, why_not=why)
    slow = [state for state in compared if host in state.slow]
    ratios = [state.low[host] / state.usual_low for state in compared]
    ratios += [each.ratio for state in slow for each in state.slow[host]]
    spells = [Spell("silent", each.begin_s, each.end_s, each.lasts) for each in silent]
    spells += _slow_spells(host, slow)
    spells.sort(key=lambda spell: (spell.begin_s, spell.end_s))
    observations = [Observation("intervals", 0.0, each.peers, "at least") for each in silent[:1]]
    for state in sorted(slow, key=lambda state: (-_worst(state, host).ratio, state.state)):
        worst = _worst(state, host)
        observations.append(Observation(state.state, worst.own, worst.usual, "s"))
    return NodeStanding(
        host,
        indicted=bool(slow or silent),
        score=math.inf if silent else max(ratios) / LEAST_RATIO.value,
        since_s=spells[0].begin_s if spells else None,
        until_s=max((spell.end_s for spell in spells), default=None),
        observations=tuple(observations),
        alarms_s=tuple(spell.begin_s for spell in spells),
        spells=tuple(spells),
        chance=min(
            (*(state.chances[host] for state in slow), *(each.chance for each in silent)),
            default=1.0,
        ),
        visible_in=tuple((state.state, state.visible[host]) for state in compared),
    )


def _slow_spells(host: str, slow: list[Durations]) -> list[Spell]:
    """When it was slow; of several states at a time by the one that is furthest beyond chance.

    A state of few intervals tells the begin less exactly than one of many.
    """
    found: list[Spell] = []
    for state in sorted(slow, key=lambda state: (state.chances[host], state.state)):
        new = [Spell("slow", each.begin_s, each.end_s, each.lasts) for each in state.slow[host]]
        found += [
            each for each in new
            if all(each.end_s < one.begin_s or one.end_s < each.begin_s for one in found)
        ]  # fmt: skip
    return found


def _untold(host: str, silent: tuple[Silence, ...]) -> NodeStanding:
    return NodeStanding(
        host,
        indicted=None,
        score=math.inf,
        since_s=silent[0].begin_s,
        until_s=silent[-1].end_s,
        why_not=f"no data came from it for a time, nor from {silent[0].silent - 1} others",
    )


def _worst(state: Durations, host: str) -> Stretch:
    return max(state.slow[host], key=lambda stretch: stretch.ratio)


def _of_attempts(asked: Asked) -> Iterator[Look]:
    """The attempts of each job; some jobs make a piece."""
    rows = asked.attempts(_OF_ATTEMPTS)
    jobs = rows.selecting("job").read()["job"].value_counts().sort_index()
    number = jobs.cumsum() // _ROWS_AT_ONCE
    pieces = [rows.among([str(job) for job in some.index]) for _, some in jobs.groupby(number)]
    yield from looks_of_pieces(asked.engine, partial(_of_jobs, asked.hosts), pieces)
    if len(jobs) > 1:
        yield from looks_of_pieces(asked.engine, _of_all_jobs, [rows])


def _of_all_jobs(rows: Rows) -> Iterator[Look]:
    """All jobs together: what each interval took of what is usual in its job."""
    intervals = _without_jobs(intervals_of_attempts(rows.read()))
    if intervals.empty:
        return
    numbers = numbered(intervals)
    found = _of_states(numbers, states_of(numbers), {})
    # Each job that shows a node is counted by itself.
    nodes = tuple(replace(node, jobs=0) for node in found.nodes)
    whose = f"attempts of {intervals['job'].nunique():,} jobs together"
    where = rows.selecting(*TABLES["attempts"].names)
    yield Look(whose, replace(found, nodes=nodes), of="attempts", rows=where)


def _without_jobs(intervals: pd.DataFrame) -> pd.DataFrame:
    """Intervals as if they were of one job, in which each state takes what it does in most jobs.

    Of a job whose state ran on few nodes, or seldom, the median is that of a node.
    """
    of_job = intervals[intervals["ended"]].groupby(["group", "state"])
    usual = of_job["seconds"].median()
    enough = (of_job["host"].nunique() >= LEAST_PEERS) & (of_job.size() >= LEAST_INTERVALS.value)
    usual = usual[enough & (usual > 0)]
    known = usual.reindex(pd.MultiIndex.from_frame(intervals[["group", "state"]])).to_numpy()
    told = intervals[np.isfinite(known)]
    share = told["seconds"] / known[np.isfinite(known)]
    typical = told.groupby("state")["seconds"].transform("median")
    whole: pd.DataFrame = told.assign(seconds=share * typical, job=told["group"], group="all")
    return whole


def _of_jobs(hosts: frozenset[str], rows: Rows) -> Iterator[Look]:
    attempts = rows.read()
    job, jobs = pd.factorize(attempts["job"], sort=True)
    times = attempts[["started_s", "shuffled_s", "sorted_s", "finished_s"]]
    # What runs still is known to have run until the last time of its job.
    last_s = times.max(axis=1).groupby(job).transform("max")
    whole = numbered(
        intervals_of_attempts(attempts, seen_until_s=last_s), attempts["host"].dropna().unique()
    )
    is_known = np.array([host in hosts for host in whole.hosts], dtype=np.bool_)
    ran_on = _pairs(job, pd.Index(whole.hosts).get_indexer(pd.Index(attempts["host"])))
    names = pd.Index(jobs).get_indexer(pd.Index([group for group, _ in whole.kinds]))
    group = np.append(names, -1)[whole.kind]
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.arange(len(jobs) + 1)).tolist()
    of_nodes = np.searchsorted(ran_on[:, 0], np.arange(len(jobs) + 1)).tolist()
    for one, name in enumerate(jobs.tolist()):
        places = order[bounds[one] : bounds[one + 1]]
        # A job uses the nodes that it is given: only those with an attempt of it are compared.
        seen = ran_on[of_nodes[one] : of_nodes[one + 1], 1]
        should = seen[is_known[seen]] if is_known[seen].any() else seen
        of_job = whole.among(places, np.union1d(should, whole.host[places]))
        found = _compared(of_job, frozenset())
        where = rows.among([str(name)]).selecting(*TABLES["attempts"].names)
        yield Look(f"attempts of {name}", found, of="attempts", rows=where)


def _pairs(first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.intp]:
    """The pairs of numbers that occur, ascending: a row each; without those of negative ones."""
    many = int(second.max(initial=0)) + 1
    known = (first >= 0) & (second >= 0)
    found = np.unique(first[known] * many + second[known])
    return np.column_stack((found // many, found % many))


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
