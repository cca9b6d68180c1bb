"""A dump as a heap: classes, real sizes, references, threads and frames, dominators, paths.

A name is imported when it is first asked for: the class histogram needs few of these modules, and
importing the others would take a tenth of its time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOMES = {
    "heap": ("Heap", "open_heap"),
    "histogram": ("QuickHistogram", "quick_histogram"),
    "strings": ("DuplicateString", "DuplicateStrings", "duplicate_strings"),
    "summary": ("DominatorRow", "HeapSummary", "describe_path", "main_holder", "summarise"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    value = getattr(import_module(f"{__name__}.{_HOME.get(name, 'model')}"), name)
    globals()[name] = value
    return value
