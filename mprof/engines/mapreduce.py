"""The profile of Hadoop MapReduce, versions 2 and 3; checked against the sources of 3.4.3.

Hadoop calls user code from few places: ``mapreduce.Mapper.run``, ``mapred.MapRunner.run``,
``mapreduce.Reducer.run``, ``ReduceTask.runOldReducer``, ``Task$NewCombinerRunner.combine``,
``Task$OldCombinerRunner.combine``, and their like in its own library.
"""

from __future__ import annotations

from typing import Final

from mprof.engines.engine import (
    Engine,
    Fields,
    FrameworkStep,
    HeapShapes,
    Method,
    Template,
    TemplateCall,
)
from mprof.engines.vocabulary import Level

__all__ = ["MAPREDUCE"]

_HADOOP = "org.apache.hadoop."
_OLD = _HADOOP + "mapred."
_NEW = _HADOOP + "mapreduce."
_SHUFFLE = _NEW + "task.reduce."

# Packages of Hadoop that run a task. A list, because Hive, HBase and the examples live in
# org.apache.hadoop too and are the user's side.
_PACKAGES = (
    "classification", "conf", "crypto", "filecache", "fs", "ha", "hdfs", "http", "io", "ipc",
    "jmx", "log", "mapred", "mapreduce", "metrics", "metrics2", "net", "oncrpc", "portmap",
    "registry", "security", "service", "streaming", "thirdparty", "tools", "tracing", "util",
    "yarn",
)  # fmt: skip

_SETUP_AND_CLEANUP: Final[dict[str, Level]] = {
    **dict.fromkeys(
        ("setup", "configure", "setConf", "initialize", "<init>", "<clinit>"), "setup"
    ),
    **dict.fromkeys(("cleanup", "close"), "cleanup"),
    "run": "task",
}  # fmt: skip
_MAP_METHODS: Final[dict[str, Level]] = {**_SETUP_AND_CLEANUP, "map": "map"}
_REDUCE_METHODS: Final[dict[str, Level]] = {
    **_SETUP_AND_CLEANUP, "reduce": "reduce", "combine": "reduce",
}  # fmt: skip

_MAP_TASK = Template("map task", "map", _MAP_METHODS, side="map", is_task=True)
_REDUCE_TASK = Template("reduce task", "reduce", _REDUCE_METHODS, side="reduce", is_task=True)
_MAPPER = Template("mapper", "map", _MAP_METHODS, side="map")
_REDUCER = Template("reducer", "reduce", _REDUCE_METHODS)  # a combiner too, whichever side
_COMBINER = Template("combiner", "combine", _REDUCE_METHODS, is_one_place=True, parts=(_REDUCER,))

_CALLS: Final = {
    Method(_OLD + "MapTask", "runNewMapper"): TemplateCall(_MAP_TASK, "other"),
    Method(_OLD + "MapTask", "runOldMapper"): TemplateCall(_MAP_TASK, "other"),
    Method(_OLD + "ReduceTask", "runNewReducer"): TemplateCall(_REDUCE_TASK, "reduce"),
    Method(_OLD + "ReduceTask", "runOldReducer"): TemplateCall(_REDUCE_TASK, "reduce"),
    Method(_OLD + "MapRunner", "run"): TemplateCall(_MAPPER, "map"),
    Method(_OLD + "MapRunner", "configure"): TemplateCall(_MAPPER, "setup"),
    Method(_OLD + "lib.MultithreadedMapRunner", "run"): TemplateCall(_MAPPER, "map"),
    Method(_OLD + "lib.MultithreadedMapRunner$MapperInvokeRunable", "run"): TemplateCall(
        _MAPPER, "map"
    ),
    Method(_NEW + "Mapper", "run"): TemplateCall(_MAPPER, "map"),
    Method(_NEW + "lib.map.MultithreadedMapper$MapRunner", "run"): TemplateCall(_MAPPER, "map"),
    Method(_NEW + "lib.chain.Chain$MapRunner", "run"): TemplateCall(_MAPPER, "map"),
    Method(_NEW + "Reducer", "run"): TemplateCall(_REDUCER, "reduce"),
    Method(_NEW + "lib.chain.Chain$ReduceRunner", "run"): TemplateCall(_REDUCER, "reduce"),
    Method(_OLD + "lib.Chain$ChainOutputCollector", "collect"): TemplateCall(_MAPPER, "map"),
    Method(_OLD + "Task$NewCombinerRunner", "combine"): TemplateCall(_COMBINER, "combine"),
    Method(_OLD + "Task$OldCombinerRunner", "combine"): TemplateCall(_COMBINER, "combine"),
}

_STEPS: Final = (
    # the constructor in Hadoop 1, which allocates it there
    FrameworkStep(_OLD + "MapTask$MapOutputBuffer", frozenset({"init", "<init>"}), "init"),
    FrameworkStep(_OLD + "MapTask", frozenset({"createSortingCollector"}), "init"),
    FrameworkStep(
        _OLD + "MapTask$MapOutputBuffer",
        frozenset({"flush", "sortAndSpill", "mergeParts", "createSpillFile"}),
        "sort",
    ),
    FrameworkStep(
        _SHUFFLE + "MergeManagerImpl", frozenset({"close", "finalMerge"}), "sort",
        after=frozenset({"other", "init", "reduce", "shuffle"}),  # the one way out of the shuffle
    ),
    FrameworkStep(_SHUFFLE, frozenset(), "shuffle"),
    FrameworkStep(_OLD + "ReduceTask$ReduceCopier", frozenset(), "shuffle"),  # Hadoop 1
    FrameworkStep(_OLD + "Merger", frozenset(), "sort"),
    FrameworkStep(_OLD + "ReduceTask", frozenset({"runReducePhase"}), "reduce"),
)  # fmt: skip

_RECORD_READING: Final = frozenset(
    Method(class_name, method)
    for class_name, methods in (
        (_OLD + "MapTask$NewTrackingRecordReader", ("initialize", "nextKeyValue")),
        (_OLD + "MapTask$TrackedRecordReader", ("next",)),
        (_OLD + "MapTask$SkippingRecordReader", ("next",)),
        (_NEW + "lib.map.MultithreadedMapper$SubMapRecordReader", ("nextKeyValue",)),
        (_NEW + "lib.chain.Chain$ChainRecordReader", ("nextKeyValue",)),
        (_NEW + "task.ReduceContextImpl", ("nextKey", "nextKeyValue")),
        (_OLD + "Task$ValuesIterator", ("next", "readNextKey", "readNextValue")),
        (_OLD + "Task$CombineValuesIterator", ("next",)),
        (_OLD + "ReduceTask$ReduceValuesIterator", ("next",)),
        (_OLD + "ReduceTask$SkippingReduceValuesIterator", ("next",)),
    )
    for method in methods
)

_SHAPES: Final = HeapShapes(
    tasks={_OLD + "MapTask": "map", _OLD + "ReduceTask": "reduce"},
    user_bases={_NEW + "Mapper": "map", _NEW + "Reducer": "reduce"},
    user_code=(
        Fields(_OLD + "MapRunner", ("mapper",)),
        Fields(_OLD + "lib.MultithreadedMapRunner", ("mapper",)),
        Fields(_NEW + "lib.input.DelegatingMapper", ("mapper",)),
        Fields(_OLD + "lib.DelegatingMapper", ("mapper",)),
    ),
    # the job's own record writer, partitioner and comparator
    plugged_in=(
        Fields(_OLD + "MapTask$NewDirectOutputCollector", ("out",)),
        Fields(_OLD + "MapTask$DirectMapOutputCollector", ("out",)),
        Fields(_OLD + "ReduceTask$NewTrackingRecordWriter", ("real",)),
        Fields(_OLD + "ReduceTask$OldTrackingRecordWriter", ("real",)),
        Fields(_OLD + "MapTask$NewOutputCollector", ("partitioner",)),
        Fields(_OLD + "MapTask$OldOutputCollector", ("partitioner",)),
        Fields(_OLD + "MapTask$MapOutputBuffer", ("comparator",)),
    ),
    sort_buffers=(Fields(_OLD + "MapTask$MapOutputBuffer", ("kvbuffer",)),),
    segments=(Fields(_SHUFFLE + "InMemoryMapOutput", ("memory",)),),
    waiting=(
        Fields(
            _SHUFFLE + "MergeManagerImpl", ("inMemoryMapOutputs", "inMemoryMergedMapOutputs")
        ),
    ),
    merging=(Fields(_SHUFFLE + "MergeThread", ("pendingToBeMerged",)),),
    segment_readers=(Fields(_SHUFFLE + "InMemoryReader", ("buffer", "data")),),
    pins=(
        Fields(_HADOOP + "io.WritableComparator", ("buffer",)),
        Fields(_OLD + "Merger$MergeQueue", ("key",)),
        Fields(_OLD + "Merger$Segment", ("key",)),
    ),
    # io.DataInputBuffer reads an io.DataInputBuffer$Buffer, a ByteArrayInputStream
    buffer_fields=("buffer", "in"),
    buffer_array="buf",
    record_readers=(
        Fields(_OLD + "MapTask$NewTrackingRecordReader", ("real",)),
        Fields(_OLD + "MapTask$TrackedRecordReader", ("rawIn",)),
    ),
    reader_base=_NEW + "RecordReader",
    reader_suffix="RecordReader",  # of the old API, where it is an interface
    reader_buffers=(Fields(_HADOOP + "util.LineReader", ("buffer",)),),  # io.file.buffer.size
    records=(
        Fields(_NEW + "task.ReduceContextImpl", ("value", "key", "currentRawKey", "buffer")),
        Fields(_OLD + "Task$ValuesIterator", ("value", "key", "nextKey", "keyIn", "valueIn")),
    ),
    raw_records=(Fields(_OLD + "Merger$MergeQueue", ("value", "diskIFileValue")),),
    serialization=(
        Fields(
            _OLD + "IFile$Writer",
            ("buffer", "compressedOut", "out", "rawOut", "keySerializer", "valueSerializer",
             "compressor"),
        ),
        Fields(_OLD + "MapTask$MapOutputBuffer", ("keySerializer", "valSerializer", "bb")),
    ),
    output_writers=(
        Fields(_OLD + "ReduceTask$NewTrackingRecordWriter", ("real",)),
        Fields(_OLD + "ReduceTask$OldTrackingRecordWriter", ("real",)),
        Fields(_OLD + "MapTask$NewDirectOutputCollector", ("out",)),
        Fields(_OLD + "MapTask$DirectMapOutputCollector", ("out",)),
        Fields(_OLD + "lib.MultipleOutputs$RecordWriterWithCounter", ("writer",)),
        Fields(_OLD + "lib.FilterOutputFormat$FilterRecordWriter", ("rawWriter",)),
        # Hive's own writers, of tables and of partitions, are in arrays
        Fields(_HADOOP + "hive.ql.exec.FileSinkOperator$FSPaths", ("outWriters", "updaters")),
    ),
    writer_base=_NEW + "RecordWriter",
    writer_relays=frozenset({
        _OLD + "MapTask$NewDirectOutputCollector",
        _OLD + "MapTask$NewOutputCollector",
        _OLD + "ReduceTask$NewTrackingRecordWriter",
        _OLD + "ReduceTask$OldTrackingRecordWriter",
        _NEW + "lib.chain.Chain$ChainRecordWriter",
        _NEW + "lib.map.MultithreadedMapper$SubMapRecordWriter",
    }),
    # TextOutputFormat$LineRecordWriter.out; the writers of SequenceFileOutputFormat, MapFile's
    writer_streams=(
        "java.io.OutputStream", _HADOOP + "io.SequenceFile$Writer", _HADOOP + "io.MapFile$Writer",
    ),
)  # fmt: skip

MAPREDUCE: Final = Engine(
    name="Hadoop MapReduce",
    package=_HADOOP,
    framework=tuple(f"{_HADOOP}{name}." for name in _PACKAGES),
    neutral=tuple(
        _HADOOP + name
        for name in (
            "io.", "fs.BufferedFS", "fs.FSData", "fs.FSInput", "fs.FileStatus",
            "fs.LocatedFileStatus", "fs.Path", "mapred.join.TupleWritable",
            "mapreduce.lib.join.TupleWritable", "util.LineReader", "util.PriorityQueue",
            "util.bloom.",
        )
    ),
    carriers=(
        _OLD + "MapRunner",
        _OLD + "lib.Chain",
        _OLD + "lib.DelegatingMapper",
        _OLD + "lib.MultithreadedMapRunner",
        _NEW + "Mapper",
        _NEW + "Reducer",
        _NEW + "lib.chain.",
        _NEW + "lib.input.DelegatingMapper",
        _NEW + "lib.map.MultithreadedMapper",
        _NEW + "lib.map.WrappedMapper",
        _NEW + "lib.reduce.WrappedReducer",
        _HADOOP + "streaming.",
    ),
    calls=_CALLS,
    steps=_STEPS,
    reads=frozenset({
        "deserialize", "getCurrentKey", "getCurrentValue", "getKey", "hasNext", "initialize",
        "moveToNext", "next", "nextKey", "nextKeyValue", "nextRawKey", "nextRawValue",
        "readNextKey", "readNextValue", "resetKeyValue",
    }),
    writes=frozenset({"append", "collect", "serialize", "write"}),
    decodes=frozenset({"deserialize", "readFields"}),
    record_reading=_RECORD_READING,
    # ReduceContextImpl.nextKeyValue, Task.ValuesIterator.readNextKey: the key of the next record is
    # compared with that of the one in hand
    reading_ahead=frozenset({Method(_OLD + "Merger$MergeQueue", "next")}),
    value_iterators=(
        _NEW + "task.ReduceContextImpl$Value",
        _OLD + "Task$ValuesIterator",
        _OLD + "Task$CombineValuesIterator",
        _OLD + "ReduceTask$ReduceValuesIterator",
        _OLD + "ReduceTask$SkippingReduceValuesIterator",
    ),
    task_frames={
        Method(_OLD + "MapTask", "run"): "map",
        Method(_OLD + "ReduceTask", "run"): "reduce",
        Method(_OLD + "LocalJobRunner$Job$MapTaskRunnable", "run"): "map",
        Method(_OLD + "LocalJobRunner$Job$ReduceTaskRunnable", "run"): "reduce",
    },
    workers=frozenset({
        Method(_OLD + "MapTask$MapOutputBuffer$SpillThread", "run"),
        Method(_SHUFFLE + "Fetcher", "run"),
        Method(_SHUFFLE + "LocalFetcher", "run"),
        Method(_SHUFFLE + "MergeThread", "run"),
    }),
    beside_user_code=frozenset({Method(_OLD + "MapTask$MapOutputBuffer$SpillThread", "run")}),
    mapper_threads=frozenset({
        _NEW + "lib.chain.Chain$MapRunner",
        _NEW + "lib.map.MultithreadedMapper$MapRunner",
        _OLD + "lib.MultithreadedMapRunner$MapperInvokeRunable",
    }),
    # Fetcher.copyMapOutput, LocalFetcher.copyMapOutput, InMemoryMapOutput.doShuffle and what of
    # theirs a version names otherwise; not the merges, whose inputs are fetched already
    fetching=(
        _SHUFFLE + "Fetcher", _SHUFFLE + "LocalFetcher", _SHUFFLE + "InMemoryMapOutput",
        _SHUFFLE + "IFileWrappedMapOutput", _SHUFFLE + "MapOutput", _SHUFFLE + "ShuffleScheduler",
    ),
    # org.apache.hadoop.mapreduce.MRJobConfig, org.apache.hadoop.mapred.JobConf
    class_properties={
        "mapreduce.job.map.class": "map",
        "mapred.mapper.class": "map",
        "mapreduce.job.reduce.class": "reduce",
        "mapred.reducer.class": "reduce",
        "mapreduce.job.combine.class": "",
        "mapreduce.job.partitioner.class": "",
        "mapreduce.job.inputformat.class": "",
        "mapred.combiner.class": "",
        "mapred.map.runner.class": "",
    },
    shapes=_SHAPES,
)  # fmt: skip
