"""A dump in terms of its file format: names, classes, stacks, roots, chunks of objects, faults."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.errors import EvidenceError
from mprof.hprof import format as hprof_format
from mprof.hprof import scan
from mprof.hprof.several import dumps_in, last_only
from mprof.hprof.source import jumping, open_source
from mprof.hprof.walk import walk_records

__all__ = ["Dump", "Fault", "RootKind", "StackFrame", "read_dump"]

_HEADER = b"JAVA PROFILE 1.0."
_LONGEST_NAME = 65_535  # a symbol's length is a u2 in a class file


class RootKind:
    """Tags of root records."""

    UNKNOWN = hprof_format.ROOT_UNKNOWN
    JNI_GLOBAL = hprof_format.ROOT_JNI_GLOBAL
    JNI_LOCAL = hprof_format.ROOT_JNI_LOCAL
    JAVA_FRAME = hprof_format.ROOT_JAVA_FRAME
    NATIVE_STACK = hprof_format.ROOT_NATIVE_STACK
    STICKY_CLASS = hprof_format.ROOT_STICKY_CLASS
    THREAD_BLOCK = hprof_format.ROOT_THREAD_BLOCK
    MONITOR_USED = hprof_format.ROOT_MONITOR_USED
    THREAD_OBJECT = hprof_format.ROOT_THREAD_OBJECT


class StackFrame(NamedTuple):
    """One frame of a stack trace.

    Attributes:
        class_name: in the virtual machine's form, ``java/util/HashMap``; empty if not known.
        signature: descriptor.
        file: source file, empty if not known.
        line: line, -1 not known, -2 compiled, -3 native.
    """

    class_name: str
    method: str
    signature: str
    file: str
    line: int


class Fault(NamedTuple):
    """A stretch of the file that could not be read.

    Attributes:
        start: where it begins.
        end: where reading went on.
        kind: ``scan.TRUNCATED``, ``scan.UNREADABLE`` or ``scan.WRONG_LENGTH``.
    """

    start: int
    end: int
    kind: int


@dataclass(frozen=True)
class Dump:
    """The records of a dump; nothing is joined yet.

    Attributes:
        version: the header's text, ``JAVA PROFILE 1.0.2``.
        identifier_bytes: 4 or 8.
        buffer: uint8, the plain bytes.
        tables: int64 tables of records, see :class:`mprof.hprof.scan.Tables`.
        state: end state of the walk.
        class_heads: int64 rows of CLASS_DUMPs, see ``scan.HEAD_IDENTIFIER`` and so on.
        class_fields: int64 rows: name identifier, basic type.
        class_statics: int64 rows: name identifier, basic type, position of the value.
        faults: what could not be read.
        losses: what was lost of the file that holds the dump (gz, parts), a sentence each.
        is_cut: whether the dump ends before all of it was written.
        emptied: what ``mprof heap --redact`` kept of its values and texts; None where it was not
            emptied.
        lost_before: how many of the losses, the first ones, an emptied dump tells by itself.
    """

    path: Path
    version: str
    identifier_bytes: int
    buffer: NDArray[np.uint8]
    tables: scan.Tables
    state: NDArray[np.int64]
    class_heads: NDArray[np.int64]
    class_fields: NDArray[np.int64]
    class_statics: NDArray[np.int64]
    faults: tuple[Fault, ...]
    losses: tuple[str, ...]
    is_cut: bool
    emptied: str | None = None
    lost_before: int = 0
    _strings: dict[int, str] = field(default_factory=dict, repr=False)

    @property
    def bytes(self) -> memoryview:
        """The buffer, for the standard library's readers."""
        return self.buffer.data

    @property
    def chunks(self) -> NDArray[np.int64]:
        """Rows of position, end and number of objects."""
        return self.tables.chunks

    @property
    def object_records(self) -> int:
        """Object records of all kinds, classes included."""
        return int(self.state[scan.TOTAL])

    @property
    def roots_come_first(self) -> bool:
        """Whether roots come before the last objects, as JDK 22 and later write them."""
        first, last = int(self.state[scan.FIRST_ROOT]), int(self.state[scan.LAST_OBJECT])
        return 0 < first < last

    @cached_property
    def _string_order(self) -> NDArray[np.int64]:
        return np.argsort(self.tables.strings[:, 0], kind="stable")

    @cached_property
    def _string_identifiers(self) -> NDArray[np.int64]:
        return np.ascontiguousarray(self.tables.strings[self._string_order, 0])

    def text(self, identifier: int) -> str | None:
        """The UTF8 record with this identifier, None if there is none."""
        known = self._strings.get(identifier)
        if known is not None:
            return known
        at = int(np.searchsorted(self._string_identifiers, identifier))
        if at == self._string_identifiers.size or self._string_identifiers[at] != identifier:
            return None
        _, position, size = self.tables.strings[self._string_order[at]].tolist()
        raw = self.buffer[position : position + min(size, _LONGEST_NAME)].tobytes()
        text = raw.decode("utf-8", "replace")
        self._strings[identifier] = text
        return text

    @cached_property
    def class_name_identifiers(self) -> dict[int, int]:
        """Name identifier by class identifier, of all LOAD_CLASS records; the first one counts."""
        _, classes, names = self.tables.loads[::-1].T.tolist()
        return dict(zip(classes, names, strict=True))

    @cached_property
    def _class_serials(self) -> dict[int, int]:
        serials, _, names = self.tables.loads.T.tolist()
        return dict(zip(serials, names, strict=True))

    @cached_property
    def _frames(self) -> dict[int, int]:
        return {
            self._identifier(position): position for position in self.tables.frames[:, 0].tolist()
        }

    @cached_property
    def traces(self) -> dict[int, tuple[int, tuple[int, ...]]]:
        """By stack trace serial: the thread serial and the frame identifiers, top first."""
        traces = {}
        width = self.identifier_bytes
        for position, size in self.tables.traces.tolist():
            serial, thread, count = struct.unpack_from(">III", self.bytes, position)
            count = min(count, (size - 12) // width)
            form = f">{count}{'Q' if width == 8 else 'I'}"
            traces[serial] = (thread, struct.unpack_from(form, self.bytes, position + 12))
        return traces

    def started_thread(self, serial: int) -> str | None:
        """The name in the START_THREAD record of a thread; only the old agent writes those."""
        width = self.identifier_bytes
        for position, _ in self.tables.starts.tolist():
            if struct.unpack_from(">I", self.bytes, position) == (serial,):
                return self.text(self._identifier(position + 8 + width))
        return None

    def stack_frame(self, identifier: int) -> StackFrame | None:
        """The frame with this identifier, None if its record is missing."""
        position = self._frames.get(identifier)
        if position is None:
            return None
        form = ">8x3QIi" if self.identifier_bytes == 8 else ">4x3IIi"
        *names, serial, line = struct.unpack_from(form, self.bytes, position)
        method, signature, file = (self.text(name) or "" for name in names)
        class_name = self.text(self._class_serials.get(serial, 0)) or ""
        return StackFrame(class_name, method, signature, file, line)

    def _identifier(self, position: int) -> int:
        return int.from_bytes(
            self.buffer[position : position + self.identifier_bytes].tobytes(), "big"
        )


def read_dump(path: Path, *, progress: Callable[[str, float], None] | None = None) -> Dump:
    """Walks a dump once.

    Raises:
        EvidenceError: if the file cannot be read or is no heap dump at all.
    """
    source = open_source(path)
    buffer = source.content
    version, width, start = _read_header(path, buffer)
    if progress:
        progress("reading records", 0.0)
    tables, state = walk_records(buffer, width, start)
    losses = source.losses
    with jumping(buffer):
        begin = _last_string_before(tables, start)
        dumps = dumps_in(buffer, begin) if not tables.faults.size else []
    if len(dumps) > 1:
        buffer = last_only(buffer, dumps)
        tables, state = walk_records(buffer, width, start)
        losses = (*losses, f"{len(dumps):,} heap dumps in this file: the last of them is read")
    if state[scan.TOTAL] == 0 and not tables.strings.size and not tables.loads.size:
        raise EvidenceError(
            f"{path} has the header of a heap dump and no readable record",
            next_step="look for room on the disk the dump was written to, and dump again",
        )
    emptied, lost_before = _emptied(buffer, tables)
    faults = tuple(Fault(*row) for row in tables.faults.tolist())
    heads, fields, statics = _classes(buffer, width, tables.classes[:, 0])
    unfinished = bool(state[scan.SEGMENTS] > 0 and state[scan.ENDED] == 0)
    is_cut = (
        unfinished
        or any(fault.kind == scan.TRUNCATED for fault in faults)
        or (bool(state[scan.OPEN]) and int(state[scan.ENDED]) == 0)
        or state[scan.TOTAL] == 0
    )
    return Dump(
        path=path,
        version=version,
        identifier_bytes=width,
        buffer=buffer,
        tables=tables,
        state=state,
        class_heads=heads,
        class_fields=fields,
        class_statics=statics,
        faults=faults,
        losses=(*lost_before, *losses),
        is_cut=is_cut,
        emptied=emptied,
        lost_before=len(lost_before),
    )


def _emptied(buffer: NDArray[np.uint8], tables: scan.Tables) -> tuple[str | None, tuple[str, ...]]:
    """What was kept of a dump that mprof has emptied, and what had been lost before that."""
    for _, position, size in tables.strings[:1].tolist():
        text = buffer[position : position + min(size, _LONGEST_NAME)].tobytes()
        if text.startswith(hprof_format.EMPTIED):
            kept, *losses = text[len(hprof_format.EMPTIED) :].decode("utf-8", "replace").split("\n")
            return kept, tuple(losses)
    return None, ()


def _last_string_before(tables: scan.Tables, start: int) -> int:
    """The end of the last name before any object: there a record begins."""
    if not tables.strings.size or not tables.chunks.size:
        return start
    ends = tables.strings[:, 1] + tables.strings[:, 2]
    before = ends[ends <= tables.chunks[:, 0].min()]
    return int(before.max()) if before.size else start


def _read_header(path: Path, buffer: NDArray[np.uint8]) -> tuple[str, int, int]:
    head = buffer[:64].tobytes()
    if not head.startswith(_HEADER):
        raise EvidenceError(
            f"{path} is not a heap dump",
            next_step="pass a file that jcmd GC.heap_dump or -XX:+HeapDumpOnOutOfMemoryError wrote",
        )
    end = head.find(b"\0")
    if end < 0 or buffer.size < end + 13:
        raise EvidenceError(
            f"{path} ends inside its header",
            next_step="look for room on the disk the dump was written to, and dump again",
        )
    width = int.from_bytes(head[end + 1 : end + 5], "big")
    if width not in (4, 8):
        raise EvidenceError(
            f"{path} is damaged: identifiers of {width} bytes", next_step="dump or copy it again"
        )
    return head[:end].decode("ascii", "replace"), width, end + 13


def _classes(
    buffer: NDArray[np.uint8], width: int, positions: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    positions = np.ascontiguousarray(positions)
    heads = np.empty((positions.size, scan.HEAD_COLUMNS), np.int64)
    fields = np.empty((8 * positions.size + 64, 2), np.int64)
    statics = np.empty((8 * positions.size + 64, 3), np.int64)
    while True:
        field_rows, static_rows = scan.parse_classes(
            buffer, positions, width, heads, fields, statics
        )
        if field_rows <= fields.shape[0] and static_rows <= statics.shape[0]:
            return heads, fields[:field_rows], statics[:static_rows]
        fields = np.empty((field_rows, 2), np.int64)
        statics = np.empty((static_rows, 3), np.int64)
