"""What a detector is asked of a store, and one comparison that it makes of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mprof.peers.comparison import Comparison

if TYPE_CHECKING:
    from mprof.peers.profile_model import ProfileModel
    from mprof.store import Store

__all__ = ["Asked", "Look", "asked_of"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be compared.

    Attributes:
        store: with the tables.
        job: only attempts of this job; everything where None.
        hosts: nodes that should be there; empty where nothing says which.
        profiles: of healthy nodes; None where none were learnt.
    """

    store: Store
    job: str | None = None
    hosts: frozenset[str] = frozenset()
    profiles: ProfileModel | None = None


def asked_of(
    store: Store,
    *,
    job: str | None = None,
    hosts: Iterable[str] = (),
    profiles: ProfileModel | None = None,
) -> Asked:
    """What is to be compared of a store; its nodes are those of its table, and ``hosts``."""
    known = frozenset({*hosts, *store.read("nodes", columns=["host"])["host"].dropna()})
    return Asked(store, job, known, profiles)


@dataclass(frozen=True, slots=True)
class Look:
    """One comparison, and what it was made of.

    Attributes:
        evidence: in words: ``attempts of job_1_0001``, ``block transfers of FILE``.
        comparison: what the detector says.
    """

    evidence: str
    comparison: Comparison
