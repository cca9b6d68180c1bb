"""A rerun: dumps at planned points, so that each holder has a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.random import Generator

from mprof.evidence import (
    Distribution,
    Evidence,
    Holder,
    Point,
    Probes,
    RecordGrowth,
    RecordSizes,
    Series,
    Unknown,
    known,
)
from mprof.evidence.assemble.external import loaded_among
from mprof.evidence.assemble.lifetimes import with_lifetimes_of_curves
from mprof.evidence.thresholds import (
    LARGE_OBJECT,
    LEAST_HOLDER,
    MOST_OF_IT,
    STILL_THERE,
)
from reliability.heap_seen import HeapSide, too_small
from reliability.scene import Scene, class_of, whole

__all__ = ["Probed"]

_PROBES: Final = 7


class Probed:
    """A rerun with probes at planned points."""

    def __init__(self, scene: Scene, rng: Generator) -> None:
        self.scene, self.task, self.rng = scene, scene.task, rng
        self.heap = HeapSide(scene)
        self.noise = float(rng.choice([0.0, 0.002, 0.01]))
        self.jittered = bool(rng.random() < 0.5)

    def rerun(self, evidence: Evidence) -> Evidence:
        scene = self.scene
        end = scene.end
        attempt = replace(evidence.attempt, mode="profile")
        if end.place == "setup":
            return replace(evidence, attempt=attempt)
        if end.step == 0:
            return replace(evidence, attempt=attempt)
        records = self._points(0, scene.record - 1)
        moments = [(x, self._sizes(x)) for x in records]
        if self.task.side == "map":
            series = self._of_map(moments)
            growth = self._growth(moments, scene.record, "record")
        else:
            series, growth = self._of_reduce()
        holders = self._loaded(evidence.holders)  # type: ignore[arg-type]
        holders, curves = with_lifetimes_of_curves(
            holders, series, known(evidence.position), known(growth)
        )
        return replace(
            evidence,
            attempt=attempt,
            holders=holders,
            composition=self.heap.composition(holders),
            series=(*curves, *evidence.series),
            record_growth=growth,
            external=self._external(holders, curves),
            records=self._measured(evidence.records, records),
            probes=Probes(_PROBES + 1, 0, 30.0, 120.0),
        )

    def _measured(self, records: Any, points: Sequence[int]) -> Any:
        """Sizes in the heap, where nothing counted the bytes."""
        scene = self.scene
        if not isinstance(records, RecordSizes) or not scene.is_uncounted:
            return records
        handed = [x // self.task.grain + 1 for x in points if x < scene.record - 1]
        before = [whole(float(scene.course.flight[step])) for step in handed]
        if not before:
            return records
        size = max(whole(float(scene.course.flight[scene.step])), whole(scene.end.flight))
        return replace(records, bytes=size, before=Distribution.of(before), in_heap=True)

    def _points(self, first: int, last: int) -> list[int]:
        """Even or jittered, from the first to the last, both included."""
        if last <= first:
            return [last] if last >= 0 else []
        steps = np.arange(_PROBES, dtype=np.float64)
        if self.jittered:
            inner = (steps > 0).astype(float)
            steps = steps + inner * self.rng.uniform(-0.35, 0.35, _PROBES)
        xs = np.unique(np.round(first + steps * (last - first) / _PROBES).astype(int)).tolist()
        return [x for x in xs if x < last] + [last]

    def _sizes(self, x: int) -> np.ndarray:
        sizes = self.scene.sizes_at(x)
        near = x >= self.scene.record - 1
        sigma = self.noise * (0.02 if near else 1.0)
        noisy = sizes * (1 + sigma * self.rng.standard_normal(len(sizes)))
        fixed = np.array([one.level == "setup" for one in self.task.consumers], bool)
        return np.where(fixed, sizes, np.maximum(noisy, 0.0))

    def _user(self, sizes: np.ndarray) -> int:
        mine = [one.owner == "user" for one in self.task.consumers]
        return whole(float(sizes[mine].sum()))

    def _of_map(self, moments: list[tuple[int, np.ndarray]]) -> list[Series]:
        points = [(float(x), sizes) for x, sizes in moments]
        return self._series("record", points, float(self.scene.record), ("map", "setup"))

    def _series(
        self, unit: Any, points: list[tuple[float, np.ndarray]], last: float,
        levels: tuple[str, ...], group: int | None = None,
    ) -> list[Series]:  # fmt: skip
        found = []
        for i, one in enumerate(self.task.consumers):
            largest = max(self.scene.held[i], *(sizes[i] for _, sizes in points), 0.0)
            if self.scene.level(one) not in levels or largest < LEAST_HOLDER.value:
                continue
            found.append(
                Series(
                    self.scene.key(one), self.scene.lifecycle(one), unit,
                    tuple(Point(x, float(whole(sizes[i]))) for x, sizes in points), "dump",
                    at_death=Point(last, float(whole(self.scene.held[i]))),
                    class_name=class_of(one), group=group,
                )
            )  # fmt: skip
        return found

    def _of_reduce(self) -> tuple[list[Series], RecordGrowth | Unknown]:
        scene, grain = self.scene, self.task.grain
        at = scene.group_index
        starts = self.task.input.starts * grain
        before = self._points(0, at) if at else [0]
        of_groups = [(g, int(starts[g]), self._sizes(int(starts[g]))) for g in before]
        begin = int(starts[at])
        inside = self._points(0, scene.record_in_group - 1)
        of_group = [(x, self._sizes(begin + x)) for x in inside]
        if inside and inside[0] == 0 and at:
            of_groups[-1] = (at, begin, of_group[0][1])
        lasting = ("reduce", "setup")
        groups = [(float(g), sizes) for g, _, sizes in of_groups]
        records = [(float(x), sizes) for _, x, sizes in of_groups]
        within = [(float(x), sizes) for x, sizes in of_group]
        series = self._series("group", groups, float(at + 1), lasting)
        series += self._series("record", records, float(scene.record), lasting)
        series += self._series(
            "record_in_group", within, float(scene.record_in_group), (*lasting, "group"), at + 1
        )
        return series, self._growth(of_group, scene.record_in_group, "record_in_group")

    def _growth(
        self, moments: list[tuple[int, np.ndarray]], ordinal: int, unit: Any
    ) -> RecordGrowth | Unknown:
        if not moments:
            return Unknown("heap sizes at earlier records", "rerun")
        sizes = [(x, self._user(each)) for x, each in moments]
        before = tuple((b[0] - a[0], b[1] - a[1]) for a, b in pairwise(sizes))
        end = self.scene.end
        x, last = sizes[-1]
        grown = self._user(self.scene.held) - last
        return RecordGrowth(before, ordinal - x, grown, "dump", doubling=end.array, unit=unit)

    def _loaded(self, holders: tuple[Holder, ...]) -> tuple[Holder, ...]:
        """The holders, with what the probe before R_1 or G_1 showed of them."""
        first = {
            self.scene.key(one): float(self.scene.course.after[i, 0])
            for i, one in enumerate(self.task.consumers)
        }
        found = []
        for each in holders:
            if each.owner != "user":
                found.append(each)
                continue
            before = first[each.key]
            loaded = before >= LARGE_OBJECT.value and before >= STILL_THERE.value * each.bytes
            owner: Any = "external" if loaded else "user"
            found.append(replace(each, owner=owner, loaded_before_first_record=loaded))
        return tuple(found)

    def _external(self, holders: Sequence[Holder], series: Sequence[Series]) -> Any:
        scene = self.scene
        user = [each for each in holders if each.owner in ("user", "external")]
        loading = self.heap.loading_files()
        if loading is not None:
            last = {
                scene.key(one): scene.before_last[i] for i, one in enumerate(self.task.consumers)
            }
            new = [
                each for each in user
                if not too_small(loading, each.bytes)
                and last[each.key] < MOST_OF_IT.value * each.bytes
            ]  # fmt: skip
            lasting = [each for each in new if each.lifecycle not in ("record", "group")]
            before = [each for each in user if each.loaded_before_first_record and each not in new]
            if new:
                return self.heap.load([*before, *(lasting or new)], "loading", loading)
        before = [each for each in user if each.loaded_before_first_record]
        others = [each for each in user if each not in before]
        found = loaded_among(before, others, series, self.heap.opened())
        if found is None or isinstance(found, Unknown):
            return found
        return self.heap.load(found, "setup" if found is before else "once")
