"""The node: a machine on which the job's attempts fared worse than elsewhere, or failed alone.

Nodes are compared once, as `mprof nodes` does: in the whole store, or in the time around the job
if the store has more metrics, transfers and heartbeats than can be compared while somebody waits.
A node that is indicted there counts if the job ran on it while it was in alarm, with the confidence
that `mprof nodes` gives it. The ends of the job's attempts are also examined by themselves.
Attempts that are known not to be the fault of a machine are not counted against it: those that ran
out of memory, those that failed with an error that also occurred on other nodes, and those with far
more data than others. A node that may be sick, but on which the job's attempts took no longer than
elsewhere, is only a remark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pandas as pd

from mprof.patterns import Confidence
from mprof.peers import NodeStanding
from mprof.peers.calibration.values import NOTHING_SET, Calibration
from mprof.peers.comparison import Look
from mprof.peers.detectors.hb_delay import WINDOW
from mprof.peers.detectors.wb_ends import MOST_FAILED_ELSEWHERE, compare_ends
from mprof.peers.findings import (
    NodeFindings,
    NothingComparedError,
    Suspect,
    find_sick_nodes,
)
from mprof.peers.verdict.confidence import confidence
from mprof.pieces import Engine
from mprof.store import MOMENTS, Scope, Store
from mprof.threshold import Threshold
from mprof.triage.answer import Branch, Figure, Finding, NextStep
from mprof.triage.copies import Blamed, blamed_for_copies
from mprof.triage.facts import JobFacts

__all__ = ["THRESHOLDS", "Comparing", "Nodes", "compare_nodes", "node_branch", "sick_nodes"]

FEWEST_FAILURES: Final = Threshold(
    "triage.fewest-failures", 3, "failed attempts that Hadoop blames on the node",
    "Hadoop itself gives up on a node after three (mapreduce.job.maxtaskfailures.per.tracker)",
)  # fmt: skip

COST: Final = Threshold(
    "triage.cost-of-a-node", 0.1, "share of the time of the job's attempts on that node",
    "nodes of one model differ by as much; below it the node may be sick but has not hurt this job",
)  # fmt: skip

AROUND: Final = Threshold(
    "triage.around", 300.0, "s before and after the job",
    "most jobs are shorter than the two minutes of metrics that bb-window compares again and again"
    " before it indicts; an indicted node counts if it was in alarm while the job ran",
)  # fmt: skip

THRESHOLDS: Final = (FEWEST_FAILURES, COST, AROUND)

_MOST_ROWS: Final = 1_000_000
"""Of metrics, transfers and heartbeats that are compared whole, which takes half a minute."""
_MOST_NAMED: Final = 3

_WEAKER: Final[dict[Confidence, Confidence]] = {
    "sure": "likely", "likely": "possible", "possible": "possible",
}  # fmt: skip
_SURENESS: Final = ("sure", "likely", "possible", None)


@dataclass(frozen=True, slots=True)
class Comparing:
    """How nodes are compared.

    Attributes:
        calibration: thresholds, profiles and a tree of the cluster's own runs.
        calibration_file: from which it is, for commands.
        engine: what compares pieces of the tables; this process where None.
    """

    calibration: Calibration = NOTHING_SET
    calibration_file: Path | None = None
    engine: Engine | None = None


_AS_IT_COMES: Final = Comparing()


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """What `mprof nodes` says of the nodes of a job's store.

    Attributes:
        found: its answer; None where there is nothing to compare.
        command: that prints the same answer.
    """

    found: NodeFindings | None
    command: str

    @property
    def looks(self) -> tuple[Look, ...]:
        """Every comparison."""
        return () if self.found is None else self.found.looks

    @property
    def suspects(self) -> tuple[Suspect, ...]:
        """The nodes that are named, the most suspect first."""
        return () if self.found is None else self.found.suspects


def compare_nodes(facts: JobFacts, comparing: Comparing = _AS_IT_COMES) -> Nodes:
    """Compare the nodes of the store of a job, once.

    Raises:
        EvidenceError: if a file of the store is damaged.
    """
    scope = _scope(facts)
    words = [facts.nodes_command]
    for option, at_s in (("--since", scope.since_s), ("--until", scope.until_s)):
        if at_s is not None:
            words.append(f"{option} {datetime.fromtimestamp(at_s, UTC):%Y-%m-%dT%H:%M:%S}")
    if comparing.calibration_file is not None:
        words.append(f"--calibration {comparing.calibration_file}")
    found = None
    with suppress(NothingComparedError):
        found = find_sick_nodes(
            facts.store,
            scope=scope,
            calibration=comparing.calibration,
            engine=comparing.engine,
        )
    return Nodes(found, " ".join(words))


def _scope(facts: JobFacts) -> Scope:
    """The whole store, or the time around the job where the store is too large for that."""
    began_s = float(facts.attempts["started_s"].min())
    if math.isnan(began_s) or _moments(facts.store) <= _MOST_ROWS:
        return Scope()
    # Whole seconds, so that a command can say them.
    return Scope(
        float(math.floor(began_s - AROUND.value)), float(math.ceil(facts.last_s + AROUND.value))
    )


def _moments(store: Store) -> int:
    return sum(store.rows(name, columns=[at], by=at).count for name, at in MOMENTS.items())


def sick_nodes(found: NodeFindings) -> Iterator[Finding]:
    """The nodes of a whole store that differ from their peers, and those of which that may be.

    Nodes of one rack that are not blamed for the same reason are one finding.
    """
    for suspect in found.suspects:
        yield Finding(
            id="sick_node",
            sentence=f"{_differs(suspect)}.",
            confidence=suspect.confidence,
            hosts=(suspect.host,),
            figures=tuple(_figures(suspect)),
            since_s=suspect.since_s,
            until_s=suspect.until_s,
        )
    named = {one.host for one in found.suspects}
    untold: dict[str, dict[str, tuple[Look, NodeStanding]]] = {}
    for look in found.looks:
        for node in look.comparison.nodes:
            if node.indicted is None and node.score > 1 and node.host not in named:
                untold.setdefault(node.why_not or "not known", {})[node.host] = (look, node)
    for why_not, nodes in untold.items():
        hosts = tuple(nodes)
        look, first = nodes[hosts[0]]
        more = f" and {len(hosts) - 1:,} more" if len(hosts) > 1 else ""
        yield Finding(
            id="nodes_that_may_be_sick",
            sentence=f"{hosts[0]}{more}: {_what(look, first)}.",
            confidence=None,
            hosts=hosts,
            since_s=first.since_s,
            until_s=first.until_s,
            why_not=why_not,
        )


def node_branch(facts: JobFacts, nodes: Nodes, left_out: frozenset[str]) -> Branch:
    """Whether a node is sick on which the job ran, and what that cost the job.

    Args:
        facts: of the job.
        nodes: what `mprof nodes` says.
        left_out: attempts whose failure, or duration, is known to be no fault of a node.
    """
    ran_on = set(facts.attempts["host"].dropna())
    suspects = [one for one in nodes.suspects if one.host in ran_on and _in_time(facts, one)]
    blamed, untold = _copies(facts, left_out)
    # Where the node that could not read is at fault, the ones that wrote are not.
    not_its = left_out.union(untold, *(one.attempts for one in blamed if one.reads))
    explained = [one.host for one in suspects if _is_explained(facts, one, not_its)]
    told = [_finding(facts, one, not_its) for one in suspects if one.host not in explained]
    # A node that may be sick and has done the job no harm is not what is wrong with the job.
    harmless = [one for one in told if not one.seconds and one.confidence == "possible"]
    # First what Hadoop itself says of a node: a full disk tells more than attempts that fail.
    findings = [*_failures(facts, left_out), *(one for one in told if one not in harmless)]
    findings += _alone(facts, left_out, {one.host for one in nodes.suspects})
    findings += _of_master(facts, nodes)
    remarks = [*_harmless(harmless), *_explained(explained)]
    if untold:
        remarks.append(
            f"the output of {len(untold):,} attempts could not be copied, and it is not known"
            " whether the node that wrote it or the one that read it is at fault"
        )
    looks = [look for look in nodes.looks if not _of_another(look, facts.job.id)]
    remarks += _withheld(looks)
    if findings:
        order = sorted(findings, key=lambda one: _SURENESS.index(one.confidence))
        step = _step(facts, order[0], nodes.command)
        return Branch("node", "fires", tuple(order), left_out=tuple(remarks), step=step)
    judged = {
        node.host for look in looks for node in look.comparison.nodes if node.indicted is not None
    } & ran_on
    why_not = _why_not(looks, ran_on)
    if why_not is not None or len(judged) * 2 <= len(ran_on):
        withheld = next((x for x in looks if x.comparison.withheld is not None), None)
        more = f": {withheld.comparison.withheld}" if withheld is not None else ""
        return Branch(
            "node",
            "cannot tell",
            why=why_not
            or f"{len(judged):,} of the {len(ran_on):,} nodes of the job could be compared{more}",
            left_out=tuple(remarks),
            step=NextStep(
                "Import logs and metrics of all nodes for the time of the job, then triage it"
                " again.",
                f"mprof import WHAT --store {facts.store_named or 'DIR'}",
            ),
        )
    ways = sum(look.comparison.withheld is None for look in looks)
    return Branch(
        "node",
        "silent",
        why=f"{len(judged):,} of the {len(ran_on):,} nodes of the job were compared in {ways:,}"
        f" {'way' if ways == 1 else 'ways'}, and none differs from its peers"
        f"{' that did the job harm' if harmless or explained else ''}",
        left_out=tuple(remarks),
    )


def _in_time(facts: JobFacts, suspect: Suspect) -> bool:
    """Whether the node was in alarm while the job ran, as far as its alarms have a time."""
    began_s = float(facts.attempts["started_s"].min())
    early = suspect.since_s is not None and (suspect.until_s or suspect.since_s) < began_s
    late = suspect.since_s is not None and suspect.since_s > facts.last_s
    return not early and not late


def _of_another(look: Look, job: str) -> bool:
    """Whether a comparison is of the attempts of another job alone."""
    return look.of == "attempts" and "job_" in look.evidence and job not in look.evidence


def _is_explained(facts: JobFacts, suspect: Suspect, left_out: frozenset[str]) -> bool:
    """Whether what attempts show of a node is told otherwise, and nothing else shows it."""
    mine = facts.attempts.loc[facts.attempts["host"] == suspect.host, "attempt"]
    if any(look.of != "attempts" for look, _ in suspect.looks) or not mine.isin(left_out).any():
        return False
    cost_s, spent_s = _cost(facts, suspect.host, left_out)
    return cost_s <= COST.value * spent_s


def _finding(facts: JobFacts, suspect: Suspect, left_out: frozenset[str]) -> Finding:
    cost_s, spent_s = _cost(facts, suspect.host, left_out)
    harmed = cost_s > COST.value * spent_s
    cost = (
        f" The job's attempts there took {cost_s:,.0f} s longer than those elsewhere,"
        f" {cost_s / spent_s:.0%} of their {spent_s:,.0f} s."
        if harmed
        else " The job's attempts there took no longer than those elsewhere."
    )
    return Finding(
        id="sick_node",
        sentence=f"{_differs(suspect)}.{cost}",
        confidence=suspect.confidence if harmed else _WEAKER[suspect.confidence],
        seconds=cost_s if harmed else 0.0,
        hosts=(suspect.host,),
        attempts=tuple(facts.attempts.loc[facts.attempts["host"] == suspect.host, "attempt"]),
        figures=(
            *_figures(suspect),
            Figure("time beyond that of attempts elsewhere", cost_s, "s"),
        ),
        since_s=suspect.since_s,
        until_s=suspect.until_s,
    )


def _differs(suspect: Suspect) -> str:
    """What is told of a node, in the words of each command that names it."""
    others = len(suspect.looks) - 1
    more = f", and in {others} more {'way' if others == 1 else 'ways'}" if others else ""
    what = _what(*suspect.looks[0])
    return f"{suspect.host} differs from its peers ({suspect.confidence}): {what}{more}"


def _what(look: Look, node: NodeStanding) -> str:
    where = f"({look.comparison.detector}, {look.evidence})"
    if not node.observations:
        return f"it was in alarm repeatedly {where}"
    one = node.observations[0]
    if one.unit == "at least":
        return f"{one.own:.0f} {one.what}, where its peers have {one.peers:.0f} or more {where}"
    return f"{one.what} {one.own:,.3g} {one.unit}, its peers {one.peers:,.3g} {one.unit} {where}"


def _figures(suspect: Suspect) -> Iterator[Figure]:
    for _, standing in suspect.looks:
        for each in standing.observations[:2]:
            yield Figure(each.what, each.own, each.unit, each.peers)


def _cost(facts: JobFacts, host: str, left_out: frozenset[str]) -> tuple[float, float]:
    """Time beyond that of median attempts elsewhere, and the time spent there; seconds.

    The time of an attempt that failed is lost; where attempts fail elsewhere too, it is no node's.
    """
    rows = facts.attempts[~facts.attempts["attempt"].isin(left_out)]
    beyond_s = spent_s = 0.0
    for kind in ("map", "reduce"):
        of_kind = rows[(rows["kind"] == kind) & rows["seconds"].notna()]
        here = of_kind[of_kind["host"] == host]
        elsewhere = of_kind[of_kind["host"] != host]
        if here.empty or elsewhere.empty:
            continue
        usual_s = elsewhere.loc[elsewhere["state"] == "succeeded", "seconds"].median()
        has_failed = here["state"] == "failed"
        fails_elsewhere = float((elsewhere["state"] == "failed").mean())
        if fails_elsewhere <= MOST_FAILED_ELSEWHERE.value * float(has_failed.mean()):
            beyond_s += float(here.loc[has_failed, "seconds"].sum())
        # NaN where none succeeded elsewhere, which adds nothing.
        beyond_s += float((here.loc[~has_failed, "seconds"] - usual_s).sum())
        spent_s += float(here["seconds"].sum())
    return max(beyond_s, 0.0), spent_s


def _failures(facts: JobFacts, left_out: frozenset[str]) -> Iterator[Finding]:
    """Nodes on which attempts failed by what Hadoop blames on them, or failed there alone."""
    rows = facts.attempts[
        facts.attempts["attempt"].isin(facts.failures) & facts.attempts["host"].notna()
    ]
    rows = rows[~rows["attempt"].isin(left_out)]
    by_node = {each for each, failure in facts.failures.items() if failure.kind == "node"}
    blamed = rows[rows["attempt"].isin(by_node)]
    copied = {each for each in by_node if facts.failures[each].reported_from is not None}
    yield from _not_copied(facts, left_out)
    for host, mine in blamed[~blamed["attempt"].isin(copied)].groupby("host", sort=False):
        said = sorted({facts.failures[str(each)].signature for each in mine["attempt"]})
        noun = "attempt" if len(mine) == 1 else "attempts"
        yield _failed(
            facts, str(host), mine, "failures_of_the_node",
            f"{len(mine):,} {noun} on {host} failed because {' and '.join(said)}."
            f" {facts.failures[str(mine['attempt'].iloc[0])].quoted}",
            _by_number(len(mine)),
        )  # fmt: skip


def _by_number(failures: int) -> Confidence:
    return "likely" if failures >= FEWEST_FAILURES.value else "possible"


def _copies(
    facts: JobFacts, left_out: frozenset[str]
) -> tuple[tuple[Blamed, ...], tuple[str, ...]]:
    """Nodes that failed copies of map outputs have in common, and the attempts of no such node."""
    names = facts.store.host_names()
    hosts = dict(facts.attempts.set_index("attempt")["host"].dropna())
    judged = hosts.keys() - left_out
    return blamed_for_copies(
        (attempt, hosts[attempt], names.get(failure.reported_from, failure.reported_from))
        for attempt, failure in facts.failures.items()
        if failure.reported_from is not None and attempt in judged
    )


def _not_copied(facts: JobFacts, left_out: frozenset[str]) -> Iterator[Finding]:
    nodes, _ = _copies(facts, left_out)
    for one in nodes:
        count = f"{len(one.attempts):,} attempt{'s'[: len(one.attempts) > 1]}"
        sentence = (
            f"{one.host} could not copy the output of {count} from {len(one.others):,} other nodes,"
            " and Hadoop failed these."
            if one.reads
            else f"{count} on {one.host} failed because {len(one.others):,} other nodes could not"
            " copy the output."
        )
        rows = facts.attempts[facts.attempts["attempt"].isin(one.attempts)]
        yield _failed(
            facts, one.host, rows, "copies_that_failed", sentence, _by_number(len(rows))
        )  # fmt: skip


def _alone(facts: JobFacts, left_out: frozenset[str], named: Iterable[str]) -> Iterator[Finding]:
    """Nodes that are indicted by the ends of the job's attempts alone, and not by all jobs'."""
    rows = facts.attempts[~facts.attempts["attempt"].isin(left_out)]
    blamed = {each for each, failure in facts.failures.items() if failure.kind == "node"}
    for node in compare_ends(rows[~rows["attempt"].isin(blamed)]).nodes:
        if not node.indicted or node.host in named:
            continue
        lasted_s = (node.until_s or 0.0) - (node.since_s or 0.0)
        one = node.observations[0]
        mine = rows[(rows["host"] == node.host) & (rows["state"] != "succeeded")]
        yield _failed(
            facts, node.host, mine, "failures_on_one_node",
            f"{node.host} differs from the other nodes of this job: {one.what} {one.own:,.3g}"
            f" {one.unit}, its peers {one.peers:,.3g} {one.unit}.",
            confidence(views=1, score=node.score, lasted_s=lasted_s, comparisons=1),
        )  # fmt: skip


def _failed(
    facts: JobFacts, host: str, rows: pd.DataFrame, id_: str, sentence: str, sure: Confidence
) -> Finding:
    lost = bool(set(rows["task"]) & facts.lost_tasks) and facts.job.has_failed
    return Finding(
        id=id_,
        sentence=sentence,
        confidence=sure,
        ended_job=lost,
        seconds=float(rows["seconds"].sum()),
        hosts=(host,),
        attempts=tuple(rows["attempt"]),
        figures=(Figure("failed attempts on the node", len(rows), "attempts"),),
    )


def _of_master(facts: JobFacts, nodes: Nodes) -> Iterator[Finding]:
    """The master, where it was late for most nodes while the job ran."""
    began_s = float(facts.attempts["started_s"].min())
    for look in nodes.looks:
        master = look.comparison.master
        if master is None or not master.alarm:
            continue
        early = master.until_s is not None and master.until_s + WINDOW.value < began_s
        late = master.since_s is not None and master.since_s > facts.last_s
        if early or late:
            continue
        yield Finding(
            id="late_master",
            sentence=f"The master answered {master.rate:.0%} of the nodes late"
            f" ({look.comparison.detector}, {look.evidence}).",
            confidence="possible",
            figures=(Figure("share of the nodes", master.rate, "share"),),
        )


def _harmless(findings: Sequence[Finding]) -> Iterator[str]:
    if len(findings) <= _MOST_NAMED:
        yield from (one.sentence.rstrip(".") for one in findings)
        return
    names = ", ".join(one.hosts[0] for one in findings[:_MOST_NAMED])
    yield (
        f"{len(findings):,} nodes differ from their peers, and the job's attempts there took no"
        f" longer than those elsewhere: {names} and {len(findings) - _MOST_NAMED:,} more"
    )


def _explained(hosts: Sequence[str]) -> Iterator[str]:
    if hosts:
        yield (
            f"{', '.join(hosts)} {'differ' if len(hosts) > 1 else 'differs'} from other nodes, but"
            " for the job's attempts there is another explanation: memory, an error that also"
            " occurred elsewhere, another node that could not read, or far more data"
        )


def _withheld(looks: Iterable[Look]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for look in looks:
        if look.comparison.asked and look.comparison.withheld is not None:
            reasons.setdefault(look.comparison.withheld, []).append(look.evidence)
    for reason, names in reasons.items():
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        yield f"withheld: {names[0]}{more}: {reason}"


def _why_not(looks: Iterable[Look], ran_on: set[str]) -> str | None:
    """Why nothing can be said of the nodes; None where something can."""
    if len(ran_on) < 2:
        where = "one node" if ran_on else "no node that is known"
        return f"the job ran on {where}, so there are no peers to compare it with"
    for look in looks:
        if look.comparison.disputed:
            return f"{look.evidence}: {look.comparison.withheld}"
        for node in look.comparison.nodes:
            if node.indicted is None and node.score > 1 and node.host in ran_on:
                return f"{look.evidence}: {node.why_not}"
    return None


def _step(facts: JobFacts, first: Finding, command: str) -> NextStep:
    """Where the first finding leads: no command names a node that only Hadoop blames."""
    host = first.hosts[0] if first.hosts else "the master"
    if first.id in {"sick_node", "late_master"}:
        text = f"See since when and in what {host} differs, and have its administrator look at it."
        return NextStep(text, command)
    if first.id == "failures_on_one_node":
        text = f"See what failed on {host}, and have its administrator look at it."
        return NextStep(text, f"{facts.nodes_command} {facts.job.id}")
    return NextStep(
        f"Have the administrator of {host} look at it; the logs of its attempts show their errors.",
        facts.logs_command,
    )
