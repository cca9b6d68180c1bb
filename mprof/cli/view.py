"""``mprof view``: a cluster at a glance, as static pages."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mprof.errors import EvidenceError
from mprof.extras import need
from mprof.io.files import check_there
from mprof.remote.address import Place, name_of, place_of

if TYPE_CHECKING:
    from mprof.cli.terminal import TerminalObserver
    from mprof.store import Store
    from mprof.views import Made, Wanted

__all__ = ["view"]

_LOOPBACK = "127.0.0.1"


def view(
    named: Annotated[
        str,
        typer.Argument(
            help="Folder of tables that mprof import filled, or a folder or file with job "
            "histories, traces and logs; addresses of HDFS and object stores too.",
            metavar="DIR_OR_STORE",
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder of the pages; its own are replaced.")
    ],
    captures: Annotated[
        list[Path] | None,
        typer.Option(
            "--captures",
            help="Folder with captures of mprof run: failed attempts open their diagnosis. "
            "May be given several times.",
        ),
    ] = None,
    alarms: Annotated[
        bool, typer.Option("--alarms/--no-alarms", help="Run the detectors of mprof nodes too.")
    ] = True,
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the cluster, for the headings.")
    ] = None,
    zone: Annotated[
        str, typer.Option(help="Time zone of hosts whose logs do not state theirs.")
    ] = "UTC",
    serve: Annotated[
        bool,
        typer.Option("--serve", help="Serve the pages, and rebuild them when their input grows."),
    ] = False,
    host: Annotated[
        str, typer.Option("--host", help="Address to serve at.")
    ] = _LOOPBACK,
    port: Annotated[int, typer.Option("--port", help="Port to serve at; 0 for any.", min=0,
                                      max=65535)] = 8765,
) -> None:  # fmt: skip
    """Show a cluster's jobs and nodes as pages that work offline.

    Opens in a browser from the disk. Exits with 3 if there is no attempt of any job to show.
    """
    from mprof.store.place import is_store

    need("nodes", by="mprof view")
    what = place_of(named)
    if not is_store(what) and isinstance(what, Path):
        check_there(what)
    from mprof.cli.output import say
    from mprof.cli.terminal import TerminalObserver
    from mprof.views import Wanted, check_folder, make_site

    check_folder(output)
    wanted = Wanted(name or name_of(what) or str(what), tuple(captures or ()), alarms)
    with _tables(what, zone) as tables:
        if serve:
            _serve(what, tables, output, wanted, host, port)
            return
        with TerminalObserver() as observer:
            made = make_site(tables.store(observer), output, wanted, observer)
        _say_made(made)
        say(str(output / "index.html"))


class _Tables:
    """The store to show: the one that is named, or one that what is named is imported into."""

    def __init__(self, what: Place, folder: Path | None, zone: str) -> None:
        self._what, self._folder, self._zone = what, folder, zone

    def store(self, observer: TerminalObserver) -> Store:
        """The store, with all that there is by now."""
        from mprof.cli.import_ import fault_of
        from mprof.cli.output import say
        from mprof.sources import import_files
        from mprof.sources.remote import remote_tree
        from mprof.store import Store

        if self._folder is None:
            return Store.at(self._what)
        store = Store(self._folder)
        observer.stage(f"reading {self._what}")
        what = self._what if isinstance(self._what, Path) else remote_tree(self._what.text)
        files = list(import_files([what], store, zone=self._zone, progress=observer.progress))
        for one in files:
            if (line := fault_of(one)) is not None:
                say(line, on_stderr=True)
        if not any(one.source is not None for one in files):
            raise EvidenceError(
                f"nothing in {self._what} is of a known kind",
                next_step="mprof import --help lists the kinds of files",
            )
        return store


@contextlib.contextmanager
def _tables(what: Place, zone: str) -> Iterator[_Tables]:
    from mprof.store import Store

    if Store.is_at(what):
        yield _Tables(what, None, zone)
        return
    with tempfile.TemporaryDirectory(prefix="mprof-view-") as scratch:
        yield _Tables(what, Path(scratch) / "store", zone)


def _say_made(made: Made) -> None:
    from mprof.cli.output import say

    for line in made.not_read:
        say(f"not diagnosed: {line}", on_stderr=True)
    firing = [one for one in made.findings if one.confidence is not None]
    counts = ((made.jobs, "job"), (made.nodes, "node"), (made.attempts, "attempt"))
    made_of = ", ".join(_counted(number, noun) for number, noun in counts)
    unsure = len(made.findings) - len(firing)
    diagnosed = "memory diagnosis" if made.diagnoses == 1 else "memory diagnoses"
    say(
        f"{made_of}: {_counted(len(firing), 'finding')}"
        f"{f', {unsure:,} that cannot be told' if unsure else ''}"
        f"{f', {made.diagnoses:,} {diagnosed}' if made.diagnoses else ''}"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s'[: number != 1]}"


def _serve(
    what: Place, tables: _Tables, output: Path, wanted: Wanted, host: str, port: int
) -> None:
    from mprof.cli.output import say
    from mprof.cli.terminal import TerminalObserver
    from mprof.views import make_site
    from mprof.views.server import serving, stamp_of, watch

    def make(stamp: str) -> None:
        with TerminalObserver() as observer:
            made = make_site(tables.store(observer), output, replace(wanted, live=stamp), observer)
        _say_made(made)
        sys.stdout.flush()  # whoever reads it through a pipe wants it now

    def look() -> str:
        return stamp_of(what, apart_from=output)

    stamp = look()
    make(stamp)
    with serving(output, host, port) as address:
        say(f"{address} shows {what} until Ctrl-C")
        sys.stdout.flush()
        if host != _LOOPBACK:
            say("whoever has that address can look at it from other machines too", on_stderr=True)
        watch(
            look,
            make,
            threading.Event(),
            made_of=stamp,
            fault=lambda error: say(f"not shown: {error.what}", on_stderr=True),
        )
