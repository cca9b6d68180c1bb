"""Everything that is found in the evidence about one attempt, computed once.

Read from top to bottom: each pattern takes the evidence and the patterns above it. Rules, advice
and reports read the result; nothing searches the facts a second time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mprof.evidence import Evidence, ExternalLoad, Lifecycle, Unknown, known
from mprof.patterns.account import Account, account_of
from mprof.patterns.accumulation import (
    ACCUMULATION_THRESHOLDS,
    GROUP_ACCUMULATION_THRESHOLDS,
    Accumulation,
    accumulation_of,
    group_accumulation_of,
)
from mprof.patterns.external_load import EXTERNAL_LOAD_THRESHOLDS, external_load_of
from mprof.patterns.failed_allocation import (
    IN_ONE_PIECE,
    NEXT_ARRAY,
    FailedAllocation,
    failed_allocation_of,
)
from mprof.patterns.finding import Absent, found
from mprof.patterns.fits import FITS_THRESHOLDS, Fits, fits_of
from mprof.patterns.forecast import FORECAST_THRESHOLDS, Forecast, forecast_of
from mprof.patterns.groups import MEDIAN_GROUPS, GroupsBeside, groups_beside_of, ordinary_group_of
from mprof.patterns.growth import GROWTH_THRESHOLDS, Growing, find_growth, subject_of
from mprof.patterns.growth.subject import SMALL_SHARE
from mprof.patterns.hot_key import HOT_KEY_THRESHOLDS, HotKey, hot_key_of
from mprof.patterns.jump import JUMP_THRESHOLDS, Jump, jump_of
from mprof.patterns.memory_model import LEAST_ROOM, MemoryModel, memory_model_of
from mprof.patterns.partitions import (
    BALANCE_THRESHOLDS,
    IN_QUESTION_THRESHOLDS,
    Balance,
    InQuestion,
    balance_of,
    in_question_of,
)
from mprof.patterns.passed import BEYOND_THRESHOLDS
from mprof.patterns.records import (
    RECORD_SIZE_THRESHOLDS,
    RECORD_THRESHOLDS,
    RecordInFlight,
    RecordSize,
    record_in_flight_of,
    record_size_of,
)
from mprof.patterns.shared_out import MOST_REDUCERS, SharedOut, shared_out_of
from mprof.patterns.shuffle import (
    SHUFFLE_THRESHOLDS,
    ShuffledData,
    UserCode,
    death_in_shuffle_of,
    shuffled_data_of,
    user_code_of,
)
from mprof.patterns.sizes import HUGE
from mprof.patterns.split_need import SplitNeed, split_need_of
from mprof.threshold import Threshold

__all__ = ["FACTS_OF", "THRESHOLDS_OF", "Patterns", "find_patterns"]


@dataclass(frozen=True, slots=True)
class Patterns:
    """What was found in the evidence about one attempt.

    Attributes:
        memory_model: what it had in memory, and what it would need of other data.
        account: the heap at death, item by item.
        failed_allocation: the object that could not be allocated.
        map_growth: objects that live as long as the map task, where they grow over its records.
        reduce_growth: objects that live as long as the reduce task, over its groups.
        group_growth: objects that live as long as one group, over the records of G_m.
        map_accumulation: the first, where they are huge or will be (rule 1).
        reduce_accumulation: the second (rule 2).
        group_accumulation: the third, or what was made of the whole group at once (rule 3).
        split_need: what the map task would need at the end of its split (rule 9-1).
        jump: the growth at R_n (rule 4).
        record_in_flight: R_n, and what it holds of the heap (rule 8).
        record_size: R_n against the records before it (rule 8).
        external_load: what was loaded before the data (rule 5).
        shuffled_data: map output that the reducer holds (rule 9-2).
        user_code: whether user code ran beside it, and how far it was (rule 9-2).
        balance: how the partitions compare.
        hot_key: the key that is what its partition has more, by the map tasks (rules 6-2 and 7).
        partition_in_question: the failed reducer's, where it may be at fault (rules 6-1 and 6-2).
        shared_out: what a reducer would need of ten times as many (rule 6-1).
        groups_beside: G_m against the groups of all reducers (rule 7).
        ordinary_group: words saying that an ordinary group would not fit either (rule 7).
        forecast: at how much input it would have died, where it did not.
        fits: how much more input would have fitted, where it did not die.
    """

    memory_model: MemoryModel | Unknown
    account: Account | Unknown
    failed_allocation: FailedAllocation
    map_growth: Growing | Absent | Unknown
    reduce_growth: Growing | Absent | Unknown
    group_growth: Growing | Absent | Unknown
    map_accumulation: Accumulation | Absent | Unknown
    reduce_accumulation: Accumulation | Absent | Unknown
    group_accumulation: Accumulation | Absent | Unknown
    split_need: SplitNeed | Unknown
    jump: Jump | Absent | Unknown
    record_in_flight: RecordInFlight
    record_size: RecordSize | Absent | Unknown
    external_load: ExternalLoad | Absent | Unknown
    shuffled_data: ShuffledData | Absent | Unknown
    user_code: UserCode | Absent | Unknown
    balance: Balance | Absent | Unknown
    hot_key: HotKey | Absent | Unknown
    partition_in_question: InQuestion | Absent | Unknown
    shared_out: SharedOut | Absent | Unknown
    groups_beside: GroupsBeside | Absent | Unknown
    ordinary_group: str | Absent | Unknown
    forecast: Forecast | Absent | Unknown
    fits: Fits | Absent | Unknown

    @property
    def growths(self) -> tuple[Growing | Absent | Unknown, ...]:
        """Growth of every lifecycle, the longest first."""
        return (self.map_growth, self.reduce_growth, self.group_growth)

    def growth(self, lifecycle: Lifecycle) -> Growing | None:
        """Growth of one lifecycle, None where there is none or it is not known."""
        of = {"map": self.map_growth, "reduce": self.reduce_growth, "group": self.group_growth}
        return found(of[lifecycle]) if lifecycle in of else None

    @property
    def memory(self) -> MemoryModel | None:
        """The memory model, None where the size of the heap is not known."""
        return known(self.memory_model)


_GROWTH_FACTS = (
    "records_at_once",
    "series", "holders", "composition", "memory", "external", "position", "groups", "progress",
    "partitions", "verification", "place", "records",
)  # fmt: skip
_ACCUMULATION_FACTS = (*_GROWTH_FACTS, "record_growth", "stack", "reducers")

THRESHOLDS_OF: Final[Mapping[str, tuple[Threshold, ...]]] = {
    "memory_model": (LEAST_ROOM,),
    "account": (HUGE,),
    "failed_allocation": (NEXT_ARRAY, IN_ONE_PIECE, SMALL_SHARE),
    "map_growth": GROWTH_THRESHOLDS,
    "reduce_growth": GROWTH_THRESHOLDS,
    "group_growth": GROWTH_THRESHOLDS,
    "map_accumulation": ACCUMULATION_THRESHOLDS,
    "reduce_accumulation": ACCUMULATION_THRESHOLDS,
    "group_accumulation": GROUP_ACCUMULATION_THRESHOLDS,
    "split_need": GROWTH_THRESHOLDS,
    "jump": JUMP_THRESHOLDS,
    "record_in_flight": RECORD_THRESHOLDS,
    "record_size": RECORD_SIZE_THRESHOLDS,
    "external_load": EXTERNAL_LOAD_THRESHOLDS,
    "shuffled_data": SHUFFLE_THRESHOLDS,
    "user_code": (),
    "balance": BALANCE_THRESHOLDS,
    "hot_key": HOT_KEY_THRESHOLDS,
    "partition_in_question": IN_QUESTION_THRESHOLDS,
    "shared_out": (MOST_REDUCERS, *IN_QUESTION_THRESHOLDS),
    "groups_beside": BEYOND_THRESHOLDS,
    "ordinary_group": (MEDIAN_GROUPS, *GROWTH_THRESHOLDS),
    "forecast": (*GROWTH_THRESHOLDS, *FORECAST_THRESHOLDS),
    "fits": (*GROWTH_THRESHOLDS, *FITS_THRESHOLDS),
}
"""The numbers that decide each pattern, and so every rule that takes it."""

FACTS_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "memory_model": ("memory", "composition", "holders", "place"),
    "account": ("memory", "composition", "holders", "map_buffer", "stack", "place", "records"),
    "failed_allocation": ("memory", "composition", "holders", "stack", "place", "records"),
    "map_growth": _GROWTH_FACTS,
    "reduce_growth": _GROWTH_FACTS,
    "group_growth": _GROWTH_FACTS,
    "map_accumulation": _ACCUMULATION_FACTS,
    "reduce_accumulation": _ACCUMULATION_FACTS,
    "group_accumulation": (*_ACCUMULATION_FACTS, "groups", "records"),
    "split_need": _GROWTH_FACTS,
    "jump": (*_ACCUMULATION_FACTS, "records"),
    "record_in_flight": ("records", "position", "composition", "memory", "split", "place"),
    "record_size": ("records", "memory"),
    "external_load": ("external", *_ACCUMULATION_FACTS),
    "shuffled_data": ("shuffle", "composition", "holders", "place"),
    "user_code": ("shuffle", "composition", "place", "progress"),
    "balance": ("partitions",),
    "hot_key": ("partitions",),
    "partition_in_question": ("shuffle", "conf", *_ACCUMULATION_FACTS),
    "shared_out": ("shuffle", "conf", "groups", "partitions", "records", *_ACCUMULATION_FACTS),
    "groups_beside": ("groups", "verification"),
    "ordinary_group": _GROWTH_FACTS,
    "forecast": ("series", "memory", "peak", "split", "partitions", "fullest_group"),
    "fits": ("series", "memory", "peak", "fullest_group"),
}
"""The facts that each pattern is found in, by their names."""


def find_patterns(evidence: Evidence) -> Patterns:
    """Everything that is found in the evidence about one attempt."""
    memory = memory_model_of(evidence)
    allocation = failed_allocation_of(evidence, known(memory))

    map_level = subject_of(evidence, "map")
    reduce_level = subject_of(evidence, "reduce")
    group_level = subject_of(evidence, "group")
    map_growth = find_growth(map_level)
    reduce_growth = find_growth(reduce_level)
    group_growth = find_growth(group_level)

    account = account_of(evidence, memory, allocation)
    of_map = accumulation_of(evidence, map_growth, memory, allocation, account, "map")
    of_reduce = accumulation_of(evidence, reduce_growth, memory, allocation, account, "reduce")
    of_group = group_accumulation_of(
        evidence, group_growth, memory, allocation, account, known(group_level.holders) or ()
    )
    of_task = of_reduce if evidence.is_reduce else of_map

    record_size = record_size_of(evidence, known(memory))
    shuffled = shuffled_data_of(evidence)
    balance = balance_of(evidence.partitions)
    died_shuffling = death_in_shuffle_of(evidence, shuffled, memory)
    in_question = in_question_of(evidence, of_reduce, died_shuffling, balance, allocation, of_group)
    return Patterns(
        memory_model=memory,
        account=account,
        failed_allocation=allocation,
        map_growth=map_growth,
        reduce_growth=reduce_growth,
        group_growth=group_growth,
        map_accumulation=of_map,
        reduce_accumulation=of_reduce,
        group_accumulation=of_group,
        split_need=split_need_of(evidence, map_growth, known(map_level.holders) or (), memory),
        jump=jump_of(evidence, (map_growth, reduce_growth, group_growth), memory, allocation),
        record_in_flight=record_in_flight_of(evidence, record_size),
        record_size=record_size,
        external_load=external_load_of(evidence, memory, of_task),
        shuffled_data=shuffled,
        user_code=user_code_of(evidence, shuffled),
        balance=balance,
        hot_key=hot_key_of(evidence.partitions, balance),
        partition_in_question=in_question,
        shared_out=shared_out_of(evidence, in_question, memory, of_group),
        groups_beside=groups_beside_of(evidence),
        ordinary_group=ordinary_group_of(evidence, group_growth),
        forecast=forecast_of(evidence),
        fits=fits_of(evidence),
    )
