"""Class files, as far as a method's instructions and their lines are told from them.

Java Virtual Machine Specification, chapter 4. A file that breaks it is refused as a whole: nothing
of it is believed.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

__all__ = ["ClassFile", "ClassFileError", "Member", "Method", "Reference"]

_MAGIC: Final = 0xCAFEBABE
_UTF8, _LONG, _DOUBLE, _CLASS = 1, 5, 6, 7
_REFERENCES: Final = frozenset({9, 10, 11})  # of a field, a method, a method of an interface
_DYNAMIC: Final = frozenset({17, 18})
# bytes of an entry's two numbers, or of one that is skipped; Utf8 has its length before it
_ENTRY_BYTES: Final[Mapping[int, int]] = {
    3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4,
    19: 2, 20: 2,
}  # fmt: skip


class ClassFileError(ValueError):
    """The bytes are no class file, or a damaged one."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A field or method that an instruction names; no owner where it is linked at run time."""

    owner: str
    name: str
    descriptor: str


@dataclass(frozen=True, slots=True)
class Member:
    """A field or a method of the class itself."""

    name: str
    descriptor: str
    is_static: bool


@dataclass(frozen=True, slots=True)
class Method:
    """A method with a body.

    Attributes:
        code: its instructions.
        handlers: where the handlers of exceptions begin.
        lines: (offset of the first instruction, line), by offset; empty where it was compiled
            without lines.
    """

    member: Member
    code: bytes
    handlers: frozenset[int]
    lines: tuple[tuple[int, int], ...]

    def line_at(self, offset: int) -> int | None:
        """The line of an instruction."""
        found = None
        for begin, line in self.lines:
            if begin > offset:
                break
            found = line
        return found


class ClassFile:
    """One class.

    Raises:
        ClassFileError: if it is none.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        try:
            self._read()
        except (struct.error, IndexError, KeyError, TypeError) as error:
            raise ClassFileError(f"the class file is damaged: {error!r}") from error

    name: str
    """With dots: ``com.example.Outer$Inner``."""

    super_name: str | None
    fields: tuple[Member, ...]
    methods: tuple[Method, ...]
    source_file: str | None

    def reference(self, index: int) -> Reference:
        """What an instruction names by its index in the constant pool.

        Raises:
            ClassFileError: if that is no field, method or call that is linked at run time.
        """
        try:
            tag, first, second = self._pool[index]
            owner = "" if tag in _DYNAMIC else self.class_at(first)
            if tag not in _DYNAMIC and tag not in _REFERENCES:
                raise KeyError(index)
            _, name, descriptor = self._pool[second]
            return Reference(owner, self._text(name), self._text(descriptor))
        except (IndexError, KeyError, TypeError) as error:
            raise ClassFileError(f"constant {index} is no field or method") from error

    def class_at(self, index: int) -> str:
        """The name of a class in the constant pool, with dots.

        Raises:
            ClassFileError: if there is none.
        """
        try:
            tag, name, _ = self._pool[index]
            if tag != _CLASS:
                raise KeyError(index)
            return self._text(name).replace("/", ".")
        except (IndexError, KeyError, TypeError) as error:
            raise ClassFileError(f"constant {index} is no class") from error

    @cached_property
    def field_types(self) -> Mapping[str, str]:
        """The descriptor of each field."""
        return {one.name: one.descriptor for one in self.fields}

    def _read(self) -> None:
        if self._number(4) != _MAGIC:
            raise ClassFileError("this is no class file")
        self._at += 4  # minor and major version
        self._pool: dict[int, tuple[int, int, int]] = {}
        self._texts: dict[int, str] = {}
        self._read_pool()
        self._at += 2  # access flags
        self.name = self.class_at(self._number(2))
        parent = self._number(2)
        self.super_name = self.class_at(parent) if parent else None
        for _ in range(self._number(2)):
            self._number(2)  # an interface
        self.fields = tuple(self._member() for _ in range(self._number(2)))
        self.methods = tuple(
            method for _ in range(self._number(2)) if (method := self._method()) is not None
        )
        self.source_file = None
        for name, begin, _ in self._attributes():
            if name == "SourceFile":
                self.source_file = self._text(struct.unpack_from(">H", self._data, begin)[0])

    def _read_pool(self) -> None:
        index, count = 1, self._number(2)
        while index < count:
            tag = self._number(1)
            if tag == _UTF8:
                length = self._number(2)
                # "modified" UTF-8 differs in what no name of a program consists of
                self._texts[index] = self._taken(length).decode("utf-8", "replace")
            else:
                data = self._taken(_ENTRY_BYTES[tag])
                first = int.from_bytes(data[:2], "big")
                self._pool[index] = (tag, first, int.from_bytes(data[2:4], "big"))
            index += 2 if tag in {_LONG, _DOUBLE} else 1

    def _member(self) -> Member:
        flags, name, descriptor = (self._number(2) for _ in range(3))
        list(self._attributes())
        return Member(self._text(name), self._text(descriptor), bool(flags & 0x0008))

    def _method(self) -> Method | None:
        flags, name, descriptor = (self._number(2) for _ in range(3))
        body = next(((at, end) for each, at, end in self._attributes() if each == "Code"), None)
        if body is None:
            return None
        member = Member(self._text(name), self._text(descriptor), bool(flags & 0x0008))
        after, self._at = self._at, body[0] + 4  # the deepest stack, the number of locals
        code = self._taken(self._number(4))
        rows = [struct.unpack(">HHHH", self._taken(8)) for _ in range(self._number(2))]
        lines: list[tuple[int, int]] = []
        for each, begin, _ in self._attributes():
            if each == "LineNumberTable":
                many = struct.unpack_from(">H", self._data, begin)[0]
                lines += struct.iter_unpack(">HH", self._data[begin + 2 : begin + 2 + 4 * many])
        self._at = after
        return Method(member, code, frozenset(row[2] for row in rows), tuple(sorted(lines)))

    def _attributes(self) -> list[tuple[str, int, int]]:
        """Name, begin and end of each attribute that follows."""
        found = []
        for _ in range(self._number(2)):
            name, length = self._number(2), self._number(4)
            found.append((self._text(name), self._at, self._at + length))
            self._taken(length)
        return found

    def _text(self, index: int) -> str:
        return self._texts[index]

    def _number(self, size: int) -> int:
        return int.from_bytes(self._taken(size), "big")

    def _taken(self, size: int) -> bytes:
        data = self._data[self._at : self._at + size]
        if len(data) != size:
            raise ClassFileError("the class file is cut off")
        self._at += size
        return data
