"""What the cluster is given to do."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from typing import Final

from testbed.cluster import Cluster

__all__ = ["OUTPUT", "WORKLOADS", "Settings", "write_input"]

Settings = Mapping[str, str | int]

OUTPUT: Final = "/out"
_INPUT: Final = "/in"
_WRITERS: Final = 12
_MAPS: Final = 84
"""Splits of one block of 1 MB: so many that a node three times as slow as the others has five."""
_BLOCK_BYTES: Final = 1 << 20
_REDUCES: Final = 24

_SCRIPT: Final = """\
lines = LOAD '{input}/part-m-*' USING TextLoader() AS (line:chararray);
words = FOREACH lines GENERATE FLATTEN(TOKENIZE(line)) AS word;
grouped = GROUP words BY word PARALLEL {reduces};
counts = FOREACH grouped GENERATE group, COUNT(words) AS times;
ordered = ORDER counts BY times PARALLEL {reduces};
STORE ordered INTO '{output}';
"""
"""Three jobs: a count, a sample of its result, and a sort by ranges that the sample has told."""


def write_input(cluster: Cluster) -> None:
    """Write the text that all workloads but one read.

    Raises:
        RuntimeError: if the job fails.
    """
    total = _MAPS * _BLOCK_BYTES
    sizes = {
        "mapreduce.randomtextwriter.bytespermap": total // _WRITERS,
        "mapreduce.randomtextwriter.totalbytes": total,
    }
    if cluster.example("input", "randomtextwriter", sizes, _INPUT).wait() != 0:
        raise RuntimeError("the input could not be written: see input.log of the master")


def _word_count(cluster: Cluster, name: str, settings: Settings) -> subprocess.Popen[bytes]:
    given = {"mapreduce.job.reduces": _REDUCES, **settings}
    return cluster.example(name, "wordcount", given, _INPUT, f"{OUTPUT}/{name}")


def _sort(cluster: Cluster, name: str, settings: Settings) -> subprocess.Popen[bytes]:
    kinds = [
        "-outKey", "org.apache.hadoop.io.Text", "-outValue", "org.apache.hadoop.io.Text",
        "-r", str(_REDUCES),
    ]  # fmt: skip
    return cluster.example(name, "sort", settings, *kinds, _INPUT, f"{OUTPUT}/{name}")


def _write(cluster: Cluster, name: str, settings: Settings) -> subprocess.Popen[bytes]:
    sizes = {
        "mapreduce.randomwriter.bytespermap": _BLOCK_BYTES,
        "mapreduce.randomwriter.totalbytes": _MAPS * _BLOCK_BYTES,
    }
    return cluster.example(name, "randomwriter", {**sizes, **settings}, f"{OUTPUT}/{name}")


def _pig(cluster: Cluster, name: str, settings: Settings) -> subprocess.Popen[bytes]:
    apart = {"pig.noSplitCombination": "true", **settings}
    script = _SCRIPT.format(input=_INPUT, output=f"{OUTPUT}/{name}", reduces=_REDUCES // 2)
    return cluster.pig(name, apart, script)


WORKLOADS: Final[dict[str, Callable[[Cluster, str, Settings], subprocess.Popen[bytes]]]] = {
    "word-count": _word_count,
    "sort": _sort,
    "random-writer": _write,
    "pig": _pig,
}
"""By name: starts a client that waits for its job, or jobs."""
