"""The class histogram alone: the walk and one counting pass, no graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mprof.heap._passes import ARRAY_HEADERS, SAMPLES, sample_gaps, tally
from mprof.heap.chunks import Chunks, worker_count
from mprof.heap.classes import Classes, read_classes
from mprof.heap.graph import rank_objects
from mprof.heap.layout import Gaps, alignment_of, fit_layout, merge_gaps, new_gaps
from mprof.heap.losses import describe_file_losses
from mprof.heap.model import ClassRow
from mprof.hprof import Dump, read_dump, scan
from mprof.kernels.rank import Ranks

__all__ = ["QuickHistogram", "quick_histogram"]


_MOST_DESCENTS = 0.02  # of all objects; each region or segment begins with one


@dataclass(frozen=True, slots=True)
class QuickHistogram:
    """Objects by class, those included that no root reaches.

    Attributes:
        classes: largest shallow size first; ``retained_bytes`` is -1: not known.
        objects: of all classes.
        shallow_bytes: of all classes.
        layout: the fitted layout, in words.
        losses: what a damaged dump could not tell.
        includes_unreachable: always true; without a graph nobody knows what is reachable.
    """

    classes: tuple[ClassRow, ...]
    objects: int
    shallow_bytes: int
    layout: str
    losses: tuple[str, ...]
    includes_unreachable: bool = True


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
    alignment = alignment_of(int(dump.state[scan.BITS]))
    objects, fields, arrays, gaps = _count(dump, classes, alignment)
    text, layout, sizes = fit_layout(
        classes,
        gaps,
        np.zeros(classes.dumped, np.int64),
        address_bits=int(dump.state[scan.BITS]),
        typical_address=classes.typical_address,
    )
    header = ARRAY_HEADERS.index(layout.array_header)
    shallow = objects * sizes.instances + fields
    array_bytes = arrays[:, header, int(layout.reference == 8)]
    shallow = np.where(array_bytes > 0, array_bytes, shallow)
    objects[classes.class_class] += classes.dumped
    shallow[classes.class_class] += int(sizes.mirrors[: classes.dumped].sum())
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


def _count(
    dump: Dump, classes: Classes, alignment: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Gaps]:
    ranks = Ranks(np.zeros(2, np.uint64), 0, 0, 3, 0, np.empty(0, np.int64))
    if dump.state[scan.DESCENTS] > _MOST_DESCENTS * dump.object_records:
        ranks, _, _ = rank_objects(dump)  # file order says nothing about distances
    count = len(classes.names)
    results = []

    def work(mine: Iterator[tuple[int, scan.Columns, int]]) -> None:
        gaps = new_gaps(count, SAMPLES)
        objects, fields = np.zeros(count, np.int64), np.zeros(count, np.int64)
        arrays = np.zeros((count, len(ARRAY_HEADERS), 2), np.int64)
        numbers = np.empty(scan.CHUNK_OBJECTS, np.int32)
        for _, columns, rows in mine:
            scan.classify(columns, rows, classes.lookup, classes.primitive_arrays, numbers)
            tally(columns, numbers, rows, classes.unknown, alignment, objects, fields, arrays)
            sample_gaps(
                columns, numbers, rows, ranks,
                gaps.class_gaps, gaps.class_seen, gaps.array_gaps, gaps.array_seen,
            )  # fmt: skip
        results.append((objects, fields, arrays, gaps))

    Chunks(dump, workers=worker_count()).each(work)
    objects, fields, arrays, gaps = zip(*results, strict=True)
    return (
        np.sum(objects, axis=0),
        np.sum(fields, axis=0),
        np.sum(arrays, axis=0),
        merge_gaps(list(gaps)),
    )
