"""What a text says of sizes beside an end, and what is reckoned from it.

The expected numbers are worked out by hand, beside each text.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.trace.needs import Needs, needs_in
from mprof.units import GIB, MIB

_READ = {
    "after full collections": (
        "After every full GC the heap is at 1.5 GB.",
        Needs(quiet_heap=('"after every full GC the heap is at 1.5 GB"', 3 * GIB // 2)),
    ),
    "never above": (
        "The heap is never above 300 MB.",
        Needs(quiet_heap=('"heap is never above 300 MB"', 300 * MIB)),
    ),
    "of a driver": ("On the driver the heap is never above 300 MB.", Needs()),
    "a full collection that left little": (
        "[Full GC (Ergonomics) [PSYoungGen: 9K->0K(20K)] 819200K->102400K(1048576K), 0.5 secs]",
        Needs(quiet_heap=("a full collection that left 100 MB", 100 * MIB)),
    ),
    "the same, with classes behind it": (
        "[Full GC (E) [PSYoungGen: 9K->0K(9K)] 819200K->102400K(1048576K), [Metaspace: 9K->9K(9K)]",
        Needs(quiet_heap=("a full collection that left 100 MB", 100 * MIB)),
    ),
    "a file that is loaded": (
        "we load names.csv from the cache, 300 MB on disk",
        Needs(loaded_bytes=300 * MIB),
    ),
    "a file that is not": ("the file of the input has 300 MB", Needs()),
    "one that left much": ("GC(9) Pause Full (Allocation Failure) 1000M->990M(1024M)", Needs()),
    "the largest file": (
        "The largest file has 700 MB, the rest is small.",
        Needs(largest_file_bytes=700 * MIB),
    ),
    "two largest files": ("the largest file of a is 700 MB, the biggest one of b 2 GB", Needs()),
    "a native library": ("We call it over JNI (OpenCV).", Needs(native="OpenCV")),
    "none": ("there is no JNI in it", Needs()),
    "a cache and buffers": (
        "RocksDB has a block cache of 256 MB and write buffers of 32 MB, max number 4",
        Needs(
            native="RocksDB",
            # 256 + 4 * 32
            native_bytes=("a block cache of 256 MB and 4 write buffers of 32 MB", 384 * MIB),
        ),
    ),
    "lines of a table that is loaded": (
        "we load a table of 2.5 million lines",
        Needs(rows_of_file=2_500_000),
    ),
    "lines of a file that nothing loads": ("the input file has 2.5 million lines", Needs()),
    "vectors": ("vec.txt: 2 M words x 100 dims", Needs(vectors=(2_000_000, 100))),
    "partitions": (
        "shuffle read: min 1 MB / median 200 MB / max 1.5 GB",
        Needs(largest_partition=(3 * GIB // 2, 200 * MIB)),
    ),
    "one key": (
        "Reduce input groups=1, Reduce input records=5,000",
        Needs(groups=(1, 5000)),
    ),
    "each value": ("Each value is about 2 KB", Needs(bytes_each=2048)),
    "whole files": (
        "protected boolean isSplitable(JobContext c, Path p) { return false; }",
        Needs(whole_files=True),
    ),
}


@pytest.mark.parametrize(("text", "needs"), _READ.values(), ids=_READ)
def test_what_a_text_says_of_sizes_is_read(text: str, needs: Needs) -> None:
    assert needs_in(text.split("\n")) == needs


_LOG = "2021-04-05 10:00:0{} INFO [main] com.acme.Join: {}"


def test_the_key_at_work_is_that_of_the_last_lines_whose_count_grows() -> None:
    grows = [_LOG.format(n, f"user=a{n // 2} rows so far: {n},000,000") for n in range(1, 6)]
    falls = [_LOG.format(n, f"key=a values: {9 - n}00000") for n in range(1, 6)]
    code = ['LOG.info("key=" + key + " values: 9000000");']

    found = needs_in(grows).key

    assert found is not None
    assert (found.name, found.values, found.logger) == ("a2", 5_000_000, "com.acme.Join")
    assert needs_in(falls).key is None
    assert needs_in(code).key is None


def test_a_line_that_counts_without_naming_a_key_has_none() -> None:
    lines = [_LOG.format(n, f"www.example.com so far {n}00000") for n in (1, 2, 3)]

    found = needs_in(lines).key

    assert found is not None
    assert (found.name, found.line) == ("", "www.example.com so far 300000")
    assert needs_in(lines[:1]).key is None


_ID = "1700000000000_0007"


def _died(stack: str, rest: str, *, side: str = "m") -> str:
    frames = "\n".join(f"\tat {one}" for one in stack.split())
    return (
        f"Task Id : attempt_{_ID}_{side}_000002_0, Status : FAILED\nError: Java heap space\n\n"
        "2021-04-05 10:01:00,100 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running "
        f"child : java.lang.OutOfMemoryError: Java heap space\n{frames}\n\n{rest}\n"
    )


_WHOLE = """java.util.Arrays.copyOf(Arrays.java:3236)
java.io.ByteArrayOutputStream.grow(ByteArrayOutputStream.java:118)
com.acme.ZipReader.nextKeyValue(ZipReader.java:40)
org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader.nextKeyValue(MapTask.java:556)"""


def test_a_whole_file_needs_what_its_doubling_array_takes(tmp_path: Path) -> None:
    text = _died(
        _WHOLE,
        "ZipReader is of our WholeFileInputFormat, the largest file is 300 MB.\n"
        "mapreduce.map.java.opts=-Xmx512m\nmapreduce.map.memory.mb=1024\n"
        "mapreduce.task.io.sort.mb=100",
    )

    _, told = told_of(tmp_path, text)

    # 300 MB -> an array of 512 MB; 512 + 300 (its copy) > 512 + 256 (its growth); 100 MB of the
    # sort buffer: 912 MB in two thirds of a heap are 1368, in steps of 128: 1408
    assert "grows from 256 MB to 512 MB" in told
    assert "812 MB before anything is made of it" in told
    assert "mapreduce.map.java.opts=-Xmx1408m, by that reckoning" in told
    assert "a value to try" not in told


def test_an_array_that_is_copied_into_a_value_needs_both(tmp_path: Path) -> None:
    code = (
        "class R extends RecordReader<Text, BytesWritable> { protected boolean isSplitable(\n"
        "JobContext c, Path p) { return false; }\nvalue.set(all, 0, all.length);\n"
        "The largest file has 200 MB. mapreduce.map.java.opts=-Xmx400m\n"
        "mapreduce.map.memory.mb=512\n"
    )
    stack = "\n".join(_WHOLE.split("\n")[2:])

    _, told = told_of(tmp_path, _died(stack, code))
    _, alone = told_of(tmp_path, _died(stack, code.replace("value.set(all, 0, all.length);", "")))

    # 200 + 300 MB in two thirds of a heap: 750, in steps of 128: 768; 200 MB alone: 384
    assert "mapreduce.map.java.opts=-Xmx768m, by that reckoning" in told
    assert "-Xmx384m or more holds that; what is made of it comes on top" in alone
    assert "-Xmx800m, twice the heap that it had" in alone


def test_without_the_size_of_the_file_no_need_is_reckoned(tmp_path: Path) -> None:
    text = _died(_WHOLE, "Our WholeFileInputFormat.\nmapreduce.map.java.opts=-Xmx512m")

    _, told = told_of(tmp_path, text)

    assert "mprof found no size of it" in told
    assert "-Xmx1024m, twice the heap that it had" in told
    assert "It is a value to try: mprof cannot tell how much is needed." in told


_SETUP = """java.lang.String.substring(String.java:1969)
com.acme.Geo.load(Geo.java:30)
com.acme.GeoMapper.setup(GeoMapper.java:12)
org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:143)"""


def test_what_setup_loads_is_named_by_its_method(tmp_path: Path) -> None:
    _, told = told_of(tmp_path, _died(_SETUP, "Why?"))
    _, later = told_of(
        tmp_path, _died(_SETUP.replace("setup(", "map(").replace("load(", "parse("), "Why?")
    )

    assert "full in com.acme.Geo.load (Geo.java:30), called by setup(), before the first" in told
    assert "large_external_data" not in told  # it is named, and not undecided
    assert "before the first record" not in later


def test_a_file_that_setup_loads_is_reckoned_by_its_size(tmp_path: Path) -> None:
    heap = "mapreduce.map.java.opts=-Xmx512m\nmapreduce.map.memory.mb=1024\n"

    _, told = told_of(tmp_path, _died(_SETUP, f"{heap}It loads geo.csv, 400 MB, in setup()."))
    _, small = told_of(tmp_path, _died(_SETUP, f"{heap}It loads geo.csv, 2 MB, in setup()."))

    # three times 400 MB in two thirds of a heap: 1800, in steps of 128: 1920
    assert "mapreduce.map.java.opts=-Xmx1920m, by that reckoning" in told
    assert "by that reckoning" not in small


_HISTOGRAM = """$ jstack {stack}
$ jmap -histo {histogram}
   1:       2000000      96000000  com.acme.Row
   2:       2000000      96000000  java.util.HashMap$Node
   3:            12     104857600  [B
It loads a table of 8 million lines.
mapreduce.map.java.opts=-Xmx512m
mapreduce.map.memory.mb=1024
"""


def test_a_part_of_a_table_that_a_histogram_shows_tells_of_the_whole(tmp_path: Path) -> None:
    told = [
        told_of(tmp_path, _died(_SETUP, _HISTOGRAM.format(stack=77, histogram=pid)))[1]
        for pid in (77, 78)  # the same process, and another
    ]

    # 192 MB of a quarter of the lines are 768 MB (732 MiB) of all, and the 100 MiB of arrays stay:
    # 832 MiB in two thirds of a heap are 1249, in steps of 128: 1280
    assert "With 2,000,000 of its 8,000,000 lines (25 %) loaded" in told[0]
    assert "mapreduce.map.java.opts=-Xmx1280m, by that reckoning" in told[0]
    assert "by that reckoning" not in told[1]


def test_the_python_of_one_container_is_counted_by_its_pages() -> None:
    rows = [
        (
            "|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
            "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE"
        ),
        "|- 10 9 9 9 (java) 100 10 3000000000 500000 /usr/bin/java -Xmx1g Executor",
        "|- 11 10 9 9 (python) 100 10 400000000 1000 python -m pyspark.daemon",
        "|- 12 11 9 9 (python3) 100 10 400000000 3000 python3 -m pyspark.daemon",
    ]

    assert needs_in(rows).python_bytes == (1000 + 3000) * 4096
    assert needs_in([*rows, *rows]).python_bytes is None  # of two containers
    assert needs_in(rows[:2]).python_bytes is None


def test_the_reckoning_stands_beside_the_code_that_loads_the_file(tmp_path: Path) -> None:
    code = """
private Map<String, String> names = new HashMap<>();
protected void setup(Context c) {
  while ((line = in.readLine()) != null) {
    names.put(line, line);
  }
}
The lookup file has 400 MB. mapreduce.map.java.opts=-Xmx512m, mapreduce.map.memory.mb=1024
"""
    _, told = told_of(tmp_path, _died(_SETUP, code))

    assert "The code in the text fills `names`" in told
    assert "The file has 400 MB, as the text says" in told
    assert "-Xmx1920m, by that reckoning" in told


_REDUCE = """java.util.Arrays.copyOf(Arrays.java:3332)
java.util.ArrayList.grow(ArrayList.java:265)
java.util.ArrayList.add(ArrayList.java:462)
com.acme.Join.reduce(Join.java:21)
org.apache.hadoop.mapreduce.Reducer.run(Reducer.java:171)"""
_LIST = """
protected void reduce(Text key, Iterable<Text> values, Context c) {
  List<Text> rows = new ArrayList<>();
  for (Text v : values) {
    rows.add(new Text(v));                    // 21
  }
}
mapreduce.reduce.java.opts=-Xmx1024m
mapreduce.reduce.memory.mb=1536
"""


def test_the_key_that_the_log_names_is_told_and_the_heap_is_reckoned_against_it(
    tmp_path: Path,
) -> None:
    lines = "\n".join(_LOG.format(n, f"key=- rows so far {n}000000") for n in (1, 2, 3))

    _, told = told_of(tmp_path, f"{lines}\n{_died(_REDUCE, _LIST, side='r')}")
    _, sized = told_of(
        tmp_path, f"{lines}\n{_died(_REDUCE, _LIST, side='r')}\nEach row is about 1 KB."
    )
    _, other = told_of(
        tmp_path, f"{lines}\n{_died(_REDUCE, _LIST, side='r')}".replace("acme.Join:", "acme.Etl:")
    )

    # 1024 MB / 3,000,000
    assert 'at which key it was: "key=- rows so far 3000000"' in told
    assert "at most 357 bytes each" in told
    assert "hotspot_key" not in told
    # 3,000,000 * 1 KB are 2.9 GB: twice the heap cannot hold them
    assert "3,000,000 values of 1.0 KB, as the text has their size, are 2.9 GB" in sized
    assert "Twice the heap that it had, -Xmx2048m, is too little" in sized
    assert "-D mapreduce.reduce.java.opts" not in sized
    assert "at which key it was" not in other


_KILLED = (
    f"attempt_{_ID}_m_000002_0 Container [pid=1,containerID=container_{_ID}_01_000004] is running "
    "beyond physical memory limits. Current usage: 2.0 GB of 2 GB physical memory used; 3.0 GB of "
    "4.2 GB virtual memory used. Killing container.\n"
    "mapreduce.map.memory.mb=2048\nmapreduce.map.java.opts=-Xmx1638m\n"
)


def test_a_quiet_heap_is_made_smaller_and_not_its_container_larger(tmp_path: Path) -> None:
    _, told = told_of(
        tmp_path, f"{_KILLED}The mapper calls FFmpeg by JNI. The heap is never above 400 MB.\n"
    )
    _, plain = told_of(tmp_path, _KILLED)

    # 1.5 * 400 = 600, in steps of 128: 640
    assert "-D mapreduce.map.java.opts=-Xmx640m (was -Xmx1638m)" in told
    assert "The text names FFmpeg" in told
    assert "mapreduce.map.memory.mb=4096" not in told
    assert "mapreduce.map.memory.mb=4096" in plain


def test_a_heap_that_is_as_large_as_its_container_is_made_smaller_where_it_is_quiet(
    tmp_path: Path,
) -> None:
    text = _KILLED.replace("-Xmx1638m", "-Xmx2000m")

    _, told = told_of(tmp_path, f"{text}The heap is never above 400 MB.\n")
    _, plain = told_of(tmp_path, text)

    assert "-D mapreduce.map.java.opts=-Xmx640m" in told
    assert "Whether the heap was full is not known" not in told
    assert "-D mapreduce.map.memory.mb=2560" in plain  # 2000 / 0.8 = 2500, in steps of 128


def test_a_listed_jvm_with_a_quiet_heap_gets_a_smaller_one(tmp_path: Path) -> None:
    tree = (
        "Dump of the process-tree for container_1700000000000_0007_01_000004 :\n"
        "|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
        "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
        "|- 2 1 1 1 (java) 90 10 3180462080 524000 java -Xmx1638m "
        f"org.apache.hadoop.mapred.YarnChild 10.0.0.1 40000 attempt_{_ID}_m_000002_0 4\n"
    )
    killed, rest = _KILLED.split("Killing container.\n")
    text = f"{killed}Killing container.\n{tree}\n{rest}"

    _, told = told_of(tmp_path, f"{text}The heap is never above 400 MB.\n")
    _, plain = told_of(tmp_path, text)

    assert "-D mapreduce.map.java.opts=-Xmx640m" in told
    assert "-D mapreduce.map.memory.mb" not in told
    assert "-Xmx640m" not in plain


def test_a_pool_at_each_record_is_named_with_its_line(tmp_path: Path) -> None:
    code = """
11  public void map(LongWritable k, Text v, Context c) {
12    // four at once
13    ExecutorService pool = Executors.newFixedThreadPool(4);
14    pool.submit(() -> ask(v));
15  }

Threads:   8000
"""
    stack = "java.lang.Thread.start0(Native)\ncom.acme.Ask.map(Ask.java:14)"
    text = _died(stack, code).replace("Java heap space", "unable to create new native thread")

    _, told = told_of(tmp_path, text)
    _, ended = told_of(tmp_path, text.replace("15  }", "15    pool.shutdown();\n16  }"))

    assert "`pool` by `Executors.newFixedThreadPool(4)`, line 13 of its file" in told
    assert "as many as 2,000 calls or more leave" in told
    assert "makes a pool of threads at each call" not in ended


_SPARK = (
    "18/01/02 03:04:05 ERROR YarnScheduler: Lost executor 3 on n1: Container killed by YARN for "
    "exceeding memory limits. 8.8 GB of 8.8 GB physical memory used. Consider boosting "
    "spark.yarn.executor.memoryOverhead.\n"
)


def test_the_overhead_of_pyspark_holds_the_largest_partition_at_least(tmp_path: Path) -> None:
    code = (
        "def f(rows):\n    all_rows = list(rows)\n    return all_rows\nout = x.mapPartitions(f)\n"
    )
    sizes = "shuffle read median 100 MB, max 3 GB\n"

    _, told = told_of(tmp_path, f"{_SPARK}\n{code}\n{sizes}")
    _, plain = told_of(tmp_path, _SPARK)

    # 8.8 GB are 8 GB of heap and the tenth of it, 819 MB; 3 GB more are 3891
    assert "`all_rows = list(rows)`" in told
    assert "spark.yarn.executor.memoryOverhead=3891" in told
    assert "in a Python worker" not in plain


def test_code_that_had_not_run_when_the_sort_buffer_was_made_is_said_to_be_innocent(
    tmp_path: Path,
) -> None:
    code = """
private Map<String, String> names = new HashMap<>();
protected void setup(Context c) {
  while ((line = in.readLine()) != null) {
    names.put(line, line);
  }
}
mapreduce.map.java.opts=-Xmx512m, mapreduce.task.io.sort.mb=500
"""
    buffer = "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:986)"
    said = "`names` of the code in the text was not filled by then"

    _, told = told_of(tmp_path, _died(buffer, code))
    _, later = told_of(tmp_path, _died(_SETUP, code))

    assert said in told
    assert said not in later
