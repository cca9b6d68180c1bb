"""``mprof nodes``: which nodes of a cluster differ from their peers, and in what."""

from __future__ import annotations

import json as json_codec
import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mprof.cli.options import JsonFlag

if TYPE_CHECKING:
    from mprof.peers import MasterStanding, NodeStanding, Observation
    from mprof.peers.look import Look
    from mprof.peers.looking import Suspect
    from mprof.peers.synthesis.sickness import Sickness

__all__ = ["nodes"]

_DATED_S = 1e9  # what is earlier counts from the begin of a recording
_LONGEST_REASON = 160


def nodes(
    store: Annotated[
        Path, typer.Argument(help="Folder of tables that mprof import filled.", metavar="STORE")
    ],
    job: Annotated[
        str | None, typer.Option("--job", help="Compare the attempts of this job only.")
    ] = None,
    hosts: Annotated[
        Path | None,
        typer.Option("--hosts", help="File with the nodes that should be there, a host a line."),
    ] = None,
    calibration: Annotated[
        Path | None,
        typer.Option(
            "--calibration", help="File of mprof calibrate: thresholds, profiles and a tree."
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Compare the nodes of a cluster, and name those that differ from their peers.

    Exits with 0 whether or not nodes are named, and with 3 if there is nothing of any node.
    """
    from mprof.cli.output import say_json, say_text
    from mprof.cli.terminal import TerminalObserver
    from mprof.peers.calibration.file import load_calibration
    from mprof.peers.looking import look_at_nodes, suspects
    from mprof.peers.synthesis.sickness import sicknesses
    from mprof.sources.host_list import hosts_in
    from mprof.sources.reading import Losses
    from mprof.store import Store
    from mprof.threshold import thresholds_moved

    known = load_calibration(calibration) if calibration is not None else None
    should = hosts_in(hosts, Losses()) if hosts is not None else ()
    with TerminalObserver() as observer, thresholds_moved(known.thresholds if known else {}):
        observer.stage(f"comparing the nodes of {store}")
        looks = look_at_nodes(
            Store.at(store), job=job, hosts=should, profiles=known.profiles if known else None
        )
        # A tree is learnt of whole recordings, and says nothing of a single job.
        tree = known.tree if known is not None and job is None else None
        kinds = () if tree is None else sicknesses(tree, Store.at(store), looks, hosts=should)
    found = suspects(looks)
    if json:
        say_json(json_codec.dumps(_json(looks, found, kinds), indent=2))
    else:
        say_text(_text(looks, found, kinds))


def _text(looks: Sequence[Look], found: Sequence[Suspect], kinds: Sequence[Sickness]) -> str:
    from mprof.report.sickness import kinds_text

    compared = {node.host for look in looks for node in look.comparison.nodes}
    withheld = [look for look in looks if look.comparison.withheld is not None]
    lines = [_headline(len(compared), found, looks)]
    if found:
        lines += ["", "SUSPECTS"]
        for one in found:
            lines += [f"  {one.host}{_since(one.since_s)}", *_reasons(one)]
    if told := kinds_text(kinds, {one.host for one in found}):
        lines += ["", "KIND OF SICKNESS", *(f"  {line}" for line in told)]
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


def _json(
    looks: Sequence[Look], found: Sequence[Suspect], kinds: Sequence[Sickness]
) -> dict[str, Any]:
    from mprof.report.sickness import kinds_json

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
        "kinds": kinds_json(kinds),
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
