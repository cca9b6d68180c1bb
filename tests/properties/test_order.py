"""The order in which facts were collected says nothing."""

from __future__ import annotations

from builders.chance import Chance, chances
from builders.property_settings import tried
from builders.random_evidence import any_evidence
from builders.transformed import reordered
from builders.verdicts import verdicts_of
from hypothesis import given

from mprof.rules import Fires, Verdict


def _said(verdict: Verdict) -> tuple[object, ...]:
    if not isinstance(verdict, Fires):
        return (type(verdict).__name__,)
    size = verdict.data.bytes if verdict.data is not None else None
    return ("Fires", verdict.confidence, verdict.evidence, verdict.where, verdict.bytes, size)


@given(chances())
@tried(400)
def test_no_order_of_holders_series_points_attempts_or_partitions_changes_a_verdict(
    chance: Chance,
) -> None:
    evidence = any_evidence(chance)
    before = {cause: _said(one) for cause, one in verdicts_of(evidence).items()}
    after = verdicts_of(reordered(evidence, chance))
    assert {cause: _said(one) for cause, one in after.items()} == before
