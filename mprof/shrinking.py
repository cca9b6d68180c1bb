"""A file that becomes shorter while it is mapped ends the reading of it, not the program.

A heap dump is mapped, not copied. The kernel answers an access behind the end of a mapped file
with SIGBUS, which ends a program without a word. Here the rest of that mapping is replaced by
zeros, so that whatever was reading goes on to the next point where Python may raise an error.
"""

from __future__ import annotations

import _thread
import ctypes
import mmap
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any, Final

from mprof.errors import EvidenceError

__all__ = ["raise_where_files_shrink"]

# struct sigaction of the C libraries of Linux on 64-bit processors: handler, mask, flags, restorer.
_MASK_BYTES: Final = 128
_SA_SIGINFO: Final = 4
_SA_ONSTACK: Final = 0x08000000
_ADDRESS_AT: Final = 16  # si_addr in siginfo_t, behind three ints and the alignment
_MAP_FIXED: Final = 0x10
_MAP_FAILED: Final = 2**64 - 1

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
    signal.signal(signal.SIGBUS, _raise)  # what `interrupt_main` calls
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
        end, path = found
        if not path:
            return  # another thread has met it, and replaced it
        start = address & -mmap.PAGESIZE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED
        if library.mmap(start, end - start, mmap.PROT_READ, flags, -1, 0) == _MAP_FAILED:
            signal.signal(number, signal.SIG_DFL)
            return
        _shrunk.append(path)
        _thread.interrupt_main(signal.SIGBUS)

    action = _Action(handler=_HANDLER(on_fault), flags=_SA_SIGINFO | _SA_ONSTACK)
    _kept.append(action)
    library.sigaction(int(signal.SIGBUS), ctypes.byref(action), None)


def _mapping_at(address: int) -> tuple[int, str] | None:
    """The end and the file of the mapping that an address is in; the file is empty if it has none.

    None for what is not mapped for reading only, as dumps are.
    """
    for line in Path("/proc/self/maps").read_text(errors="surrogateescape").splitlines():
        bounds, mode, _offset, _device, _inode, *path = line.split(None, 5)
        low, high = (int(bound, 16) for bound in bounds.split("-"))
        if low <= address < high:
            return (high, path[0] if path else "") if mode.startswith("r--") else None
    return None


def _raise(_number: int, _frame: FrameType | None) -> None:
    path = _shrunk.pop() if _shrunk else "a file"
    raise EvidenceError(
        f"{path.removesuffix(' (deleted)')} became shorter while it was read",
        next_step="wait until it is written or copied, and try again",
    )
