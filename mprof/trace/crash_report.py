"""What a JVM writes of its own end for lack of native memory: ``hs_err_pid*.log``, or its head.

HotSpot: ``VMError::report``, ``report_vm_out_of_memory``, ``os::print_memory_info``,
``os::Linux::print_full_memory_info`` and the cgroup information of JDK 10 and later. The head alone
goes to standard output.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from mprof.units import KIB, parse_jvm_size

__all__ = ["CrashReport", "parse_crash_report"]

_ASKED: Final = re.compile(
    r"Native memory allocation \((\w+)\) failed to (?:map|allocate) (\d{1,18}) bytes"
)
_MEMORY: Final = re.compile(
    r"^Memory: \d+k page, physical (\d{1,15})k ?\((\d{1,15})k free(?:, \d{1,15}k available)?\)"
    r"(?:, swap (\d{1,15})k ?\((\d{1,15})k free\))?",
    re.MULTILINE,
)
_AVAILABLE: Final = re.compile(r"^MemAvailable: +(\d{1,15}) kB", re.MULTILINE)
_XMX: Final = re.compile(
    r"^(?:jvm_args|VM Arguments|Command Line): [^\n]*-Xmx(\d{1,15}[kKmMgG]?)(?=\s)", re.MULTILINE
)
_GROUP: Final = re.compile(
    r"^(?:memory_limit_in_bytes|maximum memory limit): (\d{1,18})( k)?\s*$", re.MULTILINE
)
# a generation, or the whole heap of G1
_PART: Final = re.compile(
    r"^ *(?!Metaspace|class space)\S[^\n]{0,40}? total (\d{1,15})K, used (\d{1,15})K", re.MULTILINE
)
# of a signal, by what was to be done and in which library or method
_SIGNAL: Final = re.compile(r"^#? *(SIG[A-Z]{2,6}) \(0x[0-9a-f]+\) at pc=", re.MULTILINE)
_FRAME: Final = re.compile(
    r"^#? *Problematic frame:\s*\n#? *([A-Za-z] +\S[^\n]{0,200}?)\s*$", re.MULTILINE
)
_HEAD: Final = "insufficient memory for the Java Runtime Environment"


@dataclass(frozen=True, slots=True)
class CrashReport:
    """The memory of the process and of its machine, as the report has them.

    Attributes:
        asked_bytes: that the operating system refused; None where it is not a size.
        is_mapped: whether they were to be mapped, as a heap is, and not taken by malloc().
        heap_max_bytes: ``-Xmx`` of its command.
        heap_used_bytes: of what its heap had so far.
        heap_bytes: that it had so far.
        machine_bytes: of the machine.
        free_bytes: of the machine, without what its page cache would give back.
        available_bytes: with that, as newer kernels say it.
        swap_bytes: of the machine.
        swap_free_bytes: of it.
        group_bytes: the limit of its control group.
        signal: that it died of, where it did of one.
        frame: what it ran then: a library and a place in it, or a method.
    """

    asked_bytes: int | None = None
    is_mapped: bool = False
    heap_max_bytes: int | None = None
    heap_used_bytes: int | None = None
    heap_bytes: int | None = None
    machine_bytes: int | None = None
    free_bytes: int | None = None
    available_bytes: int | None = None
    swap_bytes: int | None = None
    swap_free_bytes: int | None = None
    group_bytes: int | None = None
    signal: str = ""
    frame: str = ""


def parse_crash_report(lines: Iterable[str]) -> CrashReport | None:
    """The report in some lines; None where they hold none of a refused request or of a signal."""
    text = "\n".join(lines)
    asked, signal, frame = _ASKED.search(text), _SIGNAL.search(text), _FRAME.search(text)
    if asked is None and signal is None and _HEAD not in text:
        return None
    memory, available = _MEMORY.search(text), _AVAILABLE.search(text)
    xmx, group = _XMX.search(text), _GROUP.search(text)
    parts = [(int(total), int(used)) for total, used in _PART.findall(text)]
    return CrashReport(
        asked_bytes=int(asked[2]) if asked is not None else None,
        is_mapped=asked is not None and asked[1] == "mmap",
        heap_max_bytes=parse_jvm_size(xmx[1]) if xmx is not None else None,
        heap_used_bytes=sum(used for _, used in parts) * KIB if parts else None,
        heap_bytes=sum(total for total, _ in parts) * KIB if parts else None,
        machine_bytes=_kilobytes(memory, 1),
        free_bytes=_kilobytes(memory, 2),
        available_bytes=_kilobytes(available, 1),
        swap_bytes=_kilobytes(memory, 3),
        swap_free_bytes=_kilobytes(memory, 4),
        group_bytes=int(group[1]) * (KIB if group[2] else 1) if group is not None else None,
        signal=signal[1] if signal is not None else "",
        frame=frame[1] if signal is not None and frame is not None else "",
    )


def _kilobytes(found: re.Match[str] | None, group: int) -> int | None:
    return int(found[group]) * KIB if found is not None and found[group] else None
