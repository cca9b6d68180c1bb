"""Documents, "number TAB text", in which one term makes up four words of ten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines, zipf_ranks

HOT_TERM = b"the"
# Four hundred positions a document, most of them too large for the JVM's cache of small integers:
# a posting of the hot term takes 7 KB of heap, about as much as its document has text.
SHARE_OF_HOT_TERM = 0.4
VOCABULARY = 20_000
EXPONENT = 0.8
WORDS_PER_DOCUMENT = 1_000
BLOCK = 200


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``documents.txt`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    vocabulary = random_words(rng, VOCABULARY, longest=8)

    def documents() -> Iterator[bytes]:
        number = 0
        while True:
            count = BLOCK * WORDS_PER_DOCUMENT
            words = vocabulary[zipf_ranks(rng, count, ranks=VOCABULARY, exponent=EXPONENT)]
            words[rng.random(count) < SHARE_OF_HOT_TERM] = HOT_TERM
            for document in words.reshape(BLOCK, WORDS_PER_DOCUMENT).tolist():
                number += 1
                yield b"%d\t%b" % (number, b" ".join(document))

    write_lines(folder / "documents.txt", documents(), size_bytes=size_bytes)
