"""Whose line it is, from another death of the job, where this one came between two calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mprof.evidence.assemble.moments import snapshots_of
from mprof.evidence.facts import CodeSite, Holder
from mprof.job_run import JobRun
from mprof.objects import HeapObjects, HolderKey

__all__ = ["with_sites_of_other_deaths"]


def with_sites_of_other_deaths(
    holders: tuple[Holder, ...], death: HeapObjects, runs: Sequence[JobRun]
) -> tuple[Holder, ...]:
    """The holders, those without a frame or a line with the place that another death shows.

    Between two calls of map() or reduce() no user frame stands on the stack. The same holder, by
    its key, was held by a frame when the job died another time, in another run mostly.

    Args:
        holders: at death.
        death: the heap they are in.
        runs: all runs of the job, oldest first.
    """
    if all(_is_whole(each.site) for each in holders):
        return holders
    seen: dict[HolderKey, CodeSite] = {}
    for other in _deaths(runs):
        if (other.side, other.place) != (death.side, death.place):
            continue
        for one in other.holders:
            if one.site is not None and one.site.line is not None:
                seen.setdefault(one.key, one.site)
    return tuple(_sited(each, seen.get(each.key)) for each in holders)


def _deaths(runs: Sequence[JobRun]) -> Iterator[HeapObjects]:
    """The dumps at death of all attempts, the newest run first."""
    for run in reversed(runs):
        if run.mode == "verify":
            continue
        for trace in run.traces:
            dump = snapshots_of(trace, run.snapshots.get(trace.attempt_id or "", ())).dump
            if dump is not None:
                yield dump


def _is_whole(site: CodeSite | None) -> bool:
    return site is not None and site.line is not None


def _sited(holder: Holder, seen: CodeSite | None) -> Holder:
    own = holder.site
    if seen is None or _is_whole(own):
        return holder
    if own is not None and (own.class_name, own.method) != (seen.class_name, seen.method):
        return holder
    return replace(holder, site=seen)
