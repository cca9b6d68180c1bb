"""Moves each threshold until a recorded verdict changes: how far are they from deciding otherwise?

A verdict that hangs on the exact value of a number is luck. Of every threshold the sweep finds the
interval around its value within which no rule says anything else on any recorded evidence, of all
runs and of the first run alone, and the first verdict that changes at each end.

A diagnosis that never reads a threshold does not depend on it, so each is followed once, and with a
threshold moved only what reads it is done again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from mprof.catalogue.case import Case
from mprof.evidence import EVIDENCE_THRESHOLDS, Evidence
from mprof.evidence.assemble import assemble
from mprof.job_run import JobRun
from mprof.patterns import find_patterns
from mprof.rules import RULES, ask_all, thresholds_of
from mprof.runs import Capture, SilentObserver, open_capture
from mprof.runs.diagnosing import load_failed_job
from mprof.threshold import Threshold, thresholds_moved, thresholds_read
from mprof.units import format_bytes

__all__ = [
    "Limit",
    "Swept",
    "Witness",
    "changes_within",
    "load_witnesses",
    "sweep",
    "sweep_table",
    "swept_thresholds",
]

FARTHEST = 16.0
"""Times (or parts of) its value by which a threshold is moved at most: beyond it, the number is
another one."""

_STEPS = (1.15, 1.5, 2.0, 4.0, 8.0, FARTHEST)
_EXACT_TO = 1.01
"""Where a verdict changes between two steps is found to a percent."""

_WORDS = {"Fires": "fires", "Silent": "silent", "CannotTell": "cannot tell"}

Verdicts = tuple[str, ...]


@dataclass(frozen=True)
class Witness:
    """Evidence that must keep its verdicts.

    Attributes:
        name: of the case; with "first run" where the rerun is left out.
        load: reads what was recorded.
        assemble: what that is evidence of.
    """

    name: str
    load: Callable[[], Any]
    assemble: Callable[[Any], Evidence]

    @property
    def evidence(self) -> Evidence:
        """What it is evidence of with every threshold at its default."""
        return self._followed.evidence

    @property
    def verdicts(self) -> Verdicts:
        """What every rule says of it then, in the catalogue's order."""
        return self._followed.verdicts

    @property
    def read(self) -> frozenset[str]:
        """The names of the thresholds that any step to these verdicts reads."""
        return self._followed.by_load | self._followed.by_assemble | self._followed.by_rules

    def verdicts_with(self, threshold: Threshold, value: float) -> Verdicts:
        """What every rule says of it with another value of one threshold."""
        before = self._followed
        if threshold.name not in self.read:
            return before.verdicts
        with thresholds_moved({threshold.name: value}):
            is_loaded_anew = threshold.name in before.by_load
            recorded = self.load() if is_loaded_anew else before.recorded
            if not is_loaded_anew and threshold.name not in before.by_assemble:
                return _verdicts_on(before.evidence)
            evidence = self.assemble(recorded)
            if threshold.name not in before.by_rules and evidence == before.evidence:
                return before.verdicts
            return _verdicts_on(evidence)

    @cached_property
    def _followed(self) -> _Followed:
        with thresholds_read() as by_load:
            recorded = self.load()
        with thresholds_read() as by_assemble:
            evidence = self.assemble(recorded)
        with thresholds_read() as by_rules:
            verdicts = _verdicts_on(evidence)
        return _Followed(
            recorded, evidence, verdicts,
            frozenset(by_load), frozenset(by_assemble), frozenset(by_rules),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Followed:
    """The steps to the verdicts on a witness, and the names of the thresholds that each reads."""

    recorded: Any
    evidence: Evidence
    verdicts: Verdicts
    by_load: frozenset[str]
    by_assemble: frozenset[str]
    by_rules: frozenset[str]


def _verdicts_on(evidence: Evidence) -> Verdicts:
    said = ask_all(evidence, find_patterns(evidence))
    return tuple(_WORDS[type(said[rule.cause]).__name__] for rule in RULES)


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


def load_witnesses(cases: Sequence[Case]) -> tuple[Witness, ...]:
    """The recorded evidence of the cases, whole and of the first run alone."""
    found: list[Witness] = []
    for case in cases:
        if case.evidence.is_dir():
            capture = open_capture(case.evidence)
            found.append(Witness(case.slug, partial(_runs_of, capture), assemble))
            if len(capture.runs) > 1:
                first = partial(_runs_of, capture, only_first=True)
                found.append(Witness(f"{case.slug}, first run", first, assemble))
    return tuple(found)


def _runs_of(capture: Capture, *, only_first: bool = False) -> tuple[JobRun, ...]:
    return load_failed_job(capture, SilentObserver())[: 1 if only_first else None]


def swept_thresholds() -> tuple[Threshold, ...]:
    """All that decide a rule, or the evidence that a rule reads."""
    of_rules = (one for rule in RULES for one in thresholds_of(rule))
    return tuple(dict.fromkeys((*of_rules, *EVIDENCE_THRESHOLDS)))


def sweep(
    witnesses: Sequence[Witness],
    thresholds: Sequence[Threshold],
    *,
    on_threshold: Callable[[str], None] | None = None,
) -> tuple[Swept, ...]:
    """Move each threshold up and down until a verdict changes.

    Args:
        witnesses: as `load_witnesses`.
        thresholds: those to move, one at a time.
        on_threshold: told the name of each before it is moved.
    """
    found = []
    for threshold in thresholds:
        if on_threshold is not None:
            on_threshold(threshold.name)
        read = sum(threshold.name in one.read for one in witnesses)
        low = _limit(witnesses, threshold, up=False)
        found.append(Swept(threshold, read, low, _limit(witnesses, threshold, up=True)))
    return tuple(found)


def changes_within(
    witnesses: Sequence[Witness], threshold: Threshold, share: float
) -> tuple[str, ...]:
    """The first verdict that changes with a threshold smaller, and larger, by a share of itself."""
    moved = {f"{factor:g} times {threshold.name}": factor for factor in (1 - share, 1 + share)}
    found = {words: _change(witnesses, threshold, factor) for words, factor in moved.items()}
    return tuple(f"{words}: {change}" for words, change in found.items() if change is not None)


def _limit(witnesses: Sequence[Witness], threshold: Threshold, *, up: bool) -> Limit:
    """The farthest factor without a change: by growing steps, then by halving."""
    safe, change = 1.0, None
    for step in _STEPS:
        change = _change(witnesses, threshold, step if up else 1 / step)
        if change is not None:
            break
        safe = step
    if change is None:
        return Limit(threshold.default * (safe if up else 1 / safe), None)
    changed = step
    while changed / safe > _EXACT_TO:
        middle = (safe * changed) ** 0.5
        found = _change(witnesses, threshold, middle if up else 1 / middle)
        if found is None:
            safe = middle
        else:
            changed, change = middle, found
    return Limit(threshold.default * (safe if up else 1 / safe), change)


def _change(witnesses: Sequence[Witness], threshold: Threshold, factor: float) -> str | None:
    """The first verdict that is another with the threshold moved; None where none is."""
    for witness in witnesses:
        said = witness.verdicts_with(threshold, threshold.default * factor)
        for rule, old, new in zip(RULES, witness.verdicts, said, strict=True):
            if old != new:
                return f"{witness.name}: {rule.cause} {old} → {new}"
    return None


def sweep_table(swept: Sequence[Swept], *, witnesses: int) -> str:
    """The table as a Markdown page, the narrowest interval first."""
    lines = [
        "# Thresholds, and how far each can be moved",
        "",
        "Made by `mprof cases sweep --output docs/reference/thresholds.md`; do not edit.",
        "",
        f"Between the two values no rule says anything else on {witnesses} sets of evidence:",
        "every recorded case, whole and by its first run alone.",
        f"A threshold is moved by a factor of {FARTHEST:.0f} at most; `-`: nothing changed.",
        "*Read*: on how many sets of evidence a diagnosis comes to the threshold at all.",
        "The reason for each value stands among the [numbers of the rules](rules/numbers.md).",
        "",
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
    return "\n".join([*lines, ""])


def _width(swept: Swept) -> float:
    """How far the nearer end is: the factor to it."""
    value = swept.threshold.default
    ends = [value / swept.low.value if swept.low.change else FARTHEST]
    ends.append(swept.high.value / value if swept.high.change else FARTHEST)
    return min(ends)


def _value(value: float, unit: str) -> str:
    return format_bytes(value) if unit.startswith("bytes") else f"{value:.3g}"
