"""Questions about a heap: its tables, for SQL, as Arrow and as data frames.

`schema` and `examples` need no library of an extra; all others need pyarrow, and `ask` DuckDB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mprof.lazy_imports import import_on_demand

if TYPE_CHECKING:
    from mprof.questions.ask import Answer, HeapTables

__all__ = ["Answer", "HeapTables"]

if not TYPE_CHECKING:  # with it, a name that does not exist would be any type
    __getattr__ = import_on_demand(__name__)
