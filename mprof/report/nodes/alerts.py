"""Nodes that are suspected now, for other programs: Prometheus's text, and Alertmanager's alerts.

The text is that of Prometheus's exposition format 0.0.4, the alerts those of Alertmanager's
``POST /api/v2/alerts`` (``api/v2/openapi.yaml``, ``postableAlerts``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from mprof.io.printable import clipped, encodable, one_line
from mprof.peers.findings import Suspect
from mprof.peers.verdict.reported import Reported
from mprof.report.nodes.words import in_words

__all__ = ["MOST_NODES", "Now", "alerts_of", "as_exposition", "as_postable"]

MOST_NODES: Final = 10_000
"""That are given out: who scrapes must not be drowned."""

_LEVELS: Final = {"possible": 1, "likely": 2, "sure": 3}
_LONGEST: Final = 1000
_ESCAPES: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@dataclass(frozen=True, slots=True)
class Now:
    """How the nodes stand.

    Attributes:
        looked_s: when the store was looked at last, seconds since 1970 UTC.
        evidence_s: until when its data go; None before there are any.
        compared: number of nodes that were compared so far.
        reported: nodes that the ResourceManager does not call well.
        failures: how often a server or the webhook has failed.
    """

    looked_s: float
    evidence_s: float | None
    compared: int
    suspects: tuple[Suspect, ...]
    reported: tuple[Reported, ...]
    failures: int


@dataclass(frozen=True, slots=True)
class Alert:
    """One thing that is wrong with one node.

    Attributes:
        labels: by which Alertmanager knows it again.
        annotations: what is said of it.
        starts_s: since when, seconds since 1970 UTC; None where that is not known.
    """

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    starts_s: float | None

    @property
    def key(self) -> tuple[tuple[str, str], ...]:
        """The same for the same alert."""
        return tuple(sorted(self.labels.items()))


def alerts_of(now: Now) -> tuple[Alert, ...]:
    """The alerts that hold now; one whose confidence changes is the same one."""
    found = [
        Alert(
            {"alertname": "MprofSickNode", "node": encodable(one.host)},
            {"confidence": one.confidence, "sides": ", ".join(one.sides),
             "summary": f"{encodable(one.host)} differs from its peers: {one.confidence}",
             "description": clipped(one_line(in_words(one)), _LONGEST)},
            one.since_s,
        )
        for one in now.suspects
    ]  # fmt: skip
    found += [
        Alert(
            {"alertname": "MprofNodeState", "node": encodable(one.host), "state": one.state},
            {"confidence": "sure",
             "summary": f"the ResourceManager calls {encodable(one.host)} {one.state}",
             "description": clipped(one_line(one.report or ""), _LONGEST)},
            one.since_s,
        )
        for one in now.reported
        if not one.is_taken_out
    ]  # fmt: skip
    return tuple(found[:MOST_NODES])


def as_postable(
    fires: Iterable[Alert], resolved: Iterable[Alert], *, now_s: float, holds_s: float
) -> bytes:
    """The body of a request.

    Args:
        fires: alerts that hold.
        resolved: alerts that hold no more.
        now_s: the time.
        holds_s: how long Alertmanager takes an alert for true that is not sent again.
    """
    told = [
        *(_postable(one, now_s=now_s, ends_s=now_s + holds_s) for one in fires),
        *(_postable(one, now_s=now_s, ends_s=now_s) for one in resolved),
    ]
    return json.dumps(told).encode()


def as_exposition(now: Now) -> str:
    """What a Prometheus that scrapes gets."""
    suspects = now.suspects[:MOST_NODES]
    parts = [
        _family(
            "mprof_node_suspect", "How sure it is that the node is sick: 1 possible, 2 likely,"
            " 3 sure; a node that is like its peers has no row.",
            [({"node": one.host, "confidence": one.confidence, "side": "+".join(one.sides)},
              float(_LEVELS[one.confidence])) for one in suspects],
        ),
        _family(
            "mprof_node_suspect_since_seconds", "Since when it differs, as Unix time.",
            [({"node": one.host}, one.since_s) for one in suspects if one.since_s is not None],
        ),
        _family(
            "mprof_node_state", "1 for a node that the ResourceManager does not call well.",
            [({"node": one.host, "state": one.state}, 1.0) for one in now.reported[:MOST_NODES]],
        ),
        _family("mprof_nodes_compared", "Nodes that were compared so far.",
                [({}, float(now.compared))]),
        _family("mprof_evidence_seconds", "Until when the data go, as Unix time.",
                [] if now.evidence_s is None else [({}, now.evidence_s)]),
        _family("mprof_looked_seconds", "When the store was looked at last, as Unix time.",
                [({}, now.looked_s)]),
        _family("mprof_failures_total", "Servers that did not answer, and alerts not taken.",
                [({}, float(now.failures))], kind="counter"),
    ]  # fmt: skip
    return "".join(parts)


def _family(
    name: str, meaning: str, rows: Sequence[tuple[Mapping[str, str], float]], kind: str = "gauge"
) -> str:
    lines = [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
    for labels, value in rows:
        told = ",".join(
            f'{key}="{encodable(text).translate(_ESCAPES)}"' for key, text in labels.items()
        )
        lines.append(f"{name}{'{' if told else ''}{told}{'}' if told else ''} {value!r}")
    return "\n".join(lines) + "\n"


def _postable(one: Alert, *, now_s: float, ends_s: float) -> dict[str, Any]:
    starts_s = now_s if one.starts_s is None else min(one.starts_s, now_s)
    return {
        "labels": dict(one.labels),
        "annotations": dict(one.annotations),
        "startsAt": _moment(starts_s),
        "endsAt": _moment(ends_s),
        "generatorURL": "",
    }


def _moment(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).isoformat(timespec="milliseconds").replace(
        "+00:00", "Z"
    )  # fmt: skip
