"""What a detector is asked of a store, and its comparisons made where the rows are.

Where no two pieces have anything to do with each other (a job, a recording, a kind of call), each
gives its comparisons, and the gathering step has nothing to do but to put them one after the other.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import pandas as pd
import pyarrow as pa

from mprof.peers.comparison import Look
from mprof.peers.detectors.repeated_alarms import FEWEST_NODES
from mprof.pieces import Engine, LocalEngine

if TYPE_CHECKING:
    from mprof.peers.profiles.profile_model import ProfileModel
    from mprof.store import Rows, Tables

__all__ = ["Asked", "looks_of_pieces"]

Piece = TypeVar("Piece")

_ROWS_AT_ONCE: Final = 200_000
_NOBODY: Final = frozenset[str]()
_SCHEMA: Final = pa.schema({"look": pa.binary()})


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be compared.

    Attributes:
        store: with the tables, or the part of them that is asked for.
        job: only attempts of this job; everything where None.
        hosts: nodes that should be there; empty where nothing says which.
        profiles: of healthy nodes; None where none were learnt.
        engine: what compares pieces of the tables.
        profiles_as_published: likewise, of the metrics of Ganesha and Kahuna alone.
    """

    store: Tables
    job: str | None = None
    hosts: frozenset[str] = frozenset()
    profiles: ProfileModel | None = None
    engine: Engine = field(default_factory=LocalEngine)
    profiles_as_published: ProfileModel | None = None

    def attempts(self, columns: Sequence[str]) -> Rows:
        """Attempts of all jobs, or of the one that is asked for."""
        rows = self.store.rows("attempts", columns=columns, by="job")
        return rows if self.job is None else rows.among([self.job])

    def metrics(self, names: Iterable[str]) -> Rows | None:
        """Samples of all nodes, with their ``host`` and ``at_s``; None where there are none.

        Nor where one job is asked for: what a node did meanwhile is of all jobs. Where it is known
        which nodes there are, those of others are left out: a Prometheus scrapes gateways and
        databases, too.
        """
        if self.job is not None:
            return None
        columns = ("host", "at_s", *names)
        rows = self.store.rows("metrics", columns=columns, by="at_s", categories=["host"])
        if rows.is_empty:
            return None
        return rows.of_hosts(self.hosts) if self._seen_first(rows)[0] else rows

    def strangers(self) -> frozenset[str]:
        """Hosts that `metrics` leaves out: no list of nodes has them."""
        rows = self.store.rows("metrics", columns=("host", "at_s"), by="at_s", categories=["host"])
        return self._seen_first(rows)[1]

    def _seen_first(self, rows: Rows) -> tuple[frozenset[str], frozenset[str]]:
        """The listed nodes and the other hosts that the first rows tell of.

        Where few nodes of the list are there, it is of another cluster, or names them otherwise.
        """
        first = next(iter(rows.selecting("host").batches(_ROWS_AT_ONCE)), None)
        seen = frozenset() if first is None else frozenset(first.read()["host"].dropna())
        listed = seen & self.hosts
        return (listed, seen - listed) if len(listed) >= FEWEST_NODES.value else (_NOBODY, _NOBODY)


def looks_of_pieces(
    engine: Engine, function: Callable[[Piece], Iterable[Look]], pieces: Sequence[Piece]
) -> Iterator[Look]:
    """The comparisons that a function makes of each piece, in the order of the pieces."""
    found = engine.frame(partial(_frame, function), pieces, _SCHEMA)
    for packed in found["look"]:
        # What this process, or an executor that it started, has packed.
        look: Look = pickle.loads(packed)  # noqa: S301
        yield look


def _frame(function: Callable[[Piece], Iterable[Look]], piece: Piece) -> pd.DataFrame:
    packed = [pickle.dumps(look) for look in function(piece)]
    return pd.DataFrame({"look": pd.Series(packed, dtype=object)})
