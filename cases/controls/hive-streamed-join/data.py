"""Visits of 300 sites, seven in ten of the first, and their owners."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mprof.catalogue.tables import write_visits_and_owners

SITES = 300
SHARE_OF_FIRST = 0.7


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``visits/visits.txt`` and ``sites/sites.txt``."""
    write_visits_and_owners(
        folder,
        np.random.default_rng(seed),
        size_bytes=size_bytes,
        sites=SITES,
        share_of_first=SHARE_OF_FIRST,
    )
