"""Settings that a death's own message names, with values that fit what is at hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mprof.advice.properties import setting
from mprof.diagnosed import Advice, Diagnosis
from mprof.evidence import Evidence

__all__ = ["as_the_messages_say"]


def as_the_messages_say(
    evidence: Evidence, diagnosis: Diagnosis, advised: Iterable[Advice]
) -> tuple[Advice, ...]:
    """The settings of what was said; none where a cause was measured, which knows better."""
    if diagnosis.causes:
        return ()
    taken = {one.property for one in advised}
    lines: dict[str, Advice] = {}
    for said in diagnosis.said:
        for one in said.reading.settings:
            if one.property not in taken:
                line = setting(
                    evidence, said.message.id, one.property, one.new, one.text, old=one.old
                )
                lines.setdefault(one.property, replace(line, first_aid=one.first_aid))
    return tuple(lines.values())
