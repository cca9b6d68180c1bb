"""Hotspot key: one key has far more values than the others, or every key has too many.

What it means
    G_m, the group whose records filled the heap, is above the fence of the groups of all reducers
    in records or in bytes; or already the median group would not fit, so the key is too coarse.

Why it happens
    Real keys are skewed (a word, a host, a null), or there are few of them (a country, a day).

What it asks
    1. Has rule 3 fired, or has rule 6-2 sent its question here?
    2. Is G_m above the fence of all other groups, in records or in bytes? A group that was not
       counted to its end can be above it, never below.
    3. Else: would the median group fit, at the heap bytes a record that were measured in G_m? It
       would not where it has more records than G_m had when its container was being enlarged and
       found no room. Where fewer than three others were counted: the mean group, by the keys that
       the maps wrote.
    4. It is silent where both records and bytes were compared, with the groups of all reducers.

What to change
    A composite key, or salting, that makes the group smaller; the code of rule 3 stays a cause.

For example
    The word "of": six times the records of any other word.

Sources
    Rule 7 of the paper (Tables 6 and 7); it misses groups that are large in bytes only, and keys
    that are too coarse (section 6.2).

Where it departs from the paper
    "Sharp growth in G_m" is no precondition: it is undefined when the job dies in its first group.
    The paper compares record counts with the earlier groups of the same reducer, G_m among them.
    Here bytes count too, all reducers' groups are compared, and six of them are needed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from mprof.evidence import Distribution, Evidence, Group, GroupSizes, Unknown, known
from mprof.evidence.fences import FenceComparison, compare_with_fence
from mprof.evidence.growing import Growing, find_growth
from mprof.rules.examples import reduce_attempt, with_growth
from mprof.rules.need import capacity_of, live_of
from mprof.rules.rule import (
    CannotTell,
    Confidence,
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
from mprof.rules.thresholds import FENCE_SAMPLES
from mprof.units import MIB, format_bytes, format_count

__all__ = ["RULE"]

MEDIAN_GROUPS = Threshold(
    "groups of a median",
    3.0,
    "groups",
    "the least that have a middle one beside G_m",
)

_Measure = Literal["records", "bytes"]
_MEASURES: tuple[_Measure, ...] = ("records", "bytes")

_PARENT = "large_accumulated_results.group"
_REFERRER = "improper_partition.unbalanced"


@dataclass(frozen=True, slots=True)
class _Compared:
    measure: _Measure
    value: float
    fence: FenceComparison


def _ask(evidence: Evidence, earlier: Verdicts) -> Verdict:
    parent, referrer = earlier[_PARENT], earlier[_REFERRER]
    referred = isinstance(referrer, Silent) and "hotspot_key" in referrer.refers_to
    if not isinstance(parent, Fires) and not referred:
        for verdict in (parent, referrer):
            if isinstance(verdict, CannotTell):
                return verdict
        return Silent("reduce() and combine() do not accumulate over the records of a group")
    groups = evidence.groups
    if groups is None and referred:
        return _by_keys(evidence, referrer)
    if groups is None:
        return Silent("no group was being processed")
    if isinstance(groups, Unknown):
        return _by_keys(evidence, referrer) if referred else cannot_tell(groups)
    group = _group(evidence, groups, use_largest=not isinstance(parent, Fires))
    if group is None:
        return (
            _by_keys(evidence, referrer)
            if referred
            else CannotTell("the size of the group", "rerun")
        )
    compared = _compare(groups, group)
    above = [one for one in compared if one.fence.stands == "above"]
    if above:
        return _fires(earlier, groups, group, _above(above[0], groups, group))
    coarse = _too_coarse(evidence, groups)
    if isinstance(coarse, str):
        return _fires(earlier, groups, group, coarse)
    doubtful = [one for one in compared if one.fence.stands == "cannot tell"]
    if doubtful or not compared:
        why = doubtful[0].fence.why if doubtful else "no group beside it was counted"
        return CannotTell(f"sizes of whole groups ({why})", _run_that_counts(groups, group))
    if len(compared) < len(_MEASURES):
        return CannotTell("records and bytes of the groups, not one of them alone", "rerun")
    if coarse is not None:
        return coarse
    if not groups.all_reducers:
        return CannotTell("the groups of the other reducers", "rerun")
    return Silent("the group is not larger than others, and the median group would fit")


def _group(evidence: Evidence, groups: GroupSizes, *, use_largest: bool) -> Group | None:
    """G_m, as whole as it was ever counted; the largest group where rule 6-2 asks."""
    if use_largest:
        return groups.largest or groups.current
    verification = known(evidence.verification)
    total = verification.group_total if verification is not None else None
    current = groups.current
    if total is not None and total.whole and (current is None or total.records >= current.records):
        return replace(total, ordinal=current.ordinal if current else total.ordinal)
    return current


def _run_that_counts(groups: GroupSizes, group: Group) -> str:
    if not group.whole:
        return "verify"
    # Where every group of the job was counted to its end there is none left to compare with.
    return "none" if groups.all_reducers else "rerun"


def _compare(groups: GroupSizes, group: Group) -> list[_Compared]:
    compared = []
    sizes = (group.records, group.bytes)
    of_others = (groups.other_records, groups.other_bytes)
    for measure, value, others in zip(_MEASURES, sizes, of_others, strict=True):
        if value is not None and not isinstance(others, Unknown):
            fence = compare_with_fence(value, others, lower_bound=not group.whole)
            compared.append(_Compared(measure, float(value), fence))
    return compared


def _size(measure: str, value: float) -> str:
    if measure == "bytes":
        return format_bytes(value)
    return f"{format_count(value)} record" + ("" if round(value) == 1 else "s")


def _above(one: _Compared, groups: GroupSizes, group: Group) -> str:
    so_far = "" if group.whole else " so far"
    whose = "of all reducers" if groups.all_reducers else "beside it"
    fence = max(one.fence.fence or 0.0, 0.0)
    return (
        f"has {_size(one.measure, one.value)}{so_far}, while the fence of "
        f"{format_count(one.fence.count)} groups {whose} stands at {_size(one.measure, fence)}"
    )


def _too_coarse(evidence: Evidence, groups: GroupSizes) -> str | CannotTell | None:
    """Words saying that an ordinary group does not fit either; None if one would.

    The median of a sketch is off by its error at most; where that decides nothing is said. A line
    through a container that was being enlarged when it died knows nothing of the larger copy: there
    a group of more records than it died of needs no model.
    """
    found = find_growth(evidence, "group")
    capacity, live = capacity_of(evidence), live_of(evidence)
    if not isinstance(found, Growing) or capacity is None or live is None:
        return None
    free = capacity - max(0, live - found.held_bytes)
    others, error = known(groups.other_records), 0.0
    if others is not None and others.count >= MEDIAN_GROUPS.value:
        records, name = others.quantile(0.5), "the median group of"
        error = others.relative_error
    else:
        mean = _mean_group(evidence)
        if mean is None:
            return None
        records, name = mean, "the mean group of"
    enlarged = any(one.doubling for one in found.holders)
    if enlarged and records / (1 + error) > found.x_now:
        return (
            f"is no exception: {name} {format_count(records)} records has more than the "
            f"{format_count(found.x_now)} of which it died, the key is too coarse"
        )
    need = records * found.bytes_per_unit
    if need / (1 - error) <= free:
        return None
    if need / (1 + error) <= free:
        return CannotTell("the size of the median group (inside the sketch's error band)", "none")
    return (
        f"is no exception: {name} {format_count(records)} records would need "
        f"{format_bytes(need)} where {format_bytes(free)} are free, the key is too coarse"
    )


def _mean_group(evidence: Evidence) -> float | None:
    """Records of the partition over its distinct keys, at most so many: a lower bound."""
    partitions = known(evidence.partitions)
    records = known(partitions.records) if partitions else None
    keys = known(partitions.keys) if partitions else None
    if partitions is None or records is None or keys is None or not keys[partitions.own]:
        return None
    return records[partitions.own] / keys[partitions.own]


def _by_keys(evidence: Evidence, referrer: Verdict) -> Verdict:
    """A death in the shuffle: no group was counted, the number of keys is all there is."""
    partitions = known(evidence.partitions)
    records = known(partitions.records) if partitions else None
    keys = known(partitions.keys) if partitions else None
    if partitions is None or records is None or keys is None or not keys[partitions.own]:
        return CannotTell("the size of the largest group of that partition", "rerun")
    own = partitions.own
    each, others = records[own] / keys[own], sum(records) / max(sum(keys), 1)
    held = evidence.shuffle.held_bytes if evidence.shuffle and not isinstance(
        evidence.shuffle, Unknown) else None  # fmt: skip
    why = referrer.why if isinstance(referrer, Silent) else ""
    return Fires(
        confidence="likely",
        evidence="passive",
        sentence=f"{why}: {format_count(each)} records a key, where the mean is "
        f"{format_count(others)}",
        bytes=held,
        data=ErrorData("partition", first=own, last=own, records=records[own]),
        numbers={"records_per_key": each, "mean_records_per_key": others},
    )


def _fires(earlier: Verdicts, groups: GroupSizes, group: Group, how: str) -> Fires:
    parent = earlier[_PARENT]
    if not isinstance(parent, Fires):
        parent = earlier["large_accumulated_results.reduce"]
    over = parent if isinstance(parent, Fires) else None
    own: Confidence = "sure" if groups.all_reducers else "likely"
    order: list[Confidence] = ["sure", "likely", "possible"]
    confidence = max(own, over.confidence if over else own, key=order.index)
    ordinal = "" if group.ordinal is None else f" {format_count(group.ordinal)}"
    key = f" (key {group.key})" if group.key else ""
    return Fires(
        confidence=confidence,
        evidence=over.evidence if over else "passive",
        sentence=f"group{ordinal}{key} {how}",
        bytes=over.bytes if over else None,
        where=over.where if over else None,
        data=ErrorData(
            "group",
            first=1,
            last=group.records,
            group=group.ordinal,
            records=group.records,
            bytes=group.bytes,
        ),
        numbers={"records": float(group.records), "bytes": float(group.bytes or 0)},
    )


def _enlarging(evidence: Evidence) -> Evidence:
    return replace(
        evidence,
        holders=tuple(replace(one, doubling=True) for one in known(evidence.holders) or ()),
    )


def _in_group(group: Group, others: GroupSizes, kept_mib: int = 200) -> Evidence:
    evidence = reduce_attempt(groups=replace(others, current=group))
    return with_growth(
        evidence,
        "local list",
        kept_mib * MIB,
        lifecycle="group",
        unit="record_in_group",
        last_x=50000,
    )


def _groups(records: list[int], bytes_: list[int] | None = None) -> GroupSizes:
    sizes = bytes_ if bytes_ is not None else [100 * one for one in records]
    return GroupSizes(None, Distribution.of(records), Distribution.of(sizes), all_reducers=True)


_EVEN = [40_000, 45_000, 50_000, 55_000, 60_000, 62_000, 65_000, 70_000]
_SMALL = [200, 300, 400, 500, 600, 700, 800, 900]

RULE = Rule(
    cause="hotspot_key",
    published_as="7",
    category="data",
    title="Hotspot key",
    thresholds=(FENCE_SAMPLES, MEDIAN_GROUPS),
    ask=_ask,
    after=(_PARENT, _REFERRER, "large_accumulated_results.reduce"),
    examples=(
        Example(
            "FIRES",
            "50,001 records so far, where others have hundreds",
            lambda: _in_group(Group(31, 50001, 5_000_100), _groups(_SMALL)),
        ),
        Example(
            "FIRES",
            "as many records as others, and a thousand times the bytes",
            lambda: _in_group(
                Group(31, 700, 700_000_000, whole=True),
                replace(_groups(_SMALL), other_bytes=Distribution.of([n * 1000 for n in _SMALL])),
            ),
        ),
        Example(
            "FIRES",
            "the key is too coarse: the median group would need 400 MB",
            lambda: _in_group(Group(1, 50001, 5_000_100), _groups([100_000] * 8, [10_000_000] * 8)),
        ),
        Example(
            "FIRES",
            "its list was being enlarged at 50,001 records, and the median group has 60,000",
            lambda: _enlarging(
                _in_group(Group(1, 50_001, 5_000_100), _groups([60_000] * 8, [6_000_000] * 8), 90)
            ),
        ),
        Example(
            "SILENT",
            "one of many alike, and the median fits",
            lambda: _in_group(
                Group(31, 60_000, 6_000_000, whole=True), _groups([n // 2 for n in _EVEN] + _EVEN)
            ),
        ),
        Example("SILENT", "reduce() keeps nothing", reduce_attempt),
        Example(
            "CANNOT_TELL",
            "four groups in the whole job, and the median fits",
            lambda: _in_group(Group(1, 50_001, 5_000_100, whole=True), _groups([20_000] * 3)),
        ),
        Example(
            "CANNOT_TELL",
            "below the fence so far, but not counted to its end",
            lambda: _in_group(
                Group(31, 50_001, 5_000_000), _groups([n // 2 for n in _EVEN] + _EVEN)
            ),
        ),
    ),
    module=__name__,
)
