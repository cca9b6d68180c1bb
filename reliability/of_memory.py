"""What is kept, what was loaded, the sort buffer: which of them would have let the task live."""

from __future__ import annotations

from collections.abc import Sequence

from reliability.cures import (
    B91,
    CURED,
    EARLY,
    FAR,
    FARTHER,
    G3,
    JUMP,
    LOADED,
    M1,
    MOST,
    NEARLY,
    PLAIN,
    R2,
    R4,
    SAY,
    TRACE,
    WELL,
    X5,
    Cures,
)
from reliability.model import Consumer

__all__ = ["OfMemory"]


class OfMemory(Cures):
    """Changes of what outlives a record."""

    def _kept(self, cause: str) -> None:
        members = self.members[cause]
        if not members:
            return
        grade = max(self._without(members), *(self._without([one]) for one in members))
        cure = self._cure(cause, grade)
        why = f"{PLAIN[grade]} without what is kept, {cure.share:.0%} of the heap"
        if (
            cure.solid and cure.says and (cure.share >= LOADED or not self._is_beside_skew(cure))
        ) or (grade == FARTHER and cure.largest and cure.share >= MOST):
            word = "true"
        elif grade >= CURED or cure.share >= SAY or (grade == FARTHER and cure.share >= TRACE):
            word = "may"
        else:
            word = "false"
        main = self.task.consumers[max(members, key=lambda i: self.end.held[i])]
        if word == "true" and cause != G3 and self._was_full_early(main):
            word, why = "may", why + "; full so early that it looks loaded"
            self._say(X5, "may", "a cache that was full early")
        if word != "false" and self._share_before(members) < MOST:
            if word == "true":
                word, why = "may", why + "; most of it came with R_n"
            self._say(R4, "may", "most of what is kept came with R_n")
        if self._jumps_at_death():
            self._say(R4, "may", "what is kept grew far more with R_n than with any before")
        if word != "false" and cause == R2 and self._share_before_group(members) < MOST:
            if self._group() == 0 or self._share_before_group(members) < JUMP:
                word, why = "may", why + "; it looks like the group's"
            self._say(G3, "may", "most of what the reducer keeps came with G_m")
        self._say(cause, word, why)

    def _share_before(self, members: Sequence[int]) -> float:
        """Of what is kept, had R_n got all it asked for, how much was there before."""
        step = max(self.end.step, 1)
        wanted = float(self.course.during[members, step].sum())
        before = float(self.course.after[members, step - 1].sum())
        return before / wanted if wanted else 0.0

    def _jumps_at_death(self) -> bool:
        """Whether R_n made what is kept grow by a fifth of the heap, twice as much as any did."""
        members = [i for name in (M1, R2, G3) for i in self.members[name]]
        step = self.end.step
        if step == 0 or not members:
            return False
        after = self.course.after[members].sum(axis=0)
        jumps = self.course.during[members].sum(axis=0)[1:] - after[:-1]
        mine = sum(self.end.held[i] for i in members) - float(after[step - 1])
        most = float(jumps[: step - 1].max()) if step > 1 else 0.0
        return mine >= JUMP * self.task.usable and mine >= FAR * most

    def _share_before_group(self, members: Sequence[int]) -> float:
        """Of what the reducer keeps at death, how much was there before G_m began."""
        start = int(self.task.input.starts[self._group()])
        held = sum(self.end.held[i] for i in members)
        before = float(self.course.after[members, start].sum())
        return before / held if held and self.end.step else 1.0

    def _was_full_early(self, one: Consumer) -> bool:
        """Whether it is a cache, and was full before a quarter of what the task did."""
        if one.law.name not in ("cache", "saturating"):
            return False
        row = self.course.after[self.task.consumers.index(one)]
        at = int(EARLY * self.end.step)
        groups = self.task.input.groups
        if groups is not None and len(groups) > 1:
            at = max(at, int(groups[:2].sum()))  # before the third of the probes that groups allow
        at = min(at, max(self.end.step - 1, 0))
        return bool(row[at] >= 0.9 * row[max(self.end.step - 1, 0)])

    def _others_keep(self) -> None:
        """What writers, readers, libraries and loads from no file keep."""
        for i, one in enumerate(self.task.consumers):
            if one.owner == "user" and not (one.law.name == "lazy" and one.file is None):
                continue
            grade = self._without([i])
            share = self.end.held[i] / self.task.usable
            if grade < CURED and not (grade == FARTHER and share >= TRACE):
                continue
            cause = {"map": M1, "reduce": R2, "group": G3}.get(one.level)
            if cause is not None:
                self._say(cause, "may", f"the {one.owner}'s {one.name} cures")
            if cause == R2 and self._group() == 0:
                self._say(G3, "may", f"in the first group {one.name} looks like the group's")
            if one.law.name == "lazy":
                self._say(X5, "may", f"{one.name} was filled once, from no file")

    def _external(self) -> None:
        members = self.members[X5]
        if not members:
            return
        cure = self._cure(X5, self._without(members))
        why = f"{PLAIN[cure.grade]} without what was loaded, {cure.share:.0%} of the heap"
        if cure.grade < CURED:
            least = LOADED if self._loads_at_death(members) else MOST
            if cure.grade == FARTHER and cure.largest and cure.share >= least:
                self._say(X5, "may", why)
            return
        loading = self.end.place == "setup" or self._loads_at_death(members)
        if cure.solid and (cure.share >= LOADED or (loading and cure.largest)):
            beside = self._loads_at_death(members) or self._is_beside_skew(cure)
            self._say(X5, "may" if beside else "true", why)
        else:
            self._say(X5, "may", why)

    def _buffer(self) -> None:
        if not self.task.buffer:
            return
        half = self._cure(B91, self._without([], 1.0, self.task.buffer / 2))
        eighth = self._cure(B91, self._without([], 1.0, self.task.buffer / 8))
        why = f"{PLAIN[half.grade]} with half of it, {PLAIN[eighth.grade]} with an eighth"
        why += f"; {half.share:.0%} of the heap"
        nearly = self._done() >= NEARLY and not self._larger_than(half.share)
        beside = self._is_beside_skew(half)
        large = half.share >= LOADED and (half.largest or (nearly and not beside))
        if (half.solid and large) or (eighth.grade == WELL and half.largest and half.share >= MOST):
            self._say(B91, "true", why)
        elif eighth.grade >= CURED or (
            eighth.grade == FARTHER and half.largest and half.share >= MOST
        ):
            self._say(B91, "may", why)

    def _done(self) -> float:
        """How much of its input it had taken in."""
        sizes = self.task.input.sizes
        return float(sizes[: self.end.step].sum() / sizes.sum())

    def _larger_than(self, share: float) -> bool:
        """Whether something that was loaded is true and larger."""
        return self._word(X5) == "true" and self.sizes[X5] / self.task.usable > share
