"""What to change in the words of a Hive query: its clauses, and Hive's settings.

Checked against Hive 2.3.9: the hash table of the map-side aggregation is emptied when Hive's own
estimate of its size passes ``hive.map.aggr.hash.percentmemory`` of the heap
(``GroupByOperator.shouldBeFlushed``); ``hive.groupby.skewindata`` aggregates in two jobs
(``SemanticAnalyzer.genGroupByPlanMapAggr2MR``), and is not advised: what accumulates in the first
is merged for a key in the second;
``hive.optimize.skewjoin`` joins large keys in a job of their own (``SkewJoinHandler``);
``hive.auto.convert.join`` loads small tables into a hash table of each mapper
(``CommonJoinTaskDispatcher``); ``mapreduce.job.reduces`` is taken as it is where it is positive
(``MapRedTask.setNumberOfReducers``); a join keeps ``hive.join.cache.size`` rows of a key in memory
and the others on disk, of every table but the last (``CommonJoinOperator``, ``RowContainer``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from mprof.advice.of_code import do_not_accumulate, load_less, records_that_fit, shrink_the_group
from mprof.advice.of_reduce import more_reducers
from mprof.advice.properties import setting
from mprof.advice.shares import smaller_share
from mprof.code_site import ScriptSite
from mprof.diagnosis import Advice, Cause
from mprof.evidence import Evidence
from mprof.patterns import Patterns

__all__ = ["HIVE"]

_Advisor = Callable[[Evidence, Patterns, Cause], tuple[Advice, ...]]

_AGGREGATION: Final = "hive.map.aggr"
_TABLE_SHARE: Final = "hive.map.aggr.hash.percentmemory"
_TABLE_SHARE_DEFAULT: Final = 0.5  # HiveConf
_ROWS: Final = "hive.join.cache.size"
_ROWS_DEFAULT: Final = 25_000  # HiveConf
_SKEWED_JOINS: Final = "hive.optimize.skewjoin"
_MAP_JOIN: Final = "hive.auto.convert.join"
_GROUPS: Final = "GroupByOperator"
_MAP_JOINS: Final = frozenset({"MapJoinOperator", "HashTableSinkOperator"})
_JOINS: Final = frozenset({"JoinOperator", "CommonMergeJoinOperator"})


def _site(cause: Cause) -> ScriptSite | None:
    where = cause.finding.where
    return where.script if where is not None else None


def _is_of(cause: Cause, operator: str) -> bool:
    site = _site(cause)
    return site is not None and site.operator == operator


def _in_words(evidence: Evidence, cause: Cause) -> str:
    """`` of group by day (line 4 of the query, operator GBY_2)``; empty where it is not known."""
    site = _site(cause)
    if site is None or evidence.script is None:
        return ""
    return f" of {evidence.script.shown(site)}"


def _smaller_table(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """A hash table that is emptied earlier, or none: reducers then aggregate sorted records."""
    if not _is_of(cause, _GROUPS):
        return do_not_accumulate(evidence, patterns, cause)
    of = _in_words(evidence, cause)
    share = smaller_share(
        evidence,
        patterns,
        "map",
        name=_TABLE_SHARE,
        default=_TABLE_SHARE_DEFAULT,
    )
    if share is None:
        text = f"Hive then aggregates in the reducers alone, and keeps no hash table{of}."
        return (setting(evidence, cause.cause, _AGGREGATION, "false", text),)
    text = (
        f"Hive then empties the hash table{of} earlier. It estimates the size of the table; if the "
        "estimate is far too low for these values, do without the table: with "
        f"{_AGGREGATION}=false Hive aggregates in the reducers alone."
    )
    old = evidence.conf.get(_TABLE_SHARE, str(_TABLE_SHARE_DEFAULT))
    return (setting(evidence, cause.cause, _TABLE_SHARE, share, text, old=old),)


def _fewer_rows(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """Fewer rows of a key in memory, where a join keeps more than fit."""
    site = _site(cause)
    fit = records_that_fit(patterns.memory, patterns.growth("group"))
    old = evidence.conf.get(_ROWS, str(_ROWS_DEFAULT))
    rows = min(fit or 0, _ROWS_DEFAULT)
    if (
        site is None
        or site.operator not in _JOINS
        or not old.isdecimal()
        or not 0 < rows < int(old)
    ):
        return do_not_accumulate(evidence, patterns, cause)
    of = f" for {evidence.script.shown(site)}" if evidence.script is not None else ""
    text = (
        f"Hive then keeps so many rows of a key in memory{of}, and the others on disk. Name the "
        "table with most rows of a key last: its rows are not kept at all."
    )
    return (setting(evidence, cause.cause, _ROWS, str(rows), text, old=old),)


def _spread_the_key(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """The large keys of a join in a job of their own."""
    site = _site(cause)
    if site is None or site.operator not in _JOINS:
        return shrink_the_group(evidence, patterns, cause)
    text = (
        f"The keys{_in_words(evidence, cause)} with very many rows are then joined by mappers, in "
        "a job of their own."
    )
    return (setting(evidence, cause.cause, _SKEWED_JOINS, "true", text),)


def _no_map_join(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """A join in the reducers, which holds no table."""
    site = _site(cause)
    if site is None or site.operator not in _MAP_JOINS:
        return load_less(evidence, patterns, cause)
    text = (
        f"Hive then joins{_in_words(evidence, cause)} in the reducers, and no mapper loads a table "
        "into a hash table."
    )
    return (setting(evidence, cause.cause, _MAP_JOIN, "false", text),)


def _more_reducers(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """A number of reducers, which then is no estimate of Hive's."""
    lines = more_reducers(replace(evidence, script=None, set_in_code=frozenset()), patterns, cause)
    return tuple(
        setting(
            evidence, cause.cause, one.property, one.new, one.text,
            peak_bytes=one.predicted_peak_bytes, old=one.old,
        )
        if one.property is not None and one.new is not None
        else one
        for one in lines
    )  # fmt: skip


HIVE: Final[dict[str, _Advisor]] = {
    "large_accumulated_results.map": _smaller_table,
    "large_accumulated_results.group": _fewer_rows,
    "large_external_data": _no_map_join,
    "improper_partition.few_reducers": _more_reducers,
    "hotspot_key": _spread_the_key,
}
"""What says it of a Hive query, by cause."""
