"""Random jobs: sizes spread around and across every threshold one might think of.

A job is drawn backwards: first where it shall die and of what shares, then the consumers that hold
so much there. Where it really dies, and of what, the model says; some do not die at all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import Generator

from mprof.units import GIB, KIB, MIB
from reliability.laws import Law
from reliability.model import Consumer, Input, Shuffling, Task, course_of

__all__ = ["draw"]

_MOST_RECORDS: Final = 3000
_GROWTH: Final = (
    ("linear", 6), ("power", 4), ("log", 2), ("n log n", 1), ("saturating", 1.5), ("cache", 2),
    ("flushed", 2.5), ("steps", 1), ("late", 1.5), ("doubling", 2), ("handed", 1.2),
)  # fmt: skip


def draw(seed: int, index: int) -> Task:
    """The job with that number of a seed."""
    rng = np.random.default_rng([seed, index])
    side = rng.choice(["map", "reduce", "shuffle"], p=[0.5, 0.42, 0.08])
    if side == "map":
        return _MapDraw(rng).task()
    return _ReduceDraw(rng).task() if side == "reduce" else _shuffle_task(rng)


def _log_uniform(rng: Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _one(rng: Generator, weights: tuple[tuple[str, float], ...]) -> str:
    names = [name for name, _ in weights]
    shares = np.array([weight for _, weight in weights])
    return str(rng.choice(names, p=shares / shares.sum()))


def _heap(rng: Generator) -> dict[str, object]:
    heap_max = int(_log_uniform(rng, 64 * MIB, 64 * GIB)) // MIB * MIB
    collector = str(rng.choice(["Serial", "Parallel", "G1"], p=[0.2, 0.3, 0.5]))
    low, high = {"Serial": (0.93, 0.985), "Parallel": (0.84, 0.97), "G1": (0.88, 0.98)}[collector]
    usable = int(heap_max * rng.uniform(low, high))
    return {
        "heap_max": heap_max,
        "usable": usable,
        "block": usable if collector == "G1" else heap_max * 2 // 3,
        "container": int(heap_max * rng.uniform(1.1, 2.5)) + 256 * MIB,
        "collector": collector,
        "base": int(3 * MIB + heap_max * rng.uniform(0.005, 0.05)),
    }


def sizes_of(rng: Generator, n: int, kind: str) -> np.ndarray:
    """Sizes around 1, spread in one of the ways that data is spread."""
    match kind:
        case "constant":
            return np.ones(n)
        case "log-normal":
            return rng.lognormal(0, rng.choice([0.1, 0.4, 0.8, 1.2, 1.8]), n)
        case "pareto":
            return (1 + rng.pareto(rng.choice([1.1, 1.5, 2.0, 3.0]), n)) / 2
        case "zipf":
            ranks = rng.permutation(n) + 1.0
            sizes = ranks ** -float(rng.uniform(0.3, 1.2))
            return sizes / np.median(sizes)
        case "bimodal":
            return np.where(rng.random(n) < rng.uniform(0.02, 0.5), rng.uniform(3, 40), 1.0)
        case _:  # planted
            sizes = rng.lognormal(0, rng.choice([0.05, 0.3]), n)
            sizes[int(rng.integers(n))] *= _log_uniform(rng, 1.2, 1000)
            return sizes


SPREADS: Final = (
    ("constant", 2), ("log-normal", 3), ("pareto", 1.5), ("zipf", 1), ("bimodal", 1),
    ("planted", 1),
)  # fmt: skip


def growth_law(rng: Generator, at: float) -> list[Law]:
    """A growth law, or the two of a hand-on; `at` is where the job shall die, of the input."""
    name = _one(rng, _GROWTH)
    match name:
        case "power":
            return [Law("power", float(rng.choice([rng.uniform(0.35, 0.9), rng.uniform(1.15, 3)])))]
        case "log":
            return [Law("log", _log_uniform(rng, 5, 3000))]
        case "n log n":
            return [Law("n log n", _log_uniform(rng, 10, 1e6))]
        case "saturating":
            return [Law("saturating", float(rng.uniform(1, 12)))]
        case "cache":
            return [Law("cache", at * float(rng.uniform(0.02, 1.1)))]
        case "flushed":
            return [Law("flushed", at / float(rng.uniform(1.1, 9)))]
        case "steps":
            return [Law("steps", float(rng.integers(3, 30)) / at)]
        case "late":
            return [Law("late", at * float(rng.uniform(0.1, 0.93)))]
        case "doubling":
            return [Law("doubling", _log_uniform(rng, 50, 50_000) / at)]
        case "handed":
            period = at / float(rng.uniform(1.5, 9))
            return [Law("young", period), Law("old", period)]
        case _:
            return [Law("linear")]


class _MapDraw:
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

    def __init__(self, rng: Generator) -> None:
        self.rng = rng
        self.heap = _heap(rng)
        self.kinds: list[str] = []
        self.consumers: list[Consumer] = []
        self.chosen = self._choose()
        single = any(name in ("work", "record") for name in self.chosen)
        lazy = any(name.startswith("lazy") for name in self.chosen)
        many = rng.random() < 0.85
        self.n = int(_log_uniform(rng, 150, _MOST_RECORDS) if many else _log_uniform(rng, 3, 150))
        coarse = rng.random() < (0.15 if single else 0.6) and not lazy
        self.grain = int(_log_uniform(rng, 2, 30_000)) if coarse and self.n >= 150 else 1
        self.threads = int(rng.integers(2, 17)) if rng.random() < 0.05 and self.grain == 1 else 1
        self.given = self._input()
        self.dies = rng.random() > 0.07
        self.step = self._step()
        self.buffer = 0
        self.flight = float(rng.uniform(1.0, 2.6))

    def _choose(self) -> list[str]:
        many = int(self.rng.choice([1, 2, 3, 4], p=[0.55, 0.28, 0.12, 0.05]))
        return [_one(self.rng, self.culprits) for _ in range(many)]

    def _input(self) -> Input:
        spread = _one(self.rng, SPREADS)
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
        beside = [_one(rng, self.bystanders) for _ in range(int(rng.integers(0, 4)))]
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
        ordinary = _log_uniform(self.rng, 20, min(20 * KIB, 0.0005 * whole)) * self.grain
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
                length = int(size / _log_uniform(rng, 1, 8))
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
                    length = int(size / _log_uniform(rng, 1, 8))
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
            times = _log_uniform(rng, 1.05, 3) if rng.random() < 0.3 else _log_uniform(rng, 3, 1e5)
            work = self.given.work * rng.lognormal(0, rng.choice([0.02, 0.3]), self.n)
            work = work / work.max()
            work[step - 1] = times
            self.given = replace(self.given, work=work)
            one = Consumer(
                self._name("cells"), "record", Law("linear"), 1.0, culprit=culprit, spiky=True
            )
        else:
            by = str(rng.choice(["records", "bytes"]))
            one = Consumer(
                self._name("parts"), "record", Law("linear"), 1.0, by=by, culprit=culprit
            )  # type: ignore[arg-type]
        self._sized(one, size)

    def _record(self, size: float) -> None:
        """A large record, with objects of its size; or one of the larger ones of a spread."""
        rng, step = self.rng, self.step
        sizes = self.given.sizes.copy()
        inflation = float(rng.choice([0.0, _log_uniform(rng, 1, 12)], p=[0.2, 0.8]))
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
            times = _log_uniform(rng, 1.1, 2.5) if rng.random() < 0.3 else _log_uniform(rng, 2, 1e4)
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
            reducers=int(_log_uniform(self.rng, 1, 400)) if self.buffer else 0,
            splittable=bool(self.rng.random() < 0.93),
            kinds=(self.side, *dict.fromkeys(self.kinds)),
        )


class _ReduceDraw(_MapDraw):
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

    def __init__(self, rng: Generator) -> None:
        super().__init__(rng)
        self.group = 0

    def _input(self) -> Input:
        rng = self.rng
        self.reducers = int(_log_uniform(rng, 1, 400.99))
        many = int(_log_uniform(rng, 1, 400.99)) if rng.random() < 0.9 else int(rng.integers(1, 8))
        spread = _one(rng, SPREADS)
        mean = max(self.n / many, 1.0)
        if "group" in self.chosen:
            mean = max(mean, _log_uniform(rng, 2, 200))
        mine = sizes_of(rng, many, spread)
        lengths = np.maximum(np.round(mine * mean), 1)
        if lengths.sum() > _MOST_RECORDS:
            lengths = np.maximum(np.round(lengths * _MOST_RECORDS / lengths.sum()), 1)
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
            times = _log_uniform(rng, 1.05, 2.6) if rng.random() < 0.5 else _log_uniform(rng, 2, 60)
            lengths[at] = max(1, min(int(before * times), 4 * _MOST_RECORDS))
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
            self.shares[self.own] = _log_uniform(rng, 1.2, 40)
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


def _shuffle_task(rng: Generator) -> Task:
    """A reduce task that may die while it fetches."""
    heap = _heap(rng)
    usable, heap_max = float(heap["usable"]), float(heap["heap_max"])  # type: ignore[arg-type]
    heap["base"] = int(3 * MIB + heap_max * rng.uniform(0.01, 0.3))
    reducers = int(_log_uniform(rng, 1, 400.99))
    fat = rng.random() < 0.4 and reducers > 1
    shares = np.maximum(1 + 0.05 * rng.standard_normal(reducers), 0.1)
    own = int(rng.integers(reducers))
    if fat:
        shares[own] = _log_uniform(rng, 1.2, 20)
    ratio = float(rng.choice([0.7, rng.uniform(0.6, 1.0), rng.uniform(0.3, 0.8)]))
    partition = usable * _log_uniform(rng, 0.4, 8) if rng.random() < 0.7 else usable * 20
    how = Shuffling(ratio=ratio, maps=int(_log_uniform(rng, 5, 2000)), bytes=partition,
                    overhead=float(rng.uniform(0, 0.08)))  # fmt: skip
    records = 200
    given = Input(np.full(records, partition / records), np.ones(records), np.full(20, 10))
    return Task(
        side="reduce", input=given, consumers=(), in_flight=1.0,
        grain=max(1, int(partition / records / 200)), reducers=reducers, own=own,
        partitions=tuple(float(s) for s in shares / shares[own] * records), shuffling=how,
        kinds=("reduce", "shuffle", "fat" if fat else "even"), **heap,  # type: ignore[arg-type]
    )  # fmt: skip
