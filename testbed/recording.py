"""What is kept of a run: logs, job histories, metrics, and the label that says what was wrong."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from testbed.cluster import Cluster
from testbed.machine import Node

__all__ = ["HISTORIES", "Begun", "begin", "collecting", "keep", "parts_of"]

_PARTS: Final = ("histories", "logs", "metrics", "workers")
"""What `mprof import` reads of a recording."""


HISTORIES: Final = "/history/mprof"
_TOLD: Final = {
    "datanode": (b".clienttrace:", b"Call: sendHeartbeat took "),
    "nodemanager": (b" Container container_", b"Call: nodeHeartbeat took "),
}
"""By daemon: the lines that `mprof import` reads."""
_FOLDER: Final = b"/testbed"

Begun = Mapping[tuple[str, str], int]
"""By node and daemon: the length of its log when the run began."""


def parts_of(folder: Path) -> list[Path]:
    """What there is of a recording to import; a job that was killed may have left no history."""
    return [folder / name for name in _PARTS if (folder / name).exists()]


def begin(cluster: Cluster) -> Begun:
    """Remember where logs stand: what a run before left there is not of this one."""
    return {
        (node.name, what): cluster.log(node, what).stat().st_size
        for node in cluster.slaves
        for what in _TOLD
    }


@contextmanager
def collecting(cluster: Cluster, folder: Path) -> Iterator[None]:
    """Collect the metrics of every slave, in its own groups, while the block runs."""
    processes = []
    for node in cluster.slaves:
        command = [
            sys.executable, "-m", "mprof", "collect", "--back-end", "cgroup",
            "--dir", str(folder / "metrics" / node.name), "--host", node.name,
        ]  # fmt: skip
        processes.append(node.start("collect", command, log=cluster.log(node, "collect")))
    try:
        yield
    finally:
        for process in processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait()


def keep(cluster: Cluster, folder: Path, begun: Begun, label: Mapping[str, Any]) -> None:
    """Write what the run left behind.

    Args:
        cluster: that ran it.
        folder: of the recording.
        begun: where the logs stood when it began.
        label: what was wrong, and when.
    """
    (folder / "workers").write_text("".join(f"{node.name}\n" for node in cluster.slaves))
    for node in cluster.slaves:
        for what in _TOLD:
            kept = folder / "logs" / f"hadoop-mprof-{what}-{node.name}.log.gz"
            _write(kept, _lines(cluster, node, what, begun[node.name, what]))
    for path in sorted((folder / "metrics").rglob("*.jsonl")):
        _write(path.with_name(f"{path.name}.gz"), path.read_bytes())
        path.unlink()
    local = cluster.master.disk / "histories"
    shutil.rmtree(local, ignore_errors=True)
    shell = "org.apache.hadoop.fs.FsShell"
    cluster.run("histories", shell, "-copyToLocal", HISTORIES, str(local))
    for path in sorted(local.glob("*.jhist")):
        _write(folder / "histories" / f"{path.name}.gz", path.read_bytes())
    # Last: a recording without it is not whole.
    (folder / "label.json").write_text(json.dumps(label, indent=2) + "\n")


def _lines(cluster: Cluster, node: Node, what: str, begin: int) -> bytes:
    log = cluster.log(node, what)
    lines = log.read_bytes()[begin:].splitlines(keepends=True)
    told = b"".join(line for line in lines if any(each in line for each in _TOLD[what]))
    # A DataNode names the folder of its blocks: that of the run has a name by chance.
    return told.replace(bytes(log.parents[2]), _FOLDER)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # No name and no time in the header, so that the same lines are the same file.
    with path.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:
        stream.write(content)
