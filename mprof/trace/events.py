"""The agent's events as types: ``docs/reference/event-log.md`` in Python.

msgspec structs instead of dataclasses, because the log is decoded by its ``type`` member into the
right one of them, at several hundred thousand lines a second. Frozen all the same.
A member whose value was not known is absent in the log and None here.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import field

from mprof.trace.position import Position
from mprof.trace.sketch import Sketch

__all__ = [
    "FORMAT",
    "Attach",
    "Copy",
    "CountedGroup",
    "CrawlEvent",
    "DumpEvent",
    "DumpRemoved",
    "End",
    "Event",
    "FailedRecord",
    "Failure",
    "FailureCause",
    "Fault",
    "Fetch",
    "GroupEntry",
    "Groups",
    "Histogram",
    "KeySample",
    "Loss",
    "MapBufferEvent",
    "MapOutput",
    "MemoryEvent",
    "MergeMap",
    "OomDump",
    "Open",
    "PartitionLists",
    "PatchMissed",
    "Phase",
    "Pool",
    "ProbeSkipped",
    "ProcessEvent",
    "Reason",
    "RecordEntry",
    "Records",
    "ReduceInput",
    "Rest",
    "ShuffleLimits",
    "ShuffleMerge",
    "Spill",
    "SplitEvent",
    "Verify",
]


FORMAT: Final = 2
"""The version of the event log that is read: ``Events.VERSION`` of the agent."""


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """What every event has: format version, sequence number, epoch milliseconds."""

    v: int = FORMAT
    n: int = 0
    t: int = 0


class Pool(msgspec.Struct, frozen=True):
    """A memory pool of the JVM; ``max`` is None where the JVM gives no bound."""

    name: str
    max: int | None = None


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """Why the agent did not do something: a code and those parameters that it has.

    ``mprof.trace.reasons`` makes words of it. ``class_name`` and ``message`` are of an error.
    """

    code: str
    count: int | None = None
    percent: int | None = None
    seconds: int | None = None
    file: str | None = None
    name: str | None = None
    scheme: str | None = None
    detail: str | None = None
    class_name: str | None = field(default=None, name="class")
    message: str | None = None


class OomDump(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the JVM writes a dump at its first OutOfMemoryError, else why not.

    ``path`` is where the user wanted it; None where they did not say.
    """

    armed: bool
    path: str | None = None
    why: Reason | None = None


class Attach(Event, frozen=True, kw_only=True, tag="attach"):
    """The agent is in: attempt, JVM, collectors."""

    agent: str | None = None
    attempt: str | None = None
    task_type: str | None = None
    index: int | None = None
    attempt_number: int | None = None
    mode: str | None = None
    run: str | None = None
    pid: int | None = None
    host: str | None = None
    java_version: str | None = None
    vm: str | None = None
    heap_max: int | None = None
    collectors: tuple[str, ...] = ()
    pools: tuple[Pool, ...] = ()
    oom_dump: OomDump | None = None
    patches: str | None = None
    hadoop_version: str | None = None


class Phase(Event, frozen=True, kw_only=True, tag="phase"):
    """A phase begins or ends."""

    phase: str
    edge: str
    at: Position | None = None


class SplitEvent(Event, frozen=True, kw_only=True, tag="split"):
    """The input split of a map task."""

    path: str | None = None
    start: int | None = None
    length: int | None = None
    class_name: str | None = field(default=None, name="class")


class Open(Event, frozen=True, kw_only=True, tag="open"):
    """A file opened through Hadoop's FileSystem by the task."""

    path: str
    length: int | None = None
    at: Position | None = None


class MapBufferEvent(Event, frozen=True, kw_only=True, tag="map_buffer"):
    """The sort buffer is asked for (``request``) or there (``ready``)."""

    edge: str
    bytes: int | None = None
    spill_percent: float | None = None


class PartitionLists(msgspec.Struct, frozen=True):
    """Equally long lists, one entry a partition.

    ``every_key_*`` have one entry a key instead, partition after partition, as many of each as
    ``keys`` says; they are left out where there are too many keys.
    """

    records: tuple[int, ...] = ()
    keys: tuple[int, ...] = ()
    raw_bytes: tuple[int, ...] = ()
    compressed_bytes: tuple[int, ...] = ()
    combine_in: tuple[int, ...] = ()
    largest_key_records: tuple[int, ...] = ()
    largest_key_bytes: tuple[int, ...] = ()
    largest_key_digest: tuple[str, ...] = ()
    every_key_records: tuple[int, ...] = ()
    every_key_bytes: tuple[int, ...] = ()
    every_key_digest: tuple[str, ...] = ()


class Spill(Event, frozen=True, kw_only=True, tag="spill"):
    """A spill of the sort buffer."""

    spill: int
    edge: str
    records_in: int | None = None
    bytes_in: int | None = None
    reason: str | None = None
    partitions: PartitionLists | None = None


class MapOutput(Event, frozen=True, kw_only=True, tag="map_output"):
    """What a map task leaves for the shuffle."""

    partitions: PartitionLists = PartitionLists()
    spills: int | None = None
    combined: bool | None = None


class KeySample(Event, frozen=True, kw_only=True, tag="key_sample"):
    """Keys of a map output, base64, each with the records since the one before it."""

    records: int | None = None
    keys: tuple[tuple[str, int], ...] = ()


class MergeMap(Event, frozen=True, kw_only=True, tag="merge_map"):
    """The map-side merge of spills."""

    edge: str
    segments: int | None = None
    partition: int | None = None
    combined: bool | None = None


class ShuffleLimits(Event, frozen=True, kw_only=True, tag="shuffle_limits"):
    """What the shuffle may hold in memory."""

    memory_limit: int | None = None
    merge_threshold: int | None = None
    max_single_segment: int | None = None
    fetchers: int | None = None


class Fetch(Event, frozen=True, kw_only=True, tag="fetch"):
    """A segment is reserved, fetched, or failed."""

    edge: str
    map: str | None = None
    raw_bytes: int | None = None
    compressed_bytes: int | None = None
    to: str | None = None
    used: int | None = None
    thread: str | None = None


class ShuffleMerge(Event, frozen=True, kw_only=True, tag="shuffle_merge"):
    """A merge on the reduce side."""

    kind: str
    edge: str
    segments: int | None = None
    maps: tuple[str, ...] = ()
    raw_bytes: int | None = None
    records_in: int | None = None
    records_out: int | None = None
    keys: int | None = None
    combined: bool | None = None


class ReduceInput(Event, frozen=True, kw_only=True, tag="reduce_input"):
    """What the merge in front of reduce() reads."""

    memory_segments: int | None = None
    memory_bytes: int | None = None
    disk_segments: int | None = None
    disk_bytes: int | None = None
    records: int | None = None


class GroupEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One group: ordinal, size so far, digest of its key, and the key where it was asked for."""

    group: int | None = None
    records: int | None = None
    bytes: int | None = None
    digest: str | None = None
    key: str | None = None


class Groups(Event, frozen=True, kw_only=True, tag="groups"):
    """The groups finished so far, and the open one."""

    scope: str
    count: int = 0
    records: Sketch | None = None
    bytes: Sketch | None = None
    largest_by_records: tuple[GroupEntry, ...] = ()
    largest_by_bytes: tuple[GroupEntry, ...] = ()
    current: GroupEntry | None = None
    whole: bool = False


class RecordEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One record: ordinal (in its scope), group, size, digest."""

    record: int | None = None
    group: int | None = None
    bytes: int | None = None
    digest: str | None = None


class Records(Event, frozen=True, kw_only=True, tag="records"):
    """The records before the one in flight, and that one."""

    scope: str
    count: int = 0
    bytes: Sketch | None = None
    largest: tuple[RecordEntry, ...] = ()
    current: RecordEntry | None = None


class MemoryEvent(Event, frozen=True, kw_only=True, tag="memory"):
    """The heap after a collection; ``start`` and ``end`` in ms since the JVM began."""

    collector: str | None = None
    action: str | None = None
    cause: str | None = None
    major: bool | None = None
    start: int | None = None
    end: int | None = None
    used_before: int | None = None
    used_after: int | None = None
    old_used_after: int | None = None
    old_max: int | None = None
    skipped: int | None = None
    at: Position | None = None


class CrawlEvent(Event, frozen=True, kw_only=True, tag="crawl"):
    """Some seconds of which collections took the larger part.

    Over the last ``ms`` milliseconds: those in collections, how many there were of the whole heap,
    the least of the heap that was seen in use.
    """

    ms: int | None = None
    collecting_ms: int | None = None
    collections: int | None = None
    used: int | None = None
    at: Position | None = None


class ProcessEvent(Event, frozen=True, kw_only=True, tag="process"):
    """What the kernel counts as memory of the JVM's process, and what the JVM knows of it."""

    resident: int | None = None
    resident_peak: int | None = None
    anonymous: int | None = None
    of_files: int | None = None
    virtual: int | None = None
    threads: int | None = None
    heap_used: int | None = None
    heap_committed: int | None = None
    direct: int | None = None
    direct_buffers: int | None = None
    non_heap: int | None = None
    at: Position | None = None


class Histogram(Event, frozen=True, kw_only=True, tag="histogram"):
    """A live class histogram: ``classes`` are (name, objects, bytes), the largest."""

    reason: str | None = None
    seconds: float | None = None
    at: Position | None = None
    total_bytes: int | None = None
    total_objects: int | None = None
    classes: tuple[tuple[str, int, int], ...] = ()
    point: str | None = None
    ordinal: int | None = None
    group: int | None = None


class DumpEvent(Event, frozen=True, kw_only=True, tag="dump"):
    """A heap dump was written into the attempt's folder."""

    file: str
    reason: str | None = None
    point: str | None = None
    ordinal: int | None = None
    group: int | None = None
    seconds: float | None = None
    bytes: int | None = None
    at: Position | None = None

    @property
    def is_of_death(self) -> bool:
        """Whether it was made at an OutOfMemoryError, or while the task crawled in a full heap."""
        return self.reason in {"oom", "crawl"}


class DumpRemoved(Event, frozen=True, kw_only=True, tag="dump_removed"):
    """A probe dump was deleted again: there were more than the plan's points."""

    file: str
    why: Reason | None = None


class ProbeSkipped(Event, frozen=True, kw_only=True, tag="probe_skipped"):
    """A probe of the plan was not made."""

    point: str | None = None
    ordinal: int | None = None
    why: Reason | None = None


class FailureCause(msgspec.Struct, frozen=True, kw_only=True):
    """A cause of a failure."""

    class_name: str = field(name="class")
    message: str | None = None
    stack: tuple[str, ...] = ()


class FailedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The record in flight when something failed."""

    ordinal: int | None = None
    bytes: int | None = None
    digest: str | None = None


class Failure(Event, frozen=True, kw_only=True, tag="failure"):
    """An error left the user's code or the framework."""

    class_name: str = field(name="class")
    thread: str | None = None
    message: str | None = None
    stack: tuple[str, ...] = ()
    causes: tuple[FailureCause, ...] = ()
    at: Position | None = None
    record: FailedRecord | None = None
    place: str | None = None

    @property
    def is_of_task(self) -> bool:
        """Whether it is of a thread that does the task's work.

        Memory that runs out hits any thread: one of Hadoop's, or one that the job has started, may
        die just before the task's own or after it. The agent writes ``other`` as its place, and as
        that of the commit, which the thread ``main`` of ``YarnChild`` makes.
        """
        return self.place != "other" or self.thread == "main"


class OtherGroups(msgspec.Struct, frozen=True, kw_only=True):
    """Groups beside G_m, in a `verify` or a `rest` event: sizes of those read to their end."""

    records: Sketch | None = None
    bytes: Sketch | None = None


class Verify(Event, frozen=True, kw_only=True, tag="verify"):
    """A step of the R_n-only run; ``end``: the pass or partition was read to its end.

    ``warm_up`` records were handed to user code before R_n. Before R_n ``live`` bytes were live,
    and ``ballast`` was added to come to ``target``, or as near as a margin allows (``capped``);
    ``target_is``: that is the ``least`` or the ``most`` that was live in the job.
    ``room_lost``: user code has lived with an error on R_n, and had all the room after it.
    ``control``: the record to warm up at which user code failed was the one in the room of R_n.
    """

    step: str
    ordinal: int | None = None
    digest: str | None = None
    warm_up: int | None = None
    target: int | None = None
    target_is: str | None = None
    live: int | None = None
    ballast: int | None = None
    same_room: bool | None = None
    capped: bool = False
    room_lost: bool = False
    control: bool = False
    why: Reason | None = None
    class_name: str | None = field(default=None, name="class")
    message: str | None = None
    records: int | None = None
    bytes: int | None = None
    whole: bool | None = None
    end: bool | None = None
    others: OtherGroups | None = None


class CountedGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A group as far as it was read; ``whole``: to its end."""

    records: int
    bytes: int | None = None
    digest: str | None = None
    whole: bool = False


class Rest(Event, frozen=True, kw_only=True, tag="rest"):
    """What was left of the input of reduce() or combine() when memory ran out, counted.

    ``group`` is G_m, ``others`` are the groups before and after it; ``end``: the partition or pass
    was read to its end. ``records`` were read after the failure.
    """

    scope: str
    group: CountedGroup
    others: OtherGroups | None = None
    end: bool = False
    records: int | None = None
    seconds: float | None = None


class Copy(Event, frozen=True, kw_only=True, tag="copy"):
    """The copy to the capture folder began to fail, or works again."""

    ok: bool | None = None
    what: str | None = None
    why: Reason | None = None


class Loss(Event, frozen=True, kw_only=True, tag="loss"):
    """The agent left something out, and how often."""

    what: str | None = None
    count: int | None = None


class Fault(Event, frozen=True, kw_only=True, tag="fault"):
    """A fault of the agent itself, kept from the job.

    ``where`` is the code of a part of the agent, ``what`` that part was at work on: the patched
    method of a ``hook`` (its ``row`` of the patch table besides), the point of a ``probe`` (and
    its ``ordinal``).
    """

    where: str | None = None
    what: str | None = None
    row: str | None = None
    ordinal: int | None = None
    class_name: str | None = field(default=None, name="class")
    message: str | None = None


class PatchMissed(Event, frozen=True, kw_only=True, tag="patch_missed"):
    """A row of the patch table did not find its method or call in the class as loaded."""

    row: str | None = None
    why: Reason | None = None


class End(Event, frozen=True, kw_only=True, tag="end"):
    """The last event of an attempt that ended by itself."""

    outcome: str | None = None
    at: Position | None = None
