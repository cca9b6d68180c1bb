"""Improper data partition, unbalanced: one reducer gets far more than its share.

What it means
    The failed reducer's partition is far larger than the others, and the mean partition would have
    fitted.

Why it happens
    The partitioner sends many keys to one reducer: ranges cut by hand, a hash of part of the key,
    keys whose hash codes collide.

Patterns
    A partition is in question where the reducer accumulates over its groups (rule 2), or died
    holding shuffled data while no user code ran. It is compared with the others, in records and in
    bytes: with the median of them, whatever their number, and with the mean of all. The Gini index
    is said, and decides nothing. The keys of the partition, and the largest of them as the map
    tasks counted it, say whether another partitioner could have spread it.

What to change
    Use another partitioner: TotalOrderPartitioner with sampled keys, or a hash that mixes better.

For example
    A join whose keys have hash codes that are multiples of the number of reducers.

Sources
    Rule 6-2 of the paper (Tables 6 and 7, Figure 7).
"""

from __future__ import annotations

from mprof.evidence import GroupSizes, Partitions, Progress, known
from mprof.patterns import (
    BACK_TO_MEAN,
    LARGER,
    OF_MEAN_SIZE,
    HotKey,
    InQuestion,
    MemoryModel,
)
from mprof.rules.rule import HOW_IT_GOES_ON, CannotTell, Condition, ErrorData, Fires, Rule, Silent
from mprof.threshold import Threshold
from mprof.units import format_bytes, format_count

__all__ = ["RULE"]

UNEVEN_KEYS = Threshold(
    "uneven keys",
    1.5,
    "times the mean number of keys",
    "a hash spreads keys to within a few percent; half as many more is the partitioner's doing",
)

FEW_KEYS = Threshold(
    "few keys",
    2.0,
    "keys in the partition",
    "no partitioner splits the records of one key, and one of two keys has at least half of them",
)

_HOT_KEY = ("hotspot_key",)


def _is_uneven(partition_in_question: InQuestion) -> Silent | CannotTell | None:
    """Is the own partition far larger than the others, and than the mean?"""
    balance = partition_in_question.balance
    if not (balance.is_to_blame or balance.is_complete):
        return CannotTell("both the records and the bytes of the partitions", "run")
    if not balance.is_to_blame:
        return Silent(f"this partition is not far larger than the others ({balance.how})")
    return None


def _mean_would_have_fitted(
    partition_in_question: InQuestion, memory_model: MemoryModel
) -> Silent | CannotTell | None:
    """Would the mean partition have fitted?

    Nobody knows where the reducer died before it had taken in as much as that.
    """
    need = partition_in_question.need_of_mean(memory_model)
    if need is None:
        return CannotTell("what the mean partition would have needed", "run")
    fits = need.fits(memory_model)
    if fits is None:
        return HOW_IT_GOES_ON
    return None if fits else Silent("the mean partition would not have fitted either")


def _is_one_key(
    partition_in_question: InQuestion,
    groups: GroupSizes | None = None,
    progress: Progress | None = None,
    hot_key: HotKey | None = None,
) -> Silent | CannotTell | None:
    """Is one key to blame, rather than how keys are spread?

    If taking its largest group away brings the partition back near the mean, rule 7 is asked
    instead; it cannot tell where that group may own what is unread. No group is counted before
    reduce() begins: there what the map tasks counted of the largest key decides, or that there are
    but one or two keys, frequent ones. Where neither groups nor keys were counted it cannot tell.
    """
    partitions, balance = partition_in_question.partitions, partition_in_question.balance
    largest = groups.largest if groups is not None else None
    size = None
    if largest is not None:
        size = largest.records if balance.measure == "records" else largest.bytes
    if size is not None:
        if not balance.is_the_excess(size):
            # A group that was being read may have all of what was not read yet.
            unread = (1 - progress.done) * balance.own if progress is not None else balance.own
            is_open = largest is not None and not largest.whole
            is_open = is_open and balance.is_the_excess(size + unread)
            return CannotTell("the size of the whole group", "verify") if is_open else None
        why = "without its largest group the partition is near the mean"
        return Silent(why, refers_to=_HOT_KEY)
    if hot_key is not None:
        return Silent(f"{hot_key.share}, and no partitioner can split them", refers_to=_HOT_KEY)
    keys, frequent = known(partitions.keys_in_one_map), _frequent_keys(partitions)
    if keys is not None and 0 < keys[partitions.own] <= FEW_KEYS.value and frequent:
        return Silent(f"the partition holds one or two keys, {frequent}", refers_to=_HOT_KEY)
    if partition_in_question.shuffled is None:
        return CannotTell("the largest group of this partition", "rerun")
    # The same keys in many maps add up to many: the sum alone does not deny that they are few.
    return CannotTell("the keys of this partition", "run") if keys is None else None


def _ask(
    partition_in_question: InQuestion, memory_model: MemoryModel, groups: GroupSizes | None = None
) -> Fires:
    """Else: the partitioner is to blame. *Likely* where the mean partition may not have fitted."""
    asked = partition_in_question
    partitions, balance, over = asked.partitions, asked.balance, asked.accumulation
    own_bytes = "" if balance.own_bytes is None else f" ({format_bytes(balance.own_bytes)})"
    counted = groups is not None and groups.largest is not None
    measured = partitions.complete and (counted or _more_keys(partitions))
    need = asked.need_of_mean(memory_model)
    found = Fires(
        confidence=over.confidence if over else ("sure" if measured else "likely"),
        evidence=over.source if over else "passive",
        sentence=(
            f"partition {partitions.own}{own_bytes} is {balance.own_over_mean:.1f} times the mean "
            f"({balance.how}), and the mean partition would have fitted"
        ),
        bytes=asked.held_bytes,
        where=over.where if over else None,
        data=ErrorData.of_partition(asked),
    )
    is_certain = need is not None and memory_model.fits(need.at_most)
    return found if is_certain else found.at_most_likely


def _frequent_keys(partitions: Partitions) -> str:
    """That a key of the partition has more records than those of the others, or no words.

    Keys are counted by every map anew: what each has at the least.
    """
    records, keys = known(partitions.records), known(partitions.keys)
    if records is None or keys is None:
        return ""
    own = records[partitions.own] / max(keys[partitions.own], 1)
    mean = sum(records) / max(sum(keys), 1)
    if own <= LARGER.value * mean:
        return ""
    return f"{format_count(own)} records per key, against a mean of {format_count(mean)}"


def _more_keys(partitions: Partitions) -> bool:
    keys = known(partitions.keys)
    if keys is None:
        return False
    return keys[partitions.own] > UNEVEN_KEYS.value * sum(keys) / len(keys)


RULE = Rule(
    cause="improper_partition.unbalanced",
    published_as="6-2",
    category="configuration",
    title="Improper data partition: unbalanced partitioner",
    name="the partitions are unbalanced",
    asks=(_is_uneven, _mean_would_have_fitted, _is_one_key, _ask),
    thresholds=(FEW_KEYS, LARGER, UNEVEN_KEYS, BACK_TO_MEAN, OF_MEAN_SIZE),
    conditions=(
        Condition(
            _is_uneven,
            "Rule 2 has fired",
            "Rule 2's accumulation; or a death in shuffle or sort while no user code ran, "
            "with 30 % of the heap in map output, held or reserved (`in_question_of`)",
            "The paper's own case of a death in the shuffle cannot match rule 2; its authors'"
            " draft has this branch",
        ),
        Condition(
            _is_uneven,
            "Partition skew is matched: Gini of the records above 0.4",
            "By records or by bytes the partition has 1.6 times the median of the others or "
            "more, and more than 1.3 times the mean (`Balance.is_to_blame`); silent only "
            "where both were counted",
            "Gini is of all partitions, not of the one that died, and of two partitions "
            "cannot exceed 0.5; a partition may be large in bytes only",
        ),
        Condition(
            _mean_would_have_fitted,
            "Not asked",
            "The mean partition would have fitted: by the law of growth with rule 2, which "
            "predicts no more of less data than what it died of, else by the model of the "
            "shuffle's memory; cannot tell where it would only by the smaller end of the "
            "interval, without what was there for the group and the record at the death only",
            "Else a perfect partitioner would not help",
        ),
        Condition(
            _mean_would_have_fitted,
            "Not asked",
            "Cannot tell where the heap was full before the reducer had read as much as the mean "
            "partition has (1.05 times), whatever the law says",
            "It died of as much",
        ),
        Condition(
            _is_one_key,
            "Not asked",
            "Without its largest group it still has more than 1.3 times the mean; else "
            "silent, and rule 7 is asked; cannot tell where an open group may own what is "
            "unread",
            "No partitioner splits the records of one key",
        ),
        Condition(
            _is_one_key,
            "Not asked",
            "Where no group was counted: without the largest key that the map tasks counted "
            "it still has more than 1.3 times the mean, or that key has at most 1.6 times the"
            " mean key; and it has more than two keys, or no more than 1.6 times the mean "
            "records a key; else silent, and rule 7 is asked; cannot tell where its keys were"
            " not counted",
            "No group is counted before reduce() begins",
        ),
        Condition(
            _ask,
            "Nothing more",
            "Nothing more: as sure as rule 2; in the shuffle *sure* where its groups were "
            "counted, or it has more than 1.5 times the mean number of keys, and the output "
            "of all map tasks was counted; else *likely*",
        ),
    ),
    numbers=("huge",),
    module=__name__,
)
