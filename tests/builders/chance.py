"""Choices by chance, all of them of one seed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

from hypothesis import strategies as st

__all__ = ["Chance", "chances"]

T = TypeVar("T")


class Chance:
    """Choices of one seed: the same seed, the same choices.

    A strategy of hypothesis draws the seed alone. Drawn choice by choice, an attempt has some two
    hundred of them: it took fifty times as long, and neighbouring examples were nearly the same.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def one(self, choices: Sequence[T]) -> T:
        """One of these."""
        return self._random.choice(choices)

    def flip(self) -> bool:
        """True or false."""
        return self._random.random() < 0.5

    def number(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return self._random.randint(low, high)

    def some(self, choices: Iterable[T], most: int) -> list[T]:
        """At most so many different ones, in any order."""
        every = list(choices)
        return self._random.sample(every, self.number(0, min(most, len(every))))

    def shuffled(self, values: Iterable[T]) -> tuple[T, ...]:
        """The same in another order."""
        every = list(values)
        return tuple(self._random.sample(every, len(every)))


def chances() -> st.SearchStrategy[Chance]:
    """Seeds of everything that is random here."""
    return st.integers(0, 2**48).map(Chance)
