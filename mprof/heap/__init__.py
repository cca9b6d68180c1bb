"""A dump as a heap: classes, real sizes, references, threads and frames, dominators, paths.

A name is imported when it is first asked for: the class histogram needs few of these modules, and
importing the others would take a tenth of its time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mprof.lazy_imports import import_on_demand

if TYPE_CHECKING:
    from mprof.heap.answers import (
        ClassRow,
        Container,
        Frame,
        PathStep,
        Reference,
        Thread,
        Unreachable,
        Value,
    )
    from mprof.heap.heap import Heap, open_heap
    from mprof.heap.histogram import QuickHistogram, quick_histogram
    from mprof.heap.strings import DuplicateString, DuplicateStrings, duplicate_strings
    from mprof.heap.summary import HeapSummary, describe_path, main_holder, summarise

__all__ = [
    "ClassRow",
    "Container",
    "DuplicateString",
    "DuplicateStrings",
    "Frame",
    "Heap",
    "HeapSummary",
    "PathStep",
    "QuickHistogram",
    "Reference",
    "Thread",
    "Unreachable",
    "Value",
    "describe_path",
    "duplicate_strings",
    "main_holder",
    "open_heap",
    "quick_histogram",
    "summarise",
]

if not TYPE_CHECKING:  # with it, a name that does not exist would be any type
    __getattr__ = import_on_demand(__name__)
