"""What to change in the words of a Pig script: its statements, and Pig's settings.

Checked against Pig 0.18.0: ``PigConfiguration.PIG_EXEC_NO_COMBINER``,
``PigConfiguration.PIG_CACHEDBAG_MEMUSAGE`` (``InternalCachedBag``: that share of the heap, divided
by the bags of a group, before a bag spills to disk), the number of reducers
(``JobControlCompiler.calculateRuntimeReducers``: ``PARALLEL`` of a statement, else
``default_parallel``, else an estimate; the property is overwritten), splits
(``PigInputFormat.getSplits`` combines them up to ``pig.maxCombinedSplitSize``), skewed joins
(``LogicalPlanBuilder``: of JOIN, not of COGROUP).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from mprof.advice.of_code import do_not_accumulate, shrink_the_group
from mprof.advice.of_map import SPLIT_MAX, smaller_split
from mprof.advice.of_reduce import more_reducers
from mprof.advice.properties import setting
from mprof.advice.shares import smaller_share
from mprof.diagnosis import Advice, Cause
from mprof.evidence import Evidence
from mprof.patterns import Patterns

__all__ = ["PIG"]

_Advisor = Callable[[Evidence, Patterns, Cause], tuple[Advice, ...]]

_NO_COMBINER: Final = "pig.exec.nocombiner"
_BAGS: Final = "pig.cachedbag.memusage"
_BAGS_DEFAULT: Final = 0.2  # PigConfiguration
_PARALLEL: Final = "pig.info.reducers.requested.parallel"
_FEATURES: Final = "pig.job.feature"
_JOIN: Final = "HASH_JOIN"
_COMBINED: Final = "pig.maxCombinedSplitSize"
_OWN_CLASSES: Final = "org.apache.pig."


def _statement(evidence: Evidence, cause: Cause) -> str:
    """`` (alias grouped, line 4)``; empty where no statement is known."""
    where = cause.finding.where
    site = where.script if where is not None else None
    if site is None or evidence.script is None:
        return ""
    number = evidence.script.line_of(site)
    line = f", line {number}" if number is not None else ""
    return f" (alias {site.alias}{line})"


def _lighter_group(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """Two light steps instead of a heavy one, and the settings by which a bag stays on disk.

    Of what a function of the user's keeps, Pig's settings say nothing.
    """
    where = cause.finding.where
    if where is None or not where.class_name.startswith(_OWN_CLASSES):
        return do_not_accumulate(evidence, patterns, cause)
    text = (
        f"Compute it in two steps{_statement(evidence, cause)}: first GROUP BY (the key, the field "
        "that a nested DISTINCT or ORDER works on), so that each group is small; then GROUP the "
        "result BY the key. Each step may only use what it can add up from the step before, such "
        "as COUNT and SUM."
    )
    lines = [Advice(cause.cause, "code", text)]
    if evidence.place == "combine":
        if evidence.conf.get(_NO_COMBINER) != "true":
            why = (
                "Without the combiner the records of a group come to reduce() as they are, in a "
                "bag that spills to disk; more data is shuffled."
            )
            lines.append(setting(evidence, cause.cause, _NO_COMBINER, "true", why))
        return tuple(lines)
    smaller = smaller_share(evidence, patterns, "group", name=_BAGS, default=_BAGS_DEFAULT)
    if smaller is not None:
        why = "Bags then spill to disk before the heap is full."
        old = evidence.conf.get(_BAGS, str(_BAGS_DEFAULT))
        lines.append(setting(evidence, cause.cause, _BAGS, smaller, why, old=old))
    return tuple(lines)


def _split_key(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """A further field in the key, or a skewed join."""
    by_salt = shrink_the_group(evidence, patterns, cause)
    features = {one.strip() for one in evidence.conf.get(_FEATURES, "").split(",")}
    text = (
        f"Spread the key over several groups{_statement(evidence, cause)}: GROUP BY (the key, a "
        "further field; of a nested DISTINCT the one that it makes distinct), then GROUP the "
        "result BY the key."
    )
    if _JOIN in features:
        text = (
            f"Spread the key over several reducers{_statement(evidence, cause)}: JOIN ... USING "
            "'skewed' samples the keys of its first input and splits the large ones."
        )
    peak = by_salt[0].predicted_peak_bytes
    return (Advice(cause.cause, "data", text, predicted_peak_bytes=peak),)


def _parallel_of(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """PARALLEL of the statement, else the default of the script: the property is overwritten."""
    requested = evidence.conf.get(_PARALLEL, "")
    # As of a job without a script: what is said of the property does not hold.
    lines = more_reducers(replace(evidence, script=None, set_in_code=frozenset()), patterns, cause)
    return tuple(
        one  # no number of reducers helps
        if one.new is None
        else replace(
            one, kind="code", property=None, new=None, old=None,
            text=f"{_parallel(evidence, requested, one.new)}: {one.text}",
        )
        for one in lines
    )  # fmt: skip


def _parallel(evidence: Evidence, requested: str, wanted: str) -> str:
    if not requested.isdigit():
        return f"SET default_parallel {wanted}"
    at = _line_with(evidence, rf"\bPARALLEL\s+{requested}\b")
    return f"PARALLEL {wanted} instead of PARALLEL {requested}{at}"


def _line_with(evidence: Evidence, pattern: str) -> str:
    """`` (line 5)`` where one line of the script alone has it; else empty."""
    lines = evidence.script.lines if evidence.script is not None else ()
    found = [n for n, text in enumerate(lines, 1) if re.search(pattern, text, re.IGNORECASE)]
    return f" (line {found[0]})" if len(found) == 1 else ""


def _smaller_split(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """The split, and what Pig combines splits to."""
    lines = smaller_split(evidence, patterns, cause)
    why = "Pig combines small splits up to this size."
    return (
        *lines,
        *(
            setting(evidence, cause.cause, _COMBINED, one.new, why)
            for one in lines
            if one.property == SPLIT_MAX and one.new is not None
        ),
    )


PIG: Final[dict[str, _Advisor]] = {
    "large_accumulated_results.group": _lighter_group,
    "hotspot_key": _split_key,
    "improper_partition.few_reducers": _parallel_of,
    "large_input_split": _smaller_split,
}
"""What says it of a Pig script, by cause."""
