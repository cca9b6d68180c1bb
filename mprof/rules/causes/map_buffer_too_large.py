"""Large framework buffer, map side: the sort buffer takes the room the mapper needs.

What it means
    The sort buffer could not even be allocated; or it holds 30 % of the heap or more, and with a
    small buffer the mapper would come to the end of its split.

Why it happens
    `mapreduce.task.io.sort.mb` was raised for speed, and the heap was not.

What to change
    Lower `mapreduce.task.io.sort.mb`.

For example
    A buffer of 500 MB in a heap of 1 GB, beside a mapper that needs 200 MB.

Sources
    Rule 9-1 of the paper (Table 7); its authors' study has a grep with 600 MB in a heap of 800 MB.
"""

from __future__ import annotations

from mprof.evidence import (
    HEAP_KINDS,
    Attempt,
    Death,
    DeathPosition,
    ExternalLoad,
    MapBuffer,
    Place,
    Progress,
    RecordSizes,
    StackFrame,
    Unknown,
)
from mprof.patterns import (
    HUGE,
    IN_ONE_PIECE,
    NEARLY_FINISHED,
    SHARP,
    Account,
    Accumulation,
    FailedAllocation,
    MemoryModel,
    SplitNeed,
)
from mprof.rules.rule import (
    HOW_IT_GOES_ON,
    CannotTell,
    Condition,
    Defer,
    ErrorData,
    Fires,
    Rule,
    Silent,
)
from mprof.threshold import Threshold
from mprof.units import format_bytes, format_ratio

__all__ = ["RULE"]

WORKING_BUFFER = Threshold(
    "working buffer",
    0.10,
    "share of the heap",
    "Hadoop's own default is half of its default heap; a tenth still spills in large pieces",
)


def _is_a_map_task(attempt: Attempt) -> Silent | None:
    """Is it a map attempt?"""
    is_reduce = attempt.task_type == "reduce"
    return Silent("a reduce attempt has no sort buffer") if is_reduce else None


def _has_a_buffer(map_buffer: MapBuffer | None) -> Silent | None:
    """Does the job sort the output of its map tasks?"""
    return Silent("a map-only job has no sort buffer") if map_buffer is None else None


def _was_never_allocated(
    map_buffer: MapBuffer,
    death: Death,
    failed_allocation: FailedAllocation,
    memory_model: MemoryModel,
    stack: tuple[StackFrame, ...] | None = None,
    place: Place | None = None,
) -> Fires | Silent | CannotTell | None:
    """Did the heap run out while the buffer was being allocated, with too little room for it?

    And not in user code (an input format, a record reader) that runs before that.
    """
    if map_buffer.allocated or place not in ("init", None):
        return None
    if place is None:
        return CannotTell("where the task stood when it died", "run")
    if any(frame.user for frame in stack or ()):
        return Silent("user code was running, and the buffer had not been requested yet")
    size = map_buffer.requested_bytes
    if death.kind not in HEAP_KINDS:
        return Silent("the heap did not run out")
    if size <= IN_ONE_PIECE.value * failed_allocation.free_bytes:
        return Silent(f"the sort buffer of {format_bytes(size)} would have fitted")
    most = format_bytes(memory_model.capacity_bytes)
    return Fires(
        confidence="sure",
        evidence="passive",
        sentence=f"the sort buffer of {format_bytes(size)} cannot be allocated: live objects may "
        f"take at most {most} of this heap",
        bytes=size,
        data=ErrorData("buffer", bytes=size),
    )


def _is_huge(map_buffer: MapBuffer, memory_model: MemoryModel) -> Silent | None:
    """Does the buffer take 30 % of the heap or more?"""
    share = map_buffer.requested_bytes / memory_model.capacity_bytes
    if map_buffer.requested_bytes < HUGE.value * memory_model.capacity_bytes:
        size = format_bytes(map_buffer.requested_bytes)
        return Silent(f"the buffer of {size} is {format_ratio(share)} of the heap")
    return None


def _map_was_running(
    map_buffer: MapBuffer,
    place: Place | None = None,
    position: DeathPosition | None = None,
    external: ExternalLoad | None = None,
) -> Silent | CannotTell | None:
    """Was map() running?

    The sort and the spill run in a thread of their own: either may meet the full heap first.
    """
    running = place in ("map", "combine", "cleanup")
    if place in ("sort", "other", None):
        if position is None or place is None:
            return CannotTell("where the task stood when it died", "run")
        running = position.phase == "map"
    if place == "setup" and external is not None and external.bytes < map_buffer.requested_bytes:
        return CannotTell("how much more setup() would have loaded", "none")
    return None if running else Silent("map() was not running")


def _not_in_combine(place: Place | None = None) -> CannotTell | None:
    """Was it map() rather than combine() that was called?

    What combine() would still have held of its group is not predicted from the split.
    """
    if place == "combine":
        return CannotTell("how much of its group combine() would still have held", "none")
    return None


def _would_fit(
    map_buffer: MapBuffer,
    memory_model: MemoryModel,
    progress: Progress,
    split_need: SplitNeed,
    place: Place | None = None,
) -> Silent | CannotTell | None:
    """With a small working buffer instead, would the need at the end of the split fit?

    Beside what accumulates that is predicted. Where nothing was measured of what grows, it is asked
    once map() was 80 % done.
    """
    need = _with_a_small_buffer(split_need.bytes, map_buffer, memory_model)
    unmeasured = CannotTell("sizes of the map-level objects at earlier records", "rerun")
    if memory_model.fits(need):
        measured = split_need.is_measured or _done(progress, place) >= NEARLY_FINISHED.value
        return None if measured else unmeasured
    if not memory_model.is_live_known:
        return CannotTell("what was live: a heap dump made at the death", "run")
    if memory_model.fits(_with_a_small_buffer(split_need.at_least, map_buffer, memory_model)):
        return HOW_IT_GOES_ON if split_need.is_measured else unmeasured
    return Silent(f"with a small buffer the split would still need {format_bytes(need)}")


def _ask(
    map_buffer: MapBuffer,
    memory_model: MemoryModel,
    progress: Progress,
    split_need: SplitNeed,
    place: Place | None = None,
    map_accumulation: Accumulation | Unknown | None = None,
    account: Account | None = None,
    records: RecordSizes | None = None,
    external: ExternalLoad | None = None,
) -> Fires:
    """Then the buffer is too large.

    What may accumulate keeps it from being *sure*, and so does what is not known of it. Nothing
    says how much more the record at work, a reader that holds more than the buffer, or what was
    being loaded would have taken.
    """
    size, capacity = map_buffer.requested_bytes, memory_model.capacity_bytes
    settled = (
        split_need.is_measured
        and split_need.source == "dump"
        and map_accumulation is None
        and memory_model.fits(_with_a_small_buffer(split_need.at_most, map_buffer, memory_model))
        and not (records is not None and records.being_read)
        and account is not None
        and account.of_the_record < SHARP.value * capacity
        and not account.has_larger_of_others(size)
        and not (external is not None and external.when == "loading")
    )
    need = format_bytes(_with_a_small_buffer(split_need.bytes, map_buffer, memory_model))
    return Fires(
        confidence="sure" if settled else "likely",
        evidence=split_need.source,
        sentence=f"the sort buffer of {format_bytes(size)} takes {format_ratio(size / capacity)} "
        f"of the heap; map() was {format_ratio(_done(progress, place))} done, and with a small "
        f"buffer the whole split would need {need}",
        bytes=size,
        data=ErrorData("buffer", bytes=size),
    )


def _with_a_small_buffer(
    need_bytes: float, map_buffer: MapBuffer, memory_model: MemoryModel
) -> float:
    return (
        need_bytes + WORKING_BUFFER.value * memory_model.capacity_bytes - map_buffer.requested_bytes
    )


def _done(progress: Progress, place: Place | None) -> float:
    """The share of the split that was done: all of it in cleanup()."""
    return 1.0 if place == "cleanup" else progress.done


RULE = Rule(
    cause="large_framework_buffer.map",
    published_as="9-1",
    category="configuration",
    title="Large framework buffer: map sort buffer",
    name="the map-side sort buffer is too large",
    asks=(
        _is_a_map_task,
        _has_a_buffer,
        _was_never_allocated,
        _is_huge,
        _map_was_running,
        Defer.YIELD,
        Defer.WAIT,
        _not_in_combine,
        _would_fit,
        _ask,
    ),
    thresholds=(HUGE, IN_ONE_PIECE, NEARLY_FINISHED, WORKING_BUFFER, SHARP),
    conditions=(
        Condition(
            _is_a_map_task,
            "map()",
            "Not a reduce attempt",
        ),
        Condition(
            _has_a_buffer,
            "Fixed buffer exists",
            "The job has one: it is not map-only",
        ),
        Condition(
            _was_never_allocated,
            "Not covered (the authors' draft covers it)",
            "Or it could not be allocated: the heap ran out in init with no user code at "
            "work, and the buffer is larger than half of what was free: *sure*",
            "A buffer that never came to exist leaves no other trace",
        ),
        Condition(
            _is_huge,
            "No size is asked for",
            "It takes 30 % of the heap",
            "A smaller one is not what fills the heap",
        ),
        Condition(
            _map_was_running,
            "map() is running",
            "map() or cleanup(), or the sort or spill beside it, was running",
            "The sort and the spill run in a thread of their own, and may meet the full heap first",
        ),
        Condition(
            Defer.YIELD,
            "Not asked",
            "Silent where rule 4 or 8 fires and the record holds more than the buffer: a "
            "verified one, or one far larger than what passed; else cannot tell",
            "One record fills the heap beside any buffer",
        ),
        Condition(
            Defer.WAIT,
            "Not asked",
            "Cannot tell while rule 4 cannot",
            "The same",
        ),
        Condition(
            _not_in_combine,
            "Not asked",
            "In combine(): silent where a group, a record or a load fires (rules 3, 4, 8 and 5), "
            "else cannot tell",
            "What combine() would still have held of its group is not predicted from the split",
        ),
        Condition(
            _would_fit,
            'map() is nearly finished (e.g. 80 %): "if we lower the buffer size, user code '
            'may finish"',
            "With a buffer of 10 % of the heap the task fits at the end of its split, by the "
            "[law](../growth-laws.md) of what grows; where the growth was not measured, in "
            "proportion and from 80 % done on; cannot tell where only the smaller end of the "
            "interval fits, or nothing was measured",
            "Whether it may finish is computed; how far map() was decides only where nothing "
            "was measured",
        ),
        Condition(
            _ask,
            "Nothing more",
            "Nothing more: *sure* where dumps measured it, the larger end of the interval fits, "
            "it is known that nothing accumulates, no reader, writer or library holds more than "
            "the buffer, and the record at work was read and holds less than 20 % of the heap",
            "How much more a record or a reader would have taken, nothing says",
        ),
    ),
    module=__name__,
)
