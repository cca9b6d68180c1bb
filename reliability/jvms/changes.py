"""What is true of a job that died for real: told by which of its changed tasks live in JVMs.

The judge of the model asks its questions of a model that has been brought in line with the death:
it dies where the task died. Its answers say which changed tasks are worth running. Those that it
expects near the limit are run for real; then the judge asks again, and is answered by what became
of them. Where it expects a changed task far from the limit, its own answer stands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from reliability.jvms.real import Ended
from reliability.jvms.script import Part
from reliability.laws import Curve
from reliability.model import Course, End, Task, course_of, end_of
from reliability.truth import Judge, Truth, foreseeable

__all__ = ["Change", "Found", "Runner", "in_line", "judged"]

Runner = Callable[[Sequence[Part]], Sequence[Ended]]

_NEAR: Final = 1.6
"""Times the limit, or a part of it, up to which a model's answer is not good enough."""
_AT_ONCE: Final = 6
"""Changed tasks of one job of changes."""
_ROUNDS: Final = 3
"""Jobs of changes: the later ones of questions of which a changed task did not end as on paper."""
_MOST_BYTES: Final = 400e6
"""Of input that one job of changes reads."""


@dataclass(frozen=True)
class Change:
    """One changed task.

    Attributes:
        part: what it is given.
        load: the most that it holds on paper, as a share of what it may.
        on_paper: where it dies on paper, None where it lives.
        about: the question that it answers.
        ended: what became of it; None where it was not run.
    """

    part: Part
    load: float
    on_paper: End | None
    about: str
    ended: Ended | None = None

    @property
    def is_otherwise(self) -> bool:
        """Whether it was run and did not end as on paper."""
        return self.ended is not None and self.ended.died != (self.on_paper is not None)

    @property
    def distance(self) -> float:
        """How far from its limit it is on paper, as a factor from 1."""
        return max(self.load, 1 / self.load)


@dataclass(frozen=True)
class Found:
    """What is true, and what it was told by."""

    truth: Truth
    changes: tuple[Change, ...]


class _Judge(Judge):
    """The judge, answered by what became of the changed tasks."""

    def __init__(
        self, task: Task, course: Course, end: End, sizes: Curve, ended: dict[str, Ended]
    ) -> None:
        super().__init__(task, course, end, sizes)
        self.ended = ended
        self.asked: dict[str, Change] = {}
        self.about = ""

    def _work(self) -> None:
        self.about = "work on the record"
        super()._work()

    def _record(self) -> None:
        self.about = "size of the record"
        super()._record()

    def _kept(self, cause: str) -> None:
        self.about = cause
        super()._kept(cause)

    def _others_keep(self) -> None:
        self.about = "what others keep"
        super()._others_keep()

    def _external(self) -> None:
        self.about = "what was loaded"
        super()._external()

    def _buffer(self) -> None:
        self.about = "sort buffer"
        super()._buffer()

    def _joint(self) -> None:
        self.about = "several at once"
        super()._joint()

    def _split(self) -> None:
        self.about = "split"
        super()._split()

    def _reducers(self) -> None:
        self.about = "reducers"
        super()._reducers()

    def _unbalanced(self) -> None:
        self.about = "mean partition"
        super()._unbalanced()

    def _hot_key(self) -> None:
        self.about = "size of the group"
        super()._hot_key()

    def _end(
        self,
        task: Task,
        course: Course | None = None,
        *,
        factors: Curve | None = None,
        usable: float | None = None,
        buffer: float | None = None,
    ) -> End | None:
        course = course_of(task) if course is None else course
        on_paper = end_of(task, course, factors=factors, usable=usable, buffer=buffer)
        if task.input.records == 0:
            return on_paper
        limit = float(self.task.usable if usable is None else usable)
        changed = task.buffer if buffer is None else buffer
        own_buffer = float(changed) if self.task.buffer else None  # each has its own
        left = None if factors is None else tuple(float(one) for one in factors)
        part = Part(task, left, taken=self.task.usable - limit, buffer=own_buffer)
        if task.shuffling is not None and self.task.shuffling is not None:
            is_of_ratio = task.shuffling.ratio != self.task.shuffling.ratio
            self.about = "ratio of the shuffle" if is_of_ratio else "size of the partition"
        key = _key(part)
        known = self.ended.get(key)
        load = _load(task, course, left, changed) / limit
        about = self.asked[key].about if key in self.asked else self.about
        self.asked[key] = Change(part, load, on_paper, about, known)
        if known is None:
            return on_paper
        if not known.died:
            return None
        step = int(np.ceil(known.record / task.grain))
        none = (0.0,) * len(task.consumers)
        return End("work" if step else "setup", step, none, 0, 0, limit, 0)


def _load(task: Task, course: Course, factors: Sequence[float] | None, buffer: float) -> float:
    """The most that it holds at once."""
    if task.shuffling is not None:
        return task.base + task.shuffling.peak(task.heap_max)
    weights = np.ones(len(task.consumers)) if factors is None else np.asarray(factors)
    total = weights @ course.during + course.flight
    return float(total.max()) + task.base + buffer


def _key(part: Part) -> str:
    given = part.task.input
    found = hashlib.sha256()
    for each in (given.sizes, given.work, given.groups, given.damped):
        found.update(b"-" if each is None else np.asarray(each, float).tobytes())
    ones = part.task.consumers
    left = part.factors or (1.0,) * len(ones)
    sizes = [one.bytes * share for one, share in zip(ones, left, strict=True)]
    found.update(repr((sizes, round(part.taken), part.buffer, part.task.shuffling)).encode())
    return found.hexdigest()


def in_line(task: Task, step: int, place: str) -> tuple[Task, End]:
    """The task on paper, with what it may hold set so that it dies where the real one died.

    Args:
        task: as drawn.
        step: of the model at which it died; 0 before the first record.
        place: of the death.
    """
    course = course_of(task)
    fixed = float(task.base + task.buffer)
    if place == "shuffle":
        assert task.shuffling is not None
        held = task.base + task.shuffling.peak(task.heap_max)
        task = replace(task, usable=min(task.usable, int(held) - 1))
    elif place == "init":
        task = replace(task, usable=min(task.usable, int(fixed) - 1))
    elif step == 0:
        task = replace(task, usable=min(task.usable, int(fixed + course.after[:, 0].sum()) - 1))
    else:
        total = course.during.sum(axis=0) + course.flight + fixed
        # It bore what came before, and not this: between the two what was thought is as good.
        low = float(max(total[:step].max(), fixed + course.after[:, 0].sum()))
        high = float(total[step])
        usable = min(max(float(task.usable), low), max(high, low * 0.9) - 1)
        task = replace(task, usable=int(min(usable, high - 1)))
    end = end_of(task, course)
    assert end is not None
    if end.step != step:
        # It bore more before than it died of: what was there is what counts.
        during = course.during[:, step] if step else course.after[:, 0]
        flight = float(course.flight[step])
        live = float(during.sum()) + flight + fixed
        task = replace(task, usable=int(live))
        end = End("work", step, tuple(during.tolist()), flight, 0.0, live, 1.0)
    if end.place != place and step:
        end = replace(end, place="reading" if place == "reading" else "work")
    return task, end


def judged(task: Task, end: End, run: Runner) -> Found:
    """What is true of a task that died, by running what is near its limit.

    Args:
        task: in line with the death.
        end: its death.
        run: runs changed tasks.
    """
    sizes = task.input.sizes
    task = foreseeable(task, end)
    course = course_of(task)
    ended: dict[str, Ended] = {}
    for round_ in range(_ROUNDS):
        judge = _Judge(task, course, end, sizes, ended)
        judge.judge()
        wanted = _worth_running(judge.asked, first_time=round_ == 0)
        if not wanted:
            break
        keys = list(wanted)
        came = run([wanted[key].part for key in keys])
        ended |= dict(zip(keys, came, strict=True))
    judge = _Judge(task, course, end, sizes, ended)
    truth = judge.judge()
    return Found(truth, tuple(judge.asked.values()))


def _worth_running(asked: dict[str, Change], *, first_time: bool) -> dict[str, Change]:
    """Those that were not run and should be, as many as one job takes.

    Of every question the one that is nearest to its limit; then, the first time, the others that
    are near theirs, and later the next of each question of which one did not end as on paper.
    """
    ran = [one for one in asked.values() if one.ended is not None]
    told = {one.about for one in ran} - {one.about for one in ran if one.is_otherwise}
    new = sorted(
        (key for key, one in asked.items() if one.ended is None),
        key=lambda key: asked[key].distance,
    )
    first = []
    for key in new:
        if asked[key].about not in told:
            told.add(asked[key].about)
            first.append(key)
    near = (key for key in new if key not in first and asked[key].distance <= _NEAR)
    rest = list(near) if first_time else []
    chosen: dict[str, Change] = {}
    read = 0.0
    for key in [*first, *rest][:_AT_ONCE]:
        read += float(asked[key].part.task.input.sizes.sum())
        if chosen and read > _MOST_BYTES:
            break
        chosen[key] = asked[key]
    return chosen
