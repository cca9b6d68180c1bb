"""A process of a cluster that is no map or reduce task."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Program"]

_VOWELS: Final = "aeiou"
_OTHER_ENGINES: Final = ("tez", "spark", "flink", "other")


@dataclass(frozen=True, slots=True)
class Program:
    """One of them.

    Attributes:
        title: in a few words, without an article.
        words: by which a text is of it, as a pattern.
        heap: the property that sets its heap.
        container: the one that sets its container, or "" where it has none.
        options: the property that takes other options of its JVM.
        memory_codes: exit codes by which it says that it met an OutOfMemoryError.
        is_server: it serves many jobs, or none: nothing of it is one job's.
        is_said: nothing but a sentence of a text names it.
        which: which of its kind it was, where its words say so: ``vertex Map 1``.
    """

    id: str
    title: str
    words: re.Pattern[str]
    heap: str
    container: str
    options: str
    memory_codes: frozenset[int] = frozenset()
    is_server: bool = False
    is_said: bool = False
    which: str = ""

    @property
    def is_of_another_engine(self) -> bool:
        """Whether its application is no job of MapReduce."""
        return self.id.partition("-")[0] in _OTHER_ENGINES

    @property
    def one(self) -> str:
        """The title with its article."""
        return f"{'an' if self.title[0] in _VOWELS else 'a'} {self.title}"
