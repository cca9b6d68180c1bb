"""Real object sizes, found by fitting the object layout to the distances between addresses.

A dump says neither whether references and class pointers were compressed nor how headers and
fields lie. Distances to the next address do: in an unbroken run they are the sizes. So every
known combination of header, array header and reference width is tried against the most frequent
distance of each class and each kind and length of array, and the best one is taken. Where a class
has enough distances of its own that agree, they overrule the model: padding (``@Contended``) and
fields that the virtual machine adds are in no dump.

Layout rules: ``layoutHelper``, ``fieldLayoutBuilder.cpp`` (JDK 15 and later),
``classFileParser.cpp`` (before), ``arrayOop.hpp``, ``objLayout.hpp`` (compact headers).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mprof.heap._passes import LONGEST_SAMPLED, SAMPLES, Gaps, Sizes, StackChunks
from mprof.heap.classes import Classes, value_bytes
from mprof.hprof.format import BASIC_TYPES, TYPE_INT, TYPE_OBJECT, VALUE_BYTES

__all__ = ["Layout", "alignment_of", "fit_layout", "new_gaps", "stack_chunks"]

_ENOUGH = 3  # agreeing distances of a class that overrule the model
_ENOUGH_TO_FIT = 8  # classes and kinds of arrays with a usable distance
_LEAST_AGREEMENT = 0.5
_DENSE = 0.94  # of all kinds agree with the model, where objects lie without holes
_WIDE = 8
_SHAPES = 1 << 16  # of classes whose ends are remembered: many classes have the same fields
_INJECTED = (
    "java.lang.Class",
    "java.lang.ClassLoader",
    "java.lang.Module",
    "java.lang.Thread",
    "java.lang.StackFrameInfo",
    "java.lang.invoke.MemberName",
    "java.lang.invoke.ResolvedMethodName",
    "java.lang.invoke.MethodHandleNatives$CallSiteContext",
    "java.util.concurrent.ForkJoinPool",
)  # javaClasses.hpp and @Contended: one distance that is larger than the model is believed

_STACK_CHUNK = "jdk.internal.vm.StackChunk"


def _added_to_stack_chunks(reference: int) -> tuple[int, ...]:
    """Widths of ``cont``, ``pc``, ``maxThawingSize`` and ``flags``, which are in no dump.

    ``STACKCHUNK_INJECTED_FIELDS`` in ``continuationJavaClasses.hpp``.
    """
    return (-reference, 8, 4, 1)


_Levels = tuple[tuple[int, ...], ...]
"""Widths of the fields that each class of a lineage declares, topmost first; references below 0."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How objects lie in this heap.

    Attributes:
        reference: bytes of a reference.
        header: bytes of an object's header.
        array_header: bytes before the elements, where they need no further alignment.
        alignment: bytes every size is a multiple of.
        packed: whether a subclass fills the gaps that its superclasses left (JDK 15 and later).
    """

    reference: int
    header: int
    array_header: int
    alignment: int
    packed: bool

    def array_base(self, element: int) -> int:
        """Where the elements of an array begin."""
        return self.array_header + (-self.array_header % element)

    def array_bytes(self, element: int, length: int) -> int:
        """Size of an array."""
        return _up(self.array_base(element) + element * length, self.alignment)

    def instance_bytes(self, levels: _Levels) -> int:
        """Size of an instance, from the widths of the fields of each class, topmost class first."""
        end = _packed_end if self.packed else _stepped_end
        return _up(end(self.header, self.reference, levels), self.alignment)

    def __str__(self) -> str:
        """A description, as the report prints it."""
        references = f"{self.reference}-byte references"
        fields = "packed across superclasses" if self.packed else "rounded up in each superclass"
        return (
            f"{references}, {self.header}-byte headers, arrays from byte {self.array_header}, "
            f"{self.alignment}-byte alignment, fields {fields}"
        )


def new_gaps(classes: int) -> Gaps:
    """Room for samples."""
    return Gaps(
        np.zeros((classes, SAMPLES), np.int32),
        np.zeros(classes, np.int32),
        np.zeros((BASIC_TYPES, LONGEST_SAMPLED, SAMPLES), np.int32),
        np.zeros((BASIC_TYPES, LONGEST_SAMPLED), np.int32),
    )


def _up(size: int, step: int) -> int:
    return size + (-size % step)


@lru_cache(_SHAPES)
def _stepped_end(header: int, reference: int, levels: _Levels) -> int:
    """Before JDK 15: each class's fields begin and end at a multiple of the reference width.

    Widths below 0 are references. Eight-byte fields come first; the gap before them is filled with
    smaller ones of the same class, references last (allocation style 1 with ``CompactFields``).
    """
    end = header
    for widths in levels:
        if not widths:
            continue
        left = Counter(widths)
        if left[8] and end % 8:
            room = 8 - end % 8
            for width in (4, 2, 1, -reference):
                while left[width] and room >= abs(width):
                    left[width] -= 1
                    room -= abs(width)
            end += end % 8 and 8 - end % 8
        for width in (8, 4, 2, 1):
            end += left[width] * width
        if left[-reference]:
            end = _up(end, reference) + left[-reference] * reference
        end = _up(end, reference)
    return end


@lru_cache(_SHAPES)
def _packed_end(header: int, reference: int, levels: _Levels) -> int:  # noqa: ARG001
    """Since JDK 15: each field goes into the smallest gap that holds it, else to the end."""
    end = header
    gaps: list[tuple[int, int]] = []  # start, end
    for widths in levels:
        primitives = sorted((width for width in widths if width > 0), reverse=True)
        references = [-width for width in widths if width < 0]
        for width in [*primitives, *references]:
            fitting = [
                (gap_end - start, start, gap_end)
                for start, gap_end in gaps
                if _up(start, width) + width <= gap_end
            ]
            if fitting:
                _, start, gap_end = min(fitting)
                gaps.remove((start, gap_end))
                at = _up(start, width)
                gaps += [pair for pair in ((start, at), (at + width, gap_end)) if pair[0] < pair[1]]
            else:
                at = _up(end, width)
                if at > end:
                    gaps.append((end, at))
                end = at + width
    return end


def _candidates(identifier_bytes: int, alignment: int) -> list[Layout]:
    """Every combination that some virtual machine has; the likelier of two equals first."""
    if identifier_bytes == 4:
        return [Layout(4, 8, 12, alignment, packed) for packed in (False, True)]
    shapes = [
        (4, 12, 16),  # compressed references and class pointers
        (8, 16, 24),  # neither
        (8, 12, 16),  # compressed class pointers only, JDK 15 and later: ZGC, large heaps
        (4, 8, 12),  # compact headers
        (8, 8, 12),  # compact headers, ZGC or large heaps
        (4, 16, 24),  # compressed references only
        (4, 16, 20),  # the same, JDK 23 and later
        (8, 16, 20),  # neither, JDK 23 and later
    ]
    return [
        Layout(reference, header, array_header, alignment, packed)
        for reference, header, array_header in shapes
        for packed in (True, False)
    ]


def alignment_of(address_bits: int) -> int:
    """The step between addresses, from the bits in which any two of them differ."""
    return min(max(address_bits & -address_bits, 8), 256)


def _mode(samples: NDArray[np.int32]) -> tuple[int, int]:
    """The most frequent value, the smaller of equals, and how often it occurs."""
    values, counts = np.unique(samples, return_counts=True)
    at = int(np.argmax(counts))
    return int(values[at]), int(counts[at])


def fit_layout(
    classes: Classes,
    gaps: Gaps,
    mirror_gaps: NDArray[np.int64],
    address_bits: int,
    typical_address: int,
) -> tuple[str, Layout, Sizes]:
    """Fits the layout and computes every size.

    Args:
        classes: the classes.
        gaps: sampled distances of instances and arrays.
        mirror_gaps: int64, distance from each dumped class object to the next address, 0 if none.
        address_bits: the bits in which any two addresses differ.
        typical_address: of some class object in the middle of all.

    Returns:
        A description of the layout, with whether it was fitted or assumed; the layout; the sizes.
    """
    alignment = alignment_of(address_bits)
    widths = _Widths(classes)
    seen: list[tuple[int, int, int]] = []  # class number, distance, support
    stacks = stack_chunks(classes)
    for number in np.flatnonzero(gaps.class_seen).tolist():
        if number == stacks.number:
            continue  # each has a size of its own
        distance, support = _mode(gaps.class_gaps[number, : gaps.class_seen[number]])
        seen.append((number, distance, support))
    arrays: list[tuple[int, int, int, int]] = []  # type, length, distance, support
    for kind, length in np.argwhere(gaps.array_seen).tolist():
        samples = gaps.array_gaps[kind, length, : gaps.array_seen[kind, length]]
        arrays.append((kind, length, *_mode(samples)))
    useful = sum(support >= _ENOUGH for *_, support in [*seen, *arrays])
    best, agreement = None, 0.0
    if useful >= _ENOUGH_TO_FIT:
        total = sum(min(support, 8) for *_, support in [*seen, *arrays])
        for layout in _candidates(classes.dump.identifier_bytes, alignment):
            score = _score(layout, widths, seen, arrays) / total
            if score > agreement + 1e-9:
                best, agreement = layout, score
    if best is None or agreement < _LEAST_AGREEMENT:
        layout = _assumed(classes.dump.identifier_bytes, alignment, typical_address)
        text = f"assumed, too few objects to fit: {layout}"
    else:
        layout = best
        text = f"{layout} (fitted, {agreement:.0%} of {len(seen) + len(arrays)} kinds agree)"
    dense = agreement >= _DENSE and not (layout.reference == _WIDE and layout.header < _WIDE * 2)
    return text, layout, _sizes(layout, classes, widths, seen, gaps, mirror_gaps, dense=dense)


def stack_chunks(classes: Classes) -> StackChunks:
    """Which class holds stacks of virtual threads, and where its instances count their words."""
    for number in classes.by_name.get(_STACK_CHUNK, ()):
        for field in classes.fields(number):
            if field.name == "size" and field.kind == TYPE_INT:
                return StackChunks(number, field.offset)
    return StackChunks(-2, 0)


class _Widths:
    """Field widths of classes, references negative, for one reference width at a time."""

    def __init__(self, classes: Classes) -> None:
        self._classes = classes
        self._kinds: dict[int, tuple[int, ...]] = {}
        self._known: dict[tuple[int, int], _Levels] = {}

    def levels(self, number: int, reference: int) -> _Levels:
        """Widths by class, topmost class first."""
        known = self._known.get((number, reference))
        if known is None:
            lineage = reversed(self._classes.lineage(number))
            known = tuple(self._own(owner, reference) for owner in lineage)
            self._known[number, reference] = known
        return known

    def _own(self, number: int, reference: int) -> tuple[int, ...]:
        kinds = self._kinds.get(number)
        if kinds is None:
            kinds = tuple(kind for _, kind in self._classes.own_fields(number))
            self._kinds[number] = kinds
        widths = tuple(
            -reference if kind == TYPE_OBJECT else value_bytes(kind, 0) for kind in kinds
        )
        added = self._classes.names[number] == _STACK_CHUNK
        return widths + _added_to_stack_chunks(reference) if added else widths


def _score(
    layout: Layout,
    widths: _Widths,
    seen: list[tuple[int, int, int]],
    arrays: list[tuple[int, int, int, int]],
) -> int:
    score = 0
    for number, distance, support in seen:
        if layout.instance_bytes(widths.levels(number, layout.reference)) == distance:
            score += min(support, 8)
    for kind, length, distance, support in arrays:
        element = layout.reference if kind == TYPE_OBJECT else value_bytes(kind, 0)
        if layout.array_bytes(element, length) == distance:
            score += min(support, 8)
    return score


def _assumed(identifier_bytes: int, alignment: int, address: int) -> Layout:
    """The documented rule: what a virtual machine of this address range most likely does."""
    if identifier_bytes == 4:
        return Layout(4, 8, 12, alignment, packed=False)
    if 0 <= address < 4 * alignment << 30:  # compressed references reach it: 32 GB, by 8 bytes
        return Layout(4, 12, 16, alignment, packed=False)
    return Layout(8, 16, 24, alignment, packed=False)


def _sizes(
    layout: Layout,
    classes: Classes,
    widths: _Widths,
    seen: list[tuple[int, int, int]],
    gaps: Gaps,
    mirror_gaps: NDArray[np.int64],
    *,
    dense: bool,
) -> Sizes:
    """Sizes by the model, corrected where distances prove it wrong.

    No object is larger than the distance to the next one, so a smaller distance always overrules
    the model. A larger one does for classes that are known for fields the dump does not show, and
    for any class if the heap is dense, that is without holes between objects: collectors that
    compact leave none, ZGC does.
    """
    count = len(classes.names)
    instances = np.zeros(count, np.int64)
    for number in range(count):
        levels = widths.levels(number, layout.reference)
        instances[number] = layout.instance_bytes(levels)
    injected = np.zeros(count, bool)
    for name in _INJECTED:
        injected |= classes.subclasses(name)
    for number, _, support in seen:
        samples = gaps.class_gaps[number, : gaps.class_seen[number]]
        nearest = int(samples.min())
        least = layout.header + sum(
            abs(width) for level in widths.levels(number, layout.reference) for width in level
        )
        if nearest < least:
            continue  # a damaged identifier
        agreed = support >= _ENOUGH and 2 * support >= samples.size
        if nearest < instances[number] or injected[number] or (dense and agreed):
            instances[number] = nearest
    mirrors, mirror_base = _mirrors(layout, classes, mirror_gaps, dense=dense)
    if mirror_base:
        instances[classes.numbering.class_class] = mirror_base
    bases = np.zeros(256, np.int64)
    element_widths = np.zeros(256, np.int64)
    for kind in (TYPE_OBJECT, *VALUE_BYTES):
        width = layout.reference if kind == TYPE_OBJECT else value_bytes(kind, 0)
        bases[kind] = layout.array_base(width)
        element_widths[kind] = width
    return Sizes(instances, mirrors, bases, element_widths, layout.alignment, stack_chunks(classes))


def _mirrors(
    layout: Layout, classes: Classes, gaps: NDArray[np.int64], *, dense: bool
) -> tuple[NDArray[np.int64], int]:
    """Sizes of class objects: a common body, which is fitted, and the static fields after it."""
    count = len(classes.names)
    statics = np.zeros(count, np.int64)
    for number in range(classes.dumped):
        kinds = [
            static.kind for static in classes.statics(number) if not static.name.startswith("<")
        ]  # <resolved_references> and <init_lock> are no fields
        references = [layout.reference] * kinds.count(TYPE_OBJECT)
        primitives = sorted(
            (value_bytes(kind, 0) for kind in kinds if kind != TYPE_OBJECT), reverse=True
        )
        end = sum(references)
        if primitives:
            end = _up(end, primitives[0]) + sum(primitives)
        statics[number] = end
    usable = np.flatnonzero(gaps > 0)
    body = 0
    if usable.size >= _ENOUGH:
        rounded = (statics[usable] + layout.alignment - 1) // layout.alignment * layout.alignment
        bodies, counts = np.unique(gaps[usable] - rounded, return_counts=True)
        sound = (bodies >= layout.header) & (counts >= _ENOUGH)
        bodies, counts = bodies[sound], counts[sound]
        if bodies.size:  # with holes between objects the smallest distance is nearest to the truth
            body = int(bodies[np.argmax(counts)] if dense else bodies[0])
    sizes = statics + (body or layout.header)
    sizes = (sizes + layout.alignment - 1) // layout.alignment * layout.alignment
    return sizes, body
