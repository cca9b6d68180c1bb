"""What rules 1, 2 and 3 say and ask alike of what accumulates."""

from __future__ import annotations

from mprof.patterns import (
    Accumulation,
    FailedAllocation,
    Growing,
    MemoryModel,
    enlargement_phrase,
)
from mprof.rules.rule import Condition, ErrorData, Fires, Step
from mprof.units import format_bytes, format_count, list_in_words

__all__ = ["conditions_of_accumulation", "fires_of"]


def fires_of(
    found: Accumulation,
    growing: Growing,
    allocation: FailedAllocation,
    memory: MemoryModel | None,
    *,
    unnamed: str,
    over: str,
    after: str,
    data: ErrorData,
) -> Fires:
    """The verdict on what accumulates.

    Args:
        found: what accumulates.
        growing: how.
        allocation: the one that failed.
        memory: of the attempt.
        unnamed: what to call it where no holder is known.
        over: which data it grows with, in words.
        after: how much of that there was, in words.
        data: the same as values.
    """
    unit = "record" if growing.unit == "record_in_group" else growing.unit
    what, held = list_in_words(found.paths) or unnamed, format_bytes(growing.held_bytes)
    pace = f"{format_bytes(growing.bytes_per_unit)} per {unit}"
    if growing.begins is not None:
        # to two digits: where it began is known to a fortieth of the range
        pace += f" since about {unit} {format_count(float(f'{growing.begins:.2g}'))}"
    if not growing.is_of_one:
        said = f"{what} hold {held} after {after}, and some of it accumulates over {over}, {pace}"
    elif len(found.paths) > 1:
        said = f"{what} accumulate over {over}: {held} together after {after}, {pace}"
    else:
        said = f"{what} accumulates over {over}: {held} after {after}, {pace}"
    return Fires(
        confidence=found.confidence,
        evidence=found.source,
        sentence=f"{said}; {growing.how}{enlargement_phrase(allocation, memory, growing)}",
        bytes=growing.held_bytes,
        where=found.where,
        data=data,
    )


def conditions_of_accumulation(asked_in: Step, data: str, huge: Condition) -> tuple[Condition, ...]:
    """The conditions of `accumulation_of`, in the order in which it asks them.

    Args:
        asked_in: the step that takes the accumulation.
        data: what it grows over the rest of: the split, the partition or the group.
        huge: from when on it is much, which each rule says for itself.
    """

    def condition(paper: str, here: str, differs: str) -> Condition:
        return Condition(asked_in, paper, here, differs)

    return (
        condition(
            "Not asked",
            "Silent where the work on R_n holds 20 % of the heap, R_n alone dies in a heap of its "
            f"own, and what accumulates would fit to the end of the {data} without that work; "
            "else, where it holds 20 %, *likely* at best",
            "Then the record is to blame (rule 4), not what was kept before it",
        ),
        condition(
            "Not asked",
            "Cannot tell where it is only predicted to become huge, holds less than 22 % of the "
            "heap, and another object holds more than it",
            "Something larger filled the heap first",
        ),
        huge,
        condition(
            "R_n is left out of the range",
            "What came at R_n counts where the container was being enlarged or has at most 1.5 "
            "times what it had before, or where R_n alone passes in the room that it had; it does "
            "not where R_n alone dies in a heap of its own; where it alone makes it huge, that run "
            "is asked for (`accumulated_need`)",
            "A container that doubles at R_n holds earlier records",
        ),
        condition(
            "Not asked",
            "Where it is not huge as far as is known: cannot tell if nobody knows how much of the "
            f"{data} was to come, or no dump shows what came at R_n and what the buffers left "
            "(`_unknown_rest`, `_unseen_at_death`)",
            "What is missing denies nothing",
        ),
        condition(
            "Not asked",
            "Where it is not huge, and holds 22 % of the heap, or may, or will: *likely* at best "
            "where nothing beside it is huge, else cannot tell",
            "Several modest consumers fill a heap together",
        ),
    )
