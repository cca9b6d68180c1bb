"""How sizes are spread, and how memory grows: the dice of the drawn jobs."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.random import Generator

from mprof.units import GIB, MIB
from reliability.laws import Law

__all__ = ["MOST_RECORDS", "SPREADS", "growth_law", "heap_of", "log_uniform", "one_of", "sizes_of"]

MOST_RECORDS: Final = 3000
GROWTH: Final = (
    ("linear", 6), ("power", 4), ("log", 2), ("n log n", 1), ("saturating", 1.5), ("cache", 2),
    ("flushed", 2.5), ("steps", 1), ("late", 1.5), ("doubling", 2), ("handed", 1.2),
)  # fmt: skip


def log_uniform(rng: Generator, low: float, high: float) -> float:
    """A number between two bounds, every factor as likely."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def one_of(rng: Generator, weights: tuple[tuple[str, float], ...]) -> str:
    """One of some names, as often as its weight says."""
    names = [name for name, _ in weights]
    shares = np.array([weight for _, weight in weights])
    return str(rng.choice(names, p=shares / shares.sum()))


def heap_of(rng: Generator) -> dict[str, object]:
    """A heap, its collector and what that leaves of it."""
    heap_max = int(log_uniform(rng, 64 * MIB, 64 * GIB)) // MIB * MIB
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
            falling = ranks ** -float(rng.uniform(0.3, 1.2))
            return falling / float(np.median(falling))
        case "bimodal":
            return np.where(rng.random(n) < rng.uniform(0.02, 0.5), rng.uniform(3, 40), 1.0)
        case _:  # planted
            sizes = rng.lognormal(0, rng.choice([0.05, 0.3]), n)
            sizes[int(rng.integers(n))] *= log_uniform(rng, 1.2, 1000)
            return sizes


SPREADS: Final = (
    ("constant", 2), ("log-normal", 3), ("pareto", 1.5), ("zipf", 1), ("bimodal", 1),
    ("planted", 1),
)  # fmt: skip


def growth_law(rng: Generator, at: float) -> list[Law]:
    """A growth law, or the two of a hand-on; `at` is where the job shall die, of the input."""
    name = one_of(rng, GROWTH)
    match name:
        case "power":
            return [Law("power", float(rng.choice([rng.uniform(0.35, 0.9), rng.uniform(1.15, 3)])))]
        case "log":
            return [Law("log", log_uniform(rng, 5, 3000))]
        case "n log n":
            return [Law("n log n", log_uniform(rng, 10, 1e6))]
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
            return [Law("doubling", log_uniform(rng, 50, 50_000) / at)]
        case "handed":
            period = at / float(rng.uniform(1.5, 9))
            return [Law("young", period), Law("old", period)]
        case _:
            return [Law("linear")]
