"""Settings that a death's own message names, with values that fit what is at hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mprof.advice.properties import setting
from mprof.diagnosed import Advice, Diagnosis, Said
from mprof.evidence import Evidence
from mprof.messages.tried_before import in_vain, what_passed

__all__ = ["as_the_messages_say", "as_the_text_allows"]


def as_the_messages_say(
    evidence: Evidence, diagnosis: Diagnosis, advised: Iterable[Advice]
) -> tuple[Advice, ...]:
    """The cures and settings of what was said.

    No setting where a cause was measured, which knows better.
    """
    cures = tuple(
        Advice(said.message.id, "code", _cure_in_words(said))
        for said in diagnosis.said
        if said.reading.cure
    )
    if diagnosis.causes:
        return cures
    taken = {one.property for one in advised}
    lines: dict[str, Advice] = {}
    for said in diagnosis.said:
        for one in said.reading.settings:
            if one.property not in taken:
                line = setting(
                    evidence, said.message.id, one.property, one.new, one.text, old=one.old
                )
                lines.setdefault(one.property, replace(line, first_aid=one.first_aid))
    return (*cures, *lines.values())


def _cure_in_words(said: Said) -> str:
    what, cure = said.message.title, said.reading.cure
    return f"If {what[0].lower()}{what[1:]} took the memory: {cure[0].lower()}{cure[1:]}"


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
