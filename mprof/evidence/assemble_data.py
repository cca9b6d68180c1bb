"""The task side of the evidence: position, progress, split, buffers, partitions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from mprof.dataflow import (
    Dataflow,
    map_progress,
    shuffle_of,
    sort_buffer_of,
    split_of,
    task_progress,
)
from mprof.evidence.assemble_objects import shuffle_bytes
from mprof.evidence.facts import (
    DeathPosition,
    MapBuffer,
    OpenedFile,
    Partitions,
    Progress,
    Shuffle,
    Split,
    Unknown,
)
from mprof.history import JobConf
from mprof.objects import HeapObjects
from mprof.trace import Position as TracePosition
from mprof.trace import Trace
from mprof.trace.events import Failure, Open
from mprof.units import MIB

__all__ = [
    "absent",
    "loading_of",
    "map_buffer_of",
    "opened_of",
    "partitions_of",
    "position_of",
    "progress_of",
    "record_being_read",
    "shuffle_facts_of",
    "split_facts_of",
]

_NO_LOG: Final = Unknown("the event log of this attempt", "run")
_CACHE_FILES: Final = "mapreduce.job.cache.files"
_CODE: Final = (".jar", ".class")  # -libjars are files of the cache too
# codecs whose files cannot be read from the middle (SplittableCompressionCodec has only bzip2)
_WHOLE_FILES: Final = (".gz", ".deflate", ".snappy", ".lz4", ".zst", ".lzo", ".lzo_deflate")


def absent(trace: Trace, what: str) -> Unknown:
    """A fact that the log does not hold: for want of an agent, or because it was not counted."""
    return _NO_LOG if trace.attach is None else Unknown(what, "rerun")


def position_of(trace: Trace, place: str | None) -> DeathPosition | None:
    """Where it stood, in the words of the report; inside combine() that call's own counts."""
    at = trace.position
    if at is None or at.phase is None:
        return None
    if place == "combine" and at.in_combine:
        return DeathPosition(
            phase="combine",
            record=at.combine_records_in,
            group=at.combine_group,
            record_in_group=at.combine_record_in_group,
            partition=at.combine_partition,
            spill=at.spill,
        )
    reduce = at.phase in {"reduce", "cleanup"} and trace.task_type == "reduce"
    unread = record_being_read(trace)
    return DeathPosition(
        phase=at.phase,
        record=at.records_in if unread is None else unread,
        group=at.group or None if reduce else None,
        record_in_group=at.record_in_group or None if reduce else None,
        partition=at.partition,
        spill=at.spill,
    )


def record_being_read(trace: Trace) -> int | None:
    """Ordinal of the record that map() had not been given yet when its reader failed, else None.

    The counters of the position still stand at the record before it.
    """
    failure = trace.last(Failure)
    ordinal = failure.record.ordinal if failure and failure.record else None
    counted = trace.position.records_in if trace.position else None
    if trace.task_type != "map" or ordinal is None or counted is None:
        return None
    return ordinal if ordinal > counted else None


def progress_of(trace: Trace, flow: Dataflow) -> Progress | Unknown:
    """How far the running user code was."""
    found = task_progress(trace, flow)
    if found is None and trace.task_type == "map" and trace.death.place != "combine":
        found = map_progress(trace)
    if found is None:
        return absent(trace, "how far the task was")
    return Progress(found.done, found.method)


def opened_of(trace: Trace, conf: JobConf | None) -> tuple[OpenedFile, ...]:
    """Files opened besides the split, then the job's cached files that nobody saw opened."""
    split = split_of(trace)
    files = _listed(conf, _CACHE_FILES)
    seen: dict[str, OpenedFile] = {}
    for each in _opened_by_user_code(trace):
        if split is not None and each.path == split.path:
            continue
        seen[each.path] = OpenedFile(each.path, each.length)
    opened = {_name(path) for path in seen}
    sizes = _listed(conf, _CACHE_FILES + ".filesizes")
    for path, size in zip_longest(files, sizes[: len(files)]):
        if _name(path) not in opened and not path.endswith(_CODE):
            length = int(size) if size is not None and size.isdigit() else None
            path = path.partition("#")[0]
            seen[path] = OpenedFile(path, length, seen=False)
    return tuple(seen.values())


def loading_of(trace: Trace, place: str | None) -> tuple[OpenedFile, ...] | None:
    """The files that user code was loading when it died; None where it was loading none.

    In setup(), the combiner's too, whatever it has opened. Later, files that it opened while the
    record in flight was processed, if it opened none for a record before: a table that the first
    call loads, or the first that needs it. Code that opens a file a record loads no external data.
    """
    at = trace.position
    if place == "setup" or (place == "combine" and at and at.in_combine and _in_its_setup(at)):
        return ()
    if at is None or place not in {"map", "reduce", "combine"}:
        return None
    during = [
        each for each in _opened_by_user_code(trace)
        if each.at is not None and (each.at.records_in or each.at.combine_records_in)
    ]  # fmt: skip
    if not during or any(_record_of(each.at, place) != _record_of(at, place) for each in during):
        return None
    return tuple(OpenedFile(each.path, each.length) for each in during)


def _opened_by_user_code(trace: Trace) -> tuple[Open, ...]:
    """Without the task's own spills and merges."""
    own = trace.attempt_id
    return tuple(each for each in trace.of(Open) if own is None or own not in each.path)


def _in_its_setup(at: TracePosition) -> bool:
    """Whether the combiner has not met a group of its pass yet."""
    return not at.combine_group and not at.combine_records_in


def _record_of(at: TracePosition | None, place: str) -> tuple[int | None, ...]:
    if at is None:
        return ()
    if place == "combine":
        return (at.combine_call, at.combine_group, at.combine_records_in)
    return (at.records_in,)


def _listed(conf: JobConf | None, name: str) -> list[str]:
    return [entry for entry in ((conf.get(name) if conf else None) or "").split(",") if entry]


def _name(path: str) -> str:
    return path.partition("#")[0].rpartition("/")[2]


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


def shuffle_facts_of(
    trace: Trace, flow: Dataflow, death: HeapObjects | None, place: str | None
) -> Shuffle | Unknown | None:
    """The shuffle's memory at death."""
    if trace.task_type == "map":
        return None
    state = shuffle_of(trace, flow.total_maps)
    if state is None or state.limit is None or state.used is None:
        return absent(trace, "what the shuffle held")
    return Shuffle(
        limit_bytes=state.limit,
        used_bytes=state.used,
        leftover_bytes=death.part("shuffle_leftover").bytes if death else 0,
        held_bytes=shuffle_bytes(death) if death else None,
        user_code_running=place in {"combine", "reduce", "setup", "cleanup"},
    )


def partitions_of(trace: Trace, flows: Sequence[Dataflow]) -> Partitions | Unknown | None:
    """The aggregated partitions, of the run that counted most map tasks; newest among equals."""
    if trace.task_type != "reduce":
        return None
    index = trace.index if trace.index is not None else -1
    told = [flow for flow in flows if 0 <= index < len(flow.partitions)]
    if not told:
        return Unknown("what every map task left for each reducer", "run")
    flow = max(reversed(told), key=lambda f: (f.partitions_complete, f.partitions[0].maps))
    if not flow.partitions_complete and flow.partitions[0].maps * 2 < (flow.total_maps or 0):
        return Unknown("the output of most map tasks", "run")
    return Partitions(
        own=index,
        records=_column([each.records for each in flow.partitions], "records of the partitions"),
        bytes=_column([each.raw_bytes for each in flow.partitions], "bytes of the partitions"),
        keys=_column([each.keys for each in flow.partitions], "keys of the partitions"),
        keys_in_one_map=_column(
            [each.keys_in_one_map for each in flow.partitions], "keys of the partitions"
        ),
        complete=flow.partitions_complete,
        source="map output events",
    )


def _column(values: Sequence[int | None], what: str) -> tuple[int, ...] | Unknown:
    known = tuple(each for each in values if each is not None)
    return known if len(known) == len(values) else Unknown(what, "run")
