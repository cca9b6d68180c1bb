"""Two captures beside each other: data, settings, growth, verdicts, cost, and what explains what.

Made from the published reports, and from the settings and counters of the newest run of each. It
judges nothing: where it says that a change explains another, the advice of the first report said so
before.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from mprof.diagnosis import Diagnosed
from mprof.evidence import known
from mprof.heap.answers import as_json
from mprof.history import JobHistory
from mprof.history.counters import FILE_SYSTEM, JOB, Counters
from mprof.report.names import UNIT_WORDS, curve_name
from mprof.report.published import Report
from mprof.report.published.heap import Curve
from mprof.report.summary import summary
from mprof.units import format_bytes, format_ratio

__all__ = [
    "CaptureComparison",
    "CaptureSide",
    "Figure",
    "GrowthChange",
    "SettingChange",
    "VerdictChange",
    "compare_diagnoses",
]

Unit = Literal["bytes", "count", "ms"]

_LITTLE: Final = 0.05
"""Share by which a figure may differ and is called the same: runs of one job differ by as much."""

_OF_THE_RUN: Final = re.compile(
    r"^(mprof\.|hadoop\.tmp|yarn\.app\.attempt|dfs\.|fs\.defaultFS|io\.seqfile)|"
    r"(\.id|\.dir|\.dirs|\.path|\.jar|\.files?|\.timestamps|\.filesizes|\.visibilities|\.address|"
    r"\.uri|\.hostname|host|\.user\.name|\.submithost.*|\.token.*|\.classpath.*|\.archives.*)$|"
    r"(^|\.)(job|task|tip)\.(id|name)$"
)
"""Properties that name the run, its files and its machines; two runs of one job differ in them."""

_OURS: Final = re.compile(r"mprof-agent\.jar|^mprof-[0-9a-f]+$")
"""Values that a run with mprof is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureSide:
    """One of the two.

    Attributes:
        name: as it was asked for.
        job: its id; null where nothing tells.
        job_name: null where nothing tells.
        attempt: that is diagnosed; null where nothing tells.
        end: whether it died, finished, or left nothing that says how it ended.
        death: kind of death; none where it did not fail.
        conclusion: that causes are named, or why none is.
        causes: the ids of those that are named.
        summary: the diagnosis in one paragraph.
        losses: what could not be read.
    """

    name: str
    job: str | None
    job_name: str | None
    attempt: str | None
    end: str
    death: str
    conclusion: str
    causes: tuple[str, ...]
    summary: str
    losses: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number of both; null where it is not known.

    Attributes:
        what: it is of.
        unit: bytes, ms, or a count.
        before: in the first.
        after: in the second.
    """

    what: str
    unit: Unit
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingChange:
    """A property whose values differ; null where it is not set.

    Attributes:
        name: of the property.
        before: value in the first.
        after: value in the second.
        advised: value that the first report advises; null where it advises none.
        cause: that the advice is to remove; null without advice.
    """

    name: str
    before: str | None
    after: str | None
    advised: str | None
    cause: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthChange:
    """How one object, one class or the live heap grew in both; null where it was not measured.

    Attributes:
        of: the holder path, the class, or the live heap.
        unit: what was counted.
        taken_before: how many units had been taken in at its last point in the first.
        taken_after: the same in the second.
        bytes_before: its size there.
        bytes_after: the same in the second.
        per_unit_before: bytes that it grew by for each unit, from its first point to its last.
        per_unit_after: the same in the second.
    """

    of: str
    unit: str
    taken_before: float | None
    taken_after: float | None
    bytes_before: float | None
    bytes_after: float | None
    per_unit_before: float | None
    per_unit_after: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictChange:
    """A rule that said something else of the second.

    Attributes:
        cause: id of its cause.
        before: fires, silent or cannot tell.
        after: the same of the second.
        sentence_before: why.
        sentence_after: the same of the second.
    """

    cause: str
    before: str
    after: str
    sentence_before: str
    sentence_after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureComparison:
    """What changed between two captures.

    Members may be added; none is removed or changes its meaning within a schema version.

    Attributes:
        before: the first.
        after: the second.
        explained: what changed, and what that explains, a sentence each.
        data: what the jobs read and wrote, how it was divided, and the largest pieces.
        memory: of the attempts.
        settings: properties that differ; those that name a run, its files or its machines left out.
        growth: the curves that either report shows.
        verdicts: of rules that said something else.
        verdicts_alike: how many rules said the same.
        cost: time, processor and attempts.
    """

    schema_version: Literal[1] = 1
    before: CaptureSide
    after: CaptureSide
    explained: tuple[str, ...]
    data: tuple[Figure, ...]
    memory: tuple[Figure, ...]
    settings: tuple[SettingChange, ...]
    growth: tuple[GrowthChange, ...]
    verdicts: tuple[VerdictChange, ...]
    verdicts_alike: int
    cost: tuple[Figure, ...]

    def to_json(self) -> Any:
        """The object of the public contract, of plain lists, dicts, strings and numbers."""
        return as_json(self)


def compare_diagnoses(
    before: Diagnosed, after: Diagnosed, *, names: tuple[str, str]
) -> CaptureComparison:
    """Set two diagnoses beside each other."""
    first, second = Report.of(before), Report.of(after)
    settings = tuple(_settings(before.evidence.conf, after.evidence.conf, first))
    data = tuple(_figures(_data(before, first), _data(after, second)))
    memory = tuple(_figures(_memory(first), _memory(second)))
    growth = tuple(_growth(first.curves, second.curves))
    verdicts = tuple(_verdicts(first, second))
    comparison = CaptureComparison(
        explained=(),
        before=_side(names[0], first),
        after=_side(names[1], second),
        data=data,
        memory=memory,
        settings=settings,
        growth=growth,
        verdicts=verdicts,
        verdicts_alike=len(first.verdicts) - len(verdicts),
        cost=tuple(_figures(_cost(before, first), _cost(after, second))),
    )
    return dataclasses.replace(comparison, explained=tuple(_explained(comparison)))


def _side(name: str, report: Report) -> CaptureSide:
    return CaptureSide(
        name=name,
        job=report.job.id if report.job is not None else None,
        job_name=report.job.name if report.job is not None else None,
        attempt=report.attempt.id if report.attempt is not None else None,
        end=report.death.end,
        death=report.death.kind,
        conclusion=report.conclusion,
        causes=tuple(one.cause for one in report.causes),
        summary=summary(report),
        losses=report.losses,
    )


# --- figures --------------------------------------------------------------------------------------

_Figures = Mapping[tuple[str, Unit], float | None]


def _figures(before: _Figures, after: _Figures) -> Iterator[Figure]:
    for what, unit in before:
        first, second = before[what, unit], after[what, unit]
        if first is not None or second is not None:
            yield Figure(what=what, unit=unit, before=first, after=second)


def _history(diagnosed: Diagnosed) -> JobHistory | None:
    """Of the newest run that has one."""
    return next((run.history for run in reversed(diagnosed.runs) if run.history), None)


def _counters(diagnosed: Diagnosed) -> Counters:
    """Of the job; of one that failed, whose history has none, the sum over its tasks."""
    from mprof.history.counters import NO_COUNTERS, sum_counters

    history = _history(diagnosed)
    if history is None:
        return NO_COUNTERS
    if history.counters:
        return history.counters
    return sum_counters(
        attempt.counters or task.counters
        for task in history.tasks
        for attempt in task.attempts[-1:]
    )


def _data(diagnosed: Diagnosed, report: Report) -> _Figures:
    history, counters = _history(diagnosed), _counters(diagnosed)
    evidence = diagnosed.evidence
    split, records = known(evidence.split), known(evidence.records)
    partitions = known(evidence.partitions)
    of_bytes = known(partitions.bytes) if partitions is not None else None
    of_records = known(partitions.records) if partitions is not None else None
    groups = report.groups
    by = groups.measure if groups is not None else None
    return {
        ("map tasks", "count"): history.total_maps if history is not None else None,
        ("reduce tasks", "count"): history.total_reduces if history is not None else None,
        ("bytes read from HDFS", "bytes"): counters.get("HDFS_BYTES_READ", group=FILE_SYSTEM),
        ("map input records", "count"): counters.get("MAP_INPUT_RECORDS"),
        ("map output records", "count"): counters.get("MAP_OUTPUT_RECORDS"),
        ("map output", "bytes"): counters.get("MAP_OUTPUT_BYTES"),
        ("reduce input records", "count"): counters.get("REDUCE_INPUT_RECORDS"),
        ("reduce input groups", "count"): counters.get("REDUCE_INPUT_GROUPS"),
        ("split of the attempt", "bytes"): split.length_bytes if split is not None else None,
        ("record at death", "bytes"): known(records.bytes) if records is not None else None,
        ("group at death", "bytes"): groups.at_death if groups and by == "bytes" else None,
        ("records of the group at death", "count"): (
            groups.at_death if groups and by == "records" else None
        ),
        ("largest partition", "bytes"): max(of_bytes, default=None) if of_bytes else None,
        ("mean partition", "bytes"): sum(of_bytes) / len(of_bytes) if of_bytes else None,
        ("records of the largest partition", "count"): (
            max(of_records, default=None) if of_records else None
        ),
    }  # fmt: skip


def _memory(report: Report) -> _Figures:
    return {
        ("heap at most", "bytes"): report.memory.max_heap_bytes,
        ("live at death", "bytes"): report.memory.live_bytes,
        ("live at its fullest", "bytes"): report.nearness.live_bytes if report.nearness else None,
        ("container", "bytes"): report.memory.container_bytes,
    }


def _cost(diagnosed: Diagnosed, report: Report) -> _Figures:
    history, counters = _history(diagnosed), _counters(diagnosed)
    took = None
    if history is not None and history.finish_ms and history.submit_ms:
        took = history.finish_ms - history.submit_ms
    held = [counters.get(f"MB_MILLIS_{kind}S", group=JOB) for kind in ("MAP", "REDUCE")]
    probes = report.probes
    return {
        ("from submission to the end", "ms"): took,
        ("processor time", "ms"): counters.get("CPU_MILLISECONDS"),
        ("garbage collection", "ms"): counters.get("GC_TIME_MILLIS"),
        ("MB of containers x ms", "count"): (
            sum(one or 0 for one in held) if any(one is not None for one in held) else None
        ),
        ("failed attempts", "count"): (
            len(report.attempts) + (report.death.end == "died") if history is not None else None
        ),
        ("time of the probes", "ms"): probes.seconds * 1000 if probes is not None else None,
    }


# --- settings, growth, verdicts -------------------------------------------------------------------


def _settings(
    before: Mapping[str, str], after: Mapping[str, str], report: Report
) -> Iterator[SettingChange]:
    advised = {one.property: one for one in report.advice if one.property is not None}
    for name in sorted(before.keys() | after.keys()):
        first, second = before.get(name), after.get(name)
        is_ours = any(_OURS.search(value or "") for value in (first, second))
        if first == second or is_ours or _OF_THE_RUN.search(name):
            continue
        advice = advised.get(name)
        yield SettingChange(
            name=name,
            before=first,
            after=second,
            advised=advice.new if advice is not None else None,
            cause=advice.cause if advice is not None else None,
        )


def _growth(before: Iterable[Curve], after: Iterable[Curve]) -> Iterator[GrowthChange]:
    first = {(curve_name(one), one.unit): one for one in reversed(tuple(before))}
    second = {(curve_name(one), one.unit): one for one in reversed(tuple(after))}
    for key in dict.fromkeys((*reversed(first), *reversed(second))):
        was, now = _ends(first.get(key)), _ends(second.get(key))
        yield GrowthChange(
            of=key[0],
            unit=key[1],
            taken_before=was[0],
            taken_after=now[0],
            bytes_before=was[1],
            bytes_after=now[1],
            per_unit_before=was[2],
            per_unit_after=now[2],
        )


def _ends(curve: Curve | None) -> tuple[float | None, float | None, float | None]:
    """What was taken in at the last point, the size there, and the mean slope up to it."""
    if curve is None or not curve.points:
        return None, None, None
    last = curve.death or curve.points[-1]
    first = curve.points[0]
    slope = (last.bytes - first.bytes) / (last.x - first.x) if last.x > first.x else None
    return last.x, last.bytes, slope


def _verdicts(before: Report, after: Report) -> Iterator[VerdictChange]:
    second = {one.cause: one for one in after.verdicts}
    for one in before.verdicts:
        other = second[one.cause]
        if one.verdict != other.verdict:
            yield VerdictChange(
                cause=one.cause,
                before=one.verdict,
                after=other.verdict,
                sentence_before=one.sentence,
                sentence_after=other.sentence,
            )


# --- what explains what ---------------------------------------------------------------------------


def _explained(found: CaptureComparison) -> Iterator[str]:
    before, after = found.before, found.after
    yield _ends_in_words(before, after)
    if None not in (before.job_name, after.job_name) and before.job_name != after.job_name:
        yield (
            f"They are two different jobs, {before.job_name} and {after.job_name}: no difference "
            "between them is explained."
        )
        return
    explained = set()
    for one in found.settings:
        if one.advised is not None:
            yield _advice_in_words(one, before, after)
            explained.add(one.cause)
    for cause in before.causes:
        if cause in after.causes or cause in explained:
            continue
        verdict = next((one for one in found.verdicts if one.cause == cause), None)
        if verdict is not None and verdict.after == "cannot tell":
            yield f"{cause} is not refuted: the second lacks what would tell."
        else:
            yield f"{cause} is no longer named."
    for cause in after.causes:
        if cause not in before.causes:
            yield f"Only the second names {cause}."
    yield from _grew_in_words(found.growth)
    figures = (*found.data, *found.memory)
    yield from _figures_in_words(figures)
    if not found.settings and not any(map(_changed, figures)):
        yield "No setting differs, nor any figure of data or memory that both have."


def _advice_in_words(one: SettingChange, before: CaptureSide, after: CaptureSide) -> str:
    followed = one.after == one.advised
    what = "as advised" if followed else f"{one.advised} was advised"
    text = f"{one.name} is {one.after or 'not set'}, was {one.before or 'not set'} ({what})"
    if one.cause in after.causes:
        return f"{text}, against {one.cause}, which is still named."
    if one.cause in before.causes and followed:
        return f"{text}, against {one.cause}, which is no longer named."
    return f"{text}."


def _ends_in_words(before: CaptureSide, after: CaptureSide) -> str:
    first, second = _end(before), _end(after)
    if first == second:
        return f"Both {first}."
    return f"The first {first}, the second {second}."


def _end(side: CaptureSide) -> str:
    if side.end == "died":
        return f"died ({side.death.replace('-', ' ')})"
    return "finished" if side.end == "finished" else "left nothing that says how it ended"


def _grew_in_words(growth: Iterable[GrowthChange]) -> Iterator[str]:
    for one in growth:
        before, after = one.per_unit_before, one.per_unit_after
        if before is None or after is None or before <= 0 or after <= 0:
            continue
        unit = UNIT_WORDS[one.unit][0]
        size = format_bytes(round(after))
        taken = Figure(what="", unit="count", before=one.taken_before, after=one.taken_after)
        if abs(after / before - 1) <= _LITTLE:
            more = ": the code keeps as much of each, and what differs is how many there were"
            yield (
                f"{one.of} grew by {size} for each {unit}, as before"
                f"{more if _changed(taken) else ''}."
            )
        else:
            yield (
                f"{one.of} grew by {size} for each {unit}, where it grew by "
                f"{format_bytes(round(before))} before: the code or the data differ."
            )
        return  # the most telling curve that both have


def _figures_in_words(figures: Iterable[Figure]) -> Iterator[str]:
    changes = []
    for one in figures:
        if _changed(one) and one.before and one.after is not None:
            factor = one.after / one.before
            times = f"{factor:.1f} times the" if factor >= 2 else f"{format_ratio(factor)} of the"
            changes.append(f"{times} {one.what}")
    if changes:
        yield f"Compared with the first, the second has {', '.join(changes)}."


def _changed(one: Figure) -> bool:
    if one.before is None or one.after is None:
        return False
    return abs(one.after - one.before) > _LITTLE * max(abs(one.before), abs(one.after))
