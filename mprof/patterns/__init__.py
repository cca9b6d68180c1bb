"""What is found in the facts: growth, jumps, skew, the memory model. Rules are stated over it."""

from __future__ import annotations

from mprof.patterns.account import Account, Item
from mprof.patterns.accumulation import (
    GREW_AT_ONCE,
    NEARLY_FINISHED,
    Accumulation,
)
from mprof.patterns.child import MOST_OF_THE_HEAP, ChildUse, child_use_of, program_text
from mprof.patterns.container import (
    CONTAINER_KINDS,
    OF_A_JVM,
    ContainerUse,
    MemoryPart,
    MemoryPlace,
    container_use_of,
)
from mprof.patterns.container_room import own_container_bytes, room_sentences
from mprof.patterns.failed_allocation import IN_ONE_PIECE, FailedAllocation, enlargement_phrase
from mprof.patterns.find import FACTS_OF, THRESHOLDS_OF, Patterns, find_patterns
from mprof.patterns.finding import Absent, Confidence, EvidenceLevel, found
from mprof.patterns.fits import Fits
from mprof.patterns.forecast import Forecast, Outlook, outlook_of
from mprof.patterns.groups import ComparedGroup, ComparedSize, GroupsBeside, size_in_words
from mprof.patterns.growth import Growing, counts_so_far
from mprof.patterns.hot_key import HotKey
from mprof.patterns.jump import SHARP, Jump
from mprof.patterns.memory_model import MemoryModel
from mprof.patterns.partitions import (
    BACK_TO_MEAN,
    OF_MEAN_SIZE,
    Balance,
    InQuestion,
    own_partitioner,
)
from mprof.patterns.passed import LARGER
from mprof.patterns.records import RecordInFlight, RecordSize
from mprof.patterns.shared_out import MOST_REDUCERS, SharedOut
from mprof.patterns.shuffle import ShuffledData, UserCode
from mprof.patterns.sizes import HUGE, ONE_OF_SEVERAL, WORTH_A_RUN
from mprof.patterns.split_need import SplitNeed
from mprof.patterns.steepest import Steepest, steepest_growth
from mprof.patterns.verified import OF_THE_RECORD, Alone, alone_of
from mprof.patterns.where import Where, caller_of, where_of

__all__ = [
    "BACK_TO_MEAN",
    "CONTAINER_KINDS",
    "FACTS_OF",
    "GREW_AT_ONCE",
    "HUGE",
    "IN_ONE_PIECE",
    "LARGER",
    "MOST_OF_THE_HEAP",
    "MOST_REDUCERS",
    "NEARLY_FINISHED",
    "OF_A_JVM",
    "OF_MEAN_SIZE",
    "OF_THE_RECORD",
    "ONE_OF_SEVERAL",
    "SHARP",
    "THRESHOLDS_OF",
    "WORTH_A_RUN",
    "Absent",
    "Account",
    "Accumulation",
    "Alone",
    "Balance",
    "ChildUse",
    "ComparedGroup",
    "ComparedSize",
    "Confidence",
    "ContainerUse",
    "EvidenceLevel",
    "FailedAllocation",
    "Fits",
    "Forecast",
    "GroupsBeside",
    "Growing",
    "HotKey",
    "InQuestion",
    "Item",
    "Jump",
    "MemoryModel",
    "MemoryPart",
    "MemoryPlace",
    "Outlook",
    "Patterns",
    "RecordInFlight",
    "RecordSize",
    "SharedOut",
    "ShuffledData",
    "SplitNeed",
    "Steepest",
    "UserCode",
    "Where",
    "alone_of",
    "caller_of",
    "child_use_of",
    "container_use_of",
    "counts_so_far",
    "enlargement_phrase",
    "find_patterns",
    "found",
    "outlook_of",
    "own_container_bytes",
    "own_partitioner",
    "program_text",
    "room_sentences",
    "size_in_words",
    "steepest_growth",
    "where_of",
]
