"""What the snapshots and the collections of the attempt say of its heap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mprof.evidence.assemble.between_dumps import between_dumps
from mprof.evidence.assemble.choice import Chosen
from mprof.evidence.assemble.curves import curves_of
from mprof.evidence.assemble.death_heap import NO_DUMP, death_heap_of, is_later
from mprof.evidence.assemble.external import external_of
from mprof.evidence.assemble.files import loading_of, opened_of
from mprof.evidence.assemble.lifetimes import with_lifetimes_of_curves
from mprof.evidence.assemble.live_heap import live_heap_of
from mprof.evidence.assemble.memory import memory_of
from mprof.evidence.assemble.ownership import decide_owners
from mprof.evidence.assemble.peak import peak_of
from mprof.evidence.assemble.probes import probes_of
from mprof.evidence.assemble.records import with_sizes_in_heap
from mprof.evidence.assemble.shuffle import shuffle_facts_of
from mprof.evidence.assemble.stack import stack_of
from mprof.evidence.facts import Evidence, Unknown, known
from mprof.job_run import JobRun
from mprof.trace import Trace

__all__ = ["with_heap_side"]


def with_heap_side(
    evidence: Evidence, runs: Sequence[JobRun], chosen: Chosen, trace: Trace
) -> Evidence:
    """The evidence with the heap.

    Args:
        evidence: the data side.
        runs: all runs of the job, oldest first.
        chosen: the attempt and what stands beside it.
        trace: of the attempt.
    """
    place, position = known(evidence.place), known(evidence.position)
    probed, probed_in = chosen.probed or (trace, chosen.run)
    moments, found = death_heap_of(trace, chosen.snapshots, position, chosen.conf)
    no_dump = found if isinstance(found, Unknown) else NO_DUMP
    death = known(found)
    memory = memory_of(trace, death, chosen.conf, chosen.traces)
    live = live_heap_of(trace, position, known(memory.live_bytes_at_death))
    if live.before.in_group is not None:
        memory = replace(memory, live_bytes_before_record=live.before.in_group)
    owned = decide_owners(
        moments,
        death,
        place=place,
        position=position,
        records=evidence.records,
        before=live.before,
        conf=chosen.conf,
        runs=runs,
    )
    holders = owned.holders if owned.death is not None else no_dump
    between = tuple(
        each
        for each in between_dumps(probed, owned.moments, owned.death)
        if not is_later(each, position)
    )
    series, record_growth = curves_of(
        owned.moments, between, owned.death, position, trace.death.stack, no_dump
    )
    if isinstance(holders, tuple):
        holders, series = with_lifetimes_of_curves(holders, series, position, known(record_growth))
    opened, loading = opened_of(trace, chosen.conf), loading_of(trace, place)
    return replace(
        evidence,
        records=with_sizes_in_heap(evidence.records, owned.moments, owned.death, position),
        records_at_once=owned.death.records_at_once if owned.death is not None else 1,
        death_snapshot=death.point.name if death is not None else None,
        probes=probes_of(probed, probed_in),
        memory=memory,
        peak=peak_of(trace),
        fullest_group=live.fullest_group,
        composition=owned.composition or no_dump,
        holders=holders,
        stack=stack_of(death, trace.death.stack) or no_dump,
        series=(*series, *live.series),
        record_growth=record_growth,
        external=external_of(
            holders,
            (*series, *live.series),
            owned.moments,
            opened,
            place=place,
            loading=loading,
            bound=live.lowest_bytes,
        ),
        shuffle=shuffle_facts_of(trace, death),
    )
