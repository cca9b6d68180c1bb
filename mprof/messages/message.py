"""What a message of Hadoop or of the JVM stands for, and what one death says by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from mprof.evidence import Evidence

__all__ = ["Example", "Message", "Proof", "Reading", "SaidSetting", "Source"]

Proof = Literal["proves", "suggests", "known to"]
"""How far it reaches: it proves why the task died; it points there; or it is no more than what is
known of such code, told beside what was measured."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where it is from.

    Attributes:
        lines: of Hadoop, ``1.2`` or ``2.2 to 3.5``; or the JVM or library.
        code: the class and method that throws, logs or kills.
        words: as they are written there; empty where the frame alone tells.
    """

    lines: str
    code: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class SaidSetting:
    """A property to change, with a value that fits what is at hand.

    ``first_aid``: it lets the job go on, and cures nothing.
    """

    property: str
    old: str | None
    new: str
    text: str
    first_aid: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What the message says of one death.

    Attributes:
        sentence: one or two sentences, every number in them a fact.
        proof: how far it reaches here, which may be less than elsewhere.
        next_step: what to do that would tell more, or "" where nothing more is wanted.
        settings: properties to change.
    """

    sentence: str
    proof: Proof
    next_step: str = ""
    settings: tuple[SaidSetting, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """Evidence on which it must, or must not, speak: its test."""

    title: str
    evidence: Callable[[], Evidence]
    speaks: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the table.

    Attributes:
        id: unique, as `mprof explain` takes it.
        title: in a few words.
        reads: what it says of a death; None where the death is another.
        sources: where it is from, the oldest line of Hadoop first.
        causes: ids of the causes that rules name for the same: measured, they take its place.
        examples: its tests.
        module: the file it stands in; its docstring is the page.
    """

    id: str
    title: str
    reads: Callable[[Evidence], Reading | None]
    sources: tuple[Source, ...]
    examples: tuple[Example, ...]
    module: str
    causes: tuple[str, ...] = ()

    @property
    def is_leak(self) -> bool:
        """Whether it is what is known of classes and frames, and no message."""
        return ".leaks." in self.module
