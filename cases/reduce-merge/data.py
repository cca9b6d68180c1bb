"""Facts about subjects: all have about as many, but those of one subject are whole documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words

SUBJECTS = 60
FACTS_PER_SUBJECT = (800, 2_200)
FACTS_OF_THE_RICH = 1_900
FULL_SIZE_BYTES = 150_000_000
ORDINARY_WORDS = (3, 25)


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``facts.txt``: the documents of the rich subject fill it up to ``size_bytes``."""
    rng = np.random.default_rng(seed)
    words = random_words(rng, 50_000, longest=10).tolist()
    subjects = [b"m.%06d" % number for number in rng.choice(999_999, SUBJECTS, replace=False)]
    subjects.sort()
    # In the middle, so that other subjects come before it in its reducer.
    rich = SUBJECTS // 2
    facts = rng.integers(*FACTS_PER_SUBJECT, size=SUBJECTS)
    facts[rich] = FACTS_OF_THE_RICH
    facts = np.ceil(facts * min(1.0, size_bytes / FULL_SIZE_BYTES)).astype(np.int64)
    owners = np.repeat(np.arange(SUBJECTS), facts)
    rng.shuffle(owners)
    ordinary = int((owners != rich).sum()) * (sum(ORDINARY_WORDS) // 2) * 8
    document_words = max(1, (size_bytes - ordinary) // (int(facts[rich]) * 8))
    with (folder / "facts.txt").open("wb") as out:
        for number, owner in enumerate(owners.tolist()):
            if owner == rich:
                count = int(document_words * rng.uniform(0.8, 1.2))
            else:
                count = int(rng.integers(*ORDINARY_WORDS))
            start = int(rng.integers(0, len(words) - 1))
            chosen = [words[(start + step) % len(words)] for step in range(count)]
            name = b"name" if number % 1_500 == 0 else b"p%d" % (number % 97)
            out.write(b"%b\t%b\t%b\n" % (subjects[owner], name, b" ".join(chosen)))
