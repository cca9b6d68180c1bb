"""Outputs of the jobs of a capture: folders are renamed only where that is certainly safe.

``FileOutputFormat`` does not write into a folder that exists, so the output of a failed run must
be moved before the same command can run again. It is never deleted, and it is only moved if a run
of the capture made it and it holds no ``_SUCCESS`` (design section 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mprof.errors import ClusterError
from mprof.hadoop import Cluster
from mprof.history import JobConf

__all__ = [
    "OUTPUT_PROPERTY",
    "JobOutput",
    "MovedOutput",
    "check_outputs",
    "move_outputs_aside",
    "written_for_good",
]

OUTPUT_PROPERTY = "mapreduce.output.fileoutputformat.outputdir"
_FORMAT_PROPERTIES = ("mapreduce.job.outputformat.class", "mapred.output.format.class")
# Formats without an output folder of whose failed attempts nothing stays: Hive's tasks write into
# temporary folders of their own, which its driver moves once the job has succeeded.
_HARMLESS = ("org.apache.hadoop.hive.ql.io.Hive",)
_WRITES_NOTHING = ".NullOutputFormat"

# The coarsest file systems keep modification times in whole seconds.
CLOCK_GRAIN_MS = 1000
SUCCESS_MARKER = "_SUCCESS"


@dataclass(frozen=True, slots=True)
class JobOutput:
    """The output folder of a job of the capture.

    Attributes:
        uri: the folder, as in ``mapreduce.output.fileoutputformat.outputdir``.
        not_before_ms: start of the newest run that wrote there, in epoch milliseconds.
    """

    uri: str
    not_before_ms: int


@dataclass(frozen=True, slots=True)
class MovedOutput:
    """An output folder that was moved aside."""

    uri: str
    now_at: str


def check_outputs(
    cluster: Cluster, outputs: Sequence[JobOutput], command: Sequence[str], *, same: bool
) -> tuple[str, ...]:
    """The output folders that block the command and that mprof may move aside.

    Args:
        cluster: where they are.
        outputs: those of the jobs of the capture.
        command: the command about to run.
        same: it is word for word the command of the capture, so every output folder blocks it;
            otherwise only the folders it names do, and a run into another folder moves nothing.

    Raises:
        ClusterError: if a folder blocks the command and mprof must not move it.
    """
    blocking = [o for o in outputs if same or any(_last_part(o.uri) in w for w in command)]
    present = [output for output in blocking if cluster.exists(output.uri)]
    return tuple(dict.fromkeys(_movable(cluster, output) for output in present))


def written_for_good(conf: JobConf) -> str | None:
    """The class of an output format whose records may stay though their attempt never commits.

    A task commits files; a ``RecordWriter`` that writes elsewhere does so when it is closed
    (``DBOutputFormat``) or at once (``TableOutputFormat``), and sets no output folder. An attempt
    that is shown a part of its input must not write there.

    Returns:
        The class; None where the output is a folder, or nothing.
    """
    if conf.get(OUTPUT_PROPERTY):
        return None
    named = next((name for key in _FORMAT_PROPERTIES if (name := conf.get(key))), None)
    if named is None or named.startswith(_HARMLESS) or named.endswith(_WRITES_NOTHING):
        return None
    return named


def move_outputs_aside(cluster: Cluster, uris: Sequence[str]) -> tuple[MovedOutput, ...]:
    """Rename each folder to an unused name beside it."""
    moved = []
    for uri in uris:
        number = 1
        while cluster.exists(target := f"{uri.rstrip('/')}.mprof-aside-{number}"):
            number += 1
        cluster.rename(uri, target)
        moved.append(MovedOutput(uri=uri, now_at=target))
    return tuple(moved)


def _movable(cluster: Cluster, output: JobOutput) -> str:
    remove = f"delete or rename {output.uri} yourself, or give the command another output folder"
    entries = cluster.list(output.uri)
    if any(_last_part(entry.uri) == SUCCESS_MARKER for entry in entries):
        raise ClusterError(
            f"the output folder {output.uri} holds {SUCCESS_MARKER}: a job has finished there",
            next_step=remove,
        )
    oldest = min((e.modified_ms for e in entries), default=output.not_before_ms)
    if oldest < output.not_before_ms - CLOCK_GRAIN_MS:
        raise ClusterError(
            f"the output folder {output.uri} holds files older than the failed run",
            next_step=remove,
        )
    return output.uri


def _last_part(uri: str) -> str:
    return uri.rstrip("/").rsplit("/", 1)[-1]
