"""Large input split: with less input per map task, what the mapper keeps would fit.

What it means
    The mapper accumulates (rule 1), and by the law of its growth some smaller split, at least an
    eighth of this one, would end below the heap with room to spare.

Why it happens
    The split is as large as the block or the file, and what the mapper keeps grows with it.

What to change
    Lower `mapreduce.input.fileinputformat.split.maxsize`. The code still accumulates: this
    only lets the job finish today.

For example
    A mapper that dies at 45 % of a 512 MB split needs 2.2 heaps for all of it, and 0.3 of
    a heap for an eighth.

Sources
    "Check input split size" (Table 5 of the paper), the second cause of three cases of its Table 8.
"""

from __future__ import annotations

from mprof.evidence import Progress, Split
from mprof.patterns import (
    GREW_AT_ONCE,
    SHARP,
    Accumulation,
    Growing,
    MemoryModel,
    RecordSize,
)
from mprof.rules.rule import HOW_IT_GOES_ON, CannotTell, Condition, ErrorData, Fires, Rule, Silent
from mprof.threshold import Threshold
from mprof.units import format_bytes

__all__ = ["RULE"]

SMALLEST_SPLIT = Threshold(
    "smallest split",
    1 / 8,
    "share of this split",
    "eight times as many map tasks is the most that one setting should do",
)


HELPED = Threshold(
    "room to spare",
    0.90,
    "share of the heap that live objects may take",
    "a task that is predicted to end within a tenth of the heap may as well die again: a "
    "prediction from seven points is not exact to a tenth",
)


def _can_be_smaller(
    map_accumulation: Accumulation,  # noqa: ARG001 - asked for: else rule 1 is silent
    split: Split | None,
) -> Silent | CannotTell | None:
    """Does the mapper accumulate (rule 1), and can its input be split at all?

    It cannot where it is no file (rows of a table), or one that is read as a whole (gzip).
    """
    if split is None:
        return Silent("the input of this task is not part of a file")
    if split.splittable is None:
        return CannotTell("what file the split is of", "run")
    return None if split.splittable else Silent("the file cannot be split")


def _came_with_the_data(
    map_accumulation: Accumulation, memory_model: MemoryModel
) -> CannotTell | None:
    """Did the last record add less than a fifth of the heap to it, a container's enlargement aside?

    What one record adds it adds in a split of any size.
    """
    growing = map_accumulation.grown
    came = growing.came_with_the_last
    if came < SHARP.value * memory_model.capacity_bytes or growing.doubling:
        return None
    return CannotTell("how much of it the last record would still have added", "none")


def _has_an_end(
    map_accumulation: Accumulation, progress: Progress | None = None
) -> CannotTell | None:
    """Does what grows follow a law, and is it known how much of the split was done?

    It is not where R_n has more bytes than all records before it: theirs is no pace of the rest.
    """
    growing = map_accumulation.grown
    if growing.end_x is not None:
        return None
    if growing.outgrew:
        return HOW_IT_GOES_ON
    if progress is not None:
        return CannotTell("how much the smaller records to come would add", "none")
    return CannotTell("how much of the split was done", "run")


def _ask(
    map_accumulation: Accumulation,
    memory_model: MemoryModel,
    split: Split,
    record_size: RecordSize | None = None,
) -> Fires | Silent | CannotTell:
    """Would the task fit, with room to spare, if its split were an eighth as long?

    That is the size of what grows by its law, and everything else as it was at death. No split is
    smaller than its largest record. What collections show of the whole heap may have come after
    an eighth was read, where that was before the death.
    """
    growing = map_accumulation.grown
    if growing.end_x is None:
        return HOW_IT_GOES_ON
    room = HELPED.value * memory_model.capacity_bytes
    share, name = _smallest(split, record_size)
    part = growing.end_x * share
    need = memory_model.need_at(growing, part)
    if need > room:
        fewest = min(1.0, part) if share > SMALLEST_SPLIT.value else part
        return _too_large(growing, memory_model, part, fewest, name)
    doubted = memory_model.need_at_most(growing, part) > room
    # What came with one record comes with it in a smaller split, too.
    doubted = doubted or growing.held_bytes > GREW_AT_ONCE.value * growing.measured_bytes
    # It did not fit before the end of the split, whatever the curve says of the end.
    whole = max(memory_model.need_at(growing, growing.end_x), memory_model.capacity_bytes)
    more = "more than " if memory_model.fits(whole) else ""
    asked = f"{more}{format_bytes(whole)}"
    found = Fires(
        confidence=map_accumulation.confidence,
        evidence=map_accumulation.source,
        sentence=(
            f"the split of {format_bytes(split.length_bytes)} is too large for what the mapper "
            f"keeps: the whole split would need {asked} of heap, {name} {format_bytes(need)}"
        ),
        bytes=map_accumulation.held_bytes,
        where=map_accumulation.where,
        data=ErrorData("split", first=split.start, bytes=split.length_bytes),
    )
    return found.at_most_likely if doubted else found


def _too_large(
    growing: Growing, memory_model: MemoryModel, part: float, fewest: float, name: str
) -> Silent | CannotTell:
    """What is said where so small a part of the data does not fit by the law of growth.

    A record that has the bytes of many may have brought as much as these, or as `fewest`.
    """
    room = HELPED.value * memory_model.capacity_bytes
    was_passed = growing.source == "passive" and part < growing.x_now
    if was_passed or memory_model.need_at_least(growing, part) <= room:
        return HOW_IT_GOES_ON
    if memory_model.need_at_least(growing, fewest) <= room:
        return CannotTell("how much of it the largest record brought", "none")
    return Silent(f"{name} would still need {format_bytes(memory_model.need_at(growing, part))}")


def _smallest(split: Split, record: RecordSize | None) -> tuple[float, str]:
    """Share of the split that the smallest has which is asked about, and its name."""
    if record is not None and not record.in_heap:
        largest = max(float(record.bytes), record.beyond.largest)
        if largest > SMALLEST_SPLIT.value * split.length_bytes:
            return min(1.0, largest / split.length_bytes), "a split of its largest record alone"
    return SMALLEST_SPLIT.value, "an eighth of it"


RULE = Rule(
    cause="large_input_split",
    published_as="1",
    category="configuration",
    title="Large input split",
    name="the input split is too large",
    asks=(_can_be_smaller, _came_with_the_data, _has_an_end, _ask),
    thresholds=(SMALLEST_SPLIT, HELPED, SHARP, GREW_AT_ONCE),
    conditions=(
        Condition(
            _can_be_smaller,
            'Rule 1 has fired ("next action" of Table 5)',
            "The mapper accumulates: the pattern of rule 1",
        ),
        Condition(
            _can_be_smaller,
            "Not asked",
            "The input is part of a file that can be split",
            "Rows of a table and gzip files have one split, whatever is set",
        ),
        Condition(
            _came_with_the_data,
            "Not asked",
            "R_n alone has added less than 20 % of the heap to what grows, or its container was "
            "being enlarged; else cannot tell",
            "What one record adds it adds in a split of any size",
        ),
        Condition(
            _has_an_end,
            "Not asked",
            "What grows has a law, and how much of the split was done is known; else cannot tell",
            "No other need of a smaller split can be predicted",
        ),
        Condition(
            _ask,
            "Not asked",
            "No record is larger than an eighth of the split; else the split of that record alone "
            "is asked about, and denied only where one record would not fit either",
            "No setting divides a record; where one has the bytes of many, the law over records "
            "does not say what it brought",
        ),
        Condition(
            _ask,
            '"Check input split size", by hand',
            "An eighth of the split would need at most 90 % of the heap, by the law of growth"
            " and with everything else as at death; *likely* at best where the larger end of "
            "the interval would not fit, or what grows holds more than 1.5 times what it held "
            "before R_n; cannot tell where only the smaller one would, or where "
            "an eighth was read before the death and collections alone show the heap",
            "The paper gives no number; more than eight times as many map tasks is no longer "
            "a change that anyone makes for memory; what is flushed, or full early, needs as "
            "much of any split",
        ),
    ),
    module=__name__,
)
