"""An engine profile: what the stacks, heap and configuration of an engine's tasks look like.

A profile is a value; the code that reads stacks and heaps takes one and holds no class name of any
engine. Names are those of Java source: ``com.x.Outer$Inner``.

Adding a profile (Hadoop 1, Pig, Hive, Spark): write a module beside ``mapreduce.py`` that makes one
more `Engine`, each table with the classes of that engine and the source it was checked against;
leave empty what the engine does not have. Prove it with stacks and small heaps as
``tests/engines`` and ``tests/objects`` do. Where the engine needs a step, a lifecycle or a level
that no word stands for, add the word to ``vocabulary.py`` first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from mprof.engines.vocabulary import Level, Place, Side

__all__ = ["Engine", "Fields", "FrameworkStep", "HeapShapes", "Method", "Template", "TemplateCall"]


class Method(NamedTuple):
    """A method of a class; overloads are not told apart."""

    class_name: str
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A way in which the engine runs user code: the methods that it calls, and where they stand.

    Attributes:
        name: for people.
        place: of a user's method that stands for the whole template (an overridden run()).
        methods: user methods that it calls, and what a frame of each is.
        side: of the task that runs it, ``unknown`` where tasks of both sides do.
        is_task: it is the task itself, so that work of the framework above it has places too.
        is_one_place: all that it calls stands in `place`.
        parts: templates that run as a part of this one and change nothing.
    """

    name: str
    place: Place
    methods: Mapping[str, Level]
    side: Side = "unknown"
    is_task: bool = False
    is_one_place: bool = False
    parts: tuple[Template, ...] = ()


class TemplateCall(NamedTuple):
    """A frame from which user code is called.

    Attributes:
        template: that the user's frames above it follow.
        place: where the thread stands until one of them is met; ``other`` where that says nothing.
    """

    template: Template
    place: Place


@dataclass(frozen=True, slots=True)
class FrameworkStep:
    """Work of the framework itself, where no template is running.

    Attributes:
        methods: that do it; all where empty.
        place: where the thread stands then.
        after: places from which the thread moves on to this one.
    """

    prefix: str
    methods: frozenset[str]
    place: Place
    after: frozenset[Place] = frozenset({"other", "init", "reduce"})


class Fields(NamedTuple):
    """Fields of a class, subclasses included."""

    class_name: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class HeapShapes:
    """Objects of the framework by class and field; a version that lacks one yields nothing.

    Attributes:
        tasks: classes of the tasks themselves.
        user_bases: classes that mappers and reducers extend, and the side of those that do.
        user_code: fields in which the framework keeps a mapper that extends none of those.
        plugged_in: fields in which it keeps other classes of the job for as long as a task runs.
        sort_buffers: arrays of the map side's sort buffer.
        segments: arrays of fetched map outputs.
        waiting: collections of map outputs that wait for a merge.
        merging: collections of collections of map outputs that a merge works on.
        segment_readers: arrays of map outputs that a merge reads, the one that feeds reduce() too.
        pins: buffers of comparators and merges, which may pin a segment that nothing else names.
        buffer_fields: fields from such a buffer to the stream with its array.
        buffer_array: field of that stream.
        record_readers: fields in which the task keeps its record reader.
        reader_base: class that record readers extend.
        reader_suffix: end of the class name of those that do not.
        reader_buffers: arrays through which readers read, as large as a setting says.
        records: keys, values and buffers of the record that is handed over.
        raw_records: the same, not yet decoded.
        serialization: buffers into which records are serialised.
        output_writers: fields in which the task, another writer or a framework upon the engine
            keeps a record writer, or an array of them.
        writer_base: class that record writers extend.
        writer_relays: classes of the engine that only hand on to such a writer, or to the sort.
        writer_streams: classes of the streams into which the engine's own writers write each
            record; subclasses included.
    """

    tasks: Mapping[str, Side] = field(default_factory=dict)
    user_bases: Mapping[str, Side] = field(default_factory=dict)
    user_code: tuple[Fields, ...] = ()
    plugged_in: tuple[Fields, ...] = ()
    sort_buffers: tuple[Fields, ...] = ()
    segments: tuple[Fields, ...] = ()
    waiting: tuple[Fields, ...] = ()
    merging: tuple[Fields, ...] = ()
    segment_readers: tuple[Fields, ...] = ()
    pins: tuple[Fields, ...] = ()
    buffer_fields: tuple[str, ...] = ()
    buffer_array: str = ""
    record_readers: tuple[Fields, ...] = ()
    reader_base: str = ""
    reader_suffix: str = ""
    reader_buffers: tuple[Fields, ...] = ()
    records: tuple[Fields, ...] = ()
    raw_records: tuple[Fields, ...] = ()
    serialization: tuple[Fields, ...] = ()
    output_writers: tuple[Fields, ...] = ()
    writer_base: str = ""
    writer_relays: frozenset[str] = frozenset()
    writer_streams: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Engine:
    """What there is to know of an engine's tasks.

    Attributes:
        name: for people.
        package: prefix of all its classes.
        framework: prefixes of classes that run a task: their objects are the framework's.
        neutral: prefixes of its data types and streams, which belong to whoever holds them.
        carriers: prefixes of classes that run the user's code and are never it.
        calls: frames that call user code.
        steps: work of the framework itself, the first that fits a frame counts.
        reads: methods that read a record, and so call a user's classes back.
        writes: methods that write one.
        decodes: of those that read, the ones that make the objects of one record.
        record_reading: methods through which the next record of the task reaches user code.
        reading_ahead: methods that fetch, before a record is handed over, the one after it.
        value_iterators: prefixes of the iterators over the values of a group.
        task_frames: where a task begins, and its side.
        workers: where other threads begin that do a part of the task's work.
        beside_user_code: those of them that work while user code runs in the task's own thread.
        mapper_threads: classes that run mappers in threads of their own, which do not read.
        fetching: prefixes of classes whose frames hold a map output that is being fetched.
        class_properties: properties by which a job names its classes; the method by which the
            class is called for each record or group, empty for none.
        shapes: of its objects.
    """

    name: str
    package: str
    framework: tuple[str, ...]
    neutral: tuple[str, ...] = ()
    carriers: tuple[str, ...] = ()
    calls: Mapping[Method, TemplateCall] = field(default_factory=dict)
    steps: tuple[FrameworkStep, ...] = ()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    decodes: frozenset[str] = frozenset()
    record_reading: frozenset[Method] = frozenset()
    reading_ahead: frozenset[Method] = frozenset()
    value_iterators: tuple[str, ...] = ()
    task_frames: Mapping[Method, Side] = field(default_factory=dict)
    workers: frozenset[Method] = frozenset()
    beside_user_code: frozenset[Method] = frozenset()
    mapper_threads: frozenset[str] = frozenset()
    fetching: tuple[str, ...] = ()
    class_properties: Mapping[str, str] = field(default_factory=dict)
    shapes: HeapShapes = field(default_factory=HeapShapes)
