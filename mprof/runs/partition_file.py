"""A partition file for ``TotalOrderPartitioner``, made from the keys that map tasks sampled.

Only where the user asked for keys (``--keys``): a histogram of keys is data of the job.
Where it cannot be made (a class is missing, say), the diagnosis does without it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mprof.advice import GROUPING
from mprof.diagnosis import Diagnosed
from mprof.errors import MprofError
from mprof.evidence import known
from mprof.io.files import UnreadableError
from mprof.io.json import read_json
from mprof.job_run import JobRun, PartitionFile
from mprof.runs.capture import JobFolder
from mprof.runs.observer import Observer
from mprof.trace.events import KeySample

if TYPE_CHECKING:
    from mprof.hadoop import Cluster

__all__ = ["add_partition_file", "read_partition_file"]

# The default name that TotalOrderPartitioner looks for in the task's working folder
# (TotalOrderPartitioner.DEFAULT_PATH), so that `-files` is enough to ship it.
_FILE = "_partition.lst"
_RECORDS_FILE = "partition-file.json"


class _About(msgspec.Struct, frozen=True):
    """``partition-file.json``: the records of each part."""

    records: tuple[int, ...]


def add_partition_file(
    cluster: Cluster,
    folder: JobFolder,
    job_runs: Sequence[JobRun],
    diagnosed: Diagnosed,
    command: Sequence[str],
    observer: Observer,
) -> PartitionFile | None:
    """Write the file into the folder of the job; None where it cannot be made."""
    reducers = known(diagnosed.evidence.reducers)
    conf_xml = next(iter(sorted(folder.path.glob("*conf.xml"))), None)
    if not reducers or reducers < 2:
        return None
    if any(diagnosed.evidence.conf.get(name) for name in GROUPING):
        return None  # the file would split between keys, and one group may have several keys
    samples = next((found for each in reversed(job_runs) if (found := _samples(each))), ())
    if not samples or conf_xml is None:
        return None
    observer.stage("writing a partition file from the keys")
    try:
        with tempfile.TemporaryDirectory(prefix="mprof-keys-") as scratch:
            histogram = Path(scratch, "histogram")
            histogram.write_text("".join(_lines(samples)), encoding="ascii")
            records = cluster.partition_file(
                conf_xml, _jars(command), histogram, folder.path / _FILE, partitions=reducers
            )
    except (MprofError, OSError) as error:
        why = error.what if isinstance(error, MprofError) else str(error)
        observer.output(f"mprof: no partition file: {why}")
        return None
    (folder.path / _RECORDS_FILE).write_bytes(msgspec.json.encode(_About(records=tuple(records))))
    made, _ = read_partition_file(folder.path)
    return made


def read_partition_file(folder: Path) -> tuple[PartitionFile | None, tuple[str, ...]]:
    """The partition file in the folder of a job, None without one; and what is lost of it."""
    try:
        about = read_json(folder / _RECORDS_FILE, _About)
    except UnreadableError as error:
        return None, () if error.missing else (f"{_RECORDS_FILE}: {error.reason}",)
    file = folder / _FILE
    if not file.is_file():
        return None, (f"{_RECORDS_FILE} is there, and {_FILE} is not",)
    return PartitionFile(file.resolve().as_uri(), about.records), ()


def _samples(job_run: JobRun) -> tuple[KeySample, ...]:
    """The sample of each map task; empty where that of any is missing."""
    found = {
        trace.index: sample
        for trace in job_run.traces
        if trace.task_type == "map" and (sample := trace.last(KeySample)) is not None
    }
    total = job_run.history.total_maps if job_run.history is not None else None
    return tuple(found.values()) if total and len(found) >= total else ()


def _lines(samples: Iterable[KeySample]) -> Iterable[str]:
    for sample in samples:
        for key, records in sample.keys:
            yield f"{key}\t{records}\n"


def _jars(command: Sequence[str]) -> str:
    """The jars of ``hadoop jar JAR MAIN -libjars A,B ...`` that are files on this machine."""
    words = [
        each
        for option, word in pairwise(command)
        if option in {"jar", "-libjars"}
        for each in word.split(",")
    ]
    return os.pathsep.join(str(Path(each).resolve()) for each in words if Path(each).is_file())
