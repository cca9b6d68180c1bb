"""Tables of whole clusters: jobs, attempts, transfers, heartbeats and metrics of many nodes.

Each row says which file it came from. On disk they are Parquet files, in memory pandas data frames;
DuckDB answers questions about more than fits into memory.
"""

from mprof.store.schema import TABLES, frame_of
from mprof.store.store import SourceNote, Store

__all__ = ["TABLES", "SourceNote", "Store", "frame_of"]
