"""Building blocks for the generated input of cases: random words, Zipf draws, lines of words.

Everything depends on a seeded generator only, so a seed always gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["Words", "lines_of", "random_words", "write_lines", "write_text", "zipf_ranks"]

Words = NDArray[np.bytes_]

_LETTERS = np.frombuffer(b"etaoinshrdlucmfwypvbgkjqxz", dtype=np.uint8)
# Frequency of each letter in English text in per cent, rounded; it only affects how words look.
_LETTER_SHARE = np.array(
    [12.7, 9.1, 8.2, 7.5, 7.0, 6.7, 6.3, 6.1, 6.0, 4.3, 4.0, 2.8, 2.8, 2.4, 2.2, 2.4, 1.9, 2.0,
     1.0, 1.5, 2.0, 0.8, 0.2, 0.1, 0.2, 0.1]
)  # fmt: skip


def random_words(
    rng: np.random.Generator, count: int, *, shortest: int = 4, longest: int = 12
) -> Words:
    """Random lower-case words: an array of ``count`` byte strings; duplicates are rare."""
    letters = rng.choice(_LETTERS, size=(count, longest), p=_LETTER_SHARE / _LETTER_SHARE.sum())
    lengths = rng.integers(shortest, longest + 1, size=count)
    letters[np.arange(longest) >= lengths[:, None]] = 0
    return np.ascontiguousarray(letters).view(f"S{longest}").ravel()


def zipf_ranks(
    rng: np.random.Generator, count: int, *, ranks: int, exponent: float
) -> NDArray[np.int64]:
    """``count`` draws of 0 .. ranks - 1, where rank r has weight (r + 1) ** -exponent."""
    cumulative = np.cumsum(np.arange(1, ranks + 1, dtype=np.float64) ** -exponent)
    draws: NDArray[np.int64] = np.searchsorted(
        cumulative, rng.random(count) * cumulative[-1], side="right"
    ).astype(np.int64)
    return draws


def lines_of(words: Sequence[bytes], *, per_line: Sequence[int]) -> Iterator[bytes]:
    """Lines of words joined by spaces; ``per_line`` gives the number of words in each line."""
    start = 0
    for count in per_line:
        yield b" ".join(words[start : start + count])
        start += count


def write_lines(path: Path, lines: Iterable[bytes], *, size_bytes: int) -> int:
    """Write lines until the file holds at least ``size_bytes``; return the bytes written.

    The last line is complete, so the file exceeds ``size_bytes`` by less than one line.
    """
    written = 0
    with path.open("wb") as out:
        for line in lines:
            written += out.write(line) + out.write(b"\n")
            if written >= size_bytes:
                break
    return written


def write_text(
    path: Path, *, seed: int, size_bytes: int, vocabulary: int = 5_000, words_per_line: int = 10
) -> None:
    """Write lines of words drawn uniformly from a vocabulary."""
    rng = np.random.default_rng(seed)
    words = random_words(rng, vocabulary, longest=10).tolist()

    def lines() -> Iterator[bytes]:
        while True:
            for line in rng.integers(0, vocabulary, size=(10_000, words_per_line)).tolist():
                yield b" ".join([words[each] for each in line])

    write_lines(path, lines(), size_bytes=size_bytes)
