"""Plain twins of the kernels, under their names: short, slow, and obviously right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

__all__ = ["add_addresses", "count_blocks", "depth_first", "find", "find_core",
           "flatten_tree", "immediate_dominators", "largest_leads", "next_address", "outline",
           "ranks_of", "retained_by_group", "shortest_paths"]  # fmt: skip


def ranks_of(known: Sequence[int], addresses: Sequence[int]) -> list[int]:
    """The rank of every address among the known ones, -1 where it is none of them."""
    order = {address: rank for rank, address in enumerate(sorted(set(known)))}
    return [order.get(address, -1) for address in addresses]


def add_addresses(known: set[int], addresses: Sequence[int]) -> int:
    """Adds addresses to a set; returns how many were there already."""
    twice = 0
    for address in addresses:
        twice += address in known
        known.add(address)
    return twice


def count_blocks(addresses: Sequence[int], low: int, bits: int, *, most: int) -> dict[int, int]:
    """How many lie in each block of ``1 << bits``, of the first ``most`` blocks that occur."""
    counts: dict[int, int] = {}
    for address in addresses:
        block = (address - low) >> bits
        if block in counts or len(counts) < most:
            counts[block] = counts.get(block, 0) + 1
    return counts


def next_address(known: Sequence[int], address: int, limit: int) -> int:
    """The distance to the next higher one, 0 if it is ``limit`` or more away."""
    above = [other - address for other in known if 0 < other - address < limit]
    return min(above, default=0)


def find(keys: Sequence[int], key: int) -> int:
    """The position of a key, -1 if it is not there."""
    return keys.index(key) if key in keys else -1


def depth_first(rows: Sequence[Sequence[int]], root: int) -> tuple[list[int], list[int]]:
    """Vertices in preorder, and the parent of each as its number in that order."""
    order, parents, number = [root], [0], {root: 0}
    pending = [(root, iter(rows[root]))]
    while pending:
        vertex, targets = pending[-1]
        for target in targets:
            if target not in number:
                number[target] = len(order)
                order.append(target)
                parents.append(number[vertex])
                pending.append((target, iter(rows[target])))
                break
        else:
            pending.pop()
    return order, parents


def shortest_paths(
    rows: Sequence[Sequence[int]], starts: Sequence[int], parents: Sequence[int]
) -> list[int]:
    """The vertex before each on a shortest path from the starts, level by level."""
    found, level = list(parents), list(starts)
    while level:
        following = []
        for vertex in level:
            for target in rows[vertex]:
                if found[target] == -1:
                    found[target] = vertex
                    following.append(target)
        level = following
    return found


def immediate_dominators(rows: Sequence[Sequence[int]], root: int) -> dict[int, int]:
    """By vertex, the nearest other one without which it is not reached; the root's is itself."""

    def reach(without: int | None) -> set[int]:
        seen, pending = {root}, [root]
        while pending:
            for target in rows[pending.pop()]:
                if target not in seen and target != without:
                    seen.add(target)
                    pending.append(target)
        return seen

    everything = reach(None)
    above: dict[int, set[int]] = {vertex: set() for vertex in everything}
    for vertex in everything - {root}:
        for lost in everything - reach(vertex) - {vertex}:
            above[lost].add(vertex)
    found = {root: root}
    for vertex in everything - {root}:  # the nearest is dominated by all the others
        found[vertex] = max(above[vertex], key=lambda one: len(above[one]), default=root)
    return found


def flatten_tree(dominators: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """New number of each vertex in preorder of the tree; by it, dominators and subtree sizes."""
    children: dict[int, list[int]] = {vertex: [] for vertex in range(len(dominators))}
    for vertex, above in enumerate(dominators):
        if vertex:
            children[above].append(vertex)
    order: list[int] = []
    pending = [0]
    while pending:
        vertex = pending.pop()
        order.append(vertex)
        pending += reversed(children[vertex])
    places = [0] * len(dominators)
    for place, vertex in enumerate(order):
        places[vertex] = place

    def size(vertex: int) -> int:
        return 1 + sum(size(child) for child in children[vertex])

    return places, [places[dominators[v]] for v in order], [size(v) for v in order]


def find_core(rows: Sequence[Sequence[int]], kept: Collection[int]) -> set[int]:
    """All vertices but those that hang on one edge: leaves, and what has only such leaves below."""
    entries = Counter(target for targets in rows for target in targets)
    hanging = {vertex for vertex in range(len(rows)) if entries[vertex] == 1} - set(kept)
    leaves = {vertex for vertex in hanging if not rows[vertex]}
    return {
        vertex
        for vertex in range(len(rows))
        if vertex not in hanging or not leaves.issuperset(rows[vertex])
    }


def retained_by_group(
    groups: Sequence[int], dominators: Sequence[int], weights: Sequence[int], count: int
) -> tuple[list[int], list[int], list[int]]:
    """Members, their weights, and the weights of all they dominate, of each group."""
    members, own, retained = [0] * count, [0] * count, [0] * count
    for vertex, group in enumerate(groups):
        if group >= 0:
            members[group] += 1
            own[group] += weights[vertex]
        lineage = {groups[vertex]}
        above = vertex
        while above:
            above = dominators[above]
            lineage.add(groups[above])
        for one in lineage - {-1}:
            retained[one] += weights[vertex]
    return members, own, retained


def outline(
    dominators: Sequence[int], classes: Sequence[int], weights: Sequence[int], *, least: int
) -> dict[tuple[int, tuple[int, ...]], tuple[int, int, int, int]]:
    """Rows of a dominator tree, told by a vertex alone and the classes below it.

    Returns:
        (vertex, classes) -> members, their weights, the weights of all below too, and how many.
    """
    retained = [0] * len(dominators)
    for vertex in range(len(dominators)):
        for one in _lineage(dominators, vertex):
            retained[one] += weights[vertex]
    rows: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for vertex in range(1, len(dominators)):
        line = _lineage(dominators, vertex)
        run = next((n for n, one in enumerate(line) if classes[one] != classes[vertex]), len(line))
        run = 1 if classes[vertex] < 0 else run
        top, below = rows[dominators[vertex]]
        if not below and retained[vertex] >= least and run <= 8:
            rows[vertex] = (vertex, ())
        elif classes[vertex] in below:
            rows[vertex] = (top, below[: below.index(classes[vertex]) + 1])
        else:
            rows[vertex] = (top, (*below, classes[vertex]))
    found = {}
    for row in set(rows.values()):
        members = [vertex for vertex in rows if rows[vertex] == row]
        # What refers to its own kind again stands above: not all that it dominates is below it.
        top, below = row
        all_below = [
            vertex for vertex, (other, classes_) in rows.items()
            if (other == top and classes_[: len(below)] == below)
            or (not below and top in _lineage(dominators, other))
        ]  # fmt: skip
        found[row] = (
            len(members),
            sum(weights[one] for one in members),
            sum(weights[one] for one in all_below),
            len(all_below),
        )
    return found


def _lineage(dominators: Sequence[int], vertex: int) -> list[int]:
    line = [vertex]
    while line[-1]:
        line.append(dominators[line[-1]])
    return line


def count_ranks(table: list[int]) -> list[int]:
    """The table with the number of addresses before each word beside it, and nothing by empty ones.

    Words stand at even places, counts at odd ones.
    """
    counted, before = list(table), 0
    for at in range(0, len(table), 2):
        if table[at]:
            counted[at + 1] = before
            before += table[at].bit_count()
    return counted


def largest_leads(first: Sequence[Sequence[float]], second: Sequence[Sequence[float]]) -> list[int]:
    """Of each two samples: the largest lead of the one's distribution function, times both counts.

    At every value: how many of the first are up to it, and how many of the second.
    """
    return [
        max(
            sum(a <= value for a in one) * len(other) - sum(b <= value for b in other) * len(one)
            for value in (*one, *other, -float("inf"))
        )
        for one, other in zip(first, second, strict=True)
    ]
