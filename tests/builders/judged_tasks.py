"""Tasks made by hand: a heap of 256 MB of which 240 may be live, and what is said of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mprof.units import MIB
from reliability.laws import Law
from reliability.model import Consumer, Input, Task

__all__ = ["external", "kept", "map_task", "of_group", "reduce_task", "work"]

BASE = 10 * MIB
USABLE = 240 * MIB


def map_task(
    *consumers: Consumer,
    records: int = 1000,
    sizes: Any = 100.0,
    spikes: dict[int, float] | None = None,
    buffer_mb: float = 10,
    **more: Any,
) -> Task:
    """A map task with records of one size, or of the given ones.

    Args:
        consumers: of its memory.
        records: how many.
        sizes: bytes, of all or of each.
        spikes: 0-based record -> how much more work it makes than the others.
        buffer_mb: the sort buffer.
        more: of the task.
    """
    each = np.full(records, float(sizes)) if np.isscalar(sizes) else np.asarray(sizes, float)
    amounts = np.ones(len(each))
    for index, times in (spikes or {}).items():
        amounts[index] = times
    task = Task(
        side="map",
        heap_max=256 * MIB,
        usable=USABLE,
        block=USABLE,
        container=1024 * MIB,
        collector="G1",
        base=BASE,
        input=Input(each, amounts),
        consumers=consumers,
        buffer=int(buffer_mb * MIB),
        reducers=2,
    )
    return replace(task, **more)


def reduce_task(
    *consumers: Consumer,
    groups: Any,
    sizes: Any = 100.0,
    others: Any = None,
    partitions: tuple[float, ...] | None = None,
    spikes: dict[int, float] | None = None,
    **more: Any,
) -> Task:
    """A reduce task of these groups, beside other reducers' groups and partitions."""
    lengths = np.asarray(groups, int)
    total = int(lengths.sum())
    task = map_task(records=total, sizes=sizes, spikes=spikes, buffer_mb=0)
    given = replace(task.input, groups=lengths)
    if others is not None:
        records = np.asarray(others, float)
        others = (records, records * float(given.sizes.mean()))
    partitions = (float(total), float(total)) if partitions is None else partitions
    task = replace(
        task,
        side="reduce",
        input=given,
        consumers=consumers,
        others=others,
        partitions=partitions,
        reducers=len(partitions),
        own=0,
    )
    return replace(task, **more)


def kept(
    mb: float, law: str = "linear", k: float = 1.0, *, level: Any = "map", at: float = 1000,
    by: Any = "records", name: str = "kept", weights: tuple[float, ...] = (), **more: Any,
) -> Consumer:  # fmt: skip
    """What is kept: so many megabytes where its input is `at`."""
    return Consumer(name, level, Law(law, k, weights), mb * MIB, by=by, scale=at, **more)  # type: ignore[arg-type]


def of_group(mb_per_record: float, name: str = "list") -> Consumer:
    """What is kept of a group: so many megabytes for each of its records."""
    return Consumer(name, "group", Law("linear"), mb_per_record * MIB, scale=1.0)


def external(mb: float, name: str = "model", *, from_file: bool = True) -> Consumer:
    """What is loaded in setup()."""
    file = (f"hdfs:/{name}", int(mb * MIB / 3)) if from_file else None
    return Consumer(name, "setup", Law("constant"), mb * MIB, file=file)


def work(mb: float, *, by: Any = "records", name: str = "cells", spiky: bool = True) -> Consumer:
    """Temporary objects: so many megabytes a record, or heap bytes a byte of it."""
    size = mb * MIB if by == "records" else mb
    return Consumer(name, "record", Law("linear"), size, by=by, spiky=spiky)
