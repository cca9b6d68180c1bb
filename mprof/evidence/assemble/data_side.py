"""What events, configuration and history say: where the attempt stood, and the data on its way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mprof.evidence.assemble.child import child_of
from mprof.evidence.assemble.choice import Chosen
from mprof.evidence.assemble.container import container_of
from mprof.evidence.assemble.counted_groups import best_counted, counted_beside, rest_of
from mprof.evidence.assemble.groups import group_sizes_of
from mprof.evidence.assemble.identity import attempt_of, death_of, job_of, other_failures
from mprof.evidence.assemble.input_and_buffers import map_buffer_of, split_facts_of
from mprof.evidence.assemble.late_group import at_the_group_before
from mprof.evidence.assemble.partitions import partitions_of, reducers_of
from mprof.evidence.assemble.position import position_of, progress_of
from mprof.evidence.assemble.records import record_sizes_of
from mprof.evidence.assemble.script import script_of
from mprof.evidence.assemble.verification import verification_of
from mprof.evidence.assemble.written_groups import written_groups
from mprof.evidence.facts import Evidence, Unknown
from mprof.job_run import JobRun
from mprof.trace import Trace

__all__ = ["data_side"]

_NO_LOG: Final = Unknown("the event log of this attempt", "run")


def data_side(runs: Sequence[JobRun], chosen: Chosen, trace: Trace) -> Evidence:
    """The evidence without the heap.

    Args:
        runs: all runs of the job, oldest first.
        chosen: the attempt and what stands beside it.
        trace: of the attempt.
    """
    conf = chosen.conf
    # Where no log says it, the stack in the dump does.
    dump = chosen.snapshots.death
    place = trace.place or (dump.place if dump is not None else None)
    position = position_of(trace, place)
    progress = progress_of(trace, chosen.flow)
    reducers = 0 if chosen.run.is_map_only else reducers_of(chosen.flow, conf)
    partitions = partitions_of(trace, chosen.flows, conf)
    verification, verified = verification_of(runs, trace)
    flows = (chosen.flow, *reversed(chosen.flows)) if place == "reduce" else ()
    written = written_groups(flows, conf, trace)
    counted = best_counted(rest_of(runs, trace, place), verified, written.own)
    beside = (*written.of_all, *counted_beside(runs))
    groups = group_sizes_of(trace, chosen.flows, position, place, counted, beside)
    records = record_sizes_of(trace, position, place)
    position, groups = at_the_group_before(trace, position, groups)
    files = (each.partition_file for each in reversed(runs) if each.partition_file)
    return Evidence(
        job=job_of(trace, chosen.history, chosen.run),
        attempt=attempt_of(trace, chosen.run),
        death=death_of(trace.death, chosen.run),
        attempts=other_failures(chosen.traces, trace),
        container=container_of(runs, chosen.run, trace, conf, chosen.snapshots),
        child=child_of(trace, conf),
        script=script_of(conf, trace.task_type, place, chosen.run.framework),
        place=place or _NO_LOG,
        position=position if position is not None else _NO_LOG,
        progress=progress,
        split=split_facts_of(trace),
        map_buffer=map_buffer_of(trace, conf, place, reducers),
        partitions=partitions,
        groups=groups,
        records=records,
        verification=verification,
        reducers=reducers,
        partition_file=next(files, None),
        conf=chosen.shown_conf,
        set_in_code=conf.set_in_code if conf is not None else frozenset(),
        stated=chosen.run.stated,
        kept_in_code=chosen.run.kept_in_code,
    )
