"""What trees said of runs that they were not learnt of: a confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mprof.peers.statistics.share import Share
from mprof.peers.synthesis.ten_values import Others
from mprof.peers.synthesis.tree import THIS

__all__ = ["CANNOT_TELL", "Confusion"]

CANNOT_TELL: Final = "cannot tell"


@dataclass(frozen=True, slots=True)
class Confusion:
    """A confusion matrix, leaving one run out at a time.

    Attributes:
        others: whose mean the statistics of the others were.
        classes: in the order of the rows.
        experiments: runs of each.
        matrix: nodes; a row what they were, a column what was said: the classes, and last that the
            tree cannot tell.
    """

    others: Others
    classes: tuple[str, ...]
    experiments: tuple[int, ...]
    matrix: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        fits = len(self.matrix) == len(self.classes) == len(self.experiments) and all(
            len(row) == len(self.classes) + 1 for row in self.matrix
        )
        if not fits:
            raise ValueError("the parts of the confusion matrix of its tree do not fit together")

    @property
    def right(self) -> tuple[Share, ...]:
        """Of each class, the nodes of which it was said."""
        return tuple(Share(row[number], sum(row)) for number, row in enumerate(self.matrix))

    @property
    def all_right(self) -> Share:
        """Nodes of which the right class was said."""
        right = self.right
        return Share(sum(one.count for one in right), sum(one.total for one in right))

    @property
    def found(self) -> Share:
        """Sick nodes that were said to be sick, of whatever."""
        return self._said_sick(sick=True)

    @property
    def blamed(self) -> Share:
        """Healthy nodes that were said to be sick."""
        return self._said_sick(sick=False)

    @property
    def named(self) -> Share:
        """Sick nodes of which the right fault was said."""
        chosen = [
            one
            for name, one in zip(self.classes, self.right, strict=True)
            if name.endswith(f": {THIS}")
        ]
        return Share(sum(one.count for one in chosen), sum(one.total for one in chosen))

    def _said_sick(self, *, sick: bool) -> Share:
        is_sick = [name.endswith(f": {THIS}") for name in self.classes]
        rows = [row for row, one in zip(self.matrix, is_sick, strict=True) if one == sick]
        said = sum(row[number] for row in rows for number, one in enumerate(is_sick) if one)
        return Share(said, sum(map(sum, rows)))
