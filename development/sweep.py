"""Moves each threshold until a recorded verdict changes: how far are they from deciding otherwise?

A verdict that hangs on the exact value of a number is luck. Of every threshold the sweep finds the
interval around its value within which nothing else is said of any recorded evidence, of all runs
and of the first run alone, and the first verdict that changes at each end. What is said of a case
is the verdict of each rule, what is advised for each cause, and what the next run would measure:
which, and not how much, since a number that sets a size moves that size.

A diagnosis that never reads a threshold does not depend on it, so each is followed once, and with a
threshold moved only what reads it is done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol

from development.thresholds import thresholds_of
from mprof.advice import ADVICE_THRESHOLDS, advise
from mprof.catalogue import Case
from mprof.diagnosis import Diagnosed, diagnose
from mprof.evidence import EVIDENCE_THRESHOLDS, Evidence
from mprof.evidence.assemble import assemble
from mprof.job_run import JobRun
from mprof.patterns import MOST_OF_THE_HEAP, OF_A_JVM
from mprof.plan import PLAN_THRESHOLDS, plan_profile, plan_room, plan_verify
from mprof.rules import RULES
from mprof.runs import Capture, SilentObserver, open_capture
from mprof.runs.diagnosing import load_failed_job
from mprof.threshold import Threshold, thresholds_moved, thresholds_read
from mprof.units import format_bytes

__all__ = [
    "CaseWitness",
    "Limit",
    "Swept",
    "Verdicts",
    "Witness",
    "changes_within",
    "load_witnesses",
    "sweep",
    "sweep_rows",
    "sweep_table",
    "swept_thresholds",
]

FARTHEST = 16.0
"""Times (or parts of) its value by which a threshold is moved at most: beyond it, the number is
another one."""

_STEPS = (1.15, 1.5, 2.0, 4.0, 8.0, FARTHEST)
_EXACT_TO = 1.01
"""Where a verdict changes between two steps is found to a percent."""

_OF_NO_RULE = (OF_A_JVM, MOST_OF_THE_HEAP, *ADVICE_THRESHOLDS, *PLAN_THRESHOLDS)

_WORDS = {"Fires": "fires", "Silent": "silent", "CannotTell": "cannot tell"}

Verdicts = Mapping[str, str]
"""What is said, by what it is said of."""


class Witness(Protocol):
    """Evidence that must keep its verdicts."""

    @property
    def name(self) -> str:
        """As tables print it."""

    @property
    def verdicts(self) -> Verdicts:
        """What is said of it with every threshold at its default."""

    @property
    def read(self) -> frozenset[str]:
        """The names of the thresholds that any step to these verdicts reads."""

    def verdicts_with(self, threshold: Threshold, value: float) -> Verdicts:
        """What is said of it with another value of one threshold."""


@dataclass(frozen=True)
class CaseWitness:
    """A recorded case, or its first run alone.

    Attributes:
        name: of the case; with "first run" where the rerun is left out.
        load: reads what was recorded.
        assemble: what that is evidence of.
    """

    name: str
    load: Callable[[], Sequence[JobRun]]
    assemble: Callable[[Sequence[JobRun]], Evidence]

    @property
    def evidence(self) -> Evidence:
        """What it is evidence of with every threshold at its default."""
        return self._followed.evidence

    @property
    def verdicts(self) -> Verdicts:
        """Of each rule; what is advised, and what the next run would measure."""
        return self._followed.verdicts

    @property
    def read(self) -> frozenset[str]:
        """The names of the thresholds that any step to these verdicts reads."""
        before = self._followed
        steps = (before.by_load, before.by_assemble, before.by_rules, before.by_advice)
        return frozenset().union(*steps, before.by_plan)

    @property
    def read_for_verdicts(self) -> frozenset[str]:
        """Of them those that are read up to the verdicts of the rules."""
        before = self._followed
        return before.by_load | before.by_assemble | before.by_rules

    def verdicts_with(self, threshold: Threshold, value: float) -> Verdicts:
        """What is said of it with another value of one threshold."""
        before, name = self._followed, threshold.name
        if name not in self.read:
            return before.verdicts
        with thresholds_moved({name: value}):
            is_loaded_anew = name in before.by_load
            recorded = self.load() if is_loaded_anew else before.recorded
            evidence, diagnosed = before.evidence, before.diagnosed
            if is_loaded_anew or name in before.by_assemble:
                evidence = self.assemble(recorded)
            is_other_evidence = evidence != before.evidence
            if is_other_evidence or name in before.by_rules:
                diagnosed = diagnose(evidence)
            of_rules, advised, planned = _of_rules(diagnosed), before.advised, before.planned
            if diagnosed is not before.diagnosed or name in before.by_advice:
                advised = _advised(diagnosed)
            if is_loaded_anew or name in before.by_plan:
                planned = _planned(recorded)
        return {**of_rules, **advised, **planned}

    @cached_property
    def _followed(self) -> _Followed:
        with thresholds_read() as by_load:
            recorded = self.load()
        with thresholds_read() as by_assemble:
            evidence = self.assemble(recorded)
        with thresholds_read() as by_rules:
            diagnosed = diagnose(evidence)
        with thresholds_read() as by_advice:
            advised = _advised(diagnosed)
        with thresholds_read() as by_plan:
            planned = _planned(recorded)
        return _Followed(
            recorded, evidence, diagnosed, advised, planned,
            *map(frozenset, (by_load, by_assemble, by_rules, by_advice, by_plan)),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Followed:
    """The steps to what is said of a case, and the thresholds that each reads, by name."""

    recorded: Sequence[JobRun]
    evidence: Evidence
    diagnosed: Diagnosed
    advised: Verdicts
    planned: Verdicts
    by_load: frozenset[str]
    by_assemble: frozenset[str]
    by_rules: frozenset[str]
    by_advice: frozenset[str]
    by_plan: frozenset[str]

    @property
    def verdicts(self) -> Verdicts:
        return {**_of_rules(self.diagnosed), **self.advised, **self.planned}


def _of_rules(diagnosed: Diagnosed) -> Verdicts:
    """What each rule says, and whose memory it was that a container or a child ran out of."""
    found = diagnosed.diagnosis
    said = {cause: _WORDS[type(verdict).__name__] for cause, verdict in found.verdicts.items()}
    places = {"the container": found.container, "the child program": found.child}
    return said | {what: str(use.place) for what, use in places.items() if use is not None}


def _advised(diagnosed: Diagnosed) -> Verdicts:
    """For each cause which property is set, or that code or data has to change."""
    found: dict[str, list[str]] = {}
    for one in advise(diagnosed).diagnosis.advice:
        what = one.property or one.kind
        found.setdefault(one.cause, []).append(f"first aid {what}" if one.first_aid else what)
    return {f"advice for {cause}": ", ".join(sorted(lines)) for cause, lines in found.items()}


def _planned(runs: Sequence[JobRun]) -> Verdicts:
    """In which tasks what is measured, whether R_n is verified, and in which containers."""
    found: dict[str, str] = {}
    profile, verify, room = plan_profile(runs), plan_verify(runs), plan_room(runs)
    for task in profile.tasks if profile is not None else ():
        found[f"plan of {task.task}"] = ", ".join(task.lists) or task.doubling or "as it comes"
    for cost in profile.expected if profile is not None else ():
        found[f"probes of {cost.task}"] = cost.why or "as the budget allows"
    if verify is not None:
        live = verify.tasks[0].verify_live
        bound = verify.tasks[0].verify_live_is or "exact"
        room_of_then = "no room known" if live is None else f"{bound} room"
        found["plan of the verification"] = f"{len(verify.tasks)} tasks, {room_of_then}"
    larger = [side for side in ("map", "reduce") if getattr(room, f"{side}_mb") is not None]
    if larger:
        found["larger containers"] = ", ".join(larger)
    return found


@dataclass(frozen=True, slots=True)
class Limit:
    """The end of an interval: the last value without a change, and the change behind it.

    Attributes:
        value: of the threshold.
        change: the case, the cause and the two verdicts; None where nothing changed.
    """

    value: float
    change: str | None


@dataclass(frozen=True, slots=True)
class Swept:
    """The interval of one threshold in which no recorded verdict changes.

    Attributes:
        read: on how many witnesses a diagnosis reads the threshold at all.
    """

    threshold: Threshold
    read: int
    low: Limit
    high: Limit


def load_witnesses(cases: Sequence[Case]) -> tuple[CaseWitness, ...]:
    """The recorded evidence of the cases, whole and of the first run alone."""
    found: list[CaseWitness] = []
    for case in cases:
        if case.evidence.is_dir():
            capture = open_capture(case.evidence)
            found.append(CaseWitness(case.slug, partial(_runs_of, capture), assemble))
            if len(capture.runs) > 1:
                first = partial(_runs_of, capture, only_first=True)
                found.append(CaseWitness(f"{case.slug}, first run", first, assemble))
    return tuple(found)


def _runs_of(capture: Capture, *, only_first: bool = False) -> tuple[JobRun, ...]:
    return load_failed_job(capture, SilentObserver())[: 1 if only_first else None]


def swept_thresholds() -> tuple[Threshold, ...]:
    """All that decide a rule, the evidence that it reads, whose memory it was, advice or a plan."""
    of_rules = (one for rule in RULES for one in thresholds_of(rule))
    return tuple(dict.fromkeys((*of_rules, *EVIDENCE_THRESHOLDS, *_OF_NO_RULE)))


def sweep(
    witnesses: Sequence[Witness],
    thresholds: Sequence[Threshold],
    *,
    farthest: float = FARTHEST,
    on_threshold: Callable[[str], None] | None = None,
) -> tuple[Swept, ...]:
    """Move each threshold up and down until a verdict changes.

    Args:
        witnesses: as `load_witnesses`.
        thresholds: those to move, one at a time.
        farthest: times (or parts of) its value by which each is moved at most.
        on_threshold: told the name of each before it is moved.
    """
    found = []
    for threshold in thresholds:
        if on_threshold is not None:
            on_threshold(threshold.name)
        read = sum(threshold.name in one.read for one in witnesses)
        low, high = (_limit(witnesses, threshold, farthest=farthest, up=up) for up in (False, True))
        found.append(Swept(threshold, read, low, high))
    return tuple(found)


def changes_within(
    witnesses: Sequence[Witness], threshold: Threshold, share: float
) -> tuple[str, ...]:
    """The first verdict that changes with a threshold smaller, and larger, by a share of itself."""
    moved = {f"{factor:g} times {threshold.name}": factor for factor in (1 - share, 1 + share)}
    found = {words: _change(witnesses, threshold, factor) for words, factor in moved.items()}
    return tuple(f"{words}: {change}" for words, change in found.items() if change is not None)


def _limit(
    witnesses: Sequence[Witness], threshold: Threshold, *, farthest: float, up: bool
) -> Limit:
    """The farthest factor without a change: by growing steps, then by halving."""
    safe, change = 1.0, None
    for step in (one for one in _STEPS if one <= farthest):
        change = _change(witnesses, threshold, step if up else 1 / step)
        if change is not None:
            break
        safe = step
    if change is None:
        return Limit(threshold.times(safe if up else 1 / safe), None)
    changed = step
    while changed / safe > _EXACT_TO:
        middle = (safe * changed) ** 0.5
        found = _change(witnesses, threshold, middle if up else 1 / middle)
        if found is None:
            safe = middle
        else:
            changed, change = middle, found
    return Limit(threshold.times(safe if up else 1 / safe), change)


def _change(witnesses: Sequence[Witness], threshold: Threshold, factor: float) -> str | None:
    """The first verdict that is another with the threshold moved; None where none is."""
    for witness in witnesses:
        before = witness.verdicts
        said = witness.verdicts_with(threshold, threshold.times(factor))
        for what in dict.fromkeys((*before, *said)):
            old, new = before.get(what, "nothing"), said.get(what, "nothing")
            if old != new:
                return f"{witness.name}: {what} {old} → {new}"
    return None


def sweep_table(swept: Sequence[Swept], *, witnesses: int) -> str:
    """The table as a Markdown page, the narrowest interval first."""
    lines = [
        "# Thresholds, and how far each can be moved",
        "",
        "Made by `make sweep`; do not edit.",
        "",
        "All numbers that decide a verdict, an advice or a plan, and the interval (*from*, *to*)",
        "in which each can be moved without changing the answer for any recorded case.",
        "The narrower the interval, the more a recorded verdict depends on the number.",
        "",
        f"{witnesses} sets of evidence were used: every recorded case, complete and with its first",
        "run alone.",
        "An answer is: what each rule says; for each cause, which property the advice sets, or",
        "that code or data must change; and what the next run would measure in which tasks.",
        "The values advised, and the number of dumps that a budget allows, change with the number",
        "and are not compared.",
        f"A threshold is moved by a factor of at most {FARTHEST:.0f}; `-`: nothing changed.",
        "*Read*: the number of sets of evidence whose diagnosis reads the threshold.",
        "Thresholds of node comparison, triage and ownership of memory are in",
        "[a separate table](thresholds-of-nodes.md).",
        "",
    ]
    others = [f"- {one.name}: {one.reason}." for one in _OF_NO_RULE]
    reasons = [
        "",
        "## Why these values",
        "",
        "Reasons for the thresholds of the rules are in [numbers of the rules](rules/numbers.md).",
        "Thresholds of container and child-program memory, of the advice, and of the plan of the",
        "next run:",
        "",
        *others,
        "",
    ]
    return "\n".join([*lines, *sweep_rows(swept), *reasons])


def sweep_rows(swept: Iterable[Swept]) -> list[str]:
    """The rows of the table with their head, the narrowest interval first."""
    lines = [
        "| threshold | value | unit | from | to | read | first change below | first change above |",
        "|---|--:|---|--:|--:|--:|---|---|",
    ]
    for one in sorted(swept, key=_width):
        threshold = one.threshold
        cells = (
            threshold.name,
            _value(threshold.default, threshold.unit),
            threshold.unit,
            _value(one.low.value, threshold.unit),
            _value(one.high.value, threshold.unit),
            str(one.read),
            one.low.change or "-",
            one.high.change or "-",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _width(swept: Swept) -> float:
    """How far the nearer end is: the factor to it."""
    value = swept.threshold.default
    ends = [value / swept.low.value if swept.low.change else FARTHEST]
    ends.append(swept.high.value / value if swept.high.change else FARTHEST)
    return min(ends)


def _value(value: float, unit: str) -> str:
    return format_bytes(value) if unit.startswith("bytes") else f"{value:.3g}"
