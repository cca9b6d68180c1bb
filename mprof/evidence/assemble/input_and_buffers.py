"""The split of a map attempt, its sort buffer, and the memory of a reduce attempt's shuffle."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mprof.dataflow import Dataflow, shuffle_of, sort_buffer_of, split_of
from mprof.evidence.assemble.position import absent
from mprof.evidence.facts import MapBuffer, Shuffle, Split, Unknown
from mprof.history import JobConf
from mprof.objects import HeapObjects
from mprof.trace import Trace
from mprof.units import MIB

__all__ = [
    "map_buffer_of",
    "reserved_by_shuffle",
    "shuffle_bytes",
    "split_facts_of",
    "with_shuffled_bytes",
]

# codecs whose files cannot be read from the middle (SplittableCompressionCodec has only bzip2)
_WHOLE_FILES: Final = (".gz", ".deflate", ".snappy", ".lz4", ".zst", ".lzo", ".lzo_deflate")


def split_facts_of(trace: Trace) -> Split | Unknown | None:
    """The split of a map attempt; None where its input is no part of a file."""
    if trace.task_type == "reduce":
        return None
    split = split_of(trace)
    if split is not None and split.class_name is not None and split.path is None:
        return None  # rows of a table, or a split of the user's own: the agent names every file
    if split is None or split.length is None:
        return absent(trace, "the length of its split")
    path = (split.path or "").lower()
    splittable: bool | None = None
    if path:
        splittable = not path.endswith(_WHOLE_FILES)
    return Split(
        path=split.path,
        start=split.start,
        length_bytes=split.length,
        splittable=splittable,
        class_name=split.class_name,
    )


def map_buffer_of(
    trace: Trace, conf: JobConf | None, place: str | None, reducers: int | Unknown
) -> MapBuffer | Unknown | None:
    """The sort buffer, as the agent saw it, else as configured."""
    if trace.task_type == "reduce" or reducers == 0:
        return None
    buffer = sort_buffer_of(trace)
    if buffer is not None:
        return MapBuffer(buffer.requested, allocated=buffer.ready)
    if place == "init" and trace.attach is not None:
        # The agent logs the request before anything is allocated: there may have been none yet.
        return Unknown("whether the sort buffer had been asked for", "none")
    size_mb = conf.get_int("mapreduce.task.io.sort.mb") if conf else None
    if size_mb is None or place is None:
        return absent(trace, "whether the sort buffer was there")
    return MapBuffer(size_mb * MIB, allocated=place != "init")


def reserved_by_shuffle(
    trace: Trace, flow: Dataflow, place: str | None
) -> Shuffle | Unknown | None:
    """The shuffle's memory at death, as its memory manager counted it."""
    if trace.task_type == "map":
        return None
    state = shuffle_of(trace, flow.total_maps)
    if state is None or state.limit is None or state.used is None:
        return absent(trace, "what the shuffle held")
    return Shuffle(
        limit_bytes=state.limit,
        used_bytes=state.used,
        user_code_running=place in {"combine", "reduce", "setup", "cleanup"},
    )


def with_shuffled_bytes(
    shuffle: Shuffle | Unknown | None, death: HeapObjects | None
) -> Shuffle | Unknown | None:
    """The same with the map output that was found in the heap at death."""
    if not isinstance(shuffle, Shuffle) or death is None:
        return shuffle
    return replace(
        shuffle,
        leftover_bytes=death.part("shuffle_leftover").bytes,
        held_bytes=shuffle_bytes(death),
    )


def shuffle_bytes(objects: HeapObjects) -> int:
    """Map output that a reducer's heap holds, in whichever state."""
    return sum(each.bytes for each in objects.framework if each.part.startswith("shuffle_"))
