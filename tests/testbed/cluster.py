"""HDFS and YARN on the nodes of a machine."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from mprof.hadoop.artifacts import class_path, resolve
from testbed.machine import Machine, Node

__all__ = ["MASTER", "Cluster"]

MASTER: Final = "master"
HADOOP: Final = "3.4.3"

_MASTERS: Final = {
    "namenode": ("org.apache.hadoop.hdfs.server.namenode.NameNode", 256),
    "resourcemanager": ("org.apache.hadoop.yarn.server.resourcemanager.ResourceManager", 384),
}
_SLAVES: Final = {
    "datanode": ("org.apache.hadoop.hdfs.server.datanode.DataNode", 128),
    "nodemanager": ("org.apache.hadoop.yarn.server.nodemanager.NodeManager", 192),
}
"""By daemon: its class, and its heap in MB."""

_SMALL_JVM: Final = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss512k")
_OPENED: Final = "--add-opens=java.base/java.lang=ALL-UNNAMED"
"""The web servers of YARN define classes by reflection, which JDK 17 forbids otherwise."""
_WEB_FOLDERS: Final = ("hdfs", "datanode", "cluster", "node", "static")
"""HDFS looks for its web pages on the class path; empty folders will do."""
_LONGEST_START_S: Final = 180.0
_MASTER_MB: Final = 1536
"""Of containers on the master: the application master of one job, and no task beside it."""
_SLAVE_MB: Final = 512
_TASK_MB: Final = 256

_LOG4J: Final = """\
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c: %m%n
"""


class Cluster:
    """A running cluster.

    Args:
        machine: with its nodes, the master among them.
        share: of a processor that each slave has.
    """

    def __init__(self, machine: Machine, *, share: float) -> None:
        self._machine = machine
        self._share = share
        self.master = machine.nodes[MASTER]
        self.slaves = [node for name, node in machine.nodes.items() if name != MASTER]
        self._lib = class_path(HADOOP, print).lib
        (self.examples,) = resolve(Path(__file__).with_name("pom.xml"), "Hadoop's examples")

    def start(self) -> None:
        """Start every daemon, and wait until all slaves are there."""
        for node in self._machine.nodes.values():
            self._configure(node)
        self._java(self.master, "format", _MASTERS["namenode"][0], "-format", "-force").wait()
        for name, (main, heap_mb) in _MASTERS.items():
            self._java(self.master, name, main, heap_mb=heap_mb)
        # It is for the application masters, which must not take the time of a slave.
        self._java(self.master, "nodemanager", *_SLAVES["nodemanager"][:1], heap_mb=192)
        for node in self.slaves:
            for name, (main, heap_mb) in _SLAVES.items():
                self._java(node, name, main, heap_mb=heap_mb)
        self._wait(self._all_there)
        for node in self.slaves:
            node.set_share(self._share)

    def run(self, what: str, main: str, *arguments: str) -> tuple[int, float]:
        """Run a client on the master; its exit code, and how long it took in seconds."""
        began = time.monotonic()
        code = self._java(self.master, what, main, *arguments).wait()
        return code, time.monotonic() - began

    def example(
        self, what: str, program: str, settings: Mapping[str, str | int], *arguments: str
    ) -> tuple[int, float]:
        """Run a program of Hadoop's examples; as `run`."""
        given = [f"-D{key}={value}" for key, value in settings.items()]
        main = "org.apache.hadoop.util.RunJar"
        return self.run(what, main, str(self.examples), program, *given, *arguments)

    def log(self, node: Node, what: str) -> Path:
        """What a process of a node printed."""
        return self._machine.folder / node.name / "logs" / f"{what}.log"

    def _java(
        self, node: Node, what: str, main: str, *arguments: str, heap_mb: int = 192
    ) -> subprocess.Popen[bytes]:
        home = self._machine.folder / node.name
        return node.start(
            what,
            [
                "java", f"-Xmx{heap_mb}m", *_SMALL_JVM, _OPENED,
                f"-Dhadoop.tmp.dir={node.disk / 'tmp'}",
                "-cp", f"{home / 'conf'}:{self._lib}/*", main, *arguments,
            ],
            log=self.log(node, what),
            environment={"HADOOP_USER_NAME": "mprof", "HADOOP_CONF_DIR": str(home / "conf")},
        )  # fmt: skip

    def _all_there(self) -> bool:
        """Whether NameNode and ResourceManager have heard of every slave."""
        reports = {
            "live": ("org.apache.hadoop.hdfs.tools.DFSAdmin", "-report", "-live"),
            "nodes": ("org.apache.hadoop.yarn.client.cli.NodeCLI", "-list"),
        }
        seen = []
        for what, (main, *arguments) in reports.items():
            self.log(self.master, what).unlink(missing_ok=True)
            self.run(what, main, *arguments)
            seen.append(self.log(self.master, what).read_text())
        return all(f"Hostname: {node.name}\n" in seen[0] for node in self.slaves) and all(
            f"{name}:" in seen[1] for name in self._machine.nodes
        )

    def _wait(self, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _LONGEST_START_S
        while True:
            dead = [
                f"{what} of {node.name}"
                for node in self._machine.nodes.values()
                for what, process in node.processes.items()
                if what in (*_MASTERS, *_SLAVES) and process.poll() is not None
            ]
            if dead or time.monotonic() > deadline:
                raise RuntimeError(f"the cluster did not start: {', '.join(dead) or 'too slow'}")
            if done():
                return

    def _configure(self, node: Node) -> None:
        conf = self._machine.folder / node.name / "conf"
        conf.mkdir(parents=True, exist_ok=True)
        (self._machine.folder / node.name / "logs").mkdir(exist_ok=True)
        for name in _WEB_FOLDERS:
            (conf / "webapps" / name).mkdir(parents=True, exist_ok=True)
        for name, properties in self._sites(node).items():
            (conf / f"{name}.xml").write_text(_xml(properties))
        (conf / "log4j.properties").write_text(_LOG4J)

    def _sites(self, node: Node) -> dict[str, dict[str, str]]:
        is_master = node is self.master
        small = " ".join(("-Xmx{}m", *_SMALL_JVM))
        return {
            "core-site": {
                "fs.defaultFS": f"hdfs://{MASTER}:9000",
                "hadoop.tmp.dir": str(node.disk / "tmp"),
                "ipc.client.connect.max.retries": "2",
            },
            "hdfs-site": {
                "dfs.replication": "3",
                "dfs.permissions.enabled": "false",
                "dfs.blocksize": str(1 << 20),
                "dfs.namenode.fs-limits.min-block-size": str(1 << 20),
                "dfs.namenode.name.dir": str(node.disk / "name"),
                "dfs.datanode.data.dir": str(node.disk / "data"),
                "dfs.datanode.hostname": node.name,
                "dfs.datanode.du.reserved": "0",
                "dfs.namenode.safemode.extension": "0",
            },
            "yarn-site": {
                "yarn.resourcemanager.hostname": MASTER,
                "yarn.resourcemanager.connect.max-wait.ms": "10000",
                "yarn.resourcemanager.connect.retry-interval.ms": "1000",
                "yarn.nodemanager.hostname": node.name,
                "yarn.nodemanager.aux-services": "mapreduce_shuffle",
                "yarn.nodemanager.resource.memory-mb": str(_MASTER_MB if is_master else _SLAVE_MB),
                "yarn.nodemanager.resource.cpu-vcores": "2",
                "yarn.scheduler.minimum-allocation-mb": str(_TASK_MB),
                "yarn.nodemanager.local-dirs": str(node.disk / "local"),
                "yarn.nodemanager.log-dirs": str(node.disk / "containers"),
                "yarn.nodemanager.delete.debug-delay-sec": "0",
                "yarn.nodemanager.vmem-check-enabled": "false",
                "yarn.nodemanager.pmem-check-enabled": "false",
                "yarn.log-aggregation-enable": "false",
                "yarn.application.classpath": str(self._machine.folder / node.name / "conf"),
            },
            "capacity-scheduler": {
                "yarn.scheduler.capacity.root.queues": "default",
                "yarn.scheduler.capacity.root.default.capacity": "100",
                "yarn.scheduler.capacity.maximum-am-resource-percent": "1.0",
            },
            "mapred-site": {
                "mapreduce.framework.name": "yarn",
                "mapreduce.application.classpath": f"{self._lib}/*",
                "mapreduce.map.memory.mb": str(_TASK_MB),
                "mapreduce.reduce.memory.mb": str(_TASK_MB),
                "mapreduce.map.java.opts": small.format(160),
                "mapreduce.reduce.java.opts": small.format(160),
                "mapreduce.task.io.sort.mb": "32",
                "mapreduce.reduce.shuffle.parallelcopies": "3",
                "yarn.app.mapreduce.am.resource.mb": str(_MASTER_MB),
                "yarn.app.mapreduce.am.command-opts": small.format(384),
                "yarn.app.mapreduce.am.staging-dir": "/staging",
                "mapreduce.jobhistory.intermediate-done-dir": "/history",
                "mapreduce.map.speculative": "false",
                "mapreduce.reduce.speculative": "false",
            },
        }


def _xml(properties: Mapping[str, str]) -> str:
    rows = [
        f"<property><name>{escape(name)}</name><value>{escape(value)}</value></property>"
        for name, value in properties.items()
    ]
    return "\n".join(["<configuration>", *rows, "</configuration>", ""])
