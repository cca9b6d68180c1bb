"""The aggregated partitions: what every map task left for each reducer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mprof.dataflow import Dataflow
from mprof.evidence.facts import Partitions, Unknown
from mprof.evidence.thresholds import MAPS_COUNTED
from mprof.history import JobConf
from mprof.trace import Trace

__all__ = ["partitions_of", "reducers_of"]

_LARGEST = "largest keys of the partitions"


def reducers_of(flow: Dataflow, conf: JobConf | None) -> int | Unknown:
    """How many reduce tasks the job has."""
    if flow.total_reduces is not None:
        return flow.total_reduces
    configured = conf.get_int("mapreduce.job.reduces") if conf else None
    return configured if configured is not None else Unknown("the job's configuration", "cluster")


# by which several keys may be one group
_COMPARATORS: Final = (
    "mapreduce.job.output.group.comparator.class",
    "mapreduce.job.output.key.comparator.class",
)


def partitions_of(
    trace: Trace, flows: Sequence[Dataflow], conf: JobConf | None
) -> Partitions | Unknown | None:
    """The aggregated partitions, of the run that counted most map tasks; newest among equals."""
    if trace.task_type != "reduce":
        return None
    index = trace.index if trace.index is not None else -1
    told = [flow for flow in flows if 0 <= index < len(flow.partitions)]
    if not told:
        return Unknown("what every map task left for each reducer", "run")
    flow = max(reversed(told), key=lambda f: (f.partitions_complete, f.partitions[0].maps))
    if not flow.partitions_complete and flow.partitions[0].maps < MAPS_COUNTED.value * (
        flow.total_maps or 0
    ):
        return Unknown("the output of most map tasks", "run")
    largest = [each.largest_key for each in flow.partitions]
    return Partitions(
        own=index,
        records=_column([each.records for each in flow.partitions], "records of the partitions"),
        bytes=_column([each.raw_bytes for each in flow.partitions], "bytes of the partitions"),
        keys=_column([each.keys for each in flow.partitions], "keys of the partitions"),
        keys_in_one_map=_column(
            [each.keys_in_one_map for each in flow.partitions], "keys of the partitions"
        ),
        largest_key_records=_column([key.records if key else None for key in largest], _LARGEST),
        largest_key_bytes=_column([key.bytes if key else None for key in largest], _LARGEST),
        complete=flow.partitions_complete,
        share_of_maps=flow.partitions[0].maps / flow.total_maps if flow.total_maps else 1.0,
        source="map output events",
        are_merged=conf is None or any(conf.get(name) for name in _COMPARATORS),
    )


def _column(values: Sequence[int | None], what: str) -> tuple[int, ...] | Unknown:
    known = tuple(each for each in values if each is not None)
    return known if len(known) == len(values) else Unknown(what, "run")
