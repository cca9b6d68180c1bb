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

from mprof.evidence import Death, ExternalLoad, Holder, OpenedFile, Place, Unknown
from mprof.patterns import (
    CONTAINER_KINDS,
    HUGE,
    ONE_OF_SEVERAL,
    SHARP,
    Account,
    Accumulation,
    Confidence,
    MemoryModel,
    where_of,
)
from mprof.rules.rule import CannotTell, Condition, Defer, ErrorData, Fires, Rule, Silent
from mprof.units import format_bytes, format_ratio

__all__ = ["RULE"]

_WHEN = {
    "setup": "loaded before the first record",
    "loading": "which was still being loaded",
    "once": "loaded once and constant since",
}


def _is_huge(
    external_load: ExternalLoad, memory_model: MemoryModel, account: Account | None = None
) -> Silent | None:
    """Does what stood in the heap before the data hold 30 % of the heap or more?

    Where nothing does, several consumers fill it together, and 22 % are enough.
    """
    share = external_load.bytes / memory_model.capacity_bytes
    if share >= HUGE.value or (share >= ONE_OF_SEVERAL.value and _is_of_several(account)):
        return None
    return Silent(
        f"what was loaded holds only {format_bytes(external_load.bytes)}, "
        f"{format_ratio(share)} of the heap"
    )


def _is_of_several(account: Account | None) -> bool:
    return account is not None and not account.has_huge


def _was_read(external_load: ExternalLoad, holders: tuple[Holder, ...]) -> CannotTell | None:
    """Was it read from anywhere: a file that was opened or shipped, or a table of a script?

    What a record reader holds was read from the input.
    """
    mine = [one for one in holders if one.key in external_load.holders]
    from_script = any(one.script is not None for one in mine)
    if external_load.opened or from_script or any(one.key.is_of_records for one in mine):
        return None
    return CannotTell("what it was read from: no file was seen opened", "none")


def _ask(
    external_load: ExternalLoad,
    holders: tuple[Holder, ...],
    memory_model: MemoryModel,
    death: Death,
    map_accumulation: Accumulation | Unknown | None = None,
    reduce_accumulation: Accumulation | Unknown | None = None,
    group_accumulation: Accumulation | Unknown | None = None,
    account: Account | None = None,
    place: Place | None = None,
) -> Fires:
    """Would the rest fit without it? So it would, where no other rule has the better answer.

    Beside what accumulates that is predicted, not measured; nor is how much more the record at work
    would have taken.
    """
    load = external_load
    accumulations = (map_accumulation, reduce_accumulation, group_accumulation)
    predicted = any(one is not None for one in accumulations)
    at_work = account.of_the_record / account.capacity_bytes if account is not None else 0.0
    mine = [one for one in holders if one.key in load.holders]
    largest = min(mine, key=lambda one: (-one.bytes, one.key), default=None)
    every = sorted(load.opened, key=lambda one: (-(one.length_bytes or 0), one.path))
    files = [one for one in every if one.seen]
    read = [one.length_bytes for one in files if one.length_bytes is not None]
    of = f" of {files[0].path}" if files else ""
    more = f" and {len(files) - 1} more files" if len(files) > 1 else ""
    shipped = "" if files else _shipped(every)
    what = largest.path if largest is not None else "external data"
    measured = load.source == "dump" and load.when != "once"
    measured = measured and not predicted and at_work < SHARP.value
    measured = measured and load.bytes >= HUGE.value * memory_model.capacity_bytes
    # What came on top of a constant load in a container that was killed need not be of the heap.
    measured = measured and death.kind not in CONTAINER_KINDS
    # Of several objects one may be no data: what R_n made a cache keep, or a matrix to work in.
    measured = measured and (len(load.holders) == 1 or not _may_be_no_data(load, mine, place))
    confidence: Confidence = "sure" if measured else "likely"
    return Fires(
        confidence=confidence,
        evidence=load.source,
        sentence=f"{what} holds {format_bytes(load.bytes)}{of}{more}, {_WHEN[load.when]}{shipped}",
        bytes=load.bytes,
        where=where_of(largest) if largest is not None else None,
        data=ErrorData("external", bytes=sum(read) if read else None),
    )


def _may_be_no_data(load: ExternalLoad, mine: list[Holder], place: Place | None) -> bool:
    with_the_record = load.when == "loading" and place != "setup"
    read = sum(one.length_bytes or 0 for one in load.opened)
    return with_the_record or any(one.is_of_numbers and one.bytes > read for one in mine)


def _shipped(cached: list[OpenedFile]) -> str:
    """The largest file of the distributed cache, where none was seen opened."""
    if not cached:
        return ""
    length = cached[0].length_bytes
    size = "" if length is None else f", {format_bytes(length)}"
    return f"; the largest file in the job's distributed cache is {cached[0].path}{size}"


RULE = Rule(
    cause="large_external_data",
    published_as="5",
    category="code",
    title="Large external data",
    name="large external data held in memory",
    asks=(_is_huge, Defer.YIELD, Defer.WAIT, _was_read, _ask),
    thresholds=(HUGE, ONE_OF_SEVERAL, SHARP),
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
            "They hold 30 % of what live objects may take; or 22 %, where nothing in the heap "
            "holds 30 %: *likely* at best",
            "Several modest consumers fill a heap together",
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
            "Nothing more: *sure* where a dump shows it before the first record, it holds 30 %, "
            "nothing accumulates, the record at work holds less than 20 % of the heap, and the "
            "task died of its heap, else *likely*",
            "Whether what accumulates, or more of the record, would fit without the load is "
            "predicted; what came on top in a container that was killed need not be heap",
        ),
    ),
    numbers=("always there", "numbers of a file"),
    module=__name__,
)
