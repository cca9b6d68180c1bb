"""The answers to questions about single objects and classes of a heap.

The terminal, the page and the server show the same ones; ``docs/reference/heap-*.schema.json`` are
generated from them. Sizes are bytes; a share is one of what the roots reach, 0 to 1; an ``id`` is
an address in hex, as ``0x7f00c0a8``. Texts of fields and strings are printable and shortened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from mprof.heap.answers import as_json

__all__ = [
    "ClassAnswer",
    "ClassGroup",
    "DominatedAnswer",
    "FieldRow",
    "ObjectAnswer",
    "ObjectRow",
    "PathAnswer",
    "PathRow",
    "ReferrerRow",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectRow:
    """An object in a line; a frame or a thread whose object is lost is one too, without an id.

    Attributes:
        id: its address; null of what is no object of the dump.
        class_name: of a frame its class and method, of a class object ``java.lang.Class``.
        says: what it is or holds, in a few words: the text of a string, the number of a box, the
            entries of a collection, the class that a class object stands for; empty for others.
        share: of the heap that is freed with it.
    """

    id: str | None
    class_name: str
    says: str
    shallow_bytes: int
    retained_bytes: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """A field, an element of an array, or what a thread or frame holds.

    Attributes:
        name: of the field; ``[3]`` of an element, ``<local>`` of a frame's, ``<frame>`` of a
            thread's.
        declared_by: the class that declares it, null of what is no field.
        type: ``int``, ``object`` and so on; empty of what is no field or element.
        value: in words; ``null`` of a reference to nothing.
        object: to which it refers; null of a primitive, of null, and of what no root reaches.
    """

    name: str
    declared_by: str | None
    type: str
    value: str
    object: ObjectRow | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferrerRow:
    """An object that refers to another one, and by what: a field, ``[3]`` or ``<local>``."""

    by: str
    object: ObjectRow


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRow:
    """A step of a path from a root.

    Attributes:
        by: how the step before refers to it; of the first the kind of root.
        site: method and line where it is a frame, with its thread; else null.
        object: where the step arrives.
        left_out: steps before this one that are not listed, of a path that is very long.
    """

    by: str
    site: str | None
    object: ObjectRow
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassGroup:
    """Objects of a class that one object dominates directly, with all that they keep alive."""

    name: str
    objects: int
    shallow_bytes: int
    retained_bytes: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectAnswer:
    """An object: what is in it, who refers to it, what it keeps alive.

    Attributes:
        fields: fields or elements, at most as many as were asked for; of a class object its static
            fields.
        field_count: of all of them.
        referrers: objects, frames and threads that refer to it, the largest first, at most as many
            as were asked for; null where nobody asked.
        referrer_count: of all of them; null where nobody asked.
        dominator: the nearest object on every path from a root; null where only the roots
            together are.
        dominates: the largest objects that it alone keeps alive, at most as many as asked for.
        dominates_count: objects that it dominates directly.
        dominates_objects: all that would be freed with it, without itself.
        path: a shortest one from a root.
    """

    schema_version: Literal[1] = 1
    object: ObjectRow
    fields: tuple[FieldRow, ...]
    field_count: int
    referrers: tuple[ReferrerRow, ...] | None
    referrer_count: int | None
    dominator: ObjectRow | None
    dominates: tuple[ObjectRow, ...]
    dominates_count: int
    dominates_objects: int
    path: tuple[PathRow, ...]

    def to_json(self) -> Any:
        """The object of the public contract."""
        return as_json(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathAnswer:
    """A shortest path from a root to an object."""

    schema_version: Literal[1] = 1
    object: ObjectRow
    path: tuple[PathRow, ...]

    def to_json(self) -> Any:
        """The object of the public contract."""
        return as_json(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class DominatedAnswer:
    """What one object keeps alive.

    Attributes:
        dominates: the largest objects that it dominates directly, at most as many as asked for.
        dominates_count: objects that it dominates directly.
        dominates_objects: all that would be freed with it, without itself.
        classes: those that it dominates directly by class, most bytes first.
    """

    schema_version: Literal[1] = 1
    object: ObjectRow
    dominates: tuple[ObjectRow, ...]
    dominates_count: int
    dominates_objects: int
    classes: tuple[ClassGroup, ...]

    def to_json(self) -> Any:
        """The object of the public contract."""
        return as_json(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassAnswer:
    """The classes of one name.

    Attributes:
        ids: of their class objects; more than one where several loaders have loaded it.
        loaders: the class of each one's loader, ``<boot>`` without one, in the same order.
        objects: its instances, those of subclasses apart.
        retained_bytes: of its instances that no other one of them dominates.
        subclass_objects: instances of its subclasses.
        super_classes: nearest first.
        statics: static fields, of the first of the class objects.
        instances: those that retain most, at most as many as were asked for.
    """

    schema_version: Literal[1] = 1
    name: str
    ids: tuple[str, ...]
    loaders: tuple[str, ...]
    objects: int
    shallow_bytes: int
    retained_bytes: int
    share: float
    subclass_objects: int
    super_classes: tuple[str, ...]
    statics: tuple[FieldRow, ...]
    instances: tuple[ObjectRow, ...]

    def to_json(self) -> Any:
        """The object of the public contract."""
        return as_json(self)
