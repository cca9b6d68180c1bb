"""What a detector is asked of a store, and one comparison that it makes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from mprof.peers.comparison import Comparison
from mprof.pieces import Engine, LocalEngine

if TYPE_CHECKING:
    import pandas as pd

    from mprof.peers.profiles.model import ProfileModel
    from mprof.store import Rows, Tables

__all__ = ["Asked", "Look", "View"]

View = Literal["attempts", "transfers", "heartbeats", "metrics"]
"""A table of the store: what is counted by different means, and can be wrong in different ways."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be compared.

    Attributes:
        store: with the tables, or the part of them that is asked for.
        job: only attempts of this job; everything where None.
        hosts: nodes that should be there; empty where nothing says which.
        profiles: of healthy nodes; None where none were learnt.
        engine: what compares pieces of the tables.
    """

    store: Tables
    job: str | None = None
    hosts: frozenset[str] = frozenset()
    profiles: ProfileModel | None = None
    engine: Engine = field(default_factory=LocalEngine)


@dataclass(frozen=True, slots=True)
class Look:
    """One comparison, and what it was made of.

    Attributes:
        evidence: in words: ``attempts of job_1_0001``, ``block transfers of FILE``.
        comparison: what the detector says.
        of: the table that was looked at.
        kind: of heartbeats, the call; None of others.
        island: the nodes that were compared, where not all were compared with each other.
        rows: where those of the table lie that may tell that one node waited for another.
    """

    evidence: str
    comparison: Comparison
    of: View
    kind: str | None = None
    island: str | None = None
    rows: Rows | None = field(default=None, compare=False, repr=False)

    def read_rows(self) -> pd.DataFrame | None:
        """The rows of the table; None where they tell nothing of waiting.

        Raises:
            EvidenceError: if a file of the store is damaged.
        """
        return None if self.rows is None else self.rows.read()
