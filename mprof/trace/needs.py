"""What a text says of sizes, beside the end of a process: how much of what the process had to hold.

People who ask write down what they have seen: a histogram of the classes of a JVM, how many lines a
table has, the largest file, what a heap had in use after a full collection, the key that a reducer
logged last. Each is a number that advice can be reckoned from, and none is a setting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from mprof.trace.container import processes_in
from mprof.trace.gc_log import parse_gc_log
from mprof.trace.spark_told import SparkTold, spark_told_in
from mprof.trace.thresholds import QUIET
from mprof.units import GIB, KIB, MIB

__all__ = ["ClassRow", "KeyAtWork", "Needs", "needs_in"]


@dataclass(frozen=True, slots=True)
class KeyAtWork:
    """The key that a reducer logged last, and how many of its values.

    Attributes:
        name: of the key; "" where no word says which part of the line is one.
        values: of it, by then.
        line: as the reducer printed it, without what a logger puts before it.
        logger: the class that logged it; "" where none is named.
    """

    name: str
    values: int
    line: str
    logger: str = ""


@dataclass(frozen=True, slots=True)
class ClassRow:
    """A row of `jmap -histo`."""

    name: str
    instances: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Needs:
    """What a text says of sizes.

    Attributes:
        key: that a reducer was at.
        histogram: of the only JVM that the text has one of, largest class first.
        histogram_pid: of which process; None where no command names it.
        rows_of_file: how many lines a file has that is loaded.
        largest_file_bytes: of the input.
        quiet_heap: words by which the text says how much of a heap is in use, and how much it is.
        native: what it names that takes memory outside the heap.
        native_bytes: what that is set to take, where the text has its options.
        reduce_bytes: what a reducer was given, as it arrived.
        largest_partition: of a stage of Spark, and what half of them are below.
        python_bytes: what the Python processes took of the only container whose list it has.
        vectors: how many a file has, and how many numbers each.
        groups: of the only reducer whose counters it has, and its records.
        whole_files: whether a record is a whole file.
        bytes_each: of a record or value, as it says.
        loaded_bytes: of a file that is loaded.
        peak_bytes: the most that a program took, run by itself, as getrusage or time say it.
        broadcast: a block of a broadcast of Spark that its memory store could not take, how large
            it is, and how much that may hold.
        is_copied: whether code hands an array to a BytesWritable, which copies it.
        spark: what it says of a program of Spark.
        reducers: how many the only job of Hive had, and how many per cent of their work were done.
        clauses: of the queries of Hive, what puts rows of one key together, ``JOIN`` or ``GROUP
            BY``, where nothing is set that divides them.
        one_left: words by which the text says that one reducer of many is left.
        replicated: the relations of a replicated join of Pig, in order.
        rows_at_once: that a scan of HBase fetches.
        streaming: the programs of the only job of Streaming, by the side that runs each.
    """

    key: KeyAtWork | None = None
    histogram: tuple[ClassRow, ...] = ()
    histogram_pid: int | None = None
    rows_of_file: int | None = None
    largest_file_bytes: int | None = None
    quiet_heap: tuple[str, int] | None = None
    native: str = ""
    native_bytes: tuple[str, int] | None = None
    reduce_bytes: int | None = None
    largest_partition: tuple[int, int] | None = None
    python_bytes: int | None = None
    vectors: tuple[int, int] | None = None
    groups: tuple[int, int] | None = None
    whole_files: bool = False
    bytes_each: int | None = None
    loaded_bytes: int | None = None
    peak_bytes: int | None = None
    broadcast: tuple[str, int, int] | None = None
    is_copied: bool = False
    spark: SparkTold = field(default_factory=SparkTold)
    reducers: tuple[int, int] | None = None
    clauses: tuple[str, ...] = ()
    one_left: str = ""
    replicated: tuple[str, ...] = ()
    rows_at_once: int | None = None
    streaming: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return self != Needs()


def needs_in(lines: Sequence[str]) -> Needs:
    """What some lines say.

    >>> text = "After a full GC the heap was at 1.5 GB. The largest file has 300 MB."
    >>> found = needs_in([text])
    >>> found.quiet_heap, found.largest_file_bytes // 2**20
    (('"after a full GC the heap was at 1.5 GB"', 1610612736), 300)
    """
    said = " ".join(" ".join(lines).split())
    histogram, pid = _histogram(lines)
    return Needs(
        key=_key_at_work(lines),
        histogram=histogram,
        histogram_pid=pid,
        rows_of_file=_rows_of_file(said),
        largest_file_bytes=_only(_LARGEST_FILE, said),
        quiet_heap=_quiet_heap(said) or _of_collections(lines),
        native=_native(said),
        native_bytes=_of_rocksdb(said),
        reduce_bytes=_reduce_bytes(lines),
        largest_partition=_partitions(said),
        python_bytes=_of_python(lines),
        vectors=_vectors(said),
        groups=_groups("\n".join(lines)),
        whole_files=_WHOLE_FILES.search(said) is not None,
        bytes_each=_bytes_each(said),
        loaded_bytes=_loaded_bytes(said),
        peak_bytes=max((int(one[1]) * KIB for one in map(_PEAK.match, lines) if one), default=None),
        broadcast=_broadcast(said),
        is_copied="BytesWritable" in said and _COPIED.search(said) is not None,
        spark=spark_told_in("\n".join(lines)),
        reducers=_reducers(said),
        clauses=_clauses(said),
        one_left=_one_left(said),
        replicated=_replicated(said),
        rows_at_once=_rows_at_once(said),
        streaming=_streaming(said),
    )


_OF_STREAMING: Final = re.compile(
    r"\bhadoop-streaming\S{0,40}\.jar\b|\bmapred streaming\b|\bcontrib/streaming/"
)
_JAR: Final = re.compile(r"\b(?:hadoop|yarn) jar \S{1,300}")
_PROGRAM: Final = re.compile(
    r"(?<!\S)-(?P<side>map|reduc)(?:per|er)\s+['\"]?"
    r"(?:\S{0,100}?\b(?:python[\d.]*|perl|ruby|php|Rscript|bash|sh|env)\s+(?:-\w+\s+)?){0,2}"
    r"(?P<program>[^\s'\"]{1,200})"
)
# StreamJob: what is no name of a program is a class, or one of its own
_OF_JAVA: Final = re.compile(r"(?:[a-z]\w*\.){2,}[A-Z][\w$]*|NONE|aggregate")
_A_PROGRAM: Final = re.compile(r"[\w./][\w./-]*")
_MOST_BEHIND: Final = 3000  # characters of a command


def _streaming(text: str) -> tuple[tuple[str, str], ...]:
    """The programs that stand behind the only command, those of Java and none at all left out."""
    commands = [*_OF_STREAMING.finditer(text)]
    others = [one for one in _JAR.findall(text) if _OF_STREAMING.search(one) is None]
    if len(commands) != 1 or others:
        return ()
    begin = commands[0].end()
    found = {
        {"map": "map", "reduc": "reduce"}[one["side"]]: one["program"]
        for one in _PROGRAM.finditer(text, begin, begin + _MOST_BEHIND)
    }
    return tuple(
        (side, name)
        for side, name in found.items()
        if _A_PROGRAM.fullmatch(name) and not _OF_JAVA.fullmatch(name)
    )


# org.apache.hadoop.hive.ql.exec.mr.HadoopJobExecHelper.progress
_REDUCERS: Final = re.compile(r"\bnumber of mappers: \d{1,7}; number of reducers: (\d{1,6})\b")
_REDUCED: Final = re.compile(r"\bStage-\d{1,3} map = \d{1,3}%,\s{1,3}reduce = (\d{1,3})%")
_OF_A_QUERY: Final = re.compile(
    r"(?i);|\b(?:(?P<begin>select|insert)\b|(?P<source>from)\s|(?P<clause>join|group\s+by)\b)"
)
_NEAR: Final = 4000
"""Characters between the words of one query."""
_CLAUSES: Final = (
    ("JOIN", re.compile(r"(?i)\bjoin\s+[\w.`(]"), "hive.optimize.skewjoin"),
    ("GROUP BY", re.compile(r"(?i)\bgroup\s+by\s+[\w.`(]"), "hive.groupby.skewindata"),
)


_SPREAD: Final = re.compile(r"\b(hive\.(?:optimize\.skewjoin|groupby\.skewindata))\s?=\s?true\b")


def _reducers(text: str) -> tuple[int, int] | None:
    """Of the only job that the text has the counts of."""
    counts, shares = _REDUCERS.findall(text), _REDUCED.findall(text)
    if len(counts) != 1 or not shares:
        return None
    furthest = max(map(int, shares))  # a reducer that fails is begun again
    return int(counts[0]), furthest


def _clauses(text: str) -> tuple[str, ...]:
    query = _query(text)
    is_set = {one[1] for one in _SPREAD.finditer(text)}
    return tuple(name for name, words, by in _CLAUSES if words.search(query) and by not in is_set)


def _query(text: str) -> str:
    """The first query of a text that has such a clause, from there on; "" without.

    Word by word: one pattern for the whole of it takes seconds for some kilobytes of half queries.
    """
    begin = source = -_NEAR - 1
    for word in _OF_A_QUERY.finditer(text):
        at = word.start()
        if word["begin"]:
            begin = at
        elif word["source"]:
            source = at if at - begin <= _NEAR else source
        elif word["clause"]:
            if at - source <= _NEAR:
                return text[at : at + _NEAR].partition(";")[0]
        else:
            begin = source = -_NEAR - 1
    return ""


_ONE_LEFT: Final = re.compile(
    r"(?i)\b(?:(?:the )?(?:other|first|remaining) \d{1,5}(?: reduc\w+| of them)?|"
    r"all (?:the )?other reduc\w+|all (?:the )?reduc\w+ but one|all but one(?: reduc\w+)?|"
    r"\d{1,5} (?:reduc\w+|of (?:them|\d{1,5})(?: reduc\w+)?))"
    r"(?: (?:are|were|is|get|got|have|had|all|been))*,? "
    r"(?:done|fine|ok|finish(?:ed|es)?|complete[sd]?|through)\b"
    r"(?P<rest>[^.;!?]{0,60}(?:\b(?:last|one)\b[^.;!?]{0,40})?)"
)
_OF_REDUCERS: Final = re.compile(r"(?i)\breduc(?:ers?|e tasks?)\b")
_NOT_LEFT: Final = re.compile(
    r"(?i)\b(?:when|until|if|before|should|would|wait\w*)\b[^.;!?]{0,20}$"
)


def _one_left(text: str) -> str:
    for one in _ONE_LEFT.finditer(text):
        near = text[max(0, one.start() - 200) : one.end() + 100]
        says = re.search(r"(?i)\b(?:last|one|other|but one)\b", one[0]) is not None
        before = text[max(0, one.start() - 40) : one.start()]
        if says and _OF_REDUCERS.search(near) and not _NOT_LEFT.search(before):
            words = one[0][: -len(one["rest"])] if one["rest"] else one[0]
            return " ".join(words.split())
    return ""


_USING: Final = re.compile(r"(?i)\bUSING ?'(?:replicated|repl)'")
_JOIN: Final = re.compile(r"(?i)\bJOIN\b|;")
_RELATION: Final = re.compile(r"(?i)(\w{1,80}) BY\b")
_LONGEST_JOIN: Final = 1000  # characters


def _replicated(text: str) -> tuple[str, ...]:
    """Of the only such join that the text has."""
    ways = [*_USING.finditer(text)]
    if len(ways) != 1:
        return ()
    above = text[max(0, ways[0].start() - _LONGEST_JOIN) : ways[0].start()]
    last = max(_JOIN.finditer(above), key=lambda one: one.start(), default=None)
    if last is None or last[0] == ";":
        return ()
    return tuple(_RELATION.findall(above, last.end()))


_ROWS_AT_ONCE: Final = re.compile(
    r"(?i)\bset(?:Scanner)?Caching\( ?(\d{1,7}) ?\)|"
    r"\bhbase\.client\.scanner\.caching\W{1,3}(\d{1,7})\b|"
    r"\bcaching (?:of |is |at |was |set to |= ?)?(\d{2,7})\b"
)


def _rows_at_once(text: str) -> int | None:
    if "HBase" not in text and "hbase" not in text:
        return None
    found = {int(next(filter(None, one))) for one in _ROWS_AT_ONCE.findall(text)}
    return found.pop() if len(found) == 1 else None


# resource.getrusage as scripts print it, and GNU time -v; both in kB
_PEAK: Final = re.compile(
    r"(?i)[\s>]*(?:max(?:imum)?[ _]?(?:resident set size|rss)[ :=(]*k(?:ilo)?b(?:ytes)?[ :=)]*)"
    r"(\d{3,12})\s*$"
)
# org.apache.spark.memory.UnifiedMemoryManager.acquireStorageMemory; Storage.BroadcastBlockId
_NOT_STORED: Final = re.compile(
    r"\bWill not store (broadcast_\d{1,9})\w* as the required space \((\d{1,18}) bytes\) exceeds "
    r"our memory limit \((\d{1,18}) bytes\)"
)


def _broadcast(text: str) -> tuple[str, int, int] | None:
    """The largest of them."""
    found = ((one[1], int(one[2]), int(one[3])) for one in _NOT_STORED.finditer(text))
    return max(found, key=lambda one: one[1], default=None)


_UNITS: Final = {"k": KIB, "m": MIB, "g": GIB}
_SIZE: Final = (
    r"(?P<size>\d{1,6}(?:[.,]\d{1,3})?) ?(?P<unit>[kmg])(?:i?b|egs?|igs?|egabytes?|igabytes?)?\b"
)


def _bytes(found: re.Match[str]) -> int:
    return int(float(found["size"].replace(",", ".")) * _UNITS[found["unit"].lower()])


def _only(pattern: re.Pattern[str], text: str) -> int | None:
    """The one size that a pattern finds; None of several that differ."""
    sizes = {_bytes(one) for one in pattern.finditer(text)}
    return sizes.pop() if len(sizes) == 1 else None


_LARGEST_FILE: Final = re.compile(
    r"(?i)\b(?:biggest|largest) (?:one|file|part|xml|gz|input file|zip|image)\b"
    rf"[^.;\n]{{0,40}}? {_SIZE}"
)
_QUIET: Final = re.compile(
    r"(?i)\b(?P<words>(?:after (?:the |a |each |every )?(?:full gcs?|full collections?|major gcs?)"
    r"[^.\n]{0,60}?(?:was|were|is|are|at|to|has|had)|"
    r"(?:heap|totalMemory\(\) ?- ?freeMemory\(\)|java heap)[^.\n]{0,60}?"
    r"(?:never (?:is |was |goes |went |gets |got |uses |used )?"
    r"(?:above|over|more than|exceeds?|exceeded)|"
    rf"(?:stays|stayed|is always|was always) (?:below|under))) {_SIZE})"
)


# whose heap is told of, where it is none of a task
_OF_ANOTHER: Final = re.compile(
    r"(?i)\b(?:drivers?|name ?nodes?|data ?nodes?|clients?|servers?|resource ?managers?|"
    r"node ?managers?|masters?|region ?servers?|hs2|metastore)\b[^.;\n]*$"
)


def _quiet_heap(text: str) -> tuple[str, int] | None:
    """What is said to be in use of a heap that never fills."""
    found = [
        one
        for one in _QUIET.finditer(text)
        if not _OF_ANOTHER.search(text[max(0, one.start() - 60) : one.start()])
    ]
    if not found or len({_bytes(one) for one in found}) != 1:
        return None
    words = found[0]["words"]
    words = f"{words[0].lower()}{words[1:]}" if words.startswith("After") else words
    return f'"{words}"', _bytes(found[0])


def _of_collections(lines: Sequence[str]) -> tuple[str, int] | None:
    """What the fullest of the full collections in a text left, where the heap was far from full."""
    left = [(one.used_after, one.committed) for one in parse_gc_log("\n".join(lines)) if one.major]
    most, size = max(left, default=(0, 0))
    if not left or most > QUIET.value * size:
        return None
    return f"a full collection that left {most // MIB} MB", most


_COPIED: Final = re.compile(r"\b\w+\.set\( ?\w+ ?, ?0 ?, ?\w+")
_WHOLE_FILES: Final = re.compile(
    r"\bWholeFile\w*|\bisSplitable\([^)]*\)[^{}]{0,40}\{ ?(?://[^{}]{0,40})?return false\b"
)
_EACH: Final = re.compile(
    r"(?i)\b(?:(?:each|every|one|average|avg|mean) (?:line|record|value|row|event|entry|message)s?"
    r"(?: size)?|(?:line|record|value|row|event|message)s? (?:size|are|is|have|has))"
    rf"[^.;\n]{{0,25}}? (?:{_SIZE}|(?P<plain>\d{{1,6}}) ?bytes\b)"
)


def _bytes_each(text: str) -> int | None:
    sizes = {int(one["plain"]) if one["plain"] else _bytes(one) for one in _EACH.finditer(text)}
    return sizes.pop() if len(sizes) == 1 else None


_NATIVE: Final = re.compile(
    r"\b(?:RocksDB|rocksdbjni|LevelDB|leveldbjni|OpenCV|TensorFlow|libtensorflow|PyTorch|libtorch|"
    r"ONNX(?: ?Runtime)?|LMDB|Tesseract|FFmpeg|ffmpeg|GDAL|XGBoost|LightGBM|JavaCV|ImageMagick|"
    r"[Ff]aiss|BerkeleyDB|sqlite-jdbc|OpenBLAS|netlib|HDF5|libsvm|JNI|JNA|"
    r"allocateDirect|DirectByteBuffers?|direct buffers|native (?:library|code|memory))\b"
)
_DENIED: Final = re.compile(r"(?i)\b(?:no|not|without|never|nor|n't)\b[^.;,]{0,25}$")
_GENERAL_NAMES: Final = ("JNI", "JNA", "native", "Direct", "direct", "allocate")


def _native(text: str) -> str:
    """The first name of what takes memory outside of the heap, rather one of a library."""
    names = [
        one[0]
        for one in _NATIVE.finditer(text)
        if not _DENIED.search(text[max(0, one.start() - 40) : one.start()])
    ]
    own = [one for one in names if not one.startswith(_GENERAL_NAMES)]
    return next(iter((*own, *names)), "")


_CACHE: Final = re.compile(rf"(?i)\bblock[ _]?cache(?:[ _]?size)?\W{{1,3}}(?:is |of |to )?{_SIZE}")
_BUFFERS: Final = re.compile(
    rf"(?i)\bwrite[ _]?buffers?(?:[ _]?size)?\W{{1,3}}(?:is |of |to )?{_SIZE}"
    r"[^.;]{0,30}?\b(?:max(?:imum)? |number |x ?|times )(?:\w+ )?(?P<many>\d{1,2})\b"
)


def _of_rocksdb(text: str) -> tuple[str, int] | None:
    """What RocksDB may take for its cache and its write buffers, by its options."""
    cache, buffers = _CACHE.search(text), _BUFFERS.search(text)
    if cache is None or buffers is None or "ocks" not in text:
        return None
    many = int(buffers["many"])
    words = (
        f"a block cache of {_bytes(cache) // MIB} MB and {many} write buffers of "
        f"{_bytes(buffers) // MIB} MB"
    )
    return words, _bytes(cache) + many * _bytes(buffers)


_ROW: Final = re.compile(r"^[\s>|]*\d{1,6}: +(\d{1,15}) +(\d{1,18}) +(\S+)")
_HISTO: Final = re.compile(
    r"\b(?:jmap(?: +-F)? +-histo(?::live)?|jcmd) +(\d{1,10})\b|"
    r"\bjcmd (\d{1,10}) GC\.class_histogram"
)
_FEWEST_ROWS: Final = 3


def _histogram(lines: Sequence[str]) -> tuple[tuple[ClassRow, ...], int | None]:
    """The only histogram of a text, and the process that a command above it names."""
    tables: list[tuple[list[ClassRow], int | None]] = []
    pid: int | None = None
    below = 0
    for line in lines:
        if (asked := _HISTO.search(line)) is not None:
            pid, below = int(asked[1] or asked[2]), 0
        row = _ROW.match(line)
        if row is None:
            below += 1
            continue
        if below or not tables:
            tables.append(([], pid))
        below = 0
        tables[-1][0].append(ClassRow(row[3], int(row[1]), int(row[2])))
    tables = [one for one in tables if len(one[0]) >= _FEWEST_ROWS]
    if len(tables) != 1:
        return (), None
    return tuple(tables[0][0]), tables[0][1]


_LOADED: Final = re.compile(
    rf"(?i)\b(?:table|file|dictionary|vocabulary|lookup|list|\w+\.(?:csv|tsv|txt|json|xml))\b"
    rf"[^;\n]{{0,60}}?(?<![\d.]){_SIZE}(?! (?:heap|container|of heap|ram))"
)


_LOADS: Final = r"(?i)\bload|\bdistributed ?cache|\b(?:lookup|reference) (?:file|table)"


def _loaded_bytes(text: str) -> int | None:
    """How large a file is that a program loads; None where several are said."""
    sizes = {
        _bytes(one)
        for one in _LOADED.finditer(text)
        if re.search(_LOADS, text[max(0, one.start() - 60) : one.end() + 20])
        and not re.search(r"(?i)xm|heap|memory|buffer|split|-D|\bmb=", one[0])
    }
    return sizes.pop() if len(sizes) == 1 else None


_TIMES: Final = {"million": 10**6, "mio": 10**6, "m": 10**6, "k": 10**3, "thousand": 10**3, "": 1}
_ROWS_OF_FILE: Final = re.compile(
    r"(?i)\b(?:table|file|dictionary|vocabulary|lookup|list)\b[^.;\n]{0,80}?(?:\.\d[^.;\n]{0,60}?)?"
    r"(?P<count>\d{1,9}(?:[.,]\d{1,3}){0,4}) ?(?P<times>million|mio|m|k|thousand)? "
    r"(?:lines|rows|records|entries|words)\b"
)


def _rows_of_file(text: str) -> int | None:
    """How many lines a file has that a program loads; None where several are said."""
    counts = {
        round(float(_plain(one["count"], one["times"])) * _TIMES[(one["times"] or "").lower()])
        for one in _ROWS_OF_FILE.finditer(text)
        if re.search(r"(?i)\bload", text[max(0, one.start() - 60) : one.end() + 60])
    }
    return counts.pop() if len(counts) == 1 else None


def _plain(count: str, times: str | None) -> str:
    """A number without what parts its thousands."""
    return count.replace(",", "." if times else "")


_KEY: Final = re.compile(
    r"(?i)\b(?:key|group|user|uid|id)(?: is)? ?[=:]? ?['\"\[(]?(?P<name>[^\s'\"\])=:,;]{1,80})"
    r"(?:['\"\])])?[\s,;:]\D{1,60}?(?P<count>\d{5,15}|\d{1,3}(?:,\d{3}){1,4})\b[^\d\n]{0,40}$"
)
_COUNTS: Final = re.compile(
    r"(?P<before>\S[^\n]{0,120}?[^\d.,]) ?"
    r"(?P<count>\d{5,15}|\d{1,3}(?:,\d{3}){1,4})\b[^\d\n]{0,20}$"
)
_LOGGED: Final = re.compile(
    r"^[\s>|]*(?:\[?\d{2,4}[-/]\d\d[-/]\d\d[ T][\d:,.]+\]?\s+)?(?:[A-Z]{4,5}\s+)?(?:\[[^\]]*\]\s+)?"
    r"(?:[A-Z]{4,5}\s+)?(?:(?P<logger>(?:[a-z_]\w*\.)*[A-Z]\w*): )?"
)
_FEWEST_VALUES: Final = 100_000
_FEWEST_OF_ONE_LINE: Final = 1_000_000
"""A single line may be one that is printed of every key."""


def _key_at_work(lines: Sequence[str]) -> KeyAtWork | None:
    """The key of the last lines that count the values of one, which grow from line to line."""
    seen: list[tuple[str, KeyAtWork]] = []
    for line in lines:
        head = _LOGGED.match(line)
        rest = line[head.end() :] if head is not None else line
        logger = head["logger"] or "" if head is not None else ""
        found = _KEY.search(rest) or (_COUNTS.match(rest) if logger else None)
        if found is None or "+" in rest or '"' in rest[:1]:
            continue  # or the code that prints it
        count = int(found["count"].replace(",", ""))
        is_named = found.re is _KEY
        name = found["name"] if is_named else ""
        of = name if is_named else found["before"]
        seen.append((of, KeyAtWork(name, count, " ".join(rest.split()), logger)))
    if not seen:
        return None
    of, last = seen[-1]
    same = [one.values for each, one in seen if (each, one.logger) == (of, last.logger)]
    if not last.name and len(same) == 1:
        return None
    fewest = _FEWEST_VALUES if len(same) > 1 else _FEWEST_OF_ONE_LINE
    return last if same == sorted(set(same)) and last.values >= fewest else None


# Merger of a reduce task
_MERGED: Final = re.compile(
    r"\bMerger: Down to the last merge-pass, with \d{1,6} segments left of total size: "
    r"(\d{1,18}) bytes"
)


def _reduce_bytes(lines: Sequence[str]) -> int | None:
    """What a reducer merged for its reduce(); None where the text has it of several."""
    found = {int(one[1]) for line in lines if (one := _MERGED.search(line)) is not None}
    return found.pop() if len(found) == 1 else None


def _of_python(lines: Sequence[str]) -> int | None:
    if sum("|- PID PPID" in line for line in lines) != 1:
        return None
    listed = processes_in("\n".join(lines))
    return sum(one.resident_bytes for one in listed if one.program.startswith("python")) or None


_VECTORS: Final = re.compile(
    r"(?i)\b(?P<count>\d{1,9}(?:[.,]\d{1,3}){0,4}) ?(?P<times>million|mio|m|k|thousand)? "
    r"(?:words|vectors|rows|lines|items|embeddings) ?(?:x|\*|by|of|with) (?P<each>\d{1,5}) ?"
    r"(?:dims?|dimensions|floats|numbers|columns)\b"
)


def _vectors(text: str) -> tuple[int, int] | None:
    found = {
        (
            round(float(_plain(one["count"], one["times"])) * _TIMES[(one["times"] or "").lower()]),
            int(one["each"]),
        )
        for one in _VECTORS.finditer(text)
    }
    return found.pop() if len(found) == 1 else None


# TaskCounter, as a page, a log or a sentence gives the two beside each other
_GROUPS: Final = re.compile(
    r"\bReduce input groups\b[^\d\n]{0,30}(?P<groups>\d[\d,]{0,15})"
    r"(?P<between>(?:[^\n]{0,80}\n){0,3}?[^\n]{0,40}?)"
    r"\b(?:Reduce input )?records\b[^\d\n]{0,20}(?P<records>\d[\d,]{0,18})"
)
_OTHER_RECORDS: Final = re.compile(r"(?i)\b(?:output|combine|spilled|map|skipped)\b")


def _groups(text: str) -> tuple[int, int] | None:
    """The groups and records of the only counters of a reducer that a text has."""
    counters = [*_GROUPS.finditer(text)]
    if len(counters) != 1 or text.count("Reduce input groups") != 1:
        return None
    (one,) = counters
    if _OTHER_RECORDS.search(one["between"]) is not None:
        return None
    groups = int(one["groups"].replace(",", ""))
    records = int(one["records"].replace(",", ""))
    return (groups, records) if 0 < groups < records else None


_SHUFFLE_READ: Final = re.compile(
    r"(?i)\bshuffle read\b[^.\n]{0,60}?median (?P<median>\d{1,6}(?:\.\d{1,3})?) ?(?P<mu>[kmg])b?\b"
    rf"[^.\n]{{0,60}}?max {_SIZE}"
)


def _partitions(text: str) -> tuple[int, int] | None:
    """The largest part of a stage and the median, as its page has them."""
    found = _SHUFFLE_READ.search(text)
    if found is None:
        return None
    median = int(float(found["median"]) * _UNITS[found["mu"].lower()])
    return _bytes(found), median
