"""``mprof triage``: application, data skew, settings, memory, or node?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from mprof.cli.engine import EngineName, EngineOption, MasterOption, chosen_engine
from mprof.cli.options import CalibrationOption, FailOn, ForceFlag, HtmlOption, JsonFlag
from mprof.extras import need
from mprof.remote.address import place_of

__all__ = ["triage"]


def triage(
    what: Annotated[
        str, typer.Argument(help="A job id, a job history file, or a capture.", metavar="JOB")
    ],
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            help="Folder, or address, of tables that mprof import filled: with the job, and what "
            "else is known of its time.",
            metavar="STORE",
        ),
    ] = None,
    views: Annotated[
        Path | None,
        typer.Option(
            "--views", help="Folder of pages of mprof view: name, and link to, the job in them."
        ),
    ] = None,
    calibration: CalibrationOption = None,
    engine: EngineOption = EngineName.local,
    master: MasterOption = None,
    html: HtmlOption = None,
    force: ForceFlag = False,
    json: JsonFlag = False,
    fail_on: FailOn = None,
) -> None:
    """Say what is wrong with a job: the application, its data, settings, memory, or a node.

    Exits with 0 whatever it finds, and with 3 if there is no data about that job.
    """
    from mprof.store.place import check_store

    need("nodes", by="mprof triage")
    place = None if store is None else place_of(store)
    if place is not None:
        check_store(place)
    from mprof.triage.naming import check_subject

    check_subject(what)
    from mprof.cli.outcome import exit_if_sure
    from mprof.cli.output import check_new, say, say_json, say_text, write_file
    from mprof.cli.terminal import TerminalObserver
    from mprof.errors import UsageError
    from mprof.peers.calibration.file import load_calibration
    from mprof.peers.calibration.values import NOTHING_SET
    from mprof.report.triage import render_html, render_json, render_text
    from mprof.triage import Comparing
    from mprof.triage import triage as triage_what

    check_new(html, force=force)
    if views is not None and not (views / "index.html").is_file():
        raise UsageError(
            f"{views} holds no pages of mprof view", next_step="mprof view STORE -o FOLDER"
        )
    known = load_calibration(calibration) if calibration is not None else NOTHING_SET
    with TerminalObserver() as observer, chosen_engine(engine, master) as chosen:
        found = triage_what(
            what, store=place, observer=observer, comparing=Comparing(known, calibration, chosen)
        )
    link = None if views is None else _link(views, found.job.id)
    if html is not None:
        write_file(html, render_html(found, link=link))
        say(str(html), on_stderr=json)
    if json:
        say_json(render_json(found))
    elif html is None:
        say_text(render_text(found))
        if link is not None:
            say(f"picture: {link}")
    exit_if_sure((one.confidence for one in found.fired if one.confidence), fail_on)


def _link(views: Path, job: str) -> str:
    """The address of a job in pages of ``mprof view``."""
    return f"{(views / 'index.html').resolve().as_uri()}#view=detail&job={quote(job)}"
