"""``mprof nodes``: which nodes of a cluster differ from their peers, and in what."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mprof.cli.engine import EngineName, EngineOption, MasterOption, chosen_engine
from mprof.cli.options import (
    CalibrationOption,
    Confidence,
    ForceFlag,
    HtmlOption,
    JsonFlag,
    age_s,
    time_given,
)
from mprof.cli.servers import (
    HadoopHeaderOption,
    HistoryServerOption,
    PrometheusHeaderOption,
    PrometheusMatchOption,
    PrometheusOption,
    PrometheusStepOption,
    ResourceManagerOption,
    asked_of,
    feeds_of,
)
from mprof.errors import UsageError
from mprof.extras import need
from mprof.remote.address import Place, place_of

if TYPE_CHECKING:
    from mprof.sources.feeds import Feed
    from mprof.store import Store

__all__ = ["nodes"]

FailOnNode = Annotated[
    Confidence | None,
    typer.Option(
        "--fail-on", help="Exit with 1 if a node is named with this confidence or higher."
    ),
]


def nodes(
    store_named: Annotated[
        str | None,
        typer.Argument(
            help="Folder, or address, of tables that mprof import filled. Answers of servers are "
            "added to it; without it they are not kept.",
            metavar="[STORE]",
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Argument(help="Compare the attempts of this job only.", metavar="[JOB]"),
    ] = None,
    job: Annotated[str | None, typer.Option("--job", help="The same as the argument JOB.")] = None,
    hosts: Annotated[
        Path | None,
        typer.Option(
            "--hosts", help="File with the nodes that should be there, one host per line."
        ),
    ] = None,
    engine: EngineOption = EngineName.local,
    master: MasterOption = None,
    islands: Annotated[
        Path | None,
        typer.Option(
            "--islands",
            help="File with a host and the name of its island per line: nodes are compared only "
            "within their island.",
        ),
    ] = None,
    calibration: CalibrationOption = None,
    detectors: Annotated[
        str,
        typer.Option(
            "--detectors",
            help="Detectors to ask, separated by commas: all (the default) means mprof's own; "
            "those of papers, as published (ganesha, kahuna-bb, ...), name no suspect.",
            metavar="NAMES",
        ),
    ] = "all",
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            help="Leave out data from before this time: 2026-11-24T14:30:00 (UTC), or seconds.",
            metavar="TIME",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", help="Leave out data from this time on.", metavar="TIME"),
    ] = None,
    follow_: Annotated[
        bool,
        typer.Option(
            "--follow",
            help="Keep comparing as the store grows, and print a line when a suspect appears, "
            "changes or recovers; ends with Ctrl-C.",
        ),
    ] = False,
    from_: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            help="With --follow: a file or folder that is imported as it grows; may be repeated.",
            metavar="WHAT",
        ),
    ] = None,
    every: Annotated[
        float,
        typer.Option(
            "--every",
            help="With --follow: seconds between two rounds.",
            min=1,
            metavar="SECONDS",
            callback=time_given,
        ),
    ] = 30.0,
    keep: Annotated[
        str | None,
        typer.Option(
            "--keep",
            help="With --follow: how long rows stay in STORE, such as 7d or 36h; default: for "
            "ever.",
            metavar="AGE",
        ),
    ] = None,
    serve_metrics: Annotated[
        str | None,
        typer.Option(
            "--serve-metrics",
            help="With --follow: a port on this machine, or HOST:PORT, at which Prometheus may "
            "scrape /metrics.",
            metavar="ADDRESS",
        ),
    ] = None,
    webhook: Annotated[
        str | None,
        typer.Option(
            "--webhook",
            help="With --follow: an Alertmanager to send alerts to; the variable "
            "MPROF_WEBHOOK_HEADER holds a header for it.",
            metavar="URL",
        ),
    ] = None,
    prometheus: PrometheusOption = None,
    prometheus_step: PrometheusStepOption = None,
    prometheus_match: PrometheusMatchOption = None,
    prometheus_header: PrometheusHeaderOption = None,
    resource_manager: ResourceManagerOption = None,
    history_server: HistoryServerOption = None,
    hadoop_header: HadoopHeaderOption = None,
    html: HtmlOption = None,
    force: ForceFlag = False,
    json: JsonFlag = False,
    fail_on: FailOnNode = None,
) -> None:
    """Compare the nodes of a cluster, and name those that differ from their peers.

    Exits with 0 whether or not nodes are named, unless --fail-on says otherwise, and with 3 if the
    store has no data of any node or a server gives none; with --follow it runs until it is
    interrupted, and exits with 130. A node that the ResourceManager reports as lost or unhealthy
    counts as surely sick.
    """
    from mprof.store.place import check_store

    need("nodes", by="mprof nodes")
    store = None if store_named is None else place_of(store_named)
    asks = any(each is not None for each in (prometheus, resource_manager, history_server))
    if store is None and (follow_ or not asks):
        raise UsageError(
            "no store is named",
            next_step="name the folder that mprof import filled, or a server: --prometheus URL",
        )
    if store is not None and not from_ and not asks:
        check_store(store)
    from mprof.cli.moments import moment_s
    from mprof.cli.outcome import exit_if_sure
    from mprof.cli.output import check_new, say, say_json, say_text, write_file
    from mprof.cli.terminal import TerminalObserver
    from mprof.peers.calibration.file import load_calibration
    from mprof.peers.calibration.values import NOTHING_SET
    from mprof.peers.detectors.registry import ALL, detectors_named
    from mprof.peers.findings import find_sick_nodes
    from mprof.peers.pictures import pictures_of
    from mprof.report.nodes import render_html, render_json, render_text
    from mprof.sources.host_list import hosts_in
    from mprof.sources.island_list import islands_in
    from mprof.sources.reader import Losses
    from mprof.store import Scope, Store

    if only is not None and job is not None and only != job:
        raise UsageError(f"two jobs: {only} and {job}", next_step="name one of both")
    job = only or job
    asked = detectors_named(detectors)
    scope = Scope(moment_s(since, option="--since"), moment_s(until, option="--until"))
    if scope.since_s is not None and scope.until_s is not None and scope.since_s >= scope.until_s:
        raise UsageError(
            f"--since {since} is not before --until {until}",
            next_step="give the earlier time first",
        )
    should = hosts_in(hosts, Losses()) if hosts is not None else ()
    listed = islands_in(islands) if islands is not None else None
    check_new(html, force=force)
    feeds = feeds_of(
        prometheus=prometheus, prometheus_step=prometheus_step, prometheus_match=prometheus_match,
        prometheus_header=prometheus_header,
        resource_manager=resource_manager, history_server=history_server,
        hadoop_header=hadoop_header, follows=follow_,
    )  # fmt: skip
    known = load_calibration(calibration) if calibration is not None else NOTHING_SET
    if follow_ and store is not None:
        if job is not None or until is not None or html is not None or fail_on is not None:
            raise UsageError(
                "--follow looks at all jobs, has no end and writes no page",
                next_step="leave out JOB, --until, --html and --fail-on, or leave out --follow",
            )
        if detectors != ALL:
            raise UsageError(
                "--follow asks all detectors of ours", next_step="leave out --detectors"
            )
        if engine is not EngineName.local:
            raise UsageError(
                "--follow looks at minutes at a time, here", next_step="leave out --engine"
            )
        _follow(
            Store(store) if from_ or feeds else Store.at(store),
            feeds, from_ or [], every_s=every, keep_s=age_s(keep, option="--keep"),
            webhook=webhook, serve=serve_metrics, json=json, since_s=scope.since_s,
            live={"hosts": frozenset(should), "islands": listed, "calibration": known},
        )  # fmt: skip
        return
    if from_:
        raise UsageError("--from is for --follow", next_step="mprof import them, or add --follow")
    for name, given in (("--keep", keep), ("--serve-metrics", serve_metrics),
                        ("--webhook", webhook)):  # fmt: skip
        if given is not None:
            raise UsageError(f"{name} is for --follow", next_step="add --follow, or leave it out")
    called = "servers" if store is None else str(store)
    with (
        TemporaryDirectory(prefix="mprof-nodes-") as passing,
        TerminalObserver() as observer,
        chosen_engine(engine, master) as chosen,
    ):
        folder: Place = Path(passing) / "store" if store is None else store
        if feeds:
            observer.stage("asking servers" if store is None else f"asking servers for {store}")
            for one in asked_of(feeds, folder, since_s=scope.since_s, until_s=scope.until_s):
                if one.outcome == "unreadable":
                    say(f"{one.path.name}: not read: {one.first_unread}", on_stderr=True)
        tables = Store.at(folder)
        observer.stage(f"comparing the nodes of {called}")
        found = find_sick_nodes(
            tables, job=job, hosts=should, scope=scope, islands=listed, calibration=known,
            detectors=asked, engine=chosen,
        )  # fmt: skip
        pictures = None if html is None else pictures_of(found, tables, scope)
    if html is not None and pictures is not None:
        write_file(html, render_html(found, pictures, store=called))
        say(str(html), on_stderr=json)
    if json:
        say_json(render_json(found))
    elif html is None:
        say_text(render_text(found))
    reported = ("sure" for one in found.reported if not one.is_taken_out)
    exit_if_sure((*(one.confidence for one in found.suspects), *reported), fail_on)


def _follow(
    store: Store,
    feeds: Sequence[Feed],
    what: Sequence[Path],
    *,
    every_s: float,
    keep_s: float | None,
    webhook: str | None,
    serve: str | None,
    json: bool,
    since_s: float | None,
    live: Mapping[str, Any],
) -> None:
    """Go on until it is interrupted."""
    from mprof.cli.following import Asking, Retention, Scrapes, Webhook, follow, scraped_at
    from mprof.cli.servers import alertmanager_at, usual_since_s
    from mprof.peers.live import Live, stretch_for
    from mprof.sources.watch import Watch

    told = Webhook(None if webhook is None else alertmanager_at(webhook), every_s)
    now_s = time.time()
    steps = [step_s for one in feeds if (step_s := one.step_s(now_s)) is not None]
    begin_s = usual_since_s(feeds, now_s) if since_s is None else since_s
    scrapes = Scrapes()
    with scraped_at(serve, scrapes):
        follow(
            Live(
                store,
                since_s=since_s,
                stretch_s=stretch_for(max(steps)) if steps else None,
                **live,
            ),
            Watch(what, store),
            json=json,
            wait=lambda: time.sleep(every_s),
            asking=Asking(feeds, store, begin_s),
            retention=Retention(store, keep_s),
            webhook=told,
            scrapes=scrapes,
        )
