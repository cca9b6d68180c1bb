"""What a terminal shows of a comparison of nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from mprof.peers import Observation
from mprof.peers.look import Look
from mprof.peers.looking import Suspect

__all__ = ["text_of"]

_DATED_S = 1e9  # what is earlier counts from the begin of a recording
_LONGEST_REASON = 160


def text_of(looks: Sequence[Look], found: Sequence[Suspect]) -> str:
    """The comparisons and the suspects that they name, as lines."""
    compared = {node.host for look in looks for node in look.comparison.nodes}
    withheld = [look for look in looks if look.comparison.withheld is not None]
    lines = [_headline(len(compared), found, looks)]
    if found:
        lines += ["", "SUSPECTS"]
        for one in found:
            lines += [f"  {one.host}{_since(one.since_s)}", *_reasons(one)]
    late = [line for look in looks for line in _of_master(look)]
    if late:
        lines += ["", "MASTER", *(f"  {line}" for line in late)]
    unknown = _not_compared(looks)
    if unknown:
        lines += ["", "NOT COMPARED", *(f"  {line}" for line in unknown)]
    if withheld:
        lines += ["", "WITHHELD"]
        reasons: dict[str, list[str]] = {}
        for look in withheld:
            reasons.setdefault(str(look.comparison.withheld), []).append(look.evidence)
        for reason, evidence in reasons.items():
            more = f" and {len(evidence) - 1:,} more" if len(evidence) > 1 else ""
            lines.append(f"  {evidence[0]}{more}: {reason}")
    return "\n".join(lines)


def _of_master(look: Look) -> Iterator[str]:
    """What is to be said of the master: an alarm, and why nothing can be."""
    master = look.comparison.master
    name = f"{look.comparison.detector} ({look.evidence})"
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


def _reasons(suspect: Suspect) -> list[str]:
    lines = []
    for look, node in suspect.looks:
        seen = "; ".join(_observed(each) for each in node.observations) or "differs"
        how = "" if math.isinf(node.score) else f", {node.score:.1f} times the threshold"
        lines.append(f"    {look.comparison.detector} ({look.evidence}{how}): {seen}")
    if suspect.compared > len(suspect.looks):
        others = suspect.compared - len(suspect.looks)
        lines.append(f"    like its peers in {others:,} other comparison{'s'[: others > 1]}")
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
        names = ", ".join(hosts)
        shown = names if len(names) <= _LONGEST_REASON else f"{len(hosts):,} nodes"
        lines.append(f"{shown}: {reason}")
    return lines
