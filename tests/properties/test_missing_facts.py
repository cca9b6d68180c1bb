"""What is not known never makes a cause be denied."""

from __future__ import annotations

from builders.chance import Chance, chances
from builders.missing_facts import removals
from builders.property_settings import tried
from builders.random_evidence import any_evidence
from builders.verdicts import verdicts_of
from hypothesis import given

from mprof.evidence import Evidence
from mprof.rules import Fires, Silent, Verdict
from mprof.rules.deference import DEFERENCES

FOLLOWED = {row.rule: {*row.to, *row.referrers} for row in DEFERENCES}


@given(chances())
@tried(250)
def test_a_cause_is_not_denied_for_want_of_one_fact_or_two(chance: Chance) -> None:
    evidence = any_evidence(chance)
    whole = verdicts_of(evidence)
    fired = [cause for cause, one in whole.items() if isinstance(one, Fires)]
    every = removals(evidence)
    for _ in range(8 if fired else 0):
        names = chance.some(sorted(every), 2)
        less = evidence
        for name in names:
            less = every[name](less)
        verdicts = verdicts_of(less)
        denied = {cause: one.why for cause in fired if isinstance(one := verdicts[cause], Silent)
                  and not _may_be_denied(cause, less, whole, verdicts)}  # fmt: skip
        assert not denied, names


def _may_be_denied(
    cause: str, less: Evidence, whole: dict[str, Verdict], verdicts: dict[str, Verdict]
) -> bool:
    """Whether the denial is another rule's answer, or said of something small."""
    del less
    others = {row for row in DEFERENCES if row.rule == cause}
    followed = {other for row in others for other in (*row.to, *row.referrers)}
    silent = verdicts[cause]
    followed |= set(silent.refers_to) if isinstance(silent, Silent) else set()
    return any(
        isinstance(verdicts[other], Fires) and not isinstance(whole[other], Fires)
        for other in followed
    )
