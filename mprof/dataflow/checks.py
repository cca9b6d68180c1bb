"""Checks that the sources agree: partitions, spills, fetches and counters."""

from __future__ import annotations

from collections.abc import Mapping

from mprof.dataflow.model import Dataflow, MapTask, ReduceTask
from mprof.history import NO_COUNTERS, AttemptHistory, Counters
from mprof.units import format_count

__all__ = ["problems_in"]


def problems_in(flow: Dataflow, attempts: Mapping[str, AttemptHistory]) -> tuple[str, ...]:
    """Disagreements between events and counters, one sentence each.

    Only finished tasks are compared: counters of a failed attempt date from its last status update.

    Args:
        flow: the model.
        attempts: attempt id -> the attempt in the job history.
    """
    found: list[str] = []
    for task in flow.maps:
        if task.finished:
            found += _of_map(task, _counters(attempts, task.attempt_id))
    for reducer in flow.reduces:
        found += _of_fetches(flow, reducer)
        if reducer.finished:
            found += _of_reduce(reducer, _counters(attempts, reducer.attempt_id))
    return tuple(found)


def _of_map(task: MapTask, counters: Counters) -> list[str]:
    found = []
    emitted = counters.get("MAP_OUTPUT_RECORDS")
    into_spills = _total(tuple(each.records_in for each in task.spills))
    if emitted is not None and task.spills and into_spills not in (None, emitted):
        found.append(
            f"map {task.index}: its spills took {format_count(into_spills or 0)} records, "
            f"its counter says {format_count(emitted)} were emitted"
        )
    if task.output is None or not task.output.records:
        return found
    left = sum(task.output.records)
    if not task.combined and emitted is not None and not _combines(counters) and left != emitted:
        found.append(
            f"map {task.index}: its partitions hold {format_count(left)} records, "
            f"its counter says {format_count(emitted)} were emitted"
        )
    return found


def _of_fetches(flow: Dataflow, reducer: ReduceTask) -> list[str]:
    """The bytes fetched from a map task must be those that it wrote."""
    found = []
    for segment in reducer.segments:
        source = flow.map_task(segment.map_index)
        if source is None or source.output is None or segment.raw_bytes is None:
            continue
        if segment.map_attempt != source.attempt_id:
            continue  # from another attempt, whose output may differ
        sizes = source.output.raw_bytes
        if reducer.index < len(sizes) and sizes[reducer.index] != segment.raw_bytes:
            found.append(
                f"reduce {reducer.index}: fetched {segment.raw_bytes} bytes of map "
                f"{segment.map_index}, which wrote {sizes[reducer.index]}"
            )
    return found


def _of_reduce(reducer: ReduceTask, counters: Counters) -> list[str]:
    found = []
    groups = counters.get("REDUCE_INPUT_GROUPS")
    if reducer.groups and reducer.groups.whole and groups not in (None, reducer.groups.count):
        found.append(
            f"reduce {reducer.index}: {format_count(reducer.groups.count)} groups were counted, "
            f"its counter says {format_count(groups or 0)}"
        )
    records = counters.get("REDUCE_INPUT_RECORDS")
    sketch = reducer.groups.records if reducer.groups and reducer.groups.whole else None
    if sketch is not None and records is not None and round(sketch.sum) != records:
        found.append(
            f"reduce {reducer.index}: its groups hold {format_count(sketch.sum)} records, "
            f"its counter says {format_count(records)}"
        )
    return found


def _combines(counters: Counters) -> bool:
    return bool(counters.get("COMBINE_INPUT_RECORDS"))


def _total(values: tuple[int | None, ...]) -> int | None:
    return None if any(each is None for each in values) else sum(each or 0 for each in values)


def _counters(attempts: Mapping[str, AttemptHistory], attempt_id: str | None) -> Counters:
    attempt = attempts.get(attempt_id or "")
    return NO_COUNTERS if attempt is None else attempt.counters
