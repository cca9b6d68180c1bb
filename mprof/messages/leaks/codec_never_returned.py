"""Compressors and decompressors that are never ended.

What it means
    A `Deflater`, an `Inflater` and the native codecs of Hadoop keep their memory outside the heap
    until `end()`, or until a collection finds their Java object, which a heap with much room puts
    off. A codec made for each record, or a stream that is not closed, adds up.

What it does not prove
    That it took the memory: see what was measured.

What to change
    Take them of `CodecPool` and return them; close every stream in a `finally`.

What would tell more
    `mprof run` counts direct and other native memory at each look at the process.
"""

from __future__ import annotations

from mprof.evidence import HEAP_KINDS
from mprof.messages.examples import holding, out_of_memory
from mprof.messages.leak import known_leak
from mprof.messages.message import Example, Source

__all__ = ["MESSAGE"]

_CODECS = "org.apache.hadoop.io.compress"
_MADE = (
    "java.util.zip.Deflater", "java.util.zip.Inflater",
    f"{_CODECS}.zlib.ZlibCompressor", f"{_CODECS}.zlib.ZlibDecompressor",
    f"{_CODECS}.snappy.SnappyCompressor", f"{_CODECS}.snappy.SnappyDecompressor",
    f"{_CODECS}.lz4.Lz4Compressor", f"{_CODECS}.lz4.Lz4Decompressor",
    f"{_CODECS}.zstd.ZStandardCompressor", f"{_CODECS}.zstd.ZStandardDecompressor",
    f"{_CODECS}.bzip2.Bzip2Compressor", f"{_CODECS}.bzip2.Bzip2Decompressor",
)  # fmt: skip

MESSAGE = known_leak(
    id="codec_never_returned",
    title="Compressors that are never ended",
    known=(
        "A compressor or decompressor that is not returned to its pool or ended is known to keep "
        "its memory, most of it outside the heap."
    ),
    cure="Close every stream in a finally, and return what CodecPool gave.",
    on_stack=tuple((name, "<init>", "init") for name in _MADE),
    holding=(*_MADE, f"{_CODECS}.CodecPool"),
    kinds=HEAP_KINDS | {"direct", "native"},
    sources=(
        Source("JDK", "java.util.zip.Deflater.end"),
        Source("1.2 to 3.5", f"{_CODECS}.CodecPool.returnDecompressor"),
    ),
    examples=(
        Example("another is made, and direct memory is out",
                lambda: out_of_memory("java.nio.Bits.reserveMemory",
                                      f"{_CODECS}.zlib.ZlibDecompressor.<init>",
                                      "com.example.Job.map",
                                      words="Direct buffer memory", kind="direct")),
        Example("they fill the heap", lambda: holding("java.util.zip.Deflater")),
        Example("one is at work",
                lambda: out_of_memory("java.util.zip.Inflater.inflate", "com.example.Job.map"),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
