"""The walk over a dump's records: bytes in, columns out. The compiled part of this package.

Format: ``hprof_b_spec.h`` and ``heapDumper.cpp`` of the JDK. Sub-records of a heap segment carry
no length, so they can only be walked in order: :func:`walk` does so once, checks every bound, and
leaves *chunks*, stretches of whole, sound records that :func:`read_objects` can read again
independently, on any thread.

Where bytes make no sense the walk notes a fault, and :func:`recover` looks for the next place from
which several records in a row are plausible.
"""

from __future__ import annotations

from mprof.hprof.scan.class_dumps import parse_classes
from mprof.hprof.scan.damage import recover
from mprof.hprof.scan.objects import Columns, classify, read_objects
from mprof.hprof.scan.progress import (
    AT,
    BITS,
    CHUNK,
    CHUNK_OBJECTS,
    CUT,
    DESCENTS,
    DONE,
    END,
    ENDED,
    FIRST,
    FIRST_ROOT,
    FULL,
    HIGH,
    LAST_OBJECT,
    LENGTH,
    LOW,
    OBJECTS,
    ODD,
    OPEN,
    PREVIOUS,
    SEGMENTS,
    SENSELESS,
    STATE_SIZE,
    TOTAL,
    Tables,
)
from mprof.hprof.scan.records import CLASS, INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY
from mprof.hprof.scan.references import Schema, fill_rows, read_row_at
from mprof.hprof.scan.walking import find_cuts, walk

__all__ = [
    "AT",
    "BITS",
    "CHUNK",
    "CHUNK_OBJECTS",
    "CLASS",
    "CUT",
    "DESCENTS",
    "DONE",
    "END",
    "ENDED",
    "FIRST",
    "FIRST_ROOT",
    "FULL",
    "HIGH",
    "INSTANCE",
    "LAST_OBJECT",
    "LENGTH",
    "LOW",
    "OBJECTS",
    "OBJECT_ARRAY",
    "ODD",
    "OPEN",
    "PREVIOUS",
    "PRIMITIVE_ARRAY",
    "SEGMENTS",
    "SENSELESS",
    "STATE_SIZE",
    "TOTAL",
    "Columns",
    "Schema",
    "Tables",
    "classify",
    "fill_rows",
    "find_cuts",
    "parse_classes",
    "read_objects",
    "read_row_at",
    "recover",
    "walk",
]
