"""A node of a heap in one line: what it is, how large, and what it says."""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary

from mprof.heap.answers import Frame, Value
from mprof.heap.browse.values import ObjectRow
from mprof.heap.heap import Heap
from mprof.heap.names import hex_id
from mprof.heap.words import contents_in_words
from mprof.io.printable import one_line

__all__ = ["frame_name", "frame_place", "in_words", "object_row", "says"]

_MOST_SHOWN: Final = 80  # characters of a text
_BOXED: Final = ("Boolean", "Byte", "Character", "Double", "Float", "Integer", "Long", "Short")
_ATOMIC: Final = ("AtomicBoolean", "AtomicInteger", "AtomicLong")
_BOXES: Final = frozenset(
    {*(f"java.lang.{name}" for name in _BOXED)}
    | {f"java.util.concurrent.atomic.{name}" for name in _ATOMIC}
)

_MOST_KEPT: Final = 50_000
_kept: WeakKeyDictionary[Heap, dict[int, ObjectRow]] = WeakKeyDictionary()
"""Lines that were asked for: the paths of many objects lead through the same ones."""


def object_row(heap: Heap, node: int) -> ObjectRow:
    """The line of a node that is not the virtual root."""
    kept = _kept.setdefault(heap, {})
    row = kept.get(node)
    if row is None:
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        row = kept[node] = _object_row(heap, node)
    return row


def _object_row(heap: Heap, node: int) -> ObjectRow:
    frame = heap.frames_by_node.get(node)
    retained = heap.retained(node)
    return ObjectRow(
        id=hex_id(heap.address(node)) if heap.is_object(node) else None,
        class_name=frame_name(frame) if frame is not None else heap.class_name(node),
        says=frame_place(frame) if frame is not None else says(heap, node),
        shallow_bytes=heap.shallow(node),
        retained_bytes=retained,
        share=retained / max(1, heap.shallow_bytes),
    )


def frame_name(frame: Frame) -> str:
    """``shop.Feed.read``."""
    return f"{frame.class_name or '?'}.{frame.method}"


def frame_place(frame: Frame) -> str:
    """``Feed.java:12``, as far as the dump has it."""
    line = f":{frame.line}" if frame.line > 0 else ", native" if frame.is_native else ""
    return f"{frame.file or 'unknown source'}{line}"


def says(heap: Heap, node: int) -> str:
    """What an object is or holds, in a few words; "" where there is nothing to say."""
    names = [thread.name for thread in heap.threads_at(node)]
    if names:
        return in_words(names[0])
    if not heap.is_object(node):
        return ""
    name = heap.class_name(node)
    if name == "java.lang.String":
        text = heap.string(node, _MOST_SHOWN + 1)
        return "" if text is None else in_words(text)
    if name in _BOXES:
        return _value(heap.fields(node).get("value"))
    described = heap.described_class(node)
    if described is not None:
        return described
    content = heap.container(node)
    if content is not None:
        if content.kind == "array" and content.capacity > content.length:
            return f"{content.length:,} of {content.capacity:,} elements in use"
        return contents_in_words(name, content.length, content.element_class or None)
    if "java.lang.Enum" in heap.super_classes(name):
        constant = heap.reference_fields(node).get("name")
        text = None if constant is None else heap.string(constant, _MOST_SHOWN)
        return one_line(text or "")
    return _entry(heap, node) if name.endswith(("Entry", "Node")) else ""


def _entry(heap: Heap, node: int) -> str:
    """``"audit" -> Audit`` of an entry of a map."""
    fields = heap.reference_fields(node)
    key, value = fields.get("key"), fields.get("value", fields.get("val"))
    if key is None or value is None:
        return ""
    return f"{_text_or_class(heap, key)} -> {_text_or_class(heap, value)}"


def _text_or_class(heap: Heap, node: int) -> str:
    name = heap.class_name(node)
    if name == "java.lang.String" or name in _BOXES:
        return says(heap, node)
    return name.rpartition(".")[2]


def in_words(text: str) -> str:
    """A text in quotes, in one line, shortened, and harmless for a terminal."""
    shown = one_line(text[:_MOST_SHOWN])
    return f'"{shown}..."' if len(text) > _MOST_SHOWN else f'"{shown}"'


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{one_line(value)}'" if isinstance(value, str) else str(value)
