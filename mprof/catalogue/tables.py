"""Tables that several cases read: visits of sites, and orders with their customers.

Everything depends on a seeded generator only, so a seed always gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

__all__ = ["visits", "write_orders", "write_visits_and_owners"]

_BLOCK = 20_000
_CUSTOMER_BYTES = 42


def visits(rng: np.random.Generator, *, sites: int, share_of_first: float) -> Iterator[bytes]:
    """``site|visitor|time|page`` lines without end; all sites but the first have equal shares."""
    while True:
        site_numbers = rng.integers(1, sites, size=_BLOCK)
        site_numbers[rng.random(_BLOCK) < share_of_first] = 0
        visitors = rng.integers(0, 1 << 32, size=_BLOCK)
        times = rng.integers(1_700_000_000, 1_800_000_000, size=_BLOCK)
        for site, visitor, time in zip(
            site_numbers.tolist(), visitors.tolist(), times.tolist(), strict=True
        ):
            yield b"site%04d|%08x|%d|/page/%d" % (site, visitor, time, time % 977)


def write_visits_and_owners(
    folder: Path, rng: np.random.Generator, *, size_bytes: int, sites: int, share_of_first: float
) -> None:
    """Write ``visits/visits.txt``, and ``sites/sites.txt`` with a ``site|owner`` line of each."""
    for name in ("visits", "sites"):
        (folder / name).mkdir()
    lines = visits(rng, sites=sites, share_of_first=share_of_first)
    write_lines(folder / "visits" / "visits.txt", lines, size_bytes=size_bytes)
    owners = [b"site%04d|owner-%d" % (site, site % 37) for site in range(sites)]
    (folder / "sites" / "sites.txt").write_bytes(b"\n".join(owners) + b"\n")


def write_orders(
    folder: Path, rng: np.random.Generator, *, size_bytes: int, share_of_customers: float
) -> None:
    """Write ``orders/orders.txt`` and ``customers/customers.txt``; each customer has one line.

    An order is an ``order|customer|cents`` line, a customer a ``customer|name|city`` line.
    """
    of_customers = int(share_of_customers * size_bytes)
    count = of_customers // _CUSTOMER_BYTES

    def customers() -> Iterator[bytes]:
        for start in range(0, count + _BLOCK, _BLOCK):
            names = rng.integers(0, 1 << 62, size=_BLOCK).tolist()
            for number, name in enumerate(names, start=start):
                yield b"c%08d|name-%016x|city-%03d" % (number, name, name % 500)

    def orders() -> Iterator[bytes]:
        order = 0
        while True:
            for customer in rng.integers(0, max(count, 1), size=_BLOCK).tolist():
                order += 1
                yield b"o%09d|c%08d|%d" % (order, customer, 100 + order % 9973)

    for name, lines, size in (
        ("customers", customers(), of_customers),
        ("orders", orders(), size_bytes - of_customers),
    ):
        (folder / name).mkdir()
        write_lines(folder / name / f"{name}.txt", lines, size_bytes=size)
