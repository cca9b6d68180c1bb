"""Hadoop's own buffers: the sort buffer of a map task, and the memory of the shuffle."""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence, known
from mprof.messages.full_heap import room_that_is_idle
from mprof.messages.message import Reading, SaidSetting, Source, message
from mprof.messages.reckoned import STARTS
from mprof.messages.said import (
    error_like,
    heap_bytes,
    heap_in_words,
    heap_is_unseen,
    is_of_hadoop_1,
    may_be_in_force,
    megabytes_up,
    name_of,
    options_name,
    setting_of,
    side_is_known,
    stands_on_stack,
    top_frame,
)
from mprof.messages.thresholds import BUFFER_OF_HEAP, HEAP_OF_CONTAINER
from mprof.units import MIB, format_bytes, format_ratio

__all__ = ["MESSAGES"]

_SORT_MB = "mapreduce.task.io.sort.mb"
_REDUCES: Final = "mapreduce.job.reduces"
_BUFFER = "org.apache.hadoop.mapred.MapTask$MapOutputBuffer"
_READ_BOTH: Final = (
    "read both values in the job's configuration: job_..._conf.xml beside its history."
)
"""A job that runs in the client's JVM leaves no history."""


def _size_mb(evidence: Evidence) -> int | None:
    buffer = known(evidence.map_buffer)
    if buffer is not None:
        return buffer.requested_bytes // MIB
    said = setting_of(evidence, _SORT_MB) or ""
    return int(said) if said.isdecimal() and len(said) < 5 else None


def _at_least_mb(size_mb: int) -> int:
    return int(size_mb / BUFFER_OF_HEAP.value)


def _although(size_mb: int, heap: int) -> str:
    return (
        f"The heap ran out while the sort buffer of {size_mb} MB was allocated, which a heap of "
        f"-Xmx{heap // MIB}m usually has room for: something had filled it before, such as the "
        "input format or another task in the same JVM."
    )


@message(
    "The sort buffer does not fit into the heap",
    Source(
        "1.2",
        "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.<init>",
        "kvbuffer = new byte[maxMemUsage - recordCapacity]",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init",
        "kvbuffer = new byte[maxMemUsage]",
    ),
    causes=("large_framework_buffer.map",),
)
def sort_buffer_does_not_fit(evidence: Evidence) -> Reading | None:
    """The map task's sort buffer does not fit into its heap.

    What it means
        The map task asks for its whole sort buffer, `mapreduce.task.io.sort.mb`, in one array
        before the first record is read. The heap, `-Xmx`, had no room for an array of that size: no
        record had a part in it, and the task dies in the same way on every node.

    What it does not prove
        How much the mapper itself will need once the buffer fits.

    What to change
        Set `mapreduce.task.io.sort.mb` to half of `-Xmx` or less, or `-Xmx` to twice the buffer or
        more and `mapreduce.map.memory.mb` to a quarter above `-Xmx`. One array has to stand in the
        old generation of Serial and Parallel, which is two thirds of the heap by default
        (`NewRatio=2`).

    What would tell more
        Nothing more is wanted. With the job's configuration (`job_..._conf.xml`) at hand both
        values are in the report.
    """
    top = top_frame(evidence)
    at_buffer = top is not None and top.class_name == _BUFFER and top.method in {"init", "<init>"}
    if evidence.death.kind not in HEAP_KINDS or not at_buffer:
        return None
    size_mb, heap = _size_mb(evidence), heap_bytes(evidence)
    name = name_of(evidence, _SORT_MB)
    buffer = f"{name}={size_mb}" if size_mb is not None else name
    if heap is None or size_mb is None:
        fits = (
            f"-Xmx is {_at_least_mb(size_mb)} MB or more"
            if size_mb is not None
            else "it is at most half of -Xmx"
        )
        # without both sizes something else may have filled the heap before
        return Reading(
            f"The heap ran out while the sort buffer ({buffer}) was allocated, whole, before the "
            f"first record ({heap_in_words(evidence)}). A buffer that is too large for its heap "
            f"fails so, whatever the data. In a heap that is empty otherwise it fits where {fits}; "
            "what was there before it, such as an agent in the JVM or the input format, takes its "
            "part."
            f"{_not_run_yet(evidence)}",
            "suggests",
            "" if evidence.death.program is not None else _READ_BOTH,
        )
    fits_mb = int(BUFFER_OF_HEAP.value * heap // MIB)
    if size_mb <= fits_mb:
        # by these settings it would have fitted: something else had filled the heap before
        return Reading(_although(size_mb, heap), "suggests")
    sentence = (
        f"The sort buffer ({buffer}) does not fit into the heap ({heap_in_words(evidence)}): it is "
        "allocated whole before the first record, so the data is not to blame."
        f"{_not_run_yet(evidence)}"
    )
    old = setting_of(evidence, _SORT_MB) or str(size_mb)
    new = str(max(1, fits_mb))
    room_mb = megabytes_up(_at_least_mb(size_mb) * MIB / HEAP_OF_CONTAINER)
    # that of Hadoop 1 limits address space, and is off where nothing sets it
    room = (
        ""
        if is_of_hadoop_1(evidence)
        else f" and {name_of(evidence, 'mapreduce.map.memory.mb')}={room_mb} or more"
    )
    text = (
        f"A sort buffer of {new} MB fits into this heap, and spills more often. Or keep the "
        f"buffer, with -Xmx{_at_least_mb(size_mb)}m in {options_name(evidence)}{room}."
    )
    return Reading(sentence, "proves", settings=(SaidSetting(name, old, new, text),))


def _not_run_yet(evidence: Evidence) -> str:
    """What code in the text fills, which no call had reached when the buffer was made.

    MapTask makes its collector before it runs the mapper, of either API.
    """
    names = dict.fromkeys(
        one.name for one in evidence.kept_in_code if one.method in STARTS | {"map"}
    )
    if not names or evidence.attempt.task_type == "reduce":
        return ""
    named = " and ".join(f"`{one}`" for one in names)
    be = "was" if len(names) == 1 else "were"
    return (
        f" {named} of the code in the text {be} not filled by then: the buffer is made before "
        "setup() runs."
    )


@message(
    "The sort buffer takes half of the heap or more",
    Source("1.2", f"{_BUFFER}.<init>", "kvbuffer = new byte[maxMemUsage - recordCapacity]"),
    Source("2.2 to 3.5", f"{_BUFFER}.init", "kvbuffer = new byte[maxMemUsage]"),
    causes=("large_framework_buffer.map",),
)
def sort_buffer_takes_half(evidence: Evidence) -> Reading | None:
    """A map task ran out of heap of which the sort buffer had taken half or more.

    What it means
        A map task of a job with reducers holds its sort buffer (`mapreduce.task.io.sort.mb`) from
        before its first record to its end, full or empty. Mapper and combiner have what is left.

    What it does not prove
        How much the mapper or combiner held, and that it would fit beside a smaller buffer.

    What to change
        A buffer of a quarter of `-Xmx`, half of what fits at most: it spills more often, which
        costs disk and time. Or a larger heap for the same buffer.

    What would tell more
        A heap dump at the death: `mprof run`, or `-XX:+HeapDumpOnOutOfMemoryError
        -XX:HeapDumpPath=DIR` in the options.
    """
    size_mb, heap = _size_mb(evidence), heap_bytes(evidence)
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    if evidence.attempt.mode != "none" or stands_on_stack(evidence, _BUFFER, "init", "<init>"):
        return None
    if size_mb is None or heap is None or not (side_is_known(evidence) and evidence.is_map):
        return None
    share = size_mb * MIB / heap
    if share < BUFFER_OF_HEAP.value or setting_of(evidence, _REDUCES) == "0":
        return None
    name = name_of(evidence, _SORT_MB)
    new = str(max(1, int(BUFFER_OF_HEAP.value / 2 * heap // MIB)))
    spills = any(stands_on_stack(evidence, f"{_BUFFER}{inner}") for inner in ("", "$SpillThread"))
    unless = "" if spills else " (a job without reducers has none)"
    text = f"First aid: {name}={new}, half of what fits at most; it spills more often."
    smaller = SaidSetting(name, setting_of(evidence, _SORT_MB), new, text, first_aid=True)
    settings: tuple[SaidSetting, ...] = (smaller,)
    idle, of_heap = room_that_is_idle(evidence)
    settings = (*of_heap, *settings)
    return Reading(
        f"The sort buffer, {name}={size_mb}, takes {format_ratio(share)} of a heap of "
        f"{heap_in_words(evidence)} from before the first record to the end{unless}; mapper and "
        f"combiner have what is left.{idle}",
        "suggests",
        "mprof run, or -XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR in the options, makes "
        "a heap dump, which shows what the mapper held beside it.",
        settings=settings,
    )


_NEW_NAMES: Final = {
    "io.sort.mb": _SORT_MB,
    "io.sort.spill.percent": "mapreduce.map.sort.spill.percent",
}
_DEFAULTS: Final = {
    _SORT_MB: "100",
    "mapreduce.map.sort.spill.percent": "0.8",
    "io.sort.record.percent": "0.05",
}
_MOST_MB: Final = 2047  # (sortmb & 0x7FF) != sortmb
_TASK: Final = "org.apache.hadoop.mapred.MapTask"


@message(
    "A setting of the sort buffer is invalid",
    Source("1.2", f"{_TASK}$MapOutputBuffer.<init>", 'Invalid "io.sort.mb": '),
    Source("1.2", f"{_TASK}$MapOutputBuffer.<init>", 'Invalid "io.sort.record.percent": '),
    Source("2.2 to 3.5", f"{_TASK}$MapOutputBuffer.init", 'Invalid "mapreduce.task.io.sort.mb": '),
    Source(
        "2.2 to 3.5",
        f"{_TASK}$MapOutputBuffer.init",
        'Invalid "mapreduce.map.sort.spill.percent": ',
    ),
    Source(
        "2.7 to 3.5",
        f"{_TASK}.createSortingCollector",
        "Initialization of all the collectors failed. Error in last collector was:",
    ),
)
def sort_buffer_invalid(evidence: Evidence) -> Reading | None:
    """A setting of the sort buffer that Hadoop refuses.

    What it means
        The map task reads `mapreduce.task.io.sort.mb` as a whole number from 0 to 2047, because the
        buffer is one array; `mapreduce.map.sort.spill.percent` and, in Hadoop 1,
        `io.sort.record.percent` have to be shares. Any other value ends every map task before its
        first record. No memory had run out.

    What it does not prove
        That the largest value that is allowed would fit into the heap.

    What to change
        The value that the message names.

    What would tell more
        Nothing more is wanted.
    """
    words = r'Invalid "([\w.]+)": (\S{1,40})'
    found = error_like(evidence, r"java\.io\.IOException", words)
    in_buffer = stands_on_stack(evidence, f"{_TASK}$MapOutputBuffer", "init", "<init>")
    in_task = stands_on_stack(evidence, _TASK, "createSortingCollector")
    if found is None or not (in_buffer or in_task):
        return None
    name, value = _NEW_NAMES.get(found[1], found[1]), found[2]
    if name not in _DEFAULTS:
        return None
    allowed = f"a whole number from 0 to {_MOST_MB}" if name == _SORT_MB else "a share up to 1"
    sentence = (
        f"{name}={value} is no value that Hadoop takes ({allowed}), so every map task fails before "
        "its first record: no memory had run out."
    )
    heap, new = heap_bytes(evidence), _DEFAULTS[name]
    if name == _SORT_MB and heap is not None:
        new = str(max(1, min(_MOST_MB, int(BUFFER_OF_HEAP.value * heap // MIB))))
    text = f"Hadoop's default is {_DEFAULTS[name]}."
    if name == _SORT_MB:
        text += " The buffer has to fit into the heap: half of -Xmx does."
    return Reading(sentence, "proves", settings=(SaidSetting(name, value, new, text),))


_SHUFFLE: Final = "org.apache.hadoop.mapreduce.task.reduce."
_FETCHING: Final = frozenset(
    {
        (_SHUFFLE + "InMemoryMapOutput", "<init>"),
        (_SHUFFLE + "MapOutput", "<init>"),
        ("org.apache.hadoop.io.BoundedByteArrayOutputStream", "<init>"),
        ("org.apache.hadoop.mapred.ReduceTask$ReduceCopier$MapOutputCopier", "shuffleInMemory"),
    }
)
_PERCENT: Final = "mapreduce.reduce.shuffle.input.buffer.percent"
_DEFAULT: Final = "0.70"  # MRJobConfig.DEFAULT_SHUFFLE_PERCENT_BUFFER_PERCENT, and in Hadoop 1
_ENOUGH: Final = "0.20"  # the ratio that a user of the study ended with (StackOverflow 19298357)


@message(
    "A fetched map output does not fit into the reducer's heap",
    Source(
        "1.2",
        "org.apache.hadoop.mapred.ReduceTask$ReduceCopier$MapOutputCopier.shuffleInMemory",
        "byte[] shuffleData = new byte[mapOutputLength]",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>",
        "byteStream = new BoundedByteArrayOutputStream(size)",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.mapreduce.task.reduce.Shuffle.run",
        "error in shuffle in fetcher#N",
    ),
    causes=(
        "large_framework_buffer.shuffle",
        "improper_partition.few_reducers",
        "improper_partition.unbalanced",
        "hotspot_key",
    ),
)
def map_output_does_not_fit(evidence: Evidence) -> Reading | None:
    """A map output that a reducer fetched did not fit into its heap.

    What it means
        The heap ran out while the shuffle asked for room for one map output: no record had reached
        reduce() yet. The shuffle may fill `mapreduce.reduce.shuffle.input.buffer.percent` of the
        heap (0.70) with map output, and each output is one array, of up to a quarter of that.

    What it does not prove
        That the setting alone is to blame: a combiner that runs in the shuffle's merges may keep
        memory too, and a partition that is far larger than the others meets the limit first.

    What to change
        A larger `-Xmx` where the container has room for it. Else
        `mapreduce.reduce.shuffle.input.buffer.percent` to 0.20: what does not fit is merged on
        disk, which costs time and loses nothing. More reducers make each map output smaller.

    What would tell more
        `mprof run` of the same job measures what the shuffle and user code held.
    """
    top = top_frame(evidence)
    if evidence.death.kind not in HEAP_KINDS:
        return None
    # its own frames may be cut off: then those of the thread that waited for it are shown
    waits = top is not None and (top.class_name, top.method) == _WAITS_FOR_IT
    in_fetcher = waits and error_like(evidence, _SHUFFLE_ERROR, r"error in shuffle in fetcher")
    # of Hadoop 1, whose copies log the error alone: Map output copy failure
    unwatched = evidence.attempt.mode == "none"
    in_copy = unwatched and top is None and evidence.place == "shuffle"
    is_fetching = top is not None and (top.class_name, top.method) in _FETCHING
    if not (is_fetching or in_fetcher or in_copy):
        return None
    old = setting_of(evidence, _PERCENT)
    heap = heap_bytes(evidence)
    of_heap = f" of a heap of {format_bytes(heap)}" if heap is not None else " of the heap"
    name = name_of(evidence, _PERCENT)
    whose = name if old is not None else f"Hadoop's default, unless {name} is set"
    doubted = may_be_in_force(evidence, _PERCENT) if old is None else ()
    share = f"the shuffle may fill {old or _DEFAULT}{of_heap} ({whose})"
    if doubted:
        share = (
            f"which share{of_heap} the shuffle may fill ({name}) is not read from the text, which "
            f"has {' and '.join(dict.fromkeys(doubted))}"
        )
    idle, of_room = room_that_is_idle(evidence)
    sentence = (
        "A map output that the shuffle was fetching did not fit into the heap, before reduce() had "
        f"a record: {share}.{idle}"
    )
    # beside a heap that grows no less than usual has to go to disk
    new = _DEFAULT if of_room else _ENOUGH
    small = f", {format_bytes(float(new) * heap)}" if heap is not None and not of_room else ""
    text = (
        f"At most {format_ratio(float(new))} of the heap{small}, for fetched map output: the "
        "rest of it goes to disk, which is slower and loses nothing."
    )
    given = [_share_of(one) for one in (old or _DEFAULT, *doubted)]
    is_small = min(given[1:] or given) <= float(new)
    settings = () if is_small else (SaidSetting(name, old, new, text),)
    return Reading(
        sentence,
        "suggests",
        "mprof run measures what the shuffle and user code held.",
        (*of_room, *settings),
    )


def _share_of(value: str) -> float:
    """A share as Hadoop reads it; 1 where it is none, since that is invalid."""
    return float(value) if _SHARE.fullmatch(value) else 1.0


_SHARE: Final = re.compile(r"\d{0,3}\.?\d{1,9}")


_KEPT: Final = "mapreduce.reduce.input.buffer.percent"
_MUCH: Final = 0.3
"""Share of the heap that is kept from reduce(), from which it is worth telling."""


@message(
    "Map output is kept in the heap while reduce() runs",
    Source("1.2", "org.apache.hadoop.mapred.ReduceTask$ReduceCopier.createKVIterator",
           "mapred.job.reduce.input.buffer.percent"),
    Source("2.2 to 3.5", f"{_SHUFFLE}MergeManagerImpl.finalMerge", _KEPT),
    causes=("large_framework_buffer.shuffle",),
)  # fmt: skip
def map_output_is_kept(evidence: Evidence) -> Reading | None:
    """A reducer ran out of heap, a share of which is set aside for map output during reduce().

    What it means
        `mapreduce.reduce.input.buffer.percent` (0.0) is the share of the heap in which fetched map
        output may stay while reduce() runs, instead of being written to disk first. Code of the job
        has what is left.

    What it does not prove
        That so much of it was full: no more is kept than there is map output.

    What to change
        The property back to its default, 0.0, where reduce() needs the heap itself.

    What would tell more
        `mprof run` measures what the shuffle and user code held.
    """
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    share = setting_of(evidence, _KEPT) or ""
    is_kept = side_is_known(evidence) and evidence.is_reduce and evidence.death.place == "reduce"
    if not is_kept or _SHARE.fullmatch(share) is None or not _MUCH <= float(share) <= 1:
        return None
    name = name_of(evidence, _KEPT)
    text = "Hadoop's default: all map output is on disk before reduce() begins."
    return Reading(
        f"{name}={share} lets fetched map output stay in up to {format_ratio(float(share))} of the "
        "heap while reduce() runs, and code of the job has what is left; where nothing is set, "
        "none stays there.",
        "suggests",
        "mprof run measures what the shuffle and user code held.",
        (SaidSetting(name, share, "0.0", text),),
    )


_SHUFFLE_ERROR: Final = r"org\.apache\.hadoop\.mapreduce\.task\.reduce\.Shuffle\$ShuffleError"
_WAITS_FOR_IT: Final = ("org.apache.hadoop.mapreduce.task.reduce.Shuffle", "run")
_SINGLE: Final = "mapreduce.reduce.shuffle.memory.limit.percent"
_MERGE: Final = "mapreduce.reduce.shuffle.merge.percent"
_SHUFFLE_DEFAULTS: Final = {_PERCENT: "0.70", _SINGLE: "0.25", _MERGE: "0.66"}
_OLD: Final = {"mapred.job.shuffle.input.buffer.percent": _PERCENT}
_MANAGER: Final = "org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl"
_OF_HADOOP_1: Final = "org.apache.hadoop.mapred.ReduceTask$ReduceCopier$ShuffleRamManager"


@message(
    "Settings of the shuffle's memory are invalid",
    Source("1.2", f"{_OF_HADOOP_1}.<init>", "mapred.job.shuffle.input.buffer.percent"),
    Source("2.2 to 3.5", f"{_MANAGER}.<init>", f"Invalid value for {_PERCENT}: "),
    Source("2.2 to 3.5", f"{_MANAGER}.<init>", f"Invalid value for {_SINGLE}: "),
    Source(
        "2.2, 2.4",
        f"{_MANAGER}.<init>",
        "Invlaid configuration: maxSingleShuffleLimit should be less than mergeThreshold",
    ),
    Source(
        "2.7 to 3.5",
        f"{_MANAGER}.<init>",
        "Invalid configuration: maxSingleShuffleLimit should be less than mergeThreshold ",
    ),
)
def shuffle_settings_invalid(evidence: Evidence) -> Reading | None:
    """Settings of the shuffle's memory that Hadoop refuses.

    What it means
        `mapreduce.reduce.shuffle.input.buffer.percent` and `mapreduce.reduce.shuffle.memory.limit.
        percent` have to be shares from 0 to 1, and the latter has to stay below
        `mapreduce.reduce.shuffle.merge.percent`, since else one map output could fill the memory
        and never be merged. Any other value ends every reduce task before it fetches. No memory had
        run out.

    What it does not prove
        Anything about the memory that the reduce task needs.

    What to change
        The value that the message names; Hadoop's defaults are 0.70, 0.25 and 0.66.

    What would tell more
        Nothing more is wanted.
    """
    if not (
        stands_on_stack(evidence, _MANAGER, "<init>")
        or stands_on_stack(evidence, _OF_HADOOP_1, "<init>")
    ):
        return None
    ordered = error_like(
        evidence, r"java\.lang\.RuntimeException", r"Inv(?:al|la)id configuration: maxSingle"
    )
    if ordered is not None:
        said = [f"{name}={setting_of(evidence, name)}" for name in (_SINGLE, _MERGE)
                if setting_of(evidence, name) is not None]  # fmt: skip
        values = f" ({', '.join(said)})" if said else ""
        sentence = (
            f"{_SINGLE} is not below {_MERGE}{values}, so every reduce task fails before it "
            "fetches: no memory had run out."
        )
        names: tuple[str, ...] = (_SINGLE, _MERGE)
        value = None
    else:
        named = error_like(
            evidence,
            r"java\.lang\.IllegalArgumentException|java\.io\.IOException",
            r"(?:Invalid value for )?([a-z.]+percent):? ?(-?[\d.]{1,20})",
        )
        if named is None:
            return None
        name, value = _OLD.get(named[1], named[1]), named[2]
        sentence = (
            f"{name}={value} is no share from 0 to 1, so every reduce task fails before it "
            "fetches: no memory had run out."
        )
        names = (name,) if name in _SHUFFLE_DEFAULTS else ()
    settings = tuple(
        SaidSetting(name, setting_of(evidence, name) or value, _SHUFFLE_DEFAULTS[name],
                    "This is Hadoop's default.")
        for name in names
    )  # fmt: skip
    return Reading(sentence, "proves", settings=settings)


MESSAGES = (
    sort_buffer_does_not_fit,
    sort_buffer_takes_half,
    sort_buffer_invalid,
    map_output_does_not_fit,
    map_output_is_kept,
    shuffle_settings_invalid,
)
