"""Phrases of a comparison of nodes that a terminal, a page and a log of changes share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mprof.io.printable import one_line
from mprof.peers import NodeStanding, Observation
from mprof.peers.comparison import Look, Spell
from mprof.peers.findings import Suspect
from mprof.peers.verdict.reported import Reported
from mprof.report.times import moment_text

__all__ = [
    "evidence_name",
    "how",
    "in_words",
    "observed",
    "reason",
    "reported",
    "since",
    "when_in_words",
]


def in_words(one: Suspect) -> str:
    """How sure, which side, since when, and why, in one line."""
    return f"{how(one)}; {'; '.join(reason(look, node) for look, node in one.looks)}"


def how(one: Suspect) -> str:
    """How sure it is, which side of the node, and since when."""
    side = f", {' and '.join(one.sides)} side" if one.sides else ""
    return f"{one.confidence}{side}{since(one.since_s)}"


def reason(look: Look, node: NodeStanding) -> str:
    """The detector, what it looked at, and what differs."""
    seen = "; ".join(observed(each) for each in node.observations) or "differs"
    far = "" if math.isinf(node.score) else f", {node.score:.1f} times the threshold"
    when = f"; {spells}" if (spells := when_in_words(node.spells)) else ""
    return f"{look.comparison.detector} ({evidence_name(look)}{far}): {seen}{when}"


def when_in_words(spells: Sequence[Spell]) -> str:
    """When a node was silent or slow, and whether it is still; empty where no time is known."""
    return "; ".join(
        f"{what} {_times([each for each in spells if each.what == what])}"
        for what in dict.fromkeys(each.what for each in spells)
    )


def _times(spells: Sequence[Spell]) -> str:
    if len(spells) > 1:
        last = spells[-1]
        now = "and to the end" if last.lasts else f"the last time to {moment_text(last.end_s)}"
        return f"{len(spells)} times from {moment_text(spells[0].begin_s)}, {now}"
    (one,) = spells
    if one.lasts:
        return f"from {moment_text(one.begin_s)} to the end"
    after = "then heard of again" if one.what == "silent" else "then as its peers"
    return f"from {moment_text(one.begin_s)} to {moment_text(one.end_s)}, {after}"


def observed(one: Observation, *, of: str = "its peers") -> str:
    """One thing that differs, with what is usual."""
    if one.unit == "at least":
        return f"{one.own:.0f} {one.what}, where its peers have {one.peers:.0f} or more"
    return f"{one.what} {_figure(one.own)} {one.unit}, {of} {_figure(one.peers)} {one.unit}"


def since(seconds: float | None) -> str:
    """Since when; empty where no window tells."""
    if seconds is None or math.isnan(seconds):
        return ""
    return f"  since {moment_text(seconds)}"


def reported(one: Reported) -> str:
    """What the ResourceManager says of a node that it does not call well."""
    said = f": {one_line(one.report)}" if one.report else ""
    out = "; no suspect: somebody has taken it out of service" if one.is_taken_out else ""
    return f"{one.host}  {one.state}{since(one.since_s)}{said}{out}"


def evidence_name(look: Look) -> str:
    """What was looked at."""
    return look.evidence if look.island is None else f"{look.evidence}, {look.island}"


def _figure(value: float) -> str:
    return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
