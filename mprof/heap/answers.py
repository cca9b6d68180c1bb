"""The values that the heap answers with."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

__all__ = [
    "ClassRow",
    "Container",
    "Frame",
    "PathStep",
    "Reference",
    "Thread",
    "TypedField",
    "Unreachable",
    "Value",
    "as_json",
]

Value = int | float | bool | str | None
"""A field's value: a node or None for a reference, a number, a bool, or one char."""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Objects of the dump that no root reaches."""

    objects: int
    shallow_bytes: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of a thread's stack.

    Attributes:
        class_name: Java source form, empty if the dump does not say.
        method: name.
        signature: descriptor.
        file: source file, empty if the dump does not say.
        line: above 0 a line, -1 not known, -2 compiled, -3 native.
        node: of the frame.
        retained_bytes: what only this frame keeps alive.
        reachable_bytes: retained sizes of its distinct locals, none dominating another, without
            classes, class loaders and threads.
        locals: nodes, each once.
    """

    class_name: str
    method: str
    signature: str
    file: str
    line: int
    node: int
    retained_bytes: int
    reachable_bytes: int
    locals: tuple[int, ...]

    @property
    def is_native(self) -> bool:
        """Whether the method is native."""
        return self.line == -3


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread.

    Attributes:
        name: as Java shows it, empty if the dump does not say.
        node: of the thread object.
        retained_bytes: what only this thread keeps alive, its frames and locals included.
        frames: top first.
        is_virtual: whether it is a virtual thread.
        serial: its number in the dump.
    """

    name: str
    node: int
    retained_bytes: int
    frames: tuple[Frame, ...]
    is_virtual: bool
    serial: int


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to ``target``; ``name`` is a field, ``[index]``, or a word in angle brackets."""

    name: str
    target: int


@dataclass(frozen=True, slots=True)
class TypedField:
    """A field of an object, or a static field of a class object, as the dump has it.

    Attributes:
        owner: the class that declares it.
        name: its name.
        type: ``int``, ``object`` and so on.
        value: of a primitive; of a reference the identifier, 0 for null.
        target: the node that a reference leads to; None of a primitive, of null, and of what has no
            node.
    """

    owner: str
    name: str
    type: str
    value: Value
    target: int | None


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of a path from a root.

    Attributes:
        node: where the step arrives.
        class_name: its class; of a class object, the class it represents.
        via: how the step before refers to it: a field, ``[index]``, ``<local>`` of a frame; at the
            first step the kind of root.
        frame: the frame, where the node is one.
    """

    node: int
    class_name: str
    via: str
    frame: Frame | None = None


@dataclass(frozen=True, slots=True)
class Container:
    """A collection, buffer or text, recognised by its shape.

    Attributes:
        kind: ``list``, ``map``, ``set``, ``queue``, ``text``, ``bytes`` or ``array``.
        length: elements, characters or bytes in use; of a map its entries.
        capacity: for how many there is room; -1 if it has none, as linked lists do.
        element_class: the most frequent class among the first elements (of a map, the values),
            empty if there are none.
        backing: the node that holds the elements, None if there is none.
    """

    kind: str
    length: int
    capacity: int
    element_class: str
    backing: int | None


@dataclass(frozen=True, slots=True)
class ClassRow:
    """A row of the class histogram; sizes in bytes."""

    name: str
    objects: int
    shallow_bytes: int
    retained_bytes: int


def as_json(value: Any) -> Any:
    """A frozen value as dicts, lists, strings and numbers; its ``class_name`` is ``class``."""
    if is_dataclass(value):
        return {
            "class" if one.name == "class_name" else one.name: as_json(getattr(value, one.name))
            for one in fields(value)
        }
    return [as_json(one) for one in value] if isinstance(value, tuple) else value
