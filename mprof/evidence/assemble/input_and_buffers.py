"""The split of a map attempt, and its sort buffer."""

from __future__ import annotations

from typing import Final

from mprof.dataflow import sort_buffer_of, split_of
from mprof.evidence.assemble.position import absent
from mprof.evidence.facts import MapBuffer, Split, Unknown
from mprof.history import JobConf
from mprof.trace import Trace
from mprof.units import MIB

__all__ = ["map_buffer_of", "split_facts_of"]

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
    size_mb = size_mb if size_mb is not None else trace.logs.sort_mb
    if size_mb is None or place is None:
        return absent(trace, "whether the sort buffer was there")
    return MapBuffer(size_mb * MIB, allocated=place != "init")
