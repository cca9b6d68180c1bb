"""Builds heap dumps: say what the heap holds, get the bytes any generation of JVM would write.

Addresses ascend in steps of the true sizes, as in a compacted heap, so a layout can be fitted.
Objects may refer to each other before they are written: an object's identifier is known as soon as
it is declared.
"""

from __future__ import annotations

import gzip
import io
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Builder", "FrameSpec", "gzip_like_hotspot"]

WIDTHS = {"boolean": 1, "char": 2, "float": 4, "double": 8, "byte": 1, "short": 2, "int": 4,
          "long": 8}  # fmt: skip
CODES = {"object": 2, "boolean": 4, "char": 5, "float": 6, "double": 7, "byte": 8, "short": 9,
         "int": 10, "long": 11}  # fmt: skip
FORMATS = {"boolean": "?", "char": "H", "float": "f", "double": "d", "byte": "b", "short": "h",
           "int": "i", "long": "q"}  # fmt: skip
DESCRIPTORS = {"boolean": "Z", "char": "C", "float": "F", "double": "D", "byte": "B", "short": "S",
               "int": "I", "long": "J"}  # fmt: skip
MIRROR_BYTES = 112


@dataclass
class FrameSpec:
    """A frame as the caller wants it; ``locals_`` are identifiers."""

    class_name: str
    method: str
    file: str = ""
    line: int = -1
    locals_: Sequence[int] = ()
    jni_locals: Sequence[int] = ()


@dataclass
class _Class:
    name: str
    identifier: int
    serial: int
    super_identifier: int
    loader: int
    fields: list[tuple[str, str]]
    statics: dict[str, tuple[str, object]]
    super_class: _Class | None
    dumped: bool = True


@dataclass
class _Object:
    identifier: int
    body: bytes | None
    class_: _Class | None = None
    values: dict[str, object] = field(default_factory=dict)
    elements: list[int] | None = None
    size: int = 0


@dataclass
class Builder:
    """A heap dump under construction.

    Args:
        version: ``1.0.1`` writes one HEAP_DUMP record, ``1.0.2`` segments and an end record.
        width: bytes of an identifier.
        segment_bytes: largest segment.
        roots_first: as JDK 22 and later write them.
        reference: bytes of a reference in the heap; header and array header follow from it.
    """

    version: str = "1.0.2"
    width: int = 8
    segment_bytes: int = 1 << 20
    roots_first: bool = False
    reference: int = 4
    header: int = 12
    array_header: int = 16
    base: int = 0x7_0000_0000
    compact_strings: bool = True

    def __post_init__(self) -> None:
        if self.width == 4:
            self.reference, self.header, self.array_header, self.base = 4, 8, 12, 0x1000_0000
        self._next = self.base
        self._names: dict[str, int] = {}
        self._classes: dict[str, _Class] = {}
        self._objects: list[_Object] = []
        self._by_identifier: dict[int, _Object] = {}
        self._roots: list[bytes] = []
        self._threads: list[tuple[int, list[FrameSpec]]] = []
        self.sizes: dict[int, int] = {}
        self.class_("java.lang.Object")
        self.class_("java.lang.Class")
        for name in WIDTHS:
            self.class_(f"{name}[]")
        self.class_("java.lang.String", fields={"value": "object"} | (
            {"coder": "byte", "hash": "int"} if self.compact_strings else {"hash": "int"}
        ))  # fmt: skip

    # --- declaring --------------------------------------------------------------------------------

    def class_(
        self,
        name: str,
        *,
        above: str | None = "java.lang.Object",
        fields: Mapping[str, str] | None = None,
        statics: Mapping[str, tuple[str, object]] | None = None,
        loader: int = 0,
        dumped: bool = True,
    ) -> int:
        """Declares a class; ``loader`` 0 makes it a root, as the boot loader's classes are."""
        if name in self._classes:
            return self._classes[name].identifier
        super_class = self._classes.get(above) if above and name != "java.lang.Object" else None
        mirror = self._take(MIRROR_BYTES)
        self._classes[name] = _Class(
            name, mirror, len(self._classes) + 1, super_class.identifier if super_class else 0,
            loader, list((fields or {}).items()), dict(statics or {}), super_class, dumped,
        )  # fmt: skip
        if loader == 0 and dumped:
            self.root(0x05, mirror)
        return mirror

    def continue_at(self, address: int) -> None:
        """What is declared from now on lies from this address on."""
        self._next = address

    def set_static(self, class_name: str, name: str, kind: str, value: object) -> None:
        """Gives a class a static field."""
        self._classes[class_name].statics[name] = (kind, value)

    def class_identifier(self, name: str) -> int:
        """The identifier of a declared class."""
        return self._classes[name].identifier

    def instance(self, class_name: str, **values: object) -> int:
        """An instance; fields that are not named are zero."""
        class_ = self._classes[class_name]
        size = self._instance_size(class_)
        identifier = self._take(size)
        self._add(_Object(identifier, None, class_, dict(values), size=size))
        return identifier

    def set(self, identifier: int, **values: object) -> None:
        """Sets fields of an instance."""
        self._by_identifier[identifier].values.update(values)

    def array(self, element: str, elements: Iterable[int] = ()) -> int:
        """An object array of a declared element class."""
        items = list(elements)
        name = f"{element}[]"
        self.class_(name)
        size = self._array_size(self.reference, len(items))
        identifier = self._take(size)
        self._add(_Object(identifier, None, self._classes[name], elements=items, size=size))
        return identifier

    def set_elements(self, identifier: int, elements: Iterable[int]) -> None:
        """Replaces an array's elements by as many others."""
        items = list(elements)
        held = self._by_identifier[identifier].elements
        assert held is not None
        assert len(items) == len(held)
        self._by_identifier[identifier].elements = items

    def primitives(self, kind: str, values: Sequence[object]) -> int:
        """A primitive array."""
        data = struct.pack(f">{len(values)}{FORMATS[kind]}", *values)
        return self._primitive(kind, len(values), data)

    def _primitive(self, kind: str, length: int, data: bytes) -> int:
        size = self._array_size(WIDTHS[kind], length)
        identifier = self._take(size)
        body = b"\x23" + self._id(identifier) + struct.pack(">IIB", 1, length, CODES[kind]) + data
        self._add(_Object(identifier, body, size=size))
        return identifier

    def string(self, text: str) -> int:
        """A java.lang.String and its text array."""
        if not self.compact_strings:
            chars = text.encode("utf-16-be")
            return self.instance(
                "java.lang.String", value=self._primitive("char", len(chars) // 2, chars)
            )
        try:
            raw, coder = text.encode("latin-1"), 0
        except UnicodeEncodeError:
            raw, coder = text.encode("utf-16-le"), 1
        value = self._primitive("byte", len(raw), raw)
        return self.instance("java.lang.String", value=value, coder=coder)

    def root(self, tag: int, identifier: int, *numbers: int) -> None:
        """Any root record."""
        extra = self._id(0) if tag == 0x01 else b""
        self._roots.append(
            bytes([tag]) + self._id(identifier) + extra
            + b"".join(struct.pack(">I", number & 0xFFFFFFFF) for number in numbers)
        )  # fmt: skip

    def thread(
        self, name: str, frames: Sequence[FrameSpec] = (), *, class_name: str = "java.lang.Thread"
    ) -> int:
        """A thread with its stack, top frame first."""
        self.class_("java.lang.Thread", fields={"name": "object"})
        identifier = self.instance(class_name, name=self.string(name))
        self._threads.append((identifier, list(frames)))
        return identifier

    # --- writing ----------------------------------------------------------------------------------

    def build(self) -> bytes:
        """The dump."""
        out = io.BytesIO()
        out.write(f"JAVA PROFILE {self.version}\0".encode())
        out.write(struct.pack(">IQ", self.width, 1_700_000_000_000))
        body, traces = self._body()
        for text, identifier in self._names.items():
            self._record(out, 0x01, self._id(identifier) + text.encode())
        for class_ in self._classes.values():
            name = self._names[self._internal(class_.name)]
            self._record(
                out, 0x02,
                struct.pack(">I", class_.serial) + self._id(class_.identifier)
                + struct.pack(">I", 1) + self._id(name),
            )  # fmt: skip
        for record in traces:
            out.write(record)
        if self.version == "1.0.1":
            self._record(out, 0x0C, b"".join(body))
            return out.getvalue()
        segment = b""
        for record in body:
            if segment and len(segment) + len(record) > self.segment_bytes:
                self._record(out, 0x1C, segment)
                segment = b""
            segment += record
        if segment:
            self._record(out, 0x1C, segment)
        self._record(out, 0x2C, b"")
        return out.getvalue()

    def _body(self) -> tuple[list[bytes], list[bytes]]:
        traces, roots = self._stacks()
        classes = [self._class_dump(c) for c in self._classes.values() if c.dumped]
        for class_ in self._classes.values():
            self._name(self._internal(class_.name))
        objects = [self._object_dump(o) for o in self._objects]
        roots += self._roots
        return (
            classes + roots + objects if self.roots_first else classes + objects + roots
        ), traces

    def _stacks(self) -> tuple[list[bytes], list[bytes]]:
        traces = [self._plain_record(0x05, struct.pack(">III", 1, 0, 0))]
        roots = []
        frame_identifier = 0
        for serial, (thread, frames) in enumerate(self._threads, start=1):
            identifiers = []
            for number, frame in enumerate(frames):
                frame_identifier += 1
                identifiers.append(frame_identifier)
                class_ = self._classes.get(frame.class_name)
                if class_ is None:
                    self.class_(frame.class_name)
                    class_ = self._classes[frame.class_name]
                traces.append(
                    self._plain_record(
                        0x04,
                        self._id(frame_identifier) + self._id(self._name(frame.method))
                        + self._id(self._name("()V")) + self._id(self._name(frame.file))
                        + struct.pack(">Ii", class_.serial, frame.line),
                    )
                )  # fmt: skip
                for tag, targets in ((0x03, frame.locals_), (0x02, frame.jni_locals)):
                    roots += [
                        bytes([tag]) + self._id(target) + struct.pack(">II", serial, number)
                        for target in targets
                    ]
            traces.append(
                self._plain_record(
                    0x05,
                    struct.pack(">III", serial + 1, serial, len(frames))
                    + b"".join(self._id(i) for i in identifiers),
                )
            )
            roots.insert(0, b"\x08" + self._id(thread) + struct.pack(">II", serial, serial + 1))
        return traces, roots

    def _class_dump(self, class_: _Class) -> bytes:
        self.sizes[class_.identifier] = MIRROR_BYTES
        out = b"\x20" + self._id(class_.identifier) + struct.pack(">I", 1)
        out += self._id(class_.super_identifier) + self._id(class_.loader) + 4 * self._id(0)
        widths = [WIDTHS.get(kind, self.width) for _, kind in self._all_fields(class_)]
        out += struct.pack(">IHH", sum(widths), 0, len(class_.statics))
        for name, (kind, value) in class_.statics.items():
            out += self._id(self._name(name)) + bytes([CODES[kind]]) + self._value(kind, value)
        out += struct.pack(">H", len(class_.fields))
        for name, kind in class_.fields:
            out += self._id(self._name(name)) + bytes([CODES[kind]])
        return out

    def _object_dump(self, object_: _Object) -> bytes:
        if object_.body is not None:
            return object_.body
        assert object_.class_ is not None
        if object_.elements is not None:
            return (
                b"\x22" + self._id(object_.identifier)
                + struct.pack(">II", 1, len(object_.elements))
                + self._id(object_.class_.identifier)
                + b"".join(self._id(element) for element in object_.elements)
            )  # fmt: skip
        data = b"".join(
            self._value(kind, object_.values.get(name, 0))
            for name, kind in self._all_fields(object_.class_)
        )
        return (
            b"\x21" + self._id(object_.identifier) + struct.pack(">I", 1)
            + self._id(object_.class_.identifier) + struct.pack(">I", len(data)) + data
        )  # fmt: skip

    # --- plumbing ---------------------------------------------------------------------------------

    def _all_fields(self, class_: _Class | None) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        while class_ is not None:
            found += class_.fields
            class_ = class_.super_class
        return found

    def _instance_size(self, class_: _Class) -> int:
        """The size that any JVM since 15 gives an instance whose fields leave no inner gap."""
        widths = [WIDTHS.get(kind, self.reference) for _, kind in self._all_fields(class_)]
        eights = sum(width == 8 for width in widths)
        small = sum(width for width in widths if width < 8)
        gap = -self.header % 8 if eights else 0
        return _up(self.header + max(gap, min(small, gap)) + 8 * eights + max(0, small - gap), 8)

    def _array_size(self, element: int, length: int) -> int:
        start = _up(self.array_header, 8) if element == 8 else self.array_header
        return _up(start + element * length, 8)

    def _take(self, size: int) -> int:
        identifier = self._next
        self._next += size
        self.sizes[identifier] = size
        return identifier

    def _add(self, object_: _Object) -> None:
        self._objects.append(object_)
        self._by_identifier[object_.identifier] = object_

    def _name(self, text: str) -> int:
        return self._names.setdefault(text, 0x100 + 8 * len(self._names))

    @staticmethod
    def _internal(name: str) -> str:
        element = name.rstrip("[]")
        depth = name.count("[]")
        if not depth:
            return name.replace(".", "/")
        inner = DESCRIPTORS.get(element) or "L" + element.replace(".", "/") + ";"
        return "[" * depth + inner

    def _id(self, identifier: int) -> bytes:
        return identifier.to_bytes(self.width, "big")

    def _value(self, kind: str, value: object) -> bytes:
        if kind == "object":
            assert isinstance(value, int)
            return self._id(value)
        return struct.pack(f">{FORMATS[kind]}", value)

    def _plain_record(self, tag: int, body: bytes) -> bytes:
        return struct.pack(">BII", tag, 0, len(body)) + body

    def _record(self, out: io.BytesIO, tag: int, body: bytes) -> None:
        out.write(self._plain_record(tag, body))


def _up(size: int, step: int) -> int:
    return size + (-size % step)


def gzip_like_hotspot(plain: bytes, *, block: int = 1 << 20) -> bytes:
    """Independent gzip members of ``block`` bytes, the first with HotSpot's comment."""
    out = b""
    for start in range(0, len(plain), block):
        member = gzip.compress(plain[start : start + block], 1)
        if start == 0:  # set the comment flag and insert the comment after the fixed header
            comment = f"HPROF BLOCKSIZE={block}".encode() + b"\0"
            member = member[:3] + bytes([member[3] | 0x10]) + member[4:10] + comment + member[10:]
        out += member
    return out
