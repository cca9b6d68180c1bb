"""What is not known never makes a cause be denied."""

from __future__ import annotations

from builders.chance import Chance, chances
from builders.missing_facts import denied_causes, removals
from builders.property_settings import tried
from builders.random_evidence import any_evidence
from builders.verdicts import verdicts_of
from hypothesis import assume, given

from mprof.evidence import Evidence, Lifecycle, Series
from mprof.patterns.growth import subject_of
from mprof.rules import Fires

OF_GROWTH = {
    "large_accumulated_results.map", "large_accumulated_results.reduce",
    "large_accumulated_results.group", "large_input_split", "hotspot_key",
    "improper_partition.few_reducers", "improper_partition.unbalanced",
}  # fmt: skip


@given(chances())
@tried(250)
def test_a_cause_is_not_denied_for_want_of_one_fact_or_two(chance: Chance) -> None:
    evidence = any_evidence(chance)
    # What ended well stands nowhere, and no cause is sought.
    assume(evidence.death.kind != "none")
    whole = verdicts_of(evidence)
    every = removals(evidence)
    for _ in range(8 if any(isinstance(one, Fires) for one in whole.values()) else 0):
        names = chance.some(sorted(every), 2)
        less = evidence
        for name in names:
            less = every[name](less)
        denied = denied_causes(whole, verdicts_of(less))
        if _limit_is_another(evidence, less):
            continue
        if _nothing_left_is_large(evidence, less):
            denied = {cause: why for cause, why in denied.items() if cause not in OF_GROWTH}
        assert not denied, names


def _limit_is_another(evidence: Evidence, less: Evidence) -> bool:
    """Without the usable heap another number stands in, and all shares are of another heap."""
    return less.memory.capacity_bytes != evidence.memory.capacity_bytes


def _in_dumps(evidence: Evidence) -> list[Series]:
    return [one for one in evidence.series if one.source == "dump"]


def _nothing_left_is_large(evidence: Evidence, less: Evidence) -> bool:
    """Without a curve, what holds less than a tenth of the heap is not pursued (`SMALL_SHARE`).

    The curve may say that it will be huge at the end of the data; the dump at death alone says
    truly that it is not what filled this heap.
    """
    if len(_in_dumps(less)) == len(_in_dumps(evidence)):
        return False
    lifecycle: Lifecycle = "reduce" if less.is_reduce else "map"
    subject = subject_of(less, lifecycle)
    return isinstance(subject.holders, tuple) and subject.is_small(subject.holders)
