"""What listeners heard: few to very many tracks, evenly spread; the one with most comes first."""

from __future__ import annotations

from pathlib import Path

import numpy as np

# Spread so that the largest is no outlier (upper fence 1.1) and every other one fits easily.
SHARES = (0.05, 0.07, 0.10, 0.15, 0.20, 0.30, 0.40, 0.45, 0.50, 0.50, 0.50)
LARGEST = 1.0
LINE_BYTES = 15
BLOCK = 200_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``plays.txt``, "listener TAB track" lines in random order."""
    rng = np.random.default_rng(seed)
    # The first name in the order of the keys, so that the largest group is the first of its task.
    shares = np.insert(rng.permutation(SHARES), 0, LARGEST)
    names = np.sort(rng.choice(90_000, len(shares), replace=False) + 10_000)
    plays = (shares / shares.sum() * (size_bytes / LINE_BYTES)).astype(np.int64)
    owners = np.repeat(np.arange(len(shares)), plays)
    rng.shuffle(owners)
    with (folder / "plays.txt").open("wb") as out:
        for start in range(0, len(owners), BLOCK):
            block = owners[start : start + BLOCK]
            tracks = rng.integers(10_000_000, 99_999_999, size=len(block))
            pairs = zip(names[block].tolist(), tracks.tolist(), strict=True)
            out.write(b"".join([b"%d\t%d\n" % pair for pair in pairs]))
