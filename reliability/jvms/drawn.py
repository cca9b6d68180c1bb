"""Random jobs that a small heap and a few seconds are enough for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.random import Generator

from mprof.units import KIB, MIB
from reliability.draw_map import MapDraw
from reliability.draw_reduce import ReduceDraw
from reliability.jvms.slots import slots_of
from reliability.model import Input, Shuffling, Task
from reliability.spreads import log_uniform, sizes_of

__all__ = ["Drawn", "drawn"]

_MOST_RECORDS: Final = 150_000
_MOST_BYTES: Final = {"map": 40 * MIB, "reduce": 24 * MIB}
_LEAST_RECORD: Final = 40
"""Bytes: a record has its amount of work at its head, and a key."""
_HEAPS: Final = (64, 80, 96, 128)
_USABLE: Final = {"Serial": 0.95, "Parallel": 0.93, "G1": 0.95}
"""Share of the heap that live objects may take, as measured; where it died corrects it."""
_BASE: Final = {"map": 10 * MIB, "reduce": 11 * MIB}
_FLIGHT: Final = {"map": 2.0, "reduce": 2.6}
"""Heap bytes of a byte of the record in flight: buffers of the reader, and the record."""


@dataclass(frozen=True)
class Drawn:
    """A job.

    Attributes:
        task: the task that shall die.
        parts: the input of every task of its side, in the order of their indexes.
    """

    task: Task
    parts: tuple[Input, ...]

    def of_part(self, index: int) -> Task:
        """The task of another part, which the same user code runs in."""
        task = self.task
        if index == task.own or task.side == "map":
            return replace(task, input=self.parts[index], own=index)
        others = [part for i, part in enumerate(self.parts) if i != index]
        how, given = task.shuffling, self.parts[index]
        how = None if how is None else replace(how, bytes=float(given.sizes.sum()))
        return replace(task, input=given, own=index, others=_groups_of(others), shuffling=how)


def drawn(seed: int, index: int) -> Drawn:
    """The job with that number of a seed: the first draw that can be made real."""
    for attempt in range(10_000):
        rng = np.random.default_rng([seed, index, attempt])
        one = _one_of_a_kind(rng)
        if _is_small(one) and slots_of(one.task) is not None:
            return one
    raise AssertionError("no draw is small enough")


def _one_of_a_kind(rng: Generator) -> Drawn:
    side = rng.random()
    if side < 0.5:
        return _Map(rng).drawn()
    return _Reduce(rng).drawn() if side < 0.9 else _shuffle(rng)


def _shuffle(rng: Generator) -> Drawn:
    """A reduce task that may die while it fetches, with the partitions of the other reducers."""
    heap = _small_heap(rng, "reduce")
    heap |= {"heap_max": (heap_max := 64 * MIB), "usable": int(heap_max * 0.95)}
    reducers = int(rng.choice([1, 2, 3]))
    fat = rng.random() < 0.5 and reducers > 1
    shares = np.maximum(1 + 0.05 * rng.standard_normal(reducers), 0.1)
    own = int(rng.integers(reducers))
    if fat:
        shares[own] = log_uniform(rng, 1.3, 5)
    ratio = float(np.round(rng.choice([rng.uniform(0.78, 0.99), rng.uniform(0.6, 0.9)]), 3))
    own_bytes = heap_max * log_uniform(rng, 0.6, 1.3)
    maps = int(rng.integers(5, 8))
    records = 200
    grain = max(1, int(own_bytes / records / 8192))
    parts = [
        Input(np.full(records, own_bytes * share / shares[own] / records), np.ones(records),
              np.full(20, 10))
        for share in shares
    ]  # fmt: skip
    whole = tuple(float(share / shares[own] * records) for share in shares)
    task = Task(
        side="reduce", input=parts[own], consumers=(), in_flight=_FLIGHT["reduce"], grain=grain,
        reducers=reducers, own=own, partitions=whole,
        shuffling=Shuffling(ratio=ratio, maps=maps, bytes=own_bytes),
        kinds=("reduce", "shuffle", "fat" if fat else "even"), **heap,  # type: ignore[arg-type]
    )  # fmt: skip
    return Drawn(task, tuple(parts))


def _is_small(one: Drawn) -> bool:
    if one.task.shuffling is not None:
        return True
    grain, side = one.task.grain, one.task.side
    records = sum(part.records for part in one.parts) * grain
    total = sum(float(part.sizes.sum()) for part in one.parts)
    heaviest = max(float(part.sizes.max()) for part in one.parts) / grain
    return (
        records <= _MOST_RECORDS
        and total <= _MOST_BYTES[side]
        and heaviest <= one.task.heap_max
        and (one.task.buffer == 0 or not _writes(one.task))
    )


def _writes(task: Task) -> bool:
    return any(one.owner == "writer" for one in task.consumers)


def _small_heap(rng: Generator, side: str) -> dict[str, object]:
    heap_max = int(rng.choice(_HEAPS)) * MIB
    collector = str(rng.choice(["Serial", "Parallel", "G1"], p=[0.35, 0.3, 0.35]))
    usable = int(heap_max * _USABLE[collector])
    return {
        "heap_max": heap_max,
        "usable": usable,
        "block": usable if collector == "G1" else heap_max * 2 // 3,
        "container": 1024 * MIB,
        "collector": collector,
        "base": _BASE[side],
    }


def _no_shorter(given: Input, grain: int) -> Input:
    return replace(given, sizes=np.maximum(np.round(given.sizes), _LEAST_RECORD * grain))


class _Small(MapDraw):
    """What map and reduce tasks have in common."""

    most_alike = 60
    most_threads = 1

    def _heap(self) -> dict[str, object]:
        return _small_heap(self.rng, self.side)

    def _scale_sizes(self, whole: float) -> None:
        self.flight = _FLIGHT[self.side]
        most = max(60.0, min(4 * KIB, _MOST_BYTES[self.side] / 2 / (self.n * self.grain)))
        sizes = self.given.sizes * log_uniform(self.rng, 45, most) * self.grain
        self.given = _no_shorter(replace(self.given, sizes=sizes), self.grain)

    def _record(self, size: float) -> None:
        super()._record(size)
        self.given = _no_shorter(self.given, self.grain)

    def _plain_buffer(self, room: float) -> float:
        if "writer" in self.chosen:
            return 0.0
        return super()._plain_buffer(room)


class _Map(_Small):
    """One map task, and now and then a small one beside it."""

    def drawn(self) -> Drawn:
        task = replace(self.task(), reducers=1 if self.buffer else 0, own=0)
        parts = [task.input]
        if self.rng.random() < 0.4 and task.input.records >= 20:
            ordinary = np.argsort(task.input.sizes)[: task.input.records // 2]
            some = np.sort(self.rng.choice(ordinary, max(1, len(ordinary) // 5), replace=False))
            beside = task.input.sizes[some]
            parts.append(Input(beside, np.minimum(task.input.work[some], 1.0)))
        return Drawn(task, tuple(parts))


class _Reduce(_Small, ReduceDraw):
    """One reduce task, with the partitions of the other reducers."""

    most_reducers = 5

    def drawn(self) -> Drawn:
        task = self.task()
        grain_size = float(np.mean(task.input.sizes))  # so that bytes say what records say
        parts = []
        for index in range(task.reducers):
            if index == task.own:
                parts.append(task.input)
                continue
            lengths = self._groups_for(task.partitions[index])
            records = int(lengths.sum())
            sizes = np.full(records, grain_size)
            parts.append(Input(sizes, np.ones(records), lengths))
        whole = [one for one in range(task.reducers) if one != task.own]
        partitions = tuple(float(part.records) for part in parts)
        others = _groups_of([parts[one] for one in whole])
        return Drawn(replace(task, partitions=partitions, others=others), tuple(parts))

    def _groups_for(self, records: float) -> np.ndarray:
        """Groups of so many records in all, spread as those of the partition that is drawn."""
        records = max(1, round(records))
        many = int(np.clip(2 * records / self.mean, 1, 3000))
        lengths = np.maximum(np.round(sizes_of(self.rng, many, self.spread) * self.mean), 1)
        ends = np.minimum(np.cumsum(lengths), records).astype(int)
        cut = np.diff(np.concatenate(([0], ends)))
        cut = cut[cut > 0]
        cut[-1] += records - int(cut.sum())
        return cut.astype(int)

    def _others(self, partitions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(0), np.zeros(0)  # they are drawn as inputs of their own


def _groups_of(parts: list[Input]) -> tuple[np.ndarray, np.ndarray] | None:
    """Records and bytes of all groups of some partitions."""
    if not parts:
        return None
    records = np.concatenate([part.groups for part in parts if part.groups is not None])
    sizes = np.concatenate([np.add.reduceat(part.sizes, part.starts) for part in parts])
    return records.astype(float), sizes
