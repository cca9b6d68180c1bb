"""``mprof nodes``: which nodes of a cluster differ from their peers, and in what."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mprof.cli.engine import EngineName, EngineOption, MasterOption, chosen_engine
from mprof.cli.options import JsonFlag

__all__ = ["nodes"]


def nodes(
    store: Annotated[
        Path, typer.Argument(help="Folder of tables that mprof import filled.", metavar="STORE")
    ],
    job: Annotated[
        str | None, typer.Option("--job", help="Compare the attempts of this job only.")
    ] = None,
    hosts: Annotated[
        Path | None,
        typer.Option("--hosts", help="File with the nodes that should be there, a host a line."),
    ] = None,
    engine: EngineOption = EngineName.local,
    master: MasterOption = None,
    json: JsonFlag = False,
) -> None:
    """Compare the nodes of a cluster, and name those that differ from their peers.

    Exits with 0 whether or not nodes are named, and with 3 if there is nothing of any node.
    """
    from mprof.cli.output import say_json, say_text
    from mprof.cli.terminal import TerminalObserver
    from mprof.peers.looking import look_at_nodes
    from mprof.report.nodes import render_json, render_text
    from mprof.sources.host_list import hosts_in
    from mprof.sources.reading import Losses
    from mprof.store import Store

    should = hosts_in(hosts, Losses()) if hosts is not None else ()
    tables = Store.at(store)
    with TerminalObserver() as observer, chosen_engine(engine, master) as chosen:
        observer.stage(f"comparing the nodes of {store}")
        looks = look_at_nodes(tables, job=job, hosts=should, engine=chosen)
    if json:
        say_json(render_json(looks))
    else:
        say_text(render_text(looks))
