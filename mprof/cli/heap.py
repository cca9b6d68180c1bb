"""``mprof heap``: analyses any heap dump, with or without a job."""

from __future__ import annotations

import json as json_codec
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mprof.cli.heap_look import Look, look
from mprof.cli.heap_options import check_together
from mprof.cli.heap_sql import (
    LIST,
    CsvFlag,
    SqlExampleOption,
    SqlOption,
    SqlOutputOption,
    answer_question,
    list_examples,
)
from mprof.cli.heap_waste import WasteFlag, print_waste
from mprof.cli.loudness import Loudness, loudness
from mprof.cli.options import ForceFlag, HtmlOption
from mprof.cli.output import say, say_json
from mprof.errors import EvidenceError
from mprof.io.printable import one_line

if TYPE_CHECKING:
    from mprof.heap import ClassRow, DuplicateStrings, HeapSummary, QuickHistogram

__all__ = ["heap"]

_MIN_SHARE = 0.001  # of the heap: frames that reach less are not shown


def heap(
    dump: Annotated[
        Path,
        typer.Argument(
            metavar="DUMP",
            help="A heap dump: .hprof, .hprof.gz, or .p0 .p1 ... parts of an interrupted dump.",
        ),
    ],
    second: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DUMP2]",
            help="A later dump: say what grew and what shrank since the first one.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    top: Annotated[
        int, typer.Option("--top", metavar="ROWS", min=1, help="Rows of each table.")
    ] = 20,
    histogram: Annotated[
        bool,
        typer.Option(
            "--histogram",
            help="Only count objects by class: fast, and includes unreachable objects.",
        ),
    ] = False,
    strings: Annotated[
        bool, typer.Option("--strings", help="Find duplicate strings as well.")
    ] = False,
    waste: WasteFlag = False,
    sql: SqlOption = None,
    sql_example: SqlExampleOption = None,
    csv: CsvFlag = False,
    output: SqlOutputOption = None,
    redact: Annotated[
        Path | None,
        typer.Option(
            "--redact",
            metavar="OUT",
            help="Write the same heap without its values and texts to this new file "
            "(.hprof or .hprof.gz), and do nothing else.",
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="WHAT",
            help="With --redact, do not empty: numbers, thread-names or strings-of:CLASS. "
            "May be given several times.",
        ),
    ] = None,
    object_: Annotated[
        str | None,
        typer.Option("--object", metavar="ID", help="Show one object; ID as 0x7f00c0a8."),
    ] = None,
    class_: Annotated[
        str | None,
        typer.Option("--class", metavar="NAME", help="Show a class and its largest objects."),
    ] = None,
    path: Annotated[
        str | None,
        typer.Option("--path", metavar="ID", help="A shortest path from a root to an object."),
    ] = None,
    dominates: Annotated[
        str | None,
        typer.Option("--dominates", metavar="ID", help="What an object alone keeps alive."),
    ] = None,
    html: HtmlOption = None,
    serve: Annotated[
        bool,
        typer.Option("--serve", help="Serve the page with the whole heap, on this machine only."),
    ] = False,
    port: Annotated[
        int, typer.Option("--port", help="Port to serve at; 0 for any.", min=0, max=65535)
    ] = 0,
    force: ForceFlag = False,
) -> None:
    """Show what fills a heap dump, and which thread, frame or static field holds it."""
    # On import, numpy's linear algebra starts a thread per core; it is not used here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if sql_example == LIST:
        list_examples(as_json=json)
        return
    wanted = Look(
        object=object_, class_=class_, path=path, dominates=dominates, html=html, serve=serve
    )
    others = {
        "--redact": redact, "--waste": waste, "--sql": sql is not None,
        "--sql-example": sql_example, "--histogram": histogram, "--strings": strings,
        "--keep": keep, "--csv": csv, "--output": output, "--port": port, "--force": force,
    }  # fmt: skip
    given = [*wanted.named(), *(name for name, value in others.items() if value)]
    check_together(given, dumps=1 if second is None else 2, json=json)
    if second is not None:
        from mprof.cli.heap_compare import compare_heaps

        compare_heaps(dump, second, as_json=json, top=top, progress=_progress)
        return
    if sql is not None or sql_example is not None:
        answer_question(dump, sql=sql, example=sql_example, as_json=json, as_csv=csv,
                        output=output, top=top, progress=_progress)  # fmt: skip
        return
    _check_there(dump)
    if redact is not None:
        from mprof.cli.heap_redact import redact_heap

        redact_heap(dump, redact, keep=keep or [], as_json=json, progress=_progress)
        return
    progress = _progress()
    if waste:
        print_waste(dump, as_json=json, top=top, progress=progress)
        return
    if wanted:
        look(dump, wanted, json=json, top=top, force=force, port=port, progress=progress)
        return
    if histogram:
        from mprof.heap import quick_histogram

        _print_histogram(quick_histogram(dump, progress=progress), as_json=json, top=top)
        return
    from mprof.heap import duplicate_strings
    from mprof.objects.summary import summarise_dump

    opened, summary = summarise_dump(dump, progress=progress)
    if loudness() is Loudness.all:
        sys.stderr.write(f"mprof: {opened.storage.reason}\n")
    duplicates = duplicate_strings(opened, limit=top, progress=progress) if strings else None
    if json:
        from mprof.heap.answers import as_json

        beside = {} if duplicates is None else {"duplicate_strings": as_json(duplicates)}
        say_json(json_codec.dumps({**summary.to_json(), **beside}))
        return
    _print_summary(summary, top=top)
    if opened.emptied is not None:
        say()
        say(f"The values and texts of this dump were emptied. Kept: {opened.emptied}")
    if duplicates is not None:
        _print_duplicates(duplicates)


def _check_there(dump: Path) -> None:
    """Refuse a dump that is not there, before what reads it is loaded and perhaps compiled."""
    try:
        dump.stat()
    except OSError as error:
        if isinstance(error, FileNotFoundError) and dump.with_name(f"{dump.name}.p0").is_file():
            return  # the parts of a dump that broke off
        raise EvidenceError(
            f"{dump} cannot be read: {error.strerror or error}",
            next_step="check the name and the permissions",
        ) from error


def _progress() -> Callable[[str, float], None] | None:
    """Shows progress on a terminal only; None elsewhere. Announces a first run, which compiles."""
    from mprof.kernels import is_first_run, why_not_kept

    others = why_not_kept()
    if others is not None:
        sys.stderr.write(
            "mprof: the heap engine is compiled again by each run, about ten seconds, because "
            f"others could change what is kept: {others}\n"
        )
    elif is_first_run():
        sys.stderr.write(
            "mprof: first run on this machine: compiling the heap engine, about ten seconds\n"
        )
    if not sys.stderr.isatty() or loudness() is Loudness.quiet:
        return None

    def show(what: str, share: float) -> None:
        sys.stderr.write("\r\x1b[K" if share >= 1 else f"\r\x1b[Kmprof: {what} {share:.0%}")
        sys.stderr.flush()

    return show


def _print_histogram(result: QuickHistogram, *, as_json: bool, top: int) -> None:
    from mprof.units import format_bytes, format_count

    if as_json:
        value = {
            "schema_version": 1,
            "objects": result.objects,
            "shallow_bytes": result.shallow_bytes,
            "includes_unreachable": True,
            "layout": result.layout,
            "classes": [
                {"name": row.name, "objects": row.objects, "shallow_bytes": row.shallow_bytes}
                for row in result.classes
            ],
            "losses": list(result.losses),
        }
        say_json(json_codec.dumps(value))
        return
    say(
        f"{format_count(result.objects)} objects, {format_bytes(result.shallow_bytes)}; "
        "including unreachable objects"
    )
    say(f"Layout: {result.layout}")
    _print_losses(result.losses)
    _print_classes(result.classes[:top], retained=False)


def _print_losses(losses: tuple[str, ...]) -> None:
    for loss in losses:
        say(f"Damaged: {loss}")


def _print_summary(summary: HeapSummary, *, top: int) -> None:
    from mprof.cli.heap_text import headline, holder_lines
    from mprof.units import format_bytes, format_count

    for line in headline(summary):
        say(line)
    say()
    say(
        f"{format_count(summary.objects)} objects, "
        f"{format_bytes(summary.shallow_bytes)} reachable; "
        f"{format_count(summary.unreachable.objects)} more, "
        f"{format_bytes(summary.unreachable.shallow_bytes)}, unreachable"
    )
    say(f"Layout: {summary.layout}")
    _print_losses(summary.losses)
    say()
    say("Who holds the memory")
    for line in holder_lines(summary, top=top):
        say(line)
    say()
    say("Largest objects by retained size")
    for row in summary.dominators[:top]:
        say(f"  {format_bytes(row.retained_bytes):>8}  {row.class_name} {row.id}")
        for step in row.path:
            say(f"            {step}")
        if row.holder is not None:
            size = format_bytes(row.holder.retained_bytes)
            say(f"          {size} of it: {row.holder.class_name} {row.holder.id}")
            for step in row.holder.path:
                say(f"              {step}")
    say()
    say("Classes")
    _print_classes(summary.classes[:top], retained=True)
    say()
    say("Threads")
    least = summary.shallow_bytes * _MIN_SHARE
    for thread in sorted(summary.threads, key=lambda thread: -thread.retained_bytes)[:top]:
        mark = "  <- ran out of memory" if thread.ran_out_of_memory else ""
        say(f"  {format_bytes(thread.retained_bytes):>8}  {thread.name}{mark}")
        for frame in thread.frames:
            if frame.reachable_bytes >= least:
                line = f":{frame.line}" if frame.line > 0 else ""
                say(
                    f"            {format_bytes(frame.reachable_bytes):>8} reachable, "
                    f"{format_bytes(frame.retained_bytes)} retained: "
                    f"{frame.class_name}.{frame.method} ({frame.file or '?'}{line})"
                )


def _print_duplicates(duplicates: DuplicateStrings) -> None:
    from mprof.units import format_bytes, format_count

    say()
    say(
        f"Duplicate strings: {format_bytes(duplicates.wasted_bytes)} in "
        f"{format_count(duplicates.copies)} copies"
    )
    for row in duplicates.texts:
        say(f"  {format_bytes(row.wasted_bytes):>8}  {row.copies:>9,} x  {row.text!r}")


def _print_classes(rows: tuple[ClassRow, ...], *, retained: bool) -> None:
    """Print a table; on a pipe its width is fixed."""
    from rich.console import Console
    from rich.table import Table

    from mprof.units import format_bytes

    table = Table(box=None, pad_edge=False, show_edge=False)
    for name in ("objects", "shallow", *(("retained",) if retained else ())):
        table.add_column(name, justify="right")
    table.add_column("class", overflow="fold")
    for row in rows:
        sizes = [row.shallow_bytes, row.retained_bytes] if retained else [row.shallow_bytes]
        table.add_row(
            f"{row.objects:,}", *(format_bytes(size) for size in sizes), one_line(row.name)
        )
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    console.print(table, markup=False)
