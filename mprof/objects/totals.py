"""Sums over what every label owns: by owner, by lifecycle, by part of the framework."""

from __future__ import annotations

from collections import defaultdict

from mprof.engines import Lifetime
from mprof.objects.heap_objects import (
    FRAMEWORK_PARTS,
    OWNERS,
    FrameworkPart,
    LifecycleBytes,
    Owner,
    OwnerBytes,
    PartName,
)
from mprof.objects.ownership import Label, Ownership

__all__ = ["framework_of", "lifecycles_of", "owners_of"]


def owners_of(ownership: Ownership) -> tuple[OwnerBytes, ...]:
    """Bytes and objects of each owner."""
    sums: dict[Owner, list[int]] = {owner: [0, 0] for owner in OWNERS}
    for label in ownership.labels:
        sums[label.owner][0] += int(ownership.bytes[label.number])
        sums[label.owner][1] += int(ownership.objects[label.number])
    return tuple(OwnerBytes(owner, size, count) for owner, (size, count) in sums.items())


def lifecycles_of(ownership: Ownership) -> tuple[LifecycleBytes, ...]:
    """User bytes of each lifecycle."""
    sums: dict[Lifetime, int] = defaultdict(int)
    for label in ownership.labels:
        if label.owner == "user":
            sums[label.lifecycle] += int(ownership.bytes[label.number])
    return tuple(LifecycleBytes(name, size) for name, size in sorted(sums.items()) if size)


def framework_of(ownership: Ownership) -> tuple[FrameworkPart, ...]:
    """Each part of the framework's memory."""
    labels: dict[PartName, list[Label]] = {part: [] for part in FRAMEWORK_PARTS}
    for label in ownership.labels:
        if label.part is not None:
            labels[label.part].append(label)
    parts = []
    for name, members in labels.items():
        sizes = [int(ownership.bytes[label.number]) for label in members]
        count = sum(size > 0 for size in sizes) if name != "other" else 0
        parts.append(FrameworkPart(name, sum(sizes), count))
    return tuple(parts)
