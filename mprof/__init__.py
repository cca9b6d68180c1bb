"""mprof says why a Hadoop MapReduce job ran out of memory, and what to change.

The names in ``__all__`` are the public Python API, described in ``docs/guides/python-api.md``; the
modules below may change from version to version.
A name is imported when it is first used: ``import mprof`` by itself imports none of the libraries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mprof.lazy_imports import import_on_demand
from mprof.version import __version__

if TYPE_CHECKING:
    from mprof import tables
    from mprof.api import compare_heaps, diagnose, heap_tables, heap_waste, read_heap
    from mprof.diagnosis import Advice, Cause, Diagnosed, Diagnosis
    from mprof.errors import MprofError
    from mprof.evidence import Evidence, Unknown, known
    from mprof.heap import HeapSummary
    from mprof.holder_paths import holder_graph
    from mprof.objects.comparison import HeapComparison
    from mprof.report import render_html, render_json, render_text, to_json

__all__ = [
    "Advice",
    "Cause",
    "Diagnosed",
    "Diagnosis",
    "Evidence",
    "HeapComparison",
    "HeapSummary",
    "MprofError",
    "Unknown",
    "__version__",
    "compare_heaps",
    "diagnose",
    "heap_tables",
    "heap_waste",
    "holder_graph",
    "known",
    "read_heap",
    "render_html",
    "render_json",
    "render_text",
    "tables",
    "to_json",
]

if not TYPE_CHECKING:  # with it, a name that does not exist would be any type
    __getattr__ = import_on_demand(__name__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
