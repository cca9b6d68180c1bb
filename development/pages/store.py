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

store = Store.at("DIR")  # or an address
store.read("transfers", columns=["host", "operation", "seconds"])  # a pandas DataFrame
```

## What holds when imports are killed, or run at once
The rows of a file count once its note in `sources` is there, which is written last and in one \
step: of a file that was being imported when the import was killed no row counts, and all files \
before it are there whole.
Until the import is run again, every verb that reads the store says that it did not end.

At an address (`--store webhdfs://NAMENODE:9870/PATH`, `hdfs://`, `s3://`, `gs://`, `abfs://`; \
`mprof-hadoop[remote]`) the same holds without locks, and without a file that is put in the place \
of another:

- Each time a source is written, its files have a new name, `<table>/<source>.<edition>.parquet`; \
no file is ever written twice.
- The note is written under another name and then renamed: HDFS renames in one step, an object \
store shows a copy when it is whole.
- Of several editions the one with the highest number counts, wholly; of two with the same number, \
which two imports have written at the same time, the one whose token is higher. It takes the \
others away.
- Rows that are too old (`--keep`) go with the edition that had them, when the one without them \
is there.
- Who reads lists the notes, the files, and the notes once more, until nothing has changed in \
between; if an edition goes while it is read, the verb ends with exit code 3 and says to ask again.
- Files of an edition without a note, which a killed import has left, count for nothing; an import \
deletes them when they are a day old by the clock of their server. An upload of one source must \
not take a day.

What does not hold, there as in a folder: different tables, read one after the other, may be of \
different moments; a log that has grown is there twice between the note of its longer copy and \
the removal of the shorter one.
The times of the Parquet files and of the notes are those of the machine that wrote them; nothing \
depends on them.

A store in a folder that was copied to an address can be read there, and not written; one that was \
copied from an address to a folder is a store.
Whoever reads with another program must leave out the files of editions without a note.

## Columns of every table

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
