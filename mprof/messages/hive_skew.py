"""One reducer of many, of a query that puts the rows of a key together."""

from __future__ import annotations

from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import Reading, Source, message
from mprof.messages.said import heap_is_unseen, side_is_known
from mprof.messages.thresholds import MANY_REDUCERS, MOST_DONE

__all__ = ["MESSAGES"]

_GROUPS: Final = "hive.groupby.skewindata"
_JOINS: Final = "hive.optimize.skewjoin"
_WAYS: Final = {
    "GROUP BY": (_GROUPS, "spreads the rows of a group over reducers first, in a job of its own"),
    "JOIN": (_JOINS, "joins keys of more than hive.skewjoin.key (100000) rows in a job of its own"),
}


@message(
    "One reducer of a query was left when it ran out of heap",
    Source(
        "Hive 0.7 to 3.1",
        "org.apache.hadoop.hive.ql.exec.mr.HadoopJobExecHelper.progress",
        "Stage-N map = N%,  reduce = N%",
    ),
    causes=("hotspot_key",),
)
def hive_last_reducer(evidence: Evidence) -> Reading | None:
    """A reducer of a query ran out of heap when nearly all of the others had ended.

    What it means
        A JOIN or a GROUP BY brings all rows of a key to one reducer. Where most of many reducers
        have come to their end, and one fails time and again, it may be the one with a key that has
        far more rows than the others: a null, an empty or a default value.

    What it does not prove
        That rows are distributed unevenly: the last reducers are left in every job.

    What to change
        Where a count of the rows of each key shows it: leave such a key out, or
        `hive.groupby.skewindata=true` for a GROUP BY and `hive.optimize.skewjoin=true` for a JOIN
        (on MapReduce), which cost a further job. With more reducers, each has fewer keys, but all
        rows of a key still go to one.

    What would tell more
        `SELECT key, count(*) FROM t GROUP BY key ORDER BY 2 DESC LIMIT 20`.
    """
    needs = evidence.death.needs
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    if evidence.death.program is not None or not side_is_known(evidence) or not evidence.is_reduce:
        return None
    if needs.reducers is None or not needs.clauses:
        return None
    count, done = needs.reducers
    if count < MANY_REDUCERS.value or done < MOST_DONE.value * 100:
        return None
    clauses = " and a ".join(needs.clauses)
    ways = (f"{name}=true {how}" for name, how in map(_WAYS.__getitem__, needs.clauses))
    then = f" Where that is so, {', '.join(ways)}."
    return Reading(
        f"Reducers had come to {done} % when one of the {count} failed, and the query has a "
        f"{clauses}, which brings all rows of a key to one reducer: it may be one with a key of "
        "far more rows than the others, which the text does not show. With more reducers, all "
        f"rows of a key still go to one.{then}",
        "suggests",
        "SELECT key, count(*) FROM t GROUP BY key ORDER BY 2 DESC LIMIT 20, with the key of that "
        "clause, shows the largest.",
    )


MESSAGES = (hive_last_reducer,)
