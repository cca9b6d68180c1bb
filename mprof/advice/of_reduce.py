"""Settings of the reduce side: number of reducers, partitioner, shuffle buffer."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

from mprof.advice.peaks import peaks_of
from mprof.advice.properties import grouped_by, setting
from mprof.advice.thresholds import HEADROOM, LARGE_KEY, LEAST_RATIO, MOST_OF_USABLE, OF_THE_SHUFFLE
from mprof.diagnosis import Advice, Cause
from mprof.evidence import Evidence, Holder, known
from mprof.job_run import PartitionFile
from mprof.patterns import (
    MOST_REDUCERS,
    Balance,
    InQuestion,
    MemoryModel,
    Patterns,
    ShuffledData,
    found,
    own_partitioner,
)
from mprof.units import format_bytes, format_count, format_ratio

__all__ = ["more_reducers", "range_partition", "smaller_shuffle_buffer"]

_REDUCES = "mapreduce.job.reduces"
_SHUFFLE = "mapreduce.reduce.shuffle.input.buffer.percent"
_KEEP = "mapreduce.reduce.input.buffer.percent"
_SHUFFLE_DEFAULT = "0.70"
_OVER_THE_BOUND = 1.25  # `MergeManagerImpl.maxSingleShuffleLimit`: a segment of a quarter of it
_TOGETHER = (
    "{own} is the job's own partitioner. If reduce() needs the keys that it sends to one reducer "
    "together, as with composite keys, keep it: let it partition by a further part of the key as "
    "well, and combine in a second, small job what the reducers make of each part. Otherwise: "
)
_AS_FAR_AS_IT_DIVIDES = (
    " {own} is the job's own partitioner: more reducers help only as far as it tells more values "
    "apart than there are reducers. If it does not, as with few parent keys, let it partition by a "
    "further part of the key, and combine in a second, small job what becomes of each part."
)
_SENT_TOGETHER = (
    " More reducers alone do not help: {idle} of the {count} got nothing, although there are keys "
    "for all of them, so the partitioner sends by fewer values than there are keys."
)
_STEPS = 20  # of the ratio: 0.05 each
_PARTITION_FILE = "mapreduce.totalorderpartitioner.path"


@dataclass(frozen=True, slots=True)
class _Reducers:
    """A number of reducers, and what the largest partition then needs.

    Attributes:
        count: of them.
        peak_bytes: None where nothing says.
        constant_bytes: of it what does not shrink with the partition.
        fits: whether that leaves room.
    """

    count: int
    peak_bytes: float | None
    constant_bytes: int
    fits: bool


@dataclass(frozen=True, slots=True)
class _Cap:
    """The most reducers that are advised, and why not more."""

    count: int
    why: str


def more_reducers(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """The smallest number of reducers at which the largest partition fits."""
    asked, memory = found(patterns.partition_in_question), patterns.memory
    if asked is None or memory is None:
        return ()
    sizes = known(asked.partitions.bytes) or known(asked.partitions.records) or ()
    count = known(evidence.reducers) or len(sizes)
    # Even partitions are not equal: the largest one has to fit.
    spread = max(sizes) * len(sizes) / sum(sizes) if sizes and sum(sizes) else 1.0
    cap = _cap(asked, count)
    if cap.count <= count:
        return (_one_key_each(cause, count, cap),)
    if asked.shuffled is not None:
        chosen = _for_shuffled(asked.shuffled, asked.balance, memory, count, spread, cap)
    else:
        chosen = _for_accumulated(evidence, asked, memory, count, spread, cap)
    if not chosen.fits:
        return (_no_number_helps(cause, chosen, memory, cap),)
    beside = asked.shuffled.beside if asked.shuffled is not None else None
    text = (
        f"{chosen.count} reducers instead of {count}: the largest partition then needs "
        f"{'at least' if beside else 'about'} {format_bytes(chosen.peak_bytes)} of the usable "
        f"{format_bytes(memory.capacity_bytes)}, {format_bytes(chosen.constant_bytes)} of which do "
        f"not shrink with it.{_still_filled(beside)}"
        if chosen.peak_bytes is not None
        else f"{chosen.count} reducers instead of {count}: partitions of half the size. How much "
        "one needs was not measured, so see whether it is enough."
    )
    if chosen.count == cap.count:
        text += f" No more are advised: {cap.why}."
    if asked.own_partitioner is not None:
        text += _AS_FAR_AS_IT_DIVIDES.format(own=asked.own_partitioner)
    line = setting(
        evidence, cause.cause, _REDUCES, str(chosen.count), text,
        peak_bytes=None if beside else chosen.peak_bytes, old=str(count),
    )  # fmt: skip
    return (line,)


def _still_filled(beside: Holder | None) -> str:
    """That a peak is a least, because of what was still being filled beside the shuffle."""
    if beside is None:
        return ""
    return (
        f" Whether that suffices is not known: {beside.path} had {format_bytes(beside.bytes)} when "
        "the task died, and the initializer of its class was still filling it."
    )


def _cap(asked: InQuestion, count: int) -> _Cap:
    """The most reducers that one step may bring."""
    most = count * round(MOST_REDUCERS.value)
    keys = sum(known(asked.partitions.keys) or ())
    if 0 < keys < most:
        return _Cap(keys, f"the map output has {format_count(keys)} keys at most")
    return _Cap(most, f"it is {MOST_REDUCERS.value:.0f} times as many; see how that goes first")


def _one_key_each(cause: Cause, count: int, cap: _Cap) -> Advice:
    text = (
        f"More than the {count} reducers are not advised: {cap.why}, so that more reducers would "
        "stay empty. Make the key finer, so that there are more groups."
    )
    return Advice(cause.cause, "data", text)


def _no_number_helps(cause: Cause, chosen: _Reducers, memory: MemoryModel, cap: _Cap) -> Advice:
    text = (
        f"No number of reducers is advised: {format_count(chosen.count)} of them would still need "
        f"about {format_bytes(chosen.peak_bytes or 0)} of the usable "
        f"{format_bytes(memory.capacity_bytes)} each, because "
        f"{format_bytes(chosen.constant_bytes)} do not shrink with the partition. No more were "
        f"tried: {cap.why}. Keep less in memory."
    )
    return Advice(cause.cause, "code", text)


def _for_shuffled(
    shuffled: ShuffledData,
    balance: Balance,
    memory: MemoryModel,
    count: int,
    spread: float,
    cap: _Cap,
) -> _Reducers:
    """As many as bring the largest partition under the limit of the shuffle, so it all fits."""
    rest = max(0, memory.live_bytes - shuffled.held_bytes)
    usable = min(memory.capacity_bytes, memory.live_bytes)
    room = max(1.0, min(HEADROOM.value * usable - rest, shuffled.limit_bytes))
    total = (balance.mean_bytes or 0.0) * count
    reducers = min(cap.count, max(count + 1, math.ceil(total * spread / room)))
    peak = rest + total * spread / reducers
    return _Reducers(reducers, peak, rest, fits=peak <= MOST_OF_USABLE.value * usable)


def _for_accumulated(
    evidence: Evidence,
    asked: InQuestion,
    memory: MemoryModel,
    count: int,
    spread: float,
    cap: _Cap,
) -> _Reducers:
    """The fewest with which the largest partition fits; where none does, the most there may be."""
    growing = asked.accumulation.growing if asked.accumulation is not None else None
    if growing is None or growing.end_x is None:
        return _Reducers(min(cap.count, count * 2), None, 0, fits=True)
    mean = growing.end_x * asked.balance.mean / asked.balance.own
    peaks = peaks_of(memory, growing, evidence.series)

    def peak_with(reducers: int) -> float:
        return peaks.of_a_part(mean * spread * count / reducers)

    # What grows needs no more of a smaller partition, so the numbers can be halved again and again.
    most = HEADROOM.value * memory.capacity_bytes
    more = range(count + 1, cap.count + 1)
    fits = bisect_left(more, True, key=lambda n: peak_with(n) <= most)
    reducers = more[min(fits, len(more) - 1)]
    peak = peak_with(reducers)
    helps = peak <= MOST_OF_USABLE.value * memory.capacity_bytes
    return _Reducers(reducers, peak, peaks.constant_bytes, fits=helps)


def range_partition(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """How to partition by range: with the file that was made from the keys, or ready to paste."""
    file, own = evidence.partition_file, own_partitioner(evidence)
    comparator = grouped_by(evidence)
    if comparator is not None:
        return (_by_what_is_grouped(cause, comparator, _sent_together(patterns)),)
    if file is None:
        return (_range_partition_by_sampler(evidence, cause, own, _sent_together(patterns)),)
    mean = sum(file.records) / len(file.records)
    if max(file.records) > LARGE_KEY.value * mean:
        return (_one_key_is_too_large(cause, max(file.records), mean),)
    return _by_file(evidence, patterns, cause, file, own)


def _sent_together(patterns: Patterns) -> str:
    """That more reducers would get nothing as well, where some get nothing now."""
    asked = found(patterns.partition_in_question)
    if asked is None or not asked.idle:
        return ""
    count = len(known(asked.partitions.records) or ())
    return _SENT_TOGETHER.format(idle=format_count(asked.idle), count=format_count(count))


def _kept(own: str | None) -> str:
    return "" if own is None else _TOGETHER.format(own=own)


def _by_what_is_grouped(cause: Cause, comparator: str, together: str) -> Advice:
    text = (
        "Balance the partitions with a custom partitioner on the part of the key that "
        f"{comparator} groups by: by range over a sample of those parts, or by a hash that mixes "
        "all their bits. "
        "TotalOrderPartitioner compares whole keys and would tear groups apart."
    )
    return Advice(cause.cause, "code", text + together)


def _by_file(
    evidence: Evidence, patterns: Patterns, cause: Cause, file: PartitionFile, own: str | None
) -> tuple[Advice, ...]:
    new_api = evidence.conf.get("mapred.mapper.new-api", "true") == "true"
    package = "mapreduce.lib.partition" if new_api else "mapred.lib"
    name = "mapreduce.job.partitioner.class" if new_api else "mapred.partitioner.class"
    partitions = known(evidence.partitions)
    counted = known(partitions.records) if partitions else None
    before = f" instead of {format_count(max(counted))}" if counted else ""
    text = (
        f"Partition by range: the keys of this job, cut into {len(file.records)} parts, give the "
        f"largest partition {format_count(max(file.records))} records{before}."
    )
    where = (
        "The file with the partition boundaries. If the tasks cannot see this machine's files, "
        "copy it to the cluster's file system and give that path, or ship it with -files and "
        "leave this "
        "property out."
    )
    partitioner = f"org.apache.hadoop.{package}.TotalOrderPartitioner"
    peak = _peak_of_largest(evidence, patterns, file)
    if own is not None or name in evidence.set_in_code:
        # `mprof rerun --advised` tries settings, and another partitioner may change the results.
        text = (
            f"{_kept(own)}{text} In the driver: setPartitionerClass(TotalOrderPartitioner.class) of"
            f" org.apache.hadoop.{package}; and -D {_PARTITION_FILE}={file.uri}. {where}"
        )
        peak_bytes = None if peak is None else round(peak)
        return (Advice(cause.cause, "code", text, predicted_peak_bytes=peak_bytes),)
    return (
        setting(evidence, cause.cause, name, partitioner, text, peak_bytes=peak),
        setting(evidence, cause.cause, _PARTITION_FILE, file.uri, where),
    )


def _peak_of_largest(evidence: Evidence, patterns: Patterns, file: PartitionFile) -> float | None:
    """What the largest partition will need, by the fitted growth over the groups."""
    asked, memory = found(patterns.partition_in_question), patterns.memory
    growing = patterns.growth("reduce")
    records = known(asked.partitions.records) if asked is not None else None
    if asked is None or memory is None or growing is None or not records:
        return None
    own = records[asked.partitions.own]
    if growing.end_x is None or not own:
        return None
    return peaks_of(memory, growing, evidence.series).at(growing.end_x * max(file.records) / own)


def _one_key_is_too_large(cause: Cause, largest: int, mean: float) -> Advice:
    text = (
        "No partitioner balances this job: partitioned as evenly as its keys allow, one "
        f"partition still has {format_count(largest)} records where the mean is "
        f"{format_count(mean)}, nearly all of one key. Split that key: use a composite key "
        "(k, k'), where k' is a field by which the values are processed; or salt the key: map() "
        f"emits (k, hash of the value mod {math.ceil(largest / mean)}), reduce() processes each "
        "part, and a second, small job combines the parts."
    )
    return Advice(cause.cause, "data", text)


def _range_partition_by_sampler(
    evidence: Evidence, cause: Cause, own: str | None, together: str
) -> Advice:
    partitions, count = known(evidence.partitions), known(evidence.reducers)
    sizes = known(partitions.bytes) if partitions else None
    count = count or (len(sizes) if sizes else None) or 1
    mean = sum(sizes) / len(sizes) if sizes else None
    even = "" if mean is None else f", about {format_bytes(mean)} each"
    text = (
        f"{_kept(own)}Partition by range over a sample of the keys, so that each of the {count} "
        f"reducers gets its share{even}. In the driver, after the input and the key class are set: "
        "job.setPartitionerClass(TotalOrderPartitioner.class); "
        'TotalOrderPartitioner.setPartitionFile(job.getConfiguration(), new Path("partitions")); '
        "InputSampler.writePartitionFile(job, new InputSampler.RandomSampler<>(0.01, 10000, 10)); "
        "(org.apache.hadoop.mapreduce.lib.partition; the sampler reads the keys of the map input, "
        "so where map() makes other keys, write the partition file from a sample of its output). "
        "Where the hash of the key is at fault, a hashCode() or getPartition() that mixes all of "
        "its bits does the same. With --keys, mprof rerun writes the partition file from the keys "
        "that map() has made."
    )
    return Advice(cause.cause, "code", text + together)


def smaller_shuffle_buffer(
    evidence: Evidence, patterns: Patterns, cause: Cause
) -> tuple[Advice, ...]:
    """A ratio at which that limit, one segment above it, and what merges still pin fit."""
    shuffle, memory = known(evidence.shuffle), patterns.memory
    if shuffle is None or memory is None:
        return ()
    capacity, live = memory.capacity_bytes, memory.live_bytes
    if evidence.place in ("reduce", "cleanup"):
        text = (
            "No map output stays in memory while reduce() runs (Hadoop's default): it is merged "
            "to disk and read from there."
        )
        without = max(0, live - (shuffle.held_bytes or 0))
        line = setting(evidence, cause.cause, _KEEP, "0.0", text, peak_bytes=without)
        return (line,)
    heap = known(evidence.memory.heap_max_bytes) or capacity
    held = shuffle.held_bytes or shuffle.used_bytes + shuffle.leftover_bytes
    rest = max(0, live - held)
    # What was alive over the limit: a segment in flight and leftovers, as measured, at least 1/4
    # (a single segment may be a quarter of the limit, MergeManagerImpl.maxSingleShuffleLimit).
    over = max(_OVER_THE_BOUND, held / shuffle.limit_bytes if shuffle.limit_bytes else 0.0)
    # A segment is one array: with Serial and Parallel it may find no room while a third of the
    # heap is free, so what was live at death is all that can be counted on.
    most = HEADROOM.value * min(capacity, live)
    # At most two thirds of what failed: the shuffle allocates whole segments, and the collector
    # needs free room in one piece for them.
    ratio = min((most - rest) / (over * heap), shuffle.limit_bytes / heap * OF_THE_SHUFFLE.value)
    ratio = max(LEAST_RATIO.value, math.floor(ratio * _STEPS) / _STEPS)
    if ratio * heap >= shuffle.limit_bytes:
        return ()  # it is as small as that already
    peak = rest + over * ratio * heap
    shuffled = found(patterns.shuffled_data)
    beside = shuffled.beside if shuffled is not None else None
    text = (
        f"At most {format_ratio(ratio)} of the heap for fetched map output: at the peak "
        f"{'at least' if beside else 'about'} {format_bytes(peak)} of {format_bytes(capacity)} are "
        f"then live, and more of the output goes to disk.{_still_filled(beside)}"
    )
    line = setting(
        evidence, cause.cause, _SHUFFLE, f"{ratio:.2f}", text,
        peak_bytes=None if beside else peak,
        old=evidence.conf.get(_SHUFFLE, _SHUFFLE_DEFAULT),
    )  # fmt: skip
    return (line,)
