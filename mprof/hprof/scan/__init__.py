"""The walk over a dump's records: bytes in, columns out. The compiled part of this package.

Format: :mod:`mprof.hprof.format`. Sub-records of a heap segment carry no length, so they can only
be walked in order: :func:`walk` does so once, checks every bound, and leaves *chunks*, stretches of
whole, sound records that :func:`read_objects` can read again independently, on any thread.

Where bytes are no record the walk notes a fault, and :func:`recover` looks for the next position
from which several records in a row are plausible.
"""

from __future__ import annotations

from mprof.hprof.format import (
    CLASS,
    INSTANCE,
    OBJECT_ARRAY,
    PRIMITIVE_ARRAY,
)
from mprof.hprof.scan.class_dumps import (
    HEAD_COLUMNS,
    HEAD_FIELDS,
    HEAD_IDENTIFIER,
    HEAD_LOADER,
    HEAD_STATICS,
    HEAD_SUPER,
    parse_classes,
)
from mprof.hprof.scan.damage import (
    recover,
)
from mprof.hprof.scan.objects import (
    ClassNumbers,
    Columns,
    classify,
    read_objects,
)
from mprof.hprof.scan.progress import (
    AT,
    BITS,
    CHUNK,
    CHUNK_OBJECTS,
    DESCENTS,
    DONE,
    END,
    ENDED,
    FIRST,
    FIRST_ROOT,
    HIGH,
    INVALID,
    LAST_OBJECT,
    LOW,
    OBJECTS,
    OPEN,
    PREVIOUS,
    ROOT_FRAME,
    ROOT_OBJECT,
    ROOT_TAG,
    ROOT_THREAD,
    SEGMENTS,
    STATE_SIZE,
    TOTAL,
    TRUNCATED,
    UNREADABLE,
    WRONG_LENGTH,
    Progress,
    Tables,
)
from mprof.hprof.scan.references import (
    CLASSLESS,
    DANGLING,
    DANGLING_UNLISTED,
    LISTED,
    MISMATCHED,
    NOTES_SIZE,
    Rows,
    Schema,
    Source,
    fill_rows,
    read_row_at,
)
from mprof.hprof.scan.walking import (
    find_cuts,
    walk,
)

__all__ = [
    "AT",
    "BITS",
    "CHUNK",
    "CHUNK_OBJECTS",
    "CLASS",
    "CLASSLESS",
    "DANGLING",
    "DANGLING_UNLISTED",
    "DESCENTS",
    "DONE",
    "END",
    "ENDED",
    "FIRST",
    "FIRST_ROOT",
    "HEAD_COLUMNS",
    "HEAD_FIELDS",
    "HEAD_IDENTIFIER",
    "HEAD_LOADER",
    "HEAD_STATICS",
    "HEAD_SUPER",
    "HIGH",
    "INSTANCE",
    "INVALID",
    "LAST_OBJECT",
    "LISTED",
    "LOW",
    "MISMATCHED",
    "NOTES_SIZE",
    "OBJECTS",
    "OBJECT_ARRAY",
    "OPEN",
    "PREVIOUS",
    "PRIMITIVE_ARRAY",
    "ROOT_FRAME",
    "ROOT_OBJECT",
    "ROOT_TAG",
    "ROOT_THREAD",
    "SEGMENTS",
    "STATE_SIZE",
    "TOTAL",
    "TRUNCATED",
    "UNREADABLE",
    "WRONG_LENGTH",
    "ClassNumbers",
    "Columns",
    "Progress",
    "Rows",
    "Schema",
    "Source",
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
