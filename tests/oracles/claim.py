"""The plain twin of mprof.kernels.claim, on sets and lists."""

from __future__ import annotations

__all__ = ["claim", "reached_sizes"]


def claim(
    rows: list[list[int]], sources: list[int], labels: list[int], owners: list[int]
) -> list[int]:
    """Each source in turn takes what is free and reachable over free vertices."""
    owners = list(owners)
    for source, label in zip(sources, labels, strict=True):
        if owners[source] != 0:
            continue
        free = {vertex for vertex, owner in enumerate(owners) if owner == 0}
        mine = {source}
        while grown := {t for v in mine for t in rows[v] if t in free} - mine:
            mine |= grown
        for vertex in mine:
            owners[vertex] = label
    return owners


def reached_sizes(
    rows: list[list[int]],
    weights: list[int],
    owners: list[int],
    wanted: set[int],
    sources: list[int],
) -> list[int]:
    """What each source reaches over vertices of wanted owners and none before it did."""
    passable = {vertex for vertex, owner in enumerate(owners) if owner in wanted}
    seen: set[int] = set()
    sizes = []
    for source in sources:
        mine = {source} & passable - seen
        while grown := {t for v in mine for t in rows[v] if t in passable} - mine - seen:
            mine |= grown
        seen |= mine
        sizes.append(sum(weights[vertex] for vertex in mine))
    return sizes


def sum_by_owner(owners: list[int], weights: list[int], count: int) -> list[list[int]]:
    """Weights and numbers of the vertices of each owner; blocked ones (negative) are left out."""
    sums = [[0] * count, [0] * count]
    for owner, weight in zip(owners, weights, strict=True):
        if owner >= 0:
            sums[0][owner] += weight
            sums[1][owner] += 1
    return sums
