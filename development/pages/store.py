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
Each row says in `source` which file it is from; the table `sources` says where that was, and \
what of it could not be read.
A file is known by its content: imported again, under any name, it adds nothing; a log that has \
grown since takes the place of what was read of it.
What a source does not say is missing, and never 0.
A job, and an attempt, that several files tell of is read once: by the row that says how it ended, \
of several the one with the latest end, of those the one with the most columns filled.
In a store that another program wrote, a row without a value in a column that is needed (in bold) \
is passed over.
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
