"""Groups of reduce() as the map tasks wrote them, where each task tells of all its keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from mprof.dataflow import Dataflow, GroupCounts, KeyCount, groups_of
from mprof.evidence.assemble.counted_groups import Counted
from mprof.evidence.facts import Group
from mprof.history import JobConf
from mprof.trace import Sketch, Trace, digest_text, merge_sketches
from mprof.trace.events import OtherGroups

__all__ = ["WrittenGroups", "written_groups"]

_KEYS_ARE_NO_GROUPS: Final = (
    # a group may have several keys, as may what one map task takes for one
    "mapreduce.job.output.group.comparator.class",
    "mapreduce.job.output.key.comparator.class",
    # a combiner may run in the shuffle too, and leave fewer records
    "mapreduce.job.combine.class",
    "mapred.combiner.class",
)


class WrittenGroups(NamedTuple):
    """G_m with the others of its partition, and all groups of each reducer."""

    own: Counted | None = None
    of_all: tuple[GroupCounts, ...] = ()


def written_groups(flows: Iterable[Dataflow], conf: JobConf | None, trace: Trace) -> WrittenGroups:
    """Groups of reduce() by the keys that the map tasks wrote, in the first run that tells.

    None unless each key is a group of its own, with all the records that were written of it: every
    map task is counted, and what the reducer had read by then agrees. Sizes in bytes are those of
    keys and values, up to 2 % more where these have more than 127 bytes.

    Args:
        flows: of the runs, that of the attempt first.
        conf: of the job.
        trace: of the attempt that failed in reduce().
    """
    index = trace.index
    if index is None or conf is None or any(conf.get(name) for name in _KEYS_ARE_NO_GROUPS):
        return WrittenGroups()
    for flow in flows:
        keys = _every_key(flow)
        own = keys.get(index, ())
        group = _group_among(own, trace)
        if group is not None and _agree(own, trace):
            of_all = tuple(_all(each, every) for each, every in keys.items())
            return WrittenGroups(_with_others(group, own), of_all)
    return WrittenGroups()


def _every_key(flow: Dataflow) -> Mapping[int, tuple[KeyCount, ...]]:
    """The keys of each partition; empty unless all are known as the reducers will read them."""
    keys = {each.index: each.every_key for each in flow.partitions}
    known = {index: every for index, every in keys.items() if every is not None}
    complete = flow.total_maps is not None and flow.partitions_complete
    if not complete or len(known) < len(keys) or any(task.combined for task in flow.maps):
        return {}
    return known


def _group_among(keys: Iterable[KeyCount], trace: Trace) -> KeyCount | None:
    """G_m: that of its digest, which had no more records when memory ran out."""
    at = trace.position
    digest = digest_text(at.group_digest) if at is not None else None
    for key in keys:
        if at is not None and digest_text(key.digest) == digest:
            return key if (at.record_in_group or 0) <= key.records else None
    return None


def _agree(keys: Sequence[KeyCount], trace: Trace) -> bool:
    """Whether the groups that the reducer had finished are keys, and it reads all their records."""
    read = groups_of(trace, "reduce")
    total = trace.position.reduce_total if trace.position is not None else None
    if total is not None and total != sum(key.records for key in keys):
        return False
    if read is None:
        return True
    records = {digest_text(key.digest): key.records for key in keys}
    finished = (*read.largest_by_records, *read.largest_by_bytes)
    return read.count < len(keys) and all(
        records.get(digest_text(each.digest)) == each.records for each in finished
    )


def _with_others(group: KeyCount, keys: Iterable[KeyCount]) -> Counted:
    others = [each for each in keys if each is not group]
    digest = digest_text(group.digest)
    return Counted(
        Group(None, group.records, group.data_bytes, digest, whole=True),
        OtherGroups(
            records=_sketch(each.records for each in others),
            bytes=_sketch(each.data_bytes for each in others),
        ),
    )


def _all(index: int, keys: Sequence[KeyCount]) -> GroupCounts:
    return GroupCounts(
        scope="reduce",
        attempt_id=None,
        index=index,
        count=len(keys),
        records=_sketch(each.records for each in keys),
        bytes=_sketch(each.data_bytes for each in keys),
        whole=True,
    )


def _sketch(values: Iterable[int]) -> Sketch | None:
    return merge_sketches(Sketch.of(each) for each in values)
