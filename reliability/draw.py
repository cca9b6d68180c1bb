"""Random jobs: sizes spread around and across every threshold one might think of.

A job is drawn backwards: first where it shall die and of what shares, then the consumers that hold
so much there. Where it really dies, and of what, the model says; some do not die at all.
"""

from __future__ import annotations

import numpy as np

from reliability.draw_map import MapDraw
from reliability.draw_reduce import ReduceDraw, shuffle_task
from reliability.model import Task

__all__ = ["draw"]


def draw(seed: int, index: int) -> Task:
    """The job with that number of a seed."""
    rng = np.random.default_rng([seed, index])
    side = rng.choice(["map", "reduce", "shuffle"], p=[0.5, 0.42, 0.08])
    if side == "map":
        return MapDraw(rng).task()
    return ReduceDraw(rng).task() if side == "reduce" else shuffle_task(rng)
