"""Tables of whole clusters: jobs, attempts, transfers, heartbeats and metrics of many nodes.

Each row says which file it came from. On disk they are Parquet files, in memory pandas data frames;
of a table that does not fit into memory `Rows` are read part by part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mprof.lazy_imports import import_on_demand

if TYPE_CHECKING:
    from mprof.store.host_names import is_address
    from mprof.store.row_groups import Rows
    from mprof.store.schema import TABLES, TABLES_DESCRIBED, frame_of
    from mprof.store.scope import MOMENTS, Scope, ScopedStore, Tables
    from mprof.store.store import SourceNote, Store
    from mprof.store.unfinished import UnfinishedImport, importing

__all__ = [
    "MOMENTS",
    "TABLES",
    "TABLES_DESCRIBED",
    "Rows",
    "Scope",
    "ScopedStore",
    "SourceNote",
    "Store",
    "Tables",
    "UnfinishedImport",
    "frame_of",
    "importing",
    "is_address",
]

if not TYPE_CHECKING:  # with it, a name that does not exist would be any type
    __getattr__ = import_on_demand(__name__)
