"""What a detector is asked of a store, and one comparison that it makes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mprof.peers.comparison import Comparison
from mprof.pieces import Engine, LocalEngine

if TYPE_CHECKING:
    from mprof.store import Store

__all__ = ["Asked", "Look"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be compared.

    Attributes:
        store: with the tables.
        job: only attempts of this job; everything where None.
        hosts: nodes that should be there; empty where nothing says which.
        engine: what compares pieces of the tables.
    """

    store: Store
    job: str | None = None
    hosts: frozenset[str] = frozenset()
    engine: Engine = field(default_factory=LocalEngine)


@dataclass(frozen=True, slots=True)
class Look:
    """One comparison, and what it was made of.

    Attributes:
        evidence: in words: ``attempts of job_1_0001``, ``block transfers of FILE``.
        comparison: what the detector says.
    """

    evidence: str
    comparison: Comparison
