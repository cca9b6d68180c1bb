"""Files that others wrote about clusters -> rows of the store's tables; one file a format."""

from pathlib import Path

from mprof.sources.host_list import HOST_LIST
from mprof.sources.job_history import JOB_HISTORY
from mprof.sources.reading import Losses, Part, Reader, head_of
from mprof.sources.rumen import RUMEN_JOBS, RUMEN_TOPOLOGY
from mprof.sources.tracebench import TRACEBENCH

__all__ = ["READERS", "Losses", "Part", "Reader", "reader_of"]

READERS: tuple[Reader, ...] = (JOB_HISTORY, TRACEBENCH, RUMEN_JOBS, RUMEN_TOPOLOGY, HOST_LIST)
"""Every format, in the order in which they are tried."""


def reader_of(path: Path) -> Reader | None:
    """What reads a file; None where no format is recognised.

    Raises:
        UnreadableError: if it is no regular file, or may not be read.
    """
    head = head_of(path)
    return next((reader for reader in READERS if reader.recognises(path, head)), None)
