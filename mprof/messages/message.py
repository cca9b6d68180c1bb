"""What a message of Hadoop or of the JVM stands for, and what one death says by it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from mprof.evidence import Evidence

__all__ = ["Message", "Proof", "Reading", "SaidSetting", "Source", "message"]

Proof = Literal["proves", "suggests", "known to"]
"""How far it reaches: it proves why the task died; it points there; or it is no more than what is
known of such code, said beside what was measured."""

Reads = Callable[[Evidence], "Reading | None"]


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

    ``first_aid``: it lets the job go on, and cures nothing. ``in_vain``: a value that the text has
    already did not help, which is so unless it is known that it was not in force.
    """

    property: str
    old: str | None
    new: str
    text: str
    first_aid: bool = False
    in_vain: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """What the message says of one death.

    Attributes:
        sentence: one or two sentences, every number in them a fact.
        proof: how far it reaches here, which may be less than elsewhere.
        next_step: what to do that would tell more, or "" where nothing more is wanted.
        settings: properties to change.
        causes: ids of causes that it names here beside those of its message.
        cure: what to do about what is known of such code, an imperative sentence; "" where
            nothing is known.
    """

    sentence: str
    proof: Proof
    next_step: str = ""
    settings: tuple[SaidSetting, ...] = ()
    causes: tuple[str, ...] = ()
    cure: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the table.

    Attributes:
        id: unique, as `mprof explain` takes it.
        title: in a few words.
        reads: what it says of a death; None where the death is another.
        sources: where it is from, the oldest line of Hadoop first.
        page: what `mprof explain` prints of it, its headings at the margin.
        causes: ids of the causes that rules name for the same: measured, they take its place.
        is_leak: it is what is known of classes and frames, and no message.
    """

    id: str
    title: str
    reads: Reads
    sources: tuple[Source, ...]
    page: str
    causes: tuple[str, ...] = ()
    is_leak: bool = False


def message(
    title: str, *sources: Source, causes: tuple[str, ...] = ()
) -> Callable[[Reads], Message]:
    """The entry that a function reads: its name is the id, its docstring the page."""

    def entry(reads: Reads) -> Message:
        return Message(reads.__name__, title, reads, sources, inspect.getdoc(reads) or "", causes)

    return entry
