"""The files in which the control groups of a process count; both versions.

Which version a machine has is not asked: it may have both at once, with some controllers in each.
What is asked is which of the known files are there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from mprof.metrics.proc import named_numbers, read_text

__all__ = ["Groups"]

_MICRO: Final = 1e-6
_NANO: Final = 1e-9
_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
_PRESSURE: Final = re.compile(rb"^some .*\btotal=([0-9]+)", re.MULTILINE)
_OF_V2_DEVICE: Final = re.compile(rb"\b(rbytes|wbytes)=([0-9]+)")
_OF_V1_DEVICE: Final = re.compile(rb"^[0-9:]+ (Read|Write) ([0-9]+)$", re.MULTILINE)
_READS: Final = frozenset({b"rbytes", b"Read"})

# file, line (None: the file is one number), seconds; the first that is there is taken.
# Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/cpuacct.rst of Linux
_PROCESSOR: Final = {
    "user": (
        ("cpu.stat", "user_usec", _MICRO),
        ("cpuacct.usage_user", None, _NANO),
        ("cpuacct.stat", "user", _TICK_S),
    ),
    "system": (
        ("cpu.stat", "system_usec", _MICRO),
        ("cpuacct.usage_sys", None, _NANO),
        ("cpuacct.stat", "system", _TICK_S),
    ),
}
# of the group and those in it; version 1 has a line for the group alone too
_FAULTS: Final = ("total_pgfault", "pgfault")


class Groups:
    """Reads what control groups count.

    A file of the uppermost group counts the whole machine, and not this node: it is not read.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folder for folder in folders if not _is_uppermost(folder))

    def processor_s(self, metric: str) -> float | None:
        """Processor seconds, of ``user`` or ``system``."""
        for name, line, unit_s in _PROCESSOR[metric]:
            for text in self._texts(name):
                value = _number(text) if line is None else named_numbers(text).get(line)
                if value is not None:
                    return value * unit_s
        return None

    def processors(self, most: float) -> float:
        """How many processors the group may use: its quota, if it is less than there are."""
        for text in self._texts("cpu.max"):
            quota, _, period = text.strip().partition(b" ")
            if quota.isdigit() and period.isdigit() and int(period):
                return min(int(quota) / int(period), most)
        for text in self._texts("cpu.cfs_quota_us"):
            quota_us = _number(text)
            for text_of_period in self._texts("cpu.cfs_period_us"):
                period_us = _number(text_of_period)
                if quota_us and period_us:
                    return min(quota_us / period_us, most)
        return most

    def waited_s(self) -> float | None:
        """The time in which some task waited for a disk; None without pressure information."""
        for text in self._texts("io.pressure"):
            match = _PRESSURE.search(text)
            if match is not None:
                return int(match[1]) * _MICRO
        return None

    def moved_bytes(self) -> tuple[int, int] | None:
        """The bytes read from and written to all disks.

        Version 1 does not charge what the kernel writes back later.
        """
        for name, pattern in (
            ("io.stat", _OF_V2_DEVICE),
            ("blkio.throttle.io_service_bytes_recursive", _OF_V1_DEVICE),
            ("blkio.throttle.io_service_bytes", _OF_V1_DEVICE),
        ):
            for text in self._texts(name):
                found = [(kind in _READS, int(count)) for kind, count in pattern.findall(text)]
                read = sum(count for is_read, count in found if is_read)
                return read, sum(count for _, count in found) - read
        return None

    def faults(self) -> int | None:
        """Page faults, minor and major."""
        for text in self._texts("memory.stat"):
            lines = named_numbers(text)
            for name in _FAULTS:
                if name in lines:
                    return lines[name]
        return None

    def tasks(self) -> int | None:
        """Processes and threads."""
        for text in self._texts("pids.current"):
            return _number(text)
        return None

    def processes(self) -> frozenset[int]:
        """The ids of the processes in one of these groups, and in the groups below it."""
        for folder in self.folders:
            found = frozenset(
                int(line)
                for inner, _, files in os.walk(folder)
                if "cgroup.procs" in files
                for line in (read_text(Path(inner) / "cgroup.procs") or b"").split()
                if line.isdigit()
            )
            if found:
                return found
        return frozenset()

    def _texts(self, name: str) -> Iterator[bytes]:
        for folder in self.folders:
            text = read_text(folder / name)
            if text is not None:
                yield text


def _number(text: bytes) -> int | None:
    """The one number of a file; None for others, as the -1 of a quota that is none."""
    word = text.strip()
    return int(word) if word.isdigit() else None


def _is_uppermost(folder: Path) -> bool:
    """Of version 1 only the uppermost group has a release agent; of 2 only it has no events."""
    return (folder / "release_agent").exists() or (
        (folder / "cgroup.controllers").exists() and not (folder / "cgroup.events").exists()
    )
