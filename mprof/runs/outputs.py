"""Output folders of the recorded run: moved aside only where that is certainly safe.

``FileOutputFormat`` refuses to write into a folder that exists, so the output of a failed run
must go before the same command can run again. It is never deleted, and it is only moved if the
recorded run made it and it holds no ``_SUCCESS`` (design section 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mprof.errors import ClusterError
from mprof.hadoop import Cluster

__all__ = ["MovedOutput", "RecordedOutput", "check_outputs", "move_outputs_aside"]

# File systems keep modification times in whole seconds at worst.
CLOCK_GRAIN_MS = 1000
SUCCESS_MARKER = "_SUCCESS"


@dataclass(frozen=True, slots=True)
class RecordedOutput:
    """The output folder of a recorded job.

    Attributes:
        uri: the folder, as in ``mapreduce.output.fileoutputformat.outputdir``.
        not_before_ms: epoch milliseconds at which the recorded run began.
    """

    uri: str
    not_before_ms: int


@dataclass(frozen=True, slots=True)
class MovedOutput:
    """An output folder that was moved aside."""

    uri: str
    now_at: str


def check_outputs(
    cluster: Cluster, outputs: Sequence[RecordedOutput], command: Sequence[str], *, same: bool
) -> tuple[str, ...]:
    """The output folders that stand in the way of the command and may be moved aside.

    Args:
        cluster: where they lie.
        outputs: those of the recorded jobs.
        command: the command about to run.
        same: it is the recorded one word by word, so that every recorded folder stands in its
            way; otherwise only those it names, so that a rerun into another folder is left alone.

    Raises:
        ClusterError: if a folder stands in the way and is not ours to move.
    """
    in_the_way = [o for o in outputs if same or any(_last_part(o.uri) in w for w in command)]
    present = [output for output in in_the_way if cluster.exists(output.uri)]
    return tuple(dict.fromkeys(_movable(cluster, output) for output in present))


def move_outputs_aside(cluster: Cluster, uris: Sequence[str]) -> tuple[MovedOutput, ...]:
    """Rename each folder to a free name beside it."""
    moved = []
    for uri in uris:
        number = 1
        while cluster.exists(target := f"{uri.rstrip('/')}.mprof-aside-{number}"):
            number += 1
        cluster.rename(uri, target)
        moved.append(MovedOutput(uri=uri, now_at=target))
    return tuple(moved)


def _movable(cluster: Cluster, output: RecordedOutput) -> str:
    remove = f"remove or rename {output.uri} yourself, or give the command another output folder"
    entries = cluster.list(output.uri)
    if any(_last_part(entry.uri) == SUCCESS_MARKER for entry in entries):
        raise ClusterError(
            f"the output folder {output.uri} holds {SUCCESS_MARKER}: a job finished there",
            next_step=remove,
        )
    oldest = min((e.modified_ms for e in entries), default=output.not_before_ms)
    if oldest < output.not_before_ms - CLOCK_GRAIN_MS:
        raise ClusterError(
            f"the output folder {output.uri} holds files older than the recorded run",
            next_step=remove,
        )
    return output.uri


def _last_part(uri: str) -> str:
    return uri.rstrip("/").rsplit("/", 1)[-1]
