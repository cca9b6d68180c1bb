"""Large framework buffer, shuffle: fetched map output takes more of the heap than there is.

What it means
    Map output in memory, with the segments being fetched, takes 30 % of the heap or more, and the
    partition is not to blame for it; with a small limit on it the task would have finished.

Why it happens
    `mapreduce.reduce.shuffle.input.buffer.percent` is 0.7 of the heap by default; segments in
    flight and merge leftovers come on top, and the collector needs room of its own. Or
    `mapreduce.reduce.input.buffer.percent` keeps map output in memory while reduce() runs.

Patterns
    Shuffled data is the map output in the heap, with the segments that the fetchers had reserved
    and that could not be allocated. Whether the mean partition would have fitted is asked where
    the partitions are uneven and this one is large (rule 6-2).

What to change
    Lower `mapreduce.reduce.shuffle.input.buffer.percent`, or
    `mapreduce.reduce.input.buffer.percent` if the task died in reduce().

For example
    A limit of 717 MB in a heap of 1 GB: eight segments of 127 MB were alive, 761 MB reserved.

Sources
    Rule 9-2 of the paper (Table 7); MAPREDUCE-5580 (the numbers of the example).
"""

from __future__ import annotations

from mprof.evidence import Place
from mprof.patterns import (
    HUGE,
    NEARLY_FINISHED,
    Absent,
    Balance,
    Growing,
    MemoryModel,
    ShuffledData,
    UserCode,
)
from mprof.rules.rule import CannotTell, Condition, Defer, ErrorData, Fires, Rule, Silent, Verdict
from mprof.threshold import Threshold
from mprof.units import format_bytes, format_ratio

__all__ = ["RULE", "SMALL_BOUND"]

SMALL_BOUND = Threshold(
    "small shuffle buffer",
    0.20,
    "share of the heap",
    "the ratio that a user of the study ended with (StackOverflow 19298357); segments above a "
    "quarter of it go to disk",
)


def _is_huge(shuffled_data: ShuffledData, memory_model: MemoryModel) -> Silent | None:
    """Does shuffled data hold 30 % of the heap or more?"""
    data, capacity = shuffled_data, memory_model.capacity_bytes
    if data.wanted_bytes >= HUGE.value * capacity:
        return None
    share = format_ratio(data.wanted_bytes / capacity)
    return Silent(f"shuffled data takes {format_bytes(data.wanted_bytes)}, {share} of the heap")


def _was_nearly_finished(
    user_code: UserCode, place: Place | None = None
) -> Silent | CannotTell | None:
    """Does no user code run, or was reduce() 80 % done?"""
    if user_code.done is None or user_code.done >= NEARLY_FINISHED.value:
        return None
    if place is None:
        # In cleanup() all of it was done, whatever was counted.
        return CannotTell("where the task stood when it died", "run")
    return Silent(f"user code was running, and only {format_ratio(user_code.done)} done")


def _mean_does_not_fit(
    balance: Balance | Absent, shuffled_data: ShuffledData, memory_model: MemoryModel
) -> Silent | CannotTell | None:
    """Are the partitions even, or would the mean one fill the buffer too (else rule 6-2)?"""
    if isinstance(balance, Absent):
        return None
    if balance.mean_bytes is None:
        return CannotTell("bytes of the partitions", "run")
    peak = shuffled_data.peak_of(balance.mean_bytes, memory_model)
    if not balance.is_to_blame or not memory_model.fits(peak):
        return None
    mean = format_bytes(balance.mean_bytes)
    return Silent(f"the mean partition of {mean} would have fitted beside the rest")


def _ask(
    shuffled_data: ShuffledData,
    memory_model: MemoryModel,
    balance: Balance | None = None,
    reduce_growth: Growing | None = None,
    place: Place | None = None,
) -> Verdict:
    """With a small limit on map output in memory, would the task fit?

    Beside what the rest of the heap holds at the death, or in reduce() at the end of the partition
    by the fitted growth over its groups.
    """
    data, capacity, need = shuffled_data, memory_model.capacity_bytes, None
    if place == "reduce" and reduce_growth is not None:
        need = memory_model.need_at_the_end(reduce_growth)
    need = need if need is not None else float(memory_model.live_bytes)
    if not memory_model.fits(max(0.0, need - data.held_bytes) + SMALL_BOUND.value * capacity):
        if not memory_model.is_live_known:
            return CannotTell("what was live: a heap dump made at the death", "run")
        share = format_ratio(SMALL_BOUND.value)
        return Silent(f"even with a shuffle buffer of {share} of the heap the rest would not fit")
    over = f", {format_bytes(data.above_limit_bytes)} above its limit"
    over = over if data.above_limit_bytes else ""
    if data.failed_bytes:
        over += f", and another {format_bytes(data.failed_bytes)} were reserved but did not fit"
    mean = balance.mean_bytes if balance is not None else None
    of_mean = "" if mean is None else f"; the mean partition is {format_bytes(mean)}"
    if balance is not None and mean is not None and balance.share_of_maps < 1:
        share = format_ratio(balance.share_of_maps)
        of_mean = f"; the mean partition is about {format_bytes(mean)}, by {share} of the map tasks"
    return Fires(
        confidence="sure" if data.in_dump and data.beside is None else "likely",
        evidence="dump" if data.in_dump else "passive",
        sentence=(
            f"map output in memory takes {format_bytes(data.held_bytes)}, "
            f"{format_ratio(data.held_bytes / capacity)} of the heap{over} "
            f"(limit {format_bytes(data.limit_bytes)}){of_mean}"
        ),
        bytes=data.held_bytes,
        data=ErrorData("shuffle", bytes=data.held_bytes),
    )


RULE = Rule(
    cause="large_framework_buffer.shuffle",
    published_as="9-2",
    category="configuration",
    title="Large framework buffer: shuffle buffer",
    name="the shuffle buffer is too large",
    asks=(_is_huge, Defer.YIELD, _was_nearly_finished, _mean_does_not_fit, _ask),
    thresholds=(HUGE, NEARLY_FINISHED, SMALL_BOUND),
    conditions=(
        Condition(
            _is_huge,
            "Virtual buffer is full",
            "Map output in memory, with the segments that were reserved and did not fit, "
            "takes 30 % of the heap",
            "What is full in bytes of its limit may be small in the heap",
        ),
        Condition(
            Defer.YIELD,
            "Not asked",
            "Silent where user code runs and rule 3 or 4 fires",
            "One group or record fills the heap, whatever the buffer",
        ),
        Condition(
            _was_nearly_finished,
            "*and* combine() or reduce() is nearly finished (e.g. 80 %)",
            "No user code runs, or it was 80 % done",
            "In the shuffle no user code runs, so the paper's *and* never holds there; its "
            "authors' draft says *or*",
        ),
        Condition(
            _mean_does_not_fit,
            "Not asked",
            "The partition is not far larger than the others (rule 6-2), or the mean one "
            "would not fit either",
            "Else the partition is to blame, not the buffer",
        ),
        Condition(
            _ask,
            '"If we lower the buffer size, user code may finish"',
            "With map output limited to 20 % of the heap the rest fits: as at death, or in "
            "reduce() at the end of the partition by the [law](../growth-laws.md) of growth "
            "over its groups; *sure* where the map output is in the dump at death, and no class "
            "initializer was still filling a static field beside it, else *likely*",
            "Whether it may finish is computed",
        ),
    ),
    module=__name__,
)
