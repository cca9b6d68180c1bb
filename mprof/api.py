"""What other programs call: a diagnosis, or the summary of a heap, in one call.

The command line does the same, with a terminal to watch it on and with exit codes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mprof.diagnosis import Diagnosed
from mprof.extras import need
from mprof.heap import HeapSummary
from mprof.objects.comparison import HeapComparison, compare_dumps
from mprof.objects.summary import summarise_dump
from mprof.report.notebook import diagnosis_html, heap_html
from mprof.runs import Observer, SilentObserver
from mprof.runs import diagnose as diagnose_what

if TYPE_CHECKING:
    from mprof.questions import HeapTables
    from mprof.waste import Waste

__all__ = ["compare_heaps", "diagnose", "heap_tables", "heap_waste", "read_heap"]

# A notebook asks a value for its HTML by this name. Neither value knows of reports, which stand
# above both of them in the house.
setattr(Diagnosed, "_repr_html_", diagnosis_html)  # noqa: B010 - the type has no such attribute
setattr(HeapSummary, "_repr_html_", heap_html)  # noqa: B010


def diagnose(
    what: str | Path,
    *,
    embedded: bool = False,
    conf_dir: str | Path | None = None,
    capture: str | Path | None = None,
    observer: Observer | None = None,
) -> Diagnosed:
    """Diagnose a job that failed, as ``mprof diagnose WHAT`` does. Nothing is run.

    Args:
        what: a capture folder, a job, application or attempt id, or any file, folder or archive
            with what is left of a job; of several deaths the most telling one is given.
        embedded: ask the embedded cluster for a job id.
        conf_dir: client configuration folder of the cluster to ask; default ``HADOOP_CONF_DIR``.
        capture: with a job id, the new folder to keep its files in; default ``mprof-JOB_ID`` in the
            working folder.
        observer: told how it goes; nobody is by default.

    Returns:
        The diagnosis, with advice and with the facts it rests on: what the command line renders.

    Raises:
        MprofError: an expected failure; ``what`` says what is wrong, ``next_step`` what to do.
            `EvidenceError` where there is nothing to diagnose at that place, `ClusterError` where
            the cluster cannot be asked, `UsageError` where ``capture`` cannot be used.
    """
    return diagnose_what(
        str(what),
        embedded=embedded,
        conf_dir=Path(conf_dir) if conf_dir is not None else None,
        capture=Path(capture) if capture is not None else None,
        observer=observer or SilentObserver(),
    )


def read_heap(dump: str | Path) -> HeapSummary:
    """Sum up any heap dump, as ``mprof heap DUMP`` does; of whatever program it is.

    Args:
        dump: ``.hprof``, ``.hprof.gz``, or the parts of a dump that was never merged.

    Returns:
        Who holds the memory, classes, the largest objects with their holder paths, threads and
        frames. Sizes are bytes.

    Raises:
        EvidenceError: if the file cannot be read or is no heap dump. A damaged dump raises nothing:
            ``losses`` says what is missing.
    """
    return summarise_dump(Path(dump))[1]


def compare_heaps(before: str | Path, after: str | Path) -> HeapComparison:
    """Say what grew and what shrank between two dumps, as ``mprof heap A B`` does.

    Args:
        before: the dump that was made first.
        after: the other one, of the same process or of another run of the program.

    Returns:
        Holders, classes and paths, what grew most first. Sizes are bytes.

    Raises:
        EvidenceError: if a file cannot be read or is no heap dump.
    """
    return compare_dumps(Path(before), Path(after))


def heap_tables(dump: str | Path) -> HeapTables:
    """The tables of a heap dump: for SQL, as Arrow, as data frames; ``mprof heap DUMP --sql``.

    The dump is analysed when the first rows are asked for, and a table is made as it is read.

    Args:
        dump: as `read_heap` takes it.

    Returns:
        Tables with ``sql(query)``, ``batches(name)``, ``arrow(name)`` and ``frame(name)``.

    Raises:
        EvidenceError: if the file cannot be read or is no heap dump.
        MissingPackageError: if DuckDB or pyarrow is not there.
    """
    need("sql", by="mprof.heap_tables")
    from mprof.questions import HeapTables

    return HeapTables(Path(dump))


def heap_waste(dump: str | Path, *, limit: int = 20) -> Waste:
    """What a heap could do without, as ``mprof heap DUMP --waste`` says it.

    Args:
        dump: as `read_heap` takes it.
        limit: how many texts, maps with equal hashes and classes of several loaders to list.

    Returns:
        Collections, equal strings and arrays, arrays of zeros, boxes and class loaders, each with
        the bytes that would be saved and where they come from.

    Raises:
        EvidenceError: if the file cannot be read or is no heap dump.
    """
    from mprof.waste import find_waste

    return find_waste(Path(dump), limit=limit)
