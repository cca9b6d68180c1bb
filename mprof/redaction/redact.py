"""Writes a dump of the same heap whose values and texts are empty.

The new dump is made of what was read of the old one: names, loaded classes, stacks, objects and
roots, each record from its parts. What could not be read, what nothing refers to and what no part
of a record is, does not get into it.

Time: one walk over the records, one pass that measures them, one that writes. Memory: the tables of
the walk, an entry a record outside of the heap; the set of addresses, 16 bytes for 512 of the heap;
4 MiB a core. Largest input tried: 1.1 GB.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mprof.errors import EvidenceError
from mprof.heap.classes import Classes, read_classes
from mprof.heap.losses import describe_damage
from mprof.heap.ranking import rank_objects
from mprof.heap.records import read_value
from mprof.hprof import Dump, read_dump, scan
from mprof.hprof.format import (
    BASIC_TYPES,
    EMPTIED,
    FRAME,
    HEAP_DUMP_END,
    HEAP_DUMP_SEGMENT,
    LENGTH_WRAP,
    LOAD_CLASS,
    OBJECT_ARRAY,
    PRIMITIVE_ARRAY,
    RECORD_HEADER,
    START_THREAD,
    TRACE,
    TYPE_BYTE,
    TYPE_CHAR,
    TYPE_OBJECT,
    UTF8,
    VALUE_BYTES,
)
from mprof.kernels.cores import core_count
from mprof.kernels.lookup import build_lookup
from mprof.kernels.rank import ranks_of
from mprof.redaction._passes import (
    ADDRESS_BITS,
    LARGEST_ARRAY,
    LARGEST_ROOT,
    MEASURES,
    MOST_SERIAL,
    OBJECT_BYTES,
    OBJECTS,
    Links,
    Piece,
    Plan,
    empty_chunk,
    empty_elements,
    end_within,
    measure_chunk,
    new_piece,
    write_head,
    write_names,
    write_roots,
)
from mprof.redaction.kept import ALWAYS_KEPT, Kept, kept_before, rules_of
from mprof.redaction.new_file import NewFile, Packer

__all__ = ["Redacted", "redact_dump"]

_PIECE: Final = 4 << 20  # bytes; the largest record that is no array is shorter
_LONGEST_NAME: Final = 65_535  # a symbol's length is a u2 in a class file
_ROOTS_AT_ONCE: Final = 1 << 16
_TASK_BYTES: Final = 16 << 20  # of the dump, that a core takes at once
_VERSIONS: Final = ("JAVA PROFILE 1.0.2", "JAVA PROFILE 1.0.3")
_MOST_SEGMENT_BYTES: Final = LENGTH_WRAP - 1
_LOST_BEFORE: Final = "parts of it were lost when it was emptied before"
_NOT_KNOWN: Final = "what was kept when it was emptied before is not known"
_OTHER_LINES: Final = -3  # native; -2 compiled, -1 not known
_LAST_LINE: Final = 65_535  # a u2 in a class file
_QUEUE: Final = "java.util.concurrent.LinkedBlockingQueue"

Progress = Callable[[str, float], None] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """What was written.

    Attributes:
        path: the new dump.
        bytes: of the new dump, unpacked.
        objects: records of objects in it.
        names: names in it: of classes, fields, methods, signatures and source files.
        kept: what was kept beside the structure, in words.
        losses: what of the old dump is not in the new one because it could not be read.
    """

    path: Path
    bytes: int
    objects: int
    names: int
    kept: str
    losses: tuple[str, ...]


def redact_dump(path: Path, target: Path, *, kept: Kept, progress: Progress = None) -> Redacted:
    """Writes the same heap without what its objects say.

    Args:
        path: the dump: plain, gz, or the parts of one that was never merged.
        target: the new dump; where its name ends in ``.gz`` it is packed.
        kept: what stays beside the structure.
        progress: called with the current step and the share that is done, from 0 to 1.

    Raises:
        EvidenceError: if the dump cannot be read, is none, or changes while it is read.
        UsageError: if there is something of the new name.
        OSError: if the new dump cannot be written; nothing stays of it.
    """
    report = progress or (lambda _what, _share: None)
    with NewFile(target) as file:  # first of all: what is in the way is told before the work
        dump = read_dump(path, progress=progress)
        report("measuring records", 0.0)
        new = _NewDump(dump, kept)
        packer = Packer(file) if target.name.endswith(".gz") else None
        try:
            if packer is None:
                new.write(file, report)
            else:
                new.pack(packer, report)
                packer.finish()
        finally:
            if packer is not None:
                packer.close()
    report("writing records", 1.0)
    return Redacted(
        path=target,
        bytes=new.bytes,
        objects=new.objects,
        names=new.names,
        kept=new.kept,
        losses=new.losses,
    )


class _NewDump:
    """The new dump, in the order in which it is written."""

    def __init__(self, dump: Dump, kept: Kept) -> None:
        self._dump = dump
        self._width = dump.identifier_bytes
        self._names = _names_of(dump)
        self._written_names = frozenset(self._names[:, 0].tolist())
        self._objects, _, _ = rank_objects(dump)
        self._nowhere = next(
            number for number in range(1, 1 << 16, 2)
            if ranks_of(self._objects, np.array([number], np.int64))[0] < 0
        )  # fmt: skip
        self._stretches = _Stretches(dump)
        classes = read_classes(dump)
        self._plan = self._plan_of(classes, kept)
        self.kept = ", ".join(filter(None, (ALWAYS_KEPT, kept.in_words())))
        if dump.emptied is not None:
            # What was emptied before does not come back; a text that says so may say anything.
            self.kept = kept_before(dump.emptied, classes.names) or _NOT_KNOWN
        self.losses = _losses_of(dump)
        strange = dump.object_records - self._stretches.objects
        if strange:
            self.losses += (f"{strange:,} objects have identifiers that are no addresses",)
        self.names = len(self._names)
        self.objects = self._stretches.objects
        self.bytes = 0

    def _plan_of(self, classes: Classes, kept: Kept) -> Plan:
        stretches = self._stretches
        texts = _text_arrays(stretches, self._dump, classes, kept)
        counters = stretches.measure(_links(classes, [(_QUEUE, "count")]))
        numbers = [kind for kind in VALUE_BYTES if kept.numbers and kind != TYPE_CHAR]
        kinds, elements = np.zeros((2, BASIC_TYPES), np.uint8)
        kinds[numbers] = 1
        elements[[kind for kind in numbers if kind != TYPE_BYTE]] = 1
        return Plan(
            classes=classes.numbering.lookup,
            rules=rules_of(classes, kept),
            counters=build_lookup(np.unique(counters)),
            arrays=build_lookup(texts),
            names=build_lookup(np.ascontiguousarray(self._names[:, 0])),
            objects=self._objects,
            nowhere=self._nowhere,
            kinds=kinds,
            elements=elements,
            most=max(stretches.largest_array, self._dump.object_records),
        )

    def write(self, file: NewFile, report: Callable[[str, float], None]) -> None:
        """Write it on all cores, each record where it belongs."""

        def append(piece: memoryview) -> None:
            file.write(piece)
            self.bytes += len(piece)

        for piece in self._before_objects():
            append(piece)
        sizes = self._stretches.sizes + RECORD_HEADER
        begin = file.reserve(int(sizes.sum()))
        places = begin + np.append(0, np.cumsum(sizes))
        self.bytes += int(sizes.sum())
        tasks = self._tasks()
        done = 0

        def work(task: range) -> None:
            at = int(places[task.start])
            for piece in self._segments(task):
                file.write_at(piece, at)
                at += len(piece)
            if at != int(places[task.stop]):
                raise _changed(self._dump)

        with ThreadPoolExecutor(core_count()) as pool:
            for _ in pool.map(work, tasks):
                done += 1
                report("writing records", done / len(tasks))
        for piece in self._after_objects():
            append(piece)

    def pack(self, packer: Packer, report: Callable[[str, float], None]) -> None:
        """Write it in order."""
        tasks = self._tasks()
        for piece in self._before_objects():
            self.bytes += len(piece)
            packer.write(piece)
        for number, task in enumerate(tasks):
            for piece in self._segments(task):
                self.bytes += len(piece)
                packer.write(piece)
            report("writing records", number / len(tasks))
        for piece in self._after_objects():
            self.bytes += len(piece)
            packer.write(piece)

    # --- what comes in order ----------------------------------------------------------------------

    def _before_objects(self) -> Iterator[memoryview]:
        version = self._dump.version if self._dump.version in _VERSIONS else _VERSIONS[0]
        yield memoryview(version.encode() + b"\0" + struct.pack(">IQ", self._width, 0))
        yield memoryview(self._note())
        yield from self._name_records()
        yield memoryview(self._load_records())
        yield memoryview(self._stack_records())
        if self._dump.roots_come_first:
            yield from self._root_segments()

    def _after_objects(self) -> Iterator[memoryview]:
        if not self._dump.roots_come_first:
            yield from self._root_segments()
        if not self._dump.is_cut:
            yield memoryview(_record(HEAP_DUMP_END, b""))

    def _note(self) -> bytes:
        texts = self._dump.tables.strings[0 if self._dump.emptied is None else 1 :]
        taken = set(texts[:, 0].tolist())
        identifier = next(number for number in range(1, len(taken) + 2) if number not in taken)
        lines = (self.kept, *self.losses)
        text = EMPTIED + "\n".join(lines).encode()[: _LONGEST_NAME - len(EMPTIED)]
        return _record(UTF8, self._id(identifier) + text)

    def _name_records(self) -> Iterator[memoryview]:
        rest = self._names
        out = np.empty(_PIECE, np.uint8)
        while len(rest):
            count, size = write_names(self._dump.buffer, rest, self._width, _LONGEST_NAME, out)
            yield out[:size].data
            rest = rest[count:]

    def _load_records(self) -> bytes:
        return b"".join(
            _record(
                LOAD_CLASS,
                struct.pack(">I", _serial(serial))
                + self._id(identifier)
                + bytes(4)
                + self._name(name),
            )
            for serial, identifier, name in self._dump.tables.loads.tolist()
            if not identifier or _is_address(identifier)
        )

    def _stack_records(self) -> bytes:
        """Frames, stacks and threads; a thread's own names are texts and stay empty."""
        dump, width = self._dump, self._width
        records = []
        frames = set()
        for position in dump.tables.frames[:, 0].tolist():
            identifier, *names = (self._identifier(position + i * width) for i in range(4))
            serial, line = struct.unpack_from(">Ii", dump.bytes, position + 4 * width)
            if not _is_address(identifier):
                continue
            frames.add(identifier)
            serial, line = _serial(serial), line if _OTHER_LINES <= line <= _LAST_LINE else -1
            body = self._id(identifier) + b"".join(map(self._name, names))
            records.append(_record(FRAME, body + struct.pack(">Ii", serial, line)))
        for serial, (thread, stack) in dump.traces.items():
            body = struct.pack(">III", _serial(serial), _serial(thread), len(stack))
            body += b"".join(self._id(each if each in frames else 0) for each in stack)
            records.append(_record(TRACE, body))
        for position, _ in dump.tables.starts.tolist():
            serial = _serial(*struct.unpack_from(">I", dump.bytes, position))
            started = self._object(self._identifier(position + 4))
            records.append(
                _record(START_THREAD, struct.pack(">I", serial) + started + bytes(4 + 3 * width))
            )
        return b"".join(records)

    def _root_segments(self) -> Iterator[memoryview]:
        out = np.empty(_ROOTS_AT_ONCE * LARGEST_ROOT, np.uint8)
        roots = self._dump.tables.roots.copy()
        known = ranks_of(self._objects, np.ascontiguousarray(roots[:, scan.ROOT_OBJECT])) >= 0
        known &= roots[:, scan.ROOT_OBJECT] >> ADDRESS_BITS == 0
        roots[~known, scan.ROOT_OBJECT] = self._nowhere
        roots[roots[:, scan.ROOT_THREAD] >= MOST_SERIAL, scan.ROOT_THREAD] = 0
        # A stack without a frame is the number -1; what is no number of a frame becomes that.
        roots[roots[:, scan.ROOT_FRAME] >= MOST_SERIAL, scan.ROOT_FRAME] = -1
        for start in range(0, len(roots), _ROOTS_AT_ONCE):
            size = write_roots(roots[start : start + _ROOTS_AT_ONCE], self._width, out)
            yield memoryview(_head(HEAP_DUMP_SEGMENT, size))
            yield out[:size].data

    # --- objects ----------------------------------------------------------------------------------

    def _tasks(self) -> list[range]:
        """Numbers of stretches that one core writes."""
        tasks = []
        start = size = 0
        for number, (begin, end) in enumerate(self._stretches.bounds):
            size += end - begin
            if size >= _TASK_BYTES or number + 1 == len(self._stretches.bounds):
                tasks.append(range(start, number + 1))
                start, size = number + 1, 0
        return tasks

    def _segments(self, task: range) -> Iterator[memoryview]:
        """The stretches, a segment each; each piece is valid until the next one."""
        piece = new_piece(_PIECE)
        for number in task:
            begin, end = self._stretches.bounds[number]
            size = int(self._stretches.sizes[number])
            yield memoryview(_head(HEAP_DUMP_SEGMENT, size))
            for part in self._parts(begin, end, piece):
                size -= len(part)
                yield part
            if size:
                raise _changed(self._dump)

    def _parts(self, begin: int, end: int, piece: Piece) -> Iterator[memoryview]:
        buffer, width = self._dump.buffer, self._width
        while begin < end:
            onward, size = empty_chunk(buffer, begin, end, width, self._plan, piece)
            if onward < 0:
                raise _changed(self._dump)
            yield piece.out[:size].data
            if onward == begin:  # a record that is larger than a piece
                _, length = end_within(buffer, begin, end, width, 0)
                if int(buffer[begin]) in (OBJECT_ARRAY, PRIMITIVE_ARRAY):
                    yield from self._array(begin, length, piece)
                else:  # no class has so many fields; whoever writes such a record gets it back
                    once = new_piece(length)
                    empty_chunk(buffer, begin, begin + length, width, self._plan, once)
                    yield once.out.data
                onward = begin + length
            begin = onward

    def _array(self, at: int, length: int, piece: Piece) -> Iterator[memoryview]:
        """One array that is larger than a piece."""
        buffer, width = self._dump.buffer, self._width
        head = write_head(buffer, at, width, self._plan, piece.out)
        yield piece.out[:head].data
        for offset in range(0, length - head, _PIECE):
            size = min(_PIECE, length - head - offset)
            empty_elements(buffer, at, offset, size, width, self._plan, piece)
            yield piece.out[:size].data

    # --- plumbing ---------------------------------------------------------------------------------

    def _id(self, identifier: int) -> bytes:
        return (identifier & ((1 << 8 * self._width) - 1)).to_bytes(self._width, "big")

    def _name(self, identifier: int) -> bytes:
        """The identifier of a name that is written, else null."""
        return self._id(identifier if identifier in self._written_names else 0)

    def _object(self, identifier: int) -> bytes:
        """The identifier of an object, else one of none."""
        signed = _signed(identifier)
        known = ranks_of(self._objects, np.array([signed], np.int64))[0] >= 0
        known &= not identifier or _is_address(signed)
        return self._id(identifier if known or not identifier else self._nowhere)

    def _identifier(self, position: int) -> int:
        raw = self._dump.buffer[position : position + self._width].tobytes()
        return _signed(int.from_bytes(raw, "big"))


# --- what is written ------------------------------------------------------------------------------


def _head(tag: int, size: int) -> bytes:
    return struct.pack(">BII", tag, 0, size)


def _record(tag: int, body: bytes) -> bytes:
    return _head(tag, len(body)) + body


def _names_of(dump: Dump) -> NDArray[np.int64]:
    """The UTF8 records that name something: identifier, position and bytes of each, once."""
    width = dump.identifier_bytes
    of_frames = [
        _signed(int.from_bytes(dump.buffer[at + i * width : at + (i + 1) * width].tobytes(), "big"))
        for at in dump.tables.frames[:, 0].tolist()
        for i in range(1, 4)
    ]
    wanted = np.concatenate((
        dump.tables.loads[:, 2],
        dump.class_fields[:, 0],
        dump.class_statics[:, 0],
        np.array(of_frames, np.int64),
    ))  # fmt: skip
    texts = dump.tables.strings
    _, firsts = np.unique(texts[:, 0], return_index=True)  # of several with one identifier
    rows = texts[np.sort(firsts)]
    rows = rows[(rows[:, 0] > 0) & (rows[:, 0] >> ADDRESS_BITS == 0)]
    return np.ascontiguousarray(rows[np.isin(rows[:, 0], wanted)])


def _losses_of(dump: Dump) -> tuple[str, ...]:
    """What is not in the new dump because it could not be read; no name of a file."""
    own = dump.losses[dump.lost_before :]
    losses = [loss.partition("; read from its parts")[0] for loss in own]
    before = (_LOST_BEFORE,) if dump.lost_before else ()
    return (*before, *losses, *describe_damage(dump))


def _changed(dump: Dump) -> EvidenceError:
    return EvidenceError(
        f"{dump.path} changed while it was read",
        next_step="wait until it is written, or work on a copy",
    )


def _is_address(identifier: int) -> bool:
    return 0 < identifier < 1 << ADDRESS_BITS


def _serial(number: int) -> int:
    """The number, or 0 where it is none."""
    return number if number < MOST_SERIAL else 0


def _signed(identifier: int) -> int:
    return identifier - (1 << 64) if identifier >= 1 << 63 else identifier


# --- what is kept ---------------------------------------------------------------------------------


class _Stretches:
    """Stretches of records that become a segment each, and what is to be known of all of them.

    Attributes:
        bounds: where each begins and ends.
        sizes: int64, the bytes of its objects.
        largest_array: elements of the largest array.
        objects: how many objects have an address.
    """

    def __init__(self, dump: Dump) -> None:
        self._dump = dump
        self.bounds = list(self._bounds())
        self.sizes = np.zeros(len(self.bounds), np.int64)
        self.largest_array = 0
        self.objects = 0

    def _bounds(self) -> Iterator[tuple[int, int]]:
        """The chunks; what does not fit into a segment in several."""
        buffer, width = self._dump.buffer, self._dump.identifier_bytes
        for begin, end, _ in self._dump.chunks.tolist():
            while end - begin > _MOST_SEGMENT_BYTES:
                middle, first = end_within(buffer, begin, end, width, _MOST_SEGMENT_BYTES)
                if middle == begin:
                    raise EvidenceError(
                        f"an object of {first:,} bytes in {self._dump.path} fits into no segment",
                        next_step="dump again by a JVM that writes segments (JDK 6 and later)",
                    )
                yield begin, middle
                begin = middle
            yield begin, end

    def measure(self, links: Links) -> NDArray[np.int64]:
        """Measure all; returns the references that are to be gathered."""
        buffer, width = self._dump.buffer, self._dump.identifier_bytes
        most = int(np.diff(links.starts).max(initial=0))

        def work(number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            begin, end = self.bounds[number]
            found = np.empty(scan.CHUNK_OBJECTS * most, np.int64)
            measures = np.zeros(MEASURES, np.int64)
            count = measure_chunk(buffer, begin, end, width, links, measures, found)
            if count < 0:
                raise _changed(self._dump)
            return measures, found[:count].copy()

        with ThreadPoolExecutor(core_count()) as pool:
            results = list(pool.map(work, range(len(self.bounds))))
        measures = np.array([one for one, _ in results], np.int64).reshape(len(results), MEASURES)
        self.sizes = measures[:, OBJECT_BYTES].copy()
        self.largest_array = int(measures[:, LARGEST_ARRAY].max(initial=0))
        self.objects = int(measures[:, OBJECTS].sum())
        gathered = [found for _, found in results]
        return np.concatenate((*gathered, np.empty(0, np.int64)))


def _links(
    classes: Classes, wanted: Iterable[tuple[str, str]], among: NDArray[np.int64] | None = None
) -> Links:
    """References in fields of classes and their subclasses.

    Args:
        classes: of the dump.
        wanted: class and field; of an empty field all references of the class.
        among: the instances that count; None for all.
    """
    offsets: list[list[int]] = [[] for _ in classes.names]
    for class_name, name in wanted:
        for number in np.flatnonzero(classes.subclasses(class_name)).tolist():
            offsets[number] += [
                field.offset
                for field in classes.fields(number)
                if field.kind == TYPE_OBJECT and (not name or field.name == name)
            ]
    return Links(
        classes.numbering.lookup,
        np.append(0, np.cumsum([len(each) for each in offsets])).astype(np.int64),
        np.array([offset for each in offsets for offset in each], np.int32),
        build_lookup(np.empty(0, np.int64) if among is None else among),
        int(among is None),
    )


def _text_arrays(
    stretches: _Stretches, dump: Dump, classes: Classes, kept: Kept
) -> NDArray[np.int64]:
    """Identifiers of the arrays that hold the texts that are kept."""
    wanted = [(name, "") for name in kept.strings_of]
    wanted += [("java.lang.Thread", "name")] if kept.thread_names else []
    if not wanted:
        return np.empty(0, np.int64)
    held = [stretches.measure(_links(classes, wanted)), _statics(dump, classes, kept)]
    strings = np.unique(np.concatenate(held))
    values = stretches.measure(_links(classes, [("java.lang.String", "value")], strings))
    if not kept.thread_names:
        return values
    # Until JDK 8 the name of a thread is an array of chars, without a String.
    names = stretches.measure(_links(classes, [("java.lang.Thread", "name")]))
    return np.unique(np.concatenate((values, names)))


def _statics(dump: Dump, classes: Classes, kept: Kept) -> NDArray[np.int64]:
    """What static fields of the classes refer to whose strings are kept."""
    positions = [
        static.position
        for name in kept.strings_of
        for number in classes.by_name.get(name, ())
        for static in classes.statics(number)
        if static.kind == TYPE_OBJECT
    ]
    found = [read_value(dump, TYPE_OBJECT, position) for position in positions]
    return np.array(found, np.int64)
