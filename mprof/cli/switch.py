"""``mprof switch``: watch mode for every job of a cluster, for its administrators."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer

from mprof.cli.options import ConfigOption, JsonFlag, PretendFlag, age_s
from mprof.cli.output import say, say_object, say_text
from mprof.errors import UsageError

if TYPE_CHECKING:
    from mprof.runs.switching import Checked

__all__ = ["app"]

AGENT = "/mprof/agent"
CAPTURES = "/mprof/captures"
HARM_EXIT_CODE = 1

app = typer.Typer(
    name="switch",
    help="Have the agent watch every job of a cluster, through its site configuration.",
    no_args_is_help=True,
)

AgentOption = Annotated[
    str, typer.Option("--agent", help="Folder for agents on the cluster's file system.")
]
JarOption = Annotated[
    str | None,
    typer.Option(
        "--jar-on-nodes", help="Path of the agent's jar on every node, instead of --agent."
    ),
]
CapturesOption = Annotated[
    str, typer.Option("--captures", help="Capture area on the cluster's file system.")
]
EmbeddedFlag = Annotated[bool, typer.Option("--embedded", help="On the embedded cluster.")]
FileOption = Annotated[
    Path | None,
    typer.Option("--write", help="The mapred-site.xml to change; a copy of it is kept."),
]


@app.command()
def install(
    agent: AgentOption = AGENT,
    jar_on_nodes: JarOption = None,
    captures: CapturesOption = CAPTURES,
    embedded: EmbeddedFlag = False,
    config: ConfigOption = None,
) -> None:
    """Put the agent and an empty capture area on the cluster's file system; changes no job."""
    from mprof.runs import checked_places, switch_install

    places = checked_places(agent=agent, jar=jar_on_nodes, captures=captures)
    done = switch_install(places, embedded=embedded, conf_dir=config)
    for uri in (done.switch.archive, done.switch.captures):
        if uri is not None:
            say(f"{'made' if uri in done.made else 'there'}  {uri}")
    if jar_on_nodes is not None:
        folder = PurePosixPath(jar_on_nodes).parent
        say(f"copy   the files in {done.for_nodes} to {folder} on every node,")
        say("       where all may read them and only their owner may write")
    say("next step: mprof switch on, with the same options")


@app.command()
def on(
    agent: AgentOption = AGENT,
    jar_on_nodes: JarOption = None,
    captures: CapturesOption = CAPTURES,
    share: Annotated[
        str | None,
        typer.Option(
            "--share",
            help="Start the agent in this share of the first attempts of tasks only, such as 5%, "
            "and in no attempt after a failed one.",
        ),
    ] = None,
    write: FileOption = None,
    embedded: EmbeddedFlag = False,
    config: ConfigOption = None,
) -> None:
    """Print the properties for mapred-site.xml that switch it on; with --write, put them there."""
    from mprof.runs import checked_places, checked_share, switch_on

    places = checked_places(agent=agent, jar=jar_on_nodes, captures=captures)
    done = switch_on(
        places,
        share=checked_share(share),
        site_file=write,
        embedded=embedded,
        conf_dir=config,
    )
    if write is None:
        say_text(done.block.rstrip("\n"))
        return
    say(f"switched on in {write}")
    if done.backup is not None:
        say(f"as it was: {done.backup}")
    say("next step: mprof doctor; then give that file to every machine that submits jobs")


@app.command()
def off(
    write: Annotated[
        Path, typer.Option("--write", help="The mapred-site.xml to change; a copy of it is kept.")
    ],
) -> None:
    """Remove the properties from a mapred-site.xml again; running jobs are not affected."""
    from mprof.runs import switch_off

    backup = switch_off(write)
    if backup is None:
        raise UsageError(
            f"{write} has no block of mprof switch on",
            next_step="take the properties out by hand if they were merged by hand",
        )
    say(f"switched off in {write}")
    say(f"as it was: {backup}")
    say("next step: leave the agent where it is until all jobs that use it have ended")


@app.command()
def check(
    histories: Annotated[
        Path | None,
        typer.Argument(
            help="Folder with history files and their conf.xml; default: those of the cluster.",
            metavar="[HISTORIES]",
        ),
    ] = None,
    off_if_harmful: Annotated[
        Path | None,
        typer.Option(
            "--off-if-harmful",
            help="The mapred-site.xml to take the properties out of if harm is shown; a copy of "
            "it is kept.",
            metavar="FILE",
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            help="File that notes each job that has been read; default: one of this user's.",
            metavar="FILE",
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            help="Read the cluster's histories from this day on, such as 2026-11-24; default: the "
            "last two days.",
            metavar="TIME",
        ),
    ] = None,
    embedded: EmbeddedFlag = False,
    config: ConfigOption = None,
    json: JsonFlag = False,
) -> None:
    """Check whether tasks with the agent end worse than the others of their jobs.

    For a switch that is on with --share. Exits with 1 if harm is shown, which happens for at most
    one harmless agent in a hundred, however often the command runs; with 3 if there is nothing to
    compare yet.
    """
    from mprof.cli.moments import moment_s
    from mprof.runs import switch_check

    done = switch_check(
        histories=histories,
        state=state,
        since_s=moment_s(since, option="--since"),
        site_file=off_if_harmful,
        embedded=embedded,
        conf_dir=config,
    )
    harm = done.harm
    for loss in done.losses:
        say(f"mprof: not read: {loss}", on_stderr=True)
    if json:
        say_object(_check_json(done))
    else:
        rows = {"first attempts": harm.attempts, **harm.outcomes}
        say(
            f"{'1 job' if harm.jobs == 1 else f'{harm.jobs} jobs'} with the agent whose jar has "
            f"the checksum and length {harm.agent}"
        )
        say(f"{'':16}{'with the agent':>18}{'without':>18}")
        for name, arms in rows.items():
            say(
                f"{name:16}{_cell(arms.watched, harm.attempts.watched):>18}"
                f"{_cell(arms.others, harm.attempts.others):>18}"
            )
        says = "harm is shown" if harm.is_shown else "no harm is shown"
        say(f"{says}: the evidence is {harm.evidence:.3g}; from {harm.limit:.0f} on it is shown")
    if off_if_harmful is not None and harm.is_shown:
        where = f"switched off in {off_if_harmful}" if done.backup else f"{off_if_harmful} was off"
        say(where, on_stderr=json)
        if done.backup:
            say(f"as it was: {done.backup}", on_stderr=json)
            say("next step: give that file to every machine that submits jobs", on_stderr=json)
    if harm.is_shown:
        raise typer.Exit(HARM_EXIT_CODE)


def _cell(count: int, of: int) -> str:
    return f"{count:,}" if count == of or not of else f"{count:,} ({100 * count / of:.3g} %)"


def _check_json(done: Checked) -> dict[str, object]:
    harm = done.harm
    return {
        "agent": harm.agent,
        "jobs": harm.jobs,
        "attempts": harm.attempts,
        "outcomes": dict(harm.outcomes),
        "evidence": harm.evidence,
        "limit": harm.limit,
        "harmful": harm.is_shown,
        "as_it_was": None if done.backup is None else str(done.backup),
        "not_read": done.losses,
    }


@app.command()
def expire(
    older_than: Annotated[
        str, typer.Option("--older-than", help="Age of a job's newest file: 7d, 36h.")
    ],
    captures: Annotated[
        str | None,
        typer.Option("--captures", help="Capture area; default: that of the site configuration."),
    ] = None,
    pretend: PretendFlag = False,
    embedded: EmbeddedFlag = False,
    config: ConfigOption = None,
) -> None:
    """Delete old captures from the capture area: what the agent wrote, and nothing else."""
    from mprof.runs import expire_captures
    from mprof.units import format_bytes

    found = expire_captures(
        captures=captures,
        older_than_seconds=age_s(older_than, option="--older-than") or 0.0,
        pretend=pretend,
        embedded=embedded,
        conf_dir=config,
    )
    gone = [one for one in found if one.kept is None]
    for one in gone:
        say(f"{one.uri}  {format_bytes(one.size_bytes)}")
    for one in found:
        if one.kept is not None:
            say(f"left {one.uri}: {one.kept}")
    total = format_bytes(sum(one.size_bytes for one in gone))
    jobs = "1 job" if len(gone) == 1 else f"{len(gone)} jobs"
    say(f"{'would free' if pretend else 'freed'} {total} of {jobs}")
