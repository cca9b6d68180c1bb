"""Crawl records of hosts: all have about as many, but those of one host carry much metadata."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words

HOSTS = 60
# Uniform over this range the upper inner fence lies near 2,900 records, above RECORDS_OF_THE_FAT.
RECORDS_PER_HOST = (800, 2_200)
RECORDS_OF_THE_FAT = 1_900
ENTRIES = (1, 5)
NAMES = 5_000
VALUES = 50_000
NEWEST = 1_480_000_000
# Of the number of entries of a fat record, about the mean that the size of the file leaves.
LEAST, MOST = 0.8, 1.2


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``crawl.txt``, "url TAB status TAB fetched TAB score TAB name=value;..." lines.

    The number of records is the same for every size; the metadata of one host make it up.
    """
    rng = np.random.default_rng(seed)
    names = np.unique(random_words(rng, NAMES, shortest=6, longest=10)).tolist()
    values = random_words(rng, VALUES, shortest=8, longest=24).tolist()
    hosts = sorted(b"www%05d.example.org" % one for one in rng.choice(99_999, HOSTS, replace=False))
    # In the middle, so that other hosts come before it in its reducer.
    fat = HOSTS // 2
    records = rng.integers(*RECORDS_PER_HOST, size=HOSTS)
    records[fat] = RECORDS_OF_THE_FAT
    owners = np.repeat(np.arange(HOSTS), records)
    rng.shuffle(owners)
    entries = rng.integers(*ENTRIES, size=len(owners))
    fields = b"http://%b/p%06d\t%d\t%d\t%.3f\t%b\n"
    pair_bytes = 2 + (sum(map(len, names)) / len(names)) + (sum(map(len, values)) / len(values))
    others = len(owners) * 60 + int(entries[owners != fat].sum()) * pair_bytes
    mean = max(1.0, (size_bytes - others) / (RECORDS_OF_THE_FAT * pair_bytes))
    shares = rng.uniform(LEAST, MOST, size=RECORDS_OF_THE_FAT)
    # A name stands once in a record, so there are no more entries than names.
    entries[owners == fat] = np.clip(mean * shares, 1, len(names))
    with (folder / "crawl.txt").open("wb") as out:
        for owner, count in zip(owners.tolist(), entries.tolist(), strict=True):
            page, first, step = rng.integers(0, 1_000_000, size=3).tolist()
            metadata = b";".join(
                b"%b=%b" % (names[(first + at) % len(names)], values[(step + at) % VALUES])
                for at in range(count)
            )
            status, fetched = first % 6 + 1, NEWEST - step
            score = page % 1_000 / 1_000
            out.write(fields % (hosts[owner], page, status, fetched, score, metadata))
