"""Data skew: a few tasks have far more data than the others, and take far longer.

For one job, the counters of its tasks show this; for all jobs of a cluster, the bytes that their
tasks read and wrote. Uneven data that costs no time is not a problem, and a task that takes long
without having more data is not slow because of its data. Theia looks at nodes instead (figures 9
and 12), where one large task among many small ones on a node does not show.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import median_abs_deviation, norm

from mprof.evidence import Distribution
from mprof.patterns.fences import compare_with_fence
from mprof.patterns.skew import gini
from mprof.threshold import Threshold
from mprof.triage.answer import Branch, Figure, Finding, NextStep
from mprof.triage.facts import MEASURES, JobFacts
from mprof.units import format_bytes, format_count

__all__ = ["LARGE", "THRESHOLDS", "large_attempts", "skew_branch", "skewed_jobs"]

LARGE: Final = Threshold(
    "triage.large-task", 2.0, "times the median of the other tasks",
    "the phase takes twice as long as the other tasks, because it waits for a task with twice the"
    " data",
)  # fmt: skip

STARK: Final = Threshold(
    "triage.stark-task", 4.0, "times the median of the other tasks",
    "used if there are fewer tasks than a fence needs: nobody would call such a task usual",
)  # fmt: skip

FEWEST: Final = Threshold(
    "triage.fewest-tasks", 3, "tasks of one kind", "of two that differ neither is the usual one",
)  # fmt: skip

COINCIDENCE: Final = Threshold(
    "triage.coincidence", 0.01, "tasks of a store that are so large and so long by chance",
    "among a hundred thousand tasks with lognormal sizes and times, one has twice the data and"
    " takes twice as long although nothing is wrong with its job",
)  # fmt: skip

SPREAD_OF: Final = Threshold(
    "triage.spread-of", 20, "tasks", "with fewer, the spread of the others is not known"
)  # fmt: skip

THRESHOLDS: Final = (LARGE, STARK, FEWEST, COINCIDENCE, SPREAD_OF)

_IN_WORDS: Final = {
    "input_bytes": "of input",
    "MAP_INPUT_RECORDS": "input records",
    "MAP_OUTPUT_BYTES": "of map output",
    "MAP_OUTPUT_RECORDS": "records of map output",
    "REDUCE_SHUFFLE_BYTES": "of map output",
    "REDUCE_INPUT_RECORDS": "input records",
    "volume": "read and written",
}
_VOLUME: Final[Mapping[str, str]] = {"volume": "B"}
_MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class _Large:
    """A task with more data than the others."""

    attempt: str
    host: str | None
    measure: str
    size: float
    usual: float
    seconds: float
    usual_seconds: float
    is_long: bool
    certain: bool


def skew_branch(facts: JobFacts) -> Branch:
    """Whether a few tasks have far more data than the others and take far longer."""
    findings, remarks, compared = [], [], 0
    for kind in MEASURES:
        rows = facts.succeeded(kind)
        measured = [name for name in MEASURES[kind] if rows[name].notna().any()]
        if len(rows) < FEWEST.value or not measured:
            if len(rows):
                remarks.append(_not_compared(kind, rows, measured))
            continue
        compared += len(rows)
        large = _large_tasks(rows, MEASURES[kind])
        if any(one.is_long for one in large):
            findings.append(_finding([one for one in large if one.is_long], rows, MEASURES[kind]))
        elif large:
            remarks.append(_harmless(kind, large))
    if findings:
        order = sorted(findings, key=lambda one: -(one.seconds or 0))
        return Branch(
            "data skew", "fires", tuple(order), left_out=tuple(remarks), step=_step(order)
        )
    if not compared:
        why = "; ".join(remarks) or "no task succeeded, so none is known to have had all its data"
        return Branch(
            "data skew",
            "cannot tell",
            why=why,
            step=NextStep(
                "A run with the agent counts the records and keys of each partition.",
                "mprof run -o CAPTURE -- hadoop jar ...",
            ),
        )
    noun = "tasks" if compared > 1 else "task"
    return Branch(
        "data skew",
        "silent",
        why=f"of the {compared:,} {noun} that succeeded, none has far more data than the others and"
        " takes far longer",
        left_out=tuple(remarks),
    )


def large_attempts(facts: JobFacts) -> frozenset[str]:
    """Attempts that have far more data than their like, whether or not they take longer.

    How long these take says nothing of their node.
    """
    return frozenset(
        one.attempt
        for kind, measures in MEASURES.items()
        for one in _large_tasks(facts.succeeded(kind), measures)
    )


def skewed_jobs(attempts: pd.DataFrame) -> Iterator[Finding]:
    """The jobs of a cluster that have such tasks.

    Cost: a few passes over the attempts, and one over those of each job with a large task.

    Args:
        attempts: of map and reduce tasks, each once; the columns of the store's table.
    """
    rows = attempts[(attempts["state"] == "succeeded") & attempts["attempt"].notna()]
    volume = rows["read_bytes"].astype("float64").add(
        rows["written_bytes"].astype("float64"), fill_value=0
    )  # fmt: skip
    rows = rows.assign(volume=volume, seconds=rows["finished_s"] - rows["started_s"])
    # A task that is no longer than others is harmless: jobs without a long one are passed over.
    measured = rows.assign(seconds=rows["seconds"].where(rows["volume"].notna()))
    usual = measured.groupby(["job", "kind"])[["volume", "seconds"]].transform("median")
    is_large = rows["volume"] > LARGE.value * usual["volume"]
    is_large &= rows["seconds"] > min(LARGE.value, STARK.value) * usual["seconds"]
    large = rows.loc[is_large, ["job", "kind"]].drop_duplicates()
    looked_at = int(rows["volume"].notna().sum())
    for _, of_job in rows.merge(large, on=["job", "kind"]).groupby(["job", "kind"], sort=False):
        found = [
            one for one in _large_tasks(of_job, _VOLUME)
            if one.is_long and not _may_be_chance(one, of_job, looked_at)
        ]  # fmt: skip
        if found:
            yield _finding(found, of_job, _VOLUME)


def _may_be_chance(one: _Large, rows: pd.DataFrame, looked_at: int) -> bool:
    """Whether so many tasks have one that is so large and so long though nothing makes it so.

    Sizes and times of tasks that do the same are about lognormal; what they are usually, and how
    far they spread, is told by the median and the median distance from it, which a few large tasks
    do not move. Nobody can tell where too few tasks say how they spread.
    """
    others = rows[rows["attempt"] != one.attempt]
    sizes = np.log(others["volume"][others["volume"] > 0].to_numpy(dtype=np.float64))
    seconds = np.log(others["seconds"][others["seconds"] > 0].to_numpy(dtype=np.float64))
    if min(len(sizes), len(seconds)) < SPREAD_OF.value or one.seconds <= 0:
        return False
    both = _chance_of(math.log(one.size), sizes) * _chance_of(math.log(one.seconds), seconds)
    return both * looked_at > COINCIDENCE.value


def _chance_of(value: float, others: NDArray[np.float64]) -> float:
    """That one more of the others is so large or larger."""
    spread = float(median_abs_deviation(others, scale="normal"))
    return float(norm.sf(value, np.median(others), spread)) if spread else 0.0


def _large_tasks(rows: pd.DataFrame, measures: Mapping[str, str]) -> list[_Large]:
    """Tasks that stand above the others in some measure, the largest first."""
    if len(rows) < FEWEST.value:
        return []
    found: dict[str, _Large] = {}
    for measure in measures:
        for one in _large_in(rows[rows[measure].notna()], measure):
            before = found.get(one.attempt)
            if before is None or one.size / one.usual > before.size / before.usual:
                found[one.attempt] = one
    return sorted(found.values(), key=lambda one: -one.size / one.usual)


def _large_in(rows: pd.DataFrame, measure: str) -> Iterator[_Large]:
    if len(rows) < FEWEST.value:
        return
    usual_size, usual_seconds = float(rows[measure].median()), float(rows["seconds"].median())
    candidates = rows[rows[measure] > LARGE.value * usual_size]
    others = rows.drop(candidates.index)
    if usual_size <= 0 or others.empty:
        return
    sizes = Distribution.of(others[measure].astype(float))
    seconds = Distribution.of(others["seconds"].dropna().astype(float))
    columns = (candidates[name] for name in ("attempt", "host", measure, "seconds"))
    for attempt, host, size, took in zip(*columns, strict=True):
        stands = compare_with_fence(size, sizes).stands
        certain = stands == "above"
        if stands == "below" or (not certain and size <= STARK.value * usual_size):
            continue
        late = compare_with_fence(took, seconds).stands
        far = LARGE.value if late == "above" else STARK.value
        yield _Large(
            attempt=str(attempt),
            host=host if isinstance(host, str) else None,
            measure=measure,
            size=float(size),
            usual=usual_size,
            seconds=float(took),
            usual_seconds=usual_seconds,
            is_long=late != "below" and took > far * usual_seconds,
            certain=certain,
        )


def _finding(large: list[_Large], rows: pd.DataFrame, measures: Mapping[str, str]) -> Finding:
    worst, kind = large[0], str(rows["kind"].iloc[0])
    count, total = len(large), float(rows[worst.measure].sum())
    share = sum(one.size for one in large if one.measure == worst.measure) / total
    names = {one.attempt for one in large}
    is_large = rows["attempt"].isin(names)
    others = rows[~is_large]
    waited_s = float(rows["finished_s"].max() - others["finished_s"].max())
    index = gini([float(each) for each in rows[worst.measure].fillna(0)])
    verb = "has" if count == 1 else "have"
    waits = f"; the phase waited {waited_s:,.0f} s for {'it' if count == 1 else 'them'}"
    sentence = (
        f"{count:,} of {len(rows):,} {kind} tasks {verb} {share:.0%} of the data:"
        f" {_size(worst)} {_IN_WORDS[worst.measure]} in {worst.attempt}, where the median task has"
        f" {_size(worst, usual=True)}. It took {worst.seconds:,.0f} s, the median"
        f" {worst.usual_seconds:,.0f} s{waits if waited_s > 0 else ''}."
    )
    return Finding(
        id=f"large_{kind}_tasks",
        sentence=sentence,
        confidence="sure" if all(one.certain for one in large) else "likely",
        seconds=sum(one.seconds - one.usual_seconds for one in large),
        hosts=tuple(dict.fromkeys(one.host for one in large if one.host is not None)),
        attempts=tuple(one.attempt for one in large),
        figures=(
            Figure("largest task", worst.size, measures[worst.measure], worst.usual),
            Figure("its duration", worst.seconds, "s", worst.usual_seconds),
            Figure("share of the data in large tasks", share, "share"),
            Figure("time that the phase waited for them", max(waited_s, 0.0), "s"),
            Figure("unevenness of the tasks", index, "Gini index"),
        ),
        job=str(rows["job"].iloc[0]),
        kind=kind,
        since_s=float(rows.loc[is_large, "started_s"].min()),
        until_s=float(rows.loc[is_large, "finished_s"].max()),
    )


def _harmless(kind: str, large: list[_Large]) -> str:
    worst = large[0]
    return (
        f"{len(large):,} {kind} {'task has' if len(large) == 1 else 'tasks have'} far more data"
        f" ({worst.attempt} {_size(worst)} {_IN_WORDS[worst.measure]}, the median"
        f" {_size(worst, usual=True)}) and took no longer for it"
    )


def _not_compared(kind: str, rows: pd.DataFrame, measured: list[str]) -> str:
    if not measured:
        return f"there are no counters that say how much data the {kind} tasks had"
    count = f"{len(rows):,} {kind} {'task' if len(rows) == 1 else 'tasks'}"
    return f"{count} succeeded: too few to say what is usual"


def _size(one: _Large, *, usual: bool = False) -> str:
    size = one.usual if usual else one.size
    is_bytes = one.measure.lower().endswith(("bytes", "volume"))
    return format_bytes(size) if is_bytes else format_count(size)


def _step(findings: list[Finding]) -> NextStep:
    names = {one.id for one in findings[:_MOST_NAMED]}
    if "large_reduce_tasks" in names:
        return NextStep(
            "A run with the agent names the largest groups and their keys' digests: divide a key"
            " that is too large, or partition by more of it.",
            "mprof run -o CAPTURE -- hadoop jar ...",
        )
    return NextStep(
        "Split the input more evenly: files that cannot be split, such as gzip, make one task each;"
        " a run with the agent counts the records of each.",
        "mprof run -o CAPTURE -- hadoop jar ...",
    )
