"""Tasks that come to their end: up to how much of their input is it said to fit, and does it?

The jobs are those of the generator, in a heap that is a few percent to eight times larger than what
they need. Truth comes from running the model with more input of the same kind: more records or
groups, and groups that are as many times longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mprof.evidence import Evidence
from mprof.evidence.peak import Peak
from mprof.patterns import find_patterns
from mprof.patterns.finding import found
from reliability.collections_seen import Collections
from reliability.data_seen import finished
from reliability.draw import draw
from reliability.model import Course, End, Input, Task, course_of, end_of
from reliability.scene import Scene, whole

__all__ = ["Healthy", "healthy_tasks", "judged", "more_input"]

_LEAST_ROOM: Final = 1.02
_MOST_ROOM: Final = 8.0
_COLLECTED: Final = 0.8


@dataclass(frozen=True, slots=True)
class Healthy:
    """What is said of a task that came to its end, and what is true.

    Attributes:
        safe_times: times its input up to which it is said to fit; None where nothing is said.
        fits: it does, in every way in which the input may become larger.
    """

    safe_times: float | None
    fits: bool


def healthy_tasks(seed: int, jobs: int) -> Iterator[tuple[Task, np.random.Generator]]:
    """Tasks in a heap that suffices."""
    for index in range(jobs):
        rng = np.random.default_rng([seed, index, 7])
        task = draw(seed, index)
        if task.shuffling is not None:
            continue
        course = course_of(task)
        need = float((course.during.sum(axis=0) + course.flight).max()) + task.base + task.buffer
        need = max(need, float(course.after[:, 0].sum()) + task.base + task.buffer)
        need = max(need, task.buffer * task.usable / task.block)
        room = need * np.exp(rng.uniform(np.log(_LEAST_ROOM), np.log(_MOST_ROOM))) / task.usable
        larger = replace(
            task,
            heap_max=whole(task.heap_max * room),
            usable=whole(task.usable * room),
            block=whole(task.block * room),
        )
        if end_of(larger, course) is None:
            yield larger, rng


def judged(task: Task, rng: np.random.Generator) -> Healthy:
    """What is said of the task, and whether it is true."""
    fits = found(find_patterns(_seen(task, rng)).fits)
    times = fits.times if fits is not None else None
    if times is None:
        return Healthy(None, fits=True)
    larger = (task.having(given) for given in more_input(task.input, times))
    return Healthy(times, fits=all(end_of(one) is None for one in larger))


def more_input(given: Input, times: float) -> Iterator[Input]:
    """So many times the input, no byte more: more of the same, and of groups also longer ones."""
    everything = np.arange(given.records)
    if given.groups is None:
        yield _of(given, _again(everything, given.sizes, times))
        return
    groups = np.arange(len(given.groups))
    yield given.of_groups(_again(groups, np.add.reduceat(given.sizes, given.starts), times))
    spans = np.split(everything, given.starts[1:])
    longer = [_again(span, given.sizes[span], times) for span in spans]
    lengths = np.array([len(span) for span in longer], int)
    yield replace(_of(given, np.concatenate(longer)), groups=lengths)


def _again(index: np.ndarray, sizes: np.ndarray, times: float) -> np.ndarray:
    """All of these, and from the first on again, as long as no more bytes come together."""
    order = np.arange(int(len(index) * times)) % len(index)
    within = np.cumsum(sizes[order]) <= times * sizes.sum() * (1 + 1e-9)
    again: np.ndarray = index[order[within]]
    return again


def _of(given: Input, index: np.ndarray) -> Input:
    damped = None if given.damped is None else given.damped[index]
    return replace(given, sizes=given.sizes[index], work=given.work[index], damped=damped)


def _seen(task: Task, rng: np.random.Generator) -> Evidence:
    """What its counters and collections say."""
    course = course_of(task)
    evidence = finished(task, course)
    scene = Scene(task, course, _last_moment(task, course), rng)
    collections = Collections(scene)
    left = _with_the_fullest(collections.placed(), task, course)
    if not left:
        return evidence
    exact = [size for _, size, major in left if major]
    peak = Peak(
        live_bytes=max(exact or [size for _, size, _ in left]),
        at_most=not exact,
        records_in_all=task.input.records * task.grain,
        groups_in_all=None if task.input.groups is None else len(task.input.groups),
        most_left_bytes=max(size for _, size, _ in left),
        collections=len(left),
    )
    memory = replace(evidence.memory, usable_bytes=task.usable)
    series = collections.of(left)[1]
    return replace(evidence, peak=peak, memory=memory, series=series)


def _with_the_fullest(
    left: list[tuple[float, int, bool]], task: Task, course: Course
) -> list[tuple[float, int, bool]]:
    """A heap that is four fifths live does not come through without a collection of all of it."""
    total = course.during.sum(axis=0) + course.flight + task.base + task.buffer
    step = int(total.argmax())
    if total[step] < _COLLECTED * task.usable:
        return left
    return sorted([*left, (float(max(step - 1, 0) * task.grain), whole(float(total[step])), True)])


def _last_moment(task: Task, course: Course) -> End:
    """The last step, as if it had been an end."""
    n = task.input.records
    held = course.after[:, n]
    live = float(held.sum()) + task.base + task.buffer
    return End("work", n, tuple(held.tolist()), 0.0, 0.0, live, 0.0)
