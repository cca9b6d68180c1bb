"""Preferences, ``user,item,rating`` a line: a few keen users, many who bought one thing only."""

from __future__ import annotations

from pathlib import Path

import numpy as np

KEEN_USERS = 2_000
KEEN_ITEMS = 400
RATINGS_A_USER = 12
FIRST_SINGLE_USER = 1_000_000
LINE_BYTES = 22
LINES_A_FILE = 400_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``preferences-0.csv`` and so on.

    Only the keen users have the two preferences that the job asks of a user; the items of the
    others are in its index all the same.
    """
    rng = np.random.default_rng(seed)
    singles = (size_bytes - KEEN_USERS * RATINGS_A_USER * LINE_BYTES) // LINE_BYTES
    keen = np.repeat(np.arange(1, KEEN_USERS + 1), RATINGS_A_USER)
    items = (rng.zipf(1.4, size=keen.size) - 1) % KEEN_ITEMS + 1
    users = np.concatenate([keen, FIRST_SINGLE_USER + np.arange(singles)])
    # Each of the others bought something that nobody else did.
    items = np.concatenate([items, 10_000_000 + rng.permutation(singles)])
    ratings = rng.integers(1, 6, size=users.size)
    order = rng.permutation(users.size)
    rows = np.column_stack([users, items, ratings])[order]
    for number, start in enumerate(range(0, len(rows), LINES_A_FILE)):
        part = rows[start : start + LINES_A_FILE].tolist()
        lines = "".join(f"{user},{item},{rating}.0\n" for user, item, rating in part)
        (folder / f"preferences-{number}.csv").write_text(lines)
