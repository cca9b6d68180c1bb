"""Groups of reduce() as the map tasks wrote them, where each task tells of all its keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from mprof.dataflow import Dataflow, GroupCounts, KeyCount
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


def written_groups(flows: Sequence[Dataflow], conf: JobConf | None, trace: Trace) -> WrittenGroups:
    """Groups of reduce() by the keys that the map tasks wrote, in the newest run that tells.

    None unless every map task is counted and each key is a group of its own, with all the records
    that were written of it: G_m is one of them, and had no more when memory ran out.

    Args:
        flows: of every run but the verifications, oldest first.
        conf: of the job.
        trace: of the attempt that failed in reduce().
    """
    keys = _every_key(flows, conf)
    own = _with_others(keys.get(-1 if trace.index is None else trace.index, ()), trace)
    if own is None:
        return WrittenGroups()
    return WrittenGroups(own, tuple(_all(index, every) for index, every in keys.items()))


def _every_key(
    flows: Sequence[Dataflow], conf: JobConf | None
) -> Mapping[int, tuple[KeyCount, ...]]:
    """The keys of each partition; empty where they are not known or may be no groups."""
    if conf is None or any(conf.get(name) for name in _KEYS_ARE_NO_GROUPS):
        return {}
    for flow in reversed(flows):
        keys = {each.index: each.every_key for each in flow.partitions}
        known = {index: every for index, every in keys.items() if every is not None}
        combined = any(task.combined for task in flow.maps)
        if len(known) == len(keys) and flow.partitions_complete and not combined:
            return known
    return {}


def _with_others(keys: Sequence[KeyCount], trace: Trace) -> Counted | None:
    at = trace.position
    digest = digest_text(at.group_digest) if at is not None else None
    found = [each for each in keys if digest_text(each.digest) == digest]
    if at is None or len(found) != 1 or found[0].records < (at.record_in_group or 0):
        return None
    (group,) = found
    others = [each for each in keys if each is not group]
    return Counted(
        Group(None, group.records, group.bytes, digest, whole=True),
        OtherGroups(
            records=_sketch(each.records for each in others),
            bytes=_sketch(each.bytes for each in others),
        ),
    )


def _all(index: int, keys: Sequence[KeyCount]) -> GroupCounts:
    return GroupCounts(
        scope="reduce",
        attempt_id=None,
        index=index,
        count=len(keys),
        records=_sketch(each.records for each in keys),
        bytes=_sketch(each.bytes for each in keys),
        whole=True,
    )


def _sketch(values: Iterable[int]) -> Sketch | None:
    return merge_sketches(Sketch.of(each) for each in values)
