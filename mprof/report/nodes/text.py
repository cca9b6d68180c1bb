"""What a terminal shows of a comparison of nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from mprof.peers import NodeStanding, Observation
from mprof.peers.comparability import (
    CORRELATED,
    SHARE_IN_ABORTED,
    SHARE_IN_SUCCESSFUL,
    Comparability,
)
from mprof.peers.islands import Islands
from mprof.peers.look import Look
from mprof.peers.looking import NodeFindings, Suspect

__all__ = ["in_words", "text_of"]

_DATED_S = 1e9  # what is earlier counts from the begin of a recording
_LONGEST_REASON = 160
_WITHIN = {"list": "the islands of the list", "hardware": "like hardware", "rack": "racks"}


def text_of(found: NodeFindings) -> str:
    """The comparisons and the suspects that they name, as lines."""
    looks = found.looks
    compared = {node.host for look in looks for node in look.comparison.nodes}
    lines = [_headline(len(compared), found.suspects, looks)]
    sections = {
        "SUSPECTS": [line for one in found.suspects for line in _suspect(one)],
        "WAITING": [
            f"{one.host}: slow because of {', '.join(one.because_of)}, and as fast as its peers"
            f" without ({'; '.join(_evidence(look) for look in one.looks)})"
            for one in found.waiting
        ],
        "MASTER": [line for look in looks for line in _of_master(look)],
        "NOT COMPARED": _not_compared(looks),
        "WITHHELD": _withheld(looks, found.comparable),
        "ISLANDS": _islands(found.islands),
        "COMPARABLE": [_comparable(found.comparable)] if found.comparable.nodes else [],
    }
    for title, every in sections.items():
        if every:
            lines += ["", title, *(f"  {line}" for line in every)]
    return "\n".join(lines)


def in_words(one: Suspect) -> str:
    """How sure, which side, since when, and why, in one line."""
    return f"{_how(one)}; {'; '.join(_reason(look, node) for look, node in one.looks)}"


def _how(one: Suspect) -> str:
    side = f", {' and '.join(one.sides)} side" if one.sides else ""
    return f"{one.confidence}{side}{_since(one.since_s)}"


def _suspect(one: Suspect) -> list[str]:
    lines = [f"{one.host}  {_how(one)}", *_reasons(one)]
    if one.hardware is not None:
        lines.append(f"  it is not made of what its peers are made of: {one.hardware}")
    return lines


def _withheld(looks: Sequence[Look], comparable: Comparability) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for look in looks:
        if look.comparison.withheld is not None:
            more = f"; {comparable.in_words}" if look.comparison.disputed else ""
            reason = f"{look.comparison.withheld}{more.rstrip('; ')}"
            reasons.setdefault(reason, []).append(_evidence(look))
    lines = []
    for reason, evidence in reasons.items():
        more = f" and {len(evidence) - 1:,} more" if len(evidence) > 1 else ""
        lines.append(f"{evidence[0]}{more}: {reason}")
    return lines


def _islands(islands: Islands | None) -> list[str]:
    """Within what nodes were compared; nothing where it is all of them."""
    if islands is None or len(islands.names) == 1:
        return []
    lines = [f"nodes were compared within {_WITHIN[islands.because]} only"]
    return lines + [f"{name}: {_hosts(sorted(islands.nodes(name)))}" for name in islands.names]


def _comparable(found: Comparability) -> str:
    """Were these nodes comparable at all?"""
    if found.correlated is None:
        return f"cannot tell whether nodes completed maps in step: {found.why_not}"
    return (
        f"{found.correlated:,} of {found.nodes:,} nodes ({found.share:.0%}) completed maps in step"
        f" with all others (Pearson {CORRELATED.value:g} or more, {found.bins:,} bins of"
        f" {found.bin_s:.0f} s); in the jobs of Kahuna's study {SHARE_IN_SUCCESSFUL:.0%} where they"
        f" succeeded, {SHARE_IN_ABORTED:.0%} where they were aborted"
    )


def _hosts(hosts: Sequence[str]) -> str:
    names = ", ".join(hosts)
    return names if len(names) <= _LONGEST_REASON else f"{len(hosts):,} nodes"


def _evidence(look: Look) -> str:
    return look.evidence if look.island is None else f"{look.evidence}, {look.island}"


def _of_master(look: Look) -> Iterator[str]:
    """What is to be said of the master: an alarm, and why nothing can be."""
    master = look.comparison.master
    name = f"{look.comparison.detector} ({_evidence(look)})"
    if master is None or master.alarm is False:
        return
    if master.alarm is None:
        yield f"{name}: cannot tell, {master.why_not}"
        return
    seen = "; ".join(_observed(each, of="usually") for each in master.observations)
    yield f"late for {master.rate:.0%} of those that it answers{_since(master.since_s)}"
    yield f"  {name}: {seen}"


def _headline(compared: int, found: Sequence[Suspect], looks: Sequence[Look]) -> str:
    masters = (look.comparison.master for look in looks)
    late = " Their master is late." if any(one is not None and one.alarm for one in masters) else ""
    if all(look.comparison.withheld is not None for look in looks) and not found:
        return f"No verdict on any node: nothing could be compared.{late}"
    noun = "node" if compared == 1 else "nodes"
    if not found:
        return f"None of {compared:,} {noun} differs from its peers.{late}"
    verb = "differs" if len(found) == 1 else "differ"
    return f"{len(found):,} of {compared:,} {noun} {verb} from the others.{late}"


def _since(seconds: float | None) -> str:
    if seconds is None or math.isnan(seconds):
        return ""
    if seconds < _DATED_S:
        return f"  since {seconds:,.0f} s after the begin of the recording"
    return f"  since {datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _reason(look: Look, node: NodeStanding) -> str:
    seen = "; ".join(_observed(each) for each in node.observations) or "differs"
    how = "" if math.isinf(node.score) else f", {node.score:.1f} times the threshold"
    return f"{look.comparison.detector} ({_evidence(look)}{how}): {seen}"


def _reasons(suspect: Suspect) -> list[str]:
    lines = [f"  {_reason(look, node)}" for look, node in suspect.looks]
    if suspect.compared > len(suspect.looks):
        others = suspect.compared - len(suspect.looks)
        lines.append(f"  like its peers in {others:,} other comparison{'s'[: others > 1]}")
    return lines


def _observed(one: Observation, *, of: str = "its peers") -> str:
    if one.unit == "at least":
        return f"{one.own:.0f} {one.what}, where its peers have {one.peers:.0f} or more"
    return f"{one.what} {_figure(one.own)} {one.unit}, {of} {_figure(one.peers)} {one.unit}"


def _figure(value: float) -> str:
    return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _not_compared(looks: Sequence[Look]) -> list[str]:
    reasons: dict[str, dict[str, None]] = {}
    for look in looks:
        for node in look.comparison.nodes:
            if node.indicted is None:
                reasons.setdefault(node.why_not or "not known", {})[node.host] = None
    lines = []
    for reason, hosts in reasons.items():
        lines.append(f"{_hosts(list(hosts))}: {reason}")
    return lines
