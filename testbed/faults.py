"""Faults that are made on one node, and taken back."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

from testbed.cluster import Cluster
from testbed.machine import DISK_BYTES_PER_S, Node, limit_disk

__all__ = ["BY_AGENT", "FAULTS", "OF_MASTER", "OF_REDUCERS", "UNMENDED"]

HOG_SHARE: Final = 0.7
"""Of the node's processor share, as in the papers."""
_HOG_WEIGHT: Final = 100 * 1024
_SPIN: Final = "while True: pass"
_WRITE: Final = """\
import os, sys
path, size = sys.argv[1], int(sys.argv[2])
block = b"x" * (1 << 20)
while True:
    with open(path, "wb", buffering=0) as stream:
        for _ in range(size >> 20):
            stream.write(block)
            os.fdatasync(stream.fileno())
"""
_HOG_FILE_BYTES: Final = 400 << 20
_LEFT_BYTES: Final = 4 << 20
_BUCKET: Final = ("tbf", "rate", "1mbit", "burst", "16kb", "latency", "400ms")
_STOPPED_S: Final = 20.0
_RUNS_S: Final = 5.0
_LOOK_S: Final = 0.5
_TIMES: Final = (1.5, 2.0, 4.0)
_MIDWAY_S: Final = 130.0
_AT_TIMES_S: Final = 45.0

Fault = Callable[[Cluster, Node], AbstractContextManager[None]]


@contextmanager
def cpu_hog(cluster: Cluster, node: Node) -> Iterator[None]:
    """A program that takes 70 % of the node's share of the processors, whoever else wants it."""
    groups = {group.parents[1].name: group for group in node.groups()}
    hog = groups["cpu"] / "hog"
    hog.mkdir()
    try:
        quota = int((groups["cpu"] / "cpu.cfs_quota_us").read_text())
        (hog / "cpu.cfs_quota_us").write_text(str(int(quota * HOG_SHARE)))
        (hog / "cpu.shares").write_text(str(_HOG_WEIGHT))
        with _program(cluster, node, "hog", sys.executable, "-c", _SPIN) as pid:
            (hog / "cgroup.procs").write_text(str(pid))
            yield
    finally:
        _remove_group(hog)


@contextmanager
def disk_hog(cluster: Cluster, node: Node) -> Iterator[None]:
    """A program that writes files to the node's disk, one after the other, as fast as it takes."""
    path = node.disk / "hog"
    size = str(_HOG_FILE_BYTES)
    with contextlib.ExitStack() as stack:
        stack.callback(path.unlink, missing_ok=True)
        stack.enter_context(
            _program(cluster, node, "hog", sys.executable, "-c", _WRITE, str(path), size)
        )
        yield


@contextmanager
def disk_full(_: Cluster, node: Node) -> Iterator[None]:
    """A file that takes the room that the node's disk has left."""
    path = node.disk / "filling"
    room = os.statvfs(node.disk)
    size = room.f_bavail * room.f_frsize - _LEFT_BYTES
    with path.open("wb") as stream:
        os.posix_fallocate(stream.fileno(), 0, size)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def packet_loss(share: float) -> Fault:
    """The node loses that share of the packets that it sends, and of those that it gets.

    What it sends is dropped by whoever gets it: a packet that its own kernel refuses to send is not
    lost to TCP, which tries it again at once.
    """

    @contextmanager
    def lose(cluster: Cluster, node: Node) -> Iterator[None]:
        by_chance = ["-m", "statistic", "--mode", "random", "--probability", str(share)]
        others = [each for each in (cluster.master, *cluster.slaves) if each is not node]
        rules = [(node, ["INPUT", "-i", "eth0", *by_chance, "-j", "DROP"])]
        rules += [
            (each, ["INPUT", "-s", node.address, *by_chance, "-j", "DROP"]) for each in others
        ]
        with contextlib.ExitStack() as undo:
            for where, rule in rules:
                tables = ["ip", "netns", "exec", where.namespace, "iptables", "-w"]
                subprocess.run([*tables, "-A", *rule], check=True)
                undo.callback(subprocess.run, [*tables, "-D", *rule], check=True)
            yield

    return lose


def tasks_stop(kind: str) -> Fault:
    """The tasks of a kind (``m``, ``r``) on the node stop where they are, and run on at the end."""

    @contextmanager
    def stop(_: Cluster, node: Node) -> Iterator[None]:
        stopped: set[int] = set()

        def look() -> None:
            for pid in node.members():
                if pid not in stopped and _is_task(pid, kind) and _signal(pid, signal.SIGSTOP):
                    stopped.add(pid)

        with _repeating(look):
            yield
        for pid in stopped:
            _signal(pid, signal.SIGCONT)

    return stop


def in_tasks(fault: str) -> Fault:
    """The tasks on the node find the fault at the places that the agent knows."""

    @contextmanager
    def make(cluster: Cluster, node: Node) -> Iterator[None]:
        mark = cluster.faults_of(node) / fault
        mark.touch()
        try:
            yield
        finally:
            mark.unlink()

    return make


@contextmanager
def slow_network(_: Cluster, node: Node) -> Iterator[None]:
    """The node sends and gets no more than 1 Mbit/s."""
    switch = f"{node.prefix}-switch"
    ends = [["-n", node.namespace, "eth0"], ["-n", switch, f"port{node.number}"]]
    for *where, device in ends:
        subprocess.run(["tc", *where, "qdisc", "add", "dev", device, "root", *_BUCKET], check=True)
    try:
        yield
    finally:
        for *where, device in ends:
            subprocess.run(["tc", *where, "qdisc", "del", "dev", device, "root"], check=True)


def daemon_stop(what: str) -> Fault:
    """A daemon of the node stands still for 20 s, runs for 5 s, and so on."""

    @contextmanager
    def stop(_: Cluster, node: Node) -> Iterator[None]:
        pid = node.processes[what].pid
        over = threading.Event()

        def alternate() -> None:
            while not over.is_set():
                _signal(pid, signal.SIGSTOP)
                over.wait(_STOPPED_S)
                _signal(pid, signal.SIGCONT)
                over.wait(_RUNS_S)

        thread = threading.Thread(target=alternate)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    return stop


@contextmanager
def node_down(_: Cluster, node: Node) -> Iterator[None]:
    """Every process of the node but the one that collects its metrics is killed, for good."""
    kept = node.processes["collect"].pid
    for pid in node.members():
        if pid != kept:
            _signal(pid, signal.SIGKILL)
    yield


def slow_cpu(times: float) -> Fault:
    """The node has its share of a processor, divided by that number."""

    @contextmanager
    def slow(cluster: Cluster, node: Node) -> Iterator[None]:
        node.set_share(cluster.share / times)
        try:
            yield
        finally:
            # At the end of a run every node has all that there is, and keeps it.
            if node.is_limited():
                node.set_share(cluster.share)

    return slow


def slow_disk(times: float) -> Fault:
    """The node's disk reads and writes at its speed, divided by that number."""

    @contextmanager
    def slow(_: Cluster, node: Node) -> Iterator[None]:
        limit_disk(node, round(DISK_BYTES_PER_S / times))
        try:
            yield
        finally:
            limit_disk(node, DISK_BYTES_PER_S)

    return slow


def midway(fault: Fault) -> Fault:
    """A fault that comes 130 s late."""
    return _scheduled(fault, first_s=_MIDWAY_S, on_s=None, off_s=0)


def at_times(fault: Fault) -> Fault:
    """A fault that is there for 45 s, away for 45 s, and so on."""
    return _scheduled(fault, first_s=0, on_s=_AT_TIMES_S, off_s=_AT_TIMES_S)


def _scheduled(fault: Fault, *, first_s: float, on_s: float | None, off_s: float) -> Fault:
    @contextmanager
    def make(cluster: Cluster, node: Node) -> Iterator[None]:
        over = threading.Event()

        def follow() -> None:
            over.wait(first_s)
            while not over.is_set():
                with fault(cluster, node):
                    over.wait(on_s)
                over.wait(off_s)

        thread = threading.Thread(target=follow)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    return make


FAULTS: Final[dict[str, Fault]] = {
    "cpu-hog": cpu_hog,
    "disk-hog": disk_hog,
    "disk-full": disk_full,
    "packet-loss-1": packet_loss(0.01),
    "packet-loss-5": packet_loss(0.05),
    "packet-loss-50": packet_loss(0.5),
    "slow-network": slow_network,
    "map-hang": in_tasks("map-hang"),
    "reduce-hang": in_tasks("reduce-hang"),
    "checksum-error": in_tasks("checksum-error"),
    "map-stop": tasks_stop("m"),
    "reduce-stop": tasks_stop("r"),
    "node-manager-stop": daemon_stop("nodemanager"),
    "resource-manager-stop": daemon_stop("resourcemanager"),
    "node-down": node_down,
    "node-down-midway": midway(node_down),
    "cpu-hog-at-times": at_times(cpu_hog),
    **{f"slow-cpu-{times:g}": slow_cpu(times) for times in _TIMES},
    **{f"slow-disk-{times:g}": slow_disk(times) for times in _TIMES},
}
"""By name. Each is a context: the fault is there inside it."""

OF_REDUCERS: Final = frozenset({"reduce-hang", "reduce-stop", "checksum-error"})
"""A workload without reducers does not meet them, and others late."""

OF_MASTER: Final = frozenset({"resource-manager-stop"})
"""Those that are made on the master."""

BY_AGENT: Final = frozenset({"map-hang", "reduce-hang", "checksum-error"})
"""Those that tasks find only if they have the agent."""

UNMENDED: Final = frozenset({"disk-full", "node-down", "node-down-midway"})
"""Those after which the cluster is started anew."""


@contextmanager
def _program(cluster: Cluster, node: Node, what: str, *command: str) -> Iterator[int]:
    process = node.start(what, command, log=cluster.log(node, what))
    try:
        yield process.pid
    finally:
        _signal(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def _repeating(look: Callable[[], None]) -> Iterator[None]:
    over = threading.Event()

    def run() -> None:
        while not over.wait(_LOOK_S):
            look()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _is_task(pid: int, kind: str) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return any(word.endswith(b".YarnChild") for word in words) and any(
        word.startswith(b"attempt_") and f"_{kind}_".encode() in word for word in words
    )


def _signal(pid: int, number: signal.Signals) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def _remove_group(group: Path) -> None:
    """A group can be removed once its last process has been waited for."""
    for pid in (group / "cgroup.procs").read_text().split():
        with contextlib.suppress(ProcessLookupError, OSError):
            (group.parent / "cgroup.procs").write_text(pid)
    group.rmdir()
