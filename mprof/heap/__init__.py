"""A dump as a heap: classes, real sizes, references, threads and frames, dominators, paths."""

from mprof.heap.heap import Heap, open_heap
from mprof.heap.histogram import QuickHistogram, quick_histogram
from mprof.heap.model import (
    ClassRow,
    Container,
    Frame,
    PathStep,
    Reference,
    Thread,
    Unreachable,
    Value,
)
from mprof.heap.strings import DuplicateString, DuplicateStrings, duplicate_strings
from mprof.heap.summary import (
    DominatorRow,
    HeapSummary,
    describe_path,
    main_holder,
    summarise,
)

__all__ = [
    "ClassRow",
    "Container",
    "DominatorRow",
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
