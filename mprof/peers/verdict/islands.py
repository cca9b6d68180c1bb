"""Islands: nodes that are similar enough to be compared with each other, and with no others.

Two models of machine in one cluster do the same work at two speeds, and no comparison of peers can
distinguish the slower model from sick nodes. Islands must therefore come from something other than
speed: a list by the user, the hardware of the nodes, or the rack in which they stand
(`docs/decisions/0032-an-island-needs-more-than-the-symptom.md`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeVar

import numpy as np
import pandas as pd

from mprof.peers.detectors.repeated_alarms import FEWEST_NODES
from mprof.threshold import Threshold

__all__ = ["THRESHOLDS", "Islands", "islands_by_hardware", "islands_by_rack", "islands_of_list"]

SAME_AMOUNT: Final = Threshold(
    "islands.same-amount", 1.1, "times the next smaller amount",
    "firmware and kernels keep some memory to themselves; models of machines differ by a quarter"
    " and more",
)  # fmt: skip

THRESHOLDS: Final = (SAME_AMOUNT,)

_Kind = TypeVar("_Kind")

NOT_LISTED: Final = "not listed"

Reason = Literal["list", "hardware", "rack"]


@dataclass(frozen=True, slots=True)
class Islands:
    """A division of the nodes.

    Attributes:
        of: the island of each node.
        because: what divides them.
        apart: nodes that are not like the others of their island, since those like them are too
            few to be compared; and what they are.
        not_seen: hosts that the user lists and of which nothing is known.
    """

    of: Mapping[str, str]
    because: Reason
    apart: Mapping[str, str] = field(default_factory=dict)
    not_seen: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The islands, the largest first."""
        return tuple(name for name, _ in _by_size(self.of.values()))

    def nodes(self, name: str) -> frozenset[str]:
        """The nodes of an island."""
        return frozenset(host for host, island in self.of.items() if island == name)


def islands_of_list(listed: Mapping[str, str], hosts: Iterable[str]) -> Islands:
    """Islands as the user lists them; nodes that are not listed are one of their own.

    Args:
        listed: the island of each host.
        hosts: every node that is to be compared.
    """
    of = {host: listed.get(host, NOT_LISTED) for host in hosts}
    return Islands(of, "list", not_seen=tuple(sorted(listed.keys() - of.keys())))


def islands_by_rack(racks: Mapping[str, str], hosts: Iterable[str]) -> Islands | None:
    """Racks as islands; None where fewer than two have enough nodes to be compared.

    Nodes of no known rack, and those of racks with too few nodes, are in no island.
    """
    of = {host: f"rack {racks[host]}" for host in hosts if host in racks}
    large = {name for name, count in _by_size(of.values()) if count >= FEWEST_NODES.value}
    if len(large) < 2:
        return None
    return Islands({host: name for host, name in of.items() if name in large}, "rack")


def islands_by_hardware(hardware: pd.DataFrame, hosts: Iterable[str]) -> Islands | None:
    """Nodes of like processors and memory; None where the hardware does not divide the nodes.

    A node whose hardware is not known, or is that of too few to be compared, is in the largest
    island: a machine of which a part has failed must not become an island of its own, in which
    nobody looks at it.

    Args:
        hardware: rows of the store's table; what is said last of a host counts.
        hosts: every node that is to be compared.
    """
    names = sorted(set(hosts))
    known = hardware[hardware["host"].isin(names) & (hardware["amount"] > 0)]
    table = known.pivot_table(index="host", columns="what", values="amount", aggfunc="last")
    # What is known of few says nothing of the others: two nodes with JMX are no island.
    table = table.dropna(axis="columns", thresh=len(names) // 2 + 1)
    if table.empty or table.shape[1] == 0:
        return None
    classes = pd.DataFrame({what: _classes(table[what]) for what in table.columns})
    # Of what is not known of a node, it has what most have.
    whole = classes.fillna(classes.mode().iloc[0])
    kinds = {str(host): tuple(row) for host, row in zip(whole.index, whole.to_numpy(), strict=True)}
    sizes = _by_size(kinds.values())
    large = [kind for kind, count in sizes if count >= FEWEST_NODES.value]
    if len(sizes) < 2 or not large:
        return None
    whats = [str(what) for what in table.columns]
    words = {kind: _in_words(table, kinds, kind, whats) for kind, _ in sizes}
    largest = words[large[0]]
    of = {host: words[kind] if (kind := kinds.get(host)) in large else largest for host in names}
    apart = {host: words[kind] for host, kind in kinds.items() if kind not in large}
    return Islands(of, "hardware", apart)


def _by_size(values: Iterable[_Kind]) -> list[tuple[_Kind, int]]:
    """Each value with its number, the most frequent first, equals in the order of their texts."""
    return sorted(Counter(values).items(), key=lambda one: (-one[1], str(one[0])))


def _classes(amounts: pd.Series[float]) -> pd.Series[float]:
    """Number of the class of each amount: those that are nearly the same have one; NaN stays."""
    ordered = amounts.dropna().sort_values()
    values = ordered.to_numpy(dtype=np.float64)
    new = np.append(False, values[1:] > SAME_AMOUNT.value * values[:-1])
    return pd.Series(np.cumsum(new), index=ordered.index, dtype=float).reindex(amounts.index)


_GIB: Final = 1 << 30


def _in_words(
    table: pd.DataFrame,
    kinds: Mapping[str, tuple[float, ...]],
    kind: tuple[float, ...],
    whats: list[str],
) -> str:
    """What the nodes of a kind are made of: ``8 processors, 31 GiB memory``."""
    rows = table.loc[[host for host in table.index if kinds[str(host)] == kind]]
    parts = []
    for what in whats:
        amount = rows[what].median()
        if not np.isnan(amount):
            figure = f"{amount / _GIB:.3g} GiB" if what.endswith("memory") else f"{amount:.0f}"
            parts.append(f"{figure} {what}")
    return ", ".join(parts)
