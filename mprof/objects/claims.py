"""Labels of owners, and the array in which they claim nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mprof.kernels.claim import BLOCKED, FREE, claim
from mprof.objects.columns import Columns
from mprof.objects.model import Lifecycle, Owner, PartName
from mprof.objects.roots import Root

__all__ = ["Claims", "Label"]


@dataclass(slots=True)
class Label:
    """One owner in the array of owners; changes only while claims are made.

    Attributes:
        number: its number, above 0.
        key: of the holder.
        owner: whose.
        lifecycle: how long it can live.
        roots: where its claims began.
        part: of the framework's memory.
        map_attempt: whose output a segment is.
        doubling: a library frame was enlarging one of its containers.
    """

    number: int
    key: str
    owner: Owner
    lifecycle: Lifecycle
    roots: list[Root]
    part: PartName | None = None
    map_attempt: str | None = None
    doubling: bool = False


class Claims:
    """Collects labels and lets them claim."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.owners = np.full(columns.sizes.size, FREE, np.int32)
        self.owners[columns.is_framework | columns.is_infrastructure] = BLOCKED
        self.labels = [Label(0, "", "other", "none", [])]
        self._by_key: dict[str, Label] = {}

    def label(self, key: str, owner: Owner, lifecycle: Lifecycle = "none") -> Label:
        """The label of a holder, made if it is new."""
        found = self._by_key.get(key)
        if found is None:
            found = Label(len(self.labels), key, owner, lifecycle, [])
            self.labels.append(found)
            self._by_key[key] = found
        return found

    def claim(self, sources: list[tuple[int, Label]]) -> None:
        """Lets nodes claim in order."""
        claim(
            self.columns.starts,
            self.columns.targets,
            sources=np.array([node for node, _ in sources], np.int64),
            labels=np.array([label.number for _, label in sources], np.int32),
            owners=self.owners,
        )

    def claim_roots(self, roots: Iterable[Root]) -> None:
        """Lets roots claim in order."""
        sources = []
        for root in roots:
            label = self.label(root.key, root.owner, root.lifecycle)
            label.roots.append(root)
            sources.append((root.node, label))
        self.claim(sources)

    def is_blocked(self, node: int) -> bool:
        """Whether a node is nothing that can be claimed."""
        return bool(self.owners[node] == BLOCKED)

    def is_taken(self, node: int) -> bool:
        """Whether a node is claimed, or cannot be."""
        return bool(self.owners[node] != FREE)
