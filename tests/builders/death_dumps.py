"""Heap dumps of a death that a builder made, read as a diagnosis reads them."""

from __future__ import annotations

from pathlib import Path

from builders.hprof_builder import Builder

from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import HeapObjects, Holder, SnapshotPoint, read_objects

__all__ = ["largest_holder", "objects_at_death"]


def objects_at_death(builder: Builder, folder: Path) -> HeapObjects:
    """What the dump holds; every live byte has exactly one owner."""
    path = folder / "oom.hprof"
    path.write_bytes(builder.build())
    point = SnapshotPoint(name="oom", at_death=True)
    objects = read_objects(path, user_classes=UserClasses(MAPREDUCE), point=point)
    assert sum(one.bytes for one in objects.owners) == objects.live_bytes
    return objects


def largest_holder(objects: HeapObjects, least_bytes: int) -> Holder:
    """The holder of most bytes, which are no fewer than that."""
    found = max(objects.holders, key=lambda one: one.bytes)
    assert found.bytes >= least_bytes
    return found
