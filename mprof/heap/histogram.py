"""The class histogram alone: the walk and one counting pass, no graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mprof.heap._passes import Gaps
from mprof.heap._tally import Counters, Tally, array_bytes, new_tally, tally_chunk
from mprof.heap.answers import ClassRow
from mprof.heap.chunks import Chunk, Chunks
from mprof.heap.classes import Classes, read_classes
from mprof.heap.layout import alignment_of, fit_layout, stack_chunks
from mprof.heap.losses import describe_file_losses
from mprof.heap.ranking import rank_objects
from mprof.heap.samples import Samples, joined
from mprof.hprof import Dump, read_dump, scan
from mprof.kernels import repeated
from mprof.kernels.rank import Ranks

__all__ = ["QuickHistogram", "quick_histogram"]


_MOST_DESCENTS = 0.02  # of all objects; each region or segment begins with one


@dataclass(frozen=True, slots=True)
class QuickHistogram:
    """Objects by class, including those that no root reaches.

    Attributes:
        classes: largest shallow size first; ``retained_bytes`` is -1: not known.
        objects: of all classes.
        shallow_bytes: of all classes.
        layout: a description of the fitted layout.
        losses: what a damaged dump leaves unknown.
    """

    classes: tuple[ClassRow, ...]
    objects: int
    shallow_bytes: int
    layout: str
    losses: tuple[str, ...]


def quick_histogram(
    path: Path, *, progress: Callable[[str, float], None] | None = None
) -> QuickHistogram:
    """Counts the objects of a dump by class name.

    An object whose record occurs twice is counted twice.

    Raises:
        EvidenceError: if the file cannot be read or is no heap dump at all.
    """
    dump = read_dump(path, progress=progress)
    classes = read_classes(dump)
    numbering = classes.numbering
    alignment = alignment_of(int(dump.state[scan.BITS]))
    tally, gaps = _count(dump, classes, alignment)
    text, layout, sizes = fit_layout(
        classes,
        gaps,
        np.zeros(classes.dumped, np.int64),
        address_bits=int(dump.state[scan.BITS]),
        typical_address=classes.typical_address,
    )
    objects = tally.objects
    of_arrays = array_bytes(
        tally,
        np.where(numbering.primitive >= 0, numbering.primitive, numbering.unknown),
        header=layout.array_header,
        reference=layout.reference,
        alignment=alignment,
    )
    shallow = np.where(of_arrays > 0, of_arrays, objects * sizes.instances + tally.fields)
    if sizes.stacks.number >= 0:
        shallow[sizes.stacks.number] += tally.stacks[int(layout.reference == 8)]
    objects[numbering.class_class] += classes.dumped
    shallow[numbering.class_class] += int(sizes.mirrors[: classes.dumped].sum())
    rows: dict[str, tuple[int, int]] = {}
    for name, count, size in zip(classes.names, objects.tolist(), shallow.tolist(), strict=True):
        if count:
            before = rows.get(name, (0, 0))
            rows[name] = (before[0] + count, before[1] + size)
    table = [ClassRow(name, count, size, -1) for name, (count, size) in rows.items()]
    return QuickHistogram(
        classes=tuple(sorted(table, key=lambda row: (-row.shallow_bytes, row.name))),
        objects=sum(row.objects for row in table),
        shallow_bytes=sum(row.shallow_bytes for row in table),
        layout=text,
        losses=describe_file_losses(dump),
    )


def _count(dump: Dump, classes: Classes, alignment: int) -> tuple[Tally, Gaps]:
    ranks = Ranks(np.zeros(2, np.uint64), 0, 0, 3, 0, np.empty(0, np.int64))
    if dump.state[scan.DESCENTS] > _MOST_DESCENTS * dump.object_records:
        ranks, _, _ = rank_objects(dump)  # file order says nothing about distances
    count = len(classes.names)
    results = []

    def work(own_chunks: Iterator[Chunk]) -> None:
        tally, samples = new_tally(count), Samples(count)
        counters = Counters(
            classes.numbering, stack_chunks(classes), alignment, tally, ranks, samples.gaps
        )
        add = repeated(
            tally_chunk, dump.buffer, 0, 0, dump.identifier_bytes, counters, changing=(1, 2)
        )
        for number, start, end in own_chunks:
            add(start, end)
            samples.end_of_chunk(number)
        results.append((tally, samples))

    Chunks(dump).each(work)
    tallies, samples = zip(*results, strict=True)
    total = Tally(*(np.sum(parts, axis=0) for parts in zip(*tallies, strict=True)))
    return total, joined(samples)
