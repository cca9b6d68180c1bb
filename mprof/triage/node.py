"""The node: a machine on which the job's attempts fared worse than elsewhere, or failed alone.

Every detector of `mprof.peers` is asked about the job's own attempts, and about all that the store
has of the time around it: other jobs, blocks, heartbeats, metrics; a node that differs there counts
if it was in alarm while the job ran. What is known to be no fault of a machine is left out before:
attempts that ran out of memory, that failed with an error met on other nodes too, and those with
far more data than their like. A node that may be sick, and on which the job's attempts took no
longer than elsewhere, is a remark.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd
from scipy.stats import binom

from mprof.patterns import Confidence
from mprof.peers import NodeStanding
from mprof.peers.calibration.values import NOTHING_SET, Calibration
from mprof.peers.comparison import Look
from mprof.peers.detectors.hb_delay import WINDOW
from mprof.peers.findings import NodeFindings, NothingComparedError, Suspect, find_sick_nodes
from mprof.pieces import Engine
from mprof.signatures import evidence_of
from mprof.store import Scope, Store
from mprof.threshold import Threshold
from mprof.triage.copies import Blamed, blamed_for_copies
from mprof.triage.facts import JobFacts
from mprof.triage.model import Branch, Figure, Finding, NextStep

__all__ = ["THRESHOLDS", "Comparing", "NodeEvidence", "look_at_job", "node_branch"]

CHANCE: Final = Threshold(
    "triage.chance", 0.01, "chance of so many failures on one node, if all were alike",
    "one job in a hundred with failures that have nothing to do with a node then names one",
    most=1.0,
)  # fmt: skip

FEWEST_FAILURES: Final = Threshold(
    "triage.fewest-failures", 3, "failed attempts of tasks that succeeded elsewhere",
    "Hadoop itself gives up on a node after three (mapreduce.job.maxtaskfailures.per.tracker)",
)  # fmt: skip

COST: Final = Threshold(
    "triage.cost-of-a-node", 0.1, "share of the time of the job's attempts on that node",
    "nodes of one model differ by as much; below it the node may be sick and has not hurt this job",
)  # fmt: skip

AROUND: Final = Threshold(
    "triage.around", 300.0, "s before and after the job",
    "most jobs are shorter than the two minutes of metrics that bb-window compares again and again"
    " before it indicts; what is indicted counts if it was in alarm while the job ran",
)  # fmt: skip

THRESHOLDS: Final = (CHANCE, FEWEST_FAILURES, COST, AROUND)

_WEAKER: Final[dict[Confidence, Confidence]] = {
    "sure": "likely", "likely": "possible", "possible": "possible",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparing:
    """How nodes are compared.

    Attributes:
        calibration: thresholds, profiles and a tree of the cluster's own runs.
        engine: what compares pieces of the tables; this process where None.
    """

    calibration: Calibration = NOTHING_SET
    engine: Engine | None = None


_AS_IT_COMES: Final = Comparing()


@dataclass(frozen=True, slots=True, eq=False)
class NodeEvidence:
    """What the comparison of nodes says, for one job.

    Attributes:
        looks: every comparison of the job's attempts, and of all else around its time.
        suspects: nodes that are indicted, and were in alarm in that time, the most suspect first.
        explained: nodes that would be, were it not for the attempts that were left out.
        left_out: ids of these attempts.
    """

    looks: tuple[Look, ...]
    suspects: tuple[Suspect, ...]
    explained: tuple[str, ...]
    left_out: frozenset[str]


def look_at_job(
    facts: JobFacts, left_out: frozenset[str], comparing: Comparing = _AS_IT_COMES
) -> NodeEvidence:
    """Compare the nodes by a job's attempts and by what else is known of its time.

    Args:
        facts: of the job.
        left_out: attempts whose failure, or duration, is known to be no fault of a node.
        comparing: how it is done.
    """
    found = _found_around(facts, left_out, comparing)
    named = _named(facts, found)
    explained: tuple[str, ...] = ()
    if left_out:
        hosts = {one.host for one in named}
        with_all = _named(facts, _found_around(facts, frozenset(), comparing))
        explained = tuple(one.host for one in with_all if one.host not in hosts)
    looks = {
        (look.comparison.detector, look.evidence, look.island): look
        for each in reversed(found)
        for look in each.looks
    }
    return NodeEvidence(tuple(looks.values()), named, explained, left_out)


def node_branch(facts: JobFacts, evidence: NodeEvidence) -> Branch:
    """Whether a node is sick on which the job ran, and what that cost the job."""
    ran_on = set(facts.attempts["host"].dropna())
    told = [_finding(facts, one, evidence) for one in evidence.suspects if one.host in ran_on]
    # A node that may be sick and has done the job no harm is not what is wrong with the job.
    harmless = [one for one in told if not one.seconds and one.confidence == "possible"]
    findings = [one for one in told if one not in harmless]
    findings += _failures(facts, evidence.left_out)
    findings += _of_all_jobs(facts)
    findings += _of_master(facts, evidence)
    remarks = [one.sentence.rstrip(".") for one in harmless]
    _, untold = _copies(facts, evidence.left_out)
    if untold:
        remarks.append(
            f"the output of {len(untold):,} attempts could not be copied, and whether the node that"
            " wrote it or the one that read it is at fault cannot be told"
        )
    remarks += _remarks(facts.job.id, evidence, ran_on)
    if findings:
        order = sorted(findings, key=lambda one: _RANK[one.confidence])
        return Branch(
            "node", "fires", tuple(order), left_out=tuple(remarks), step=_step(facts, order)
        )
    judged = {
        node.host
        for look in evidence.looks
        for node in look.comparison.nodes
        if node.indicted is not None
    } & ran_on
    is_open = any(look.comparison.is_open for look in evidence.looks)
    if is_open or len(judged) * 2 <= len(ran_on) or len(ran_on) < 2:
        return Branch(
            "node",
            "cannot tell",
            why=_why_not(evidence, ran_on, judged),
            left_out=tuple(remarks),
            step=NextStep(
                "Logs and metrics of all nodes for the time of the job would tell; then triage it"
                " again.",
                f"mprof import WHAT --store {facts.store_named or 'DIR'}",
            ),
        )
    compared = sum(look.comparison.withheld is None for look in evidence.looks)
    return Branch(
        "node",
        "silent",
        why=f"{len(judged):,} of the {len(ran_on):,} nodes of the job were compared in {compared:,}"
        f" {'way' if compared == 1 else 'ways'}, and none differs from its peers"
        f"{' that did the job harm' if harmless else ''}",
        left_out=tuple(remarks),
    )


_RANK: Final[dict[Confidence, int]] = {"sure": 0, "likely": 1, "possible": 2}


def _found_around(
    facts: JobFacts, left_out: frozenset[str], comparing: Comparing
) -> tuple[NodeFindings, ...]:
    """What the time around the job says of the nodes, and what its own attempts do."""
    began_s = float(facts.attempts["started_s"].min())
    window = Scope(began_s - AROUND.value, facts.last_s + AROUND.value, without_attempts=left_out)
    own = Scope(without_attempts=left_out)
    alone = _found(facts.store, facts.job.id, own, comparing)
    around = None if math.isnan(began_s) else _found(facts.store, None, window, comparing)
    return tuple(each for each in (around, alone) if each is not None)


def _named(facts: JobFacts, found: Sequence[NodeFindings]) -> tuple[Suspect, ...]:
    """Each node that is indicted once, and was in alarm while the job ran.

    The time around the job has its attempts, too: what they show is no second view of a node.
    """
    began_s = float(facts.attempts["started_s"].min())
    named: dict[str, Suspect] = {}
    for one in (each for part in found for each in part.suspects):
        early = one.since_s is not None and (one.until_s or one.since_s) < began_s
        late = one.since_s is not None and one.since_s > facts.last_s
        if not early and not late:
            named.setdefault(one.host, one)
    return tuple(named.values())


def _found(
    store: Store, job: str | None, scope: Scope, comparing: Comparing
) -> NodeFindings | None:
    try:
        return find_sick_nodes(
            store,
            job=job,
            scope=scope,
            calibration=comparing.calibration,
            engine=comparing.engine,
        )
    except NothingComparedError:
        return None


def _finding(facts: JobFacts, suspect: Suspect, evidence: NodeEvidence) -> Finding:
    cost_s, spent_s = _cost(facts, suspect.host, evidence.left_out)
    harmed = cost_s > COST.value * spent_s
    look, node = suspect.looks[0]
    what = _differs(node)
    others = len(suspect.looks) - 1
    more = f", and in {others} more {'way' if others == 1 else 'ways'}" if others else ""
    cost = (
        f" The job's attempts there took {cost_s:,.0f} s longer than those elsewhere,"
        f" {cost_s / spent_s:.0%} of their {spent_s:,.0f} s."
        if harmed
        else " The job's attempts there took no longer than those elsewhere."
    )
    return Finding(
        id="sick_node",
        sentence=f"{suspect.host} differs from its peers: {what}"
        f" ({look.comparison.detector}, {look.evidence}){more}.{cost}",
        confidence=suspect.confidence if harmed else _WEAKER[suspect.confidence],
        seconds=cost_s if harmed else 0.0,
        hosts=(suspect.host,),
        attempts=tuple(facts.attempts.loc[facts.attempts["host"] == suspect.host, "attempt"]),
        figures=(
            *(
                Figure(each.what, each.own, each.unit, each.peers)
                for _, standing in suspect.looks
                for each in standing.observations[:2]
            ),
            Figure("time beyond that of attempts elsewhere", cost_s, "s"),
        ),
    )


def _differs(node: NodeStanding) -> str:
    if not node.observations:
        return "it was in alarm again and again"
    one = node.observations[0]
    if one.unit == "at least":
        return f"{one.own:.0f} {one.what}, where its peers have {one.peers:.0f} or more"
    return f"{one.what} {one.own:,.3g} {one.unit}, its peers {one.peers:,.3g} {one.unit}"


def _cost(facts: JobFacts, host: str, left_out: frozenset[str]) -> tuple[float, float]:
    """Time beyond that of median attempts elsewhere, and the time spent there; seconds."""
    rows = facts.attempts[~facts.attempts["attempt"].isin(left_out)]
    beyond_s = spent_s = 0.0
    for kind in ("map", "reduce"):
        elsewhere = rows[
            (rows["kind"] == kind) & (rows["host"] != host) & (rows["state"] == "succeeded")
        ]["seconds"]
        own = rows[(rows["kind"] == kind) & (rows["host"] == host)]["seconds"].dropna()
        if elsewhere.dropna().empty:
            continue
        beyond_s += float((own - elsewhere.median()).sum())
        spent_s += float(own.sum())
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
    yield from _alone(facts, rows.drop(blamed.index))


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


def _alone(facts: JobFacts, rows: pd.DataFrame) -> Iterator[Finding]:
    """The node that has more failures than chance gives it, of tasks that succeeded elsewhere."""
    rows = rows[(rows["state"] == "failed") & ~rows["task"].isin(facts.lost_tasks)]
    counts = rows["host"].value_counts()
    if counts.empty or counts.iloc[0] < FEWEST_FAILURES.value or facts.job.hosts < 2:
        return
    host, count, total = str(counts.index[0]), int(counts.iloc[0]), len(rows)
    share = float((facts.attempts["host"] == host).mean())
    chance = float(binom.sf(count - 1, total, share)) * facts.job.hosts
    if chance >= CHANCE.value:
        return
    yield _failed(
        facts, host, rows[rows["host"] == host], "failures_on_one_node",
        f"{count:,} of {total:,} failed attempts were on {host}, which ran {share:.0%} of all, and"
        " their tasks succeeded elsewhere.",
        "likely",
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


def _of_all_jobs(facts: JobFacts) -> Iterator[Finding]:
    """Theia's signature: machines that fare badly with the jobs of several users."""
    for one in facts.signatures:
        if one.kind == "infrastructure" and one.verdict == "fires":
            where = f"rack {one.rack}" if one.rack is not None else one.hosts[0]
            yield Finding(
                id=f"fares_badly.{one.pattern}",
                sentence=f"On {where}, {evidence_of(one)}.",
                confidence="likely",
                hosts=one.hosts,
                figures=tuple(Figure(each.name, each.value, each.unit) for each in one.figures),
            )


def _of_master(facts: JobFacts, evidence: NodeEvidence) -> Iterator[Finding]:
    """The master, where it was late for most nodes while the job ran."""
    began_s = float(facts.attempts["started_s"].min())
    for look in evidence.looks:
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


def _remarks(job: str, evidence: NodeEvidence, ran_on: set[str]) -> Iterator[str]:
    for one in evidence.suspects:
        if one.host not in ran_on:
            yield f"{one.host} differs from its peers, and the job ran nothing on it"
    if evidence.explained:
        yield (
            f"{', '.join(evidence.explained)} would be named for attempts that are explained"
            " otherwise: by memory, by an error met elsewhere too, or by far more data"
        )
    reasons: dict[str, list[str]] = {}
    for look in evidence.looks:
        of_another = look.of == "attempts" and job not in look.evidence
        if look.comparison.asked and look.comparison.withheld is not None and not of_another:
            reasons.setdefault(look.comparison.withheld, []).append(look.evidence)
    for reason, names in reasons.items():
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        yield f"withheld: {names[0]}{more}: {reason}"


def _why_not(evidence: NodeEvidence, ran_on: set[str], judged: set[str]) -> str:
    if len(ran_on) < 2:
        where = "one node" if ran_on else "no node that is known"
        return f"the job ran on {where}, so there are no peers to compare it with"
    for look in evidence.looks:
        if look.comparison.disputed:
            return f"{look.evidence}: {look.comparison.withheld}"
        for node in look.comparison.nodes:
            if node.indicted is None and node.score > 1:
                return f"{look.evidence}: {node.why_not}"
    withheld = next((x for x in evidence.looks if x.comparison.withheld is not None), None)
    why = f": {withheld.comparison.withheld}" if withheld is not None else ""
    return f"{len(judged):,} of the {len(ran_on):,} nodes of the job could be compared{why}"


def _step(facts: JobFacts, findings: Sequence[Finding]) -> NextStep:
    host = next((host for one in findings for host in one.hosts), "the master")
    return NextStep(
        f"See since when and in what {host} differs, and have its administrator look at it.",
        f"mprof nodes {facts.store_named or 'DIR'}",
    )
