"""File systems that are made again and again, and never closed.

What it means
    `FileSystem.get` keeps each file system in a cache by its scheme, authority and user; every new
    `UserGroupInformation` is a new user. `FileSystem.newInstance`, and `fs.SCHEME.impl.disable.
    cache=true`, make a new one at each call. Each keeps its client, threads and configuration until
    `close()`.

What it does not prove
    That it filled this heap: see what was measured.

What to change
    Get the file system once, in `setup()`, and keep it in a field; close what `newInstance` made;
    `FileSystem.closeAllForUGI` for users of one's own.

What would tell more
    The rows under `FileSystem$Cache` in the report of a run with a heap dump (`mprof run`).
"""

from __future__ import annotations

from mprof.evidence import HEAP_KINDS
from mprof.messages.examples import holding, out_of_memory
from mprof.messages.leak import known_leak
from mprof.messages.message import Example, Source

__all__ = ["MESSAGE"]

_SYSTEM = "org.apache.hadoop.fs.FileSystem"
_OF_HDFS = "org.apache.hadoop.hdfs.DistributedFileSystem"
_CLIENT = "org.apache.hadoop.hdfs.DFSClient"

MESSAGE = known_leak(
    id="file_system_never_closed",
    title="File systems that are never closed",
    known=(
        "A file system that is made for each record (FileSystem.newInstance, or FileSystem.get for "
        "a new user each time) is known to stay until close()."
    ),
    cure="Get it once in setup() and keep it in a field.",
    on_stack=((_SYSTEM, "createFileSystem", "newInstance"), (_CLIENT, "<init>")),
    holding=(_SYSTEM, f"{_SYSTEM}$Cache", f"{_SYSTEM}$Cache$Key", _OF_HDFS, _CLIENT),
    kinds=HEAP_KINDS | {"threads"},
    sources=(
        Source("1.2 to 3.5", f"{_SYSTEM}$Cache.get"),
        Source("1.2 to 3.5", f"{_SYSTEM}.newInstance"),
    ),
    examples=(
        Example("one is made while the heap is full",
                lambda: out_of_memory(f"{_CLIENT}.<init>", f"{_OF_HDFS}.initialize",
                                      f"{_SYSTEM}.createFileSystem", "com.example.Job.map")),
        Example("clients fill the heap", lambda: holding(_CLIENT)),
        Example("the cache holds most of the heap",
                lambda: holding("java.util.HashMap", held_by=_SYSTEM)),
        Example("an open file system is used",
                lambda: out_of_memory(f"{_OF_HDFS}.open", "com.example.Job.map"), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
