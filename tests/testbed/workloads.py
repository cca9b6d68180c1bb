"""What the cluster is given to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from testbed.cluster import Cluster

__all__ = ["INPUT", "WORKLOADS", "write_input"]

INPUT: Final = "/in"
_WRITERS: Final = 12
_MAPS: Final = 36
"""Splits of one block of 1 MB: six a slave, so that each ends several tasks in a job."""
_BLOCK_BYTES: Final = 1 << 20
_REDUCES: Final = 12


def write_input(cluster: Cluster) -> None:
    """Write the text that word count and sort read.

    Raises:
        RuntimeError: if the job fails.
    """
    total = _MAPS * _BLOCK_BYTES
    sizes = {
        "mapreduce.randomtextwriter.bytespermap": total // _WRITERS,
        "mapreduce.randomtextwriter.totalbytes": total,
    }
    code, _ = cluster.example("input", "randomtextwriter", sizes, INPUT)
    if code != 0:
        raise RuntimeError("the input could not be written: see input.log of the master")


def _word_count(cluster: Cluster, name: str) -> tuple[int, float]:
    settings = {"mapreduce.job.reduces": _REDUCES}
    return cluster.example(name, "wordcount", settings, INPUT, f"/out/{name}")


def _sort(cluster: Cluster, name: str) -> tuple[int, float]:
    kinds = [
        "-outKey", "org.apache.hadoop.io.Text", "-outValue", "org.apache.hadoop.io.Text",
        "-r", str(_REDUCES),
    ]  # fmt: skip
    return cluster.example(name, "sort", {}, *kinds, INPUT, f"/out/{name}")


def _write(cluster: Cluster, name: str) -> tuple[int, float]:
    sizes = {
        "mapreduce.randomwriter.bytespermap": _BLOCK_BYTES,
        "mapreduce.randomwriter.totalbytes": _MAPS * _BLOCK_BYTES,
    }
    return cluster.example(name, "randomwriter", sizes, f"/out/{name}")


WORKLOADS: Final[dict[str, Callable[[Cluster, str], tuple[int, float]]]] = {
    "word-count": _word_count,
    "sort": _sort,
    "random-writer": _write,
}
"""By name: runs one job; its exit code, and how long it took in seconds."""
