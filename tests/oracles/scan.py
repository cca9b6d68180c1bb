"""Plain twins of mprof.hprof.scan, under its names: bytes and lists, one record after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Object", "Walk", "classify", "fill_rows", "find_cuts", "parse_classes", "read_objects",
           "read_row", "record_bytes", "walk"]  # fmt: skip

UNKNOWN, PASSES_LIMIT = -1, -2
TRUNCATED, UNREADABLE, WRONG_LENGTH = 0, 1, 2
CLASS, INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY = 0x20, 0x21, 0x22, 0x23
HEAP_DUMP, HEAP_DUMP_SEGMENT, HEAP_DUMP_END = 0x0C, 0x1C, 0x2C
CHUNK_OBJECTS = 16_384
TOP_LEVEL = {*range(1, 8), *range(0x0A, 0x0F), HEAP_DUMP_SEGMENT, HEAP_DUMP_END}
PRIMITIVE_WIDTHS = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
# identifiers, other bytes
ROOTS = {
    0x01: (2, 0), 0x02: (1, 8), 0x03: (1, 8), 0x04: (1, 4), 0x05: (1, 0), 0x06: (1, 4),
    0x07: (1, 0), 0x08: (1, 8), 0xFF: (1, 0), 0x89: (1, 0), 0x8A: (1, 0), 0x8B: (1, 0),
    0x8C: (1, 0), 0x8D: (1, 0), 0x8E: (1, 8),
}  # fmt: skip
OTHERS = {0x90: (1, 0), 0xFE: (1, 4), 0xC3: (1, 9)}


def number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "big")


def identifier(data: bytes, at: int, width: int) -> int:
    """As the kernels hold it: 8 bytes are signed."""
    return int.from_bytes(data[at : at + width], "big", signed=width == 8)


def value_bytes(kind: int, width: int) -> int:
    return width if kind == 2 else PRIMITIVE_WIDTHS.get(kind, -1)


def class_bytes(data: bytes, start: int, limit: int, width: int) -> int:
    at = start + 1 + 7 * width + 8
    for name_bytes, has_value in ((2, True), (width, True), (width, False)):
        if at + 2 > limit:
            return PASSES_LIMIT
        entries, at = number(data, at, 2), at + 2
        for _ in range(entries):
            if at + name_bytes + 1 > limit:
                return PASSES_LIMIT
            size = value_bytes(data[at + name_bytes], width)
            if size < 0:
                return UNKNOWN
            at += name_bytes + 1 + size * has_value
            if at > limit:
                return PASSES_LIMIT
    return at - start


def record_bytes(data: bytes, at: int, limit: int, width: int) -> int:
    """Bytes of the sub-record at a position, UNKNOWN, or PASSES_LIMIT if it passes the limit."""
    tag = data[at]
    if tag == CLASS:
        return class_bytes(data, at, limit, width)
    if tag in ROOTS or tag in OTHERS:
        identifiers, others = (ROOTS | OTHERS)[tag]
        size = 1 + identifiers * width + others
    elif tag in (INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY):
        size = (10 + width) if tag == PRIMITIVE_ARRAY else (9 + 2 * width)
        if at + size > limit:
            return PASSES_LIMIT
        if tag == INSTANCE:
            size += number(data, at + 5 + 2 * width, 4)
        elif tag == OBJECT_ARRAY:
            size += number(data, at + 5 + width, 4) * width
        else:
            element = PRIMITIVE_WIDTHS.get(data[at + 9 + width])
            if element is None:
                return UNKNOWN
            size += number(data, at + 5 + width, 4) * element
    else:
        return UNKNOWN
    return size if at + size <= limit else PASSES_LIMIT


@dataclass
class Walk:
    """What a walk has found; the tables of :class:`mprof.hprof.scan.Tables` as lists of rows."""

    strings: list[tuple[int, ...]] = field(default_factory=list)
    loads: list[tuple[int, ...]] = field(default_factory=list)
    frames: list[tuple[int, ...]] = field(default_factory=list)
    traces: list[tuple[int, ...]] = field(default_factory=list)
    starts: list[tuple[int, ...]] = field(default_factory=list)
    classes: list[tuple[int, ...]] = field(default_factory=list)
    roots: list[tuple[int, ...]] = field(default_factory=list)
    chunks: list[tuple[int, ...]] = field(default_factory=list)
    faults: list[tuple[int, ...]] = field(default_factory=list)
    addresses: list[int] = field(default_factory=list)
    last_object: int = 0
    first_root: int = 0
    ended: int = 0
    segments: int = 0
    is_open: bool = False

    def tables(self) -> list[list[tuple[int, ...]]]:
        return [self.strings, self.loads, self.frames, self.traces, self.starts, self.classes,
                self.roots, self.chunks, self.faults]  # fmt: skip


class _Walker:
    def __init__(self, data: bytes, width: int, start: int) -> None:
        self.data, self.width, self.at = data, width, start
        self.end = 0  # of the segment; 0 between records
        self.chunk, self.objects = start, 0
        self.found = Walk()

    def close_chunk(self) -> None:
        if self.objects:
            self.found.chunks.append((self.chunk, self.at, self.objects))
        self.chunk, self.objects = self.at, 0

    def fault(self, onward: int, kind: int) -> None:
        self.close_chunk()
        self.found.faults.append((self.at, onward, kind))
        self.at = self.chunk = onward

    def plausible_records(self, at: int, limit: int) -> bool:
        known = self.found.addresses
        count = 0
        while at < limit and count < 8:
            size = record_bytes(self.data, at, limit, self.width)
            if size < 0:
                return count > 0 and self.plausible_top(at, 1)
            one = identifier(self.data, at + 1, self.width)
            is_far = len(known) > 16 and not min(known) <= one <= max(known) + (1 << 36)
            if one == 0 or (CLASS <= self.data[at] <= PRIMITIVE_ARRAY and is_far):
                return False
            at += size
            count += 1
        return count > 0

    def plausible_top(self, at: int, chain: int) -> bool:
        data, limit = self.data, len(self.data)
        for _ in range(chain):
            if at == limit:
                return True
            if at + 9 > limit:
                return False
            tag, length = data[at], number(data, at + 5, 4)
            if tag not in TOP_LEVEL or at + 9 + length > limit:
                return False
            if tag in (HEAP_DUMP, HEAP_DUMP_SEGMENT):
                if length and record_bytes(data, at + 9, at + 9 + length, self.width) < 0:
                    return False
            elif tag == HEAP_DUMP_END:
                return length == 0
            elif length < 4:
                return False
            at += 9 + length
        return at == limit or data[at] in TOP_LEVEL

    def run(self) -> Walk:
        while self.at < len(self.data) or self.end:
            if self.end:
                self.segment()
            else:
                self.top_level()
        return self.found

    def segment(self) -> None:
        data, width = self.data, self.width
        while self.at < self.end:
            size = record_bytes(data, self.at, self.end, width)
            if size < 0:
                self.recover_in_segment(size)
                return
            tag, one = data[self.at], identifier(data, self.at + 1, width)
            if CLASS <= tag <= PRIMITIVE_ARRAY:
                if one:
                    self.found.addresses.append(one)
                    self.found.last_object = self.at
                    self.objects += 1
                    if tag == CLASS:
                        self.found.classes.append((self.at,))
            elif tag in ROOTS:
                self.found.first_root = self.found.first_root or self.at
                others = ROOTS[tag][1]
                thread = number(data, self.at + 1 + width, 4) if others else -1
                frame = number(data, self.at + 5 + width, 4) if others == 8 else -1
                self.found.roots.append((tag, one, thread, frame))
            self.at += size
            if self.objects == CHUNK_OBJECTS:
                self.close_chunk()
        self.close_chunk()
        self.end = 0

    def top_level(self) -> None:
        data, width, at, limit = self.data, self.width, self.at, len(self.data)
        tag = data[at]
        length = number(data, at + 5, 4)
        body = at + 9
        is_heap = tag in (HEAP_DUMP, HEAP_DUMP_SEGMENT)
        if body > limit or tag not in TOP_LEVEL or (body + length > limit and not is_heap):
            self.recover_between()
            return
        found = self.found
        if is_heap:
            found.segments += tag == HEAP_DUMP_SEGMENT
            self.at = self.chunk = body
            self.end = min(body + length, limit)
            found.is_open = body + length > limit
            rest = limit - body - length
            if tag == HEAP_DUMP and rest > 0 and rest % (1 << 32) == 0:
                self.end = limit
            first = data[body] if body < limit else 0
            if length == 0 and (CLASS <= first <= PRIMITIVE_ARRAY or first >= 0xFE):
                self.end, found.is_open = limit, True
            if self.end == body:
                self.end = 0
            return
        if tag == 0x01 and length >= width:
            found.strings.append((identifier(data, body, width), body + width, length - width))
        elif tag == 0x02 and length >= 8 + 2 * width:
            found.loads.append(
                (
                    number(data, body, 4),
                    identifier(data, body + 4, width),
                    identifier(data, body + 8 + width, width),
                )
            )
        elif tag == 0x04 and length >= 8 + 4 * width:
            found.frames.append((body,))
        elif tag == 0x05 and length >= 12:
            found.traces.append((body, length))
        elif tag == 0x0A and length >= 8 + 4 * width:
            found.starts.append((body, length))
        elif tag == HEAP_DUMP_END:
            found.ended = body
        self.at = body + length

    def recover_in_segment(self, size: int) -> None:
        data, at, limit, found = self.data, self.at, len(self.data), self.found
        is_next = found.is_open and data[at] in (HEAP_DUMP, HEAP_DUMP_SEGMENT, HEAP_DUMP_END)
        if is_next or self.plausible_top(at, 2):
            self.fault(at, WRONG_LENGTH)
            found.is_open, self.end = False, 0
            return
        if size == PASSES_LIMIT and self.end == limit:
            self.fault(limit, TRUNCATED)
            self.end = 0
            return
        whole = record_bytes(data, at, limit, self.width) if size == PASSES_LIMIT else 0
        if whole > 0 and (
            self.plausible_records(at + whole, limit) or self.plausible_top(at + whole, 2)
        ):
            self.fault(at, WRONG_LENGTH)
            self.end, found.is_open = limit, True
            return
        onward, end = at + 1, self.end
        while onward < end and not self.plausible_records(onward, end):
            if self.plausible_top(onward, 3):
                end = onward
                break
            onward += 1
        self.fault(onward, UNREADABLE)
        self.end = end if onward < end else 0

    def recover_between(self) -> None:
        data, at, limit = self.data, self.at, len(self.data)
        onward, in_segment = at, False
        while onward < limit:
            if onward > at and self.plausible_top(onward, 3):
                break
            if self.found.addresses and self.plausible_records(onward, limit):
                in_segment = True
                break
            onward += 1
        kind = UNREADABLE
        if onward == at:
            kind = WRONG_LENGTH
        elif onward == limit and (data[at] in TOP_LEVEL or at + 9 > limit):
            kind = TRUNCATED
        self.fault(onward, kind)
        if in_segment:
            self.end, self.found.is_open = limit, True


def walk(data: bytes, width: int, start: int) -> Walk:
    """All records from ``start`` on, and what could not be read (walk and recover in one)."""
    return _Walker(data, width, start).run()


def find_cuts(data: bytes, start: int, step: int, most: int) -> list[int] | None:
    """Where top-level records begin, at least ``step`` bytes apart; None of an unsound dump."""
    at, cuts, following = start, [], start + step
    while at < len(data):
        if at + 9 > len(data) or data[at] not in TOP_LEVEL:
            return None
        length = number(data, at + 5, 4)
        end = at + 9 + length
        if end > len(data) or (data[at] in (HEAP_DUMP, HEAP_DUMP_SEGMENT) and not length):
            return None
        if at >= following and len(cuts) < most:
            cuts.append(at)
            following = at + step
        at = end
    return cuts


class Object(NamedTuple):
    """One object of a chunk; ``class_`` is a basic type for primitive arrays."""

    tag: int
    position: int
    address: int
    class_: int
    length: int


def read_objects(data: bytes, start: int, end: int, width: int) -> list[Object]:
    """The objects between two positions."""
    at, objects = start, []
    while at < end:
        tag, one = data[at], identifier(data, at + 1, width)
        if tag == INSTANCE:
            class_ = identifier(data, at + 5 + width, width)
            found = Object(tag, at, one, class_, number(data, at + 5 + 2 * width, 4))
        elif tag == OBJECT_ARRAY:
            class_ = identifier(data, at + 9 + width, width)
            found = Object(tag, at, one, class_, number(data, at + 5 + width, 4))
        elif tag == PRIMITIVE_ARRAY:
            found = Object(tag, at, one, data[at + 9 + width], number(data, at + 5 + width, 4))
        else:
            found = Object(tag, at, one, one, 0)
        if CLASS <= tag <= PRIMITIVE_ARRAY and one:
            objects.append(found)
        at += record_bytes(data, at, end, width)
    return objects


def classify(
    objects: Sequence[Object], classes: Mapping[int, int], primitive: Sequence[int]
) -> list[int]:
    """The class number of each object, -1 if its class is not in the dump."""
    return [
        primitive[one.class_] if one.tag == PRIMITIVE_ARRAY else classes.get(one.class_, -1)
        for one in objects
    ]


def read_row(
    data: bytes,
    one: Object,
    class_number: int,
    width: int,
    offsets: Sequence[Sequence[int]],
    class_ranks: Sequence[int],
    ranks: Mapping[int, int],
) -> tuple[list[int], int]:
    """Ranks of what an object refers to, repetitions in a row left out; references to nowhere."""
    body = one.position + 9 + 2 * width
    if one.tag == INSTANCE:
        places = [body + k for k in offsets[class_number] if k + width <= one.length] if (
            class_number >= 0) else []  # fmt: skip
    elif one.tag == OBJECT_ARRAY:
        places = [body + k * width for k in range(one.length)]
    elif one.tag == CLASS:
        places = _places_in_class(data, one.position, width)
    else:
        places = []
    named = [identifier(data, place, width) for place in places]
    targets = [ranks.get(target, -1) for target in named if target]
    lost = targets.count(-1)
    targets = [target for target in targets if target >= 0]
    if one.tag != CLASS and class_number >= 0 and class_ranks[class_number] >= 0:
        targets.append(class_ranks[class_number])
    return [t for k, t in enumerate(targets) if k == 0 or targets[k - 1] != t], lost


def _places_in_class(data: bytes, position: int, width: int) -> list[int]:
    places = [position + 5 + width + k * width for k in range(6)]
    at = position + 9 + 7 * width
    for name_bytes in (2, width):
        entries, at = number(data, at, 2), at + 2
        for _ in range(entries):
            kind = data[at + name_bytes]
            at += name_bytes + 1
            if kind == 2:
                places.append(at)
            at += value_bytes(kind, width)
    return places


def fill_rows(
    data: bytes,
    objects: Sequence[Object],
    numbers: Sequence[int],
    width: int,
    offsets: Sequence[Sequence[int]],
    class_ranks: Sequence[int],
    ranks: Mapping[int, int],
) -> tuple[dict[int, list[int]], dict[int, int]]:
    """By rank, targets of each object (of one that occurs twice the first); lost references."""
    rows: dict[int, list[int]] = {}
    holes: dict[int, int] = {}
    for one, class_number in zip(objects, numbers, strict=True):
        rank = ranks[one.address]
        if rank not in rows:
            rows[rank], lost = read_row(data, one, class_number, width, offsets, class_ranks, ranks)
            if lost:
                holes[rank] = lost
    return rows, holes


def parse_classes(
    data: bytes, positions: Sequence[int], width: int
) -> list[tuple[tuple[int, int, int, int], list[tuple[int, int]], list[tuple[int, int, int]]]]:
    """Of each CLASS_DUMP: its head, instance fields, and static fields with their positions."""
    found = []
    for position in positions:
        own, above, loader = (identifier(data, position + k, width)
                              for k in (1, 5 + width, 5 + 2 * width))  # fmt: skip
        size = number(data, position + 5 + 7 * width, 4)
        at = position + 9 + 7 * width
        entries, at = number(data, at, 2), at + 2
        for _ in range(entries):
            at += 3 + value_bytes(data[at + 2], width)
        entries, at = number(data, at, 2), at + 2
        statics = []
        for _ in range(entries):
            kind = data[at + width]
            statics.append((identifier(data, at, width), kind, at + width + 1))
            at += width + 1 + value_bytes(kind, width)
        entries, at = number(data, at, 2), at + 2
        fields = []
        for _ in range(entries):
            fields.append((identifier(data, at, width), data[at + width]))
            at += width + 1
        found.append(((own, above, loader, size), fields, statics))
    return found
