"""``mprof cluster``: an embedded cluster that keeps running between commands."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from mprof.cli.options import MavenRepositoryOption
from mprof.cli.output import say

if TYPE_CHECKING:
    from mprof.hadoop import EmbeddedCluster

__all__ = ["app"]

app = typer.Typer(
    name="cluster",
    help="Start and stop the embedded cluster: real Hadoop on this machine, to try things out.",
    no_args_is_help=True,
)


@app.command()
def start(
    hadoop: Annotated[str, typer.Option("--hadoop", help="Hadoop version.")] = "3.4.3",
    shared_network: Annotated[
        bool,
        typer.Option(
            "--shared-network",
            help="Use this machine's network, for jobs that reach other machines; "
            "other users of this machine can then run programs as you.",
        ),
    ] = False,
    maven_repository: MavenRepositoryOption = None,  # noqa: ARG001 - its callback sets it
) -> None:
    """Start the embedded cluster, keep it running, and print its environment variables.

    Use it in a shell as: eval "$(mprof cluster start)"

    It has a network of its own, which no other user of this machine can reach: run any command
    that connects to it, other than hadoop, yarn and mapred, as in-cluster COMMAND ARGS.
    """
    from mprof.hadoop import cluster_start

    _print_environment(cluster_start(version=hadoop, progress=_say, shared_network=shared_network))


@app.command()
def stop() -> None:
    """Stop the embedded cluster and every job on it."""
    from mprof.hadoop import cluster_stop

    _say("stopped" if cluster_stop() else "no embedded cluster was running")


@app.command()
def status() -> None:
    """Show whether the embedded cluster is running, and print its environment variables."""
    from mprof.hadoop import running_cluster

    running = running_cluster()
    if running is None:
        _say("no embedded cluster is running; start one with: mprof cluster start")
    else:
        _say(f"Hadoop {running.version}, process {running.pid}, logs in {running.data_dir}")
        if not running.private:
            _say("it has no network of its own: other users of this machine can reach it")
        _print_environment(running)


def _print_environment(cluster: EmbeddedCluster) -> None:
    say(f"export HADOOP_CONF_DIR={shlex.quote(str(cluster.conf_dir))}")
    say(f'export PATH={shlex.quote(str(cluster.bin_dir))}:"$PATH"')


def _say(text: str) -> None:
    """Print a message on stderr, so that a shell can evaluate what is on stdout."""
    say(text, on_stderr=True)
