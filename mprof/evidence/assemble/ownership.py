"""Whose memory it is, and how long it lives: decided here, once, for every moment of the attempt.

`mprof.objects` reads one heap: what each root reaches, by the shape of the objects and the stacks.
One heap alone does not show what only time shows, so the snapshots of an attempt are settled
together, in this order:

1. what looks like the record in flight and is of more records than that one is the user's
   (`kept_records`);
2. what stood there before the data, as large as at the death, is external data (`holders`);
3. what the live heap held before R_n is not of R_n, whatever frame it hangs from (`lifetimes`);
4. a holder without a frame or a line has those that another death of the job shows (`sites`).

Everything after this reads the result and decides nothing about owners.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mprof.evidence.assemble.holders import (
    called_methods,
    composition_of,
    holders_of,
    with_called_methods,
)
from mprof.evidence.assemble.kept_records import with_kept_records
from mprof.evidence.assemble.lifetimes import with_lifetimes_of_probes, with_true_lifetimes
from mprof.evidence.assemble.live_heap import LiveBefore
from mprof.evidence.assemble.moments import Moment
from mprof.evidence.assemble.sites import with_sites_of_other_deaths
from mprof.evidence.facts import Composition, DeathPosition, Holder, RecordSizes, Unknown
from mprof.history import JobConf
from mprof.job_run import JobRun
from mprof.objects import HeapObjects

__all__ = ["OwnedHeap", "decide_owners"]


@dataclass(frozen=True, slots=True)
class OwnedHeap:
    """The heap of an attempt with every owner decided.

    Attributes:
        moments: of the heap before the death.
        death: the heap at death, where it is known.
        holders: its large holders.
        composition: its live bytes by owner.
    """

    moments: tuple[Moment, ...]
    death: HeapObjects | None
    holders: tuple[Holder, ...] = ()
    composition: Composition | None = None


def decide_owners(
    moments: tuple[Moment, ...],
    death: HeapObjects | None,
    *,
    place: str | None,
    position: DeathPosition | None,
    records: RecordSizes | Unknown | None,
    before: LiveBefore,
    conf: JobConf | None,
    runs: Sequence[JobRun],
) -> OwnedHeap:
    """Settle whose memory it is in all snapshots of an attempt.

    Args:
        moments: of its heap before the death.
        death: its heap at death.
        place: where it died.
        position: at the death.
        records: sizes of R_n and of those before it.
        before: what was live before R_n and its group, by the collections.
        conf: of the job, for the classes that the framework calls.
        runs: all runs of the job, oldest first, for other deaths of it.
    """
    if death is None:
        return OwnedHeap(moments, None)
    moments, death = with_kept_records(moments, death, place=place, records=records, before=before)
    holders = holders_of(death, moments, in_setup=place == "setup")
    if not moments:
        in_group = position.record_in_group if position is not None else None
        holders = with_true_lifetimes(holders, death, before, in_group)
    if place == "reduce":
        group = position.group if position is not None else None
        holders = with_lifetimes_of_probes(holders, [m for m in moments if m.group == group])
    holders = with_sites_of_other_deaths(holders, death, runs)
    holders = with_called_methods(holders, called_methods(conf))
    return OwnedHeap(moments, death, holders, composition_of(death, holders))
