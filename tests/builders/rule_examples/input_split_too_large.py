"""Evidence, and what the rule of input_split_too_large.py says of it."""

from __future__ import annotations

from dataclasses import replace

from builders.evidence import map_attempt, with_growth
from builders.examples import Example

from mprof.evidence import Evidence, Progress, Split, Unknown
from mprof.units import MIB


def _dies_at(done: float) -> Evidence:
    progress = Progress(done, "bytes read of the split")
    return with_growth(map_attempt(progress=progress), "this.counts", 170 * MIB)


def _whole_file() -> Evidence:
    return replace(_dies_at(0.4), split=Split("hdfs:/in/a.gz", 0, 64 * MIB, splittable=False))


EXAMPLES = (
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
)
