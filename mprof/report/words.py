"""Names for people: causes, kinds of death, places, owners."""

from __future__ import annotations

from mprof.units import format_count

__all__ = [
    "CAUSE_NAMES",
    "DEATH_NAMES",
    "OWNER_NAMES",
    "PLACE_NAMES",
    "PLACE_NAMES_OF_MAP",
    "RUN_NAMES",
    "UNIT_NAMES",
    "content_words",
    "short_class",
]

CAUSE_NAMES = {
    "large_accumulated_results.map": "results accumulated over all records of the map task",
    "large_accumulated_results.reduce": "results accumulated over all groups of the reducer",
    "large_accumulated_results.group": "results accumulated over the records of one group",
    "large_intermediate_results": "large intermediate results for one record",
    "large_external_data": "large external data held in memory",
    "large_input_split": "the input split is too large",
    "improper_partition.few_reducers": "too few reducers",
    "improper_partition.unbalanced": "the partitions are unbalanced",
    "hotspot_key": "a hot key: its group is too large",
    "large_single_record": "a single record is very large",
    "large_framework_buffer.map": "the map side sort buffer is too large",
    "large_framework_buffer.shuffle": "the shuffle buffer is too large",
}

DEATH_NAMES = {
    "heap": "ran out of heap",
    "gc-overhead": "spent nearly all its time collecting garbage and was stopped",
    "array-limit": "asked for an array larger than the JVM allows",
    "direct": "ran out of direct buffer memory",
    "native": "was refused native memory by the operating system",
    "metaspace": "ran out of metaspace",
    "threads": "could not start another thread",
    "application-made": "ended with an OutOfMemoryError that its own code made",
    "container-physical": "was killed because its container used more physical memory than allowed",
    "container-virtual": "was killed because its container used more virtual memory than allowed",
    "not-memory": "failed, and nothing says that memory was why",
    "none": "did not fail",
}

PLACE_NAMES = {
    "init": "before the user's code started, while its buffers were set up",
    "setup": "in the set-up of the user's code, before the first record",
    "map": "in map()",
    "combine": "in combine()",
    "shuffle": "in the shuffle, with no user code running",
    "sort": "in the merge before reduce()",
    "reduce": "in reduce()",
    "cleanup": "in the cleanup of the user's code, after the last record",
}

PLACE_NAMES_OF_MAP = {"sort": "in a spill or merge of its output"}
"""What stands for another step where a map task does it."""

OWNER_NAMES = {
    "user": "user objects",
    "external": "external data",
    "framework": "Hadoop and its buffers",
    "record": "record in flight",
    "output": "record being written",
    "serialization": "serialisation buffers",
    "other": "JVM and libraries",
}

UNIT_NAMES = {
    "record": "input records",
    "group": "groups",
    "record_in_group": "records of the group at death",
    "byte_read": "bytes read",
}

RUN_NAMES = {
    "cluster": "the cluster's own history",
    "run": "mprof run",
    "rerun": "mprof rerun",
    "verify": "mprof rerun with its run of one record",
}


def short_class(name: str) -> str:
    """A class name without its package.

    >>> short_class("java.util.HashMap$Node[]")
    'HashMap$Node[]'
    """
    return name.rsplit(".", 1)[-1]


def content_words(class_name: str, length: int | None, element_class: str | None = None) -> str:
    """What a container holds, after a comma; nothing where that is not known.

    >>> content_words("java.lang.StringBuilder", 12845031)
    ', 12,845,031 characters'
    """
    if not length:
        return ""
    word = "entry" if length == 1 else "entries"
    if class_name in _TEXTS:
        word = "character" if length == 1 else "characters"
    elif element_class == "byte":
        word = "byte" if length == 1 else "bytes"
    return f", {format_count(length)} {word}"


_TEXTS = ("java.lang.String", "java.lang.StringBuffer", "java.lang.StringBuilder")
