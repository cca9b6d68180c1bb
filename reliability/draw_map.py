"""A random map task."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import Generator

from mprof.units import KIB, MIB
from reliability.laws import Law
from reliability.model import Consumer, Driver, Input, Task, course_of
from reliability.spreads import (
    MOST_RECORDS,
    SPREADS,
    growth_law,
    heap_of,
    log_uniform,
    one_of,
    sizes_of,
)

__all__ = ["MapDraw"]


_INFLATION: Final = 300.0
"""Heap bytes a byte of a record, at most, of objects that a record is parsed into."""


class MapDraw:
    """One map task."""

    culprits: tuple[tuple[str, float], ...] = (
        ("kept", 5), ("work", 2.2), ("record", 1.3), ("external", 1.6), ("buffer", 1.3),
        ("lazy", 0.5), ("workspace", 0.5), ("writer", 0.5), ("reader", 0.4), ("library", 0.3),
        ("lazy at death", 0.25), ("lazy without file", 0.2),
    )  # fmt: skip
    bystanders: tuple[tuple[str, float], ...] = (
        ("kept", 3), ("external", 2), ("ordinary work", 2), ("writer", 0.5), ("library", 0.5),
        ("workspace", 0.5),
    )  # fmt: skip
    side = "map"
    most_alike = 30_000
    """Records of the job for one of the model, at most."""
    most_threads = 16

    def __init__(self, rng: Generator) -> None:
        self.rng = rng
        self.heap = self._heap()
        self.kinds: list[str] = []
        self.consumers: list[Consumer] = []
        self.chosen = self._choose()
        single = any(name in ("work", "record") for name in self.chosen)
        lazy = any(name.startswith("lazy") for name in self.chosen)
        many = rng.random() < 0.85
        self.n = int(log_uniform(rng, 150, MOST_RECORDS) if many else log_uniform(rng, 3, 150))
        coarse = rng.random() < (0.15 if single else 0.6) and not lazy
        self.grain = int(log_uniform(rng, 2, self.most_alike)) if coarse and self.n >= 150 else 1
        at_once = self.most_threads > 1 and rng.random() < 0.05 and self.grain == 1
        self.threads = int(rng.integers(2, self.most_threads + 1)) if at_once else 1
        self.given = self._input()
        self.dies = rng.random() > 0.07
        self.step = self._step()
        self.buffer = 0
        self.flight = float(rng.uniform(1.0, 2.6))

    def _heap(self) -> dict[str, object]:
        return heap_of(self.rng)

    def _choose(self) -> list[str]:
        many = int(self.rng.choice([1, 2, 3, 4], p=[0.55, 0.28, 0.12, 0.05]))
        return [one_of(self.rng, self.culprits) for _ in range(many)]

    def _input(self) -> Input:
        spread = one_of(self.rng, SPREADS)
        if self.grain > 1:
            sizes = 1 + 0.02 * self.rng.standard_normal(self.n)
        else:
            sizes = sizes_of(self.rng, self.n, spread)
        return Input(np.maximum(sizes, 0.02), np.ones(self.n))

    def _step(self) -> int:
        if not self.dies:
            return self.n
        return max(1, min(self.n, round(self.n * float(self.rng.uniform(0.03, 1.0)))))

    # -- shares

    def task(self) -> Task:
        rng = self.rng
        room = float(self.heap["usable"]) - float(self.heap["base"])  # type: ignore[arg-type]
        whole = room * (
            1 + float(rng.uniform(0.003, 0.05)) if self.dies else rng.uniform(0.5, 0.97)
        )
        beside = [one_of(rng, self.bystanders) for _ in range(int(rng.integers(0, 4)))]
        small = (
            float(rng.choice([0.0, rng.uniform(0, 0.1), rng.uniform(0.05, 0.3)])) if beside else 0
        )
        plain = self._plain_buffer(room)
        self._scale_sizes(whole)
        shares = rng.dirichlet(np.full(len(self.chosen), 1.6)) * (1 - small)
        whole = max(whole - plain, 0.3 * whole)
        for share, name in zip(shares, self.chosen, strict=True):
            self.kinds.append(name)
            self._add(name, share * whole, culprit=True)
        if beside:
            for share, name in zip(
                rng.dirichlet(np.ones(len(beside))) * small, beside, strict=True
            ):
                self._add(name, share * whole, culprit=False)
        return self._built()

    def _plain_buffer(self, room: float) -> float:
        """A sort buffer that is nobody's fault, where it is not drawn as a culprit."""
        if "buffer" in self.chosen or self.rng.random() < 0.12:
            return 0.0
        share = float(self.rng.choice([self.rng.uniform(0.02, 0.12), self.rng.uniform(0.1, 0.4)]))
        self.buffer = int(share * room) // MIB * MIB
        return float(self.buffer)

    def _scale_sizes(self, whole: float) -> None:
        """Bytes of a record: small beside the heap, but for those that are planted."""
        ordinary = log_uniform(self.rng, 20, min(20 * KIB, 0.0005 * whole)) * self.grain
        self.given = replace(self.given, sizes=np.maximum(self.given.sizes * ordinary, 1.0))

    def _driver(self, level: str) -> str:
        return str(self.rng.choice(["records", "bytes"], p=[0.7, 0.3]))

    def _name(self, kind: str) -> str:
        return f"{kind.replace(' ', '_')}{len(self.consumers)}"

    def _add(self, kind: str, size: float, *, culprit: bool) -> None:
        rng = self.rng
        if size < 1000 and not culprit:
            return
        match kind:
            case "kept":
                self._kept(self.side, size, culprit=culprit)
            case "work" | "ordinary work":
                self._work(size, planted=kind == "work", culprit=culprit)
            case "record":
                self._record(size)
            case "external":
                length = int(size / log_uniform(rng, 1, 8))
                seen = bool(rng.random() < 0.85)
                self._put("model", "setup", Law("constant"), size, culprit=culprit,
                          file=(f"hdfs:/cache/{self._name('side')}.bin", length), seen=seen,
                          static=bool(rng.random() < 0.2))  # fmt: skip
            case "workspace":
                self._put("matrix", "setup", Law("constant"), size, culprit=culprit)
            case "lazy" | "lazy without file" | "lazy at death":
                at = self.step - 0.5 if kind == "lazy at death" else float(rng.uniform(0, 3))
                file = None
                if kind != "lazy without file":
                    length = int(size / log_uniform(rng, 1, 8))
                    file = (f"hdfs:/cache/{self._name('lazy')}.bin", length)
                law = Law("lazy", max(at, 0.5) / self.n)
                self._put("cache", self.side, law, size, culprit=culprit, file=file, static=True)
            case "buffer":
                self.buffer = int(size) // MIB * MIB
            case "writer":
                law = growth_law(rng, self.step / self.n)[0]
                by = "groups" if self.side == "reduce" else "records"
                self._put("batch", self.side, law, size, culprit=culprit, owner="writer", by=by)
            case "library":
                self._put("CACHE", self.side, Law("linear"), size, culprit=culprit, owner="library",
                          static=True)  # fmt: skip
            case _:
                many = int(rng.integers(2, 12))
                weights = tuple(float(w) for w in rng.lognormal(0, 0.3, many))
                period = 1 / many
                index = min(int(self.step / self.n / period), many - 1)
                weights = tuple(w if i <= index else weights[index] for i, w in enumerate(weights))
                self._put("ahead", self.side, Law("blocks", period, weights), size,
                          culprit=culprit, owner="reader")  # fmt: skip

    def _put(self, name: str, level: str, law: Law, size: float, *, by: str = "records",
             **more: object) -> None:  # fmt: skip
        """A consumer that holds so much where the job shall die."""
        total = {"records": float(self.n), "bytes": float(self.given.sizes.sum())}
        if self.given.groups is not None:
            total["groups"] = float(len(self.given.groups))
        one = Consumer(self._name(name), level, law, 1.0, by=by, scale=total[by], **more)  # type: ignore[arg-type]
        self._sized(one, size)

    def _sized(self, one: Consumer, size: float) -> None:
        probe = course_of(self._bare((one,)))
        here = float(probe.during[0, self.step]) if one.level != "setup" else 1.0
        if here < 1e-6:  # flushed right here, or not begun: sized by the most so far
            here = float(probe.during[0, : self.step + 1].max()) or 1.0
        self.consumers.append(replace(one, bytes=size / here))

    def _kept(self, level: str, size: float, *, culprit: bool) -> None:
        laws = growth_law(self.rng, self.step / self.n)
        if self.kinds and culprit:
            self.kinds[-1] = f"kept {laws[0].name}"
        by = self._driver(level)
        if len(laws) == 1:
            self._put("kept", level, laws[0], size, by=by, culprit=culprit)
            return
        total = float(self.n) if by == "records" else float(self.given.sizes.sum())
        here = self.step / self.n
        for law in laws:
            one = Consumer(self._name(law.name), level, law, size / here, by=by, scale=total,  # type: ignore[arg-type]
                           culprit=culprit)  # fmt: skip
            self.consumers.append(one)

    def _work(self, size: float, *, planted: bool, culprit: bool) -> None:
        """Temporary objects: of R_n many more than of others, where planted."""
        rng, step = self.rng, self.step
        if planted:
            times = log_uniform(rng, 1.05, 3) if rng.random() < 0.3 else log_uniform(rng, 3, 1e5)
            work = self.given.work * rng.lognormal(0, rng.choice([0.02, 0.3]), self.n)
            work = work / work.max()
            work[step - 1] = times
            self.given = replace(self.given, work=work)
            one = Consumer(
                self._name("cells"), "record", Law("linear"), 1.0, culprit=culprit, spiky=True
            )
        else:
            small = size > _INFLATION * float(self.given.sizes.mean()) / self.grain
            by: Driver = "records" if small or rng.random() < 0.5 else "bytes"
            one = Consumer(
                self._name("parts"), "record", Law("linear"), 1.0, by=by, culprit=culprit
            )
        self._sized(one, size)

    def _record(self, size: float) -> None:
        """A large record, with objects of its size; or one of the larger ones of a spread."""
        rng, step = self.rng, self.step
        sizes = self.given.sizes.copy()
        inflation = float(rng.choice([0.0, log_uniform(rng, 1, 12)], p=[0.2, 0.8]))
        wanted = size / (self.flight + inflation) * self.grain
        if rng.random() < 0.35:
            # the spread as it is, scaled so that this one fills its share
            order = np.argsort(sizes)
            step = int(order[-int(rng.integers(1, min(6, self.n) + 1))]) + 1
            if self.dies:
                self.step = step
            factor = wanted / sizes[step - 1]
            if factor * sizes.sum() < 1e16:
                sizes = sizes * factor
        else:
            times = log_uniform(rng, 1.1, 2.5) if rng.random() < 0.3 else log_uniform(rng, 2, 1e4)
            top = float(sizes.max())
            sizes = np.minimum(sizes / top, 1.0) * wanted / times
            sizes[step - 1] = wanted
        self.given = replace(self.given, sizes=np.maximum(sizes, 1.0))
        if inflation:
            one = Consumer(self._name("tokens"), "record", Law("linear"), inflation, by="bytes")
            self.consumers.append(one)

    def _bare(self, consumers: tuple[Consumer, ...]) -> Task:
        return Task(
            side=self.side,  # type: ignore[arg-type]
            input=self.given,
            consumers=consumers,
            in_flight=self.flight,
            threads=self.threads,
            grain=self.grain,
            **self.heap,  # type: ignore[arg-type]
        )

    def _built(self) -> Task:
        task = self._bare(tuple(self.consumers))
        return replace(
            task,
            buffer=self.buffer,
            reducers=int(log_uniform(self.rng, 1, 400)) if self.buffer else 0,
            splittable=bool(self.rng.random() < 0.93),
            kinds=(self.side, *dict.fromkeys(self.kinds)),
        )
