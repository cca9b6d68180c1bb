"""Heap snapshots as ``mprof.objects`` writes them, from a few sizes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mprof.code_site import CodeSite
from mprof.objects import (
    FRAMEWORK_PARTS,
    OWNERS,
    FrameworkPart,
    HeapObjects,
    Holder,
    HolderKey,
    LifecycleBytes,
    OwnerBytes,
    SnapshotPoint,
)

__all__ = ["MIB", "holding", "snapshot"]

MIB = 1024 * 1024


def holding(
    key: HolderKey, size: int, *, lifecycle: str = "map", owner: str = "user", **more: Any
) -> Holder:
    """A holder, held by ``com.example.Job.map``."""
    defaults: dict[str, Any] = {
        "class_name": "java.util.HashMap",
        "site": CodeSite("com.example.Job", "map", "Job.java", 18),
    }
    return Holder(key=key, owner=owner, lifecycle=lifecycle, bytes=size, **defaults | more)  # type: ignore[arg-type]


def snapshot(
    name: str,
    holders: Iterable[Holder],
    *,
    at_death: bool = False,
    side: str = "map",
    place: str = "map",
    framework: int = 60 * MIB,
    other: int = 12 * MIB,
    parts: dict[str, int] | None = None,
    thread: str | None = "main",
) -> HeapObjects:
    """A snapshot whose owners add up to its live bytes."""
    listed = tuple(sorted(holders, key=lambda each: -each.bytes))
    sizes = dict.fromkeys(OWNERS, 0) | {"framework": framework, "other": other}
    for each in listed:
        sizes[each.owner] += each.bytes
    by_part = dict.fromkeys(FRAMEWORK_PARTS, 0) | (parts or {})
    by_part["other"] += framework - sum(by_part.values())
    lifecycles: dict[str, int] = {}
    for each in listed:
        if each.owner == "user":
            lifecycles[each.lifecycle] = lifecycles.get(each.lifecycle, 0) + each.bytes
    return HeapObjects(
        point=SnapshotPoint(name=name, at_death=at_death),
        side=side,  # type: ignore[arg-type]
        place=place,  # type: ignore[arg-type]
        live_bytes=sum(sizes.values()),
        live_objects=1000,
        owners=tuple(OwnerBytes(owner, size, 1) for owner, size in sizes.items()),
        framework=tuple(FrameworkPart(part, size, 1) for part, size in by_part.items()),
        lifecycles=tuple(LifecycleBytes(life, size) for life, size in lifecycles.items()),  # type: ignore[arg-type]
        holders=listed,
        thread=thread,
        oom_thread=thread if at_death else None,
        frames=(),
    )
