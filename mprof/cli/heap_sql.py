"""What ``mprof heap DUMP --sql`` prints: a table, CSV, JSON, or a file of any of these."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mprof.cli.output import check_new, say, say_json, say_part
from mprof.errors import UsageError
from mprof.extras import need
from mprof.io.files import new_file
from mprof.io.printable import in_json, one_line

if TYPE_CHECKING:
    import pyarrow as pa

    from mprof.questions import Answer

__all__ = [
    "LIST",
    "CsvFlag",
    "SqlExampleOption",
    "SqlOption",
    "SqlOutputOption",
    "answer_question",
    "list_examples",
]

SqlOption = Annotated[
    str | None,
    typer.Option(
        "--sql", metavar="QUERY", help="Answer one SELECT over the tables of the heap, by DuckDB."
    ),
]
SqlExampleOption = Annotated[
    str | None,
    typer.Option(
        "--sql-example", metavar="NAME", help='Answer a question that has a name; "list" has all.'
    ),
]
CsvFlag = Annotated[bool, typer.Option("--csv", help="Print the answer to --sql as CSV.")]
SqlOutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the answer to --sql to a new .parquet, .csv or .json file.",
    ),
]

LIST: Final = "list"
"""Instead of the name of an example: print them all."""

_WIDEST: Final = 60  # characters of a value in a table
_BY: Final = "mprof heap --sql"
_SUFFIXES: Final = (".parquet", ".csv", ".json")


def answer_question(
    dump: Path,
    *,
    sql: str | None,
    example: str | None,
    as_json: bool,
    as_csv: bool,
    output: Path | None,
    top: int,
    progress: Callable[[], Callable[[str, float], None] | None],
) -> None:
    """Answers one question about a dump.

    Raises:
        UsageError: if the question or an option is wrong.
        MissingPackageError: if DuckDB or pyarrow is not there.
    """
    query = _query(sql, example)
    if as_json and as_csv:
        raise UsageError("both --json and --csv", next_step="ask for one of them")
    if output is not None:
        _check_output(output, as_json=as_json, as_csv=as_csv)
    need("sql", by=_BY)
    from mprof.questions import HeapTables

    tables = HeapTables(dump, progress=progress())
    answer = tables.sql(query)
    if output is not None:
        rows = _write(output, answer)
        say(f"{rows:,} rows in {output}")
    elif as_csv:
        for piece in _csv(answer.schema, answer.batches()):
            say_part(piece)
    elif as_json:
        for piece in _json(answer.schema, answer.batches()):
            say_part(piece)
    else:
        _print_table(answer, top=top)
    for loss in tables.losses:
        say(f"mprof: damaged: {loss}", on_stderr=True)


def _query(sql: str | None, example: str | None) -> str:
    from mprof.questions.examples import EXAMPLES

    if sql is not None:
        return sql
    for one in EXAMPLES:
        if one.name == example:
            return one.sql
    raise UsageError(
        f"there is no example {example}",
        next_step=f"choose one of {', '.join(one.name for one in EXAMPLES)}",
    )


def _check_output(output: Path, *, as_json: bool, as_csv: bool) -> None:
    if as_json or as_csv:
        raise UsageError(
            f"{'--json' if as_json else '--csv'} prints, and --output writes {output}",
            next_step="leave one of them out; the suffix of the file says what is written",
        )
    if output.suffix not in _SUFFIXES:
        raise UsageError(
            f"{output} does not say in which format it is to be written",
            next_step=f"let its name end with {', '.join(_SUFFIXES[:-1])} or {_SUFFIXES[-1]}",
        )
    check_new(output, force=False)


def list_examples(*, as_json: bool) -> None:
    """Prints name, question and text of every example."""
    from mprof.questions.examples import EXAMPLES

    if as_json:
        say_json(
            json.dumps(
                {"schema_version": 1, "examples": [
                    {"name": one.name, "asks": one.asks, "mat": one.in_mat, "sql": one.sql.strip()}
                    for one in EXAMPLES]}
            )
        )  # fmt: skip
        return
    for one in EXAMPLES:
        say(f"{one.name}: {one.asks} ({one.in_mat} in MAT)")
        for line in one.sql.strip().splitlines():
            say(f"    {line}")
        say()


# --- a table --------------------------------------------------------------------------------------


def _print_table(answer: Answer, *, top: int) -> None:
    """The first rows, and how many there are; on a pipe the table's width is fixed."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_edge=False)
    for field in answer.schema:
        is_right = _type(field.type) in ("id", "number")
        table.add_column(
            one_line(field.name), justify="right" if is_right else "left", overflow="fold"
        )
    shown = total = 0
    for batch in answer.batches():
        for row in _rows(batch.slice(0, max(0, top - shown))):
            table.add_row(*(_cell(value) for value in row))
            shown += 1
        total += batch.num_rows
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    console.print(table, markup=False)
    if total > shown:
        say(f"{shown:,} of {total:,} rows; --top shows more, --csv and --output have all")
    elif total == 0:
        say("no rows")


def _rows(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    """Rows of plain values; an identifier is text in hex, as everywhere in mprof."""
    columns = [_plain(column) for column in batch.columns]
    yield from zip(*columns, strict=True)


def _plain(column: pa.Array) -> list[Any]:
    import pyarrow as pa

    values: list[Any] = column.to_pylist()
    if pa.types.is_uint64(column.type):
        return [None if value is None else f"0x{value:x}" for value in values]
    return [_simple(value) for value in values]


def _simple(value: Any) -> Any:
    """What JSON and CSV can say; a sum of DuckDB's is an integer of 128 bits."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_simple(one) for one in value]
    if isinstance(value, dict):
        return {name: _simple(one) for name, one in value.items()}
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dt.date | dt.datetime):
        return value.isoformat()
    return str(value)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.10g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = one_line(text)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."


# --- CSV, JSON, files -----------------------------------------------------------------------------


def _csv(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(schema.names)
    for batch in batches:
        for row in _rows(batch):
            writer.writerow(
                ["" if v is None else json.dumps(v) if isinstance(v, list | dict | bool) else v
                 for v in row]
            )  # fmt: skip
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _json(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> Iterator[str]:
    """One object, a row on each line; it is written while rows are found."""
    columns = [{"name": field.name, "type": _type(field.type)} for field in schema]
    yield in_json(f'{{"schema_version": 1, "columns": {json.dumps(columns)}, "rows": [')
    between = "\n"
    for batch in batches:
        lines = []
        for row in _rows(batch):
            lines.append(between + json.dumps(row))
            between = ",\n"
        yield "".join(lines)
    yield "\n]}\n"


def _type(kind: pa.DataType) -> str:
    import pyarrow as pa

    if pa.types.is_uint64(kind):
        return "id"
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_floating(kind):
        return "number"
    return "array" if pa.types.is_list(kind) else "string"


def _write(output: Path, answer: Answer) -> int:
    """Writes a file, which is there once it is whole; returns the rows."""
    try:
        with new_file(output) as partial:
            return _write_into(partial, output.suffix, answer)
    except OSError as error:
        raise UsageError(
            f"{output} cannot be written: {error.strerror or error}",
            next_step="make room on that disk, or write somewhere else",
        ) from error


def _write_into(path: Path, suffix: str, answer: Answer) -> int:
    rows = 0
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        with pq.ParquetWriter(path, answer.schema) as writer:
            for batch in answer.batches():
                writer.write_batch(batch)
                rows += batch.num_rows
        return rows

    def counted() -> Iterator[pa.RecordBatch]:
        nonlocal rows
        for batch in answer.batches():
            rows += batch.num_rows
            yield batch

    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        pieces = _csv if suffix == ".csv" else _json
        for piece in pieces(answer.schema, counted()):
            file.write(piece)
    return rows
