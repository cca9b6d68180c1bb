"""Calibration: the sensitivities with which few enough nodes of control runs are indicted.

`mprof calibrate` asks each detector about each control run, in which nothing was wrong, with each
candidate value of its sensitivity, the threshold that says how far from its peers a node must be.
It counts nodes; a node of several runs counts once for each run.

- Each detector gets the most sensitive candidate with which at most 3 % of the nodes are indicted
  (Ganesha; Blimey) and most verdicts are not withheld. If there is none, or there are too few
  nodes, its default stays.
- If there are too few nodes to show that the rate is 3 % or less, they may make a detector less
  sensitive than it is by default, but never more.
- A node is a suspect if any detector indicts it. While more than 3 % of the nodes are suspects, the
  sensitivity whose next candidate leaves fewest of them is lowered; if no candidate helps, each
  detector keeps its own.
- The rate to expect of a new run is the one found when each run is judged with the values that the
  *other* runs give.

`bb-profile` judges each run by profiles that were learnt from other runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mprof.peers.statistics.share import Share, together
from mprof.threshold import Threshold

__all__ = [
    "ENOUGH_TO_SHOW",
    "FEWEST_CONTROLS",
    "MOST_FALSE",
    "THRESHOLDS",
    "Judged",
    "Trial",
    "any_of",
    "chosen",
    "held_out",
    "held_out_of_each",
    "share_of",
    "why_not",
]

MOST_FALSE: Final = Threshold(
    "peers.most-false", 0.03, "share of the nodes of control runs",
    "Ganesha's and Blimey's: at most 3 % of the nodes of fault-free runs are indicted",
)  # fmt: skip
FEWEST_CONTROLS: Final = Threshold(
    "peers.fewest-controls", 34, "nodes of control runs",
    "of fewer, a single false alarm is more than 3 %, so that at most 3 % says no more than none",
)  # fmt: skip
ENOUGH_TO_SHOW: Final = Threshold(
    "peers.enough-to-show", 125, "nodes of control runs",
    "with no false alarm among so many, Wilson's interval of 95 % ends at 3 %; with fewer, none is"
    " not known to be below it",
)  # fmt: skip
MOST_SILENT: Final = Threshold(
    "peers.most-silent", 0.5, "share of the control runs",
    "a value with which most verdicts are withheld raises no false alarm, and no other",
)  # fmt: skip


THRESHOLDS: Final = (MOST_FALSE, FEWEST_CONTROLS, ENOUGH_TO_SHOW, MOST_SILENT)
"""Every number of the choice."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a detector says of the nodes of a run, with one value of its threshold.

    Attributes:
        judged: of which it says anything; nobody where the verdict is withheld.
        indicted: of these, those that it names.
    """

    judged: frozenset[str]
    indicted: frozenset[str]


Trial = Sequence[Sequence[Judged | None]]
"""Of one sensitivity: a row a candidate, a column a run; None where the run has nothing for it."""


def share_of(results: Sequence[Judged | None]) -> Share:
    """Nodes indicted of those judged, a node of each run for itself."""
    return together(Share(len(each.indicted), len(each.judged)) for each in results if each)


def any_of(columns: Sequence[Sequence[Judged | None]]) -> Share:
    """Nodes that any detector indicts, of those that any has judged.

    Args:
        columns: of each detector, what it says of each run.
    """
    indicted = judged = 0
    for run in zip(*columns, strict=True):
        there = [each for each in run if each is not None]
        judged += len(frozenset().union(*(each.judged for each in there)))
        indicted += len(frozenset().union(*(each.indicted for each in there)))
    return Share(indicted, judged)


def chosen(
    trials: Sequence[Trial], runs: Sequence[int], *, fewest: float = 0
) -> tuple[int | None, ...]:
    """Of each sensitivity, the number of the candidate that these runs ask for.

    First each for itself: the most sensitive with which at most 3 % of its nodes are indicted. A
    node is a suspect if any detector indicts it, so then, while these are more than 3 % together,
    the sensitivity whose next candidate leaves fewest is lowered; where none does, all stay.

    Args:
        trials: one a sensitivity of nodes.
        runs: numbers of the runs that are asked.
        fewest: nodes that must have been judged.

    Returns:
        None for a sensitivity for which there is no such candidate.
    """
    every = [
        [[row[run] for run in runs] for row in trial]  # what these runs say
        for trial in trials
    ]
    first = tuple(
        next(
            (number for number, row in enumerate(rows) if _allowed(row, fewest=fewest)),
            None,
        )
        for rows in every
    )
    return _lowered(every, first)


def _allowed(row: Sequence[Judged | None], *, fewest: float) -> bool:
    there = [each for each in row if each is not None]
    share = share_of(row)
    silent = sum(not each.judged for each in there)
    return (
        share.total >= max(1, fewest)
        and share.count <= MOST_FALSE.value * share.total
        and silent <= MOST_SILENT.value * len(there)
    )


def _lowered(every: Sequence[Trial], first: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """The same, less sensitive where the detectors together indict more than 3 %."""
    now = first
    while True:
        share = _share_with(every, now)
        if share.count <= MOST_FALSE.value * share.total:
            return now
        steps = [
            (*now[:place], number + 1, *now[place + 1 :])
            for place, number in enumerate(now)
            if number is not None and number + 1 < len(every[place])
        ]
        if not steps:
            return first
        # Of steps that help as much, that of the detector with the most false alarms of its own.
        now = min(steps, key=lambda step: (_share_with(every, step).count, _own(every, now, step)))


def _share_with(every: Sequence[Trial], numbers: Sequence[int | None]) -> Share:
    return any_of([
        rows[number] for rows, number in zip(every, numbers, strict=True) if number is not None
    ])  # fmt: skip


def _own(every: Sequence[Trial], now: Sequence[int | None], step: Sequence[int | None]) -> int:
    """Less where the detector that the step lowers has more false alarms."""
    place = next(i for i, (one, other) in enumerate(zip(now, step, strict=True)) if one != other)
    return -share_of(every[place][now[place] or 0]).count


def held_out(trials: Sequence[Trial], *, defaults: Sequence[int], set_: Sequence[bool]) -> Share:
    """Nodes that any detector indicts, each run judged with what the others ask for.

    Args:
        trials: one a sensitivity of nodes.
        defaults: of each, the number of the candidate that is its default.
        set_: whether control runs set it at all; the default is in force where not.
    """
    return any_of(_unseen(trials, defaults=defaults, set_=set_))


def held_out_of_each(
    trials: Sequence[Trial], *, defaults: Sequence[int], set_: Sequence[bool]
) -> tuple[Share, ...]:
    """The same of each detector alone."""
    return tuple(share_of(each) for each in _unseen(trials, defaults=defaults, set_=set_))


def _unseen(
    trials: Sequence[Trial], *, defaults: Sequence[int], set_: Sequence[bool]
) -> list[list[Judged | None]]:
    count = len(trials[0][0]) if trials else 0
    columns: list[list[Judged | None]] = [[] for _ in trials]
    movable = [trial for trial, moves in zip(trials, set_, strict=True) if moves]
    for run in range(count):
        others = [other for other in range(count) if other != run]
        numbers = iter(chosen(movable, others))
        for place, trial in enumerate(trials):
            number = next(numbers) if set_[place] else None
            columns[place].append(trial[defaults[place] if number is None else number][run])
    return columns


def why_not(trial: Trial, *, of: str) -> str:
    """Why no candidate is taken, in words.

    Args:
        trial: of a sensitivity for which `chosen` gives None.
        of: who was judged: ``nodes``.
    """
    if all(each is None for each in trial[0]):
        return "no control run has anything for it"
    most = max(share_of(row).total for row in trial)
    if most < FEWEST_CONTROLS.value:
        return (
            f"{most} {of} of control runs were judged, and {FEWEST_CONTROLS.value:.0f} are needed:"
            f" of fewer, one false alarm is more than {MOST_FALSE.value:.0%}"
        )
    least = min(
        (share.rate for row in trial if (share := share_of(row)).rate is not None),
        default=math.nan,
    )
    return (
        f"no value keeps false alarms at {MOST_FALSE.value:.0%} without withholding most verdicts:"
        f" the fewest are {least:.1%}"
    )
