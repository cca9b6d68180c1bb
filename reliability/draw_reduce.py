"""A random reduce task, and one that fetches its input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from mprof.units import MIB
from reliability.draw_map import MapDraw
from reliability.laws import Law
from reliability.model import Consumer, Input, Shuffling, Task
from reliability.spreads import (
    MOST_RECORDS,
    SPREADS,
    growth_law,
    heap_of,
    log_uniform,
    one_of,
    sizes_of,
)

__all__ = ["ReduceDraw", "shuffle_task"]


class ReduceDraw(MapDraw):
    """One reduce task that dies in reduce()."""

    culprits = (
        ("kept", 3.2), ("group", 5), ("work", 1.2), ("record", 1), ("external", 1), ("lazy", 0.3),
        ("workspace", 0.3), ("writer", 0.5), ("library", 0.2), ("lazy at death", 0.15),
    )  # fmt: skip
    bystanders = (
        ("kept", 2), ("group", 1.5), ("external", 1.5), ("ordinary work", 1.5), ("writer", 0.5),
        ("workspace", 0.3),
    )  # fmt: skip
    side = "reduce"
    most_reducers = 400

    def __init__(self, rng: Generator) -> None:
        super().__init__(rng)
        self.group = 0

    def _input(self) -> Input:
        rng = self.rng
        self.reducers = int(log_uniform(rng, 1, self.most_reducers + 0.99))
        many = int(log_uniform(rng, 1, 400.99)) if rng.random() < 0.9 else int(rng.integers(1, 8))
        spread = one_of(rng, SPREADS)
        mean = max(self.n / many, 1.0)
        if "group" in self.chosen:
            mean = max(mean, log_uniform(rng, 2, 200))
        mine = sizes_of(rng, many, spread)
        lengths = np.maximum(np.round(mine * mean), 1)
        if lengths.sum() > MOST_RECORDS:
            lengths = np.maximum(np.round(lengths * MOST_RECORDS / lengths.sum()), 1)
        self.mean, self.spread = mean, spread
        self._skew(many)
        lengths = lengths.astype(int)
        if "group" in self.chosen:
            lengths = self._planted_group(lengths)
        self.n = int(lengths.sum())
        given = super()._input()
        return replace(given, groups=lengths)

    def _planted_group(self, lengths: np.ndarray) -> np.ndarray:
        """The group at death: planted among the others, or one of the largest as they come."""
        rng = self.rng
        if rng.random() < 0.5:
            at = int(rng.integers(len(lengths)))
            before = lengths[:at].max() if at else np.median(lengths)
            times = log_uniform(rng, 1.05, 2.6) if rng.random() < 0.5 else log_uniform(rng, 2, 60)
            lengths[at] = max(1, min(int(before * times), 4 * MOST_RECORDS))
            self.aimed = at
        else:
            order = np.argsort(lengths)
            self.aimed = int(order[-int(rng.integers(1, min(4, len(lengths)) + 1))])
        return lengths

    def _skew(self, many: int) -> None:
        """How this partition stands to the others."""
        rng = self.rng
        shape = str(rng.choice(["even", "ranged", "fat"], p=[0.5, 0.25, 0.25]))
        r = self.reducers
        match shape:
            case "even":
                self.shares = 1 + 0.03 * rng.standard_normal(r)
            case "ranged":
                self.shares = rng.lognormal(0, 0.5, r)
            case _:
                self.shares = np.maximum(1 + 0.1 * rng.standard_normal(r), 0.2)
        self.own = int(rng.integers(r))
        if shape == "fat":
            self.shares[self.own] = log_uniform(rng, 1.2, 40)
        elif shape == "ranged" and rng.random() < 0.6:
            self.own = int(self.shares.argmax())
        self.shape = shape

    def _step(self) -> int:
        rng = self.rng
        lengths = self.given.groups
        assert lengths is not None
        if not self.dies:
            return self.n
        if "group" in self.chosen:
            start = int(lengths[: self.aimed].sum())
            inside = int(np.ceil(lengths[self.aimed] * rng.uniform(0.25, 1.0)))
            return start + max(1, inside)
        return super()._step()

    def _add(self, kind: str, size: float, *, culprit: bool) -> None:
        if kind == "group":
            self._of_group(size, culprit=culprit)
        else:
            super()._add(kind, size, culprit=culprit)

    def _driver(self, level: str) -> str:
        if level == "reduce":
            return str(self.rng.choice(["records", "bytes", "groups"], p=[0.4, 0.2, 0.4]))
        return super()._driver(level)

    def _kept(self, level: str, size: float, *, culprit: bool) -> None:
        super()._kept(level, size, culprit=culprit)
        total = float(len(self.given.groups))  # type: ignore[arg-type]
        last = self.consumers[-1]
        if last.by == "groups" and last.law.name in ("young", "old"):
            self.consumers[-2:] = [replace(one, scale=total) for one in self.consumers[-2:]]

    def _of_group(self, size: float, *, culprit: bool) -> None:
        """What is kept of a group, sized so that it holds so much where the job shall die."""
        rng = self.rng
        starts, lengths = self.given.starts, self.given.groups
        assert lengths is not None
        at = int(np.searchsorted(starts, self.step - 1, side="right")) - 1
        by = self._driver("group")
        span = slice(int(starts[at]), int(starts[at] + lengths[at]))
        scale = float(lengths[at]) if by == "records" else float(self.given.sizes[span].sum())
        inside = (self.step - int(starts[at])) / int(lengths[at])
        law = growth_law(rng, inside)[0]
        if law.name in ("young", "old", "late", "cache") and rng.random() < 0.7:
            law = Law("linear")
        if self.kinds and culprit:
            self.kinds[-1] = f"group {law.name}"
        one = Consumer(self._name("list"), "group", law, 1.0, by=by, scale=scale, culprit=culprit)  # type: ignore[arg-type]
        self._sized(one, size)

    def _plain_buffer(self, room: float) -> float:
        return 0.0

    def _built(self) -> Task:
        task = self._bare(tuple(self.consumers))
        mine = self.given.records
        shares = self.shares / self.shares[self.own] * mine
        others = None
        if self.reducers > 1:
            others = self._others(np.delete(shares, self.own))
        return replace(
            task,
            reducers=self.reducers,
            own=self.own,
            partitions=tuple(float(s) for s in shares),
            others=others,
            kinds=("reduce", self.shape, *dict.fromkeys(self.kinds)),
        )

    def _others(self, partitions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Records and bytes of the groups of the other reducers, or of so many of them."""
        count = int(np.clip(partitions.sum() / self.mean, len(partitions), 3000))
        lengths = np.maximum(np.round(sizes_of(self.rng, count, self.spread) * self.mean), 1)
        lengths = np.minimum(lengths, max(1.0, np.round(partitions.max())))
        return lengths, lengths * float(self.given.sizes.mean())


def shuffle_task(rng: Generator) -> Task:
    """A reduce task that may die while it fetches."""
    heap = heap_of(rng)
    usable, heap_max = float(heap["usable"]), float(heap["heap_max"])  # type: ignore[arg-type]
    reducers = int(log_uniform(rng, 1, 400.99))
    fat = rng.random() < 0.4 and reducers > 1
    shares = np.maximum(1 + 0.05 * rng.standard_normal(reducers), 0.1)
    own = int(rng.integers(reducers))
    if fat:
        shares[own] = log_uniform(rng, 1.2, 20)
    ratio = float(rng.choice([0.7, rng.uniform(0.6, 1.0), rng.uniform(0.3, 0.8)]))
    partition = usable * log_uniform(rng, 0.4, 8) if rng.random() < 0.7 else usable * 20
    how = Shuffling(ratio=ratio, maps=int(log_uniform(rng, 5, 2000)), bytes=partition,
                    overhead=float(rng.uniform(0, 0.08)))  # fmt: skip
    wanted = usable * rng.uniform(0.93, 1.12) - how.peak(heap_max)
    heap["base"] = int(np.clip(wanted, 3 * MIB + 0.01 * heap_max, 0.3 * heap_max))
    records = 200
    given = Input(np.full(records, partition / records), np.ones(records), np.full(20, 10))
    return Task(
        side="reduce", input=given, consumers=(), in_flight=1.0,
        grain=max(1, int(partition / records / 200)), reducers=reducers, own=own,
        partitions=tuple(float(s) for s in shares / shares[own] * records), shuffling=how,
        kinds=("reduce", "shuffle", "fat" if fat else "even"), **heap,  # type: ignore[arg-type]
    )  # fmt: skip
