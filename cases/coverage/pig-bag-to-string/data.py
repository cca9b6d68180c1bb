"""Visits of sites, six in ten of one site."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mprof.catalogue.tables import visits
from mprof.catalogue.text import write_lines

SITES = 400
SHARE_OF_FREQUENT_SITE = 0.6


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``visits.txt``."""
    rng = np.random.default_rng(seed)
    lines = visits(rng, sites=SITES, share_of_first=SHARE_OF_FREQUENT_SITE)
    write_lines(folder / "visits.txt", lines, size_bytes=size_bytes)
