"""The public JSON object of a comparison of nodes (``docs/reference/nodes.schema.json``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from mprof.peers import MasterStanding, NodeStanding, Observation
from mprof.peers.comparison import Look
from mprof.peers.detectors.registry import PUBLISHED
from mprof.peers.findings import NodeFindings, Suspect
from mprof.peers.verdict.comparability import Comparability
from mprof.peers.verdict.islands import Islands
from mprof.peers.verdict.reported import Reported
from mprof.report.sickness import kinds_json

__all__ = ["reported_to_json", "suspect_to_json", "to_json"]

_PAPERS: Final = {each.name: each.paper for each in PUBLISHED}


def to_json(found: NodeFindings) -> dict[str, Any]:
    """The object."""
    return {
        "schema_version": 1,
        "suspects": [suspect_to_json(one) for one in found.suspects],
        "waiting": [
            {"host": one.host, "because_of": list(one.because_of)} for one in found.waiting
        ],
        "kinds": kinds_json(found.kinds),
        "comparable": _comparable(found.comparable),
        "islands": _islands(found.islands),
        "unfinished_imports": [
            {"what": list(one.what), "is_running": one.is_running} for one in found.unfinished
        ],
        "reported": [reported_to_json(one) for one in found.reported],
        "comparisons": [_comparison(look) for look in found.looks],
        "as_published": [
            _comparison(look) | {"kind": look.kind, "paper": _PAPERS[look.comparison.detector]}
            for look in found.as_published
        ],
    }


def _comparison(look: Look) -> dict[str, Any]:
    return {
        "detector": look.comparison.detector,
        "evidence": look.evidence,
        "of": look.of,
        "island": look.island,
        "withheld": look.comparison.withheld,
        "windows": look.comparison.windows,
        "left_out": list(look.comparison.left_out),
        "master": _master(look.comparison.master),
        "nodes": [_node(node) for node in look.comparison.nodes],
    }


def suspect_to_json(one: Suspect) -> dict[str, Any]:
    """One suspect."""
    return {
        "host": one.host,
        "confidence": one.confidence,
        "sides": list(one.sides),
        "since_s": one.since_s,
        "until_s": one.until_s,
        "score": _number(one.score),
        "views": list(one.views),
        "indicted_in": len(one.looks),
        "compared_in": one.compared,
        "hardware": one.hardware,
    }


def reported_to_json(one: Reported) -> dict[str, Any]:
    """What the ResourceManager says of one node."""
    return {
        "host": one.host,
        "state": one.state,
        "since_s": one.since_s,
        "at_s": one.at_s,
        "report": one.report,
        "is_taken_out": one.is_taken_out,
    }


def _comparable(found: Comparability) -> dict[str, Any]:
    return {
        "nodes": found.nodes,
        "correlated": found.correlated,
        "share": _number(found.share),
        "least": _number(found.least),
        "bins": found.bins,
        "bin_s": _number(found.bin_s),
        "why_not": found.why_not,
    }


def _islands(islands: Islands | None) -> dict[str, Any] | None:
    return None if islands is None else {
        "because": islands.because,
        "islands": [
            {"name": name, "nodes": sorted(islands.nodes(name))} for name in islands.names
        ],
        "not_seen": list(islands.not_seen),
    }  # fmt: skip


def _node(node: NodeStanding) -> dict[str, Any]:
    return {
        "host": node.host,
        "indicted": node.indicted,
        "score": _number(node.score),
        "since_s": node.since_s,
        "until_s": node.until_s,
        "why_not": node.why_not,
        "because_of": list(node.because_of),
        "spells": [
            {"what": each.what, "begin_s": each.begin_s, "end_s": each.end_s, "lasts": each.lasts}
            for each in node.spells
        ],
        "chance": node.chance,
        "visible": node.visible,
        "observations": _observations(node.observations),
    }


def _master(master: MasterStanding | None) -> dict[str, Any] | None:
    return None if master is None else {
        "alarm": master.alarm,
        "rate": _number(master.rate),
        "since_s": master.since_s,
        "why_not": master.why_not,
        "observations": _observations(master.observations),
    }  # fmt: skip


def _observations(observations: Sequence[Observation]) -> list[dict[str, Any]]:
    return [
        {"what": each.what, "own": _number(each.own), "peers": _number(each.peers),
         "unit": each.unit}
        for each in observations
    ]  # fmt: skip


def _number(value: float) -> float | None:
    """A number as JSON has it; null where it is none, or beyond every threshold."""
    return value if math.isfinite(value) else None
