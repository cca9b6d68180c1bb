"""Large framework buffer, shuffle: fetched map output takes more of the heap than there is.

What it means
    The bound on shuffled data, with the segments in flight, what merges still pin and the rest of
    the heap, exceeds the heap, for the mean partition too; and a smaller bound would let it finish.

Why it happens
    `mapreduce.reduce.shuffle.input.buffer.percent` is 0.7 of the heap by default; segments in
    flight and merge leftovers come on top, and the collector needs room of its own. Or
    `mapreduce.reduce.input.buffer.percent` keeps map output in memory while reduce() runs.

What it asks
    1. Does shuffled data hold 30 % of the heap or more, with the segments that the fetchers had
       reserved and the heap had no place for?
    2. Does no user code run, or has reduce() done 80 %, and no one group or record (rules 3 and 4)
       fills the heap?
    3. Would the mean partition fill the buffer too, or exceed the heap (else the partitions are at
       fault, rule 6-2)? Where the partitions are even, the one that died is as the mean.
    4. Would a small bound fit, beside what the rest of the heap holds at the death, or in reduce()
       at the end of the partition by the fitted growth over its groups?

What to change
    A smaller ratio.

For example
    717 MB of bound in a heap of 1 GB: eight segments of 127 MB were alive, 761 MB reserved.

Sources
    Rule 9-2 of the paper (Table 7); MAPREDUCE-5580 (the numbers of the example).

Where it departs from the paper
    The paper asks for "virtual buffer is full and combine()/reduce() nearly finished", which no
    death inside the shuffle can match: no user code runs there. Its draft says "or".
"""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence import Composition, Evidence, Partitions, Progress, Shuffle, Unknown
from mprof.evidence.growing import Growing, find_growth
from mprof.rules.examples import map_attempt, reduce_attempt
from mprof.rules.need import capacity_of, end_of_data, live_of, need_at, place_of
from mprof.rules.partitions import (
    BACK_TO_MEAN,
    PARTITIONS_OF_A_FENCE,
    balance_of,
    map_output_bytes,
    peak_in_shuffle,
)
from mprof.rules.rule import (
    CannotTell,
    ErrorData,
    Example,
    Fires,
    Rule,
    Silent,
    Threshold,
    Verdict,
    Verdicts,
    cannot_tell,
)
from mprof.rules.thresholds import GINI, HUGE, NEARLY_FINISHED
from mprof.units import MIB, format_bytes, format_ratio

__all__ = ["RULE"]

SMALL_BOUND = Threshold(
    "small bound",
    0.20,
    "share of the heap",
    "the ratio that a user of the study ended with (StackOverflow 19298357); segments above a "
    "quarter of it go to disk",
)

REFUSED_SEGMENTS = Threshold(
    "refused segments",
    0.10,
    "share of what is held",
    "below a tenth it is what counters and the dump differ by, and not worth a word",
)

_ONE_GROUP = ("large_accumulated_results.group", "large_intermediate_results")


def _ask(evidence: Evidence, earlier: Verdicts) -> Verdict:
    shuffle = evidence.shuffle
    if evidence.is_map or shuffle is None:
        return Silent("this attempt has no shuffle")
    if isinstance(shuffle, Unknown):
        return cannot_tell(shuffle)
    capacity = capacity_of(evidence)
    if capacity is None:
        return CannotTell("the size of the heap", "run")
    held = map_output_bytes(evidence, shuffle)
    if held + _refused(evidence, shuffle, held) < HUGE.value * capacity:
        return Silent(
            f"shuffled data holds {format_bytes(held)}, {held / capacity:.0%} of the heap"
        )
    if isinstance(evidence.place, Unknown) and not shuffle.user_code_running:
        return cannot_tell(evidence.place)
    user_code = shuffle.user_code_running or place_of(evidence) in ("combine", "reduce", "cleanup")
    if user_code:
        stopped = _user_code(evidence, earlier)
        if stopped is not None:
            return stopped
    return _for_the_mean_too(evidence, shuffle, held, capacity)


def _refused(evidence: Evidence, shuffle: Shuffle, held: int) -> int:
    """Bytes that fetchers had reserved and the heap had no place for: they are in no dump."""
    fetching = place_of(evidence) == "shuffle" and not shuffle.user_code_running
    return max(0, shuffle.used_bytes - held) if fetching else 0


def _user_code(evidence: Evidence, earlier: Verdicts) -> Silent | CannotTell | None:
    """Why the buffer is not to blame while user code runs; None where it may be."""
    for cause in _ONE_GROUP:
        if isinstance(earlier[cause], Fires):
            return Silent("one group or record fills the heap, whatever the buffer")
    if isinstance(evidence.progress, Unknown):
        return cannot_tell(evidence.progress)
    done = evidence.progress.done
    if place_of(evidence) != "cleanup" and done < NEARLY_FINISHED.value:
        return Silent(f"user code runs, and was {format_ratio(done)} done only")
    return None


def _need_at_the_end(evidence: Evidence, capacity: int) -> float:
    """Live bytes with all of the partition reduced; as at the death where nothing grows over it."""
    found = find_growth(evidence, "reduce")
    if place_of(evidence) == "reduce" and isinstance(found, Growing):
        end = end_of_data(evidence, found)
        need = need_at(evidence, found, end) if end is not None else None
        if need is not None:
            return need
    return float(live_of(evidence) or capacity)


def _for_the_mean_too(evidence: Evidence, shuffle: Shuffle, held: int, capacity: int) -> Verdict:
    partitions = evidence.partitions
    if isinstance(partitions, Unknown):
        return cannot_tell(partitions)
    mean: float | None = None
    if partitions is not None:
        balance = balance_of(partitions)
        if isinstance(balance, Unknown):
            return cannot_tell(balance)
        mean = balance.mean_bytes
        if mean is None:
            return CannotTell("bytes of the partitions", "run")
        # Near the mean the partition that died is itself the mean one: no model is better.
        near = balance.own_bytes is not None and not balance.uneven
        peak = peak_in_shuffle(evidence, mean, held)
        if not near and (peak is None or peak <= capacity):
            return Silent(
                f"the mean partition of {format_bytes(mean)} would have fitted beside the rest"
            )
    small = max(0.0, _need_at_the_end(evidence, capacity) - held) + SMALL_BOUND.value * capacity
    if small > capacity:
        return Silent("the rest of the heap is too large for any ratio")
    above = max(0, held - shuffle.limit_bytes)
    over = f", {format_bytes(above)} above its bound" if above else ""
    refused = _refused(evidence, shuffle, held)
    if refused >= REFUSED_SEGMENTS.value * held:
        over += f", and {format_bytes(refused)} more were reserved and found no place"
    of_mean = "" if mean is None else f"; the mean partition has {format_bytes(mean)}"
    return Fires(
        confidence="sure" if shuffle.held_bytes is not None else "likely",
        evidence="dump" if shuffle.held_bytes is not None else "passive",
        sentence=(
            f"map output held in memory takes {format_bytes(held)}, {held / capacity:.0%} of the "
            f"heap{over} (limit {format_bytes(shuffle.limit_bytes)}){of_mean}"
        ),
        bytes=held,
        data=ErrorData("shuffle", bytes=held),
        numbers={"held_bytes": float(held), "limit_bytes": float(shuffle.limit_bytes)},
    )


def _shuffling(
    sizes_mib: tuple[int, ...], held_mib: int = 190, *, refused_mib: int = 0
) -> Evidence:
    sizes = tuple(size * MIB for size in sizes_mib)
    return reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(
            175 * MIB,
            (held_mib - 5 + refused_mib) * MIB,
            held_bytes=held_mib * MIB,
        ),
        composition=Composition(
            framework_bytes=(held_mib + 10) * MIB, shuffle_bytes=held_mib * MIB
        ),
        partitions=Partitions(0, records=tuple(s // 100 for s in sizes), bytes=sizes),
    )


def _in_reduce(done: float) -> Evidence:
    evidence = _shuffling((180, 185, 175), held_mib=120)
    return replace(evidence, place="reduce", progress=Progress(done, "records of the merged input"))


RULE = Rule(
    cause="large_framework_buffer.shuffle",
    published_as="9-2",
    category="configuration",
    title="Large framework buffer: shuffle buffer",
    thresholds=(
        HUGE,
        NEARLY_FINISHED,
        SMALL_BOUND,
        REFUSED_SEGMENTS,
        GINI,
        PARTITIONS_OF_A_FENCE,
        BACK_TO_MEAN,
    ),
    ask=_ask,
    after=_ONE_GROUP,
    examples=(
        Example("FIRES", "partitions between bound and heap", lambda: _shuffling((230, 225, 235))),
        Example(
            "FIRES",
            "60 MB, and 115 MB reserved that found no place",
            lambda: _shuffling((230, 225, 235), 60, refused_mib=120),
        ),
        Example("FIRES", "kept during reduce(), 90 % done", lambda: _in_reduce(0.9)),
        Example(
            "SILENT",
            "one partition is huge, the mean fits",
            lambda: _shuffling((600, 10, 10, 10, 10)),
        ),
        Example("SILENT", "kept during reduce(), 40 % done", lambda: _in_reduce(0.4)),
        Example("SILENT", "30 MB of shuffled data", lambda: _shuffling((30, 30, 30), 30)),
        Example("SILENT", "a map attempt", map_attempt),
        Example(
            "CANNOT_TELL",
            "nobody counted the partitions",
            lambda: replace(
                _shuffling((230, 230)), partitions=Unknown("sizes of all partitions", "run")
            ),
        ),
    ),
    module=__name__,
)
