"""What a heap dump of a task says about memory: owners, holders, the code that holds them.

Everything here is a frozen value that msgspec writes to and reads from JSON; a capture keeps one
``HeapObjects`` a dump as ``snapshot-<name>.json``. Sizes are bytes, shallow sizes of real objects.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = [
    "FRAMEWORK_PARTS",
    "LARGE_OBJECT_BYTES",
    "LISTED_BYTES",
    "LISTED_HOLDERS",
    "OWNERS",
    "CodeSite",
    "FrameBytes",
    "FrameworkPart",
    "HeapObjects",
    "Holder",
    "Lifecycle",
    "LifecycleBytes",
    "Owner",
    "OwnerBytes",
    "PartName",
    "PathStep",
    "Place",
    "Segment",
    "Side",
    "SnapshotPoint",
]

LARGE_OBJECT_BYTES = 3 * 1024 * 1024
"""A holder of this size is a large object (paper 5.1: "e.g. 3MB+")."""

LISTED_BYTES = 64 * 1024
"""Holders from this size on are listed: a curve needs its small beginnings too."""

LISTED_HOLDERS = 200
"""At most so many holders are listed, the largest; sums are complete whatever is listed."""

Side = Literal["map", "reduce", "unknown"]
"""Which kind of task the dump is of."""

Owner = Literal[
    "framework",
    "record_in_flight",
    "record_being_written",
    "serialization",
    "user",
    "other",
]
OWNERS: tuple[Owner, ...] = (
    "framework",
    "record_in_flight",
    "record_being_written",
    "serialization",
    "user",
    "other",
)
"""Every live byte has exactly one of these. ``other``: the JVM, the JDK, logging, the agent."""

Lifecycle = Literal["map", "reduce", "group", "record", "setup", "none"]
"""How long the memory of a holder can live (paper 4.2.1).

``map``, ``reduce``: a field of the mapper, reducer or combiner, a static, a local of an overridden
run(). ``group``: a local of reduce() or combine(), or of a helper that itself walks the values.
``record``: a local of map(), or of what map() or the loop over the values calls. ``setup``: held
while no record has been seen. ``none``: none of these (buffers of the framework, locals of
cleanup()). A reducer's field that is cleared for each group looks like ``reduce`` in one dump;
only the curve over several dumps tells.
"""

Place = Literal["init", "setup", "map", "combine", "reduce", "cleanup", "shuffle", "sort", "other"]
"""Where the thread of interest stood. The same words as ``place`` in the event log."""

PartName = Literal[
    "sort_buffer",
    "shuffle_in_memory",
    "shuffle_fetching",
    "shuffle_merging",
    "shuffle_leftover",
    "other",
]
FRAMEWORK_PARTS: tuple[PartName, ...] = (
    "sort_buffer",
    "shuffle_in_memory",
    "shuffle_fetching",
    "shuffle_merging",
    "shuffle_leftover",
    "other",
)
"""The parts of the framework's memory.

``sort_buffer``: the map task's kvbuffer. ``shuffle_in_memory``: fetched segments that wait for a
merge. ``shuffle_fetching``: segments being fetched. ``shuffle_merging``: segments that a running
merge, or the merge that feeds reduce(), reads. ``shuffle_leftover``: segments that no list names
any more and only a buffer of a comparator or a merge still pins. ``other``: everything else.
"""


@dataclass(frozen=True, slots=True)
class CodeSite:
    """A method, and the line where it stood; ``file`` and ``line`` are None where unknown."""

    class_name: str
    method: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of a holder path.

    ``name`` is ``this``, ``local``, ``static``, a field name, or ``[i]`` for the elements of an
    array; ``class_name`` is the class of the object that the step leads to.
    """

    name: str
    class_name: str


@dataclass(frozen=True, slots=True)
class Holder:
    """A logical object that holds memory, the same through all dumps of a task.

    Attributes:
        key: identity that survives moving addresses and is equal in the next dump, such as
            ``field com.x.WordMapper.counts``, ``static com.x.Cache.MAP``,
            ``local com.x.Sum.reduce java.util.ArrayList`` (``#2`` for the second of a class in
            one frame), ``written com.x.Sum.reduce org.apache.hadoop.io.Text``, ``record value``,
            ``unheld java.util.ArrayList`` where the dump does not say who holds it.
        owner: whose memory.
        lifecycle: how long it can live.
        class_name: class of the accumulation point, the container the memory really stands in.
        bytes: what it holds, counted once over all holders of a dump.
        length: elements in the container, None where it is none.
        element_class: class of most elements (values, for a map).
        key_class: class of most keys of a map.
        capacity: slots of the container's array.
        site: the topmost user frame that has an object of the path among its locals.
        thread: name of that frame's thread.
        path: from ``site`` (or the class, for a static) to the accumulation point and one step in.
        field_path: the same as one word up to the container: ``this.counts``.
        doubling: its container was being enlarged at this moment, so two arrays were alive.
    """

    key: str
    owner: Owner
    lifecycle: Lifecycle
    class_name: str
    bytes: int
    length: int | None = None
    element_class: str | None = None
    key_class: str | None = None
    capacity: int | None = None
    site: CodeSite | None = None
    thread: str | None = None
    path: tuple[PathStep, ...] = ()
    field_path: str | None = None
    doubling: bool = False


@dataclass(frozen=True, slots=True)
class Segment:
    """A map output in the reducer's memory; ``map_attempt`` is None where nothing tells it."""

    bytes: int
    map_attempt: str | None = None


@dataclass(frozen=True, slots=True)
class FrameworkPart:
    """One part of the framework's memory; ``segments`` is empty for what has none."""

    part: PartName
    bytes: int
    count: int
    segments: tuple[Segment, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnerBytes:
    """Bytes and objects of one owner."""

    owner: Owner
    bytes: int
    objects: int


@dataclass(frozen=True, slots=True)
class LifecycleBytes:
    """User bytes of one lifecycle: the sum over all holders, listed or not."""

    lifecycle: Lifecycle
    bytes: int


@dataclass(frozen=True, slots=True)
class FrameBytes:
    """A frame of the thread of interest and the user memory its locals reach.

    ``share`` is ``user_bytes`` over all user bytes of the dump (paper Figure 5); frames share what
    they reach, so shares do not add up to 1. ``class_name`` and the rest as in ``CodeSite``.
    """

    class_name: str
    method: str
    file: str | None
    line: int | None
    user_bytes: int
    share: float
    is_user: bool


@dataclass(frozen=True, slots=True)
class SnapshotPoint:
    """Which moment of the task a dump shows, as the one who asked for it knows it.

    Attributes:
        name: stem of the dump's file name.
        at_death: the dump of the OutOfMemoryError.
        record: 1-based ordinal of the record about to be handed over, or in flight at death.
        group: 1-based ordinal of its group.
        record_in_group: 1-based ordinal within that group.
        bytes_read: bytes read by then, for points during set-up.
    """

    name: str
    at_death: bool = False
    record: int | None = None
    group: int | None = None
    record_in_group: int | None = None
    bytes_read: int | None = None


@dataclass(frozen=True, slots=True)
class HeapObjects:
    """Whose memory it is at one point, and which code holds it.

    Attributes:
        point: the moment.
        side: map or reduce task.
        place: where the thread of interest stood.
        live_bytes: all reachable bytes; the sum over ``owners``.
        live_objects: all reachable objects.
        owners: one entry for each of ``OWNERS``, in that order.
        framework: one entry for each of ``FRAMEWORK_PARTS``, in that order; they sum up to the
            framework's bytes.
        lifecycles: user bytes by lifecycle, without those that have none; they sum up to the
            user's bytes.
        holders: holders of at least ``LISTED_BYTES``, and the record in flight whatever its
            size; largest first. A holder that is absent here but listed in another dump of the
            task held less than that: take 0.
        thread: name of the thread of interest: that of the OutOfMemoryError where its stack tells
            of the job, else that of the probe, else the task's main thread.
        oom_thread: thread that hit the OutOfMemoryError, None where the dump is of no death.
        frames: frames of ``thread``, top first; a probe of the agent on top of them is left out.
        losses: what could not be read or decided, one sentence each.
        version: of this format.
    """

    point: SnapshotPoint
    side: Side
    place: Place
    live_bytes: int
    live_objects: int
    owners: tuple[OwnerBytes, ...]
    framework: tuple[FrameworkPart, ...]
    lifecycles: tuple[LifecycleBytes, ...]
    holders: tuple[Holder, ...]
    thread: str | None
    oom_thread: str | None
    frames: tuple[FrameBytes, ...]
    losses: tuple[str, ...] = field(default=())
    version: int = 1

    def bytes_of(self, owner: Owner) -> int:
        """Bytes of one owner."""
        return sum(entry.bytes for entry in self.owners if entry.owner == owner)

    def part(self, name: PartName) -> FrameworkPart:
        """One part of the framework's memory, empty where the dump has none of it."""
        for entry in self.framework:
            if entry.part == name:
                return entry
        return FrameworkPart(part=name, bytes=0, count=0)

    def held_by(self, lifecycle: Lifecycle) -> int:
        """User bytes of one lifecycle, complete."""
        return sum(entry.bytes for entry in self.lifecycles if entry.lifecycle == lifecycle)

    def large_holders(self, owner: Owner = "user") -> tuple[Holder, ...]:
        """The holders of one owner that are large objects, largest first."""
        return tuple(
            holder
            for holder in self.holders
            if holder.owner == owner and holder.bytes >= LARGE_OBJECT_BYTES
        )
