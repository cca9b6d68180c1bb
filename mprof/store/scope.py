"""A part of the tables: rows of some nodes and of some time.

Whoever compares nodes reads the tables through this, and need not know which nodes and which time
are asked for. The filters go down to the Parquet files, whose parts without such rows are not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from mprof.remote.address import Place
from mprof.store.row_groups import Rows
from mprof.store.schema import TABLES
from mprof.store.store import Store

__all__ = ["MOMENTS", "Scope", "ScopedStore", "Tables"]

MOMENTS: Final = {
    "transfers": "started_s", "heartbeats": "at_s", "heartbeat_lines": "at_s", "metrics": "at_s",
}  # fmt: skip
"""Tables whose rows are of one moment, and the column that says which."""

_MOMENT_OF: Final = {**MOMENTS, "node_states": "at_s"}
"""The same of what is no measurement."""

_SPOKEN_OF: Final = ("host", "attempt", "started_s", "finished_s", "at_s")
"""Columns by which a scope tells which rows are in it."""

_WITHOUT_TIME: Final = frozenset({"jobs", "nodes", "hardware", "names", "sources"})


class Tables(Protocol):
    """Tables of a store that can be read."""

    @property
    def folder(self) -> Place:
        """Where they lie."""

    def read(self, table: str, *, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """The rows of a table, as `Store.read` gives them."""

    def rows(
        self, table: str, *, columns: Sequence[str], by: str, categories: Sequence[str] = ()
    ) -> Rows:
        """Where the rows of a table lie, as `Store.rows` gives them."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which rows are asked for.

    Attributes:
        since_s: an attempt that ended before is left out, and whatever else began before; None
            for no such time.
        until_s: what began then or later is left out; None for no such time.
        hosts: rows of other hosts are left out; None for no such limit.
    """

    since_s: float | None = None
    until_s: float | None = None
    hosts: frozenset[str] | None = None

    @property
    def is_everything(self) -> bool:
        """Whether nothing is left out."""
        return self == Scope()

    def within(self, hosts: frozenset[str]) -> Scope:
        """The part of it that is of these hosts."""
        return replace(self, hosts=hosts if self.hosts is None else self.hosts & hosts)

    def rows(self, table: str, host_names: Mapping[str, str]) -> pc.Expression | None:
        """What holds for the rows of a table that are asked for; None where it is all of them.

        A row without a time is left out where a time is asked for.
        """
        conditions = []
        if self.hosts is not None and "host" in TABLES[table].names:
            other = {name for name, host in host_names.items() if host in self.hosts}
            names = pa.array(sorted(self.hosts | other), pa.string())
            conditions.append(pc.field("host").isin(names))
        if table not in _WITHOUT_TIME:
            began = pc.field(_MOMENT_OF.get(table, "started_s"))
            ended = pc.field("finished_s") if table not in _MOMENT_OF else began
            if self.until_s is not None:
                conditions.append(began < self.until_s)
            if self.since_s is not None:
                open_ = began.is_valid() & ended.is_null()
                conditions.append((ended >= self.since_s) | open_)
        if not conditions:
            return None
        every = conditions[0]
        for each in conditions[1:]:
            every &= each
        return every


@dataclass(frozen=True, slots=True)
class ScopedStore:
    """A store of which only a part is to be seen."""

    store: Store
    scope: Scope

    @property
    def folder(self) -> Place:
        """Where the store lies."""
        return self.store.folder

    def read(self, table: str, *, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """The rows of a table that are in scope, of all sources.

        Raises:
            EvidenceError: if a file of the store is damaged.
        """
        names = self.store.host_names() if self.scope.hosts is not None else {}
        rows = self.scope.rows(table, names)
        return self.store.read(table, columns=columns, rows=rows)

    def rows(
        self, table: str, *, columns: Sequence[str], by: str, categories: Sequence[str] = ()
    ) -> Rows:
        """Where the rows of a table that are in scope lie, of all sources.

        Raises:
            EvidenceError: if a file of the store is damaged.
        """
        names = self.store.host_names() if self.scope.hosts is not None else {}
        needs = [name for name in _SPOKEN_OF if name in TABLES[table].names]
        chosen = self.scope.rows(table, names)
        return self.store.rows(
            table, columns=columns, by=by, chosen=chosen, categories=categories,
            needs=() if chosen is None else needs,
        )  # fmt: skip
