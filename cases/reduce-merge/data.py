"""Facts about subjects: all have about as many, but those of one subject are whole documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words

SUBJECTS = 60
# Uniform over this range the upper inner fence lies near 2,900 facts, far above FACTS_OF_THE_RICH.
FACTS_PER_SUBJECT = (800, 2_200)
FACTS_OF_THE_RICH = 1_900
PROPERTIES = 97
NAME_BYTES = 24
ORDINARY_BYTES = (20, 180)
SMALLEST_DOCUMENT, LARGEST_DOCUMENT = 0.8, 1.2
VOCABULARY = 50_000
# A document is cut out of one text of all words, which has to be longer.
BYTES_A_WORD = 6_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``facts.txt``, "subject TAB property TAB value" lines of about ``size_bytes``.

    The number of facts is the same for every size; the documents of the rich subject make it up.
    """
    rng = np.random.default_rng(seed)
    prose = b" ".join(
        random_words(rng, max(VOCABULARY, size_bytes // BYTES_A_WORD), longest=10).tolist()
    )
    subjects = sorted(b"m.%06d" % one for one in rng.choice(999_999, SUBJECTS, replace=False))
    # In the middle, so that other subjects come before it in its reducer.
    rich = SUBJECTS // 2
    facts = rng.integers(*FACTS_PER_SUBJECT, size=SUBJECTS)
    facts[rich] = FACTS_OF_THE_RICH
    owners = np.repeat(np.arange(SUBJECTS), facts)
    rng.shuffle(owners)
    lengths = rng.integers(*ORDINARY_BYTES, size=len(owners))
    documents = owners == rich
    mean_document = (size_bytes - int(lengths[~documents].sum())) / FACTS_OF_THE_RICH
    shares = rng.uniform(SMALLEST_DOCUMENT, LARGEST_DOCUMENT, size=FACTS_OF_THE_RICH)
    lengths[documents] = np.maximum(1, mean_document * shares)
    starts = rng.integers(0, len(prose) - int(lengths.max()), size=len(owners))

    rows = zip(owners.tolist(), starts.tolist(), lengths.tolist(), strict=True)
    named: set[int] = set()
    with (folder / "facts.txt").open("wb") as out:
        for owner, start, length in rows:
            name = b"p%d" % (start % PROPERTIES)
            if owner not in named:
                name, length = b"name", NAME_BYTES
                named.add(owner)
            value = prose[start : start + length]
            out.write(b"%b\t%b\t%b\n" % (subjects[owner], name, value))
