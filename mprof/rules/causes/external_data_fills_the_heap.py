"""Large external data: a file or table that the code loads fills the heap before the data does.

What it means
    Objects that stood in the heap before R_1 (or G_1), or were loaded once and never grew again,
    hold 30 % of the heap or more, and nothing else in the heap explains the death better.

Why it happens
    setup() reads a dictionary, a model, or the small side of a join into memory, and it is not
    small any more.

Patterns
    The load is what stood in the heap before the first record, or was being loaded at the death;
    without a dump made then, what every collection since the first record left behind. It was read
    from a file that was opened or shipped with the job, or by a script's join. Arrays of numbers
    that no such file filled are work space, of a size that code or a setting tells.

What to change
    Load less: only what the task needs, in a compact structure, or a Bloom filter of it; or join on
    the reduce side.

For example
    A hash join whose first table takes 1.6 GB as a HashMap of strings.

Sources
    Rule 5 of the paper (Table 5).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mprof.evidence import (
    DeathPosition,
    Evidence,
    ExternalLoad,
    Holder,
    OpenedFile,
    Unknown,
)
from mprof.patterns import HUGE, Accumulation, Confidence, MemoryModel, where_of
from mprof.rules.examples import growing_series, holder, key_of, map_attempt, with_growth
from mprof.rules.rule import CannotTell, Condition, Defer, ErrorData, Example, Fires, Rule, Silent
from mprof.units import MIB, format_bytes, format_ratio

__all__ = ["RULE"]

_WHEN = {
    "setup": "loaded before the first record",
    "loading": "which was still being loaded",
    "once": "loaded once and constant since",
}


def _is_huge(external_load: ExternalLoad, memory_model: MemoryModel) -> Silent | None:
    """Does what stood in the heap before the data hold 30 % of the heap or more?"""
    share = external_load.bytes / memory_model.capacity_bytes
    if external_load.bytes >= HUGE.value * memory_model.capacity_bytes:
        return None
    return Silent(
        f"what was loaded holds only {format_bytes(external_load.bytes)}, "
        f"{format_ratio(share)} of the heap"
    )


def _was_read(
    external_load: ExternalLoad, holders: tuple[Holder, ...] | None = None
) -> CannotTell | None:
    """Was it read from anywhere: a file that was opened or shipped, or a table of a script?

    What a record reader holds was read from the input.
    """
    mine = [one for one in holders or () if one.key in external_load.holders]
    from_script = any(one.script is not None for one in mine)
    if external_load.opened or from_script or any(one.key.is_of_records for one in mine):
        return None
    return CannotTell("what it was read from: no file was seen opened", "none")


def _ask(
    external_load: ExternalLoad,
    holders: tuple[Holder, ...] | None = None,
    map_accumulation: Accumulation | None = None,
    reduce_accumulation: Accumulation | None = None,
    group_accumulation: Accumulation | None = None,
) -> Fires:
    """Would the rest fit without it? So it would, where no other rule has the better answer.

    Beside what accumulates that is foretold, not measured.
    """
    load = external_load
    accumulations = (map_accumulation, reduce_accumulation, group_accumulation)
    foretold = any(one is not None for one in accumulations)
    mine = [one for one in holders or () if one.key in load.holders]
    largest = min(mine, key=lambda one: (-one.bytes, one.key), default=None)
    every = sorted(load.opened, key=lambda one: (-(one.length_bytes or 0), one.path))
    files = [one for one in every if one.seen]
    read = [one.length_bytes for one in files if one.length_bytes is not None]
    of = f" of {files[0].path}" if files else ""
    more = f" and {len(files) - 1} more files" if len(files) > 1 else ""
    shipped = "" if files else _shipped(every)
    what = largest.path if largest is not None else "external data"
    measured = load.source == "dump" and load.when != "once" and not foretold
    confidence: Confidence = "sure" if measured else "likely"
    return Fires(
        confidence=confidence,
        evidence=load.source,
        sentence=f"{what} holds {format_bytes(load.bytes)}{of}{more}, {_WHEN[load.when]}{shipped}",
        bytes=load.bytes,
        where=where_of(largest) if largest is not None else None,
        data=ErrorData("external", bytes=sum(read) if read else None),
    )


def _shipped(cached: list[OpenedFile]) -> str:
    """The largest file of the distributed cache, where none was seen opened."""
    if not cached:
        return ""
    length = cached[0].length_bytes
    size = "" if length is None else f", {format_bytes(length)}"
    return f"; the largest file in the job's distributed cache is {cached[0].path}{size}"


_MODEL = OpenedFile("hdfs:/cache/model.txt", 40 * MIB)


def _loaded(size_bytes: int, when: Any = "setup") -> Evidence:
    one = replace(holder("this.model", size_bytes, method="setup"), loaded_before_first_record=True)
    load = ExternalLoad(size_bytes, (key_of("this.model"),), when, (_MODEL,))
    return map_attempt(holders=(one,), external=load)


def _bounded_by(live_mib: int, sizes_mib: list[float]) -> Evidence:
    # a watch run: no dump but that at death, and the live heap after collections
    live = growing_series(None, [size * MIB for size in sizes_mib], source="passive")
    return map_attempt(
        holders=(holder("this.model", 130 * MIB),),
        external=ExternalLoad(live_mib * MIB, (), "setup", (_MODEL,), "passive"),
        series=(live,),
        record_growth=Unknown("heap sizes at earlier records", "rerun"),
    )


def _watched() -> Evidence:
    return _bounded_by(200, [201, 200, 202, 201, 200])


def _grew() -> Evidence:
    return _bounded_by(75, [75, 110, 140, 170, 200])


def _load_of(evidence: Evidence) -> ExternalLoad:
    assert isinstance(evidence.external, ExternalLoad)  # noqa: S101 - these examples have one
    return evidence.external


def _work_space() -> Evidence:
    one = holder("this.cost", 170 * MIB, method="setup", class_name="double[][]")
    evidence = _in_setup()
    load = replace(_load_of(evidence), opened=())
    return replace(evidence, holders=(replace(one, key=key_of("this.model")),), external=load)


def _in_setup() -> Evidence:
    return replace(
        _loaded(170 * MIB, "loading"), place="setup", position=DeathPosition("setup", record=0)
    )


RULE = Rule(
    cause="large_external_data",
    published_as="5",
    category="code",
    title="Large external data",
    name="large external data held in memory",
    asks=(_is_huge, Defer.YIELD, Defer.WAIT, _was_read, _ask),
    thresholds=(HUGE,),
    conditions=(
        Condition(
            _is_huge,
            "User objects at R_1 (or G_1)",
            "What stood in the heap before the first record, or was being loaded at the "
            "death; without a dump made then, what every collection since the first record "
            "left behind (`external_load_of`)",
            "A task that dies in setup() never reaches R_1; a first run has no dump there",
        ),
        Condition(
            _is_huge,
            "Not asked",
            "Without arrays of numbers of more than 8 bytes for each byte of the files that "
            "were opened",
            "A matrix that a setting sized is work space, not data",
        ),
        Condition(
            _is_huge,
            "They are huge: e.g. 30 % of the memory space",
            "They hold 30 % of what live objects may take",
        ),
        Condition(
            Defer.YIELD,
            "Not asked",
            "Silent where rule 4 or 8 fires, the record takes more than the load, and that is"
            " verified or R_n is far larger than what passed; cannot tell where R_n is "
            "neither that nor ordinary; not where the task died in setup() while loading",
            "A load that fits would be blamed for what came on top",
        ),
        Condition(
            Defer.YIELD,
            "Not asked",
            "Silent where rule 1, 2 or 3 fires, what grows holds more than the load, and even"
            " the smaller end of its interval outgrows the heap without the load; cannot tell"
            " in between",
            "The same of what grows beside it",
        ),
        Condition(
            Defer.WAIT,
            "Not asked",
            "Cannot tell while rule 1, 2, 3 or 4 cannot, the load was complete, and 30 % of "
            "the heap is neither the load nor Hadoop's",
            "One of them may explain the death better",
        ),
        Condition(
            _was_read,
            '"External data": no check that it was read',
            "A file was opened or shipped with the job, a script's join holds it, or a record"
            " reader does; else cannot tell",
            "Nothing else tells data from what code computes",
        ),
        Condition(
            _ask,
            "Nothing more",
            "Nothing more: *sure* where a dump shows it before the first record and nothing "
            "accumulates, else *likely*",
            "Whether what accumulates would fit without the load is foretold",
        ),
    ),
    numbers=(
        "always there",
        "numbers of a file",
    ),
    examples=(
        Example("FIRES", "dead in setup() with 170 MB of a table", _in_setup),
        Example("FIRES", "a model of 130 MB, dead in map()", lambda: _loaded(130 * MIB)),
        Example("FIRES", "no early dump: as much was live after every collection", _watched),
        Example("CANNOT_TELL", "no early dump: little was live at the first collection", _grew),
        Example(
            "SILENT",
            "the same, and no file was opened",
            lambda: replace(_grew(), external=replace(_load_of(_grew()), opened=())),
        ),
        Example("SILENT", "a matrix of numbers that a setting sized", _work_space),
        Example(
            "CANNOT_TELL",
            "a map filled in setup(), and no file was opened",
            lambda: replace(_in_setup(), external=replace(_load_of(_in_setup()), opened=())),
        ),
        Example("SILENT", "a model of 30 MB", lambda: _loaded(30 * MIB)),
        Example(
            "SILENT",
            "a model of 80 MB that fits beside what grows",
            lambda: with_growth(_loaded(80 * MIB), "this.counts", 110 * MIB),
        ),
        Example("SILENT", "nothing was loaded", map_attempt),
        Example(
            "CANNOT_TELL",
            "no dump",
            lambda: map_attempt(external=Unknown("a heap dump made at the death", "run")),
        ),
    ),
    module=__name__,
)
