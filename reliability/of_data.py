"""Splits, partitions and groups: whether the data dealt otherwise would have let the task live."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from reliability.cures import (
    B92,
    COMMON,
    CURED,
    FAR,
    FARTHER,
    G3,
    K7,
    LOADED,
    M1,
    MANY,
    NONE,
    ORDINARY,
    P61,
    P62,
    PLAIN,
    R2,
    SPLIT,
    UNEVEN,
    WELL,
)
from reliability.laws import BOUNDED, FLUSHED, Law
from reliability.model import Input, Task
from reliability.together import Together

__all__ = ["OfData"]


MOST_PIECES = 8
"""Of a split: eight times the map tasks is the most that anyone sets; of more it may be said."""


class OfData(Together):
    """Changes of how the data is cut and dealt."""

    def _split(self) -> None:
        kept = self._word(M1)
        if kept == "false" or self.task.side != "map":
            return
        n, base = self.task.input.records, self._base(M1)
        best, cut = NONE, 0
        for many in (2, 4, 8, 16):
            if n < many:
                continue
            # A record belongs to the piece in which it begins (LineRecordReader).
            begins = np.cumsum(self.file) - self.file
            cuts = np.arange(1, many) / many * self.file.sum()
            edges = (0, *np.searchsorted(begins, cuts), n)
            pieces = [base.having(base.input.part(a, b)) for a, b in pairwise(edges) if a < b]
            grade = min(self._changed(piece) for piece in pieces)
            if grade > best:
                best, cut = grade, many
        if best < CURED:
            return
        members = self.members[M1]
        main = max(members, key=lambda i: self.end.held[i], default=None)
        law = self.task.consumers[main].law if main is not None else None
        share = self.sizes[M1] / self.task.usable
        solid = kept == "true" and best == WELL and cut <= MOST_PIECES
        solid = solid and self.task.splittable and share >= LOADED
        if not _is_endless(law):
            solid = False
        self._say(SPLIT, "true" if solid else "may", f"{PLAIN[best]} cut into {cut}")

    def _ratio(self) -> float:
        sizes = self.task.partitions
        return float(sizes[self.task.own] / np.mean(sizes)) if sizes else 1.0

    def _dealt(self, many: int) -> int:
        """The groups of this partition dealt to so many reducers."""
        groups = self.task.input.groups
        if groups is None or len(groups) < many:
            return NONE
        parts = [np.arange(j, len(groups), many) for j in range(many)]
        base = self._base(R2)
        return min(self._changed(base.having(base.input.of_groups(p))) for p in parts)

    def _reducers(self) -> None:
        kept = self._word(R2)
        if kept == "false" or self.task.side != "reduce":
            return
        grades = {many: self._dealt(many) for many in (2, 4, 8)}
        best = max(grades.values())
        ratio = self._ratio()
        why = f"{PLAIN[best]} with up to 8 times the reducers; {ratio:.3g} times the mean partition"
        if ratio > ORDINARY:
            if best >= CURED and self._with_mean() < CURED:
                self._say(P61, "may", why)
            return
        groups = self.task.input.groups
        assert groups is not None
        if best == WELL and kept == "true" and len(groups) >= MANY:
            self._say(P61, "true", why)
        elif (
            max(best, *(self._dealt(many) for many in (16, 32, 64, min(len(groups), 64)))) >= CURED
        ):
            self._say(P61, "may", why)

    def _with_mean(self) -> int:
        """With a partition of the mean: groups left out evenly, G_m kept if any is."""
        groups = self.task.input.groups
        assert groups is not None
        keep = max(1, round(len(groups) / self._ratio()))
        chosen = np.unique(np.linspace(0, len(groups) - 1, keep).round().astype(int))
        base = self._base(R2)
        return self._changed(base.having(base.input.of_groups(chosen)))

    def _unbalanced(self) -> None:
        ratio, kept = self._ratio(), self._word(R2)
        if self.task.side != "reduce" or kept == "false" or ratio <= ORDINARY:
            return
        grade = self._with_mean()
        why = f"{PLAIN[grade]} with the mean partition; it has {ratio:.3g} times that"
        groups = self.task.input.groups
        assert groups is not None
        fat = float(groups.max()) > 0.5 * (1 - 1 / ratio) * float(groups.sum())
        if grade == WELL and ratio >= UNEVEN and kept == "true" and not fat:
            self._say(P62, "true", why)
        elif grade >= CURED:
            self._say(P62, "may", why)
        if fat and grade < WELL:
            self._say(P62, "may", "one group makes it large")

    def _hot_key(self) -> None:
        given = self.task.input
        if given.groups is None or self.end.step == 0:
            return
        kept, along = self._word(G3), self._word(R2)
        if kept == "false" and along == "false":
            return
        starts = given.starts
        at = int(np.searchsorted(starts, self.end.step - 1, side="right")) - 1
        own = int(given.groups[at])
        reached = self.end.step - int(starts[at])
        own_bytes = float(given.sizes[starts[at] : starts[at] + own].sum())
        records, sizes = self._passed(at, reached)
        if not len(records):  # the first of all: nothing passed that it could be compared with
            cured = self._changed(self._shorter(at, int(np.median(given.groups)))) >= CURED
            ways = [(float("inf"), CURED if cured else NONE)]
        else:
            most, heaviest = int(records.max()), float(sizes.max())
            ways = []
            if own > most and (records * ORDINARY >= own).sum() < COMMON:
                ways.append((own / most, self._grade_of_group(self._shorter(at, most), at)))
            if own_bytes > heaviest and (sizes * ORDINARY >= own_bytes).sum() < COMMON:
                lighter = self._lighter(at, heaviest)
                ways.append((own_bytes / heaviest, self._grade_of_group(lighter, at)))
        many = 0 if self.task.others is None else int((self.task.others[0] * ORDINARY >= own).sum())
        alone = many < COMMON  # else other reducers have several as large, whatever became of them
        for ratio, grade in ways:
            why = f"{PLAIN[grade]} with G_m no larger than what passed ({ratio:.3g} times that)"
            if grade == WELL and FAR < ratio < float("inf") and kept == "true" and alone:
                self._say(K7, "true", why)
            elif grade >= (FARTHER if kept != "false" and ratio > ORDINARY else CURED):
                self._say(K7, "may", why)
        if kept != "false" and self._median_dies(at):
            many = len(given.groups) + (0 if self.task.others is None else len(self.task.others[0]))
            solid = kept == "true" and many >= COMMON
            self._say(K7, "true" if solid else "may", "the median group dies too")

    def _passed(self, at: int, reached: int) -> tuple[np.ndarray, np.ndarray]:
        """Records and bytes of the groups that passed."""
        given = self.task.input
        assert given.groups is not None
        sums = np.add.reduceat(given.sizes, given.starts)
        records, sizes = given.groups[:at], sums[:at]
        if self.task.others is not None:
            r, s = self.task.others
            fits = r <= 0.95 * reached
            records, sizes = np.concatenate((records, r[fits])), np.concatenate((sizes, s[fits]))
        return records, sizes

    def _grade_of_group(self, task: Task, at: int) -> int:
        """How good a smaller G_m is; farther where it gets past that group."""
        grade = self._changed(task)
        groups = task.input.groups
        assert groups is not None
        past = self._gets_past(task, int(groups[: at + 1].sum()))
        return max(grade, FARTHER if past else NONE)

    def _shorter(self, at: int, most: int) -> Task:
        """With no group from G_m on longer than what passed."""
        base = self._base(G3)
        given = base.input
        assert given.groups is not None
        everyone = np.arange(len(given.groups))
        before, after = given.of_groups(everyone[:at]), given.of_groups(everyone[at:], most)
        assert before.groups is not None
        assert after.groups is not None
        damped = None
        if before.damped is not None and after.damped is not None:
            damped = np.concatenate((before.damped, after.damped))
        joined = Input(
            np.concatenate((before.sizes, after.sizes)),
            np.concatenate((before.work, after.work)),
            np.concatenate((before.groups, after.groups)),
            damped,
        )
        return base.having(joined)

    def _lighter(self, at: int, heaviest: float) -> Task:
        """With no group from G_m on of more bytes than what passed."""
        base = self._base(G3)
        given = base.input
        assert given.groups is not None
        scaled = given.sizes.copy()
        sums = np.add.reduceat(given.sizes, given.starts)
        for g in range(at, len(given.groups)):
            if sums[g] > heaviest:
                start = int(given.starts[g])
                scaled[start : start + int(given.groups[g])] *= heaviest / sums[g]
        return base.having(replace(given, sizes=scaled))

    def _median_dies(self, at: int) -> bool:
        """Whether the median group of the job, met where G_m was, kills the task."""
        given = self.task.input
        assert given.groups is not None
        every = given.groups
        if self.task.others is not None:
            every = np.concatenate((every, self.task.others[0]))
        median = int(np.median(every))
        return median >= given.groups[at] or self._dies_of_median(at, median)

    def _dies_of_median(self, at: int, median: int) -> bool:
        base = self._base(G3)
        given = base.input
        assert given.groups is not None
        upto = given.of_groups(np.arange(at))
        last = given.of_groups(np.arange(at, at + 1), median)
        assert upto.groups is not None
        assert last.groups is not None
        cut = Input(
            np.concatenate((upto.sizes, last.sizes)),
            np.concatenate((upto.work, last.work)),
            np.concatenate((upto.groups, last.groups)),
        )
        return self._end(base.having(cut)) is not None

    def _shuffle(self) -> None:
        how = self.task.shuffling
        assert how is not None
        half = self._changed(replace(self.task, shuffling=replace(how, ratio=how.ratio / 2)))
        if half < CURED:
            eighth = replace(self.task, shuffling=replace(how, ratio=how.ratio / 8))
            if self._changed(eighth) >= CURED:
                self._say(B92, "may", "cured with an eighth of the ratio, not with half")
            return
        ratio = self._ratio()
        mean = replace(how, bytes=how.bytes / ratio)
        mean_lives = self._changed(replace(self.task, shuffling=mean))
        why = f"{PLAIN[half]} with half the ratio; {PLAIN[mean_lives]} with the mean partition"
        why += f", of which it has {ratio:.3g} times"
        spared = ratio > ORDINARY and mean_lives >= CURED
        self._say(B92, "may" if spared else "true", why)
        if spared:
            well = mean_lives == WELL and ratio >= UNEVEN
            self._say(P62, "true" if well else "may", why)
        for many in (2, 4):
            dealt = replace(mean, bytes=mean.bytes / many)
            if self._changed(replace(self.task, shuffling=dealt)) >= CURED:
                self._say(P61, "may", f"cured with {many} times the reducers")


def _is_endless(law: Law | None) -> bool:
    """Whether it grows for as long as data comes, evenly enough that less data is less of it."""
    if law is None or law.name in BOUNDED | FLUSHED | {"late"}:
        return False
    return law.name != "power" or law.k >= 0.7
