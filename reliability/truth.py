"""What is true of a task: told by what would have let it live, never by a rule.

The task is run on paper. Then it is run again with one thing changed, and what lets it come to its
end says what it died of. Nobody looks at shapes, fences or shares to find a cause; shares decide
only how much of a say a thing has that was *part* of the cure. Each cause is then one of

- **true**: mprof must not deny it,
- **may**: neither required nor false; it is counted apart,
- **false**: everything else. Of a task that did not die every cause is false.

The words
---------
*Cured*: with the change the task comes to its end. *Well cured*: it does so with the capacity 10 %
smaller too. *Farther*: it does not come to its end, but gets past the step of its death by a tenth
of its input. *Share*: of what live objects may take, as held at death. *Largest*: no other item
(the sort buffer, what was loaded, what is kept of the map or reduce, of the group, the work on R_n
with the record itself) held more at death. *Has a say*: share of at least a quarter, or largest.
*Passed*: groups and records before the death, and the groups of other reducers that are smaller
than G_m had become when the task died.

The causes
----------
`large_accumulated_results.map`, `.reduce`, `.group`
    Change: what user code keeps for the map, the reduce or the group is not kept, each consumer
    alone and all of that lifecycle together. True where cured, and well cured or largest, and it
    has a say. May where cured otherwise, or farther with a share of a tenth. What is loaded once
    and never grows is not among them; neither is work space of a fixed size. A cache that was full
    before a quarter of what the task did, or that was filled from no file in the first records, may
    be called either this or external data: both are *may*. What a record writer, a record reader or
    a library keeps is *may* wherever its removal cures: it is no result of the user's code, and
    the report may still name it so.

`large_input_split`
    Asked where map-level accumulation is true or may. Change: the split is cut into 2, 4 or 8 and
    every piece is run. True where all pieces come to their end with the capacity 10 % smaller, the
    accumulation is true, the file can be cut, and it grows for as long as data comes (not a cache,
    a saturating set, a logarithm, or a buffer that is flushed: for these the size of the split is
    not what is wrong, and it is *may*). May where the pieces come to their end at all.

`improper_partition.few_reducers`
    Asked where reduce-level accumulation is true or may. Change: the groups of this partition are
    dealt to 2, 4 or 8 reducers and each is run. True where all come to their end with the capacity
    10 % smaller, the accumulation is true and the partition is no larger than 1.3 times the mean.
    May where they come to their end at all, also with 16 to 64, or where the partition is larger
    and the mean one would have died too. In the shuffle: may where 2 to 8 times the reducers cure
    the mean partition, else false; that the mean partition is larger than the heap is normal.

`improper_partition.unbalanced`
    Change: the partition holds the mean (groups left out evenly, or the shuffle fetches less).
    True where well cured, it held 1.5 times the mean or more, and reduce-level accumulation is true or
    the task died in the shuffle. May where cured and it held 1.3 times the mean, or where one group
    is what makes it large. False below 1.3 times the mean.

`hotspot_key`
    Asked where group-level accumulation is true or may. Change: no group from G_m on is longer than
    the longest that passed. True where well cured and G_m is twice the longest that passed, in
    records or bytes; may from 1.3 times. Also true where the median group of the job, met instead
    of G_m, kills the task (the key is too coarse). A G_m no larger than 1.3 times what passed is
    ordinary: false. Also may where a reduce-level accumulation is cured by it.

`large_intermediate_results`
    Change: the work on R_n and on every record after it makes no more temporary objects than the
    most that a record before it made (of the first record: than the median one). True where cured,
    and well cured or largest, it held a fifth, and the work was more than twice that of any record
    before. May where cured otherwise, where the work on *every* record is what is too large
    (removing it cures), or farther with a share of a tenth. Never true of what is loaded once, even
    if R_n is the record that loads it: there it is false.

`large_single_record`
    Change: R_n and every record after it is no larger than the largest that passed. True where
    well cured or largest, the record with what is made of it held a fifth, and it is more than
    twice the largest that passed; may from 1.3 times, or where it is the first record, or has less
    than 64 KB: what is made of a short record is not the record's fault.

`large_external_data`
    Change: what was loaded from files is not loaded. True where cured, and well cured or largest,
    and it held 30 %; or the task died while it was loaded. May where cured otherwise. False where
    the task dies without it all the same: it fits beside what outgrows the heap anyway. False too
    of work space that no file fills.

`large_framework_buffer.map`
    Change: the sort buffer is halved; and brought down to an eighth. True where half cures, and
    well cured or largest, with a share of 30 %; where an eighth cures well and it is largest with a
    half of the heap; and where it cannot be allocated. May where one record or group that holds
    more is true: its like may be larger still, whatever the buffer. May where an eighth cures otherwise. False
    where the task dies beside an eighth of it all the same.

`large_framework_buffer.shuffle`
    Asked of a death in the shuffle. Change: the ratio is halved. True where cured, and the mean
    partition would have died too; may where cured and the mean partition fits.

Joint cures
-----------
Where no single change cures, pairs and triples of them are tried. The members of the smallest sets
that cure are true with a share of a quarter or more (external data: 30 %), else may. What is in no
such set stays what it was. Where one does cure alone, what cures only together with others is may
if it had a say, else false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Final

import numpy as np

from mprof.rules import RULES
from reliability.laws import BOUNDED, FLUSHED, Law
from reliability.model import Consumer, Course, End, Input, Task, course_of, end_of

__all__ = ["CAUSES", "Truth", "truth_of"]

M1, SPLIT = "large_accumulated_results.map", "large_input_split"
R2, G3 = "large_accumulated_results.reduce", "large_accumulated_results.group"
R4, X5 = "large_intermediate_results", "large_external_data"
P61, P62 = "improper_partition.few_reducers", "improper_partition.unbalanced"
K7, S8 = "hotspot_key", "large_single_record"
B91, B92 = "large_framework_buffer.map", "large_framework_buffer.shuffle"

CAUSES: Final = tuple(rule.cause for rule in RULES)
"""The ids that a truth speaks of, in the catalogue's order."""

SMALLER: Final = 0.9
"""Capacity with which a good cure still holds."""
SAY: Final = 0.25
"""Share from which a thing has a say."""
LOADED: Final = 0.30
"""Share from which external data and the sort buffer have one."""
JUMP: Final = 0.20
"""Share from which the work on one record has one."""
TRACE: Final = 0.10
"""Share from which it is not false that a thing took the task's room, though another would have."""
LONG: Final = 65_536.0
"""Bytes from which anyone calls a record long."""
ORDINARY: Final = 1.3
"""Times what passed up to which a group, a record or a partition is ordinary."""
FAR: Final = 2.0
"""Times what passed from which it is not."""
UNEVEN: Final = 1.5
"""Times the mean from which a partition is uneven; of two reducers one has at most twice the mean."""
COMMON: Final = 3
"""So many that passed and are as large make a size ordinary, whatever the largest was."""
EARLY: Final = 0.35
"""Share of what the task did before which a full cache looks like a load."""
NEARLY: Final = 0.8
"""Share of the input from which map() is nearly done (paper, rule 9)."""
MOST: Final = 0.5
"""Of what is kept, the share that makes it grown before R_n, or before G_m."""

_NONE, _FARTHER, _CURED, _WELL = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a task.

    Attributes:
        end: where it died, None where it did not.
        true: causes that must not be denied.
        may: causes that are neither required nor false.
        why: of each cause that is not plainly false, what was tried and what came of it.
    """

    end: End | None
    true: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()
    why: Mapping[str, str] = None  # type: ignore[assignment]

    def of(self, cause: str) -> str:
        """`true`, `may` or `false`."""
        return "true" if cause in self.true else "may" if cause in self.may else "false"


@dataclass(frozen=True, slots=True)
class _Cure:
    """What a change comes to, and what it changes about."""

    grade: int
    share: float
    largest: bool

    @property
    def says(self) -> bool:
        return self.share >= SAY or self.largest

    @property
    def solid(self) -> bool:
        return self.grade == _WELL or (self.grade == _CURED and self.largest)


def truth_of(task: Task) -> Truth:
    """What is true of a task."""
    end = end_of(task)
    if end is None:
        return Truth(None, why={})
    task = foreseeable(task, end)
    return _Judge(task, course_of(task), end).judge()


def foreseeable(task: Task, end: End) -> Task:
    """The task without surprises after its death.

    No later record is larger, needs more work, and no later group is longer, than the largest that
    it had met by then.
    """
    step, given = end.step, task.input
    if step == 0:
        return task
    sizes, work = given.sizes.copy(), given.work.copy()
    sizes[step:] = np.minimum(sizes[step:], sizes[:step].max())
    work[step:] = np.minimum(work[step:], work[:step].max())
    given = replace(given, sizes=sizes, work=work)
    if given.groups is None:
        return task.having(given)
    at = int(np.searchsorted(given.starts, step - 1, side="right")) - 1
    longest = int(given.groups[: at + 1].max())
    if int(given.groups.max()) > longest:
        everyone = np.arange(len(given.groups))
        given = given.of_groups(everyone, longest)
    return task.having(given)


class _Judge:
    """The interventions on one task that died."""

    def __init__(self, task: Task, course: Course, end: End) -> None:
        self.task, self.course, self.end = task, course, end
        self.found: dict[str, tuple[str, str]] = {}
        self.beside: dict[str, tuple[str, ...]] = {}
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

    def judge(self) -> Truth:
        place = self.end.place
        if place == "init":
            self._say(B91, "true", "the sort buffer cannot be allocated")
        elif place == "shuffle":
            self._shuffle()
        else:
            self._work()
            self._record()
            self._kept(M1)
            self._kept(R2)
            self._kept(G3)
            self._others_keep()
            self._external()
            self._buffer()
            self._joint()
            self._split()
            self._reducers()
            self._unbalanced()
            self._hot_key()
            self._buffer_beside_one()
        pick = lambda word: frozenset(c for c, (w, _) in self.found.items() if w == word)  # noqa: E731
        return Truth(
            self.end,
            pick("true"),
            pick("may"),
            {c: f"{w}: {y}" for c, (w, y) in self.found.items()},
        )

    # -- what a change comes to

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
            return _FARTHER if past > 0 and past >= far else _NONE
        return _WELL if lives(SMALLER * usable) is None else _CURED

    def _without(self, gone: Sequence[int], left: float = 0.0, buffer: float | None = None) -> int:
        factors = np.ones(len(self.task.consumers))
        factors[list(gone)] = left
        return self._grade(
            lambda usable: end_of(
                self.task, self.course, factors=factors, usable=usable, buffer=buffer
            )
        )

    def _changed(self, task: Task) -> int:
        course = course_of(task)
        return self._grade(lambda usable: end_of(task, course, usable=usable))

    def _cure(self, cause: str, grade: int, size: float | None = None) -> _Cure:
        size = self.sizes[cause] if size is None else size
        return _Cure(grade, size / self.task.usable, size > 0 and size >= 0.999 * self.top)

    # -- accumulation

    def _kept(self, cause: str) -> None:
        members = self.members[cause]
        if not members:
            return
        grade = max(self._without(members), *(self._without([one]) for one in members))
        cure = self._cure(cause, grade)
        why = f"{_PLAIN[grade]} without what is kept, {cure.share:.0%} of the heap"
        if cure.solid and cure.says and (cure.share >= LOADED or not self._is_beside_skew(cure)):
            word = "true"
        elif grade == _FARTHER and cure.largest and cure.share >= MOST:
            word = "true"
        elif grade >= _CURED or cure.share >= SAY or (grade == _FARTHER and cure.share >= TRACE):
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
        if word != "false" and cause == R2 and self._share_before_group(members) < MOST:
            if self._group() == 0 or self._share_before_group(members) < JUMP:
                word, why = "may", why + "; it looks like the group's"
            self._say(G3, "may", "most of what the reducer keeps came with G_m")
        self._say(cause, word, why)

    def _share_before(self, members: Sequence[int]) -> float:
        """Of what is kept at death, how much was there before the step of the death."""
        step = max(self.end.step, 1)
        held = sum(self.end.held[i] for i in members)
        if self.end.array and any(self.task.consumers[i].law.name == "doubling" for i in members):
            held += self.end.refused
        before = float(self.course.after[members, step - 1].sum())
        return before / held if held else 0.0

    def _group(self) -> int:
        """Index of G_m."""
        return int(np.searchsorted(self.task.input.starts, max(self.end.step, 1) - 1, "right")) - 1

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
            if grade < _CURED and not (grade == _FARTHER and share >= TRACE):
                continue
            cause = {"map": M1, "reduce": R2, "group": G3}.get(one.level)
            if cause is not None:
                self._say(cause, "may", f"the {one.owner}'s {one.name} cures")
            if cause == R2 and self._group() == 0:
                self._say(G3, "may", f"in the first group {one.name} looks like the group's")
            if one.law.name == "lazy":
                self._say(X5, "may", f"{one.name} was filled once, from no file")

    # -- loads and buffers

    def _external(self) -> None:
        members = self.members[X5]
        if not members:
            return
        cure = self._cure(X5, self._without(members))
        why = f"{_PLAIN[cure.grade]} without what was loaded, {cure.share:.0%} of the heap"
        if cure.grade < _CURED:
            if cure.grade == _FARTHER and cure.largest and cure.share >= MOST:
                self._say(X5, "may", why)
            return
        loading = self.end.place == "setup" or self._loads_at_death(members)
        if cure.solid and (cure.share >= LOADED or (loading and cure.largest)):
            beside = self._loads_at_death(members) or self._is_beside_skew(cure)
            self._say(X5, "may" if beside else "true", why)
        else:
            self._say(X5, "may", why)

    def _is_beside_skew(self, cure: _Cure) -> bool:
        """Whether one record that is far larger than the others is there, and this is not more."""
        skewed = "true" in (self._word(R4), self._word(S8))
        return skewed and not cure.largest

    def _loads_at_death(self, members: Sequence[int]) -> bool:
        """Whether R_n is the record that loads it."""
        step = self.end.step
        if step == 0:
            return False
        return any(
            self.course.after[i, step - 1] < 0.5 * self.course.during[i, step] for i in members
        )

    def _buffer(self) -> None:
        if not self.task.buffer:
            return
        half = self._cure(B91, self._without([], 1.0, self.task.buffer / 2))
        eighth = self._cure(B91, self._without([], 1.0, self.task.buffer / 8))
        why = f"{_PLAIN[half.grade]} with half of it, {_PLAIN[eighth.grade]} with an eighth"
        why += f"; {half.share:.0%} of the heap"
        nearly = self._done() >= NEARLY and not self._larger_than(half.share)
        beside = self._is_beside_skew(half)
        large = half.share >= LOADED and (half.largest or (nearly and not beside))
        if half.solid and large:
            self._say(B91, "true", why)
        elif eighth.grade == _WELL and half.largest and half.share >= MOST:
            self._say(B91, "true", why)  # noqa: SIM114  # two reasons
        elif eighth.grade >= _CURED or (
            eighth.grade == _FARTHER and half.largest and half.share >= MOST
        ):
            self._say(B91, "may", why)

    def _buffer_beside_one(self) -> None:
        """A buffer beside one record or group that holds more, and is itself to blame, is *may*."""
        word, why = self.found.get(B91, ("false", ""))
        larger = [
            cause
            for cause in (R4, S8, G3)
            if self._word(cause) == "true" and self.sizes.get(cause, 0.0) >= self.sizes[B91]
        ]
        if word == "true" and larger:
            self.found[B91] = ("may", f"{why}; beside a record or group that holds more")

    def _done(self) -> float:
        """How much of its input it had taken in."""
        sizes = self.task.input.sizes
        return float(sizes[: self.end.step].sum() / sizes.sum())

    def _larger_than(self, share: float) -> bool:
        """Whether something that was loaded is true and larger."""
        return self._word(X5) == "true" and self.sizes[X5] / self.task.usable > share

    # -- one record

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
        removed = self._without(self.members[R4])
        why = f"{_PLAIN[cure.grade]} with the work of records before ({ratio:.3g} times that), "
        why += f"{_PLAIN[removed]} without any; {cure.share:.0%} of the heap"
        if self.end.place == "reading":
            ratio = min(ratio, FAR)  # no work on it had begun
        passes = self._gets_past(task)
        if cure.solid and cure.share >= JUMP and ratio > FAR:
            self._say(R4, "true", why)
        elif passes and cure.largest and cure.share >= MOST and ratio > FAR:
            self._say(R4, "true", why + "; without it R_n would have passed")
        elif cure.grade >= _CURED or removed >= _CURED or cure.share >= JUMP:
            self._say(R4, "may", why)
        elif max(cure.grade, removed) == _FARTHER and cure.share >= TRACE:
            self._say(R4, "may", why)

    def _gets_past(self, task: Task, step: int | None = None) -> bool:
        """Whether the task gets past a step, that of the death if none is given."""
        end = end_of(task)
        return end is None or end.step > (self.end.step if step is None else step)

    def _record(self) -> None:
        step, given = self.end.step, self.task.input
        if step == 0:
            return
        passed = self._passed_sizes()
        first = not len(passed)
        most = float(passed.max()) if not first else float(np.median(given.sizes))
        ratio = float(given.sizes[step - 1]) / most
        alike = int((passed * ORDINARY >= given.sizes[step - 1]).sum())
        fills = self.end.flight + sum(
            self.end.held[i] for i in self.members[R4] if self.task.consumers[i].by == "bytes"
        )
        ordinary = ratio <= 1.0 or alike >= COMMON
        if ordinary and (fills < MOST * self.task.usable or fills < 0.999 * self.top):
            return
        sizes = given.sizes.copy()
        sizes[step - 1 :] = np.minimum(sizes[step - 1 :], most)
        made = self.end.flight + sum(
            self.end.held[i] - self.course.after[i, step - 1]
            for i, one in enumerate(self.task.consumers)
            if one.by == "bytes"
        )
        made += self.end.refused if self.end.array else 0.0
        smaller = self.task.having(replace(given, sizes=sizes))
        cure = self._cure(S8, self._changed(smaller), made)
        passes = self._gets_past(smaller)
        why = f"{_PLAIN[cure.grade]} with R_n no larger than what passed ({ratio:.3g} times that)"
        why += f"; {cure.share:.0%} of the heap"
        size = float(given.sizes[step - 1]) / self.task.grain
        if ordinary:
            self._say(S8, "may", "every record is as large, and takes half of the heap")
        elif cure.solid and cure.share >= JUMP and ratio > FAR and not first:
            self._say(S8, "true" if size >= LONG else "may", why)
            if self.end.place == "reading":
                self._say(R4, "may", "the record itself fills the heap")
        elif passes and cure.largest and cure.share >= MOST and ratio > FAR and not first:
            self._say(S8, "true", why + "; as large as those it would have passed")
        elif cure.grade >= _CURED and cure.share >= (0.0 if ratio > ORDINARY else JUMP):
            self._say(S8, "may", why)
        elif passes and ratio > ORDINARY and cure.share >= TRACE:
            self._say(S8, "may", why + "; as large as those it would have passed")

    def _passed_sizes(self) -> np.ndarray:
        return self.task.input.sizes[: self.end.step - 1]

    # -- several together

    def _joint(self) -> None:
        """Where no single change cures well: the smallest sets that do."""
        changes = {name for name in (M1, R2, G3, X5) if self.members[name]}
        if self.task.buffer:
            changes.add(B91)
        capped = self._capped_work()
        if capped is not None and capped[1] > ORDINARY:
            changes.add(R4)
        names = [name for name in CAUSES if name in changes]
        alone = max((self._changed(self._relieved([name])) for name in names), default=_NONE)
        # what writers, readers and libraries keep is no cause by itself, and may be called one
        others = [i for i, one in enumerate(self.task.consumers) if one.owner != "user"]
        grown = [i for name in (M1, R2) for i in self.members[name]]
        if others:
            alone = max(alone, self._without([*others, *grown]))
        if alone == _WELL:
            return
        for least in (_WELL, _CURED):
            for many in (2, 3):
                sets = [
                    some
                    for some in combinations(names, many)
                    if self._changed(self._relieved(some)) >= least
                ]
                for some in sets:
                    self._say_together(some, capped)
                if sets:
                    return
            if alone == _CURED:
                return

    def _say_together(self, names: Sequence[str], capped: tuple[Task, float] | None) -> None:
        for name in names:
            share = self.sizes[name] / self.task.usable
            enough = share >= {X5: LOADED, B91: LOADED, R4: JUMP}.get(name, SAY)
            if name == R4 and (capped is None or capped[1] <= FAR or self.end.place == "reading"):
                enough = False
            if name in (M1, R2, G3) and self._word(name) == "may":
                enough = enough and self._share_before(self.members[name]) >= MOST
            if name in (X5, B91) and not set(names) <= {X5, B91}:
                enough = False  # it fits beside what outgrows the heap anyway
            why = f"cured together with {', '.join(one for one in names if one != name)}"
            self._say(name, "true" if enough else "may", f"{why}; {share:.0%} of the heap")
            self.beside.setdefault(name, tuple(one for one in names if one != name))
            if name == R4 and self._record_is_large():
                self._say(S8, "may", "R_n is larger than what passed")

    def _record_is_large(self) -> bool:
        passed = self._passed_sizes()
        step = self.end.step
        return bool(len(passed) and self.task.input.sizes[step - 1] > ORDINARY * passed.max())

    def _relieved(self, names: Sequence[str]) -> Task:
        """The task with the changes of these causes made."""
        gone = {i for name in names if name in (M1, R2, G3, X5) for i in self.members[name]}
        task = replace(
            self.task,
            consumers=tuple(
                replace(one, bytes=0.0) if i in gone else one
                for i, one in enumerate(self.task.consumers)
            ),
            buffer=self.task.buffer // 8 if B91 in names else self.task.buffer,
        )
        capped = self._capped_work() if R4 in names else None
        return task if capped is None else task.having(capped[0].input)

    def _base(self, cause: str) -> Task:
        """The task to which a remedy of one cause is applied: with the others of its set cured."""
        return self._relieved(self.beside.get(cause, ()))

    # -- the data: splits, partitions, groups

    def _split(self) -> None:
        kept = self._word(M1)
        if kept == "false" or self.task.side != "map":
            return
        n, base = self.task.input.records, self._base(M1)
        best, cut = _NONE, 0
        for many in (2, 4, 8):
            if n < many:
                continue
            edges = np.linspace(0, n, many + 1).round().astype(int)
            pieces = [base.having(base.input.part(a, b)) for a, b in pairwise(edges)]
            grade = min(self._changed(piece) for piece in pieces)
            if grade > best:
                best, cut = grade, many
        if best < _CURED:
            return
        members = self.members[M1]
        main = max(members, key=lambda i: self.end.held[i], default=None)
        law = self.task.consumers[main].law if main is not None else None
        share = self.sizes[M1] / self.task.usable
        solid = kept == "true" and best == _WELL and self.task.splittable and share >= LOADED
        if not _is_endless(law):
            solid = False
        self._say(SPLIT, "true" if solid else "may", f"{_PLAIN[best]} cut into {cut}")

    def _ratio(self) -> float:
        sizes = self.task.partitions
        return float(sizes[self.task.own] / np.mean(sizes)) if sizes else 1.0

    def _dealt(self, many: int) -> int:
        """The groups of this partition dealt to so many reducers."""
        groups = self.task.input.groups
        if groups is None or len(groups) < many:
            return _NONE
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
        why = (
            f"{_PLAIN[best]} with up to 8 times the reducers; {ratio:.3g} times the mean partition"
        )
        if ratio > ORDINARY:
            if best >= _CURED and self._with_mean() < _CURED:
                self._say(P61, "may", why)
            return
        if best == _WELL and kept == "true":
            self._say(P61, "true", why)
        elif best >= _CURED or max(self._dealt(many) for many in (16, 32, 64)) >= _CURED:
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
        why = f"{_PLAIN[grade]} with the mean partition; it has {ratio:.3g} times that"
        groups = self.task.input.groups
        assert groups is not None
        fat = float(groups.max()) > 0.5 * (1 - 1 / ratio) * float(groups.sum())
        if grade == _WELL and ratio >= UNEVEN and kept == "true" and not fat:
            self._say(P62, "true", why)
        elif grade >= _CURED:
            self._say(P62, "may", why)
        if fat and grade < _WELL:
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
            cured = self._changed(self._shorter(at, int(np.median(given.groups)))) >= _CURED
            ways = [(float("inf"), _CURED if cured else _NONE)]
        else:
            most, heaviest = int(records.max()), float(sizes.max())
            ways = []
            if own > most and (records * ORDINARY >= own).sum() < COMMON:
                ways.append((own / most, self._grade_of_group(self._shorter(at, most), at)))
            if own_bytes > heaviest and (sizes * ORDINARY >= own_bytes).sum() < COMMON:
                lighter = self._lighter(at, heaviest)
                ways.append((own_bytes / heaviest, self._grade_of_group(lighter, at)))
        for ratio, grade in ways:
            why = f"{_PLAIN[grade]} with G_m no larger than what passed ({ratio:.3g} times that)"
            if grade == _WELL and FAR < ratio < float("inf") and kept == "true":
                self._say(K7, "true", why)
            elif grade >= (_FARTHER if kept != "false" and ratio > ORDINARY else _CURED):
                self._say(K7, "may", why)
        if kept != "false" and len(given.groups) < 3:
            self._say(K7, "may", "all of the data has one or two keys")
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
        return max(grade, _FARTHER if past else _NONE)

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
        return end_of(base.having(cut)) is not None

    # -- the shuffle

    def _shuffle(self) -> None:
        how = self.task.shuffling
        assert how is not None
        half = self._changed(replace(self.task, shuffling=replace(how, ratio=how.ratio / 2)))
        if half < _CURED:
            return
        ratio = self._ratio()
        mean = replace(how, bytes=how.bytes / ratio)
        mean_lives = self._changed(replace(self.task, shuffling=mean))
        why = f"{_PLAIN[half]} with half the ratio; {_PLAIN[mean_lives]} with the mean partition"
        why += f", of which it has {ratio:.3g} times"
        spared = ratio > ORDINARY and mean_lives >= _CURED
        self._say(B92, "may" if spared else "true", why)
        if spared:
            well = mean_lives == _WELL and ratio >= UNEVEN
            self._say(P62, "true" if well else "may", why)
        for many in (2, 4):
            dealt = replace(mean, bytes=mean.bytes / many)
            if self._changed(replace(self.task, shuffling=dealt)) >= _CURED:
                self._say(P61, "may", f"cured with {many} times the reducers")


_PLAIN: Final = ("not cured", "farther", "cured", "well cured")


def _is_endless(law: Law | None) -> bool:
    """Whether it grows for as long as data comes, evenly enough that less data is less of it."""
    if law is None or law.name in BOUNDED | FLUSHED | {"late"}:
        return False
    return law.name != "power" or law.k >= 0.7


def _grows(one: Consumer) -> bool:
    return not one.law.is_constant
