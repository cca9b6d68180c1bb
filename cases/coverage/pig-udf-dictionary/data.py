"""Orders, and their customers, who take nine tenths of the bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mprof.catalogue.tables import write_orders

SHARE_OF_CUSTOMERS = 0.9


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``orders/orders.txt`` and ``customers/customers.txt``."""
    write_orders(
        folder,
        np.random.default_rng(seed),
        size_bytes=size_bytes,
        share_of_customers=SHARE_OF_CUSTOMERS,
    )
