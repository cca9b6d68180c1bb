"""The data flow of a job as text: the enhanced log of the paper's Table 4.

Tasks and partitions are numbered from 0, as in Hadoop; the paper counts from 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from mprof.dataflow.model import Dataflow, MapTask, ReduceTask
from mprof.trace import parse_attempt_id
from mprof.trace.events import ShuffleMerge
from mprof.units import format_count

__all__ = ["render_table4"]


def render_table4(flow: Dataflow) -> str:
    """One line per event, map tasks first; a number that is not known reads "not counted"."""
    lines: list[str] = []
    for task in flow.maps:
        lines += _map_lines(task)
    for reducer in flow.reduces:
        lines += _reduce_lines(reducer)
    return "".join(f"{line}\n" for line in lines)


def _map_lines(task: MapTask) -> Iterator[str]:
    name = f"M{task.index}"
    yield f"{name} [map() starts]"
    ended = "map() ends" if task.finished else "map() was left"
    yield (
        f"{name} [{ended}] InputRecords = {_number(task.records_in)}, "
        f"OutputRecords = {_number(task.records_out)}"
    )
    if task.output is None:
        return
    for j in range(task.output.partitions):
        yield (
            f"{name} [map output][Partition {j}] Records = {_at(task.output.records, j)}, "
            f"Keys = {_at(task.output.keys, j)}"
        )


def _reduce_lines(task: ReduceTask) -> Iterator[str]:
    name = f"R{task.index}"
    for segment in task.segments:
        yield (
            f"{name} [shuffling] Partition (Records = {_number(segment.records)}, "
            f"Keys = {_number(segment.keys)}) from mapper{_number(segment.map_index)}"
        )
    for merge in task.merges:
        yield from _merge_lines(name, merge)
    if task.records_in or task.input_records is not None:
        groups = task.groups.count if task.groups and task.groups.whole else None
        yield (
            f"{name} [reduce() starts] InputRecords = {_number(task.input_records)}, "
            f"Keys = {_number(groups)}"
        )


def _merge_lines(name: str, merge: ShuffleMerge) -> Iterator[str]:
    if not merge.combined:
        return
    if merge.edge == "begin":
        parsed = (parse_attempt_id(each) for each in merge.maps)
        sources = ", ".join(str(each.index) for each in parsed if each is not None)
        yield f"{name} [combine() starts] to merge the buffered partitions from mapper ({sources})"
    elif merge.edge == "end":
        yield (
            f"{name} [combine() ends] OutputRecords = {_number(merge.records_out)}, "
            f"Keys = {_number(merge.keys)}"
        )


def _number(value: int | None) -> str:
    return "not counted" if value is None else format_count(value)


def _at(values: tuple[int, ...], index: int) -> str:
    return _number(values[index] if index < len(values) else None)
