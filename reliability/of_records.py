"""R_n and the work on it: whether less of either would have let the task live."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reliability.cures import (
    COMMON,
    CURED,
    FAR,
    FARTHER,
    JUMP,
    LOADED,
    LONG,
    MOST,
    ORDINARY,
    PLAIN,
    R4,
    S8,
    SAY,
    TRACE,
    WEIGHTY,
    X5,
    Cures,
)
from reliability.model import Task

__all__ = ["OfRecords"]


class OfRecords(Cures):
    """Changes of one record."""

    def _capped_work(self) -> tuple[Task, float] | None:
        """The task with no more work from R_n on than before it, and how much more R_n's was."""
        step, given = self.end.step, self.task.input
        if step == 0 or not self.members[R4]:
            return None
        rows = self.course.during[self.members[R4]].sum(axis=0)
        each = rows[1:]
        most = float(each[: step - 1].max()) if step > 1 else float(np.median(each))
        mine = float(each[step - 1])
        scale = np.ones(given.records)
        late = np.arange(given.records) >= step - 1
        too_much = late & (each > most)
        scale[too_much] = most / each[too_much]
        capped = self.task.having(replace(given, damped=scale))
        return capped, mine / most if most > 0 else float("inf")

    def _work(self) -> None:
        capped = self._capped_work()
        if capped is None:
            return
        task, ratio = capped
        made = sum(self.end.held[i] for i in self.members[R4])
        cure = self._cure(R4, self._changed(task), made)
        cure = replace(cure, largest=made > 0 and self.sizes[R4] >= 0.999 * self.top)
        removed = self._without(self.members[R4])
        why = f"{PLAIN[cure.grade]} with the work of records before ({ratio:.3g} times that), "
        why += f"{PLAIN[removed]} without any; {cure.share:.0%} of the heap"
        if self.end.place == "reading":
            ratio = min(ratio, FAR)  # no work on it had begun
        passes = self._gets_past(task)
        self.work_is_far = ratio > FAR and self.sizes[R4] >= JUMP * self.task.usable
        self.work_cures = cure.largest and (cure.grade >= CURED or (passes and ratio > FAR))
        loads = self._loads_at_death(self.members[X5]) and self.sizes[X5] > made
        if cure.solid and cure.share >= self._least(SAY) and ratio > FAR and not loads:
            self._say(R4, "true", why)
        elif passes and cure.largest and cure.share >= MOST and ratio > FAR:
            self._say(R4, "true", why + "; without it R_n would have passed")
        elif (
            cure.grade >= CURED
            or removed >= CURED
            or self.sizes[R4] >= JUMP * self.task.usable
            or (max(cure.grade, removed) == FARTHER and cure.share >= TRACE)
        ):
            self._say(R4, "may", why)

    def _record(self) -> None:
        step, given = self.end.step, self.task.input
        if step == 0:
            return
        passed = self._passed_sizes()
        first = not len(passed)
        most = float(passed.max()) if not first else float(np.median(given.sizes))
        ratio = float(given.sizes[step - 1]) / most
        alike = int((passed * ORDINARY >= given.sizes[step - 1]).sum())
        made = self.end.flight + sum(
            self.end.held[i] - self.course.after[i, step - 1]
            for i, one in enumerate(self.task.consumers)
            if one.by == "bytes"
        )
        ordinary = ratio <= 1.0 or alike >= COMMON
        least = SAY if len(passed) < COMMON else LOADED  # of few nothing is ordinary yet
        full = made >= max(least * self.task.usable, self.top_but_work)
        if ordinary and not full:
            return
        full |= ratio > ORDINARY and self._asked() > self.task.usable - self.task.base
        sizes = given.sizes.copy()
        sizes[step - 1 :] = np.minimum(sizes[step - 1 :], most)
        size = given.sizes[step - 1] / self.task.grain
        weighty = size >= max(WEIGHTY * self.task.usable, LONG)
        far = ratio > FAR and not first and weighty
        held = made / self.task.usable  # without what was asked for and not granted
        made += self.end.refused if self.end.array else 0.0
        smaller = self.task.having(replace(given, sizes=sizes))
        cure = self._cure(S8, self._changed(smaller), made)
        passes = self._gets_past(smaller)
        why = f"{PLAIN[cure.grade]} with R_n no larger than what passed ({ratio:.3g} times that)"
        why += f"; {cure.share:.0%} of the heap"
        if ordinary:
            self._say(S8, "may", "every record is as large, and takes most of the heap")
        elif cure.solid and held >= self._least(SAY) and far:
            self._say(S8, "true", why)
            if self.end.place == "reading":
                self._say(R4, "may", "the record itself fills the heap")
        elif passes and cure.largest and held >= MOST and far:
            self._say(S8, "true", why + "; as large as those it would have passed")
        elif cure.grade >= CURED and cure.share >= (0.0 if ratio > ORDINARY else JUMP):
            self._say(S8, "may", why)
        elif (
            full
            or (far and self.work_is_far)
            or (passes and ratio > ORDINARY and cure.share >= TRACE)
        ):
            self._say(S8, "may", why + "; as large as those it would have passed")

    def _asked(self) -> float:
        """What R_n would have taken by its size, with nothing else in the heap."""
        step = self.end.step
        grown = self.course.during[:, step] - self.course.after[:, step - 1]
        by_size = [i for i, one in enumerate(self.task.consumers) if one.by == "bytes"]
        return float(self.course.flight[step] + grown[by_size].sum())

    def _least(self, share: float) -> float:
        """The share that is asked for: more where half of the heap is nobody's result."""
        foreign = max(self.rest, default=0.0) >= MOST * self.task.usable
        return max(share, LOADED) if foreign else share

    def _passed_sizes(self) -> np.ndarray:
        return self.task.input.sizes[: self.end.step - 1]

    def _record_is_large(self) -> bool:
        passed = self._passed_sizes()
        step = self.end.step
        return bool(len(passed) and self.task.input.sizes[step - 1] > ORDINARY * passed.max())
