"""Facts of the HPROF binary format: tags, types, sizes and layouts. No code.

Sources, in the JDK: ``heapDumper.cpp`` (``enum hprofTag`` and the comment above it, which is the
specification that is kept up to date) and ``hprof_b_spec.h`` of the old agent (until JDK 8), which
names the parts that HotSpot no longer writes. Android's additions: ``art/runtime/hprof/hprof.cc``.

All numbers are big-endian; ``id`` is an identifier of 4 or 8 bytes, as the file's header says.

File: a text that ends in a zero byte, u4 bytes of an identifier, u8 time, then *records*::

    record          u1 tag, u4 microseconds, u4 bytes of the body, body
    UTF8            id, text
    LOAD_CLASS      u4 class serial, id class, u4 stack serial, id name
    FRAME           id, id method, id signature, id source file, u4 class serial, i4 line
    TRACE           u4 stack serial, u4 thread serial, u4 frames, id for each frame
    START_THREAD    u4 thread serial, id thread, u4 stack serial, id name, id group, id parent
    HEAP_DUMP, HEAP_DUMP_SEGMENT    sub-records, which carry no length of their own::

    sub-record      u1 tag, id, and then
    CLASS           u4 stack serial, id superclass, id loader, id signers, id protection domain,
                    id reserved, id reserved, u4 instance size,
                    u2 constants, for each: u2 index, u1 type, value
                    u2 statics, for each: id name, u1 type, value
                    u2 fields, for each: id name, u1 type
    INSTANCE        u4 stack serial, id class, u4 bytes, values of the fields
    OBJECT_ARRAY    u4 stack serial, u4 elements, id class, elements
    PRIMITIVE_ARRAY u4 stack serial, u4 elements, u1 type, elements

Module-level integers, because compiled kernels take those as constants.
"""

from __future__ import annotations

__all__ = [
    "ANDROID_HEAP_INFO",
    "BASIC_TYPES",
    "CLASS",
    "CLASS_LINKS",
    "EMPTIED",
    "FRAME",
    "HEAP_DUMP",
    "HEAP_DUMP_END",
    "HEAP_DUMP_SEGMENT",
    "INSTANCE",
    "LENGTH_WRAP",
    "LOAD_CLASS",
    "OBJECT_ARRAY",
    "OTHER_SUB_RECORDS",
    "PRIMITIVE_ARRAY",
    "RECORD_HEADER",
    "ROOTS",
    "ROOT_JAVA_FRAME",
    "ROOT_JNI_GLOBAL",
    "ROOT_JNI_LOCAL",
    "ROOT_MONITOR_USED",
    "ROOT_NATIVE_STACK",
    "ROOT_STICKY_CLASS",
    "ROOT_THREAD_BLOCK",
    "ROOT_THREAD_OBJECT",
    "ROOT_UNKNOWN",
    "START_THREAD",
    "TOP_LEVEL",
    "TRACE",
    "TYPE_BOOLEAN",
    "TYPE_BYTE",
    "TYPE_CHAR",
    "TYPE_DOUBLE",
    "TYPE_FLOAT",
    "TYPE_INT",
    "TYPE_LONG",
    "TYPE_OBJECT",
    "TYPE_SHORT",
    "UTF8",
    "VALUE_BYTES",
]

# --- records --------------------------------------------------------------------------------------

RECORD_HEADER = 9
"""Bytes before a record's body: tag, time, length."""

LENGTH_WRAP = 1 << 32
"""A record's length is a u4; of a longer one the field holds the remainder."""

UTF8 = 0x01
LOAD_CLASS = 0x02
UNLOAD_CLASS = 0x03
FRAME = 0x04
TRACE = 0x05
ALLOC_SITES = 0x06
HEAP_SUMMARY = 0x07
START_THREAD = 0x0A
END_THREAD = 0x0B
HEAP_DUMP = 0x0C
CPU_SAMPLES = 0x0D
CONTROL_SETTINGS = 0x0E
HEAP_DUMP_SEGMENT = 0x1C
HEAP_DUMP_END = 0x2C

TOP_LEVEL = (
    UTF8, LOAD_CLASS, UNLOAD_CLASS, FRAME, TRACE, ALLOC_SITES, HEAP_SUMMARY, START_THREAD,
    END_THREAD, HEAP_DUMP, CPU_SAMPLES, CONTROL_SETTINGS, HEAP_DUMP_SEGMENT, HEAP_DUMP_END,
)  # fmt: skip
"""Tags of all records."""

EMPTIED = b"mprof emptied this dump: "
"""How the first UTF8 record of a dump begins whose values and texts mprof has emptied.

What it kept beside the structure follows, and behind that, a line each, what was lost of the dump
that it was made of.
"""

# --- sub-records of a heap dump -------------------------------------------------------------------

CLASS = 0x20
INSTANCE = 0x21
OBJECT_ARRAY = 0x22
PRIMITIVE_ARRAY = 0x23

CLASS_LINKS = 6
"""Identifiers in a CLASS record after its own: superclass to the second reserved one."""

ROOT_UNKNOWN = 0xFF
ROOT_JNI_GLOBAL = 0x01
ROOT_JNI_LOCAL = 0x02
ROOT_JAVA_FRAME = 0x03
ROOT_NATIVE_STACK = 0x04
ROOT_STICKY_CLASS = 0x05
ROOT_THREAD_BLOCK = 0x06
ROOT_MONITOR_USED = 0x07
ROOT_THREAD_OBJECT = 0x08
ANDROID_HEAP_INFO = 0xFE
_ANDROID_JNI_MONITOR = 0x8E

ROOTS = {
    ROOT_JNI_GLOBAL: (2, 0),  # the object, the reference
    ROOT_JNI_LOCAL: (1, 8),  # thread serial, frame number
    ROOT_JAVA_FRAME: (1, 8),  # thread serial, frame number
    ROOT_NATIVE_STACK: (1, 4),  # thread serial
    ROOT_STICKY_CLASS: (1, 0),
    ROOT_THREAD_BLOCK: (1, 4),  # thread serial
    ROOT_MONITOR_USED: (1, 0),
    ROOT_THREAD_OBJECT: (1, 8),  # thread serial, stack serial
    ROOT_UNKNOWN: (1, 0),
    0x89: (1, 0),  # Android: interned string
    0x8A: (1, 0),  # Android: finalizing
    0x8B: (1, 0),  # Android: debugger
    0x8C: (1, 0),  # Android: reference cleanup
    0x8D: (1, 0),  # Android: internal to the virtual machine
    _ANDROID_JNI_MONITOR: (1, 8),  # thread serial, frame number
}
"""Root records by tag: how many identifiers follow the tag, and how many other bytes."""

OTHER_SUB_RECORDS = {
    0x90: (1, 0),  # Android: unreachable
    ANDROID_HEAP_INFO: (1, 4),
    0xC3: (1, 9),  # Android: primitive array without its data
}
"""The same of sub-records of fixed size that are neither objects nor roots."""

# --- basic types ----------------------------------------------------------------------------------

TYPE_OBJECT = 2
TYPE_BOOLEAN = 4
TYPE_CHAR = 5
TYPE_FLOAT = 6
TYPE_DOUBLE = 7
TYPE_BYTE = 8
TYPE_SHORT = 9
TYPE_INT = 10
TYPE_LONG = 11
BASIC_TYPES = 12
"""One more than the largest code of a type."""

VALUE_BYTES = {
    TYPE_BOOLEAN: 1,
    TYPE_CHAR: 2,
    TYPE_FLOAT: 4,
    TYPE_DOUBLE: 8,
    TYPE_BYTE: 1,
    TYPE_SHORT: 2,
    TYPE_INT: 4,
    TYPE_LONG: 8,
}
"""Bytes of a value by primitive type; a reference takes those of an identifier."""
