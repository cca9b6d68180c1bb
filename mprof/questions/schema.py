"""The tables that a question may name: their columns, the type of each and what it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["TABLES", "Column", "Kind", "Table"]

Kind = Literal["id", "word", "text", "count", "flag", "number"]
"""``id``: an identifier, uint64. ``word``: a text of few, which Arrow has as a dictionary.
``count``: int64. ``number``: float64. ``flag``: a bool."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column; its meaning says what NULL means, where there may be one."""

    name: str
    kind: Kind
    meaning: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its name, what a row is, and its columns."""

    name: str
    rows: str
    columns: tuple[Column, ...]


def _table(name: str, rows: str, *columns: tuple[str, Kind, str]) -> Table:
    return Table(name, rows, tuple(Column(*column) for column in columns))


_OBJECT: tuple[tuple[str, Kind, str], ...] = (
    ("id", "id", "its identifier, the address in the JVM that wrote the dump"),
    ("class", "word", "its class in Java source form"),
    ("class_id", "id", "the id of that class; NULL: not in the dump"),
    ("kind", "word", "instance, object array, primitive array or class"),
    ("shallow", "count", "bytes of the object itself"),
    ("retained", "count", "bytes that would be freed with it"),
    ("dominator", "id", "the nearest object that all paths from roots lead through; NULL: none"),
    ("length", "count", "elements of an array; NULL: no array"),
    ("reachable", "flag", "whether a root reaches it"),
)

TABLES: tuple[Table, ...] = (
    _table("objects", "an object that a root reaches, class objects among them", *_OBJECT),
    _table(
        "unreachable",
        "an object that no root reaches; retained is what only it and other such objects keep",
        *_OBJECT,
    ),
    _table(
        "classes",
        "a class, once for each loader that defines it",
        ("id", "id", "of the class object; NULL: the dump has none"),
        ("name", "text", "in Java source form"),
        ("loader", "id", "the loader that defined it; NULL: the boot loader"),
        ("loader_class", "text", "the class of that loader; NULL: the boot loader"),
        ("super", "id", "its superclass; NULL: none"),
        ("super_name", "text", "the name of its superclass; NULL: none"),
        ("objects", "count", "reachable instances, without those of subclasses"),
        ("shallow", "count", "bytes of these"),
        ("retained", "count", "bytes that would be freed with all of these"),
        ("fields", "count", "instance fields that it declares"),
        ("statics", "count", "static fields"),
    ),
    _table(
        "fields",
        "an instance field, of the class that declares it",
        ("class_id", "id", "of the class; NULL: as in classes"),
        ("class", "word", "the name of the class"),
        ("position", "count", "in the order of the dump, from 0"),
        ("name", "text", "of the field"),
        ("type", "word", "object, or a primitive type"),
    ),
    _table(
        "statics",
        "a static field",
        ("class_id", "id", "of the class; NULL: as in classes"),
        ("class", "word", "the name of the class"),
        ("name", "text", "of the field"),
        ("type", "word", "object, or a primitive type"),
        ("value", "text", "of a primitive field; NULL: of a reference"),
        ("target", "id", "the object that it refers to; NULL: null, or a primitive field"),
        ("target_class", "word", "the class of that object; NULL: as target"),
        ("retained", "count", "bytes that this object keeps alive; NULL: as target"),
    ),
    _table(
        "refs",
        "a reference from a reachable object, weak ones too, that is not null",
        ("source", "id", "the object that refers"),
        ("source_class", "word", "its class; of a class object, java.lang.Class"),
        ("field", "word", "the name of the field, static or link; NULL: an element of an array"),
        ("index", "count", "the index in the array; NULL: a field"),
        ("target", "id", "the object that it refers to"),
        ("target_class", "word", "its class; NULL: not reachable, or not in the dump"),
    ),
    _table(
        "strings",
        "a reachable java.lang.String",
        ("id", "id", "of the String"),
        ("text", "text", "its text; NULL: the array with it is not in the dump"),
        ("length", "count", "chars of it, as String.length() counts; NULL: as text"),
        ("shallow", "count", "bytes of the String itself"),
        ("value", "id", "the array with the text; NULL: as text"),
        ("value_bytes", "count", "bytes of that array, which Strings may share; NULL: as text"),
    ),
    _table(
        "arrays",
        "a reachable array",
        ("id", "id", "of the array"),
        ("class", "word", "its class"),
        ("length", "count", "elements"),
        ("filled", "count", "elements that are neither null nor 0"),
        ("shallow", "count", "bytes of the array itself"),
        ("retained", "count", "bytes that would be freed with it"),
    ),
    _table(
        "collections",
        "a reachable collection or string builder of the JDK, see mprof heap --waste",
        ("id", "id", "of the collection"),
        ("class", "word", "its class"),
        ("kind", "word", "list, map, set, queue or text"),
        ("length", "count", "elements, entries or characters"),
        ("capacity", "count", "for how many there is room; NULL: it has no array"),
        ("backing", "id", "the array with the elements or the table; NULL: none"),
        ("retained", "count", "bytes that would be freed with the collection"),
        ("wasted", "count", "bytes that a right size would save"),
    ),
    _table(
        "threads",
        "a thread",
        ("id", "id", "the Thread object; NULL: not in the dump"),
        ("serial", "count", "its number in the dump"),
        ("name", "text", "as Java shows it"),
        ("frames", "count", "of its stack"),
        ("retained", "count", "bytes that only it keeps alive, its frames and locals included"),
        ("virtual", "flag", "whether it is a virtual thread"),
        ("ran_out_of_memory", "flag", "whether it met the error for which the dump was made"),
    ),
    _table(
        "frames",
        "a frame of a stack",
        ("thread", "count", "the serial of the thread"),
        ("thread_name", "text", "its name"),
        ("depth", "count", "0 on top of the stack"),
        ("class", "text", "of the method"),
        ("method", "text", "its name"),
        ("file", "text", "source file; NULL: not known"),
        ("line", "count", "in it; NULL: not known, or native"),
        ("retained", "count", "bytes that only this frame keeps alive"),
        ("locals", "count", "different objects that its locals refer to"),
    ),
    _table(
        "locals",
        "an object that a local of a frame refers to",
        ("thread", "count", "the serial of the thread"),
        ("depth", "count", "of the frame, 0 on top of the stack"),
        ("object", "id", "what the local refers to"),
        ("class", "text", "the class of that object"),
        ("retained", "count", "bytes that it keeps alive"),
    ),
    _table(
        "roots",
        "an object that is a root by itself; locals are in table locals",
        ("id", "id", "of the object"),
        ("class", "text", "its class; of a class object, the class that it represents"),
        ("kind", "word", "of root"),
        ("retained", "count", "bytes that it keeps alive"),
    ),
    _table(
        "holders",
        "what holds memory, as mprof heap lists it; each live byte is held once",
        ("name", "text", "in words, such as static Feed.listeners"),
        ("bytes", "count", "that it holds"),
        ("share", "number", "of what roots reach, 0 to 1"),
        ("class", "text", "of the container in which the memory stands"),
        ("length", "count", "elements, characters or bytes in it; NULL: it is no container"),
        ("element_class", "text", "of most of its elements; NULL: none"),
        ("key_class", "text", "of most of a map's keys; NULL: none"),
        ("path", "text", "from the frame or static field to the container"),
        ("thread", "text", "whose stack has the method at work on it; NULL: none"),
        ("method", "text", "that method; NULL: none"),
    ),
)
"""Beside these, each class is a table: ``"java.util.HashMap"``, with a column for each field."""
