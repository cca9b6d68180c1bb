"""Large framework buffer, map side: the sort buffer takes the room the mapper needs.

What it means
    The sort buffer could not even be allocated; or it holds 30 % of the heap or more, map() was
    nearly finished, and with a small buffer the mapper would have ended.

Why it happens
    `mapreduce.task.io.sort.mb` was raised for speed, and the heap was not.

What it asks
    1. Did the task die while the buffer was being allocated, and not in user code (an input format,
       a record reader) that runs before that?
    2. Else: is the buffer huge, was map() running and 80 % done, and would the fitted need at the
       end of the split fit beside a small working buffer?
    3. Where one record or one group is the cause, a smaller buffer is not the answer: silent.

What to change
    A smaller `mapreduce.task.io.sort.mb`.

For example
    A buffer of 500 MB in a heap of 1 GB, beside a mapper that needs 200 MB.

Sources
    Rule 9-1 of the paper (Table 7); its authors' study has a grep with 600 MB in a heap of 800 MB.

Where it departs from the paper
    The paper's condition never covers a buffer that cannot be allocated (its draft does).
    "If we lower the buffer size, user code may finish" is computed here, not hoped for.
"""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence import Evidence, MapBuffer, Position, Progress, StackFrame, Unknown, known
from mprof.evidence.growing import Growing, find_growth, large_holders
from mprof.rules.examples import (
    growing_series,
    holder,
    map_attempt,
    reduce_attempt,
    with_growth,
)
from mprof.rules.need import capacity_of, end_of_data, live_of, need_at, place_of
from mprof.rules.rule import (
    CannotTell,
    ErrorData,
    EvidenceLevel,
    Example,
    Fires,
    Rule,
    Silent,
    Threshold,
    Verdict,
    Verdicts,
    cannot_tell,
)
from mprof.rules.thresholds import HUGE, NEARLY_FINISHED
from mprof.units import MIB, format_bytes, format_ratio

__all__ = ["RULE"]

WORKING_BUFFER = Threshold(
    "working buffer",
    0.10,
    "share of the heap",
    "Hadoop's own default is half of its default heap; a tenth still spills in large pieces",
)

_OTHERS = ("large_intermediate_results", "large_single_record", "large_accumulated_results.group")


def _ask(evidence: Evidence, earlier: Verdicts) -> Verdict:
    buffer = evidence.map_buffer
    if evidence.is_reduce or buffer is None:
        return Silent("this attempt has no sort buffer")
    if isinstance(buffer, Unknown):
        return cannot_tell(buffer)
    capacity = capacity_of(evidence)
    if place_of(evidence) == "init" and not buffer.allocated:
        if any(frame.user for frame in known(evidence.stack) or ()):
            return Silent("user code was at work, and the buffer not asked for yet")
        return _cannot_be_allocated(buffer, capacity)
    if capacity is None:
        return CannotTell("the size of the heap", "run")
    if buffer.requested_bytes < HUGE.value * capacity:
        return Silent(
            f"the buffer of {format_bytes(buffer.requested_bytes)} is "
            f"{buffer.requested_bytes / capacity:.0%} of the heap"
        )
    if place_of(evidence) == "combine":
        return Silent(
            f"the buffer takes {buffer.requested_bytes / capacity:.0%} of the heap, but it died in "
            "combine(): the rules of groups and records say what that call holds"
        )
    running = _map_was_running(evidence)
    if running is None:
        return CannotTell("where the task stood when it died", "run")
    if not running:
        return Silent("map() was not running")
    for cause in _OTHERS:
        verdict = earlier[cause]
        if isinstance(verdict, Fires):
            return Silent("a single record or group fills the heap, whatever the buffer")
    if isinstance(evidence.progress, Unknown):
        return cannot_tell(evidence.progress)
    done = 1.0 if place_of(evidence) == "cleanup" else evidence.progress.done
    if done < NEARLY_FINISHED.value:
        return Silent(f"map() was {format_ratio(done)} done only")
    if isinstance(verdict := earlier["large_intermediate_results"], CannotTell):
        return verdict
    return _beside_a_small_buffer(evidence, buffer, capacity, done)


def _map_was_running(evidence: Evidence) -> bool | None:
    """The sort and the spill run in a thread of their own: either may meet the full heap first.

    None where nothing says what the task's own thread did meanwhile.
    """
    place, position = place_of(evidence), known(evidence.position)
    if place in ("sort", "other", "unknown"):
        return None if position is None else position.phase == "map"
    return place in ("map", "cleanup")


def _cannot_be_allocated(buffer: MapBuffer, capacity: int | None) -> Fires:
    room = "" if capacity is None else f", of which live objects may take {format_bytes(capacity)}"
    return Fires(
        confidence="sure",
        evidence="passive",
        sentence=f"the sort buffer of {format_bytes(buffer.requested_bytes)} cannot be allocated "
        f"in this heap{room}",
        bytes=buffer.requested_bytes,
        data=ErrorData("buffer", bytes=buffer.requested_bytes),
        numbers={"buffer_bytes": float(buffer.requested_bytes)},
    )


def _beside_a_small_buffer(
    evidence: Evidence, buffer: MapBuffer, capacity: int, done: float
) -> Verdict:
    """Whether the need at the end of the split, with a small buffer instead, would fit."""
    found = find_growth(evidence, "map")
    live = live_of(evidence) or capacity
    measured = True
    if isinstance(found, Growing):
        end = end_of_data(evidence, found)
        need = need_at(evidence, found, end if end is not None else found.x_now) or float(live)
    else:
        # What is not known to grow is taken to grow in proportion, the worst that is usual.
        holders = large_holders(evidence, "map") if isinstance(found, Unknown) else ()
        held = sum(one.bytes for one in holders) if isinstance(holders, tuple) else 0
        measured = not isinstance(found, Unknown)
        need = live + held * (1 / done - 1)
    need += WORKING_BUFFER.value * capacity - buffer.requested_bytes
    if need > capacity:
        return Silent(f"with a small buffer the split would still need {format_bytes(need)}")
    level: EvidenceLevel = found.source if isinstance(found, Growing) else "dump"
    return Fires(
        confidence="sure" if measured and level == "dump" else "likely",
        evidence=level,
        sentence=(
            f"the sort buffer of {format_bytes(buffer.requested_bytes)} takes "
            f"{buffer.requested_bytes / capacity:.0%} of the heap; map() was {format_ratio(done)} "
            f"done, and with a small buffer all of the split would need {format_bytes(need)}"
        ),
        bytes=buffer.requested_bytes,
        data=ErrorData("buffer", bytes=buffer.requested_bytes),
        numbers={"buffer_bytes": float(buffer.requested_bytes), "need_with_small_buffer": need},
    )


def _with_buffer(buffer_mib: int, done: float, kept_mib: int) -> Evidence:
    evidence = map_attempt(
        map_buffer=MapBuffer(buffer_mib * MIB, allocated=True),
        progress=Progress(done, "bytes read of the split"),
    )
    return with_growth(evidence, "this.seen", kept_mib * MIB)


def _outgrows() -> Evidence:
    # 160 MB at 81 % of the split: 244 MB at its end
    kept = growing_series("this.pairs", [160 * MIB * (i / 7) ** 2 for i in range(8)])
    evidence = _with_buffer(75, 0.81, 0)
    return replace(evidence, holders=(holder("this.pairs", 160 * MIB),), series=(kept,))


def _no_room() -> Evidence:
    return map_attempt(place="init", map_buffer=MapBuffer(300 * MIB, allocated=False))


def _not_counted() -> Evidence:
    return replace(
        _with_buffer(130, 0.9, 40), progress=Unknown("how much of the split was done", "run")
    )


RULE = Rule(
    cause="large_framework_buffer.map",
    published_as="9-1",
    category="configuration",
    title="Large framework buffer: map sort buffer",
    thresholds=(HUGE, NEARLY_FINISHED, WORKING_BUFFER),
    ask=_ask,
    after=(*_OTHERS, "large_accumulated_results.map"),
    examples=(
        Example("FIRES", "300 MB asked of a 256 MB heap", _no_room),
        Example(
            "FIRES",
            "130 MB beside a mapper of 40 MB, 90 % done",
            lambda: _with_buffer(130, 0.9, 40),
        ),
        Example(
            "FIRES",
            "the same, met by the thread that spills",
            lambda: replace(_with_buffer(130, 0.9, 40), place="sort"),
        ),
        Example(
            "SILENT",
            "the same while the last spill is merged",
            lambda: replace(
                _with_buffer(130, 1.0, 40), place="sort", position=Position("merge", record=9)
            ),
        ),
        Example(
            "SILENT",
            "the same in combine(): its groups and records are what is asked then",
            lambda: replace(_with_buffer(130, 0.9, 40), place="combine"),
        ),
        Example(
            "SILENT",
            "a record reader that fills the heap before any buffer is there",
            lambda: replace(
                _no_room(), stack=(StackFrame("com.x.WholeFileReader", "<init>", user=True),)
            ),
        ),
        Example("SILENT", "the same at 50 %", lambda: _with_buffer(130, 0.5, 40)),
        Example("SILENT", "a buffer of 40 MB", lambda: _with_buffer(40, 0.9, 40)),
        Example("SILENT", "a reduce attempt", reduce_attempt),
        Example(
            "SILENT",
            "what the mapper keeps grows with the square of the records",
            _outgrows,
        ),
        Example("CANNOT_TELL", "nobody counted how far it was", _not_counted),
    ),
    module=__name__,
)
