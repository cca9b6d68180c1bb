"""A file that becomes shorter while it is mapped ends the reading of it, not the program.

A heap dump is mapped, not copied. The kernel answers an access behind the end of a mapped file
with SIGBUS, which ends a program without a word. Here the rest of that mapping is replaced by
zeros, so that whatever was reading goes on to the next point where Python may raise an error.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

from mprof.errors import EvidenceError

__all__ = ["raise_where_files_shrink"]

# struct sigaction of the C libraries of Linux on 64-bit processors: handler, mask, flags, restorer.
_MASK_BYTES: Final = 128
_SA_SIGINFO: Final = 4
_SA_ONSTACK: Final = 0x08000000
_ADDRESS_AT: Final = 16  # si_addr in siginfo_t, behind three ints and the alignment
_MAP_FIXED: Final = 0x10
_MAP_FAILED: Final = 2**64 - 1

_OWN: Final = getattr(signal, "SIGRTMIN", signal.SIGTERM)
"""The signal by which a fault in any thread reaches the main one; real-time signals mean nothing
else."""

_HANDLER: Final = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class _Action(ctypes.Structure):
    _fields_ = (
        ("handler", _HANDLER),
        ("mask", ctypes.c_char * _MASK_BYTES),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


_kept: list[Any] = []  # what the C library refers to
_shrunk: list[str] = []


def raise_where_files_shrink() -> None:
    """From now on an `EvidenceError` is raised in the main thread instead; on Linux only.

    To be called once, by a program of mprof's own and in its main thread: a signal belongs to the
    whole process.
    """
    if not sys.platform.startswith("linux") or sys.maxsize < 2**32:
        return
    signal.signal(_OWN, _raise)
    main = threading.get_ident()
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_size_t
    library.mmap.argtypes = (
        ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
    )  # fmt: skip

    def on_fault(number: int, info: int, _context: int) -> None:
        """Runs in the thread that read, at the place where it read; it goes on there."""
        address = ctypes.c_size_t.from_address(info + _ADDRESS_AT).value
        found = _mapping_at(address)
        if found is None:
            signal.signal(number, signal.SIG_DFL)  # another fault: it ends the program, as ever
            return
        if found.path:  # else another thread has met it, and replaced it
            start = min(address & -mmap.PAGESIZE, found.end_of_file)
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED
            size = found.end - start
            if library.mmap(start, size, mmap.PROT_READ, flags, -1, 0) == _MAP_FAILED:
                signal.signal(number, signal.SIG_DFL)
                return
            _shrunk.append(found.path)
        if _shrunk:
            signal.pthread_kill(main, _OWN)  # held back until this function has returned

    _kept.append(on_fault.__code__)
    everything = b"\xff" * _MASK_BYTES
    action = _Action(handler=_HANDLER(on_fault), mask=everything, flags=_SA_SIGINFO | _SA_ONSTACK)
    _kept.append(action)
    library.sigaction(int(signal.SIGBUS), ctypes.byref(action), None)


class _Mapping(NamedTuple):
    """A part of the address space; without a path it is no file's."""

    path: str
    end: int
    end_of_file: int


def _mapping_at(address: int) -> _Mapping | None:
    """The mapping that an address is in; None for what is not for reading only, as dumps are."""
    for line in Path("/proc/self/maps").read_text(errors="surrogateescape").splitlines():
        bounds, mode, offset, _device, inode, *path = line.split(None, 5)
        low, high = (int(bound, 16) for bound in bounds.split("-"))
        if low <= address < high:
            if not mode.startswith("r--"):
                return None
            whole = _pages_of(path[0], int(inode)) if path else None
            beyond = high if whole is None else low + max(0, whole - int(offset, 16))
            return _Mapping(path[0] if path else "", high, beyond)
    return None


def _pages_of(path: str, inode: int) -> int | None:
    """Bytes of the pages that a file still has; None where the name is another file's by now."""
    try:
        now = os.stat(path)  # noqa: PTH116 the least that can go wrong here
    except OSError:
        return None
    return -(-now.st_size // mmap.PAGESIZE) * mmap.PAGESIZE if now.st_ino == inode else None


def _raise(_number: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code in _kept:
            return  # another fault is being met, after which the signal comes again
        frame = frame.f_back
    if not _shrunk:
        return
    path = _shrunk.pop()
    _shrunk.clear()
    raise EvidenceError(
        f"{path.removesuffix(' (deleted)')} became shorter while it was read",
        next_step="wait until it is written or copied, and try again",
    )
