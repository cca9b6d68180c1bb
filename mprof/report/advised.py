"""What came of the advised run: its sentences for people, and its object."""

from __future__ import annotations

from typing import Any

from mprof.advised import Advised

__all__ = ["advised_json", "advised_sentences"]


def advised_sentences(advised: Advised | None) -> tuple[str, ...]:
    """What came of it, then a sentence for each cause; empty where there was no such run."""
    if advised is None:
        return ()
    return (
        advised.sentence,
        *(f"{one.cause} is {one.verdict}: {one.sentence}" for one in advised.causes),
    )


def advised_json(advised: Advised | None) -> dict[str, Any] | None:
    """The object ``advised`` of a diagnosis; null where there was no such run."""
    if advised is None:
        return None
    return {
        "run": advised.run,
        "kind": advised.kind,
        "outcome": advised.outcome,
        "death": advised.death_kind,
        "same_death": advised.same_death,
        "predicted_peak_bytes": advised.predicted_peak_bytes,
        "measured_peak_bytes": advised.measured_peak_bytes,
        "at_most": advised.at_most,
        "peak_ratio": advised.peak_ratio,
        "settings": [
            {
                "cause": one.setting.cause,
                "property": one.setting.property,
                "value": one.setting.value,
                "used": one.used,
                "in_effect": one.in_effect,
                "why_not": one.setting.why_not or None,
            }
            for one in advised.settings
        ],
        "causes": [
            {"cause": one.cause, "verdict": one.verdict, "sentence": one.sentence}
            for one in advised.causes
        ],
        "sentence": advised.sentence,
    }
