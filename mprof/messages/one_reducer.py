"""One reducer of many that runs out of heap, as counters or somebody's words tell."""

from __future__ import annotations

from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import Reading, Source, message
from mprof.messages.said import heap_is_unseen, setting_of, side_is_known

__all__ = ["MESSAGES"]

_CURE: Final = (
    "Leave such a key out, treat it apart or divide it (salting), or let its values arrive in the "
    "order that is needed (secondary sort), so that none are kept."
)
_UNEQUAL: Final = 10
"""Times as much for one reducer as for another: hash partitions of many keys differ by far less."""
_OF_TWO: Final = ("Reduce shuffle bytes of two tasks", "Reduce input records of two tasks")


@message(
    "One reducer gets far more than another",
    Source("1.2 to 3.5", "org.apache.hadoop.mapreduce.TaskCounter", "Reduce shuffle bytes"),
    Source("1.2 to 3.5", "org.apache.hadoop.mapreduce.TaskCounter", "Reduce input records"),
    causes=("hotspot_key", "improper_partition.unbalanced"),
)
def one_reducer_gets_most(evidence: Evidence) -> Reading | None:
    """A reducer ran out of heap, and counters of two reducers differ by ten times or more.

    What it means
        All values of a key go to one reducer. Where one of them gets ten times as much as another,
        one key, or a few, have most of the data (an empty or unknown value, a default, a robot), or
        the partitioner puts most keys together. A reducer that keeps the values of a key then needs
        a heap that grows with that key.

    What it does not prove
        Which key it is, and that its values are what fills the heap.

    What to change
        That key: left out, or treated apart, or divided by a part that is added to it (salting).
        Values that arrive in the order in which they are needed (secondary sort: a composite key, a
        partitioner and a grouping comparator for its first part) need not be kept. More reducers
        divide no key, and a larger heap lasts until the key is larger.

    What would tell more
        `mprof run` names the key, and how much of the heap its values have.
    """
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    if not (side_is_known(evidence) and evidence.is_reduce):
        return None
    for name in _OF_TWO:
        most, _, least = (setting_of(evidence, name) or "").partition(" and ")
        if not most or int(most) < _UNEQUAL * max(1, int(least)):
            continue
        times = int(most) // max(1, int(least))
        return Reading(
            f"The text has {int(most):,} {name.removesuffix(' of two tasks')} of one task and "
            f"{int(least):,} of another, {times:,} times as much for one reducer: one key, or a "
            "few, have most of the data, or the partitioner puts most keys together. More reducers "
            f"divide no key, and a heap that holds the values of a key grows with it. {_CURE}",
            "suggests",
            "mprof run names the key and what its values hold; a counter or a log line in reduce() "
            "names it as well.",
        )
    return None


@message(
    "One reducer is left, and the others are done",
    Source("1.2 to 3.5", "org.apache.hadoop.mapreduce.Partitioner.getPartition"),
    causes=("hotspot_key", "improper_partition.unbalanced"),
)
def one_reducer_is_left(evidence: Evidence) -> Reading | None:
    """Somebody tells that all reducers but one are done, and that one runs out of heap.

    What it means
        All values of a key go to one reducer, and keys are many. Where all other reducers have come
        to their end and one fails time and again, it has most of the data as a rule: one key with
        far more values than the others (empty, unknown, a default), or a partitioner that puts most
        keys together. What it keeps of the values of a key grows with that key.

    What it does not prove
        That the data are distributed unevenly: it may be the one record that is too large.

    What to change
        That key: left out, or treated apart, or divided by a part that is added to it (salting).
        Values that arrive in the order in which they are needed (secondary sort: a composite key, a
        partitioner and a grouping comparator for its first part) need not be kept. With more
        reducers, all values of a key still go to one.

    What would tell more
        The counter `Reduce input records` of that attempt beside that of another reducer, and a
        count of the values of each key.
    """
    words = evidence.death.needs.one_left
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence) or not words:
        return None
    if evidence.death.program is not None or not (side_is_known(evidence) and evidence.is_reduce):
        return None
    if any(setting_of(evidence, name) for name in _OF_TWO):
        return None  # whose counters tell more
    return Reading(
        f'As the text tells ("{words}"), one reducer is left: as a rule one key has far more '
        "values than the others (an empty or unknown value, a default), and what reduce() keeps of "
        "them grows with it. With more reducers, all values of a key still go to one, and a larger "
        f"heap lasts until that key is larger. {_CURE}",
        "suggests",
        "compare the counter Reduce input records of that attempt with that of another reducer, "
        "and count the values of each key.",
    )


MESSAGES = (one_reducer_gets_most, one_reducer_is_left)
