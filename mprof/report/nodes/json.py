"""The public JSON object of a comparison of nodes (``docs/reference/nodes.schema.json``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mprof.peers import MasterStanding, NodeStanding, Observation
from mprof.peers.look import Look
from mprof.peers.looking import Suspect

__all__ = ["to_json"]


def to_json(looks: Sequence[Look], found: Sequence[Suspect]) -> dict[str, Any]:
    """The object."""
    return {
        "schema_version": 1,
        "suspects": [
            {
                "host": one.host,
                "since_s": one.since_s,
                "score": _number(one.score),
                "indicted_in": len(one.looks),
                "compared_in": one.compared,
            }
            for one in found
        ],
        "comparisons": [
            {
                "detector": look.comparison.detector,
                "evidence": look.evidence,
                "withheld": look.comparison.withheld,
                "windows": look.comparison.windows,
                "left_out": list(look.comparison.left_out),
                "master": _master(look.comparison.master),
                "nodes": [_node(node) for node in look.comparison.nodes],
            }
            for look in looks
        ],
    }


def _node(node: NodeStanding) -> dict[str, Any]:
    return {
        "host": node.host,
        "indicted": node.indicted,
        "score": _number(node.score),
        "since_s": node.since_s,
        "why_not": node.why_not,
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
