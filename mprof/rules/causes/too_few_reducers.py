"""Improper data partition, too few reducers: the partitions are even, and each is too large.

What it means
    The data is spread evenly, but over so few reducers that a partition of mean size does not fit.

Why it happens
    `mapreduce.job.reduces` was set once, and the data grew; or it was never set and is 1.

Patterns
    A partition is in question where the reducer accumulates over its groups (rule 2), or died
    holding shuffled data while no user code ran. With rule 2 the death itself says that one which
    is no larger than most is too large; the law of the growth says what a reducer needs that shares
    the groups with ten times as many: no number of them divides a group, or a record. Shuffled data
    is weighed by the memory model of the merge: a partition larger than the heap is normal, since
    it is merged to disk; it is the cause where three times as many reducers, or fewer, would keep
    it in memory. Never *sure*: a smaller buffer lets the same partition pass.

What to change
    Raise `mapreduce.job.reduces`.

For example
    Five partitions of 1.3 GB each, Gini 0.02, and reducers of 1 GB.

Sources
    Rule 6-1 of the paper (Table 7); two of the second causes that it misses (section 6.2).
"""

from __future__ import annotations

from mprof.evidence import GroupSizes, Memory, Progress, Unknown, known
from mprof.patterns import (
    OF_MEAN_SIZE,
    Absent,
    Accumulation,
    InQuestion,
    MemoryModel,
    SharedOut,
    ShuffledData,
)
from mprof.rules.rule import (
    HOW_IT_GOES_ON,
    CannotTell,
    Condition,
    ErrorData,
    Fires,
    Rule,
    Silent,
    Verdict,
)
from mprof.threshold import Threshold
from mprof.units import format_bytes, format_count

__all__ = ["RULE"]

REDUCERS_OF_A_SHUFFLE = Threshold(
    "more reducers for the shuffle",
    3.0,
    "times as many",
    "a partition larger than the heap is what the shuffle's merges to disk are for: twenty times "
    "the heap is normal; a partition that would lie in memory with a few reducers more is not",
)


HALF = Threshold(
    "half of what was read",
    0.5,
    "of what the reducer had read",
    "a group that is more than all before it together may be most of the partition",
)


def _is_even(partition_in_question: InQuestion) -> Silent | None:
    """Is this partition like the others (else rule 6-2)?"""
    balance = partition_in_question.balance
    return Silent(f"the others are far smaller ({balance.how})") if balance.is_to_blame else None


def _is_divided_by_key(partition_in_question: InQuestion) -> CannotTell | None:
    """Do the keys divide over as many reducers as there are? Else more of them may get nothing."""
    if not partition_in_question.idle:
        return None
    return CannotTell("by how many different values the partitioner divides the keys", "none")


def _after_accumulation(
    partition_in_question: InQuestion,
    memory_model: MemoryModel,
    shared_out: SharedOut | Absent,
    reducers: int | None = None,
    groups: GroupSizes | None = None,
    group_accumulation: Accumulation | Unknown | None = None,
    progress: Progress | None = None,
) -> Verdict | None:
    """With rule 2: is it no larger than most partitions are, and would a tenth of its groups fit?

    Then the death itself says that such a partition is too large. Of a larger one it is asked
    whether the mean would have fitted. Ten times as many reducers are the most that is asked for.
    """
    asked = partition_in_question
    if isinstance(shared_out, Absent):
        return None
    if isinstance(group_accumulation, Accumulation) and group_accumulation.source == "passive":
        # Collections do not tell what one group holds from what is kept of all.
        return CannotTell("how much the group at the death holds of its own", "rerun")
    if not memory_model.fits(shared_out.at_least):
        return _beside_the_group(asked, memory_model, shared_out)
    mean_fits = shared_out.of_mean.fits(memory_model)
    is_like_most = asked.balance.is_near_the_mean
    if not is_like_most and mean_fits is not False:
        need = format_bytes(shared_out.of_mean.predicted)
        fits = Silent(f"the mean partition would need {need}, which fits")
        return fits if mean_fits else HOW_IT_GOES_ON
    if not memory_model.fits(shared_out.predicted):
        return HOW_IT_GOES_ON
    if not shared_out.is_group_complete or _is_most_of_what_was_read(asked, groups, progress):
        return CannotTell("the size of the group at the death, whose end was never read", "none")
    if not shared_out.is_record_complete:
        return CannotTell("how much more the last record would have taken", "none")
    found = _finding(
        asked, _how_it_is_too_large(memory_model, shared_out, _name(reducers)), reducers
    )
    # What the group at the death keeps of its own is not divided; its end may not be known.
    counted = groups is not None and groups.whole is not None
    divided = group_accumulation is None and memory_model.fits(shared_out.at_most)
    proven = is_like_most and not mean_fits and asked.own_partitioner is None
    return found if proven and counted and divided else found.at_most_likely


def _how_it_is_too_large(memory_model: MemoryModel, shared_out: SharedOut, name: str) -> str:
    need, most = shared_out.of_mean.predicted, format_bytes(memory_model.capacity_bytes)
    if memory_model.fits(need):
        return f"{most} do not suffice for one of that size"
    return f"{name} would need {format_bytes(need)}, and {most} are available"


def _beside_the_group(
    asked: InQuestion, memory_model: MemoryModel, shared_out: SharedOut
) -> Silent | CannotTell:
    """No number of reducers divides G_m; were it mended, would the mean partition be too large?"""
    without = memory_model.fits(shared_out.of_mean.predicted - asked.group_bytes)
    if not without and asked.group_bytes and memory_model.fits(shared_out.without_group):
        return HOW_IT_GOES_ON
    return Silent("no number of reducers would make it fit")


def _is_most_of_what_was_read(
    asked: InQuestion, groups: GroupSizes | None, progress: Progress | None
) -> bool:
    """The group at the death, of which nobody met the end: no number of reducers divides it."""
    current = groups.current if groups is not None and groups.whole is None else None
    if current is None or progress is None:
        return False
    size = current.records if asked.balance.measure == "records" else current.bytes
    return size is not None and size >= HALF.value * progress.done * asked.balance.own


def _in_the_shuffle(
    partition_in_question: InQuestion,
    shuffled_data: ShuffledData,
    memory_model: MemoryModel,
    memory: Memory,
    reducers: int | None = None,
) -> Verdict:
    """With shuffled data: would a few reducers more keep the mean partition below the limit?

    By the memory model of the merge: from the limit of the shuffle's memory on, what stands in
    memory is the same for a partition of any size, and only the rest goes to disk.
    """
    asked = partition_in_question
    mean = asked.balance.mean_bytes
    if mean is None:
        return CannotTell("bytes of the partitions", "run")
    if mean <= (known(memory.heap_max_bytes) or memory_model.capacity_bytes):
        return Silent(
            f"the mean partition of {format_bytes(mean)} is smaller than the heap of a reducer"
        )
    peak = shuffled_data.peak_of(mean / REDUCERS_OF_A_SHUFFLE.value, memory_model)
    if not memory_model.fits(peak):
        most = format_count(round(REDUCERS_OF_A_SHUFFLE.value))
        return Silent(
            f"the mean partition of {format_bytes(mean)} fills the shuffle's memory with {most} "
            "times as many reducers, too"
        )
    how = f"{_name(reducers)} of {format_bytes(mean)} is larger than the heap of a reducer"
    return _finding(asked, how, reducers)


def _name(reducers: int | None) -> str:
    return "its partition" if reducers == 1 else "the mean partition"


def _finding(asked: InQuestion, how: str, reducers: int | None) -> Fires:
    balance, over = asked.balance, asked.accumulation
    many = "" if reducers is None else f" ({format_count(reducers)})"
    return Fires(
        confidence=over.confidence if over else "likely",
        evidence=over.source if over else "passive",
        sentence=(
            f"the one reducer has all of the data: {how}"
            if reducers == 1
            else f"this partition is one of many alike ({balance.how}), and there are too few "
            f"reducers{many}: {how}"
        ),
        bytes=asked.held_bytes,
        where=over.where if over else None,
        data=ErrorData.of_partition(asked),
    )


RULE = Rule(
    cause="improper_partition.few_reducers",
    published_as="6-1",
    category="configuration",
    title="Improper data partition: too few reducers",
    name="too few reducers",
    asks=(_is_even, _is_divided_by_key, _after_accumulation, _in_the_shuffle),
    thresholds=(REDUCERS_OF_A_SHUFFLE, HALF, OF_MEAN_SIZE),
    conditions=(
        Condition(
            _is_even,
            "Rule 2 has fired",
            "Rule 2's accumulation; or a death in shuffle or sort while no user code ran, "
            "with 30 % of the heap in map output, held or reserved (`in_question_of`)",
            "The paper's own case of a death in the shuffle cannot match rule 2; its authors'"
            " draft has this branch",
        ),
        Condition(
            _is_even,
            "Partition skew is not matched: Gini of the records at most 0.4",
            "By records and by bytes, as far as counted, the partition has less than 1.6 "
            "times the median of the others, or at most 1.3 times the mean (`Balance`)",
            "Of few partitions the Gini index is small however uneven they are, and it says "
            "nothing of the one that died",
        ),
        Condition(
            _is_divided_by_key,
            "Not asked",
            "Cannot tell where reducers got nothing, although a hash of as many keys leaves one so "
            "in 1 % of all jobs at most (`idle_reducers`)",
            "The partitioner then sends by fewer values than there are keys, such as a parent key, "
            "and more reducers may get nothing as well",
        ),
        Condition(
            _after_accumulation,
            "Not asked",
            "*Likely* at best where the job has a partitioner of its own",
            "It may divide the keys by a part of them only",
        ),
        Condition(
            _after_accumulation,
            "Not asked",
            "With rule 2: where the group at the death keeps much (rule 3), cannot tell by "
            "collections alone, else *likely* at best",
            "No number of reducers divides a group",
        ),
        Condition(
            _after_accumulation,
            "Not asked",
            "The reducer to which the group at the death goes would fit if there were ten times as "
            "many: that group to its end beside what is kept of those before it, the largest group "
            "undivided, and what is kept by the group counted in keys (`SharedOut`); cannot tell "
            "where it would only with that group first, by the smaller end of the interval; "
            "*likely* at best where not with it last, by the larger end, or where nobody counted "
            "that group to its end; where that group alone is too much (rule 3), cannot tell if "
            "without what is kept of it the mean partition would not fit, and a tenth would",
            "Else the number of reducers is not what is wrong, or not alone",
        ),
        Condition(
            _after_accumulation,
            "Not asked: equal and huge is as even as equal and small (its gap, section 6.2)",
            "It has at most 1.3 times the mean, *likely* at best where the mean one would have "
            "fitted; or the mean one would not have fitted, *likely* at best: silent where it "
            "would have, cannot tell where it would by the smaller end of the interval only, or "
            "the reducer died of a full heap before 1.05 times the mean",
            "One that is no larger than most are, and did not fit, says that most are too large",
        ),
        Condition(
            _after_accumulation,
            "Not asked",
            "Cannot tell where the end of the group at the death was never met, and it keeps much "
            "or has 50 % of what was read; nor where the last record and the work on it held more "
            "than what accumulates",
            "It may be most of the partition, or need most of the heap, and no reducers divide it",
        ),
        Condition(
            _in_the_shuffle,
            "Not covered",
            "Without rule 2: the mean partition is larger than the heap of a reducer",
            "Smaller partitions leave it to the shuffle buffer (rule 9-2)",
        ),
        Condition(
            _in_the_shuffle,
            "Not covered",
            "Three times as many reducers would keep the mean partition below the limit of "
            "the shuffle's memory, and it would fit there; never *sure*",
            "Larger than the heap is normal: it is merged to disk; a smaller buffer lets the "
            "same partition pass",
        ),
    ),
    numbers=("larger than what passed", "near the mean"),
    module=__name__,
)
