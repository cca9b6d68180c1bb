"""What is kept of a run: logs, job histories, metrics, and the label that says what was wrong."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from testbed.cluster import Cluster

__all__ = ["collecting", "keep"]

_TOLD: Final = {
    "datanode": (".clienttrace:",),
    "nodemanager": (" transitioned from ",),
}
"""By daemon: the lines that `mprof import` reads."""


@contextmanager
def collecting(cluster: Cluster, folder: Path) -> Iterator[None]:
    """Collect the metrics of every slave, in its own groups, while the block runs."""
    processes = []
    for node in cluster.slaves:
        command = [
            sys.executable, "-m", "mprof.cli", "collect", "--back-end", "cgroup",
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


def keep(cluster: Cluster, folder: Path, label: Mapping[str, Any]) -> None:
    """Write what the run left behind.

    Args:
        cluster: that ran it.
        folder: of the recording.
        label: what was wrong, and when.
    """
    (folder / "label.json").write_text(json.dumps(label, indent=2) + "\n")
    (folder / "workers").write_text("".join(f"{node.name}\n" for node in cluster.slaves))
    for node in cluster.slaves:
        for what, told in _TOLD.items():
            _keep_lines(
                cluster.log(node, what), folder / "logs" / f"{what}-{node.name}.log.gz", told
            )
    histories = folder / "histories"
    shutil.rmtree(histories, ignore_errors=True)
    local = cluster.master.disk / "histories"
    shutil.rmtree(local, ignore_errors=True)
    cluster.run(
        "histories", "org.apache.hadoop.fs.FsShell", "-copyToLocal", "/history/mprof", str(local)
    )
    histories.mkdir()
    for path in sorted(local.glob("*.jhist")):
        shutil.copy(path, histories)


def _keep_lines(log: Path, kept: Path, told: Iterable[str]) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    # No name and no time in the header, so that the same lines are the same file.
    with kept.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:
        for line in log.read_bytes().splitlines(keepends=True):
            if any(each.encode() in line for each in told):
                stream.write(line)
