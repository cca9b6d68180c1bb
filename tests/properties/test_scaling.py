"""The rules compare sizes with sizes and counts with counts, but for a few floors."""

from __future__ import annotations

from builders.chance import Chance, chances
from builders.property_settings import tried
from builders.random_evidence import any_evidence
from builders.transformed import larger, more_records, without_ambiguous_lengths
from builders.verdicts import verdicts_of
from hypothesis import assume, given

from mprof.evidence import Evidence, known
from mprof.patterns.growth import NOISE, NOISE_SHARE
from mprof.patterns.growth.element_counts import LEAST_COUNT

# Growth and records below 3 MB are noise, or below half a percent of the heap where that is more:
# the floor is a share of the heap, as every other threshold is, from a heap of 600 MB on.
LEAST_HEAP = NOISE.value / NOISE_SHARE.value


def _kinds(evidence: Evidence) -> dict[str, str]:
    return {cause: type(one).__name__ for cause, one in verdicts_of(evidence).items()}


@given(chances())
@tried(300)
def test_all_sizes_multiplied_by_one_factor_change_no_verdict(chance: Chance) -> None:
    evidence = without_ambiguous_lengths(any_evidence(chance))
    capacity = known(evidence.memory.capacity_bytes)
    assume(capacity is not None)
    while (known(evidence.memory.capacity_bytes) or 0) < LEAST_HEAP:
        evidence = larger(evidence, 2)
    assert _kinds(larger(evidence, chance.one([1.5, 2, 8, 64]))) == _kinds(evidence)


@given(chances())
@tried(300)
def test_every_record_taken_for_several_changes_no_verdict(chance: Chance) -> None:
    evidence = without_ambiguous_lengths(any_evidence(chance))
    position = known(evidence.position)
    # Fewer elements than LEAST_COUNT agree with a count by chance, and R_1 has none before it.
    counted = (position.record, position.record_in_group) if position is not None else ()
    assume(all(one is None or one >= LEAST_COUNT.value for one in counted))
    assert _kinds(more_records(evidence, chance.one([2, 8, 64]))) == _kinds(evidence)
