"""Hotspot key: one key has far more values than the others, or every key has too many.

What it means
    G_m, the group whose records filled the heap, is far larger in records or in bytes than the
    largest group that went well; or an ordinary group would not fit either, so the key is too
    coarse.

Why it happens
    Real keys are skewed (a word, a host, a null), or there are few of them (a country, a day).

Patterns
    A group is asked about where rule 3 has fired, or rule 6-2 has sent its question here. A group
    that was not counted to its end may be larger, never smaller. Where each map task has so
    few keys that it tells all of them, these are the groups, unless a comparator or a combiner
    makes others of them. No group is counted before reduce() begins. There the key is hot without
    which the partition is near the mean, by what the map tasks counted of it; where they did not,
    one of two keys is. The ordinary group is the median one, or where fewer than three others were
    counted the mean one, by the keys that the maps wrote; it does not fit either where it has more
    records than G_m had when it died.

What to change
    Make the group smaller: a composite key, or salting. Where rule 3 has fired, its code stays a
    cause.

For example
    The word "of": six times the records of any other word.

Sources
    Rule 7 of the paper (Tables 6 and 7); it misses groups that are large in bytes only, and keys
    that are too coarse (section 6.2).
"""

from __future__ import annotations

from mprof.evidence import Partitions, Run, Shuffle, Unknown
from mprof.patterns import (
    LARGER,
    Absent,
    Accumulation,
    ComparedGroup,
    ComparedSize,
    Confidence,
    GroupsBeside,
    Growing,
    HotKey,
    size_in_words,
)
from mprof.rules.rule import CannotTell, Condition, Defer, ErrorData, Fires, Rule, Silent
from mprof.threshold import Threshold
from mprof.units import format_count

__all__ = ["RULE"]

AS_MUCH = Threshold(
    "as much",
    0.90,
    "of what G_m held",
    "what a group of the size of those that passed would need: where that is nine tenths, the size "
    "of the group is not what is wrong",
)

_AS_MUCH_OF_A_SMALLER = (
    "a clearly smaller group to compare with: one of the size of those that passed needs nearly as "
    "much"
)

_ORDER: tuple[Confidence, ...] = ("sure", "likely", "possible")


def _by_its_records(
    hot_key: HotKey | None = None,
    groups_beside: GroupsBeside | None = None,
    partitions: Partitions | None = None,
    shuffle: Shuffle | None = None,
    referral: Silent | None = None,
) -> Fires | None:
    """If rule 6-2 asks and no group was counted: is it one key, as the map tasks counted it?

    Each of them tells how much its largest key has; what they tell of the same key adds up. Where
    they did not, rule 6-2 has counted one or two keys.
    """
    if referral is None or groups_beside is not None:
        return None
    held = shuffle.held_bytes if shuffle is not None else None
    if hot_key is None:
        return Fires(confidence="likely", evidence="passive", sentence=referral.why, bytes=held)
    complete = partitions is not None and partitions.complete
    return Fires(
        confidence="sure" if complete else "likely",
        evidence="passive",
        sentence=f"{hot_key.share}; the mean key has at most {hot_key.mean}",
        bytes=held,
        data=ErrorData("group", records=hot_key.records, bytes=hot_key.bytes),
    )


def _is_beyond(
    groups_beside: GroupsBeside,
    parent: Fires | None = None,
    reduce_accumulation: Accumulation | Unknown | None = None,
    group_growth: Growing | None = None,
) -> Fires | CannotTell | None:
    """Is G_m, by records or by bytes, far larger than the largest group that passed?

    What is emptied within the group, or full early, needs as much of a smaller one. Where the task
    died before it had read as many records as the largest other group has, that one may not fit
    either: *likely* at best.
    """
    group = _chosen(groups_beside, parent)
    if group.above is None:
        return None
    is_larger_than_fits = False
    if parent is not None and group_growth is not None and group.above.measure == "records":
        passed = group.above.beyond.largest
        held = group_growth.at(passed)
        within = group_growth.source == "dump" and passed < group_growth.x_now
        if within and held >= AS_MUCH.value * group_growth.held_bytes:
            return CannotTell(_AS_MUCH_OF_A_SMALLER, "none")
        is_larger_than_fits = group_growth.unit == "record_in_group" and (
            passed >= group_growth.x_now
        )
    how = _against_the_others(group, group.above)
    found = _finding(group, how, parent, reduce_accumulation)
    return found.at_most_likely if is_larger_than_fits else found


def _too_coarse(
    groups_beside: GroupsBeside,
    ordinary_group: str | None = None,
    parent: Fires | None = None,
    reduce_accumulation: Accumulation | Unknown | None = None,
) -> Fires | None:
    """Else: would an ordinary group not fit either, so that the key is too coarse?"""
    if ordinary_group is None:
        return None
    group = _chosen(groups_beside, parent)
    return _finding(group, ordinary_group, parent, reduce_accumulation)


def _is_compared(groups_beside: GroupsBeside, parent: Fires | None = None) -> CannotTell | None:
    """Do both comparisons, by records and by bytes, give an answer?"""
    group = _chosen(groups_beside, parent)
    if group.doubt is not None:
        return CannotTell(f"the sizes of whole groups ({group.doubt})", _run_that_counts(group))
    if not group.is_complete:
        return CannotTell("both the records and the bytes of the groups", "rerun")
    return None


def _ask(
    groups_beside: GroupsBeside,
    ordinary_group: str | Absent,
    parent: Fires | None = None,
) -> Silent | CannotTell:
    """Were the groups of all reducers compared?"""
    group = _chosen(groups_beside, parent)
    if not group.of_all_reducers:
        return CannotTell("the groups of the other reducers", "verify")
    why = ordinary_group.why if isinstance(ordinary_group, Absent) else ordinary_group
    return Silent(f"the group is not much larger than the others, and {why}")


def _chosen(groups: GroupsBeside, parent: Fires | None) -> ComparedGroup:
    """G_m; where rule 6-2 asks, the largest group of the partition."""
    return groups.at_death if parent is not None else groups.largest


def _run_that_counts(group: ComparedGroup) -> Run:
    """A verification: it counts the groups of every reducer, whatever the user's code does.

    Where all were counted to their end there is none left to compare with.
    """
    whole = group.group.whole and group.of_all_reducers
    return "none" if whole else "verify"


def _against_the_others(group: ComparedGroup, size: ComparedSize) -> str:
    so_far = "" if group.group.whole else " so far"
    whose = "groups of all reducers" if group.of_all_reducers else "other groups"
    if size.only_passed:
        whose = "groups that passed"
    largest = size_in_words(size.measure, size.beyond.largest)
    return (
        f"has {size_in_words(size.measure, size.value)}{so_far}; the largest of the "
        f"{format_count(size.beyond.count)} {whose} has {largest}"
    )


def _finding(
    compared: ComparedGroup,
    how: str,
    parent: Fires | None,
    reduce_accumulation: Accumulation | Unknown | None,
) -> Fires:
    """What was found, with the memory that rule 3 (or, where 6-2 asks, rule 2) has named."""
    group, over = compared.group, reduce_accumulation
    is_gap = compared.above is None or compared.above.beyond.is_gap
    own: Confidence = "sure" if compared.of_all_reducers and is_gap else "likely"
    if parent is not None:
        # Beside what is kept of all groups, a smaller one might have died there too.
        doubt: Confidence = "likely" if over is not None else "sure"
        confidence = max(doubt, parent.confidence, key=_ORDER.index)
        level = parent.evidence
        held, where = parent.bytes, parent.where
    elif isinstance(over, Accumulation):
        confidence, level, held, where = over.confidence, over.source, over.held_bytes, over.where
    else:
        confidence, level, held, where = own, "passive", None, None
    ordinal = "" if group.ordinal is None else f" {format_count(group.ordinal)}"
    key = f" (key {group.key})" if group.key else ""
    return Fires(
        confidence=max(own, confidence, key=_ORDER.index),
        evidence=level,
        sentence=f"group{ordinal}{key} {how}",
        bytes=held,
        where=where,
        data=ErrorData(
            "group",
            first=1,
            last=group.records,
            group=group.ordinal,
            records=group.records,
            bytes=group.bytes,
        ),
    )


RULE = Rule(
    cause="hotspot_key",
    published_as="7",
    category="data",
    title="Hotspot key",
    name="a hot key, whose group is too large",
    asks=(Defer.FOLLOW, _by_its_records, _is_beyond, _too_coarse, _is_compared, _ask),
    thresholds=(LARGER, AS_MUCH),
    conditions=(
        Condition(
            Defer.FOLLOW,
            "Sharp growth in G_m: its slope is an outlier among those of the groups",
            "Rule 3 has fired, or rule 6-2 has referred its question here; cannot tell while "
            "one of them cannot",
            "Slopes of groups are undefined when the job dies in its first group; rule 3 has "
            "found what G_m keeps",
        ),
        Condition(
            _by_its_records,
            "Not covered",
            "If 6-2 asks and no group was counted: without the largest key that the map tasks"
            " counted the partition has at most 1.3 times the mean, and that key has more "
            "than 1.6 times the mean key (`hot_key_of`); or it has one or two keys, and more "
            "than 1.6 times the mean records a key: *likely*",
            "No group is counted before reduce() begins",
        ),
        Condition(
            _is_beyond,
            "Group skew: the records in G_m reach the upper inner fence of those in G_1 to "
            "G_m of its reducer",
            "The records or the bytes of G_m are 1.6 times the largest of the other groups or"
            " more, and ordinary skew makes them so once in a hundred at most (`passed.py`); "
            "where others are as large, of those that user code got through; *likely* at best "
            "beside what accumulates over the groups (rule 2), and where the largest of the others "
            "has as many records as G_m had when the task died",
            "Fences call 5 to 18 % of ordinary skewed groups outliers; large in bytes only is"
            " what the paper misses twice (section 6.2)",
        ),
        Condition(
            _is_beyond,
            "Not asked",
            "After rule 3: cannot tell where the largest that passed has fewer records than were "
            "there at the death, and needs 90 % of what G_m held by the law of growth in dumps",
            "What is flushed, or full early, needs as much of a smaller group",
        ),
        Condition(
            _too_coarse,
            "Not asked: no group is an outlier where all are large (section 6.2)",
            "Or: the median of three other groups or more, else the mean one by the keys, has "
            "more records than G_m had when it died",
            "The key is then too coarse; it misses this in the case with 20 keys",
        ),
        Condition(
            _is_compared,
            "Records alone are compared",
            "Records and bytes were both compared, and each comparison decides; else cannot tell",
            "A group that was not counted to its end can be larger, never smaller",
        ),
        Condition(
            _ask,
            "The groups of the same reducer",
            "Silent only where the groups of all reducers were counted",
            "The others may be as large or far smaller",
        ),
    ),
    numbers=("chance of an ordinary value", "near the mean", "groups of a median"),
    module=__name__,
)
