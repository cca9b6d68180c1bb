"""Nodes on one machine: a namespace, a disk and a share of the processors each."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

__all__ = ["DISK_BYTES_PER_S", "Machine", "Node", "limit_disk"]

_CONTROLLERS: Final = ("cpu", "cpuacct", "memory", "blkio", "pids", "unified")
_GROUPS: Final = Path("/sys/fs/cgroup")
_PERIOD_US: Final = 100_000
_WEIGHT: Final = 1 << 18
"""Of all nodes together, against 1024 of a process outside: the most that the kernel takes."""
DISK_BYTES_PER_S: Final = 10 << 20
"""As slow as a node's share of a processor is small."""
_DIRTY_BYTES: Final = 8 << 20
"""What a disk may owe: who writes more waits for the disk, as where memory is scarce."""
_LONGEST_END_S: Final = 20.0
_NETWORK: Final = "10.77.0"


def _do(*command: str | Path) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def _number_of(device: str) -> str:
    """Major and minor number of a device."""
    return (Path("/sys/class/block") / Path(device).name / "dev").read_text().strip()


def limit_disk(node: Node, bytes_per_s: int) -> None:
    """Set how fast a node's disk reads and writes; 0 for as fast as it can.

    Groups of version 1 limit what is charged to them alone: the uppermost is charged what the
    kernel writes back later, the node's own what a process of the node waits for.
    """
    own = next(group for group in node.groups() if group.parents[1].name == "blkio")
    for group in (_GROUPS / "blkio", own):
        for way in ("read", "write"):
            limit = group / f"blkio.throttle.{way}_bps_device"
            if limit.exists():
                limit.write_text(f"{_number_of(node.device)} {bytes_per_s}")


@dataclass(slots=True)
class Node:
    """One node.

    Attributes:
        name: its host name.
        number: the last part of its address.
        disk: where its disk is mounted.
        prefix: of the names of all that the machine has made.
        hosts: its ``/etc/hosts``.
        device: the loop device of its disk.
        processes: that were started on it, by what they are.
    """

    name: str
    number: int
    disk: Path
    prefix: str
    hosts: Path
    device: str = ""
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def namespace(self) -> str:
        """Name of its network namespace."""
        return f"{self.prefix}-{self.name}"

    @property
    def address(self) -> str:
        """Its address in the network of the nodes."""
        return f"{_NETWORK}.{self.number}"

    def groups(self) -> tuple[Path, ...]:
        """Its control groups, one a controller."""
        return tuple(_GROUPS / one / self.prefix / self.name for one in _CONTROLLERS)

    def set_share(self, processors: float | None) -> None:
        """Give it that share of a processor at most; None for all that there is."""
        quota = -1 if processors is None else int(processors * _PERIOD_US)
        group = _GROUPS / "cpu" / self.prefix / self.name
        (group / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
        (group / "cpu.cfs_quota_us").write_text(str(quota))

    def is_limited(self) -> bool:
        """Whether it has a share of a processor, and not all that there is."""
        group = _GROUPS / "cpu" / self.prefix / self.name
        return int((group / "cpu.cfs_quota_us").read_text()) > 0

    def start(
        self,
        what: str,
        command: Sequence[str | Path],
        *,
        log: Path,
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a process on the node, under the name ``what``."""
        joined = "; ".join(f"echo $$ > {group}/cgroup.procs" for group in self.groups())
        inside = f'hostname {self.name}; mount --bind {self.hosts} /etc/hosts; exec "$@"'
        outside = (
            f"{joined}; exec nsenter --net=/run/netns/{self.namespace} -- "
            f"unshare --uts --mount sh -c '{inside}' sh \"$@\""
        )
        with log.open("ab") as stream:
            process = subprocess.Popen(
                ["sh", "-c", outside, "sh", *map(str, command)],
                stdout=stream,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
            )
        self.processes[what] = process
        return process

    def members(self) -> list[int]:
        """Ids of all processes of the node, those that others started too."""
        group = _GROUPS / "cpu" / self.prefix / self.name
        files = [group / "cgroup.procs", *group.glob("*/cgroup.procs")]
        return [int(line) for file in files for line in file.read_text().split()]


class Machine:
    """Makes nodes, and leaves nothing behind.

    Args:
        folder: for disks and logs; made if missing. Its name begins with that of the program, and
            ends with what `tempfile` adds.
        names: of the nodes, the master first.
        disk_mb: size of each disk.
        prefix: of the names of namespaces and control groups.
    """

    def __init__(
        self, folder: Path, names: Sequence[str], *, disk_mb: int = 1500, prefix: str = "mpt"
    ) -> None:
        self.folder = folder
        self._folder_prefix = folder.name.rpartition("-")[0]
        self._prefix = prefix
        self._disk_mb = disk_mb
        folder.mkdir(parents=True, exist_ok=True)
        hosts = folder / "hosts"
        numbered = list(enumerate(names, 1))
        lines = [f"{_NETWORK}.{number} {name}" for number, name in numbered]
        hosts.write_text("\n".join(["127.0.0.1 localhost", *lines, ""]))
        self.nodes = {
            name: Node(name, number, folder / name / "disk", prefix, hosts)
            for number, name in numbered
        }

    def __enter__(self) -> Machine:
        self._clear()
        try:
            self._build()
        except BaseException:
            self._clear()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()

    def _build(self) -> None:
        switch = f"{self._prefix}-switch"
        _do("ip", "netns", "add", switch)
        _do("ip", "-n", switch, "link", "add", "bridge", "type", "bridge")
        _do("ip", "-n", switch, "link", "set", "bridge", "up")
        for node in self.nodes.values():
            end = f"port{node.number}"
            _do("ip", "netns", "add", node.namespace)
            _do("ip", "-n", switch, "link", "add", end, "type", "veth",
                "peer", "name", "eth0", "netns", node.namespace)  # fmt: skip
            _do("ip", "-n", switch, "link", "set", end, "master", "bridge", "up")
            _do("ip", "-n", node.namespace, "link", "set", "lo", "up")
            _do("ip", "-n", node.namespace, "address", "add", f"{node.address}/24", "dev", "eth0")
            _do("ip", "-n", node.namespace, "link", "set", "eth0", "up")
            for group in node.groups():
                group.mkdir(parents=True)
            self._add_disk(node)
        # What else the machine does must not slow down one node or another.
        (_GROUPS / "cpu" / self._prefix / "cpu.shares").write_text(str(_WEIGHT))

    def _add_disk(self, node: Node) -> None:
        image = self.folder / node.name / "disk.img"
        node.disk.mkdir(parents=True, exist_ok=True)
        with image.open("wb") as stream:
            stream.truncate(self._disk_mb << 20)
        _do("mkfs.ext4", "-q", "-F", image)
        node.device = _do("losetup", "--find", "--show", image).strip()
        limit_disk(node, DISK_BYTES_PER_S)
        of_device = Path("/sys/class/bdi") / _number_of(node.device)
        (of_device / "strict_limit").write_text("1")
        (of_device / "max_bytes").write_text(str(_DIRTY_BYTES))
        _do("mount", node.device, node.disk)

    def _clear(self) -> None:
        """Processes first: a namespace lives as long as one of them."""
        for node in self.nodes.values():
            self._end_all(node)
        self._remove_disks()
        for node in self.nodes.values():
            for group in node.groups():
                for each in (*group.glob("*/"), group):  # a fault may have left a group within
                    if each.is_dir():
                        each.rmdir()
        for controller in _CONTROLLERS:
            with contextlib.suppress(FileNotFoundError):
                (_GROUPS / controller / self._prefix).rmdir()
        existing = {line.split()[0] for line in _do("ip", "netns", "list").splitlines() if line}
        for name in (*(node.namespace for node in self.nodes.values()), f"{self._prefix}-switch"):
            if name in existing:
                _do("ip", "netns", "delete", name)

    def _remove_disks(self) -> None:
        """Those of this machine, and of one that was killed: its folder had another name."""
        mounts = dict(line.split()[:2] for line in Path("/proc/mounts").read_text().splitlines())
        of_disks = _do("losetup", "--noheadings", "--output", "NAME,BACK-FILE").splitlines()
        for device, file in (line.split()[:2] for line in of_disks):
            image = Path(file)
            node = self.nodes.get(image.parent.name)
            if node is None or not image.parent.parent.name.startswith(self._folder_prefix):
                continue
            node.device = device
            if device in mounts:
                _do("umount", mounts[device])
            limit_disk(node, 0)
            _do("losetup", "--detach", device)
            image.unlink(missing_ok=True)

    def _end_all(self, node: Node) -> None:
        """Kill every process of the node's groups, and wait until there is none."""
        if not (_GROUPS / "cpu" / self._prefix / node.name).is_dir():
            return
        deadline = time.monotonic() + _LONGEST_END_S
        # Again and again: one of them may be starting another.
        while node.members() and time.monotonic() < deadline:
            for pid in node.members():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            for process in node.processes.values():
                process.poll()
            time.sleep(0.1)

    def remove_folders(self) -> None:
        """Delete what the nodes wrote beside their disks."""
        for node in self.nodes.values():
            shutil.rmtree(self.folder / node.name, ignore_errors=True)
