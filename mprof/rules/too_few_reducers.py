"""Improper data partition, too few reducers: the partitions are even, and each is too large.

What it means
    The data is spread evenly, but over so few reducers that a partition of mean size does not fit.

Why it happens
    `mapreduce.job.reduces` was set once, and the data grew; or it was never set and is 1.

What it asks
    1. Does the reducer accumulate over groups (rule 2), or did it die holding shuffled data while
       no user code ran?
    2. Are the partitions even (else rule 6-2)?
    3. Would the mean partition fit? With rule 2: its fitted need against the heap; none fits where
       cleanup() died of a partition of mean size. With shuffled data: its bytes against the heap
       of a reducer.
    4. With rule 2: would some larger number of reducers, up to a hundred times as many, fit?
       (Shuffled data shrinks with their number, whatever it is.)

What to change
    More reducers.

For example
    Five partitions of 1.3 GB each, Gini 0.02, and reducers of 1 GB.

Sources
    Rule 6-1 of the paper (Table 7); two of the second causes that it misses (section 6.2).

Where it departs from the paper
    The Gini index measures inequality only: equal and huge gives 0 (section 6.2 of the paper names
    this as its gap). Here the absolute size of the mean partition decides. Deaths in the shuffle
    count too, as in the authors' design draft.
"""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence import Evidence, Partitions, Progress, Shuffle, Unknown, known
from mprof.rules.deaths import HEAP_KINDS
from mprof.rules.examples import map_attempt, reduce_attempt, with_growth
from mprof.rules.need import capacity_of, place_of
from mprof.rules.partitions import (
    BACK_TO_MEAN,
    PARTITIONS_OF_A_FENCE,
    Balance,
    InQuestion,
    in_question,
    need_of_mean,
)
from mprof.rules.rule import (
    CannotTell,
    ErrorData,
    Example,
    Fires,
    Rule,
    Silent,
    Threshold,
    Verdict,
    Verdicts,
)
from mprof.rules.thresholds import GINI, HUGE
from mprof.units import MIB, format_bytes, format_count

__all__ = ["RULE"]

MOST_REDUCERS = Threshold(
    "more reducers",
    100.0,
    "times as many",
    "beyond a hundred times as many, the number of reducers is not what is wrong",
)

OF_MEAN_SIZE = Threshold(
    "of mean size",
    1.05,
    "times the mean",
    "partitions of a hash of many keys differ by a few percent",
)

_PARENT = "large_accumulated_results.reduce"


def _ask(evidence: Evidence, earlier: Verdicts) -> Verdict:
    parent = earlier[_PARENT]
    asked = in_question(evidence, parent)
    if not isinstance(asked, InQuestion):
        return asked
    balance = asked.balance
    if balance.uneven:
        return Silent(f"the partitions are uneven ({balance.how})")
    if isinstance(parent, Fires):
        return _after_accumulation(evidence, earlier, parent, balance)
    return _in_the_shuffle(evidence, balance, asked.held_bytes or 0)


def _after_accumulation(
    evidence: Evidence, earlier: Verdicts, parent: Fires, balance: Balance
) -> Verdict:
    capacity = capacity_of(evidence)
    need = need_of_mean(evidence, earlier, balance)
    if need is None or capacity is None:
        return CannotTell("how much of its partition the reducer had done", "run")
    if need <= capacity and not _died_of_the_mean(evidence, balance):
        return Silent(f"the mean partition would need {format_bytes(need)}, which fits")
    least = need_of_mean(evidence, earlier, balance, more_reducers=MOST_REDUCERS.value)
    if least is None or least > capacity:
        return Silent("no number of reducers would make it fit")
    return _fires(
        evidence, balance, parent.bytes, need,
        f"the mean partition would need {format_bytes(need)} of {format_bytes(capacity)}",
        parent,
    )  # fmt: skip


def _died_of_the_mean(evidence: Evidence, balance: Balance) -> bool:
    """Whether cleanup() died, after all of a partition that is itself of mean size.

    No model is better: what cleanup() makes of all that was kept is in no curve over the groups.
    """
    died = evidence.death.kind in HEAP_KINDS and place_of(evidence) == "cleanup"
    return died and balance.own <= OF_MEAN_SIZE.value * balance.mean


def _in_the_shuffle(evidence: Evidence, balance: Balance, held: int) -> Verdict:
    heap = known(evidence.memory.heap_max_bytes) or capacity_of(evidence)
    if heap is None:
        return CannotTell("the size of the heap", "run")
    if balance.mean_bytes is None:
        return CannotTell("bytes of the partitions", "run")
    mean = balance.mean_bytes
    if mean <= heap:
        return Silent(
            f"the mean partition of {format_bytes(mean)} is smaller than the heap of a reducer"
        )
    how = f"the mean partition of {format_bytes(mean)} is larger than the heap of a reducer"
    return _fires(evidence, balance, held, mean, how, None)


def _fires(
    evidence: Evidence,
    balance: Balance,
    bytes_: int | None,
    need: float,
    how: str,
    parent: Fires | None,
) -> Fires:
    partitions = known(evidence.partitions)
    complete = partitions is not None and partitions.complete
    records = known(partitions.records) if partitions else None
    own = partitions.own if partitions else 0
    count = len(records) if records else known(evidence.reducers)
    reducers = (
        "the reducers" if count is None else f"{format_count(count)} reducer" + "s" * (count != 1)
    )
    return Fires(
        confidence=parent.confidence if parent else ("sure" if complete else "likely"),
        evidence=parent.evidence if parent else "passive",
        sentence=f"the data is spread evenly ({balance.how}) over too few: {reducers}; {how}",
        bytes=bytes_,
        where=parent.where if parent else None,
        data=ErrorData(
            "partition",
            first=own,
            last=own,
            records=records[own] if records else None,
            bytes=round(balance.own_bytes) if balance.own_bytes is not None else None,
        ),
        numbers={"gini": balance.gini, "need_of_mean": need, "mean_bytes": balance.mean_bytes or 0},
    )


def _shuffling(sizes_mib: tuple[int, ...], *, limit_mib: int = 170) -> Evidence:
    sizes = tuple(size * MIB for size in sizes_mib)
    return reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(limit_mib * MIB, 170 * MIB, held_bytes=200 * MIB),
        partitions=Partitions(0, records=tuple(s // 100 for s in sizes), bytes=sizes),
        reducers=len(sizes),
    )


def _accumulating(records: tuple[int, ...], done: float, kept_mib: int = 190) -> Evidence:
    evidence = reduce_attempt(
        progress=Progress(done, "records of the merged input"),
        partitions=Partitions(0, records=records, bytes=tuple(100 * r for r in records)),
        reducers=len(records),
    )
    return with_growth(
        evidence, "this.index", kept_mib * MIB, lifecycle="reduce", unit="group", last_x=30
    )


RULE = Rule(
    cause="improper_partition.few_reducers",
    published_as="6-1",
    category="configuration",
    title="Improper data partition: too few reducers",
    thresholds=(GINI, PARTITIONS_OF_A_FENCE, BACK_TO_MEAN, HUGE, MOST_REDUCERS, OF_MEAN_SIZE),
    ask=_ask,
    after=(_PARENT,),
    examples=(
        Example("FIRES", "even partitions of 400 MB", lambda: _shuffling((400, 410, 395))),
        Example(
            "FIRES",
            "it keeps 190 MB at half of an even partition",
            lambda: _accumulating((1000, 1010, 990), 0.5),
        ),
        Example(
            "FIRES",
            "cleanup() died of an even partition, 150 MB of which were kept",
            lambda: replace(_accumulating((1000, 1010, 990), 1.0, 150), place="cleanup"),
        ),
        Example("SILENT", "even partitions of 200 MB", lambda: _shuffling((200, 205, 195))),
        Example("SILENT", "uneven", lambda: _accumulating((9000, 100, 100, 100, 100, 100), 0.5)),
        Example("SILENT", "a map attempt", map_attempt),
        Example(
            "CANNOT_TELL",
            "nobody counted the partitions",
            lambda: replace(
                _shuffling((400, 400)), partitions=Unknown("sizes of all partitions", "run")
            ),
        ),
    ),
    module=__name__,
)
