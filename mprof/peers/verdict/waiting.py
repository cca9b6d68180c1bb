"""Nodes that are slow because they wait for a sick one, distinguished from the sick one.

A block is written by several DataNodes at once, and each waits for the others; a map that reads
from another host waits for it. If it is known which other hosts took part in a node's work
(``peer`` and ``block`` of transfers, the attempt that a transfer was for), then its work *without*
the suspects decides: if it is still slow, the node is sick itself; if it is as fast as the others,
the node waited.

If there are too few intervals without a suspect, they decide nothing, and the node stays indicted:
it was seen to be slow, and was not seen to wait. Two nodes that are slow only with each other also
stay indicted, since the fault may be in either of them, or between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from mprof.peers.comparison import Look, NodeStanding
from mprof.peers.tables.durations import LEAST_INTERVALS, LEAST_RATIO, LOW_QUANTILE
from mprof.peers.tables.intervals import intervals_of_attempts, intervals_of_transfers
from mprof.threshold import Threshold

if TYPE_CHECKING:
    from mprof.store import Tables

__all__ = ["THRESHOLDS", "without_waiting"]

LEAST_OTHERS: Final = Threshold(
    "waiting.least-others", 3, "nodes",
    "the usual speed without the suspects is the median of the nodes that are not suspects; of two"
    " neither is the usual one",
)  # fmt: skip

THRESHOLDS: Final = (LEAST_OTHERS,)

Partners = frozenset[str]
"""Hosts that an interval waited for."""


def without_waiting(looks: Sequence[Look], tables: Tables) -> tuple[Look, ...]:
    """The looks, in which a node that is slow because of suspects is not indicted, but says so.

    Args:
        looks: of all detectors; those with rows of attempts or transfers are looked at again.
        tables: with the transfers of attempts.
    """
    indicted = {host for look in looks for host in look.comparison.indicted}
    again = {
        place: _with_partners(look, tables)
        for place, look in enumerate(looks)
        if len(indicted) > 1 and look.rows is not None and look.comparison.indicted
    }
    waits = _waiting(looks, again, indicted, suspects=indicted)
    sick = {
        host
        for place, look in enumerate(looks)
        for host in look.comparison.indicted
        if host not in waits.get(place, {})
    }
    # What only another node that waits explains is explained by nothing.
    waits = _waiting(looks, again, indicted, suspects=sick) if sick else {}
    return tuple(
        _discounted(look, waits[place]) if place in waits else look
        for place, look in enumerate(looks)
    )


def _discounted(look: Look, waits: Mapping[str, tuple[str, ...]]) -> Look:
    nodes = tuple(
        replace(node, indicted=False, because_of=waits[node.host]) if node.host in waits else node
        for node in look.comparison.nodes
    )
    return replace(look, comparison=replace(look.comparison, nodes=nodes))


def _waiting(
    looks: Sequence[Look],
    again: Mapping[int, pd.DataFrame],
    indicted: Iterable[str],
    *,
    suspects: Iterable[str],
) -> dict[int, dict[str, tuple[str, ...]]]:
    """Of each look the nodes that are slow because of suspects, and because of which."""
    found: dict[int, dict[str, tuple[str, ...]]] = {}
    for place, intervals in again.items():
        for node in looks[place].comparison.nodes:
            others = frozenset(suspects) - {node.host}
            if not node.indicted or not others:
                continue
            reasons = _because_of(node, intervals, others, healthy_without=frozenset(indicted))
            if reasons:
                found.setdefault(place, {})[node.host] = reasons
    return found


def _because_of(
    node: NodeStanding,
    intervals: pd.DataFrame,
    suspects: frozenset[str],
    *,
    healthy_without: frozenset[str],
) -> tuple[str, ...]:
    """The suspects that it waited for, if it is as fast as the others without them; else none."""
    mine = intervals[intervals["host"] == node.host]
    slow = {each.what for each in node.observations} or set(mine["state"])
    reasons: dict[str, None] = {}
    judged = 0
    for state in sorted(slow):
        of_state = intervals[intervals["state"] == state]
        partners = of_state.loc[of_state["host"] == node.host, "partners"]
        waited = {host for each in partners.dropna() for host in each if host in suspects}
        left = _without(of_state, suspects)
        low = _low(left)
        usual = low[~low.index.isin(list(healthy_without))]
        known = node.host in low.index and len(usual) >= LEAST_OTHERS.value
        if not known or low[node.host] >= LEAST_RATIO.value * usual.median():
            if node.observations or known:
                return ()
            continue
        judged += 1
        reasons |= dict.fromkeys(sorted(waited))
    return tuple(reasons) if judged else ()


def _low(intervals: pd.DataFrame) -> pd.Series[float]:
    """The low quantile of each node that has enough intervals."""
    by_host = intervals.groupby("host")["seconds"]
    enough = by_host.size() >= LEAST_INTERVALS.value
    return by_host.quantile(LOW_QUANTILE.value)[enough]


def _without(intervals: pd.DataFrame, suspects: frozenset[str]) -> pd.DataFrame:
    """What nodes did without suspects."""
    known = intervals[intervals["partners"].notna()]
    alone = np.array([suspects.isdisjoint(each) for each in known["partners"]], dtype=np.bool_)
    return known[alone]


def _with_partners(look: Look, tables: Tables) -> pd.DataFrame:
    """The intervals of a look, each with the hosts that it waited for; null where not known."""
    rows = look.read_rows()
    assert rows is not None  # noqa: S101 - only such looks come here
    rows = rows.reset_index(drop=True)
    if look.of == "transfers":
        rows = rows[rows["seconds"].notna()].reset_index(drop=True)
        intervals = intervals_of_transfers(rows, keep_row=True)
        partners = _of_transfers(rows)
    else:
        intervals = intervals_of_attempts(rows, keep_row=True)
        partners = _of_attempts(rows, tables)
    found: list[Partners | None] = [partners.get(int(row)) for row in intervals["row"]]
    return intervals.assign(partners=pd.Series(found, index=intervals.index, dtype=object))


def _of_transfers(transfers: pd.DataFrame) -> dict[int, Partners]:
    """Of each row of transfers the other hosts that it went through."""
    together: dict[tuple[str, str], set[str]] = {}
    for host, block, operation in zip(
        transfers["host"], transfers["block"], transfers["operation"], strict=True
    ):
        if isinstance(block, str) and isinstance(host, str):
            together.setdefault((block, operation), set()).add(host)
    found: dict[int, Partners] = {}
    columns = (transfers[name] for name in ("host", "peer", "block", "operation"))
    for row, (host, peer, block, operation) in enumerate(zip(*columns, strict=True)):
        if not isinstance(peer, str):
            continue
        # Those who read a block do not wait for each other; those who write it do.
        with_it = set() if "READ" in str(operation).upper() else together.get((block, operation))
        found[row] = frozenset({peer, *(with_it or ())} - {host})
    return found


def _of_attempts(attempts: pd.DataFrame, tables: Tables) -> dict[int, Partners]:
    """Of each attempt whose transfers are known, the hosts that these went through."""
    names = sorted(set(attempts["attempt"].dropna()))
    rows = tables.rows("transfers", columns=["host", "attempt"], by="attempt")
    if not names:
        return {}
    transfers = rows.among(names).read().dropna()
    hosts = transfers.groupby("attempt")["host"].agg(set)
    return {
        row: frozenset(hosts[attempt] - {host})
        for row, (attempt, host) in enumerate(
            zip(attempts["attempt"], attempts["host"], strict=True)
        )
        if attempt in hosts.index
    }
