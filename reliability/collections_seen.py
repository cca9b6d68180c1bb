"""The live heap after the collections of a run: passive points, and what they bound."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from mprof.evidence import Point, Series
from mprof.evidence.thresholds import MAJOR_COLLECTIONS
from reliability.scene import Scene, whole

__all__ = ["Collections", "Least"]

_MOST_POINTS: Final = 40


@dataclass(frozen=True, slots=True)
class Least:
    """What collections say of moments before R_n."""

    lowest: int | None = None
    in_group: int | None = None


class Collections:
    """The live heap after the collections of a run."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.task, self.course, self.end = scene.task, scene.course, scene.end
        self.rng = scene.rng

    def seen(self) -> tuple[Least, tuple[Series, ...]]:
        end = self.end
        if end.step == 0:
            return Least(), ()
        placed = self.placed()
        return self.of(placed) if placed else (Least(), ())

    def of(self, placed: list[tuple[float, int, bool]]) -> tuple[Least, tuple[Series, ...]]:
        """What these collections, of which there is one at least, say."""
        lowest = min((size for x, size, _ in placed if x > 0), default=None)
        if self.task.side == "map":
            series = self._series("record", "map", placed, self.scene.record)
            return Least(lowest), series
        return self._of_reduce(placed, lowest)

    def placed(self) -> list[tuple[float, int, bool]]:
        """(records taken in before, bytes, whether exact), by time."""
        rng, n = self.rng, self.scene.record
        minors = int(rng.integers(3, 40))
        majors = int(rng.choice([0, 1, 2, 4, 6, 10]))
        xs = [(float(x), False) for x in rng.uniform(0, max(n - 1, 0), minors)]
        late = rng.uniform(rng.choice([0.0, 0.5, 0.9]), 1, majors) * max(n - 1, 0)
        xs += [(float(x), True) for x in late]
        found = []
        for x, major in sorted((float(int(x)), major) for x, major in xs):
            live = self._live(x)
            room = self.task.usable - live
            waste = 0.0 if major else room * float(rng.beta(0.6, 3))
            found.append((x, whole(max(live + waste, 1.0)), major))
        return found

    def _live(self, x: float) -> float:
        """What is live at a moment of the work on the record after x."""
        sizes = self.scene.sizes_at(x).copy()
        step = min(int(x / self.task.grain) + 1, self._last)
        for i, one in enumerate(self.task.consumers):
            if one.level == "record":
                sizes[i] = self.course.during[i, step] * float(self.rng.random())
        flight = float(self.course.flight[step])
        return min(float(sizes.sum()) + flight + self.task.base + self.task.buffer,
                   float(self.task.usable))  # fmt: skip

    @property
    def _last(self) -> int:
        return max(1, self.end.step - 1)

    def _of_reduce(
        self, placed: list[tuple[float, int, bool]], lowest: int | None
    ) -> tuple[Least, tuple[Series, ...]]:
        scene, grain = self.scene, self.task.grain
        starts = self.task.input.starts * grain
        begin = float(starts[scene.group_index])
        inside = [(x - begin, size, major) for x, size, major in placed if x >= begin]
        groups = [
            (float(np.searchsorted(starts, x, side="right") - 1), size, major)
            for x, size, major in placed
        ]
        found = list(self._series("group", "reduce", groups, scene.group_index + 1))
        before = [size for x, size, _ in placed if x < begin]
        for one in self._series("record_in_group", "group", inside, scene.record_in_group):
            start = None
            if before:
                start = Point(0.0, min(float(before[-1]), one.points[0].size_bytes))
            found.append(replace(one, at_start=start, group=scene.group_index + 1))
        exact = [i for i, (x, _, major) in enumerate(inside) if major]
        in_group = min((s for _, s, _ in inside[exact[-1] :]), default=None) if exact else None
        return Least(lowest, in_group), tuple(found)

    def _series(
        self, unit: Any, level: Any, placed: list[tuple[float, int, bool]], ordinal: int
    ) -> tuple[Series, ...]:
        end = self.end
        early = [each for each in placed if each[0] < ordinal - 1]
        if not early:
            return ()
        enough = len({x for x, _, major in early if major}) >= MAJOR_COLLECTIONS.value
        if enough:
            points = [(x, size) for x, size, major in early if major]
        else:
            points, least = [], float("inf")
            for x, size, _ in reversed(early):
                least = min(least, size)
                points.append((x, int(least)))
            points.reverse()
        death = Point(float(ordinal), float(whole(end.live)))
        kept = tuple(Point(x, float(size)) for x, size in _thinned(points))
        one = Series(None, level, unit, kept, "passive", at_death=death, upper_bounds=not enough)
        return (one,)


def _thinned(points: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """At most so many, the lowest of each stretch."""
    if len(points) <= _MOST_POINTS:
        return points
    low, high = points[0][0], points[-1][0]
    width = (high - low) / _MOST_POINTS or 1.0
    best: dict[int, tuple[float, int]] = {}
    for x, size in points:
        stretch = int((x - low) / width)
        if stretch not in best or size < best[stretch][1]:
            best[stretch] = (x, size)
    return sorted(best.values())
