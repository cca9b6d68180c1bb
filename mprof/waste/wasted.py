"""What is found to be wasted in a heap, as frozen values; sizes are bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from mprof.heap.answers import as_json

__all__ = [
    "BoxRow",
    "ChainRow",
    "CollectionRow",
    "CopyRow",
    "LoaderRow",
    "Origin",
    "SeveralRow",
    "TextRow",
    "Waste",
    "ZeroRow",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where objects come from.

    Attributes:
        name: the field, static or local of the nearest object outside the JDK's collections
            through which all paths to them lead.
        objects: how many of them.
        saved_bytes: that these would save.
    """

    name: str
    objects: int
    saved_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionRow:
    """Collections of one class with one flaw.

    Attributes:
        flaw: ``empty``; ``single``: of one element; ``sparse``: less than a quarter of the room is
            used; ``oversized``: the array is larger than its elements need. Each has one at most.
        saved_bytes: without the empty ones and their arrays; with an array of the element instead
            of a collection of one; with arrays of the right size for the others.
        origins: where most come from, at most three.
    """

    class_name: str
    flaw: Literal["empty", "single", "sparse", "oversized"]
    objects: int
    saved_bytes: int
    origins: tuple[Origin, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxRow:
    """Boxed values of one class.

    Attributes:
        shallow_bytes: of all of them; as primitive values they would take 1 to 8 bytes each.
        distinct: different values.
        cached: values that the class's own cache holds (-128 to 127; of Boolean both).
        saved_bytes: with one object for each value.
    """

    class_name: str
    objects: int
    shallow_bytes: int
    distinct: int
    cached: int
    saved_bytes: int
    origins: tuple[Origin, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRow:
    """A text, or the beginning of one, that more than one String has."""

    text: str
    copies: int
    saved_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyRow:
    """Equal objects of one class: all but one of each could go.

    Attributes:
        copies: how many could go.
        distinct: of how many different contents.
        saved_bytes: of the copies; of a String with its array, where no other String has that.
    """

    class_name: str
    copies: int
    distinct: int
    saved_bytes: int
    origins: tuple[Origin, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ZeroRow:
    """Arrays of one class with elements that are all 0, or all null, and of no collection."""

    class_name: str
    objects: int
    saved_bytes: int
    origins: tuple[Origin, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainRow:
    """A map in which many keys have equal hashes; it saves no bytes, but time.

    Attributes:
        id: address of the map in hex.
        entries: of the map.
        slots: of its table.
        longest: entries of its longest chain.
        equal: the most entries with one hash.
        crowded: entries with the hash of the one before them.
        origin: where it comes from.
    """

    id: str
    class_name: str
    entries: int
    slots: int
    longest: int
    equal: int
    crowded: int
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoaderRow:
    """A class loader.

    Attributes:
        id: its address in hex; null: the boot loader.
        name: that it was given; null: none, or not told.
        classes: that it defined. How much metaspace these take, no dump tells.
        objects: reachable instances of these.
        shallow_bytes: of these instances.
        retained_bytes: by the loader; of the boot loader 0.
        held_by: the path to it, a line a step, where nothing but one reference keeps it, its
            classes and their instances; null: several do, or it is one of the JVM's own.
    """

    id: str | None
    class_name: str
    name: str | None
    classes: int
    objects: int
    shallow_bytes: int
    retained_bytes: int
    held_by: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralRow:
    """A class that several loaders define.

    Attributes:
        loaders: how many.
        objects: instances of all of them.
    """

    class_name: str
    loaders: int
    objects: int
    shallow_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Waste:
    """What a heap could do without, largest first; sizes are bytes.

    The heads are not to be added up: an array that is a copy may also be the array of an oversized
    collection. Members may be added; none is removed or changes its meaning.

    Attributes:
        heap_bytes: what roots reach.
        collections: by class and flaw.
        boxes: boxed numbers, chars and bools, by class.
        strings: equal Strings; null where the heap has none.
        texts: those that take most.
        arrays: equal primitive arrays, without those of zeros and of Strings.
        zeros: arrays that hold nothing.
        chains: maps in which eight or more keys have one hash.
        loaders: all of them, those with most classes first.
        several: classes that several loaders define.
        losses: what a damaged dump leaves unknown.
    """

    schema_version: Literal[1] = 1
    heap_bytes: int
    collections: tuple[CollectionRow, ...]
    boxes: tuple[BoxRow, ...]
    strings: CopyRow | None
    texts: tuple[TextRow, ...]
    arrays: tuple[CopyRow, ...]
    zeros: tuple[ZeroRow, ...]
    chains: tuple[ChainRow, ...]
    loaders: tuple[LoaderRow, ...]
    several: tuple[SeveralRow, ...]
    losses: tuple[str, ...]

    def to_json(self) -> Any:
        """Plain lists, dicts, strings and numbers; ``class_name`` is ``class``."""
        return as_json(self)
