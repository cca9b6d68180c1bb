"""Large input split: less input a map task, and what the mapper keeps would fit.

What it means
    The mapper accumulates (rule 1), and by the fitted curve some smaller split, at least an eighth
    of this one, would end below the heap.

Why it happens
    The split is as large as the block or the file, and what the mapper keeps grows with it.

What it asks
    1. Has rule 1 fired, and can the input be split at all? It cannot where it is no file (rows of a
       table), or one that is read as a whole (gzip).
    2. What would the task need at the end of an eighth of its split: the fitted size of what grows,
       and everything else as it was at death?

What to change
    A smaller `mapreduce.input.fileinputformat.split.maxsize`. The code still accumulates: it is a
    way to finish today.

For example
    A mapper that dies at 45 % of a 512 MB split needs 2.2 heaps for all of it, and half a heap
    for an eighth.

Sources
    "Check input split size" (Table 5 of the paper), the second cause of three cases of its Table 8.

Where it departs from the paper
    The paper checks the split by hand. An eighth is the bound, because more than eight times as
    many map tasks is no longer a change of one setting that anyone would make for memory.
"""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence import Evidence, Progress, Split, Unknown
from mprof.evidence.growing import Growing, find_growth
from mprof.rules.accumulation import where_of_growing
from mprof.rules.examples import map_attempt, with_growth
from mprof.rules.need import end_of_data, fits, need_at
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
    cannot_tell,
)
from mprof.units import MIB, format_bytes

__all__ = ["RULE"]

SMALLEST_SPLIT = Threshold(
    "smallest split",
    1 / 8,
    "share of this split",
    "eight times as many map tasks is the most that one setting should do (design section 5)",
)

_PARENT = "large_accumulated_results.map"


def _ask(evidence: Evidence, earlier: Verdicts) -> Verdict:
    parent = earlier[_PARENT]
    if isinstance(parent, CannotTell):
        return parent
    found = find_growth(evidence, "map")
    if not isinstance(parent, Fires) or not isinstance(found, Growing):
        return Silent("the mapper does not accumulate over its split")
    split = evidence.split
    if isinstance(split, Unknown):
        return cannot_tell(split)
    if split is None:
        return Silent("the input of this task is no part of a file")
    if split.splittable is None:
        return CannotTell("what file the split is of", "run")
    if not split.splittable:
        return Silent("the file cannot be split")
    end = end_of_data(evidence, found)
    if end is None:
        return CannotTell("how much of the split was done", "run")
    need = need_at(evidence, found, end * SMALLEST_SPLIT.value)
    if need is None or fits(need, evidence) is None:
        return CannotTell("the size of the heap", "run")
    if not fits(need, evidence):
        return Silent(f"an eighth of the split would still need {format_bytes(need)}")
    whole = need_at(evidence, found, end) or 0.0
    return Fires(
        confidence=parent.confidence,
        evidence=parent.evidence,
        sentence=(
            f"the split of {format_bytes(split.length_bytes)} is too large for what the mapper "
            f"keeps: all of it would need {format_bytes(whole)}, an eighth of it "
            f"{format_bytes(need)}"
        ),
        bytes=parent.bytes,
        where=where_of_growing(found),
        data=ErrorData("split", first=split.start, bytes=split.length_bytes),
        numbers={"need_of_the_split": whole, "need_of_an_eighth": need},
    )


def _dies_at(done: float) -> Evidence:
    progress = Progress(done, "bytes read of the split")
    return with_growth(map_attempt(progress=progress), "this.counts", 170 * MIB)


def _whole_file() -> Evidence:
    return replace(_dies_at(0.4), split=Split("hdfs:/in/a.gz", 0, 64 * MIB, splittable=False))


RULE = Rule(
    cause="large_input_split",
    published_as="1",
    category="configuration",
    title="Large input split",
    thresholds=(SMALLEST_SPLIT,),
    ask=_ask,
    after=(_PARENT,),
    examples=(
        Example("FIRES", "dead at 40 % of a 64 MB split", lambda: _dies_at(0.4)),
        Example("SILENT", "dead at 5 %: an eighth is more than that", lambda: _dies_at(0.05)),
        Example("SILENT", "a gzip file has one split", _whole_file),
        Example(
            "SILENT", "the rows of a table are no file", lambda: replace(_dies_at(0.4), split=None)
        ),
        Example("SILENT", "the mapper keeps nothing", map_attempt),
        Example(
            "CANNOT_TELL",
            "it accumulates, but nobody counted how far it was",
            lambda: replace(_dies_at(0.4), progress=Unknown("how far map() was", "run")),
        ),
    ),
    module=__name__,
)
