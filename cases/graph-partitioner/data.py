"""Edges of a graph whose vertices have few to very many neighbours, evenly spread: no hub."""

from __future__ import annotations

from pathlib import Path

import numpy as np

# Spread so that the largest is no outlier (upper fence 1.1) and every other one fits easily.
SHARES = (0.05, 0.07, 0.10, 0.15, 0.20, 0.30, 0.40, 0.45, 0.50, 0.50, 0.50)
LARGEST = 1.0
EDGE_BYTES = 17
BLOCK = 200_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``edges.txt``, "from TAB to" lines in random order."""
    rng = np.random.default_rng(seed)
    others = rng.permutation(SHARES)
    # The largest comes last in its reducer, so that all others have been counted by then.
    shares = np.append(others, LARGEST)
    names = np.sort(rng.choice(90_000, len(shares), replace=False) + 10_000)
    degrees = (shares / shares.sum() * (size_bytes / EDGE_BYTES)).astype(np.int64)
    owners = np.repeat(np.arange(len(shares)), degrees)
    rng.shuffle(owners)
    with (folder / "edges.txt").open("wb") as out:
        for start in range(0, len(owners), BLOCK):
            block = owners[start : start + BLOCK]
            neighbours = rng.integers(1_000_000_000, 9_999_999_999, size=len(block))
            pairs = zip(names[block].tolist(), neighbours.tolist(), strict=True)
            out.write(b"".join([b"%d\t%d\n" % pair for pair in pairs]))
