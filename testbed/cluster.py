"""HDFS and YARN on the nodes of a machine."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from mprof.hadoop.artifacts import class_path, resolve
from testbed.java import build_jar
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

_HERE: Final = Path(__file__).parent
_PIG: Final = _HERE.parent / "cases" / "libraries" / "pig"
_SMALL_JVM: Final = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss512k")
_SERIAL: Final = f"{_SMALL_JVM[0]} "
_SMALL: Final = " ".join(_SMALL_JVM)
_TASKS: Final = ("map", "reduce")
_TASK_JVM: Final = f"-Xmx160m {_SMALL}"
_OPENED: Final = "--add-opens=java.base/java.lang=ALL-UNNAMED"
"""The web servers of YARN define classes by reflection, which JDK 17 forbids otherwise."""
_WEB_FOLDERS: Final = ("hdfs", "datanode", "cluster", "node", "static")
"""HDFS looks for its web pages on the class path; empty folders will do."""
_LONGEST_START_S: Final = 180.0
_LONGEST_END_S: Final = 30.0
_LONGEST_CLIENT_S: Final = 120.0
_LOOK_S: Final = 0.5
_OF_JOBS: Final = (b".YarnChild", b".MRAppMaster")
_SUBMITTED: Final = re.compile(r"Submitted application application_(\d+_\d+)")
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
_TELL_MORE: Final = """\
log4j.logger.org.apache.hadoop.ipc.ProtobufRpcEngine2=DEBUG
log4j.logger.org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace=DEBUG
"""
"""How long each call to a master took, which `hb-delay` reads; and blocks that are read."""


class Cluster:
    """A running cluster.

    Args:
        machine: with its nodes, the master among them.
        share: of a processor that each slave has.
        share_of_master: that the master has.
    """

    def __init__(self, machine: Machine, *, share: float, share_of_master: float) -> None:
        self._machine = machine
        self.share = share
        self._share_of_master = share_of_master
        self.master = machine.nodes[MASTER]
        self.slaves = [node for name, node in machine.nodes.items() if name != MASTER]
        self._lib = class_path(HADOOP, print).lib
        jars = resolve(_HERE / "pom.xml", "what the testbed runs")
        self._examples, asm = _of(jars, "hadoop-mapreduce-examples"), _of(jars, "asm")
        self._agent = build_jar(
            machine.folder / "faults.jar",
            _HERE / "agent",
            class_path=f"{self._lib}/*:{asm}",
            manifest={"Premain-Class": "FaultAgent", "Class-Path": asm.as_uri()},
        )
        # With the class that Pig looks for and its release has not.
        missing = build_jar(machine.folder / "pig-missing.jar", _PIG / "java")
        self._pig = (missing, *resolve(_PIG / "pom.xml", "Pig"))

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
        self._wait(self.is_whole)

    def limit(self) -> None:
        """Give each node its share of a processor."""
        self.master.set_share(self._share_of_master)
        for node in self.slaves:
            node.set_share(self.share)

    def unlimit(self) -> None:
        """Give all nodes what there is, for what is not recorded."""
        for node in self._machine.nodes.values():
            node.set_share(None)

    def run(self, what: str, main: str, *arguments: str) -> int:
        """Run a client on the master, to its end; its exit code, -9 if that was too late."""
        client = self._java(self.master, what, main, *arguments)
        try:
            return client.wait(_LONGEST_CLIENT_S)
        except subprocess.TimeoutExpired:
            client.kill()
            return client.wait()

    def example(
        self, what: str, program: str, settings: Mapping[str, str | int], *arguments: str
    ) -> subprocess.Popen[bytes]:
        """Start a program of Hadoop's examples."""
        given = [f"-D{key}={value}" for key, value in settings.items()]
        main = "org.apache.hadoop.util.RunJar"
        return self._java(self.master, what, main, str(self._examples), program, *given, *arguments)

    def pig(
        self, what: str, settings: Mapping[str, str | int], script: str
    ) -> subprocess.Popen[bytes]:
        """Start a script of Pig."""
        path = self._machine.folder / f"{what}.pig"
        path.write_text(script)
        # Hadoop 3 has commons-collections no more, and Pig reads what its jobs pass on with it.
        more = {"pig.additional.jars": _of(self._pig, "commons-collections")}
        # Pig asks for the parallel collector itself, and a JVM takes but one.
        options = {f"mapreduce.{kind}.java.opts": _TASK_JVM for kind in _TASKS} | dict(settings)
        given = [
            f"-D{key}={str(value).replace(_SERIAL, '')}"
            for key, value in {**options, **more}.items()
        ]
        return self._java(
            self.master, what, "org.apache.pig.Main", *given, "-l", str(self._machine.folder),
            str(path), jars=self._pig,
        )  # fmt: skip

    def with_agent(self) -> dict[str, str]:
        """Settings of a job whose tasks have the agent that makes faults."""
        agent = f"-javaagent:{self._agent}={self._machine.folder}"
        return {f"mapreduce.{kind}.java.opts": f"{_TASK_JVM} {agent}" for kind in ("map", "reduce")}

    def faults_of(self, node: Node) -> Path:
        """The folder in which the agent looks for the faults of a node."""
        folder = self._machine.folder / node.name / "faults"
        folder.mkdir(exist_ok=True)
        return folder

    def end(self, what: str, client: subprocess.Popen[bytes]) -> None:
        """Kill the job that a client waits for; its history says so."""
        jobs = _SUBMITTED.findall(self.log(self.master, what).read_text())
        if jobs:
            main = "org.apache.hadoop.mapred.JobClient"
            self.run("kill", main, "-kill", f"job_{jobs[-1]}")
        try:
            client.wait(_LONGEST_END_S)
        except subprocess.TimeoutExpired:
            client.kill()
            client.wait()

    def clear(self, *folders: str) -> bool:
        """Wait until no process of a job is left, and delete folders of HDFS.

        Returns:
            Whether the cluster is as it was before.
        """
        deadline = time.monotonic() + _LONGEST_END_S
        while any(_is_of_job(pid) for pid in self._members()):
            if time.monotonic() > deadline:
                return False
            time.sleep(_LOOK_S)
        shell = "org.apache.hadoop.fs.FsShell"
        self.run("clear", shell, "-rm", "-r", "-f", "-skipTrash", *folders)
        return self.is_whole()

    def _members(self) -> list[int]:
        return [pid for node in self._machine.nodes.values() for pid in node.members()]

    def log(self, node: Node, what: str) -> Path:
        """What a process of a node printed."""
        return self._machine.folder / node.name / "logs" / f"{what}.log"

    def _java(
        self,
        node: Node,
        what: str,
        main: str,
        *arguments: str,
        heap_mb: int = 192,
        jars: Sequence[Path] = (),
    ) -> subprocess.Popen[bytes]:
        home = self._machine.folder / node.name
        classes = [str(home / "conf"), f"{self._lib}/*", *map(str, jars)]
        return node.start(
            what,
            [
                "java", f"-Xmx{heap_mb}m", *_SMALL_JVM, _OPENED,
                f"-Dhadoop.tmp.dir={node.disk / 'tmp'}",
                "-cp", ":".join(classes), main, *arguments,
            ],
            log=self.log(node, what),
            environment={"HADOOP_USER_NAME": "mprof", "HADOOP_CONF_DIR": str(home / "conf")},
        )  # fmt: skip

    def is_whole(self) -> bool:
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
        told = _LOG4J if node is self.master else _LOG4J + _TELL_MORE
        (conf / "log4j.properties").write_text(told)

    def _sites(self, node: Node) -> dict[str, dict[str, str]]:
        is_master = node is self.master
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
                "mapreduce.map.java.opts": _TASK_JVM,
                "mapreduce.reduce.java.opts": _TASK_JVM,
                "mapreduce.task.io.sort.mb": "32",
                "mapreduce.reduce.shuffle.parallelcopies": "3",
                # Reducers that wait would take the room of mappers: a node has one for both.
                "mapreduce.job.reduce.slowstart.completedmaps": "0.8",
                "yarn.app.mapreduce.am.resource.mb": str(_MASTER_MB),
                "yarn.app.mapreduce.am.command-opts": f"-Xmx384m {_SMALL}",
                "yarn.app.mapreduce.am.staging-dir": "/staging",
                "yarn.app.mapreduce.am.hard-kill-timeout-ms": "30000",
                # There is no history server; Pig asks for it after each job.
                "yarn.app.mapreduce.client.max-retries": "1",
                "yarn.app.mapreduce.client.job.max-retries": "0",
                "mapreduce.jobhistory.intermediate-done-dir": "/history",
                "mapreduce.map.speculative": "false",
                "mapreduce.reduce.speculative": "false",
            },
        }


def _of(jars: Sequence[Path], name: str) -> Path:
    """The one of these jars that has this name, with any version."""
    (found,) = (jar for jar in jars if jar.name.rpartition("-")[0] == name)
    return found


def _is_of_job(pid: int) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return any(word.endswith(_OF_JOBS) for word in words)


def _xml(properties: Mapping[str, str]) -> str:
    rows = [
        f"<property><name>{escape(name)}</name><value>{escape(value)}</value></property>"
        for name, value in properties.items()
    ]
    return "\n".join(["<configuration>", *rows, "</configuration>", ""])
