"""A comparison of nodes as its reader needs it: chosen, ordered and in words."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from mprof.peers.comparison import Clock, Look
from mprof.peers.detectors import wb_durations, wb_ends
from mprof.peers.findings import NodeFindings, Suspect
from mprof.peers.verdict.comparability import (
    CORRELATED,
    SHARE_IN_ABORTED,
    SHARE_IN_SUCCESSFUL,
    Comparability,
)
from mprof.peers.verdict.islands import Islands
from mprof.report.nodes.words import evidence_name, how, observed, reason, reported, since
from mprof.report.sickness import kinds_text

__all__ = ["NodesView", "Section", "SuspectView", "view_of"]

Mood = Literal["fine", "unknown", ""]

_LONGEST_REASON = 160
_DAY_S = 86_400.0
_LONG_S = _DAY_S / 2  # of a shift, and of most jobs, faults are seldom of different times
_NOT_ASKED = "Detectors as published were asked alone: mprof has no verdict of its own."
_WITHIN = {"list": "the islands of the list", "hardware": "like hardware", "rack": "racks"}


@dataclass(frozen=True, slots=True)
class SuspectView:
    """A node that is named.

    Attributes:
        confidence: how sure it is that it is sick.
        how: the same, with its side and since when.
        about: side and since when alone.
        reasons: a line each: the detector, what it looked at, what differs.
        remarks: what else is to be known of it.
    """

    host: str
    confidence: str
    how: str
    about: str
    reasons: tuple[str, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """What is said beside the suspects: a title, and lines below it."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodesView:
    """A whole comparison.

    Attributes:
        headline: the answer.
        mood: of the page: whether a node is named, or none can be.
        suspects: the nodes that are named, the most suspect first.
        sections: all else, in the order in which it is told; empty ones are left out.
    """

    headline: str
    mood: Mood
    suspects: tuple[SuspectView, ...]
    sections: tuple[Section, ...]


def view_of(found: NodeFindings) -> NodesView:
    """The view."""
    looks = found.looks
    seen = {node.host for look in looks for node in look.comparison.nodes}
    compared = _compared(looks)
    sections = {
        "WAITING": [
            f"{one.host}: slow because of {', '.join(one.because_of)}, and as fast as its peers"
            f" without ({'; '.join(evidence_name(look) for look in one.looks)})"
            for one in found.waiting
        ],
        "KIND OF SICKNESS": kinds_text(found.kinds, {one.host for one in found.suspects}),
        "THE RESOURCEMANAGER SAYS": [reported(one) for one in found.reported],
        "MASTER": [line for look in looks for line in _of_master(look)],
        "CLOCKS": _clocks(looks),
        "NOT COMPARED": _not_compared(looks),
        "COULD HAVE BEEN SEEN": _visible(looks),
        "WITHHELD": [
            *_withheld(looks, found.comparable),
            *_of_the_jobs(looks),
            *_too_long(found.disputed_s),
        ],
        "AS PUBLISHED": [_as_published(look) for look in found.as_published],
        "ISLANDS": _islands(found.islands),
        "GAPS IN THE EVIDENCE": [one.sentence for one in found.unfinished],
        "COMPARABLE": [_comparable(found.comparable)] if found.comparable.nodes else [],
    }
    return NodesView(
        headline=(
            _headline(len(compared), len(seen - compared), found.suspects, looks)
            if found.ours_asked
            else _NOT_ASKED
        )
        + _reported_shortly(found),
        mood=_mood(found, is_all=seen == compared and not found.unfinished),
        suspects=tuple(_suspect(one) for one in found.suspects),
        sections=tuple(Section(title, tuple(lines)) for title, lines in sections.items() if lines),
    )


def _mood(found: NodeFindings, *, is_all: bool) -> Mood:
    """Not known is never fine: a node that was not compared may be the sick one."""
    masters = (look.comparison.master for look in found.looks)
    if found.suspects or any(one is not None and one.alarm for one in masters):
        return ""
    if any(not one.is_taken_out for one in found.reported):
        return ""
    return "fine" if found.ours_asked and is_all and not _is_open(found.looks) else "unknown"


def _compared(looks: Sequence[Look]) -> set[str]:
    """The nodes of which some detector could say whether they are like their peers."""
    return {
        node.host for look in looks for node in look.comparison.nodes if node.indicted is not None
    }


def _is_open(looks: Sequence[Look]) -> bool:
    """Whether nodes differ of which nothing can be said: neither side, or a whole rack."""
    return any(look.comparison.is_open for look in looks)


def _suspect(one: Suspect) -> SuspectView:
    others = one.compared - len(one.looks)
    remarks = (
        [f"like its peers in {others:,} other comparison{'s'[: others > 1]}"] if others else []
    )
    if one.hardware is not None:
        remarks.append(f"it is not made of what its peers are made of: {one.hardware}")
    return SuspectView(
        host=one.host,
        confidence=one.confidence,
        how=how(one),
        about=how(one).removeprefix(one.confidence).strip(", "),
        reasons=tuple(reason(look, node) for look, node in one.looks),
        remarks=tuple(remarks),
    )


def _visible(looks: Sequence[Look]) -> list[str]:
    """How many times slower each node would have had to be in a state to be named for it."""
    least: dict[tuple[str, str], float] = {}
    for look in looks:
        for node in look.comparison.nodes:
            if look.comparison.detector == wb_durations.DETECTOR and node.indicted is not None:
                for state, factor in node.visible_in:
                    key = (state, node.host)
                    least[key] = min(factor, least.get(key, factor))
    factors: dict[tuple[str, bool], dict[str, float]] = {}
    for (state, host), factor in sorted(least.items()):
        factors.setdefault((state, math.isinf(factor)), {})[host] = factor
    return [
        f"{state}: {_times_slower(by_host.values())}: {_hosts(list(by_host))}"
        for (state, _), by_host in sorted(factors.items())
    ]


def _times_slower(factors: Collection[float]) -> str:
    if math.isinf(max(factors)):
        return "no slowness, with so little work"
    least, most = (f"{math.ceil(10 * each - 1e-9) / 10:g}" for each in (min(factors), max(factors)))
    return f"{least if least == most else f'{least} to {most}'} times slower, all the time"


def _withheld(looks: Sequence[Look], comparable: Comparability) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for look in looks:
        if look.comparison.withheld is not None:
            more = f"; {comparable.in_words}" if look.comparison.disputed else ""
            why = f"{look.comparison.withheld}{more.rstrip('; ')}"
            reasons.setdefault(why, []).append(evidence_name(look))
    lines = []
    for why, evidence in reasons.items():
        more = f" and {len(evidence) - 1:,} more" if len(evidence) > 1 else ""
        lines.append(f"{evidence[0]}{more}: {why}")
    return lines


def _clocks(looks: Sequence[Look]) -> list[str]:
    """Clocks that are off, so that times were moved: somebody should set them."""
    found: dict[str, Clock] = {}
    for look in looks:
        for one in look.comparison.clocks:
            found.setdefault(one.host, one)
    return [
        f"{one.host}: its clock is about {_apart(abs(one.ahead_s))}"
        f" {'ahead' if one.ahead_s > 0 else 'behind'}, by {one.shown_by}; its times were moved"
        for one in found.values()
    ]


def _apart(seconds: float) -> str:
    hours, minutes = divmod(round(seconds / 60), 60)
    return " ".join(f"{each} {unit}" for each, unit in ((hours, "h"), (minutes, "min")) if each)


def _of_the_jobs(looks: Sequence[Look]) -> list[str]:
    """What to do where attempts fail everywhere: their errors may tell what nodes do not."""
    ends = (look.comparison for look in looks if look.comparison.detector == wb_ends.DETECTOR)
    if not any(one.disputed for one in ends):
        return []
    return ["the errors of the attempts may say what is at fault: mprof triage JOB --store STORE"]


def _too_long(disputed_s: float | None) -> list[str]:
    """What to do where so much time was compared at once that faults of it add up."""
    if disputed_s is None or disputed_s < _LONG_S:
        return []
    days = f"{disputed_s / _DAY_S:.1f} days were compared at once"
    why = "nodes that were sick at different times look like a sick half"
    how = "compare less with --since and --until, or one stretch after the other with --follow"
    return [f"{days}, and {why}: {how} --since TIME"]


def _islands(islands: Islands | None) -> list[str]:
    """Within what nodes were compared; nothing where it is all of them."""
    lines = []
    if islands is not None and len(islands.names) > 1:
        lines = [f"nodes were compared within {_WITHIN[islands.because]} only"]
        lines += [f"{name}: {_hosts(sorted(islands.nodes(name)))}" for name in islands.names]
    if islands is not None and islands.not_seen:
        lines.append(f"listed, and not seen: {_hosts(islands.not_seen)}")
    return lines


def _comparable(found: Comparability) -> str:
    """Were these nodes comparable at all?"""
    if found.correlated is None:
        return f"cannot tell whether nodes completed maps in step: {found.why_not}"
    return (
        f"{found.correlated:,} of {found.nodes:,} nodes ({found.share:.0%}) completed maps in step"
        f" with all others (Pearson {CORRELATED.value:g} or more, {found.bins:,} bins of"
        f" {found.bin_s:.0f} s); in the jobs of Kahuna's study"
        f" {SHARE_IN_SUCCESSFUL.value:.0%} where they succeeded, {SHARE_IN_ABORTED.value:.0%}"
        " where they were aborted"
    )


def _hosts(hosts: Sequence[str]) -> str:
    names = ", ".join(hosts)
    return names if len(names) <= _LONGEST_REASON else f"{len(hosts):,} nodes"


def _of_master(look: Look) -> Iterator[str]:
    """What is to be said of the master: an alarm, and why nothing can be."""
    master = look.comparison.master
    name = f"{look.comparison.detector} ({evidence_name(look)})"
    if master is None or master.alarm is False:
        return
    if master.alarm is None:
        yield f"{name}: cannot tell, {master.why_not}"
        return
    seen = "; ".join(observed(each, of="usually") for each in master.observations)
    yield f"late for {master.rate:.0%} of the nodes{since(master.since_s)}"
    yield f"  {name}: {seen}"


def _headline(compared: int, others: int, found: Sequence[Suspect], looks: Sequence[Look]) -> str:
    masters = (look.comparison.master for look in looks)
    late = " Their master is late." if any(one is not None and one.alarm for one in masters) else ""
    disputed = next((look.comparison for look in looks if look.comparison.disputed), None)
    if not found and disputed is not None:
        return f"No node is named: {disputed.withheld}.{late}"
    if not compared and not found:
        return f"No verdict on any node: nothing could be compared.{late}"
    noun = "node" if compared == 1 else "nodes"
    if not found and _is_open(looks):
        return (
            f"No node is named: of {compared:,} {noun} some differ, and nothing says which"
            f" are sick.{late}"
        )
    if not found:
        left = f"; {others:,} more could not be compared" if others else ""
        return f"None of {compared:,} {noun} differs from its peers{left}.{late}"
    verb = "differs" if len(found) == 1 else "differ"
    return f"{len(found):,} of {compared:,} {noun} {verb} from the others.{late}"


def _as_published(look: Look) -> str:
    """What a detector of a paper says, by its own rule."""
    found = look.comparison
    name = f"{found.detector} ({evidence_name(look)})"
    if found.withheld is not None:
        return f"{name}: nothing, {found.withheld}"
    named = [node for node in found.nodes if node.indicted]
    judged = sum(node.indicted is not None for node in found.nodes)
    if not judged:
        return f"{name}: nothing of any node, {found.nodes[0].why_not}"
    of = f"of {judged:,} nodes"
    if not named:
        return f"{name}: names none {of}"
    told = ", ".join(f"{node.host} ({node.score:.1f} times the threshold)" for node in named)
    return f"{name}: names {told} {of}"


def _reported_shortly(found: NodeFindings) -> str:
    """How many nodes the ResourceManager itself calls lost or unhealthy; empty for none."""
    count = sum(not one.is_taken_out for one in found.reported)
    if not count:
        return ""
    return f" The ResourceManager calls {count:,} node{'s'[: count > 1]} lost or unhealthy."


def _not_compared(looks: Sequence[Look]) -> list[str]:
    named = {host for look in looks for host in look.comparison.indicted}
    reasons: dict[str, dict[str, None]] = {}
    for look in looks:
        for node in look.comparison.nodes:
            if node.indicted is None and node.host not in named:
                reasons.setdefault(node.why_not or "not known", {})[node.host] = None
    return [f"{_hosts(list(hosts))}: {why}" for why, hosts in reasons.items()]
