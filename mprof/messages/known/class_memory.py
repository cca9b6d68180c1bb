"""Loaded classes reached their limit: metaspace, compressed class space, or PermGen.

What it means
    The memory of loaded classes ran out, not the heap: `-XX:MaxMetaspaceSize` (no limit by
    default), `-XX:CompressedClassSpaceSize` (1 GB) or, up to JDK 7, `-XX:MaxPermSize` (64 to 85
    MB, which also held interned strings up to JDK 6).

What it does not prove
    That there are too many classes: a low limit in the cluster's options is met by a job with many
    libraries.

What to change
    Make generated classes once and keep them: scripts (Groovy, Hive's and Pig's functions),
    serialisers, proxies, regular class loaders of `setup()`. Else raise the limit.

What would tell more
    `jcmd PID VM.classloader_stats` of a running task, or `-verbose:class` in its options.
"""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import Evidence
from mprof.messages.examples import out_of_memory
from mprof.messages.message import Example, Message, Reading, SaidSetting, Source
from mprof.messages.said import options_of, with_option
from mprof.units import MIB, format_bytes, parse_jvm_size

__all__ = ["MESSAGE"]

_KINDS: Final = (
    ("Metaspace", "Metaspace", "-XX:MaxMetaspaceSize", None),
    ("Compressed class space", "Compressed class space", "-XX:CompressedClassSpaceSize", 1024),
    ("PermGen space", "The permanent generation", "-XX:MaxPermSize", 85),
)
"""Words, name, option, and its default in MB (globals.hpp); None for no limit."""
_TIMES: Final = 2


def _reads(evidence: Evidence) -> Reading | None:
    message = evidence.death.message or ""
    kind = next((one for one in _KINDS if message.startswith(one[0])), None)
    if evidence.death.kind != "metaspace" or kind is None:
        return None
    _, name, flag, default_mb = kind
    options = options_of(evidence) or ""
    said = re.search(rf"{flag}=([0-9]{{1,12}}[kKmMgG]?)(?=\s|$)", options)
    limit = parse_jvm_size(said[1]) if said is not None else None
    at_hand = f", {format_bytes(limit)} here" if limit is not None else ""
    sentence = (
        f"{name}, the memory of loaded classes, reached its limit ({flag}{at_hand}): the heap is "
        "not what ran out, and a larger -Xmx does not help."
    )
    if limit is None and default_mb is not None:
        limit = default_mb * MIB
    settings: tuple[SaidSetting, ...] = ()
    if limit is not None:
        new = _TIMES * limit // MIB
        settings = with_option(
            evidence,
            f"{flag}={new}m",
            "First aid: twice the limit. Code that makes classes for each record will reach it "
            "again.",
        )
    return Reading(sentence, "proves", "jcmd PID VM.classloader_stats of a running task.", settings)


MESSAGE = Message(
    id="class_memory",
    title="Loaded classes reached their limit",
    reads=_reads,
    sources=(
        Source("JDK 8 and later", "HotSpot metaspace.cpp, report_metadata_oome", "Metaspace"),
        Source("JDK 8 and later", "HotSpot metaspace.cpp, report_metadata_oome",
               "Compressed class space"),
        Source("JDK 7 and earlier", "HotSpot collectorPolicy.cpp, permGen.cpp", "PermGen space"),
    ),
    examples=(
        Example("metaspace with a limit of 64 MB",
                lambda: out_of_memory("java.lang.ClassLoader.defineClass1", words="Metaspace",
                                      kind="metaspace",
                                      conf={"mapreduce.map.java.opts":
                                            "-Xmx512m -XX:MaxMetaspaceSize=64m"})),
        Example("PermGen, whose limit is not at hand",
                lambda: out_of_memory("java.lang.ClassLoader.defineClass1", words="PermGen space",
                                      kind="metaspace")),
        Example("a full heap", lambda: out_of_memory("java.lang.ClassLoader.defineClass1"),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
