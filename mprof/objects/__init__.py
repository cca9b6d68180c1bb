"""Whose memory is it, and which code holds it: from the heap of a task to its owners."""

from __future__ import annotations

from mprof.objects.model import (
    FRAMEWORK_PARTS,
    LARGE_OBJECT_BYTES,
    LISTED_BYTES,
    LISTED_HOLDERS,
    OWNERS,
    CodeSite,
    FrameBytes,
    FrameworkPart,
    HeapObjects,
    Holder,
    Lifecycle,
    LifecycleBytes,
    Owner,
    OwnerBytes,
    PartName,
    PathStep,
    Place,
    Segment,
    Side,
    SnapshotPoint,
)
from mprof.objects.names import UserClasses
from mprof.objects.read import describe_heap, read_objects

__all__ = [
    "FRAMEWORK_PARTS",
    "LARGE_OBJECT_BYTES",
    "LISTED_BYTES",
    "LISTED_HOLDERS",
    "OWNERS",
    "CodeSite",
    "FrameBytes",
    "FrameworkPart",
    "HeapObjects",
    "Holder",
    "Lifecycle",
    "LifecycleBytes",
    "Owner",
    "OwnerBytes",
    "PartName",
    "PathStep",
    "Place",
    "Segment",
    "Side",
    "SnapshotPoint",
    "UserClasses",
    "describe_heap",
    "read_objects",
]
