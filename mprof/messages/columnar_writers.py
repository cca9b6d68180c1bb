"""The heap ran out in a writer of Parquet or ORC, which keeps what it writes until it is whole."""

from __future__ import annotations

from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import Reading, SaidSetting, Source, message
from mprof.messages.said import heap_is_unseen, setting_of
from mprof.units import MIB, format_bytes

__all__ = ["MESSAGES"]

# packages whose classes write, the property of what is kept whole, its default, its name, and the
# share of the heap that all of them together may take (org.apache.orc.impl.MemoryManagerImpl,
# org.apache.parquet.hadoop.MemoryManager)
_WRITERS: Final = (
    (
        ("parquet.hadoop.", "parquet.column.", "parquet.bytes.", "org.apache.parquet."),
        ("write", "Write"),
        "parquet.block.size",  # ParquetOutputFormat.BLOCK_SIZE
        128 * MIB,
        "row group",
        "parquet.memory.pool.ratio, by default 0.95",  # ParquetOutputFormat.MEMORY_POOL_RATIO
    ),
    (
        ("org.apache.orc.", "org.apache.hadoop.hive.ql.io.orc."),
        ("Writer", "write"),
        "orc.stripe.size",  # OrcConf.STRIPE_SIZE
        64 * MIB,
        "stripe",
        "orc.memory.pool or hive.exec.orc.memory.pool, by default 0.5",  # OrcConf.MEMORY_POOL
    ),
)
_SORTS: Final = "hive.optimize.sort.dynamic.partition"
_OF_HIVE: Final = "org.apache.hadoop.hive.ql.exec.FileSinkOperator"
_LEAST: Final = 8 * MIB
"""Smaller ones make files that are slow to read: Parquet's and ORC's own minimum is near."""


@message(
    "A columnar writer ran out of heap",
    Source("Parquet 1.0 to 1.15", "org.apache.parquet.hadoop.InternalParquetRecordWriter.write"),
    Source("ORC 1.0 to 2.1", "org.apache.orc.impl.WriterImpl.addRowBatch"),
)
def columnar_writer(evidence: Evidence) -> Reading | None:
    """The heap ran out in a writer of Parquet or ORC.

    What it means
        A file of columns is written a row group (Parquet) or stripe (ORC) at a time: the writer
        keeps all of its rows until it is whole, with a dictionary and buffers for each column.
        Every file that is open at the same time, one for each partition that a task writes to, has
        its own. The writers of a task share a part of its heap (`parquet.memory.pool.ratio`, 0.95;
        `orc.memory.pool`, 0.5) and write smaller groups where they are many; the buffers of the
        columns are not in that account.

    What it does not prove
        That the writer filled the heap: another part may have, and the writer asked for the rest.

    What to change
        Fewer files open at once: sort or distribute the rows by the partition column
        (`hive.optimize.sort.dynamic.partition=true`). Or a smaller `parquet.block.size` (128 MB),
        `orc.stripe.size` (64 MB); of a table of a thousand columns the buffers of the columns
        alone take hundreds of megabytes (`parquet.page.size`, `parquet.enable.dictionary=false`).

    What would tell more
        A heap dump at the death: it shows how many writers there are, and how large each of them.
    """
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    frames = [(one.class_name, one.method) for one in evidence.death.stack]
    for packages, words, name, default, what, pool in _WRITERS:
        writes = any(
            class_name.startswith(packages)
            and any(word in f"{class_name}.{method}" for word in words)
            for class_name, method in frames
        )
        if not writes:
            continue
        old = setting_of(evidence, name)
        size = int(old) if old is not None and old.isdecimal() and len(old) < 13 else default
        half = max(size // 2, _LEAST)
        settings: tuple[SaidSetting, ...] = ()
        sorts = setting_of(evidence, _SORTS)
        if sorts != "true" and any(one.startswith(_OF_HIVE) for one, _ in frames):
            text = (
                "If the query writes several partitions, they are then written one after the "
                "other, with one file open at a time."
            )
            settings = (SaidSetting(_SORTS, sorts, "true", text),)
        elif half < size:
            text = (
                f"First aid: {name}={half}, half of the {format_bytes(size)} that "
                f"{'are set' if old is not None else 'the format has where nothing is set'}."
            )
            settings = (SaidSetting(name, old, str(half), text, first_aid=True),)
        fewer = (
            f"with {_SORTS}=true, as it is set, one file is open at a time, so that the number of "
            "columns counts, or the heap"
            if sorts == "true"
            else f"fewer open files help (with Hive {_SORTS}=true, which writes one partition "
            f"after the other), or a smaller {what}"
        )
        return Reading(
            f"The heap ran out in a writer that keeps what it writes until a {what} ({name}) is "
            f"whole. All writers of a task share a part of its heap for that ({pool}), but each "
            "open file has buffers for each column as well: many columns, or many partitions "
            f"written at once, take many times those of one. If the writers are what filled the "
            f"heap, {fewer}.",
            "suggests",
            "a heap dump at the death shows how many writers there are and how large.",
            settings,
        )
    return None


MESSAGES = (columnar_writer,)
