"""Whose memory is it, and which code holds it: from the heap of a task to its owners.

``read`` calls the steps in order: ``ownership`` gives each object an owner, from the ``roots`` on.
``describe`` tells of each holder its ``stand``: at which ``point`` its memory is, or in which
of the ``detours`` and ``field_of_many`` of a server, and which frame is to ``blame`` for it.
"""

from __future__ import annotations

from mprof.objects.heap_objects import (
    FRAMEWORK_PARTS,
    OWNERS,
    SNAPSHOT_VERSION,
    ClassBytes,
    FrameworkPart,
    HeapObjects,
    Holder,
    HolderKey,
    LifecycleBytes,
    Owner,
    OwnerBytes,
    PathStep,
    SnapshotPoint,
    StackFrame,
)
from mprof.objects.read import read_objects
from mprof.objects.regions import REGION_BYTES
from mprof.objects.thresholds import LARGE_OBJECT, OBJECT_THRESHOLDS
from mprof.objects.words import holder_in_words, path_in_words

__all__ = [
    "FRAMEWORK_PARTS",
    "LARGE_OBJECT",
    "OBJECT_THRESHOLDS",
    "OWNERS",
    "REGION_BYTES",
    "SNAPSHOT_VERSION",
    "ClassBytes",
    "FrameworkPart",
    "HeapObjects",
    "Holder",
    "HolderKey",
    "LifecycleBytes",
    "Owner",
    "OwnerBytes",
    "PathStep",
    "SnapshotPoint",
    "StackFrame",
    "holder_in_words",
    "path_in_words",
    "read_objects",
]
