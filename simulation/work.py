"""Which attempt ran where, from when to when, and who waited for whom."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from simulation.faults import Fault

__all__ = ["Attempt", "Machines", "ran"]

TIMEOUT_S = 600.0
"""After which an attempt that hangs is failed, as `mapreduce.task.timeout` has it."""

_MAP_CPU_S, _MAP_DISK_S = 16.0, 9.0
_READ_ELSEWHERE = 0.2  # share of mappers whose block is on another node
_COPY_S, _MERGE_S, _REDUCE_CPU_S, _WRITE_S = 12.0, 6.0, 10.0, 12.0
_FETCHERS = 5
_NOISE = 0.3  # standard deviation of the logarithm of the work of an attempt
_REPLICAS = 3


@dataclass(frozen=True)
class Machines:
    """Speeds of nodes over time.

    Attributes:
        speeds: a row a node; columns processor, disk, network: 1 is usual.
        sick: numbers of the nodes with the fault.
        fault: what is wrong.
        spells: begin and end of each time in which it is, ascending.
        skew: standard deviation of the logarithm of the work of an attempt.
    """

    speeds: np.ndarray
    sick: tuple[int, ...]
    fault: Fault
    spells: tuple[tuple[float, float], ...]
    skew: float = _NOISE

    def is_sick(self, node: int, at_s: np.ndarray) -> np.ndarray:
        """At which of these times the fault is on the node."""
        if node not in self.sick:
            return np.zeros(len(at_s), dtype=bool)
        inside = [(at_s >= begin) & (at_s < end) for begin, end in self.spells]
        return np.asarray(np.any(inside, axis=0))

    def down_until_s(self, node: int, at_s: float) -> float | None:
        """When a node that is down then comes back; None where it is up."""
        if not self.fault.down or node not in self.sick:
            return None
        return next((end for begin, end in self.spells if begin <= at_s < end), None)

    def took_s(self, start_s: float, work_s: float, nodes: list[int], part: int) -> float:
        """How long work takes that waits for the slowest of these nodes.

        Args:
            start_s: when it begins.
            work_s: what it takes at the usual speed.
            nodes: that it needs.
            part: column of the speeds.
        """
        usual = min(float(self.speeds[node, part]) for node in nodes)
        if not set(self.sick).intersection(nodes):
            return work_s / usual
        left = self._left(part)
        sick = min(
            float(self.speeds[node, part]) * (left if node in self.sick else 1.0) for node in nodes
        )
        at_s = start_s
        for edge_s, speed in ((e, s) for spell in self.spells
                              for e, s in zip(spell, (usual, sick), strict=True)):  # fmt: skip
            if edge_s <= at_s:
                continue
            if speed * (edge_s - at_s) >= work_s:
                return at_s - start_s + work_s / speed
            work_s -= speed * (edge_s - at_s)
            at_s = edge_s
        return at_s - start_s + work_s / usual

    def _left(self, part: int) -> float:
        return (self.fault.cpu, self.fault.disk, self.fault.net)[part]


@dataclass(frozen=True)
class Attempt:
    """One attempt; times are seconds since the begin of the run, None where it never came to it."""

    job: int
    kind: str
    node: int
    started_s: float
    shuffled_s: float | None
    sorted_s: float | None
    wrote_from_s: float | None
    finished_s: float | None
    state: str
    pipeline: tuple[int, ...] = ()
    hung_from_s: float | None = None


def ran(
    machines: Machines,
    rng: np.random.Generator,
    *,
    jobs: int,
    maps: int,
    reduces: int,
    slots: int,
    until_s: float = np.inf,
    stops: tuple[tuple[float, float], ...] = (),
) -> list[Attempt]:
    """The attempts of jobs that run one after the other.

    Args:
        machines: that they run on.
        rng: of what is drawn.
        jobs: number of them.
        until_s: after which no job begins.
        maps: tasks of a job.
        reduces: likewise.
        slots: attempts of each kind that a node runs at a time.
        stops: begin and end of times in which nothing is started.
    """
    now = 5.0
    done: list[Attempt] = []
    for job in range(jobs):
        if now >= until_s:
            break
        mapped = _maps(machines, rng, job, maps, slots, now, stops)
        ends = sorted(each.finished_s or np.inf for each in mapped if each.state == "succeeded")
        first = ends[len(ends) // 20]
        reduced = (
            _reduces(machines, rng, job, reduces, slots, first, ends[-1], stops) if reduces else []
        )
        done += mapped + reduced
        ended = [each.finished_s for each in mapped + reduced if each.state == "succeeded"]
        now = max(end for end in ended if end is not None) + 5.0
    return done


def _started(now: float, stops: tuple[tuple[float, float], ...]) -> float:
    """When a task that is due is started: not while the master stands still."""
    return next((end for begin, end in stops if begin <= now < end), now)


def _slots(
    machines: Machines, slots: int, now: float, rng: np.random.Generator
) -> list[tuple[float, float, int]]:
    free = [
        (now + rng.random(), rng.random(), node)
        for node in range(len(machines.speeds))
        for _ in range(slots)
    ]
    heapq.heapify(free)
    return free


def _maps(
    machines: Machines, rng: np.random.Generator, job: int, count: int, slots: int, now: float,
    stops: tuple[tuple[float, float], ...],
) -> list[Attempt]:  # fmt: skip
    free, left, found = _slots(machines, slots, now, rng), count, []
    while left:
        at, _, node = heapq.heappop(free)
        if (back_s := machines.down_until_s(node, at)) is not None:
            if back_s < np.inf:
                heapq.heappush(free, (back_s + rng.random(), rng.random(), node))
            continue
        at = _started(at, stops)
        source = node if rng.random() > _READ_ELSEWHERE else int(rng.integers(len(machines.speeds)))
        work = rng.lognormal(0, machines.skew)
        read = machines.took_s(at, _MAP_DISK_S * work, [source], 1)
        if source != node:
            read = max(read, machines.took_s(at, _MAP_DISK_S * work / 2, [source, node], 2))
        end = at + read + machines.took_s(at + read, _MAP_CPU_S * work, [node], 0)
        attempt = _ended(machines, "map", job, node, at, end, None, None, None, ())
        found.append(attempt)
        left -= attempt.state == "succeeded"
        if attempt.finished_s is not None:
            heapq.heappush(free, (attempt.finished_s + rng.random(), rng.random(), node))
    return found


def _reduces(
    machines: Machines, rng: np.random.Generator, job: int, count: int, slots: int, first: float,
    last_map: float, stops: tuple[tuple[float, float], ...],
) -> list[Attempt]:  # fmt: skip
    free, left, found = _slots(machines, slots, first, rng), count, []
    every = list(range(len(machines.speeds)))
    while left:
        at, _, node = heapq.heappop(free)
        if (back_s := machines.down_until_s(node, at)) is not None:
            if back_s < np.inf:
                heapq.heappush(free, (back_s + rng.random(), rng.random(), node))
            continue
        at = _started(at, stops)
        work = rng.lognormal(0, machines.skew)
        # A fifth of what is to be copied is left when the last mapper ends; the fetches from one
        # node follow each other, so that the slowest node holds up all.
        begin = max(at, last_map)
        from_each = _COPY_S * work / len(every)
        own = machines.took_s(begin, _COPY_S * work / _FETCHERS, [node], 2)
        slowest = max(
            machines.took_s(begin, from_each, [node, other], 2) for other in _some(every, machines)
        )
        shuffled = begin + max(own, slowest)
        sorted_ = shuffled + machines.took_s(shuffled, _MERGE_S * work, [node], 1)
        computed = sorted_ + machines.took_s(sorted_, _REDUCE_CPU_S * work, [node], 0)
        others = rng.choice(len(every), min(_REPLICAS, len(every)), replace=False).tolist()
        pipeline = [node, *(other for other in others if other != node)][:_REPLICAS]
        written = max(
            machines.took_s(computed, _WRITE_S * work, pipeline, 1),
            machines.took_s(computed, _WRITE_S * work / 2, pipeline, 2),
        )
        attempt = _ended(
            machines, "reduce", job, node, at, computed + written, shuffled, sorted_, computed,
            tuple(pipeline),
        )  # fmt: skip
        found.append(attempt)
        left -= attempt.state == "succeeded"
        if attempt.finished_s is not None:
            heapq.heappush(free, (attempt.finished_s + rng.random(), rng.random(), node))
    return found


def _some(every: list[int], machines: Machines) -> list[int]:
    """The nodes at fault and a few others: of healthy nodes the slowest is about as fast as any."""
    return [*every[:8], *machines.sick]


def _ended(
    machines: Machines, kind: str, job: int, node: int, at: float, end: float,
    shuffled: float | None, sorted_: float | None, wrote: float | None, pipeline: tuple[int, ...],
) -> Attempt:  # fmt: skip
    """The attempt as its node lets it end."""
    fault = machines.fault
    from_s = next((begin for begin, until in machines.spells if until > at), np.inf)
    if node in machines.sick and end > from_s:
        if fault.down:
            copied, merged = (
                each if each is not None and each < from_s else None for each in (shuffled, sorted_)
            )
            return Attempt(job, kind, node, at, copied, merged, None, from_s, "killed")
        if fault.hangs == kind:
            hung = max(at + 1.0, from_s)
            shown = shuffled if shuffled is not None and shuffled < hung + TIMEOUT_S else None
            return Attempt(
                job, kind, node, at, shown, None, None, hung + TIMEOUT_S, "failed", (), hung
            )
    return Attempt(job, kind, node, at, shuffled, sorted_, wrote, end, "succeeded", pipeline)
