"""Settings that a death's own message names, with values that fit what is at hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mprof.advice.properties import setting
from mprof.diagnosed import Advice, Diagnosis
from mprof.evidence import Evidence
from mprof.messages.tried_before import in_vain, what_passed

__all__ = ["as_the_messages_say", "as_the_text_allows"]


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


def as_the_text_allows(evidence: Evidence, line: Advice) -> Advice:
    """A line of advice, without a value that was in vain, as a text says, or with what passed."""
    if line.property is None or line.new is None:
        return line
    passed = what_passed(evidence, line.property, line.old)
    if passed is not None:
        if line.new == passed:
            return line
        text = f"With {line.property}={passed}, the text says, it went through."
        return replace(line, new=passed, text=text, predicted_peak_bytes=None)
    died = in_vain(evidence, line.property, line.old, line.new)
    if not died:
        return line
    named = " and ".join(f"{line.property}={one}" for one in died)
    text = f"{named} was in vain, as the text says: another value of it alone is no remedy."
    return replace(line, kind="code", text=text, property=None, old=None, new=None)
