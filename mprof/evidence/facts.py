"""What a rule may ask for: the evidence about one attempt, as frozen values.

Every fact is a value or `Unknown`, never a guess, never 0 for "not known".
`Evidence` is assembled once from the trace, the dataflow model and the heap snapshots;
rules, diagnosis and advice read it and nothing else.

Words: R_n is the record in flight at death, G_m the group in flight (both 1-based ordinals);
R_1 is the first record; "live" bytes are what a full collection would leave.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from mprof.code_site import CodeSite, KeptInCode, ScriptSite
from mprof.engines import Lifecycle, Place
from mprof.evidence.child import ChildProgram
from mprof.evidence.container import ContainerFacts
from mprof.evidence.distribution import Distribution
from mprof.evidence.group_sizes import Group, GroupSizes
from mprof.evidence.peak import Peak
from mprof.evidence.script import Script
from mprof.evidence.unknown import Run, Unknown, known
from mprof.job_run import PartitionFile
from mprof.objects import HolderKey, StackFrame
from mprof.stated_settings import StatedSettings
from mprof.trace import Death
from mprof.trace import DeathKind as Kind

__all__ = [
    "Attempt",
    "AttemptLine",
    "CodeSite",
    "Composition",
    "Death",
    "DeathPosition",
    "Evidence",
    "ExternalLoad",
    "Group",
    "GroupSizes",
    "Holder",
    "HolderKey",
    "Job",
    "Kind",
    "Lifecycle",
    "MapBuffer",
    "Memory",
    "OpenedFile",
    "Partitions",
    "Place",
    "Point",
    "Probes",
    "Progress",
    "RecordGrowth",
    "RecordSizes",
    "Run",
    "ScriptSite",
    "Series",
    "Shuffle",
    "Split",
    "StackFrame",
    "Unknown",
    "Verification",
    "known",
]

Owner = Literal[
    "framework", "record_in_flight", "record_being_written", "serialization", "external", "user",
    "writer", "reader", "library", "other",
]  # fmt: skip
"""Whose memory it is. ``writer``: what the job's RecordWriter keeps; ``reader``: what its
RecordReader has read ahead; ``library``: statics of Hadoop and of libraries that user code fills.
"""
Unit = Literal["record", "group", "record_in_group", "byte_read"]
Source = Literal["dump", "histogram", "passive"]


_NUMBERS: Final = frozenset({"boolean", "byte", "char", "double", "float", "int", "long", "short"})
_OF_USER_CODE = ("user", "record_being_written", "writer", "reader", "library")

_NO_DUMP = Unknown("a heap dump made at death", "run")
_NO_LOG = Unknown("the event log of this attempt", "run")
_NO_PROBES = Unknown("heap sizes at earlier records", "rerun")
_NOT_VERIFIED = Unknown("a run of the record at death alone", "verify")
_NO_CLUSTER = Unknown("the job's history and configuration", "cluster")


@dataclass(frozen=True, slots=True)
class Job:
    """The job the attempt belongs to.

    Attributes:
        driver_error: message of the OutOfMemoryError that the command which submitted it died of.
        driver_exit_code: exit code of that command, negative for the signal that ended it; null
            where it is not known.
        local_jobs: jobs that ran inside that command, which mprof does not watch.
        maps: how many map tasks it has; null where nothing says.
        names_memory: whether a text that was pasted about it names a lack of memory anywhere.
        no_task_failed: whether no task failed for good by the counters that its client printed when
            it had ended, and nothing else says how: it succeeded unless it was killed.
    """

    job_id: str | None
    name: str | None = None
    user: str | None = None
    state: str | None = None
    hadoop_version: str | None = None
    driver_error: str | None = None
    driver_exit_code: int | None = None
    local_jobs: tuple[str, ...] = ()
    no_task_failed: bool = False
    names_memory: bool = False
    maps: int | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """The attempt that is diagnosed: the failed one with most evidence.

    Attributes:
        finished: whether the cluster or the agent says that it came to its end; a log or a history
            that just stops does not.
        container_id: of its container, as its logs or the job's history name it.
    """

    attempt_id: str | None
    task_type: Literal["map", "reduce"] | None
    index: int | None
    number: int = 0
    mode: Literal["none", "watch", "profile", "verify"] = "none"
    host: str | None = None
    java_version: str | None = None
    collector: str | None = None
    finished: bool = False
    container_id: str | None = None


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """Another attempt of the job that failed, in one line."""

    attempt_id: str
    kind: Kind
    line: str


@dataclass(frozen=True, slots=True)
class DeathPosition:
    """Where the attempt stood when it died; None for what was not counted.

    Attributes:
        unread: whether user code had not been given the record yet: its reader failed on it.
    """

    phase: str
    record: int | None = None
    group: int | None = None
    record_in_group: int | None = None
    partition: int | None = None
    spill: int | None = None
    unread: bool = False

    @property
    def records(self) -> int:
        """Records that were taken in, R_n among them; 0 where they were not counted."""
        return self.record or 0

    @property
    def groups(self) -> int:
        """Groups that were begun, G_m among them; 0 where they were not counted."""
        return self.group or 0

    @property
    def records_of_group(self) -> int:
        """Records of G_m that were taken in, R_n among them; 0 where they were not counted."""
        return self.record_in_group or 0

    @property
    def handed_over(self) -> DeathPosition:
        """The same as of the last record that user code was given."""
        if not self.unread or self.record is None:
            return self
        return replace(self, record=self.record - 1, unread=False)


@dataclass(frozen=True, slots=True)
class Memory:
    """The limits, and what was live at death.

    Attributes:
        heap_max_bytes: -Xmx as the JVM reports it.
        usable_bytes: what live objects may take before this collector gives up; where the log
            does not say, the assembler leaves it unknown and `capacity_bytes` stands in.
        largest_block_bytes: largest single array that could still be placed in an empty heap
            (the old generation of Serial and Parallel).
        container_bytes: the limit of the container, `memory.mb` in bytes.
        held_bytes_at_death: what the last collection of any kind left in use: at most so much was
            live then, since those of a part of the heap leave garbage in the rest of it.
        lost_bytes: of the heap what no object can have because the collector gives large objects
            regions of their own (G1); 0 under another collector, and where no dump says.
        live_bytes_before_record: the least that was live from the last collection of the whole heap
            within G_m on until user code was given R_n.
    """

    heap_max_bytes: int | Unknown = _NO_LOG
    usable_bytes: int | Unknown = _NO_LOG
    live_bytes_at_death: int | Unknown = _NO_DUMP
    largest_block_bytes: int | Unknown = _NO_LOG
    container_bytes: int | Unknown = _NO_CLUSTER
    live_bytes_before_record: int | Unknown = _NO_PROBES
    held_bytes_at_death: int | Unknown = _NO_LOG
    lost_bytes: int = 0

    @property
    def capacity_bytes(self) -> int | Unknown:
        """What live objects may take: usable, else what was live at death, else -Xmx."""
        for fact in (self.usable_bytes, self.live_bytes_at_death, self.heap_max_bytes):
            if not isinstance(fact, Unknown):
                return fact
        return self.heap_max_bytes


@dataclass(frozen=True, slots=True)
class Composition:
    """Live bytes at death by owner; they add up to the live heap.

    `shuffle_bytes` is a part of `framework_bytes`.
    """

    framework_bytes: int = 0
    record_bytes: int = 0
    output_bytes: int = 0
    serialization_bytes: int = 0
    external_bytes: int = 0
    user_bytes: int = 0
    other_bytes: int = 0
    shuffle_bytes: int = 0
    writer_bytes: int = 0
    reader_bytes: int = 0
    library_bytes: int = 0

    @property
    def total_bytes(self) -> int:
        """All of it."""
        return (
            self.framework_bytes + self.record_bytes + self.output_bytes
            + self.serialization_bytes + self.external_bytes + self.user_bytes
            + self.writer_bytes + self.reader_bytes + self.library_bytes + self.other_bytes
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Holder:
    """A large logical object at death.

    Attributes:
        key: which logical object it is, the same in every snapshot.
        lifecycle: how long it lives, told by its holder path; None where that cannot be said.
        class_name: of the container in which the memory really stands (``java.util.HashMap``,
            ``byte[]``, ``java.lang.String``), or of the object itself where it holds no container.
        path: the holder path in words, e.g. ``this.counts (WordMapper.counts)``.
        bytes: retained bytes at death.
        length: elements it holds (entries of a map, elements of an array, characters of a String or
            a builder); None where it is no container.
        doubling: two generations of its array were alive, or its resize stood on the stack.
        loaded_before_first_record: it stood there, this large, before R_1 or G_1; None where
            no snapshot says.
        script: the statement of a script it belongs to; None in a job without a script.
        in_writing: it is the serialised form of a record that user code is emitting.
        of_several: several objects hold it together, and `length` is that of the largest.
        spare_bytes: of its container's array, in no use: what is in it never made it so large.
        in_initializer: the initializer of its class was still at work on it: what it holds at death
            is the least that it will hold.
    """

    key: HolderKey
    owner: Owner
    lifecycle: Lifecycle | None
    class_name: str
    path: str
    bytes: int
    site: CodeSite | None = None
    length: int | None = None
    element_class: str | None = None
    doubling: bool = False
    loaded_before_first_record: bool | None = None
    script: ScriptSite | None = None
    in_writing: bool = False
    of_several: bool = False
    spare_bytes: int = 0
    in_initializer: bool = False

    @property
    def is_piped(self) -> bool:
        """Whether a thread holds it that reads what a child process writes."""
        return self.key.kind == "piped"

    @property
    def open_writers(self) -> int:
        """How many record writers of one class hold it together; 0 of anything else."""
        is_of_writers = self.owner == "writer" and self.element_class == self.key.class_name
        return self.length or 0 if is_of_writers else 0

    @property
    def is_of_user_code(self) -> bool:
        """Whether the job's code in this JVM keeps or writes it, or makes a library keep it."""
        return self.owner in _OF_USER_CODE and not self.is_piped

    @property
    def is_mostly_spare(self) -> bool:
        """Whether most of it is room that larger contents left, or that was asked for ahead."""
        return self.spare_bytes > self.bytes - self.spare_bytes

    @property
    def is_one_object(self) -> bool:
        """Whether it is one entry, or one array of numbers: nothing was added to it bit by bit."""
        is_one_entry = self.length == 1 and not self.doubling and not self.of_several
        return is_one_entry or self.is_of_numbers

    @property
    def is_of_numbers(self) -> bool:
        """Whether it is an array of numbers: data that was read, or work space."""
        return self.class_name.endswith("[]") and self.class_name.rstrip("[]") in _NUMBERS


@dataclass(frozen=True, slots=True)
class Point:
    """`size_bytes` when `x` of the series' unit had been taken in."""

    x: float
    size_bytes: float


@dataclass(frozen=True, slots=True)
class Series:
    """How one logical object grew; the growth rules read these.

    Attributes:
        holder: key of the holder; None when the whole live heap was measured (passive points)
            or a class (histograms), so that the dump at death must say whose it is.
        lifecycle: that of the holder; for a series without holder the lifecycle that `unit`
            stands for (`record` unit: map, `group`: reduce, `record_in_group`: group).
        unit: what x counts. x is the number taken in *before* the point: 0 before R_1.
        points: in any order, before R_n is handed over (at death excluded).
        at_death: the value in the dump at death, None where there is none.
        at_start: of the live heap over a group: what it was at most before that group or call of
            combine(), by the last collection before; None where none says, and of other series.
        upper_bounds: no point is less than what was live, and each may be more (minor
            collections leave garbage too).
        by_histogram: how many of the points of a holder were read off class histograms, by the
            dumps before and after them.
    """

    holder: HolderKey | None
    lifecycle: Lifecycle
    unit: Unit
    points: tuple[Point, ...]
    source: Source
    at_death: Point | None = None
    at_start: Point | None = None
    class_name: str | None = None
    group: int | None = None
    upper_bounds: bool = False
    by_histogram: int = 0


@dataclass(frozen=True, slots=True)
class RecordGrowth:
    """Growth of user objects from record to record, and at R_n.

    Attributes:
        before: (records, bytes) of each interval before R_n; bytes may be negative.
        last_records: records from the last point to the death; 1 when the probe stood right
            before R_n.
        last_bytes: growth over them.
        doubling: an array copy or resize was on top of the stack at death, or two arrays of one
            container were alive: part of the growth may be a container that doubled.
    """

    before: tuple[tuple[int, int], ...]
    last_records: int
    last_bytes: int
    source: Source
    doubling: bool = False
    unit: Unit = "record"


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file the task opened besides its split.

    Attributes:
        path: as it was opened, or as the job names it.
        length_bytes: of the file.
        seen: the agent saw it opened through Hadoop's file systems. Else it is an entry of the
            distributed cache, a local file that user code may read with the JDK alone: that it was
            read is not known.
        before_data: it was last seen opened before the first record was: what came into the heap
            later was not read from it.
    """

    path: str
    length_bytes: int | None = None
    seen: bool = True
    before_data: bool = False


@dataclass(frozen=True, slots=True)
class ExternalLoad:
    """Objects that stood in the heap before R_1 (G_1), or were loaded once and never grew again.

    Attributes:
        bytes: their retained bytes; at death while loading, what was loaded so far.
        holders: keys of the holders they belong to.
        when: `setup` (before R_1 or G_1), `loading` (the task died while loading), `once`
            (in the first records, constant after).
        source: `passive` with no holders: `bytes` is the least that any collection left behind
            since the first record, the framework's buffers among it, so at most so much was loaded
            before it.
    """

    bytes: int
    holders: tuple[HolderKey, ...]
    when: Literal["setup", "loading", "once"]
    opened: tuple[OpenedFile, ...] = ()
    source: Source = "dump"


@dataclass(frozen=True, slots=True)
class Progress:
    """Share of the input of the running user code that was taken in, 0 to 1.

    Attributes:
        done: of a pass of combine(), of its records.
        method: how that is known.
        of_split: share of the split that map() had read, in a pass of combine() too; None where
            that is not known, and of a reducer.
    """

    done: float
    method: str
    of_split: float | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """The input split of a map attempt."""

    path: str | None
    start: int | None
    length_bytes: int
    splittable: bool | None = None
    class_name: str | None = None


@dataclass(frozen=True, slots=True)
class MapBuffer:
    """The sort buffer of a map attempt."""

    requested_bytes: int
    allocated: bool


@dataclass(frozen=True, slots=True)
class Shuffle:
    """The shuffle's memory at death.

    Attributes:
        limit_bytes: the limit (`shuffle.input.buffer.percent` of the heap).
        used_bytes: reserved by its memory manager.
        leftover_bytes: segments already merged that something still holds.
        held_bytes: map output found in the heap at death; None without a dump.
    """

    limit_bytes: int
    used_bytes: int
    leftover_bytes: int = 0
    held_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Partitions:
    """The aggregated partitions, one entry a reducer, in the order of their index.

    `keys` adds up the keys of every map's part, so a key in two maps counts twice: at most so many
    are distinct. `keys_in_one_map` is the most in any one map's part: at least so many are. Where
    each map tells all of its keys, both are the number of distinct ones. `largest_key_records` and
    `largest_key_bytes` are of the key with most bytes, added up over the maps in whose part it is
    the largest: at least so many are its.

    `share_of_maps` is how many of the map tasks were counted, 0 to 1: all sizes are theirs.
    `are_merged` says that a comparator of the job's own may make one group of several keys, as
    where the values of a group are sorted by a part of the key: at most as many groups as keys.
    """

    own: int
    records: tuple[int, ...] | Unknown = _NO_LOG
    bytes: tuple[int, ...] | Unknown = _NO_LOG
    keys: tuple[int, ...] | Unknown = _NO_LOG
    keys_in_one_map: tuple[int, ...] | Unknown = _NO_LOG
    largest_key_records: tuple[int, ...] | Unknown = _NO_LOG
    largest_key_bytes: tuple[int, ...] | Unknown = _NO_LOG
    complete: bool = True
    share_of_maps: float = 1.0
    source: str = "map output events"
    are_merged: bool = False

    @property
    def groups_at_least(self) -> float:
        """Of the failed reducer, by the keys in one map's part; 0 where they do not tell."""
        keys = None if self.are_merged else known(self.keys_in_one_map)
        return float(keys[self.own]) if keys is not None else 0.0

    @property
    def groups_at_most(self) -> float:
        """Of the failed reducer, by the keys of all; without end where not all were counted."""
        keys = known(self.keys) if self.complete else None
        return float(keys[self.own]) if keys is not None and keys[self.own] > 0 else math.inf


@dataclass(frozen=True, slots=True)
class RecordSizes:
    """R_n and the records before it (of the split; in reduce and combine of G_m).

    Attributes:
        bytes: key and value bytes of R_n.
        before: sizes of the records before it.
        in_heap: nothing counted the bytes of keys and values; all sizes are those of the objects
            in the heap, where a probe showed them.
        being_read: R_n was still being read or handed over: the user's code had not seen it.
        reads_next: what was read is the record after R_n, of the same group or the next one, of
            which nothing is known; `bytes` is its.
    """

    ordinal: int | None
    bytes: int | Unknown
    before: Distribution | Unknown
    being_read: bool = False
    in_heap: bool = False
    reads_next: bool = False


@dataclass(frozen=True, slots=True)
class Verification:
    """What became of R_n alone (verify mode).

    Attributes:
        met: the record was met again.
        growth_bytes: growth of user objects from before R_n to the death; where user code came to
            the end of R_n, to after it: what outlives R_n, and nothing of what it needed meanwhile.
        died: the user's code ran out of memory on R_n alone, and had no less room than in the job.
        same_room: the heap had been filled to what was live before R_n when the job died, so that
            R_n had the room that it had then. Whether it died is then the proof. Where only a bound
            of what was live is known: it died with no less room than it had, or lived with no more.
        warm_up_records: records that user code was given before R_n, so that what it loads once is
            not taken for R_n's.
        control: what became of the control record, an ordinary one that had the same room before
            R_n; None where none had, or nothing follows.
    """

    met: bool
    growth_bytes: int | Unknown
    died: bool = False
    same_room: bool = False
    warm_up_records: int = 0
    control: Literal["lived", "died"] | None = None


@dataclass(frozen=True, slots=True)
class Probes:
    """What the probes of the attempt were, and what they cost it.

    Attributes:
        dumps: heap dumps before the death.
        histograms: class histograms that the plan asked for.
        seconds: the task stood still for them, as the agent measured it.
        attempt_seconds: how long the attempt ran, its probes and its end included; None where its
            log does not say.
        planned: what was planned and expected to be the cost, one sentence; "" where nothing says.
        attempt_id: whose they are: of the attempt that is diagnosed, or of the same task in another
            run.
    """

    dumps: int
    histograms: int
    seconds: float
    attempt_seconds: float | None
    planned: str = ""
    attempt_id: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that is known about one attempt. `assemble` makes it, rules read it.

    `death_snapshot` names the snapshot that was taken for the heap at death. `records_at_once` is
    how many records user code was at work on at the same time (threads of a MultithreadedMapper).

    `stated` are settings that somebody wrote down beside a log; `kept_in_code` is what code beside
    such a log keeps.

    `program` are the large objects in the dump of a program that runs no map or reduce task; those
    of a task are `holders`.

    Where None is allowed it says "there is none": no container without an attempt, no child program
    of which anything tells, no script that the job was compiled from, no shuffle in a map attempt,
    no map buffer in a reduce attempt or a map-only job, no external data in the heap, no probes
    before the death.
    """

    job: Job
    attempt: Attempt
    death: Death
    place: Place | Unknown = _NO_LOG
    position: DeathPosition | Unknown = _NO_LOG
    attempts: tuple[AttemptLine, ...] = ()
    memory: Memory = field(default_factory=Memory)
    peak: Peak | Unknown = _NO_LOG
    fullest_group: Series | None = None
    container: ContainerFacts | None = None
    child: ChildProgram | None = None
    script: Script | None = None
    composition: Composition | Unknown = _NO_DUMP
    holders: tuple[Holder, ...] | Unknown = _NO_DUMP
    program: tuple[Holder, ...] | None = None
    stack: tuple[StackFrame, ...] | Unknown = _NO_DUMP
    series: tuple[Series, ...] = ()
    record_growth: RecordGrowth | Unknown = _NO_PROBES
    external: ExternalLoad | Unknown | None = _NO_DUMP
    progress: Progress | Unknown = _NO_LOG
    split: Split | Unknown | None = _NO_LOG
    map_buffer: MapBuffer | Unknown | None = _NO_LOG
    shuffle: Shuffle | Unknown | None = _NO_LOG
    partitions: Partitions | Unknown | None = _NO_LOG
    groups: GroupSizes | Unknown | None = _NO_LOG
    records: RecordSizes | Unknown | None = _NO_LOG
    records_at_once: int = 1
    verification: Verification | Unknown = _NOT_VERIFIED
    reducers: int | Unknown = _NO_CLUSTER
    partition_file: PartitionFile | None = None
    death_snapshot: str | None = None
    probes: Probes | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    set_in_code: frozenset[str] = frozenset()
    stated: StatedSettings = field(default_factory=StatedSettings)
    kept_in_code: tuple[KeptInCode, ...] = ()

    @property
    def is_map(self) -> bool:
        """It is a map attempt."""
        return self.attempt.task_type == "map"

    @property
    def is_reduce(self) -> bool:
        """It is a reduce attempt."""
        return self.attempt.task_type == "reduce"

    @property
    def held(self) -> tuple[Holder, ...]:
        """The large objects at death, as far as they are known."""
        return known(self.holders) or ()

    def holder(self, key: HolderKey | None) -> Holder | None:
        """The holder with that key at death, if any."""
        return next((one for one in self.held if one.key == key), None)
