"""Whatever the evidence, the rules answer, in whole sentences and consistent numbers."""

from __future__ import annotations

import math
import re
from typing import get_args

from builders.chance import Chance, chances
from builders.property_settings import tried
from builders.random_evidence import any_evidence
from hypothesis import given

from mprof.advice import advise
from mprof.diagnosis import Diagnosed, diagnose
from mprof.evidence import HEAP_KINDS, Evidence, Unknown, known
from mprof.patterns import Confidence
from mprof.rules import RULES, Fires, Silent

OF_THE_SHUFFLE = {
    "large_framework_buffer.shuffle", "improper_partition.few_reducers",
    "improper_partition.unbalanced", "hotspot_key",
}  # fmt: skip
NO_WORD = re.compile(r"\bNone\b|\b(nan|inf)\b|(?<![\w.])-0(\.0+)?(?![\d.])|Unknown\(|Absent\(")


def _sentences(diagnosed: Diagnosed) -> list[str]:
    found = []
    for one in diagnosed.diagnosis.verdicts.values():
        text = one.sentence if isinstance(one, Fires) else ""
        text = text or (one.why if isinstance(one, Silent) else "")
        found.append(text or one.missing)  # type: ignore[union-attr]
    return found


@given(chances())
@tried(300)
def test_any_evidence_gives_one_verdict_a_rule_in_whole_sentences(chance: Chance) -> None:
    evidence = any_evidence(chance)
    diagnosed = advise(diagnose(evidence))
    diagnosis = diagnosed.diagnosis
    assert [rule.cause for rule in RULES] == list(diagnosis.verdicts)
    assert [text for text in _sentences(diagnosed) if not text or NO_WORD.search(text)] == []
    fired = {cause for cause, one in diagnosis.verdicts.items() if isinstance(one, Fires)}
    named = [one.finding for one in diagnosis.causes]
    assert all(math.isfinite(one.bytes or 0) for one in named)
    assert {one.rule.cause for one in diagnosis.causes} == (fired if named else set())
    assert bool(named) <= bool(fired)
    assert named or not fired or evidence.death.kind not in HEAP_KINDS
    sizes = [one.bytes or 0 for one in named]
    assert sizes == sorted(sizes, reverse=True)


@given(chances())
@tried(300)
def test_the_same_evidence_gives_the_same_diagnosis(chance: Chance) -> None:
    evidence = any_evidence(chance)
    assert diagnose(evidence).diagnosis == diagnose(evidence).diagnosis


@given(chances())
@tried(400)
def test_a_cause_explains_no_more_than_was_live_and_stands_on_evidence_that_is_there(
    chance: Chance,
) -> None:
    evidence = any_evidence(chance)
    for cause, found in diagnose(evidence).diagnosis.verdicts.items():
        if not isinstance(found, Fires):
            continue
        assert found.confidence in get_args(Confidence), cause
        assert _is_there(evidence, found.evidence), (cause, found.evidence)
        if found.data is not None and found.data.first is not None and found.data.last is not None:
            assert found.data.first <= found.data.last, cause
        most = _most(evidence, cause)
        assert found.bytes is None or 0 <= found.bytes <= most, (cause, found.bytes, most)


def _is_there(evidence: Evidence, level: str) -> bool:
    """Whether anything was observed in that way; logs and counters always are."""
    if level == "verified":
        verification = known(evidence.verification)
        return verification is not None and verification.met
    facts = [*evidence.series, known(evidence.record_growth), known(evidence.external)]
    sources = {one.source for one in facts if one is not None}
    dump = not isinstance(evidence.composition, Unknown)
    dump = dump or not isinstance(evidence.holders, Unknown)
    return level == "passive" or level in sources or (level == "dump" and dump)


def _most(evidence: Evidence, cause: str) -> float:
    """Bytes that a cause may explain at most: what was live, and what did not fit beside it."""
    buffer = known(evidence.map_buffer)
    if cause == "large_framework_buffer.map" and buffer is not None and not buffer.allocated:
        return buffer.requested_bytes
    live, capacity = known(evidence.memory.live_bytes_at_death), evidence.memory.capacity_bytes
    if live is None:
        return known(capacity) or math.inf
    shuffle = known(evidence.shuffle)
    if cause in OF_THE_SHUFFLE and shuffle is not None and shuffle.held_bytes is None:
        # Without a dump it is what the shuffle had reserved, never allocated perhaps.
        return max(live, shuffle.used_bytes + shuffle.leftover_bytes)
    if cause == "large_intermediate_results":
        # An object that did not fit counts where it is the smaller part of the growth.
        return max(live, known(capacity) or live)
    return live
