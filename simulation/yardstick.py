"""``python -m simulation.yardstick``: how many sick nodes are named, and how many healthy ones.

Recordings of half an hour whose truth is known: healthy ones of several kinds, nodes that are
slower by 1.5 to 4 times, nodes that die midway, come back or limp. What is printed of each kind:
sick nodes that are named (TP), sick nodes whose time is told within five minutes, healthy nodes
that are named a node and day (FP), and how often each confidence is right.

Numbers of seeds from 1000 on are sealed: whoever changes a detector measures with others, and
takes a sealed one once, at the end.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path

from mprof.peers.findings import NodeFindings, find_sick_nodes
from mprof.peers.statistics.share import Share
from mprof.store import Store
from simulation.faults import FAULTS, NEIGHBOUR, Fault, slower
from simulation.run import BEGIN_S, Run

__all__ = ["SCENARIOS", "Score", "judged", "main", "scores_of"]

_DAY_S = 86_400.0
_NEAR_S = 300.0
_USUAL = Run(nodes=20, seconds=1800.0, jobs=99, interval_s=5)
_DOWN = Fault(down=True)
_LIMPS = tuple((begin, begin + 0.1) for begin in (0.15, 0.4, 0.65, 0.85))


_BURSTS = tuple((begin / 15, (begin + 0.5) / 15) for begin in range(1, 15))
"""Of a neighbour: a minute of work, a minute of rest."""
_PARTS: Mapping[str, tuple[str, ...]] = {
    "processor": ("cpu",), "disk": ("disk",), "network": ("net",),
}  # fmt: skip


def _with(fault: str | Fault, spells: tuple[tuple[float, float], ...], sick: int = 1) -> Run:
    return replace(_USUAL, fault=fault, spells=spells, sick=sick)


_ALL = ((0.0, 1.0),)
SCENARIOS: Mapping[str, Run] = {
    "healthy": _USUAL,
    "healthy, 50 nodes": replace(_USUAL, nodes=50),
    "healthy, skewed": replace(_USUAL, skew=0.8),
    "healthy, autocorrelated": replace(_USUAL, rho=0.99, interval_s=1),
    "healthy, two generations": replace(_USUAL, older=0.4),
    **{
        f"{times:g} times slower": _with(slower(times), _ALL) for times in (1.5, 2.0, 3.0, 4.0)
    },
    "2 times slower from 50 %": _with(slower(2.0), ((0.5, 1.0),)),
    "4 times slower from 50 %": _with(slower(4.0), ((0.5, 1.0),)),
    "3 nodes 2 times slower": _with(slower(2.0), _ALL, sick=3),
    "6 nodes 3 times slower": _with(slower(3.0), _ALL, sick=6),
    "4 times slower at times": _with(slower(4.0), _LIMPS),
    "dead from 20 %": _with(_DOWN, ((0.2, 1.0),)),
    "dead from 50 %": _with(_DOWN, ((0.5, 1.0),)),
    "dead from 80 %": _with(_DOWN, ((0.8, 1.0),)),
    "3 nodes dead from 50 %": _with(_DOWN, ((0.5, 1.0),), sick=3),
    "dead and back": _with(_DOWN, ((0.3, 0.6),)),
    "disk hog at times": _with(FAULTS["disk-hog"], _LIMPS),
    **{
        f"{part} {times:g} times slower": _with(slower(times, parts), _ALL)
        for part, parts in _PARTS.items() for times in (1.5, 2.0, 4.0)
    },
    **{
        f"{part} 4 times slower at times": _with(slower(4.0, parts), _LIMPS)
        for part, parts in _PARTS.items()
    },
    "noisy neighbour": _with(NEIGHBOUR, _BURSTS),
}  # fmt: skip
"""What is recorded, by name; each seed draws the sick nodes anew."""


@dataclass
class Score:
    """What was said of the recordings of one kind.

    Attributes:
        named: sick nodes that were named, of all.
        sick: number of sick nodes.
        timed: of the named ones, those whose begin is told within `_NEAR_S`.
        false: healthy nodes that were named.
        days: of healthy nodes: nodes times days.
        by: sick nodes that each detector named.
        right: of each confidence, the suspects that were sick.
        said: of each confidence, the suspects.
    """

    named: int = 0
    sick: int = 0
    timed: int = 0
    false: int = 0
    days: float = 0.0
    by: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    said: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Score) -> Score:
        return Score(
            self.named + other.named, self.sick + other.sick, self.timed + other.timed,
            self.false + other.false, self.days + other.days, self.by + other.by,
            self.right + other.right, self.said + other.said,
        )  # fmt: skip


def judged(run: Run, found: NodeFindings) -> Score:
    """What was said, against what is true."""
    score = Score(sick=len(run.sick_nodes))
    score.days = (run.nodes - score.sick) * run.seconds / _DAY_S
    begins = [BEGIN_S + begin for begin, _ in run.spells_s]
    for one in found.suspects:
        is_sick = one.host in run.sick_nodes
        score.said[one.confidence] += 1
        score.right[one.confidence] += is_sick
        score.named += is_sick
        score.false += not is_sick
        if is_sick:
            score.by += Counter({look.comparison.detector for look, _ in one.looks})
            near = one.since_s is not None and abs(one.since_s - begins[0]) <= _NEAR_S
            score.timed += near
    return score


def _score(work: tuple[str, int]) -> tuple[str, Score]:
    name, seed = work
    run = replace(SCENARIOS[name], seed=seed)
    with tempfile.TemporaryDirectory(prefix="mprof-yardstick-") as folder:
        store = Store.at(run.record(Path(folder)) / "store")
        return name, judged(run, find_sick_nodes(store))


def scores_of(
    names: Iterable[str], seeds: Iterable[int], workers: Executor | None = None
) -> dict[str, Score]:
    """The scores of scenarios, each with all seeds."""
    work = [(name, seed) for name in names for seed in seeds]
    found: dict[str, Score] = {}
    for name, score in (workers.map if workers else map)(_score, work):
        found[name] = found.get(name, Score()) + score
    return found


def _table(scores: Mapping[str, Score]) -> Iterator[str]:
    yield "| recordings | TP | begin told | FP | by |"
    yield "|---|---|---|---|---|"
    total = Score()
    for name, one in scores.items():
        total += one
        tp = f"{one.named} of {one.sick}" if one.sick else "-"
        timed = f"{one.timed} of {one.named}" if one.named else "-"
        by = ", ".join(f"{detector} {count}" for detector, count in sorted(one.by.items()))
        yield f"| {name} | {tp} | {timed} | {_rate(one)} | {by or '-'} |"
    yield f"| all | {Share(total.named, total.sick)} | {total.timed} | {_rate(total)} | |"
    yield ""
    for level in ("sure", "likely", "possible"):
        yield f"{level}: right in {Share(total.right[level], total.said[level])}"


def _rate(score: Score) -> str:
    return f"{score.false} in {score.days:.1f} node-days"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m simulation.yardstick", description=__doc__)
    parser.add_argument("--seeds", type=int, nargs=2, default=(1, 3), help="first and last")
    parser.add_argument("--only", default="", help="scenarios whose name contains this")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    names = [name for name in SCENARIOS if given.only in name]
    seeds = range(given.seeds[0], given.seeds[1] + 1)
    if given.workers > 1:
        with ProcessPoolExecutor(given.workers, mp_context=get_context("spawn")) as workers:
            found = scores_of(names, seeds, workers)
    else:
        found = scores_of(names, seeds)
    sys.stdout.write("".join(f"{line}\n" for line in _table(found)))


if __name__ == "__main__":
    main()
