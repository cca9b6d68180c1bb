"""Metrics of node_exporter from a Prometheus that runs: its range API, an hour at a time.

The answers of ``/api/v1/query_range`` are kept as files, which `mprof.sources.prometheus` reads as
it reads an export.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mprof.errors import EvidenceError
from mprof.io.printable import clipped, one_line
from mprof.sources.prometheus import NAMES_OF_NODE_EXPORTER
from mprof.sources.server import Server, ServerKind, why_unread

__all__ = ["PROMETHEUS", "USUAL_STEP_S", "metrics_of_prometheus", "scrape_interval_s"]

USUAL_STEP_S: Final = 15.0
"""Between two samples, where nothing tells how often it scrapes."""

_PAGE_S: Final = 3600.0
_MOST_POINTS: Final = 10_000  # Prometheus gives 11,000 of a series
_LONGEST: Final = 200
_COUNTED_S: Final = 600
_MODES: Final = "user|system|irq|softirq|iowait"
_QUERIES: Final = (
    '{__name__=~"'
    + "|".join(sorted(NAMES_OF_NODE_EXPORTER - {"node_cpu_seconds_total"}))
    + '", instance!=""',
    'node_cpu_seconds_total{mode=~"' + _MODES + '", instance!=""',
)


PROMETHEUS: Final = ServerKind(
    name="Prometheus",
    example="--prometheus http://host:9090",
    variable="MPROF_PROMETHEUS_HEADER",
    fewer="ask for fewer samples with --prometheus-step",
)


def metrics_of_prometheus(
    server: Server, *, since_s: float, until_s: float, step_s: float, folder: Path, match: str = ""
) -> Iterator[Path]:
    """Ask for the metrics of all nodes, an hour at a time, and keep the answers as files.

    Memory: an hour of all nodes.

    Args:
        server: whom to ask.
        since_s: from this second on; whole steps, so that what is asked twice is the same.
        until_s: up to this one.
        step_s: between two samples, as often as Prometheus scrapes.
        folder: for the files, which are given back as they are written.
        match: labels that nodes must have, as PromQL has them between braces; all nodes where it
            is empty.

    Raises:
        EvidenceError: if it does not answer, refuses, or has nothing of any node.
    """
    page_s = step_s * max(1, math.floor(min(_PAGE_S, _MOST_POINTS * step_s) / step_s))
    begin_s = math.floor(since_s / step_s) * step_s
    series = 0
    while begin_s <= until_s:
        # The step before tells how far counters have grown by the first one.
        end_s = min(begin_s + page_s - step_s, until_s)
        answers = [
            _asked(
                server,
                _matching(query, match),
                begin_s=begin_s - step_s,
                end_s=end_s,
                step_s=step_s,
            )
            for query in _QUERIES
        ]
        found = sum(number for _, number in answers)
        series += found
        if found:
            path = folder / f"prometheus-{begin_s:.0f}.json"
            path.write_bytes(b"\n".join(text for text, _ in answers))
            yield path
        begin_s += page_s
    if not series:
        raise EvidenceError(
            f"{server.url} has nothing of node_exporter in that time",
            next_step="name a Prometheus that scrapes node_exporter, or another time with --since"
            + (", or other labels with --prometheus-match" if match else ""),
        )


def scrape_interval_s(server: Server, *, until_s: float, match: str = "") -> float | None:
    """How often it scrapes the nodes: what most of them show in the last minutes of a time.

    A range that is asked in steps shorter than that repeats each sample, and of what it repeats
    counters seem to stand still.

    Args:
        server: whom to ask.
        until_s: the end of that time.
        match: labels that nodes must have.

    Returns:
        Seconds; None where no node has two samples in these minutes.

    Raises:
        EvidenceError: if it does not answer, or refuses.
    """
    selector = _matching('node_load1{instance!=""', match)
    words = {"query": f"count_over_time({selector}[{_COUNTED_S}s])", "time": f"{until_s:.3f}"}
    text = server.asked("/api/v1/query", words)
    try:
        answer = json.loads(text)
        counts = [float(one["value"][1]) for one in answer["data"]["result"]]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    counts = sorted(count for count in counts if 2 <= count <= _COUNTED_S)
    if not counts:
        return None
    # A sample more or fewer lies in so many seconds by chance; intervals are whole, and mostly of
    # five seconds.
    interval_s = _COUNTED_S / counts[len(counts) // 2]
    whole_s = 5.0 * round(interval_s / 5) if interval_s > 7 else float(round(interval_s))
    return max(1.0, whole_s)


def _matching(query: str, match: str) -> str:
    inside = match.strip().removeprefix("{").removesuffix("}").strip().rstrip(",")
    return f"{query}, {inside}}}" if inside else f"{query}}}"


def _asked(
    server: Server, query: str, *, begin_s: float, end_s: float, step_s: float
) -> tuple[bytes, int]:
    """The answer as it came, and the number of its series."""
    words = {"query": query, "start": begin_s, "end": end_s, "step": step_s}
    text = server.asked("/api/v1/query_range", words)
    try:
        answer = json.loads(text)
        data = answer["data"] if answer["status"] == "success" else {}
        if data.get("resultType") == "matrix":
            return text, len(data["result"])
        said = answer.get("error")
        told = clipped(one_line(str(said)), _LONGEST) if said else "that it failed"
        why = f"it says {told}"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        why = "its answer is none of Prometheus's range API"
    raise why_unread(server, why)
