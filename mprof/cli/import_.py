"""``mprof import``: files about clusters into a folder of tables."""

from __future__ import annotations

import json as json_codec
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mprof.cli.engine import EngineName, EngineOption, MasterOption, chosen_engine
from mprof.cli.options import JsonFlag
from mprof.cli.servers import (
    HadoopHeaderOption,
    HistoryServerOption,
    PrometheusHeaderOption,
    PrometheusMatchOption,
    PrometheusOption,
    PrometheusStepOption,
    ResourceManagerOption,
    SinceOption,
    UntilOption,
    asked_of,
    feeds_of,
)
from mprof.errors import EvidenceError, UsageError
from mprof.extras import need
from mprof.io.files import check_there, is_address
from mprof.remote.address import place_of

if TYPE_CHECKING:
    from mprof.sources import FileImport
    from mprof.sources.remote import RemoteTree

__all__ = ["fault_of", "import_"]

_OUTCOMES = ("imported", "there already", "of no known kind", "unreadable")


def import_(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files or folders, gzipped or not: job histories of any Hadoop, Rumen "
            "traces and topologies, logs of DataNodes and NodeManagers, output of sadf -j, exports "
            "of Prometheus, dumps of /jmx, TraceBench recordings, lists of hosts. On HDFS or in an "
            "object store: webhdfs://NAMENODE:9870/PATH, s3://BUCKET/PATH.",
            metavar="[WHAT...]",
        ),
    ] = None,
    *,
    store: Annotated[
        str,
        typer.Option(
            "--store",
            help="Folder for the tables, created if missing; also on HDFS or in an object store: "
            "webhdfs://NAMENODE:9870/PATH, s3://BUCKET/PATH.",
            metavar="STORE",
        ),
    ],
    zone: Annotated[
        str,
        typer.Option(
            help="Time zone of hosts whose logs do not state theirs, such as Europe/Berlin."
        ),
    ] = "UTC",
    engine: EngineOption = EngineName.local,
    master: MasterOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    prometheus: PrometheusOption = None,
    prometheus_step: PrometheusStepOption = None,
    prometheus_match: PrometheusMatchOption = None,
    prometheus_header: PrometheusHeaderOption = None,
    resource_manager: ResourceManagerOption = None,
    history_server: HistoryServerOption = None,
    hadoop_header: HadoopHeaderOption = None,
    json: JsonFlag = False,
) -> None:
    """Import files about clusters, or the answers of their servers, into tables.

    Files that are already imported are skipped. Exits with 3 if a file could not be read at all, a
    named file is of no known kind, there was nothing to read, or a server does not answer; all
    other files are imported all the same. If one of the files or folders does not exist, nothing
    is imported.
    """
    need("nodes", by="mprof import")
    place = place_of(store)
    for name in what or ():
        if not is_address(name):
            check_there(Path(name))
    from mprof.cli.moments import moment_s
    from mprof.cli.output import say, say_json
    from mprof.cli.terminal import TerminalObserver
    from mprof.sources import import_files
    from mprof.sources.remote import remote_tree
    from mprof.store import Store

    since_s, until_s = moment_s(since, option="--since"), moment_s(until, option="--until")
    feeds = feeds_of(
        prometheus=prometheus, prometheus_step=prometheus_step, prometheus_match=prometheus_match,
        prometheus_header=prometheus_header,
        resource_manager=resource_manager, history_server=history_server,
        hadoop_header=hadoop_header,
    )  # fmt: skip
    named = [remote_tree(name) if is_address(name) else Path(name) for name in what or ()]
    if not named and not feeds:
        raise UsageError(
            "nothing to import is named", next_step="name files or folders, or a server's address"
        )
    began = time.monotonic()
    if feeds:
        asked = asked_of(feeds, place, since_s=since_s, until_s=until_s)
        if not named and not asked:
            raise EvidenceError(
                "the servers have nothing of that time", next_step="give more of it with --since"
            )
    else:
        asked = []
    tables = Store(place)
    with TerminalObserver() as observer, chosen_engine(engine, master) as chosen:
        observer.stage(f"importing into {store}")
        # Here file after file, which tells where it stands, and needs memory for one of them.
        elsewhere = chosen if engine is EngineName.spark else None
        progress = observer.progress
        files = [
            *asked,
            *import_files(named, tables, zone=zone, progress=progress, engine=elsewhere),
        ]
    seconds = time.monotonic() - began
    for one in files:
        if (line := fault_of(one)) is not None:
            say(line, on_stderr=json)
    if json:
        say_json(json_codec.dumps(_json(files, store, seconds), indent=2))
    else:
        say(_summary(files, store, seconds))
    if (failed := _failure(files, named)) is not None:
        raise failed


def fault_of(one: FileImport) -> str | None:
    """What could not be read of a file, and what to do; None where it is in the store whole."""
    if one.outcome == "unreadable":
        return (
            f"{one.path}: not read: {one.first_unread}. Next step: copy it again, or leave it out"
        )
    if one.outcome == "of no known kind":
        if not one.named:
            return f"{one.path}: left out: of no known kind"
        return (
            f"{one.path}: not read: of no known kind. Next step: name files as their programs"
            " wrote them; mprof import --help lists the kinds"
        )
    if one.unread:
        return (
            f"{one.path}: {_parts(one.unread)} not read, the first: {one.first_unread}."
            f" Next step: {one.rows:,} rows are in the store; copy it again if it should be whole"
        )
    return None


def _parts(count: int) -> str:
    return "one part was" if count == 1 else f"{count:,} parts were"


def _failure(
    files: Sequence[FileImport], what: Sequence[Path | RemoteTree]
) -> EvidenceError | None:
    """Why the command ends with 3, None where it does not."""
    if not files:
        shown = ", ".join(map(str, what))
        return EvidenceError(f"there is no file in {shown}", next_step="name a folder with files")
    failed = sum(
        one.outcome == "unreadable" or (one.named and one.outcome == "of no known kind")
        for one in files
    )
    if failed:
        return EvidenceError(
            f"{failed:,} of {len(files):,} files could not be read",
            next_step="see the lines about them; what could be read is in the store",
        )
    if all(one.outcome == "of no known kind" for one in files):
        return EvidenceError(
            "no file is of a known kind", next_step="mprof import --help lists the kinds"
        )
    return None


def _summary(files: Sequence[FileImport], store: str, seconds: float) -> str:
    count: Counter[str] = Counter(one.outcome for one in files)
    told = ", ".join(f"{count[each]:,} {each}" for each in _OUTCOMES if count[each])
    rows = sum(one.rows for one in files)
    noun = "file" if len(files) == 1 else "files"
    return (
        f"{len(files):,} {noun}: {told or 'nothing'}; {rows:,} rows in {seconds:.1f} s to {store}"
    )


def _json(files: Sequence[FileImport], store: str, seconds: float) -> dict[str, Any]:
    from mprof.io.printable import encodable

    return {
        "schema_version": 1,
        "store": encodable(store),
        "seconds": round(seconds, 3),
        "rows": sum(one.rows for one in files),
        "files": [
            {
                "path": encodable(str(one.path)),
                "outcome": one.outcome,
                "kind": one.kind,
                "source": one.source,
                "rows": one.rows,
                "unread": one.unread,
                "first_unread": one.first_unread,
            }
            for one in files
        ],
    }
