"""Which rule defers to which: the one table.

Two rules may see the same bytes. A record that explodes stands beside a buffer that is large but
harmless; what a group accumulates looks like growth at its last record. Each row says which rule
gives way, to which, and what it says then. A rule file says only at which of its steps the table is
consulted (`Defer`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mprof.evidence import ExternalLoad, MapBuffer, Place
from mprof.patterns import (
    HUGE,
    SHARP,
    WORTH_A_RUN,
    Absent,
    Account,
    Accumulation,
    GroupsBeside,
    Jump,
    MemoryModel,
    RecordInFlight,
    ShuffledData,
)
from mprof.rules.rule import HOW_IT_GOES_ON, CannotTell, Defer, Fires, Question, Silent, Verdict

__all__ = ["DEFERENCES", "Deference"]

_MAP = "large_accumulated_results.map"
_REDUCE = "large_accumulated_results.reduce"
_GROUP = "large_accumulated_results.group"
_ACCUMULATING = (_MAP, _REDUCE, _GROUP)
_RECORD_EXPLODES = "large_intermediate_results"
_RECORD_IS_LARGE = "large_single_record"
_UNBALANCED = "improper_partition.unbalanced"


def _beside_accumulation(jump: Jump, others: tuple[Fires, ...]) -> Verdict:
    """What accumulates explains the growth at R_n, unless R_n alone says otherwise."""
    if jump.is_enlargement_of(max(one.held_bytes for one in others)):
        return Silent("what accumulated was being copied into a larger container")
    if jump.keeps_pace:
        return Silent("the last record added no more than those before it")
    return CannotTell("the growth that the last record causes when run alone", "verify")


def _was_loaded(external_load: ExternalLoad, place: Place | None = None) -> bool:
    """The load was complete, or data had been taken in before it."""
    return external_load.when != "loading" or place != "setup"


def _smaller_than_the_record(
    external_load: ExternalLoad,
    record_in_flight: RecordInFlight,
    others: tuple[Fires, ...],
) -> Silent | CannotTell | None:
    """The record takes more of the heap than the load, and than the records that passed."""
    if record_in_flight.is_ordinary:
        return None
    why = "it is constant, and smaller than what the record takes"
    return _beside_the_record(external_load.bytes, record_in_flight, others, why)


def _outgrows_without_the_load(
    external_load: ExternalLoad,
    memory_model: MemoryModel,
    map_accumulation: Accumulation | None = None,
    reduce_accumulation: Accumulation | None = None,
    group_accumulation: Accumulation | None = None,
) -> Verdict | None:
    """What accumulates holds more than the load, and would outgrow the heap without it too."""
    for found in (map_accumulation, reduce_accumulation, group_accumulation):
        if found is None or found.growing is None:
            continue
        growing = found.growing
        if growing.end_x is None:
            missing = "how much more data the growing objects would still have read"
            return CannotTell(missing, "verify" if found.lifecycle == "group" else "run")
        need = memory_model.need_at(growing, growing.end_x)
        if memory_model.fits(need - external_load.bytes):
            continue
        if memory_model.fits(
            memory_model.need_at_least(growing, growing.end_x) - external_load.bytes
        ):
            return HOW_IT_GOES_ON
        if growing.held_bytes < external_load.bytes:
            return CannotTell(
                "which of the two is too large: it holds more than what grows", "none"
            )
        return Silent("it is constant; what grows would outgrow the heap even without it")
    return None


def _much_is_unexplained(external_load: ExternalLoad, memory_model: MemoryModel) -> bool:
    """A huge share of the heap is neither the load nor Hadoop's."""
    rest = memory_model.live_bytes - external_load.bytes - memory_model.framework_bytes
    return external_load.when != "loading" and rest >= HUGE.value * memory_model.capacity_bytes


def _record_did_not_fill_the_heap(record_in_flight: RecordInFlight, account: Account) -> Verdict:
    """Neither the work on R_n nor R_n itself filled the heap, nor both together."""
    least = WORTH_A_RUN.value * account.capacity_bytes
    if record_in_flight.is_far_larger and account.of_the_record >= least:
        return CannotTell("a run of the last record alone, in the room that it had", "verify")
    return Silent("processing the last record did not fill the heap")


def _holds_more_than_the_buffer(
    map_buffer: MapBuffer,
    record_in_flight: RecordInFlight,
    others: tuple[Fires, ...],
) -> Silent | CannotTell | None:
    """One record holds more than the buffer, and is not like those that passed."""
    why = "a single record holds more than the buffer"
    return _beside_the_record(map_buffer.requested_bytes, record_in_flight, others, why)


def _beside_the_record(
    size_bytes: int, record: RecordInFlight, others: tuple[Fires, ...], why: str
) -> Silent | CannotTell | None:
    """What is smaller than a record that is not like the others is not to blame."""
    # the record itself and what is made of it are memory of two kinds, and of one record
    if sum(one.held_bytes for one in others) < size_bytes:
        return None
    proven = any(one.evidence == "verified" and one.confidence == "sure" for one in others)
    if proven or record.is_far_larger:
        return Silent(why)
    return CannotTell("whether other records take as much", "verify")


def _nothing_grows_over_the_group(
    group_accumulation: Accumulation | Absent,
    account: Account | None = None,
    groups_beside: GroupsBeside | None = None,
    record_in_flight: RecordInFlight | None = None,
) -> Silent | CannotTell:
    """What rule 3 says of G_m; much work on a record like others may go with the group it is of."""
    why = "reduce() and combine() do not accumulate over the records of a group"
    if isinstance(group_accumulation, Absent):
        why = group_accumulation.why
    is_larger = groups_beside is not None and groups_beside.at_death.above is not None
    is_larger = is_larger and record_in_flight is not None and not record_in_flight.is_far_larger
    of_record = account.of_the_record / account.capacity_bytes if account is not None else 0.0
    if is_larger and of_record >= SHARP.value:
        return CannotTell("whether the work on a record grows with its group", "none")
    return Silent(why)


def _combine_was_running(place: Place | None = None) -> bool:
    return place == "combine"


def _user_code_runs(shuffled_data: ShuffledData) -> bool:
    """combine(), reduce() or cleanup() was running."""
    return shuffled_data.user_code


@dataclass(frozen=True, slots=True)
class Deference:
    """One row.

    Attributes:
        rule: the cause of the rule that gives way.
        step: where in its steps.
        to: the causes it gives way to, in order.
        says: what it says then: a reason to be silent, a question, or None: the other's verdict.
        only_if: patterns under which the row holds, None where it always does.
        referrers: of a ``FOLLOW`` row: rules that may refer their question here instead.
    """

    rule: str
    step: Defer
    to: tuple[str, ...]
    says: str | Question | None = None
    only_if: Callable[..., bool] | None = None
    referrers: tuple[str, ...] = ()


DEFERENCES: Final[tuple[Deference, ...]] = (
    # 4: what accumulates explains a jump that nobody has verified
    Deference(_RECORD_EXPLODES, Defer.YIELD, _ACCUMULATING, _beside_accumulation),
    # 5: a constant load that fits is not to blame for the rest
    Deference(
        "large_external_data",
        Defer.YIELD,
        (_RECORD_EXPLODES, _RECORD_IS_LARGE),
        _smaller_than_the_record,
        _was_loaded,
    ),
    Deference(
        "large_external_data",
        Defer.YIELD,
        _ACCUMULATING,
        _outgrows_without_the_load,
        _was_loaded,
    ),
    Deference(
        "large_external_data",
        Defer.WAIT,
        (*_ACCUMULATING, _RECORD_EXPLODES),
        only_if=_much_is_unexplained,
    ),
    # 7: a group is asked about where it accumulates, or is the whole excess of its partition
    Deference(
        "hotspot_key",
        Defer.FOLLOW,
        (_GROUP,),
        _nothing_grows_over_the_group,
        referrers=(_UNBALANCED,),
    ),
    # 8: a record that does not fill the heap by itself is asked about where the work on it does
    Deference(_RECORD_IS_LARGE, Defer.FOLLOW, (_RECORD_EXPLODES,), _record_did_not_fill_the_heap),
    # 9-1: groups, records and what was loaded say what combine() holds
    Deference(
        "large_framework_buffer.map",
        Defer.YIELD,
        (_GROUP, _RECORD_EXPLODES, _RECORD_IS_LARGE, "large_external_data"),
        "the task died in combine(), and what that call holds fills the heap beside the buffer",
        _combine_was_running,
    ),
    # 9-1 and 9-2: one record (of a reducer, one group) fills the heap beside any buffer
    Deference(
        "large_framework_buffer.map",
        Defer.YIELD,
        (_RECORD_EXPLODES, _RECORD_IS_LARGE),
        _holds_more_than_the_buffer,
    ),
    Deference("large_framework_buffer.map", Defer.WAIT, (_RECORD_EXPLODES,)),
    Deference(
        "large_framework_buffer.shuffle",
        Defer.YIELD,
        (_GROUP, _RECORD_EXPLODES),
        "one group or record fills the heap, whatever the buffer",
        _user_code_runs,
    ),
)
"""Every deference between two rules. A rule that has no row here reads facts and patterns only."""
