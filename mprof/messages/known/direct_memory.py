"""Direct buffers reached their limit, which is not the heap.

What it means
    Buffers outside the heap, of channels, compression codecs and libraries, reached
    `-XX:MaxDirectMemorySize`, which is as large as `-Xmx` where it is not set. `Map failed` is the
    same of files that are mapped into memory. The heap need not be full, and no dump is made.

What it does not prove
    Who holds the buffers: a direct buffer is freed only when its Java object is collected, which a
    heap with much room puts off.

What to change
    Reuse or close what makes the buffers (codecs by `CodecPool`, streams by `close()`); else raise
    `-XX:MaxDirectMemorySize`, with `mapreduce.{map,reduce}.memory.mb` by as much.

What would tell more
    The frames below `java.nio.ByteBuffer.allocateDirect` say who asked last. `mprof run` counts
    direct buffers at each look at the process.
"""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import Evidence
from mprof.messages.examples import limits, out_of_memory
from mprof.messages.message import Example, Message, Reading, SaidSetting, Source
from mprof.messages.said import heap_bytes, options_of, top_frame, with_option
from mprof.units import MIB, format_bytes, parse_jvm_size, parse_long

__all__ = ["MESSAGE"]

_LIMIT: Final = re.compile(r"\(allocated: \d{1,18}, limit: (\d{1,18})\)")
_OPTION: Final = re.compile(r"(?<!\S)-XX:MaxDirectMemorySize=([0-9]{1,15}[kKmMgGtT]?)(?!\S)")
_TIMES: Final = 2


def _reads(evidence: Evidence) -> Reading | None:
    message = evidence.death.message or ""
    if evidence.death.kind != "direct":
        return None
    top = top_frame(evidence)
    who = f", asked for last by {top.class_name}.{top.method}" if top is not None else ""
    if message.startswith("Map failed"):
        return Reading(
            f"A file could not be mapped into memory{who}: the address space or the number of "
            "mappings of the process (vm.max_map_count) ran out, not the heap.",
            "proves",
            "read /proc/PID/maps of a running task, and ulimit -v on the node.",
        )
    said = _LIMIT.search(message)
    limit = parse_long(said[1]) if said is not None else _limit_of_options(evidence)
    size = f" of {format_bytes(limit)}" if limit is not None else ""
    sentence = (
        f"Direct buffers, which lie outside the heap, reached their limit{size}{who}. It is "
        "-XX:MaxDirectMemorySize, or as much as -Xmx where that is not set."
    )
    settings: tuple[SaidSetting, ...] = ()
    if limit is not None:
        new = _TIMES * limit // MIB
        settings = with_option(
            evidence,
            f"-XX:MaxDirectMemorySize={new}m",
            f"First aid: twice the limit that was reached. The container has to hold {new} MB "
            "beside the heap; what makes the buffers and does not free them will reach it again.",
        )
    return Reading(sentence, "proves", "mprof run counts direct buffers at each look.", settings)


def _limit_of_options(evidence: Evidence) -> int | None:
    """The limit by the task's options; None where they are not at hand."""
    options = options_of(evidence)
    if options is None:
        return None
    said = _OPTION.findall(options)
    return parse_jvm_size(said[-1]) if said else heap_bytes(evidence)


_NEW = "Cannot reserve 65536 bytes of direct buffer memory (allocated: 268400000, limit: 268435456)"

MESSAGE = Message(
    id="direct_memory",
    title="Direct buffers reached their limit",
    reads=_reads,
    sources=(
        Source("JDK 8", "java.nio.Bits.reserveMemory", "Direct buffer memory"),
        Source("JDK 11 and later", "java.nio.Bits.reserveMemory",
               "Cannot reserve N bytes of direct buffer memory (allocated: N, limit: N)"),
        Source("JDK 8 and later", "sun.nio.ch.FileChannelImpl.map", "Map failed"),
        Source("2.2 to 3.5",
               "org.apache.hadoop.io.compress.zlib.ZlibDecompressor.<init>, "
               "org.apache.hadoop.io.compress.snappy.SnappyDecompressor.<init>"),
    ),
    examples=(
        Example("a decompressor, in a task whose options are at hand",
                lambda: out_of_memory(
                    "java.nio.Bits.reserveMemory", "java.nio.ByteBuffer.allocateDirect",
                    "org.apache.hadoop.io.compress.zlib.ZlibDecompressor.<init>",
                    words=_NEW, kind="direct",
                    conf={"mapreduce.map.java.opts": "-Xmx256m -XX:MaxDirectMemorySize=256m"})),
        Example("JDK 8, with -Xmx512m",
                lambda: out_of_memory("java.nio.Bits.reserveMemory", words="Direct buffer memory",
                                      kind="direct", memory=limits(heap_mb=512))),
        Example("a file that cannot be mapped",
                lambda: out_of_memory("sun.nio.ch.FileChannelImpl.map", words="Map failed",
                                      kind="direct")),
        Example("an error of the job's own with the same words",
                lambda: out_of_memory("com.example.Job.map", words="Direct buffer memory",
                                      kind="application-made"), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
