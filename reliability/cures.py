"""Runs of a task with something changed, and how good a cure each is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reliability.laws import Curve
from reliability.model import Consumer, Course, End, Task, course_of, end_of

__all__ = [
    "B91",
    "B92",
    "COMMON",
    "CURED",
    "EARLY",
    "FAR",
    "FARTHER",
    "G3",
    "JUMP",
    "K7",
    "LOADED",
    "LONG",
    "M1",
    "MANY",
    "MOST",
    "NEARLY",
    "NONE",
    "ORDINARY",
    "P61",
    "P62",
    "PLAIN",
    "R2",
    "R4",
    "S8",
    "SAY",
    "SMALLER",
    "SPLIT",
    "TRACE",
    "UNEVEN",
    "WEIGHTY",
    "WELL",
    "X5",
    "Cure",
    "Cures",
]

M1, SPLIT = "large_accumulated_results.map", "large_input_split"
R2, G3 = "large_accumulated_results.reduce", "large_accumulated_results.group"
R4, X5 = "large_intermediate_results", "large_external_data"
P61, P62 = "improper_partition.few_reducers", "improper_partition.unbalanced"
K7, S8 = "hotspot_key", "large_single_record"
B91, B92 = "large_framework_buffer.map", "large_framework_buffer.shuffle"

SMALLER: Final = 0.9
"""Capacity with which a good cure still holds."""
SAY: Final = 0.25
"""Share from which a thing has a say."""
LOADED: Final = 0.30
"""Share from which external data and the sort buffer have one."""
JUMP: Final = 0.20
"""Share from which the work on one record has one."""
LONG: Final = 65_536.0
"""Bytes from which anyone calls a record long."""
WEIGHTY: Final = 0.001
"""Of what live objects may take, the least that a record has itself which is called large."""
TRACE: Final = 0.10
"""Share from which it is not false that a thing took the task's room, though another would have."""
ORDINARY: Final = 1.3
"""Times what passed up to which a group, a record or a partition is ordinary."""
FAR: Final = 2.0
"""Times what passed from which it is not."""
UNEVEN: Final = 1.5
"""Times the mean from which a partition is uneven; of two reducers one has at most twice that."""
COMMON: Final = 3
"""So many that passed and are as large make a size ordinary, whatever the largest was."""
MANY: Final = 8
"""Groups from which it is sure that more reducers would share them."""
EARLY: Final = 0.35
"""Share of what the task did before which a full cache looks like a load."""
NEARLY: Final = 0.8
"""Share of the input from which map() is nearly done (paper, rule 9)."""
MOST: Final = 0.5
"""Of what is kept, the share that makes it grown before R_n, or before G_m."""

NONE, FARTHER, CURED, WELL = 0, 1, 2, 3
"""How good a cure is."""
PLAIN: Final = ("not cured", "farther", "cured", "well cured")


@dataclass(frozen=True, slots=True)
class Cure:
    """What a change comes to, and what it changes about."""

    grade: int
    share: float
    largest: bool

    @property
    def says(self) -> bool:
        return self.share >= SAY or self.largest

    @property
    def solid(self) -> bool:
        return self.grade == WELL or (self.grade == CURED and self.largest)


class Cures:
    """A task that died, run again with something changed.

    Args:
        task: that died, as far as anybody could foresee it.
        course: of it.
        end: where it died.
        sizes: of its records as they are, those that nobody could foresee among them: a split is
            cut at bytes of its file.
    """

    def __init__(self, task: Task, course: Course, end: End, sizes: Curve) -> None:
        self.task, self.course, self.end, self.file = task, course, end, sizes
        self.found: dict[str, tuple[str, str]] = {}
        self.beside: dict[str, tuple[str, ...]] = {}
        self.work_cures = False
        self.work_is_far = False
        ones = task.consumers
        self.members: dict[str, list[int]] = {
            M1: self._which(lambda c: c.level == "map" and _grows(c)),
            R2: self._which(lambda c: c.level == "reduce" and _grows(c)),
            G3: self._which(lambda c: c.level == "group"),
            R4: self._which(lambda c: c.level == "record"),
            X5: self._which(lambda c: c.file is not None),
        }
        self.sizes = {name: sum(end.held[i] for i in m) for name, m in self.members.items()}
        self.sizes[R4] += end.flight
        self.sizes[B91] = float(task.buffer) if end.place != "init" else float(end.refused)
        self.sizes[B92] = end.shuffled
        counted = {i for m in self.members.values() for i in m}
        self.rest = [end.held[i] for i in range(len(ones)) if i not in counted]
        self.top = max([*self.sizes.values(), *self.rest])
        others = (size for name, size in self.sizes.items() if name != R4)
        self.top_but_work = max([*others, *self.rest])

    def _which(self, wanted: Callable[[Consumer], bool]) -> list[int]:
        return [
            i for i, one in enumerate(self.task.consumers) if one.owner == "user" and wanted(one)
        ]

    def _say(self, cause: str, word: str, why: str) -> None:
        if cause in (R4, S8) and word == "true" and self.task.threads > 1:
            word, why = "may", why + "; one of several records at once"
        rank = {"false": 0, "may": 1, "true": 2}
        if rank[word] > rank[self.found.get(cause, ("false", ""))[0]]:
            self.found[cause] = (word, why)

    def _word(self, cause: str) -> str:
        return self.found.get(cause, ("false", ""))[0]

    def _grade(self, lives: Callable[[float], End | None]) -> int:
        """How good a cure is; `lives` gives the end with so much capacity."""
        usable = float(self.task.usable)
        end = lives(usable)
        if end is not None:
            past = end.step - self.end.step
            far = min(0.1 * self.task.input.records, 0.5 * self.end.step)
            return FARTHER if past > 0 and past >= far else NONE
        return WELL if lives(SMALLER * usable) is None else CURED

    def _without(self, gone: Sequence[int], left: float = 0.0, buffer: float | None = None) -> int:
        factors = np.ones(len(self.task.consumers))
        factors[list(gone)] = left
        return self._grade(
            lambda usable: self._end(
                self.task, self.course, factors=factors, usable=usable, buffer=buffer
            )
        )

    def _changed(self, task: Task) -> int:
        course = course_of(task)
        return self._grade(lambda usable: self._end(task, course, usable=usable))

    def _end(
        self,
        task: Task,
        course: Course | None = None,
        *,
        factors: Curve | None = None,
        usable: float | None = None,
        buffer: float | None = None,
    ) -> End | None:
        """Where a changed task dies, None where it lives: on paper, or as somebody ran it."""
        return end_of(task, course, factors=factors, usable=usable, buffer=buffer)

    def _cure(self, cause: str, grade: int, size: float | None = None) -> Cure:
        size = self.sizes[cause] if size is None else size
        return Cure(grade, size / self.task.usable, size > 0 and size >= 0.999 * self.top)

    def _group(self) -> int:
        """Index of G_m."""
        return int(np.searchsorted(self.task.input.starts, max(self.end.step, 1) - 1, "right")) - 1

    def _gets_past(self, task: Task, step: int | None = None) -> bool:
        """Whether the task gets past a step, that of the death if none is given."""
        end = self._end(task)
        return end is None or end.step > (self.end.step if step is None else step)

    def _is_beside_skew(self, cure: Cure) -> bool:
        """Whether one record that is far larger than the others is there, and this is not more."""
        skewed = "true" in (self._word(R4), self._word(S8))
        return (skewed or self.work_cures) and not cure.largest

    def _loads_at_death(self, members: Sequence[int]) -> bool:
        """Whether R_n is the record that loads it."""
        step = self.end.step
        if step == 0:
            return False
        return any(
            self.course.after[i, step - 1] < 0.5 * self.course.during[i, step] for i in members
        )


def _grows(one: Consumer) -> bool:
    return not one.law.is_constant
