"""What came of a run with the advised settings, held against the diagnosis that advised them.

A setting of a cause makes less of what the cause names: where the job then finishes, that was what
filled the heap; where the task dies in the same place of the same thing although the job had the
setting, it was not, or not it alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from mprof.advice.thresholds import FAR_INTO, LIVE_OF_A_BOUND, NEARBY
from mprof.advised import (
    Advised,
    AdvisedSetting,
    CauseTried,
    Intervention,
    Kind,
    Outcome,
    SettingTried,
)
from mprof.diagnosed import Diagnosed
from mprof.evidence import HEAP_KINDS, Evidence, known
from mprof.history import JobConf
from mprof.job_run import JobRun
from mprof.trace import MEMORY_KINDS, Trace
from mprof.trace.events import Histogram, MemoryEvent, Verify
from mprof.units import format_bytes, format_ratio

__all__ = ["what_came_of_it", "with_outcome"]

_NOT_COMPARED = ("mapreduce.job.maps", "memory.mb")
"""Hadoop writes the number of splits into the first as the job is submitted, and the agent's
headroom is added to the others."""

_PLACES: Final = {
    "map": "in map()", "combine": "in combine()", "reduce": "in reduce()", "setup": "in setup()",
    "cleanup": "in cleanup()", "shuffle": "in the shuffle", "sort": "in the merge",
    "init": "before the first record",
}  # fmt: skip


def what_came_of_it(
    plain: Diagnosed, again: Diagnosed | None, tried: Intervention, *, run: int
) -> Advised:
    """What the run says of the causes.

    Args:
        plain: the diagnosis of the job as it was, with the advice.
        again: the job in the run with the settings, diagnosed by itself; None where the command
            did not come to it.
        tried: what was set.
        run: number of the run.
    """
    job = again.runs[-1] if again is not None and again.runs else None
    settings = tuple(_used(one, job.conf if job is not None else None) for one in tried.settings)
    outcome = _outcome(again, job, tried)
    died = outcome in ("died", "finished late") and again is not None
    same = _same_death(plain, again) if died and again is not None else None
    if same and tried.kind == "left out" and again is not None:
        same = _at_once(plain, again) if _that_met_it(job) else None
    peak = _peak(job, plain.evidence)
    predicted = [one.predicted_peak_bytes for one in tried.settings if one.predicted_peak_bytes]
    found = Advised(
        run=run,
        kind=tried.kind,
        settings=settings,
        outcome=outcome,
        death_kind=again.evidence.death.kind if died and again is not None else None,
        same_death=same,
        predicted_peak_bytes=max(predicted, default=None),
        measured_peak_bytes=peak.bytes if peak is not None else None,
        at_most=peak is not None and peak.at_most,
        causes=tuple(
            _cause(one, settings, tried, outcome, same) for one in tried.causes or _causes(settings)
        ),
        sentence="",
    )
    return replace(found, sentence=_sentence(found, again))


def with_outcome(plain: Diagnosed, advised: Advised) -> Diagnosed:
    """The diagnosis with what came of its advice.

    A cause that is withdrawn is possible at most, and the settings that were tried for it go.
    """
    withdrawn = {one.cause for one in advised.causes if one.verdict == "withdrawn"}
    causes = tuple(
        replace(one, finding=replace(one.finding, confidence="possible"))
        if one.cause in withdrawn
        else one
        for one in plain.diagnosis.causes
    )
    advice = tuple(
        one
        for one in plain.diagnosis.advice
        if one.cause not in withdrawn or one.property is None or one.first_aid
    )
    diagnosis = replace(plain.diagnosis, causes=causes, advice=advice)
    return replace(plain, diagnosis=diagnosis, advised=advised)


def _causes(settings: Iterable[SettingTried]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.setting.cause for one in settings))


def _used(setting: AdvisedSetting, conf: JobConf | None) -> SettingTried:
    used = conf.shown(setting.property) if conf is not None else None
    if setting.why_not:
        return SettingTried(setting, used, in_effect=False)
    if conf is None or setting.property.endswith(_NOT_COMPARED):
        return SettingTried(setting, used, in_effect=None)
    return SettingTried(setting, used, in_effect=used == setting.value)


def _outcome(again: Diagnosed | None, job: JobRun | None, tried: Intervention) -> Outcome:
    if again is None or job is None:
        return "not reached"
    of_memory = again.evidence.death.kind in MEMORY_KINDS
    if tried.kind == "left out" and not of_memory:
        # Its attempt never commits: the job fails whatever became of it, and its other attempts are
        # killed.
        ended = [one.death.kind == "none" for one in _that_met_it(job)]
        return "finished" if ended and all(ended) else "failed"
    if job.state == "SUCCEEDED":
        return "finished late" if of_memory else "finished"
    return "died" if of_memory else "failed"


def _that_met_it(job: JobRun | None) -> list[Trace]:
    """The attempts that came to what was to be left out."""
    traces = job.traces if job is not None else ()
    return [one for one in traces if any(step.step == "left_out" for step in one.of(Verify))]


def _same_death(plain: Diagnosed, again: Diagnosed) -> bool | None:
    """Whether the task died in the same place of the same thing; None where that is not known."""
    before, now = plain.evidence, again.evidence
    if before.attempt.task_type != now.attempt.task_type or _family(before) != _family(now):
        return False
    places = known(before.place), known(now.place)
    if None not in places and places[0] != places[1]:
        return False
    named = {one.cause for one in plain.diagnosis.causes}
    if named & {one.cause for one in again.diagnosis.causes}:
        return True
    things = _thing(before), _thing(now)
    if None in things:
        return None
    return things[0] == things[1]


def _at_once(plain: Diagnosed, again: Diagnosed) -> bool:
    """Whether it died where it had, without what was left out.

    Further on, or far into another group, it died of a record or group that is as large.
    """
    before, now = (known(one.evidence.position) for one in (plain, again))
    if before is None or now is None:
        return False
    if not again.evidence.is_reduce:
        return _is_at(now.record, before.record, 1 + NEARBY.value)
    is_next = _is_at(now.group, before.group, 1 + NEARBY.value)
    return is_next and _is_at(now.record_in_group, before.record_in_group, FAR_INTO.value)


def _is_at(now: int | None, before: int | None, times: float) -> bool:
    return now is not None and before is not None and now <= times * before


def _family(evidence: Evidence) -> str:
    kind = evidence.death.kind
    return "heap" if kind in HEAP_KINDS else kind


def _thing(evidence: Evidence) -> tuple[str, ...] | None:
    """The largest holder at death, else the user's frame at which it died."""
    holders = known(evidence.holders)
    if holders:
        largest = max(holders, key=lambda one: one.bytes)
        return (largest.key.class_name, largest.key.method, largest.path)
    frames = [one for one in known(evidence.stack) or () if one.user]
    return (frames[0].class_name, frames[0].method) if frames else None


@dataclass(frozen=True, slots=True)
class _Fullest:
    """The fullest that a heap was seen; `at_most` where less may have been live."""

    bytes: int
    at_most: bool


def _peak(job: JobRun | None, plain: Evidence) -> _Fullest | None:
    """The fullest attempt of the type that had died."""
    traces = job.traces if job is not None else ()
    mine = [one for one in traces if plain.attempt.task_type in (None, one.task_type)]
    peaks = [peak for one in mine if (peak := _fullest(one)) is not None]
    return max(peaks, key=lambda one: one.bytes, default=None)


def _fullest(trace: Trace) -> _Fullest | None:
    """By collections of the whole heap and class histograms, else by the others as a bound.

    What a minor collection leaves has garbage in it. But the first full one of a task is often that
    of its start, for want of room for classes: it says nothing of the peak.
    """
    seen = [one for one in trace.of(MemoryEvent) if one.used_after is not None]
    exact = [one.used_after or 0 for one in seen if one.major]
    exact += [one.total_bytes for one in trace.of(Histogram) if one.total_bytes]
    bound = max((one.used_after or 0 for one in seen), default=0)
    live = max(exact, default=0)
    if live and live >= LIVE_OF_A_BOUND.value * bound:
        return _Fullest(live, at_most=False)
    return _Fullest(bound, at_most=True) if bound else None


def _cause(
    cause: str,
    settings: tuple[SettingTried, ...],
    tried: Intervention,
    outcome: Outcome,
    same: bool | None,
) -> CauseTried:
    mine = [one for one in settings if one.setting.cause == cause]
    missed = [one for one in mine if one.in_effect is False]
    if missed and (len(missed) == len(mine) or outcome != "finished"):
        said = "; ".join(_missed(one) for one in missed)
        return CauseTried(cause, "not decided", f"the job did not have what was advised: {said}.")
    part = "group" if tried.group is not None else "record"
    if tried.kind == "left out" and outcome == "finished":
        return CauseTried(cause, "proven", f"without that {part} the task came to its end.")
    if tried.kind == "left out" and outcome == "died":
        why = f"without that {part} the task died in the same place all the same."
        later = f"without that {part} the task came further, and died later."
        if same is None:
            later = f"the task died before it came to that {part}."
        return CauseTried(cause, "withdrawn" if same else "not decided", why if same else later)
    if tried.kind == "room":
        # A larger heap lets every accumulation go on: that it finishes proves none.
        return CauseTried(
            cause, "not decided", "a larger heap shows its peak, and removes no cause."
        )
    if outcome == "finished":
        others = len(_causes(settings)) > 1
        together = ", together with what is advised for the other causes," if others else ""
        return CauseTried(cause, "proven", f"with its setting{together} the job finished.")
    if outcome == "died" and same:
        why = "with its setting the task died in the same place of the same thing."
        return CauseTried(cause, "withdrawn", why)
    return CauseTried(cause, "not decided", _UNDECIDED[outcome])


def _missed(one: SettingTried) -> str:
    setting = one.setting
    why = setting.why_not or f"it was {one.used or 'not set'}, and not {setting.value}"
    return f"{setting.property}: {why}"


_UNDECIDED: Final[dict[Outcome, str]] = {
    "finished late": "the job finished, after attempts that ran out of memory all the same.",
    "died": "with its setting the task died elsewhere, or of something else.",
    "failed": "the job failed of something other than memory.",
    "not reached": "the command did not come to that job again.",
}

_TRIED: Final[dict[Kind, str]] = {
    "settings": "with what was advised",
    "room": "with a larger heap",
    "left out": "without the record or group at death",
}


def _sentence(found: Advised, again: Diagnosed | None) -> str:
    run = f"Run {found.run}, {_TRIED[found.kind]}"
    if found.outcome == "not reached":
        return f"{run}, did not come to the job that had failed."
    if found.outcome == "failed":
        return f"{run}, failed of something other than memory."
    peak = _peak_text(found)
    if found.outcome == "finished":
        return f"{run}, finished.{peak}"
    where = _where(again)
    same = {True: ", as before", False: ", which is another death than before", None: ""}
    end = same[found.same_death]
    if found.outcome == "finished late":
        return f"{run}, finished, but not at the first try: an attempt {where}{end}.{peak}"
    return f"{run}, ended again: its task {where}{end}."


def _where(again: Diagnosed | None) -> str:
    if again is None:
        return "died"
    evidence = again.evidence
    place = _PLACES.get(known(evidence.place) or "")
    causes = ", ".join(one.cause for one in again.diagnosis.causes)
    where = f" {place}" if place is not None else ""
    of = f", of {causes}" if causes else ""
    return f"died ({evidence.death.kind}){where}{of}"


def _peak_text(found: Advised) -> str:
    if found.measured_peak_bytes is None:
        return " No collection measured its peak."
    size = format_bytes(found.measured_peak_bytes)
    text = (
        f" The most that a collection left behind was {size}, garbage included"
        if found.at_most
        else f" At its fullest {size} were live"
    )
    if found.peak_ratio is None:
        return f"{text}."
    return (
        f"{text}, {format_ratio(found.peak_ratio)} of the predicted "
        f"{format_bytes(found.predicted_peak_bytes or 0)}."
    )
