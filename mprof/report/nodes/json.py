"""The public JSON object of a comparison of nodes (``docs/reference/nodes.schema.json``)."""

from __future__ import annotations

import math
from typing import Any, Final

from mprof.peers import MasterStanding, NodeStanding
from mprof.peers.comparison import Look
from mprof.peers.detectors.registry import PUBLISHED
from mprof.peers.findings import NodeFindings, Suspect
from mprof.peers.verdict.comparability import Comparability
from mprof.peers.verdict.islands import Islands
from mprof.peers.verdict.reported import Reported
from mprof.report.json_text import members
from mprof.report.sickness import kinds_json

__all__ = ["reported_to_json", "suspect_to_json", "to_json"]

_PAPERS: Final = {each.name: each.paper for each in PUBLISHED}


def to_json(found: NodeFindings) -> dict[str, Any]:
    """The object, of what msgspec encodes: NaN and infinity as null."""
    return {
        "schema_version": 1,
        "suspects": [suspect_to_json(one) for one in found.suspects],
        "waiting": [members(one, "host", "because_of") for one in found.waiting],
        "kinds": kinds_json(found.kinds),
        "comparable": _comparable(found.comparable),
        "islands": _islands(found.islands),
        "unfinished_imports": [members(one, "what", "is_running") for one in found.unfinished],
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
        **members(look, "evidence", "of", "island"),
        **members(look.comparison, "withheld", "windows", "left_out", "clocks"),
        "master": _master(look.comparison.master),
        "nodes": [_node(node) for node in look.comparison.nodes],
    }


def suspect_to_json(one: Suspect) -> dict[str, Any]:
    """One suspect."""
    return {
        **members(one, "host", "confidence", "sides", "since_s", "until_s"),
        "score": one.score if math.isfinite(one.score) else None,
        "views": one.views,
        "indicted_in": len(one.looks),
        "compared_in": one.compared,
        "hardware": one.hardware,
    }


def reported_to_json(one: Reported) -> dict[str, Any]:
    """What the ResourceManager says of one node."""
    return members(one, "host", "state", "since_s", "at_s", "report", "is_taken_out")


def _comparable(found: Comparability) -> dict[str, Any]:
    return members(found, "nodes", "correlated", "share", "least", "bins", "bin_s", "why_not")


def _islands(islands: Islands | None) -> dict[str, Any] | None:
    return None if islands is None else {
        "because": islands.because,
        "islands": [
            {"name": name, "nodes": sorted(islands.nodes(name))} for name in islands.names
        ],
        "not_seen": islands.not_seen,
    }  # fmt: skip


def _node(node: NodeStanding) -> dict[str, Any]:
    return {
        **members(
            node, "host", "indicted", "score", "since_s", "until_s", "why_not", "because_of",
            "spells", "chance", "visible",
        ),
        "visible_in": dict(node.visible_in),
        "observations": node.observations,
    }  # fmt: skip


def _master(master: MasterStanding | None) -> dict[str, Any] | None:
    return None if master is None else members(
        master, "alarm", "rate", "since_s", "why_not", "observations"
    )  # fmt: skip
