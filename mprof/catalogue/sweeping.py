"""Moves each threshold until a recorded verdict changes: how far are they from deciding otherwise?

A verdict that hangs on the exact value of a number is luck. Of every threshold the sweep finds the
interval around its value within which no rule says anything else on any recorded evidence, of all
runs and of the first run alone, and the first verdict that changes at each end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mprof.catalogue.case import Case
from mprof.evidence import EVIDENCE_THRESHOLDS, Evidence
from mprof.evidence.assemble import assemble
from mprof.job_run import JobRun
from mprof.patterns import find_patterns
from mprof.rules import RULES, ask_all, thresholds_of
from mprof.runs import SilentObserver, open_capture
from mprof.runs.diagnosing import load_failed_job
from mprof.threshold import Threshold, thresholds_moved
from mprof.units import format_bytes

__all__ = [
    "Limit",
    "Swept",
    "Witness",
    "load_witnesses",
    "sweep",
    "sweep_table",
    "swept_thresholds",
]

FARTHEST = 16.0
"""Times (or parts of) its value by which a threshold is moved at most: beyond it, the number is
another one."""

_STEPS = (1.02, 1.05, 1.1, 1.2, 1.35, 1.5, 2.0, 3.0, 4.0, 8.0, FARTHEST)
_EXACT_TO = 1.01
"""Where a verdict changes between two steps is found to a percent."""

Verdicts = tuple[str, ...]


@dataclass(frozen=True)
class Witness:
    """Recorded evidence that must keep its verdicts.

    Attributes:
        name: of the case; with "first run" where the rerun is left out.
        runs: the job as recorded.
    """

    name: str
    runs: tuple[JobRun, ...]

    @cached_property
    def evidence(self) -> Evidence:
        """What it is evidence of with every threshold at its default."""
        return assemble(self.runs)

    def verdicts(self, moved: Threshold | None = None) -> Verdicts:
        """What every rule says of it with the thresholds in force, in the catalogue's order.

        Args:
            moved: the one that is not at its default, if any.
        """
        evidence = assemble(self.runs) if moved in EVIDENCE_THRESHOLDS else self.evidence
        said = ask_all(evidence, find_patterns(evidence))
        return tuple(type(said[rule.cause]).__name__ for rule in RULES)


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
    """The interval of one threshold in which no recorded verdict changes."""

    threshold: Threshold
    low: Limit
    high: Limit


def load_witnesses(cases: Sequence[Case]) -> tuple[Witness, ...]:
    """The recorded evidence of the cases, whole and of the first run alone."""
    found: list[Witness] = []
    for case in cases:
        if case.evidence.is_dir():
            runs = load_failed_job(open_capture(case.evidence), SilentObserver())
            found.append(Witness(case.slug, runs))
            if len(runs) > 1:
                found.append(Witness(f"{case.slug}, first run", runs[:1]))
    return tuple(found)


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
    expected = [one.verdicts() for one in witnesses]
    found = []
    for threshold in thresholds:
        if on_threshold is not None:
            on_threshold(threshold.name)
        low = _limit(witnesses, expected, threshold, up=False)
        found.append(Swept(threshold, low, _limit(witnesses, expected, threshold, up=True)))
    return tuple(found)


def _limit(
    witnesses: Sequence[Witness], expected: Sequence[Verdicts], threshold: Threshold, *, up: bool
) -> Limit:
    """The farthest factor without a change: by growing steps, then by halving."""
    safe, change = 1.0, None
    for step in _STEPS:
        change = _change(witnesses, expected, threshold, step if up else 1 / step)
        if change is not None:
            break
        safe = step
    if change is None:
        return Limit(threshold.default * (safe if up else 1 / safe), None)
    changed = step
    while changed / safe > _EXACT_TO:
        middle = (safe * changed) ** 0.5
        found = _change(witnesses, expected, threshold, middle if up else 1 / middle)
        if found is None:
            safe = middle
        else:
            changed, change = middle, found
    return Limit(threshold.default * (safe if up else 1 / safe), change)


def _change(
    witnesses: Sequence[Witness], expected: Sequence[Verdicts], threshold: Threshold, factor: float
) -> str | None:
    """The first verdict that is another with the threshold moved; None where none is."""
    with thresholds_moved({threshold.name: threshold.default * factor}):
        for witness, before in zip(witnesses, expected, strict=True):
            for rule, old, new in zip(RULES, before, witness.verdicts(threshold), strict=True):
                if old != new:
                    return f"{witness.name}: {rule.cause} {_WORDS[old]} → {_WORDS[new]}"
    return None


_WORDS = {"Fires": "fires", "Silent": "silent", "CannotTell": "cannot tell"}


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
        "The reason for each value stands among the [numbers of the rules](rules/numbers.md).",
        "",
        "| threshold | value | unit | from | to | first change below | first change above |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in sorted(swept, key=_width):
        threshold = one.threshold
        cells = (
            threshold.name,
            _value(threshold.default, threshold.unit),
            threshold.unit,
            _value(one.low.value, threshold.unit),
            _value(one.high.value, threshold.unit),
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
