"""A diagnosis -> what to change: exact settings with a predicted peak, or named changes of code.

The model of an attempt's memory is what was measured at its death: the growing objects as a
function of the data (the fitted curve), the buffers as functions of their settings, everything
else as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from mprof.advice.applying import advised_settings, causes_of_a_part, intervention_for
from mprof.advice.first_aid import first_aid
from mprof.advice.of_child import change_the_child, keep_the_heap
from mprof.advice.of_code import (
    do_not_accumulate,
    load_less,
    make_less_of_a_record,
    shrink_the_group,
    split_the_record,
)
from mprof.advice.of_container import CONTAINER_MEMORY, container_too_small
from mprof.advice.of_hive import HIVE
from mprof.advice.of_library import advisor_of_library
from mprof.advice.of_map import smaller_buffer, smaller_pass, smaller_split
from mprof.advice.of_message import as_the_messages_say, as_the_text_allows
from mprof.advice.of_pig import PIG
from mprof.advice.of_reduce import more_reducers, range_partition, smaller_shuffle_buffer
from mprof.advice.outcome import what_came_of_it, with_outcome
from mprof.advice.properties import GROUPING
from mprof.advice.thresholds import ADVICE_THRESHOLDS
from mprof.diagnosis import Advice, Cause, Diagnosed
from mprof.evidence import Evidence
from mprof.patterns import Patterns

__all__ = [
    "ADVICE_THRESHOLDS",
    "CONTAINER_MEMORY",
    "GROUPING",
    "advise",
    "advised_settings",
    "causes_of_a_part",
    "intervention_for",
    "what_came_of_it",
    "with_outcome",
]

_Advisor = Callable[[Evidence, Patterns, Cause], tuple[Advice, ...]]


def _what_groups_leave(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """The change of the code; of a combiner, also a sort buffer that gives it less at once."""
    lines = do_not_accumulate(evidence, patterns, cause)
    if evidence.place != "combine":
        return lines
    return (*lines, *smaller_pass(evidence, patterns, cause))


_ADVISORS: dict[str, _Advisor] = {
    "large_accumulated_results.map": do_not_accumulate,
    "large_input_split": smaller_split,
    "large_accumulated_results.reduce": _what_groups_leave,
    "large_accumulated_results.group": do_not_accumulate,
    "large_intermediate_results": make_less_of_a_record,
    "large_external_data": load_less,
    "improper_partition.few_reducers": more_reducers,
    "improper_partition.unbalanced": range_partition,
    "hotspot_key": shrink_the_group,
    "large_single_record": split_the_record,
    "large_framework_buffer.map": smaller_buffer,
    "large_framework_buffer.shuffle": smaller_shuffle_buffer,
}
"""What computes settings, or says it of the user's own operation, for the causes that have it."""

_OF_SCRIPTS: dict[str, Mapping[str, _Advisor]] = {"Pig": PIG, "Hive": HIVE}
"""Those that say it in the words of a script or query."""


def as_the_page_says(
    evidence: Evidence,  # noqa: ARG001 - every advisor takes the same
    patterns: Patterns,  # noqa: ARG001
    cause: Cause,
) -> tuple[Advice, ...]:
    """What the page of the rule says to change, where no advisor computes settings."""
    text = cause.rule.what_to_change
    return (Advice(cause.cause, "data" if cause.rule.category == "data" else "code", text),)


def _advisor(evidence: Evidence, cause: Cause) -> _Advisor:
    """In the words of the job's script or library, else what computes or says it."""
    script = evidence.script.framework.name if evidence.script is not None else ""
    of_script = _OF_SCRIPTS.get(script, {}).get(cause.cause)
    of_library = advisor_of_library(evidence, cause.cause)
    return of_script or of_library or _ADVISORS.get(cause.cause, as_the_page_says)


def advise(diagnosed: Diagnosed) -> Diagnosed:
    """The same diagnosis with advice for each of its causes, in their order."""
    evidence, diagnosis = diagnosed.evidence, diagnosed.diagnosis
    patterns = diagnosed.patterns
    if evidence.death.program is not None:  # no setting of a task reaches it
        told = tuple(as_the_messages_say(evidence, diagnosis, []))
        return replace(diagnosed, diagnosis=replace(diagnosis, advice=told))
    lines = [
        line
        for one in diagnosis.causes
        for line in _advisor(evidence, one)(evidence, patterns, one)
    ]
    lines += change_the_child(evidence, diagnosis)
    lines += as_the_messages_say(evidence, diagnosis, lines)
    lines += first_aid(evidence, patterns, diagnosis, lines)
    if evidence.death.kind not in ("none", "not-memory", "application-master"):
        # A larger heap that was advised above brought its own container.
        advised = {line.property for line in lines}
        lines += (
            one
            for one in (
                *container_too_small(evidence, diagnosis),
                *keep_the_heap(evidence, diagnosis),
            )
            if one.property not in advised
        )
    advice = tuple(as_the_text_allows(evidence, one) for one in lines)
    return replace(diagnosed, diagnosis=replace(diagnosis, advice=advice))
