"""Counters of the Linux kernel that psutil does not give."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Final

from mprof.io.files import UnreadableError, read_file

__all__ = ["PROC", "counted_by_network", "devices", "named_numbers", "read_text", "run_queue"]

PROC: Final = Path("/proc")
_LIMIT_BYTES: Final = 4 << 20


def read_text(path: Path) -> bytes | None:
    """A file of the kernel; None if this kernel has none of that name, or does not show it."""
    try:
        return read_file(path, limit_bytes=_LIMIT_BYTES)
    except UnreadableError:
        return None


def run_queue(text: bytes) -> tuple[int, int] | None:
    """How many tasks can run, the one that asks not counted, and how many there are.

    Of ``/proc/loadavg`` (proc(5)); sar(1) leaves itself out too.

    >>> run_queue(b"0.20 0.18 0.12 3/80 11206")
    (2, 80)
    """
    fields = text.split()
    running, slash, tasks = fields[3].partition(b"/") if len(fields) > 3 else (b"", b"", b"")
    if not slash or not running.isdigit() or not tasks.isdigit():
        return None
    return max(int(running) - 1, 0), int(tasks)


def named_numbers(text: bytes) -> dict[str, int]:
    r"""The lines of ``/proc/vmstat``, ``cpu.stat`` and the like: a name and a number each.

    >>> named_numbers(b"pgpgin 12\npgfault 5\n")
    {'pgpgin': 12, 'pgfault': 5}
    """
    pairs = (line.split() for line in text.splitlines())
    return {
        pair[0].decode("ascii", "replace"): int(pair[1])
        for pair in pairs
        if len(pair) == 2 and pair[1].isdigit()
    }


def counted_by_network(text: bytes, name: bytes) -> int | None:
    r"""A counter of ``/proc/net/netstat`` or ``/proc/net/snmp``; None if it is not there.

    >>> counted_by_network(b"TcpExt: A TCPAbortOnData B\nTcpExt: 1 22 3\n", b"TCPAbortOnData")
    22
    """
    lines = text.splitlines()
    for names, numbers in pairwise(lines):
        words, values = names.split(), numbers.split()
        if name in words and words[0] == values[0] and len(values) == len(words):
            return int(values[words.index(name)])
    return None


def devices(kind: Path, names: frozenset[str]) -> frozenset[str]:
    """Which of these are hardware: what stands on top of it would be counted twice.

    Where none is, as inside a network namespace, all of them are taken.

    Args:
        kind: ``/sys/block`` or ``/sys/class/net``.
        names: of disks or of interfaces.
    """
    return frozenset(name for name in names if (kind / name / "device").exists()) or names
