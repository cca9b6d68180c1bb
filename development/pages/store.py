"""The page of the reference that lists the tables of the store."""

from __future__ import annotations

from typing import Final

from mprof.store.schema import TABLES_DESCRIBED, Column, Table

__all__ = ["store_page"]

_INTRODUCTION: Final = """\
<!-- Made by `make docs` from mprof/store/schema.py; do not edit. -->
# Tables of the store

`mprof import WHAT... --store DIR` reads files about whole clusters into the folder `DIR`: a \
Parquet file for each table and each file that was read, `DIR/<table>/<source>.parquet`.
The column `source` says which file a row came from; the table `sources` says where that file \
was, and which parts of it could not be read.
A file is identified by its content: importing it again, under any name, adds nothing, and a log \
that has grown replaces its earlier rows.
A value that the source does not give is null, never 0.
A job or an attempt that appears in several files is read once: from the row that says how it \
ended; of several, from the one with the latest end; of those, from the one with the most columns \
filled.
In a store written by another program, rows without a value in a required column (in bold) are \
skipped.
Times are seconds since 1970-01-01 UTC; a recording without a date (TraceBench) counts from its \
first event.

```python
from mprof.store import Store

store = Store.at(Path("DIR"))
store.read("transfers", columns=["host", "operation", "seconds"])  # a pandas DataFrame
```

| column | type | unit | meaning |
|---|---|---|---|
| `source` | string | | the source of the row; in every table |
"""


def store_page() -> str:
    """The Markdown page."""
    return "\n".join((_INTRODUCTION, *map(_section, TABLES_DESCRIBED)))


def _section(table: Table) -> str:
    rows = (
        f"| {_name(each)} | {each.type} | {each.unit} | {each.meaning} |" for each in table.columns
    )
    head = ("| column | type | unit | meaning |", "|---|---|---|---|")
    return "\n".join((f"## {table.name}", f"One row: {table.row}.", "", *head, *rows, ""))


def _name(column: Column) -> str:
    return f"**`{column.name}`**" if column.needed else f"`{column.name}`"
