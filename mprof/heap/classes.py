"""The classes of a dump, joined: names, superclasses, where the fields of an instance lie."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mprof.heap.names import PRIMITIVE_NAMES, java_name
from mprof.hprof import Dump, scan
from mprof.hprof.format import VALUE_BYTES
from mprof.kernels.lookup import build_lookup

__all__ = ["Classes", "Field", "Static", "read_classes", "value_bytes"]

_UNKNOWN_NAME = "(class not in the dump)"
_CLASS_NAME = "java.lang.Class"


def value_bytes(kind: int, identifier_bytes: int) -> int:
    """Bytes of a value of a basic type in the dump; an unknown type is taken for a reference."""
    return VALUE_BYTES.get(kind, identifier_bytes)


@dataclass(frozen=True, slots=True)
class Field:
    """An instance field.

    Attributes:
        owner: number of the class that declares it.
        name: its name.
        kind: code of its basic type.
        offset: where its value begins in the bytes of an instance's fields.
    """

    owner: int
    name: str
    kind: int
    offset: int


@dataclass(frozen=True, slots=True)
class Static:
    """A static field; ``position`` is where its value is in the dump."""

    name: str
    kind: int
    position: int


@dataclass(frozen=True)
class Classes:
    """All classes by number: those with a CLASS_DUMP first, then those only referred to.

    Attributes:
        dump: what the classes were read from.
        identifiers: int64, the class object's identifier; 0 for a class added here.
        names: Java source form.
        supers: number of the superclass, -1 without one.
        loaders: int64, identifier of the loader, 0 for the boot loader.
        dumped: how many have a CLASS_DUMP.
        numbering: the numbers as compiled passes take them; its ``unknown`` is a class added here.
    """

    dump: Dump
    identifiers: NDArray[np.int64]
    names: tuple[str, ...]
    supers: NDArray[np.int32]
    loaders: NDArray[np.int64]
    dumped: int
    numbering: scan.ClassNumbers

    @cached_property
    def by_name(self) -> dict[str, tuple[int, ...]]:
        """Numbers of the classes of a name; more than one if several loaders have it."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(self.names):
            found[name].append(number)
        return {name: tuple(numbers) for name, numbers in found.items()}

    @property
    def typical_address(self) -> int:
        """The median identifier of a class object: one damaged identifier does not move it."""
        return int(np.median(self.identifiers[: self.dumped])) if self.dumped else 0

    @cached_property
    def _fields(self) -> dict[int, tuple[Field, ...]]:
        return {}

    @cached_property
    def _fields_named(self) -> dict[tuple[int, str], tuple[Field, ...]]:
        return {}

    @cached_property
    def _numbers(self) -> dict[int, int]:
        pairs = zip(self.identifiers.tolist(), range(len(self.names)), strict=True)
        return {identifier: number for identifier, number in reversed(list(pairs)) if identifier}

    def number_of(self, identifier: int) -> int:
        """The number of the class with this identifier, -1 if there is none."""
        return self._numbers.get(identifier, -1)

    def lineage(self, number: int) -> list[int]:
        """The class and its superclasses, upwards; ends at a missing class or a cycle."""
        line: list[int] = []
        while number >= 0 and number not in line[-64:] and len(line) < 4096:
            line.append(number)
            number = int(self.supers[number])
        return line

    def own_fields(self, number: int) -> list[tuple[str, int]]:
        """Names and basic types of the fields that a class declares, in dump order."""
        if number >= self.dumped:
            return []
        fields = self.dump.class_fields[self._part(number, scan.HEAD_FIELDS)]
        return [(self.dump.text(name) or "?", kind) for name, kind in fields.tolist()]

    def _part(self, number: int, column: int) -> slice:
        """The rows of a class in a table of fields, by the column that says where they begin."""
        firsts = self.dump.class_heads[:, column]
        end = int(firsts[number + 1]) if number + 1 < self.dumped else None
        return slice(int(firsts[number]), end)

    def fields(self, number: int) -> tuple[Field, ...]:
        """Fields of an instance, own class first as the dump writes them, then upwards."""
        known = self._fields.get(number)
        if known is None:
            width, offset = self.dump.identifier_bytes, 0
            found = []
            for owner in self.lineage(number):
                for name, kind in self.own_fields(owner):
                    found.append(Field(owner, name, kind, offset))
                    offset += value_bytes(kind, width)
            known = self._fields[number] = tuple(found)
        return known

    def fields_named(self, number: int, name: str) -> tuple[Field, ...]:
        """Those of a name, or of ``Class.name``; that of the lowest class first."""
        known = self._fields_named.get((number, name))
        if known is None:
            known = self._fields_named[number, name] = tuple(
                field
                for field in self.fields(number)
                if name in (field.name, f"{self.names[field.owner]}.{field.name}")
            )
        return known

    def statics(self, number: int) -> list[Static]:
        """Static fields of a class, including those that the virtual machine adds."""
        if number >= self.dumped:
            return []
        statics = self.dump.class_statics[self._part(number, scan.HEAD_STATICS)]
        return [
            Static(self.dump.text(name) or "?", kind, position)
            for name, kind, position in statics.tolist()
        ]

    def subclasses(self, name: str) -> NDArray[np.bool_]:
        """By class number: whether it is, or inherits from, a class of this name."""
        result = np.zeros(len(self.names), bool)
        for number in self.by_name.get(name, ()):
            result[number] = True
        if not result.any():
            return result
        above = np.where(self.supers < 0, len(self.names), self.supers)
        grown = np.append(result, False)
        while True:  # one round for each level of inheritance
            larger = grown.copy()
            larger[:-1] |= grown[above]
            if (larger == grown).all():
                return grown[:-1]
            grown = larger


def read_classes(dump: Dump) -> Classes:
    """Joins CLASS_DUMP and LOAD_CLASS records; adds the classes that neither has."""
    heads = dump.class_heads
    names_by_identifier = dump.class_name_identifiers
    identifiers = heads[:, scan.HEAD_IDENTIFIER].tolist()
    have = set(identifiers)
    identifiers += [identifier for identifier in names_by_identifier if identifier not in have]
    names = []
    for identifier in identifiers:
        text = dump.text(names_by_identifier.get(identifier, 0))
        names.append(java_name(text) if text else f"(class 0x{identifier:x} without a name)")
    numbers = {name: number for number, name in reversed(list(enumerate(names)))}

    def number_of(name: str) -> int:
        if name not in numbers:
            numbers[name] = len(names)
            names.append(name)
            identifiers.append(0)
        return numbers[name]

    primitive_arrays = np.full(256, -1, np.int32)
    for code, name in PRIMITIVE_NAMES.items():
        primitive_arrays[code] = number_of(name + "[]")
    class_class = number_of(_CLASS_NAME)
    unknown = number_of(_UNKNOWN_NAME)
    lookup = build_lookup(np.array([i for i in identifiers if i], np.int64))
    by_identifier: dict[int, int] = {}
    for number, identifier in enumerate(identifiers):
        by_identifier.setdefault(identifier, number)
    by_identifier[0] = -1
    supers = np.full(len(names), -1, np.int32)
    loaders = np.zeros(len(names), np.int64)
    above = heads[:, scan.HEAD_SUPER].tolist()
    supers[: len(heads)] = [by_identifier.get(identifier, -1) for identifier in above]
    loaders[: len(heads)] = heads[:, scan.HEAD_LOADER]
    return Classes(
        dump=dump,
        identifiers=np.array(identifiers, np.int64),
        names=tuple(names),
        supers=supers,
        loaders=loaders,
        dumped=len(heads),
        numbering=scan.ClassNumbers(lookup, primitive_arrays, class_class, unknown),
    )
