"""Nodes that one source is silent about, while another one hears of them.

A node is named for its silence if nothing comes from it while its peers are heard of. Two kinds of
silence are none of the machine, and other tables tell them:

- **The collector stopped**: no samples come from the node, and attempts start on it and end well
  all the while. A machine that stands still starts and ends nothing.
- **Another name**: nothing was ever heard of a listed node, while a host that no list has ran
  attempts: the list may be old, or name the machine otherwise. If there are fewer such hosts than
  silent nodes, some of these are silent indeed, and all stay named.

Such nodes are not named, and the output says what was not heard.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.peers.comparison import Look, NodeStanding, Spell
from mprof.peers.statistics.silence import LEAST_HEARD, SHORTEST

__all__ = ["THRESHOLDS", "without_false_silence"]

THRESHOLDS: Final = (LEAST_HEARD, SHORTEST)


def without_false_silence(
    looks: Sequence[Look], attempts: pd.DataFrame, listed: frozenset[str]
) -> tuple[Look, ...]:
    """The looks, in which no node is indicted for a silence that is none of its own.

    Args:
        looks: of all detectors.
        attempts: ``host``, ``state``, ``started_s`` and ``finished_s``: by the clock of the
            ApplicationMaster, not by that of the node.
        listed: nodes that should be there.
    """
    silent = {
        node.host for look in looks for node in look.comparison.nodes
        if node.indicted and _only_silent(node)
    }  # fmt: skip
    if not silent:
        return tuple(looks)
    otherwise = _never_heard(looks, silent, attempts, listed)
    of_host = {str(host): rows for host, rows in attempts.groupby("host") if host in silent}
    return tuple(_told_again(look, of_host, otherwise) for look in looks)


def _only_silent(node: NodeStanding) -> bool:
    return bool(node.spells) and all(spell.what == "silent" for spell in node.spells)


def _never_heard(
    looks: Iterable[Look], silent: set[str], attempts: pd.DataFrame, listed: frozenset[str]
) -> dict[str, str]:
    """Listed nodes that no table knows, and what may be why; none where they are too many."""
    heard = {
        node.host for look in looks for node in look.comparison.nodes
        if node.indicted is not None and not _only_silent(node)
    }  # fmt: skip
    ran = set(attempts["host"].dropna())
    never, strange = (silent & listed) - heard - ran, ran - listed
    if not 0 < len(never) <= len(strange):
        return {}
    names = ", ".join(sorted(strange)) if len(strange) == 1 else f"{len(strange):,} hosts"
    why = (
        f"nothing was ever heard of it, while {names} that no list has ran attempts: it may be the"
        " same machine"
    )
    return dict.fromkeys(never, why)


def _told_again(look: Look, of_host: dict[str, pd.DataFrame], otherwise: dict[str, str]) -> Look:
    nodes = tuple(
        node
        if (why := _why(look, node, of_host, otherwise)) is None
        else replace(node, indicted=None, score=0.0, why_not=why)
        for node in look.comparison.nodes
    )
    if nodes == look.comparison.nodes:
        return look
    return replace(look, comparison=replace(look.comparison, nodes=nodes))


def _why(
    look: Look, node: NodeStanding, of_host: dict[str, pd.DataFrame], otherwise: dict[str, str]
) -> str | None:
    """Why the node is not to be blamed for its silence; None where it is, or there is none."""
    if not node.indicted or not _only_silent(node):
        return None
    if node.host in otherwise:
        return otherwise[node.host]
    if look.of != "metrics" or node.host not in of_host:
        return None
    signs_s = _signs_s(of_host[node.host])
    if not all(_is_alive(signs_s, spell) for spell in node.spells):
        return None
    minutes = sum(spell.end_s - spell.begin_s for spell in node.spells) / 60
    return (
        f"no samples came from it for {minutes:.0f} min, while attempts started on it and ended"
        " well: what collects them may have stopped"
    )


def _signs_s(attempts: pd.DataFrame) -> NDArray[np.float64]:
    """When attempts started that ended well, and when they ended: the node lived then."""
    well = attempts[attempts["state"] == "succeeded"]
    return np.sort(well[["started_s", "finished_s"]].to_numpy(dtype=np.float64).ravel())


def _is_alive(signs_s: NDArray[np.float64], spell: Spell) -> bool:
    """Whether such signs came all the while."""
    inside = signs_s[(signs_s > spell.begin_s) & (signs_s < spell.end_s)]
    if len(inside) < LEAST_HEARD.value:
        return False
    gaps_s = np.diff(inside, prepend=spell.begin_s, append=spell.end_s)
    return float(gaps_s.max()) < SHORTEST.value
