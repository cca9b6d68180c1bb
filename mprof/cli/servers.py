"""Options of servers that hold what is known of a cluster, and how they are asked."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mprof.cli.options import time_given
from mprof.errors import UsageError

if TYPE_CHECKING:
    from mprof.remote.address import Place
    from mprof.sources.feeds import Feed
    from mprof.sources.imports import FileImport
    from mprof.sources.server import Server

__all__ = [
    "HadoopHeaderOption",
    "HistoryServerOption",
    "PrometheusHeaderOption",
    "PrometheusMatchOption",
    "PrometheusOption",
    "PrometheusStepOption",
    "ResourceManagerOption",
    "SinceOption",
    "UntilOption",
    "alertmanager_at",
    "asked_of",
    "feeds_of",
    "usual_since_s",
]

_USUAL_S: Final = 3600.0
_USUAL_SAMPLES: Final = 240
"""Of a Prometheus that scrapes more rarely more time is asked for: an hour of one in 15 s."""

SinceOption = Annotated[
    str | None,
    typer.Option(
        "--since",
        help="Ask servers from this time on: 2026-11-24T14:30:00 (UTC), or seconds.",
        metavar="TIME",
    ),
]
UntilOption = Annotated[
    str | None, typer.Option("--until", help="Ask servers up to this time.", metavar="TIME")
]
PrometheusOption = Annotated[
    str | None,
    typer.Option(
        "--prometheus",
        help="Ask this Prometheus for the metrics of node_exporter of the last hour, or from "
        "--since to --until, and add them to STORE.",
        metavar="URL",
    ),
]
PrometheusMatchOption = Annotated[
    str | None,
    typer.Option(
        "--prometheus-match",
        help="Labels of the nodes of the cluster, if it scrapes other hosts too, as in PromQL: "
        '\'job="hadoop",env="prod"\'.',
        metavar="LABELS",
    ),
]
PrometheusStepOption = Annotated[
    float | None,
    typer.Option(
        "--prometheus-step",
        help="Seconds between two samples; default: as often as it scrapes.",
        min=1,
        metavar="SECONDS",
        callback=time_given,
    ),
]
PrometheusHeaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--prometheus-header",
        help="A header that it requires, such as 'Authorization: Bearer TOKEN'; put it into the "
        "variable MPROF_PROMETHEUS_HEADER to keep it out of lists of processes.",
        metavar="NAME: VALUE",
    ),
]
ResourceManagerOption = Annotated[
    str | None,
    typer.Option(
        "--resource-manager",
        help="Ask this ResourceManager of YARN which nodes there should be, which are lost, "
        "unhealthy or taken out, and what runs.",
        metavar="URL",
    ),
]
HistoryServerOption = Annotated[
    str | None,
    typer.Option(
        "--history-server",
        help="Ask this MapReduce HistoryServer for the jobs that ended in the last hour, or from "
        "--since to --until, with their attempts and counters.",
        metavar="URL",
    ),
]
HadoopHeaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--hadoop-header",
        help="A header that the ResourceManager and the HistoryServer require; put it into the "
        "variable MPROF_HADOOP_HEADER to keep it out of lists of processes.",
        metavar="NAME: VALUE",
    ),
]


def feeds_of(
    *,
    prometheus: str | None,
    prometheus_step: float | None,
    prometheus_match: str | None,
    prometheus_header: Sequence[str] | None,
    resource_manager: str | None,
    history_server: str | None,
    hadoop_header: Sequence[str] | None,
    follows: bool = False,
) -> list[Feed]:
    """What the options name; nothing is asked yet.

    Raises:
        UsageError: if an address or a header is none.
    """
    if prometheus is None and resource_manager is None and history_server is None:
        return []
    from mprof.sources.feeds import HistoryFeed, PrometheusFeed, ResourceManagerFeed
    from mprof.sources.history_server import HISTORY_SERVER
    from mprof.sources.prometheus_api import PROMETHEUS
    from mprof.sources.resource_manager import RESOURCE_MANAGER
    from mprof.sources.server import Server, ServerKind, headers_in

    def server(kind: ServerKind, url: str, headers: Sequence[str] | None) -> Server:
        lines = os.environ.get(kind.variable, "").splitlines()
        return Server.at(kind, url, headers_in([*lines, *(headers or ())], of=kind.name))

    feeds: list[Feed] = []
    if resource_manager is not None:
        feeds.append(ResourceManagerFeed(server(RESOURCE_MANAGER, resource_manager, hadoop_header)))
    if history_server is not None:
        feeds.append(HistoryFeed(server(HISTORY_SERVER, history_server, hadoop_header)))
    if prometheus is not None:
        asked = server(PROMETHEUS, prometheus, prometheus_header)
        feeds.append(
            PrometheusFeed(
                asked, step_s=prometheus_step, match=prometheus_match or "", follows=follows
            )
        )
    return feeds


def usual_since_s(feeds: Sequence[Feed], until_s: float) -> float:
    """Where to begin where no time is said: an hour before, and further of rare samples.

    Raises:
        EvidenceError: if a Prometheus that is asked how often it scrapes does not answer.
    """
    steps = [step_s for one in feeds if (step_s := one.step_s(until_s)) is not None]
    return until_s - max(_USUAL_S, _USUAL_SAMPLES * max(steps, default=0.0))


def alertmanager_at(url: str) -> Server:
    """The Alertmanager that alerts are sent to.

    Raises:
        UsageError: if the address or its header is none.
    """
    from mprof.sources.server import Server, ServerKind, headers_in

    kind = ServerKind(
        name="an Alertmanager",
        example="--webhook http://host:9093",
        variable="MPROF_WEBHOOK_HEADER",
        fewer="name another one",
    )
    lines = os.environ.get(kind.variable, "").splitlines()
    return Server.at(kind, url.removesuffix("/api/v2/alerts"), headers_in(lines, of=kind.name))


def asked_of(
    feeds: Sequence[Feed], store: Place, *, since_s: float | None, until_s: float | None
) -> list[FileImport]:
    """Put what they have of that time into the store, of `usual_since_s` where none is said.

    Returns:
        What became of each of their answers.

    Raises:
        EvidenceError: if one of them does not answer, refuses, or has nothing.
        UsageError: if the time ends before it begins.
    """
    from mprof.cli.output import say
    from mprof.sources.feeds import taken_in

    end_s = time.time() if until_s is None else until_s
    begin_s = usual_since_s(feeds, end_s) if since_s is None else since_s
    if begin_s >= end_s:
        raise UsageError("--since is not before --until", next_step="give the earlier time first")
    taken = taken_in(
        feeds, store, since_s=begin_s, until_s=end_s, told=lambda line: say(line, on_stderr=True)
    )
    return list(taken)
