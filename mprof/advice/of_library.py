"""What to change where a library's own class is the mapper or reducer: the library's options.

Its users cannot rewrite it. Checked against HBase 2.4.17: ``PutSortReducer`` and
``TextSortReducer`` write what they have sorted of a row when ``Cell.heapSize()`` of its cells has
passed a threshold, and go on in a new store file. And against Mahout 0.6: ``TrainClassifier``
leaves rare words out of the model with ``--minDf`` and ``--minSupport`` (``BayesFeatureReducer``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from mprof.advice.of_code import do_not_accumulate, load_less
from mprof.advice.properties import setting
from mprof.advice.thresholds import HEADROOM, OF_THE_ROOM
from mprof.diagnosis import Advice, Cause
from mprof.evidence import Evidence
from mprof.patterns import Patterns
from mprof.units import MIB, format_bytes

__all__ = ["advisor_of_library"]

_Advisor = Callable[[Evidence, Patterns, Cause], tuple[Advice, ...]]

_STEPS: Final = {
    "map": ("mapreduce.job.map.class", "mapred.mapper.class"),
    "reduce": ("mapreduce.job.reduce.class", "mapred.reducer.class"),
}
"""Properties that name the class, of the new API and of the old."""

_ROW_THRESHOLDS: Final = {
    "org.apache.hadoop.hbase.mapreduce.PutSortReducer": "putsortreducer.row.threshold",
    "org.apache.hadoop.hbase.mapreduce.TextSortReducer": "reducer.row.threshold",
}
_ROW_THRESHOLD_DEFAULT: Final = 1 << 30


def _step(evidence: Evidence) -> str | None:
    names = _STEPS["reduce" if evidence.is_reduce else "map"]
    return next((told for name in names if (told := evidence.conf.get(name))), None)


def _row_in_parts(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """A row that is written before it fills the heap."""
    memory, growing = patterns.memory, patterns.growth("group")
    name = _ROW_THRESHOLDS[_step(evidence) or ""]
    if memory is None or growing is None:
        return do_not_accumulate(evidence, patterns, cause)
    room = HEADROOM.value * memory.capacity_bytes - memory.rest_beside(growing)
    new = int(OF_THE_ROOM.value * room // MIB) * MIB
    old = evidence.conf.get(name, str(_ROW_THRESHOLD_DEFAULT))
    if new < MIB or (old.isdigit() and new >= int(old)):
        return do_not_accumulate(evidence, patterns, cause)
    text = (
        f"HBase then writes a row whenever {format_bytes(new)} of its cells have been sorted, and "
        "goes on with the row in another store file. It counts cells alone, so half of the room "
        "is left to the tree that sorts them. A store file more for each part of such a row: the "
        "loader takes 32 a region and family (hbase.mapreduce.bulkload.max.hfiles.perRegion."
        "perFamily)."
    )
    return (setting(evidence, cause.cause, name, str(new), text, old=old),)


def _row_is_a_row(
    evidence: Evidence,  # noqa: ARG001 - every advisor takes the same
    patterns: Patterns,  # noqa: ARG001
    cause: Cause,
) -> tuple[Advice, ...]:
    """The key is a row of a table, and cannot be another one."""
    text = (
        "The key is a row of the table, so it cannot be split without another table design. Load "
        "fewer versions of its cells, or move part of the row's name into its columns or the other "
        "way round; until then the row is written in parts."
    )
    return (Advice(cause.cause, "data", text),)


def _smaller_model(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """A model without rare words; the heap for it where it was loaded whole."""
    text = (
        "Train the model without rare words: mahout trainclassifier ... --minDf 2 --minSupport 2 "
        "(both are 1 where they are not given: every word stays in); words that occur once are "
        "usually about half of all."
    )
    settings = (one for one in load_less(evidence, patterns, cause) if one.kind == "setting")
    return (Advice(cause.cause, "code", text), *settings)


_OF_ROWS: Final[Mapping[str, _Advisor]] = {
    "large_accumulated_results.group": _row_in_parts,
    "hotspot_key": _row_is_a_row,
}
_ADVISORS: Final[dict[str, Mapping[str, _Advisor]]] = {
    **dict.fromkeys(_ROW_THRESHOLDS, _OF_ROWS),
    "org.apache.mahout.classifier.bayes.mapreduce.bayes.BayesClassifierMapper": {
        "large_external_data": _smaller_model,
    },
}


def advisor_of_library(evidence: Evidence, cause: str) -> _Advisor | None:
    """What says it in a library's options; None where the step is not such a library's class."""
    return _ADVISORS.get(_step(evidence) or "", {}).get(cause)
