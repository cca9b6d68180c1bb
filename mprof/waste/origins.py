"""Where objects come from: the field, static or local that all paths to them lead through."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mprof.heap.columns import HeapColumns
from mprof.hprof import scan
from mprof.waste._chains import find_fields, find_owners
from mprof.waste.wasted import Origin

__all__ = ["Origins"]

_MOST: Final = 3
_PLUMBING: Final = ("java.util.", "java.lang.String", "java.lang.AbstractStringBuilder")
_NOBODY: Final = "several holders"


class Origins:
    """Names the origins of any objects of a heap.

    The first question costs a pass over all nodes and 8 bytes for each.
    """

    def __init__(self, columns: HeapColumns) -> None:
        self._columns = columns

    @cached_property
    def _owners(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        graph, names = self._columns.graph, self._columns.classes.names
        is_plumbing = np.array(
            [name.endswith("[]") or name.startswith(_PLUMBING) for name in names], np.uint8
        )
        owners, below = np.empty((2, self._columns.nodes), np.int32)
        find_owners(graph.dominators, graph.classes, is_plumbing, owners, below)
        return owners, below

    def of(self, nodes: NDArray[np.int64], saved: NDArray[np.int64]) -> tuple[Origin, ...]:
        """The origins of most bytes of some nodes, at most three.

        Args:
            nodes: int64, the objects.
            saved: int64, the bytes that each would save.
        """
        if not nodes.size:
            return ()
        owners, below = (column[nodes].astype(np.int64) for column in self._owners)
        pairs, place = np.unique(np.stack((owners, below), 1), axis=0, return_inverse=True)
        counts = np.bincount(place.ravel(), minlength=len(pairs))
        sums = np.zeros(len(pairs), np.int64)
        np.add.at(sums, place.ravel(), saved)
        by_name: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        keys, groups, names = self._names(pairs[:, 0], pairs[:, 1])
        group_counts, group_sums = np.zeros((2, keys), np.int64)
        np.add.at(group_counts, groups, counts)
        np.add.at(group_sums, groups, sums)
        for name, count, size in zip(
            names, group_counts.tolist(), group_sums.tolist(), strict=True
        ):
            by_name[name][0] += count
            by_name[name][1] += size
        rows = [Origin(name=n, objects=c, saved_bytes=s) for n, (c, s) in by_name.items()]
        rows.sort(key=lambda row: (-row.saved_bytes, -row.objects, row.name))
        return tuple(rows[:_MOST])

    def name_of(self, node: int) -> str:
        """The origin of one node."""
        return self.of(np.array([node], np.int64), np.zeros(1, np.int64))[0].name

    def _names(
        self, owners: NDArray[np.int64], below: NDArray[np.int64]
    ) -> tuple[int, NDArray[np.int64], list[str]]:
        """How many groups of owners there are, the group of each, and the name of each group."""
        columns = self._columns
        heads, numbers = columns.heads(owners), columns.numbers(owners)
        numbers = columns.represented(heads, numbers)
        fields = np.full(owners.size, -1, np.int32)
        find_fields(
            columns.dump.buffer, columns.dump.identifier_bytes, heads.tags,
            np.ascontiguousarray(numbers), heads.lengths, heads.data, columns.links,
            columns.heads(below).addresses, fields,
        )  # fmt: skip
        frames = np.where(heads.tags == 0, owners, 0)  # each frame is a group of its own
        table = np.stack(
            (
                heads.tags.astype(np.int64),
                numbers.astype(np.int64),
                fields.astype(np.int64),
                frames,
            ),
            1,
        )
        keys, groups = np.unique(table, axis=0, return_inverse=True)
        names = [self._name(*key) for key in keys.tolist()]
        return len(keys), groups.ravel(), names

    def _name(self, tag: int, number: int, field: int, frame: int) -> str:
        columns = self._columns
        if not tag:
            found = columns.heap.frames_by_node.get(frame)
            if found is None:
                return _NOBODY
            return f"local of {found.class_name}.{found.method}()"
        name = columns.classes.names[number] if number >= 0 else "?"
        static = "static " if tag == scan.CLASS else ""
        if field < 0:
            return f"inside {'class ' if static else ''}{name}"
        return f"{static}{name}.{columns.field_names[field]}"
