"""Daemons of Hadoop, each in a JVM of its own, from the class path of the embedded cluster.

The embedded cluster has all of its daemons in one JVM, where their web pages share one static
filter (``GuiceFilter.setPipeline``): only those of the daemon that started last answer.
"""

from __future__ import annotations

import gzip
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

from mprof.hadoop.artifacts import class_path
from mprof.hadoop.java import java_home
from mprof.hadoop.sitefiles import site_text

__all__ = ["HadoopDaemons"]

VERSION = "3.4.3"
MAIN = {
    "history": "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer",
    "resources": "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
    "node": "org.apache.hadoop.yarn.server.nodemanager.NodeManager",
    "names": "org.apache.hadoop.hdfs.server.namenode.NameNode",
    "data": "org.apache.hadoop.hdfs.server.datanode.DataNode",
}
ADDRESSES = (
    "mapreduce.jobhistory.webapp.address", "mapreduce.jobhistory.address",
    "mapreduce.jobhistory.admin.address", "yarn.resourcemanager.webapp.address",
    "yarn.resourcemanager.address", "yarn.resourcemanager.admin.address",
    "yarn.resourcemanager.scheduler.address", "yarn.resourcemanager.resource-tracker.address",
    "yarn.nodemanager.address", "yarn.nodemanager.webapp.address",
    "yarn.nodemanager.localizer.address",
    "dfs.namenode.http-address", "dfs.datanode.http.address", "dfs.datanode.address",
    "dfs.datanode.ipc.address",
)  # fmt: skip


class HadoopDaemons:
    """Starts daemons, and ends them."""

    def __init__(self, folder: Path, *, histories: Sequence[Path] = ()) -> None:
        self.folder = folder
        self._jars = class_path(VERSION, print)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        settings = {name: f"localhost:{free_port()}" for name in ADDRESSES}
        done = folder / "intermediate" / "mprof"
        for each in (folder / "conf", folder / "done", folder / "local", folder / "logs", done):
            each.mkdir(parents=True)
        settings |= {
            "fs.defaultFS": "file:///",
            "hadoop.tmp.dir": str(folder / "tmp"),
            "mapreduce.jobhistory.done-dir": str(folder / "done"),
            # what was recorded stays known: by default a week after it ended it is not
            "mapreduce.jobhistory.max-age-ms": str(100 * 365 * 86_400_000),
            "mapreduce.jobhistory.intermediate-done-dir": str(done.parent),
            "yarn.nodemanager.local-dirs": str(folder / "local"),
            "yarn.nodemanager.log-dirs": str(folder / "logs"),
            "yarn.nm.liveness-monitor.expiry-interval-ms": "4000",
            "yarn.resourcemanager.nm.liveness-monitor.interval-ms": "1000",
            "yarn.scheduler.capacity.root.queues": "default",
            "yarn.scheduler.capacity.root.default.capacity": "100",
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "99.5",
        }
        for name in ("core-site", "yarn-site", "mapred-site", "capacity-scheduler"):
            (folder / "conf" / f"{name}.xml").write_text(site_text(settings))
        (folder / "conf" / "log4j.properties").write_text("log4j.rootLogger=OFF\n")
        # Of HDFS alone: the others take what lies in folders of this machine.
        hdfs = settings | {
            "fs.defaultFS": f"hdfs://localhost:{free_port()}",
            "dfs.replication": "1",
            "dfs.namenode.name.dir": str(folder / "names"),
            "dfs.datanode.data.dir": str(folder / "blocks"),
            "dfs.datanode.hostname": "localhost",
            "dfs.datanode.du.reserved": "0",
            "dfs.namenode.safemode.extension": "0",
            "dfs.permissions.enabled": "true",
        }
        (folder / "hdfs-conf").mkdir()
        for name in ("core-site", "hdfs-site"):
            (folder / "hdfs-conf" / f"{name}.xml").write_text(site_text(hdfs))
        (folder / "hdfs-conf" / "log4j.properties").write_text("log4j.rootLogger=OFF\n")
        for path in histories:
            with gzip.open(path) as packed, (done / path.stem).open("wb") as file:
                shutil.copyfileobj(packed, file)
            conf = done / f"{path.name.partition('-')[0]}_conf.xml"
            conf.write_text("<configuration/>")
        self._names = settings["dfs.namenode.http-address"]
        self.history = f"http://{settings['mapreduce.jobhistory.webapp.address']}"
        self.resources = f"http://{settings['yarn.resourcemanager.webapp.address']}"

    def start(self, name: str) -> None:
        self._processes[name] = self._java(name)

    def start_hdfs(self) -> str:
        """Start an empty HDFS of one DataNode; its address for WebHDFS, without a scheme."""
        assert self._java("names", "-format", "-force").wait() == 0
        self.start("names")
        self.start("data")
        live = f"http://{self._names}/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState"
        wait_until(lambda: b'"NumLiveDataNodes" : 1' in (answered(live) or b""))
        return self._names

    def _java(self, name: str, *words: str) -> subprocess.Popen[bytes]:
        conf = self.folder / ("hdfs-conf" if name in ("names", "data") else "conf")
        command = [
            str(java_home() / "bin" / "java"), "-Xmx256m", "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1", "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "-Djava.net.preferIPv4Stack=true", "-cp",
            f"{conf}:{self._jars.cluster_lib}/*:{self._jars.lib}/*", MAIN[name], *words,
        ]  # fmt: skip
        with (self.folder / f"{name}.out").open("ab") as out:
            return subprocess.Popen(command, cwd=self.folder, stdout=out, stderr=subprocess.STDOUT)

    def end(self, name: str) -> None:
        process = self._processes.pop(name)
        process.kill()
        process.wait()

    def close(self) -> None:
        for name in tuple(self._processes):
            self.end(name)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port


def answered(url: str) -> bytes | None:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            text: bytes = answer.read()
    except OSError:
        return None
    return text


def wait_until(is_so: Callable[[], object], seconds: float = 180.0) -> None:
    end_s = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end_s, "the daemons did not come up"
        time.sleep(0.25)
