"""What a heap dump of a task says about memory: owners, holders, the code that holds them.

Everything here is a frozen value that msgspec writes to and reads from JSON; a capture keeps one
``HeapObjects`` a dump as ``snapshot-<name>.json``. Sizes are bytes, shallow sizes of real objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from mprof.code_site import CodeSite, ScriptSite
from mprof.engines import LIFECYCLES, Lifecycle, Lifetime, Place, Side

__all__ = [
    "FRAMEWORK_PARTS",
    "OWNERS",
    "SNAPSHOT_VERSION",
    "ClassBytes",
    "FrameworkPart",
    "HeapObjects",
    "Holder",
    "HolderKey",
    "HolderKind",
    "LifecycleBytes",
    "Owner",
    "OwnerBytes",
    "PartName",
    "PathStep",
    "SnapshotPoint",
    "StackFrame",
]

SNAPSHOT_VERSION = 2
"""Of the JSON: version 2 writes a holder's key as a value, version 1 wrote it as a text."""

Owner = Literal[
    "framework",
    "record_in_flight",
    "record_being_written",
    "serialization",
    "user",
    "writer",
    "reader",
    "library",
    "other",
]
OWNERS: tuple[Owner, ...] = (
    "framework",
    "record_in_flight",
    "record_being_written",
    "serialization",
    "user",
    "writer",
    "reader",
    "library",
    "other",
)
"""Every live byte has exactly one of these.

``writer``: what the job's record writers keep, such as a batch of rows. ``reader``: what its record
reader has read ahead. ``library``: what large static fields of Hadoop, of libraries and of the JDK
keep. ``other``: the JVM, the JDK, logging, the agent. A snapshot that was saved before there was an
owner lacks its entry: it had none of it.
"""

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


HolderKind = Literal[
    "field",
    "static",
    "local",
    "written",
    "piped",
    "record",
    "raw_record",
    "record_being_read",
    "buffer",
    "output_buffer",
    "writer",
    "reader",
    "framework",
    "softly_held",
    "finalizers",
    "thread_locals",
    "unattributed",
    "unheld",
    "nobody",
]
"""What holds the memory.

``field``: a field of a mapper, reducer, combiner or another class of the job that the framework
keeps. ``static``: a static field. ``local``: a local of a frame. ``written``: what only the frames
hold by which a user frame emits. ``piped``: what a thread holds that reads what a child process
writes. ``record``, ``raw_record``: a field of the framework or of a
record reader with the record in flight, decoded or not yet. ``record_being_read``: what only the
frames hold that read it. ``buffer``, ``output_buffer``: a field of a serialiser, or a stream of the
record writer. ``writer``: another field of a record writer. ``reader``: a field of a record reader,
or a local of a frame that reads, with many records. ``framework``: the framework's own.
``softly_held``: soft references alone. ``finalizers``: the queue of objects that wait for their
finalizer.
``thread_locals``: values of thread-locals that are no holder's field and no static.
``unattributed``: user objects that nothing of the user's holds, too many to be holders.
``unheld``: nothing that the dump shows. ``nobody``: the virtual machine's own memory.
"""

_KIND_WORDS: Final[Mapping[HolderKind, str]] = {
    "raw_record": "record raw",
    "record_being_read": "record being read",
    "output_buffer": "buffer output",
    "softly_held": "softly held",
    "finalizers": "waiting for finalizers",
    "thread_locals": "thread-locals with",
    "unattributed": "held by nothing of the user's",
}


@dataclass(frozen=True, slots=True)
class HolderKey:
    """Identity of a holder: it survives moving addresses and is equal in the next dump of a task.

    Its text (``str``) is for people and for an order that does not change from run to run; no code
    reads it again.

    Attributes:
        kind: what holds it.
        class_name: of the object whose field it is, of the static, or of the frame.
        method: of the frame.
        value_class: of the local, or of what nothing holds.
        fields: from there on; of the framework's objects the field, or the part of its memory.
        number: among the locals of their class in one frame, from 1; of the framework's parts.
        thread_local: it is the value that a thread-local on the way has in one thread.
    """

    kind: HolderKind
    class_name: str = ""
    method: str = ""
    value_class: str = ""
    fields: tuple[str, ...] = ()
    number: int = 1
    thread_local: bool = False

    def __str__(self) -> str:
        words = [_KIND_WORDS.get(self.kind, self.kind)]
        if self.method:
            words.append(f"{self.class_name}.{self.method}")
        if self.class_name and not self.method:
            words.append(".".join((self.class_name, *self.fields)))
        else:
            words.append(self.inner_text)
        if self.thread_local:
            words.append("(thread-local)")
        return " ".join(word for word in words if word)

    def __lt__(self, other: HolderKey) -> bool:
        return str(self) < str(other)

    @property
    def inner_text(self) -> str:
        """``java.util.ArrayList #2`` of a local, the fields of what is none."""
        number = f" #{self.number}" if self.number > 1 else ""
        value = (self.value_class + number,) if self.value_class else ()
        return ".".join((*value, *self.fields))

    @property
    def is_of_records(self) -> bool:
        """Whether it is of what a reader holds, or of the key or value that is handed out."""
        return self.kind in ("record", "raw_record", "record_being_read")

    @property
    def is_reused_record(self) -> bool:
        """Whether it is of the objects that Hadoop hands out again for each record."""
        return self.kind == "record" and self.fields in (("key",), ("value",))


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of a holder path.

    ``name`` is ``this``, ``local``, ``static``, a field name, or ``[i]`` for the elements of an
    array; ``class_name`` is the class of the object that the step leads to.
    """

    name: str
    class_name: str


@dataclass(frozen=True, slots=True)
class ClassBytes:
    """Shallow bytes of the objects of one class, by its name in source code (``byte[]``)."""

    class_name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Holder:
    """A logical object that holds memory, the same through all dumps of a task.

    Attributes:
        key: which logical object it is.
        owner: whose memory.
        lifecycle: how long it can live.
        class_name: class of the accumulation point, the container the memory really stands in; of
            several writers of the container that keeps them.
        bytes: what it holds, counted once over all holders of a dump.
        length: elements in the container, None where it is none; of what several writers of one
            class keep the writers.
        element_class: class of most elements (values, for a map), or of those writers.
        key_class: class of most keys of a map.
        capacity: slots of the container's array.
        spare_bytes: of that array, in no use, where its contents never needed so large a one: it
            held more before, or was made so large; 0 where they may have, and in a snapshot that
            was saved before they were counted.
        site: the topmost user frame that has an object of the path among its locals.
        thread: name of that frame's thread.
        path: from ``site`` (or the class, for a static) to the accumulation point and one step in.
        field_path: the same as one word up to the container: ``this.counts``.
        doubling: its container was being enlarged at this moment, so two arrays were alive.
        classes: of which classes the bytes are, the largest first, next to nothing left out; empty
            in a snapshot that was saved before they were.
        script: the statement of a script it belongs to: of an operator on its path, else of one
            that runs ``site``; None in a job without a script.
        frames: how many frames have such a local, where a method calls itself or runs in several
            threads; 1 of anything else.
        threads: how many threads have these frames; 1 of what is no local.
        shared_site: of several threads: the topmost user frame in which most of them stand.
        address: of the container in this dump; where there are several, of the largest.
        copies: of a static: in how many classes of its name, which different loaders have loaded;
            of a thread-local: in how many threads it has a value; of a field of record writers: in
            how many writers, as those of MultipleOutputs.
        inner_field: the last field on the path that the user's classes declare, where objects of
            libraries lead to it; or the library's field that holds the container, where a local is
            but a way there; of a library's static field with that word before it.
        declared_path: ``field_path`` up to the last field that the user's classes declare.
        within: the library's method, called by the frame, in which it is a local.
        calls: that method calls the frame instead, as a pool does.
        loaded: of a static: how many different objects classes of its name have in it.
        objects: how many objects of the class of ``inner_field`` have a large part of it in that.
        direct_bytes: outside the heap, of direct buffers among what it holds; in no other number.
        direct_buffers: how many they are.
        kept_by: of a static in several classes of its name: the holder that keeps their loaders; of
            several record writers: the holder that keeps them.
    """

    key: HolderKey
    owner: Owner
    lifecycle: Lifetime
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
    classes: tuple[ClassBytes, ...] = ()
    script: ScriptSite | None = None
    frames: int = 1
    address: int | None = None
    declared_path: str | None = None
    inner_field: str | None = None
    within: CodeSite | None = None
    calls: bool = False
    loaded: int = 1
    kept_by: str | None = None
    copies: int = 1
    threads: int = 1
    shared_site: CodeSite | None = None
    objects: int = 1
    spare_bytes: int = 0
    direct_bytes: int = 0
    direct_buffers: int = 0

    @property
    def lives_for(self) -> Lifecycle | None:
        """Its lifecycle over the data, None where this one dump cannot say."""
        return next((each for each in LIFECYCLES if each == self.lifecycle), None)


@dataclass(frozen=True, slots=True)
class FrameworkPart:
    """One part of the framework's memory, and of how many arrays it is."""

    part: PartName
    bytes: int
    count: int


@dataclass(frozen=True, slots=True)
class OwnerBytes:
    """Bytes and objects of one owner."""

    owner: Owner
    bytes: int
    objects: int


@dataclass(frozen=True, slots=True)
class LifecycleBytes:
    """User bytes of one lifecycle: the sum over all holders, listed or not."""

    lifecycle: Lifetime
    bytes: int


@dataclass(frozen=True, slots=True)
class StackFrame:
    """A frame of a thread and the user memory its locals reach.

    Attributes:
        class_name: as in `CodeSite`.
        method: as in `CodeSite`.
        file: as in `CodeSite`.
        line: as in `CodeSite`.
        user: whether the user wrote it.
        user_bytes: memory of the user's, of writers, readers and libraries that its locals reach;
            None where no dump tells.
        share: that over all such bytes of the dump (paper Figure 5). Frames share what they reach,
            so shares do not add up to 1.
        script: the statement of a script that its object was compiled from.
    """

    class_name: str
    method: str
    file: str | None = None
    line: int | None = None
    user: bool = False
    user_bytes: int | None = None
    share: float | None = None
    script: ScriptSite | None = None

    @property
    def site(self) -> CodeSite:
        """Its place in the code."""
        return CodeSite(self.class_name, self.method, self.file, self.line)


@dataclass(frozen=True, slots=True)
class SnapshotPoint:
    """Which moment of the task a dump shows, as the one who asked for it knows it.

    Attributes:
        name: stem of the dump's file name.
        at_death: the dump of the OutOfMemoryError.
        record: 1-based ordinal of the record about to be handed over, or in flight at death.
        group: 1-based ordinal of its group.
        record_in_group: 1-based ordinal within that group.
    """

    name: str
    at_death: bool = False
    record: int | None = None
    group: int | None = None
    record_in_group: int | None = None


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
        holders: holders of at least ``LISTED``, in the heap or in direct buffers, and the record in
            flight whatever its size; largest in the heap first. A holder that is absent here but
            listed in another dump of the task held less than that: take 0.
        thread: name of the thread of interest: that of the OutOfMemoryError where its stack tells
            of the job, else that of the probe, else the task's main thread.
        oom_thread: thread that hit the OutOfMemoryError, None where the dump is of no death.
        frames: frames of ``thread``, top first; a probe of the agent on top of them is left out.
        losses: what could not be read or decided, one sentence each.
        version: of this format.
        classes: the classes that take most of the heap, largest first, at most a hundred; empty in
            a snapshot that was saved before they were.
        records_at_once: records that user code was at work on at that moment, in threads of their
            own (a MultithreadedMapper); 1 of a task whose records come one after the other.
        unreachable_bytes: of objects that no root reaches; they are in no other number.
        lost_at_ends: bytes that no object can have in a heap of regions, by the size of a region
            (`REGION_BYTES`); empty in a snapshot that was saved before they were counted.
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
    frames: tuple[StackFrame, ...]
    losses: tuple[str, ...] = field(default=())
    version: int = SNAPSHOT_VERSION
    classes: tuple[ClassBytes, ...] = ()
    records_at_once: int = 1
    unreachable_bytes: int = 0
    lost_at_ends: tuple[int, ...] = ()

    def bytes_of(self, owner: Owner) -> int:
        """Bytes of one owner."""
        return sum(entry.bytes for entry in self.owners if entry.owner == owner)

    @property
    def user_bytes(self) -> int:
        """Memory of user code: what it keeps and what it is writing.

        What a child process writes is on no clock of the task's: it may be of any record before.
        """
        piped = sum(each.bytes for each in self.holders if each.key.kind == "piped")
        return self.bytes_of("user") + self.bytes_of("record_being_written") - piped

    @property
    def shuffle_bytes(self) -> int:
        """Map output that a reducer's heap holds, in whichever state."""
        return sum(each.bytes for each in self.framework if each.part.startswith("shuffle_"))

    def bytes_at(self, key: HolderKey) -> int:
        """Bytes of one holder; one that is not listed held next to nothing."""
        return next((each.bytes for each in self.holders if each.key == key), 0)

    def part(self, name: PartName) -> FrameworkPart:
        """One part of the framework's memory, empty where the dump has none of it."""
        for entry in self.framework:
            if entry.part == name:
                return entry
        return FrameworkPart(part=name, bytes=0, count=0)

    def held_by(self, lifecycle: Lifetime) -> int:
        """User bytes of one lifecycle, complete."""
        return sum(entry.bytes for entry in self.lifecycles if entry.lifecycle == lifecycle)
