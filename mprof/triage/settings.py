"""Settings: what the counters and times of a job show that a property would change.

Only measurements count: each finding is an amount of time or of data in the job's own history.
Whether a container or a heap is too small to run in is a question for the branch *memory*; this one
is about the settings that cost time. The configuration, if it is available, only shows the current
value of a property.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import pandas as pd

from mprof.threshold import Threshold
from mprof.triage.answer import Branch, Figure, Finding, NextStep
from mprof.triage.facts import JobFacts
from mprof.units import MIB

__all__ = ["THRESHOLDS", "settings_branch"]

SPILLS: Final = Threshold(
    "triage.spills", 2.0, "times that the median map wrote each record of its output to disk",
    "once is the minimum; with 2 the sort buffer was full before the end, and everything was read"
    " and written again to be merged",
)  # fmt: skip

COLLECTING: Final = Threshold(
    "triage.collecting", 0.2, "share of the time of the median task spent on collecting garbage",
    "HotSpot's parallel collector aims at 1 % (GCTimeRatio 99); the owner of a job notices a fifth"
    " of the time",
)  # fmt: skip

FEW_REDUCERS: Final = Threshold(
    "triage.few-reducers", 0.5, "reduce tasks for each node that ran maps",
    "with fewer than one for two nodes, half of the cluster that did the maps has nothing to do",
)  # fmt: skip

REDUCING: Final = Threshold(
    "triage.reducing", 0.5, "share of the job's time after its last map",
    "the number of reducers matters if they take most of the time",
)  # fmt: skip

DUPLICATES: Final = Threshold(
    "triage.duplicates", 0.1, "share of the time of all attempts",
    "time of attempts that were wasted because another attempt of their task was faster;"
    " stragglers at the end of a job cost a few percent",
)  # fmt: skip

SHORT_MAP: Final = Threshold(
    "triage.short-map", 5.0, "s that the median map takes",
    "a container and its JVM take a second or more to start, which is a large part of five",
)  # fmt: skip

MAPS_PER_NODE: Final = Threshold(
    "triage.maps-per-node", 20.0, "map tasks for each node that ran any",
    "fewer short maps run at once or in a few waves, and larger splits would leave nodes idle",
)  # fmt: skip

THRESHOLDS: Final = (
    SPILLS, COLLECTING, FEW_REDUCERS, REDUCING, DUPLICATES, SHORT_MAP, MAPS_PER_NODE,
)  # fmt: skip

_META_BYTES: Final = 16  # of a record in the sort buffer: MapTask.METASIZE
_SPILL_PERCENT: Final = 0.8  # mapreduce.map.sort.spill.percent, unless the job sets it
_LARGER_SPLITS: Final = 10


def settings_branch(facts: JobFacts) -> Branch:
    """Which settings cost the job time, as far as its history shows."""
    findings = [
        *_few_reducers(facts),
        *_spills(facts),
        *_collecting(facts),
        *_duplicates(facts),
        *_short_maps(facts),
    ]
    missing = _not_measured(facts)
    if findings:
        order = tuple(sorted(findings, key=lambda one: -(one.seconds or 0)))
        step = _step(facts, order[0])
        return Branch("settings", "fires", order, left_out=missing, step=step)
    if not (facts.attempts["state"] == "succeeded").any():
        why = "no task succeeded, so none shows what the settings cost"
        return Branch("settings", "cannot tell", why=why)
    if len(missing) == len(_NEEDED):
        return Branch("settings", "cannot tell", why="; ".join(missing))
    return Branch(
        "settings",
        "silent",
        why=_little(missing),
        left_out=missing,
    )


def _few_reducers(facts: JobFacts) -> Iterator[Finding]:
    maps, reduces = facts.succeeded("map"), facts.succeeded("reduce")
    nodes = maps["host"].nunique()
    whole_s = facts.job.seconds
    if reduces.empty or maps.empty or not whole_s or facts.job.is_running:
        return
    after_s = float(reduces["finished_s"].max() - maps["finished_s"].max())
    share = after_s / whole_s
    if len(reduces) >= FEW_REDUCERS.value * nodes or share <= REDUCING.value:
        return
    idle_s = after_s * (nodes - len(reduces))
    yield Finding(
        id="few_reducers",
        sentence=(
            f"{len(reduces):,} reduce {'task' if len(reduces) == 1 else 'tasks'} for {nodes:,}"
            f" nodes that ran maps: {share:.0%} of the job's {whole_s:,.0f} s come after its last"
            " map."
        ),
        confidence="likely",
        seconds=idle_s,
        attempts=tuple(reduces["attempt"]),
        figures=(
            Figure("reduce tasks", len(reduces), "tasks"),
            Figure("nodes that ran maps", nodes, "nodes"),
            Figure("share of the time after the last map", share, "share"),
        ),
    )


def _spills(facts: JobFacts) -> Iterator[Finding]:
    maps = facts.succeeded("map")
    known = maps[(maps["MAP_OUTPUT_RECORDS"] > 0) & maps["SPILLED_RECORDS"].notna()]
    # A job without reducers writes its output at once: nothing is spilled.
    if known.empty or facts.of_kind("reduce").empty:
        return
    ratio = float((known["SPILLED_RECORDS"] / known["MAP_OUTPUT_RECORDS"]).median())
    if ratio < SPILLS.value:
        return
    spilled, written = known["SPILLED_RECORDS"].sum(), known["MAP_OUTPUT_RECORDS"].sum()
    yield Finding(
        id="spills",
        sentence=(
            f"The median map wrote each record of its output {ratio:.1f} times to disk:"
            f" {spilled:,.0f} records spilled for {written:,.0f} of output."
        ),
        confidence="possible",
        figures=(Figure("spilled for each record of output", ratio, "times", 1.0),),
    )


def _collecting(facts: JobFacts) -> Iterator[Finding]:
    for kind in ("map", "reduce"):
        rows = facts.succeeded(kind)
        rows = rows[rows["GC_TIME_MILLIS"].notna() & (rows["seconds"] > 0)]
        if rows.empty:
            continue
        seconds = rows["GC_TIME_MILLIS"] / 1000
        share = float((seconds / rows["seconds"]).median())
        if share <= COLLECTING.value:
            continue
        yield Finding(
            id=f"collecting.{kind}",
            sentence=(
                f"The median {kind} task spent {share:.0%} of its time collecting garbage:"
                f" {seconds.sum():,.0f} s in all."
            ),
            confidence="likely",
            seconds=float(seconds.sum()),
            figures=(Figure(f"share of the time of {kind} tasks", share, "share"),),
        )


def _duplicates(facts: JobFacts) -> Iterator[Finding]:
    rows = facts.superseded
    total_s = facts.job.task_seconds
    lost_s = float(rows["seconds"].sum())
    if total_s <= 0 or lost_s <= DUPLICATES.value * total_s:
        return
    yield Finding(
        id="duplicates",
        sentence=(
            f"{len(rows):,} attempts were killed because another attempt of their task succeeded:"
            f" {lost_s:,.0f} s, {lost_s / total_s:.0%} of the time of all attempts."
        ),
        confidence="possible",
        seconds=lost_s,
        hosts=tuple(str(host) for host in rows["host"].dropna().value_counts().index),
        attempts=tuple(rows["attempt"]),
        figures=(Figure("share of the time of all attempts", lost_s / total_s, "share"),),
    )


def _short_maps(facts: JobFacts) -> Iterator[Finding]:
    maps = facts.succeeded("map")
    nodes = maps["host"].nunique()
    if maps.empty or nodes == 0:
        return
    median_s, per_node = float(maps["seconds"].median()), len(maps) / nodes
    if median_s >= SHORT_MAP.value or per_node < MAPS_PER_NODE.value:
        return
    yield Finding(
        id="short_maps",
        sentence=(
            f"{len(maps):,} map tasks take {median_s:,.1f} s in the median, {per_node:,.0f} on each"
            " node: starting them is a large part of it."
        ),
        confidence="possible",
        figures=(
            Figure("median map", median_s, "s"),
            Figure("maps on each node", per_node, "tasks"),
        ),
    )


def _step(facts: JobFacts, finding: Finding) -> NextStep:
    """What would change it; a value where the job's own figures give one."""
    if finding.id == "few_reducers":
        nodes = facts.succeeded("map")["host"].nunique()
        text = "More reduce tasks would share the work: at least one for each of these nodes."
        return _set(facts, text, "mapreduce.job.reduces", f"{nodes}")
    if finding.id == "spills":
        maps = facts.succeeded("map")
        bytes_ = (maps["MAP_OUTPUT_BYTES"] + _META_BYTES * maps["MAP_OUTPUT_RECORDS"]).median()
        text = "A sort buffer that holds the output of a map would write it once; it is taken from"
        text = f"{text} the heap of the map task, so that may have to grow with it."
        needed = None if pd.isna(bytes_) else f"{math.ceil(bytes_ / _SPILL_PERCENT / MIB)}"
        return _set(facts, text, "mapreduce.task.io.sort.mb", needed)
    if finding.id == "duplicates":
        text = "Speculative attempts cost more than they gain here."
        kind = facts.superseded.groupby("kind")["seconds"].sum().idxmax()
        return _set(facts, text, f"mapreduce.{kind}.speculative", "false")
    if finding.id == "short_maps":
        size = facts.succeeded("map")["input_bytes"].median()
        text = f"Splits {_LARGER_SPLITS} times as large would make fewer maps; small files are put"
        text = f"{text} together by CombineTextInputFormat."
        wanted = None if pd.isna(size) or size < 1 else f"{round(_LARGER_SPLITS * size)}"
        return _set(facts, text, "mapreduce.input.fileinputformat.split.minsize", wanted)
    return NextStep(
        "A run with the agent measures how full the heap of each task becomes.",
        "mprof run -o CAPTURE -- hadoop jar ...",
    )


def _set(facts: JobFacts, text: str, property_: str, value: str | None) -> NextStep:
    set_to = facts.conf.get(property_)
    now = f" {property_} is {set_to} now." if set_to is not None else ""
    command = f"hadoop jar ... -D {property_}={value}" if value is not None else None
    unset = f" The property is {property_}." if value is None else ""
    return NextStep(f"{text}{unset}{now}", command)


_NEEDED: Final = (
    ("SPILLED_RECORDS", "spills"),
    ("GC_TIME_MILLIS", "garbage collection"),
    ("seconds", "reducers, duplicate attempts and short maps"),
)


def _not_measured(facts: JobFacts) -> tuple[str, ...]:
    rows: pd.DataFrame = facts.attempts[facts.attempts["state"] == "succeeded"]
    return tuple(
        f"nothing shows what {what} cost" for name, what in _NEEDED if rows[name].isna().all()
    )


def _little(missing: tuple[str, ...]) -> str:
    told = [what for _, what in _NEEDED if not any(what in each for each in missing)]
    return f"{', '.join(reversed(told))} cost little"
