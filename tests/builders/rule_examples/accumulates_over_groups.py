"""Evidence, and what the rule of accumulates_over_groups.py says of it."""

from __future__ import annotations

from builders.evidence import growing_series, holder, map_attempt, reduce_attempt, with_growth
from builders.examples import Example

from mprof.evidence import Evidence, Progress
from mprof.units import MIB


def _grows(size_bytes: int, done: float = 0.5) -> Evidence:
    evidence = reduce_attempt(progress=Progress(done, "records of the merged input"))
    return with_growth(
        evidence, "this.index", size_bytes, lifecycle="reduce", unit="group", last_x=30
    )


def _flat_over_groups() -> Evidence:
    return reduce_attempt(
        holders=(holder("this.index", 180 * MIB, lifecycle="reduce", method="reduce"),),
        series=(
            growing_series(
                "this.index", [0, 0, 0, 0, 0, 0, 0, 0], lifecycle="reduce", unit="group", last_x=30
            ),
        ),
    )


EXAMPLES = (
    Example("FIRES", "a field of 180 MB after 30 groups", lambda: _grows(180 * MIB)),
    Example("SILENT", "the field was empty before each group", _flat_over_groups),
    Example("SILENT", "it will end at 33 MB", lambda: _grows(30 * MIB, 0.9)),
    Example("SILENT", "a map attempt", map_attempt),
    Example(
        "CANNOT_TELL",
        "a large field in a single dump",
        lambda: reduce_attempt(
            holders=(holder("this.index", 180 * MIB, lifecycle="reduce", length=77),)
        ),
    ),
)
