"""Where the columns of a heap lie: in memory, or where they would not fit, in files without a name.

A file is opened without a name, or unlinked right after, so that nothing stays of it however the
process ends. Its blocks are reserved before it is mapped: a disk that is full is an error here, not
a signal in the middle of a search. A column that is done with gives its blocks back at once.
Mapped files are page cache: what there is of memory holds what is in use, and the system writes the
rest out; a control group with a limit does not kill a process for them.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mprof.errors import EvidenceError, UsageError
from mprof.io.memory import Room, lies_in_memory, memory_room
from mprof.kernels.cores import on_all_cores
from mprof.kernels.spare import Spare
from mprof.units import MIB, format_bytes, format_count, parse_jvm_size

__all__ = ["LIMIT_VARIABLE", "Storage", "storage_for"]

LIMIT_VARIABLE: Final = "MPROF_HEAP_MEMORY"
"""How much memory the columns of a heap may take, as ``900m`` or ``4g``; else what there is."""

_BYTES_PER_OBJECT: Final = 64
"""Of the whole process at its most, measured 53 to 64 on dumps of 5.7, 25 and 73 million objects;
4 of them lie in memory in any case."""

_KEPT_FREE_BYTES: Final = 64 * MIB
"""Of memory and of the disk: others need some, too."""

_SMALLEST: Final = 1 * MIB
"""Arrays below that are in memory in any case."""

_STEP: Final = 64 * MIB


class Storage:
    """Makes the columns of one heap.

    Attributes:
        on_disk: whether they lie in files.
        reason: in words, where they lie and why.
    """

    def __init__(self, *, on_disk: bool, reason: str = "") -> None:
        self.on_disk = on_disk
        self.reason = reason
        self._taken = 0
        self._most = 0

    @property
    def most_bytes(self) -> int:
        """How many bytes lay in files at once, at most."""
        return self._most

    def empty(self, count: int, dtype: DTypeLike) -> NDArray[Any]:
        """An uninitialised array.

        Raises:
            EvidenceError: if the disk has no room for it.
        """
        return self.growing(count, dtype, used=count)[0]

    def scattered(self, count: int, dtype: DTypeLike) -> NDArray[Any]:
        """The same, for an array that a search reads here and there.

        Else a page that is missed is read with megabytes around it, which pushes others out.
        """
        return self.growing(count, dtype, used=count, scattered=True)[0]

    def growing(
        self, count: int, dtype: DTypeLike, *, used: int = 0, scattered: bool = False
    ) -> tuple[NDArray[Any], Callable[[int], None]]:
        """An uninitialised array of which only the beginning has room, and what makes more.

        Args:
            count: how many elements it may have at most.
            dtype: their type.
            used: how many have room from the start.
            scattered: whether it is read here and there, rather than in order.

        Returns:
            The array, and a function that has to be called with the number of elements that are to
            be written, before they are. It raises as :meth:`empty` does.
        """
        size = count * np.dtype(dtype).itemsize
        if not self.on_disk or size < _SMALLEST:
            return np.empty(count, dtype), lambda _used: None
        width = np.dtype(dtype).itemsize
        reserved = 0
        try:
            file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 kept open by what grows it
            os.ftruncate(file.fileno(), size)
        except OSError as error:
            raise _no_room(size, error) from error

        def reserve(elements: int) -> None:
            nonlocal reserved
            wanted = min(size, -(-elements * width // _STEP) * _STEP)
            if wanted <= reserved:
                return
            try:
                os.posix_fallocate(file.fileno(), reserved, wanted - reserved)
            except OSError as error:
                raise _no_room(wanted - reserved, error) from error
            self._count(wanted - reserved)
            reserved = wanted

        def release() -> None:
            file.close()
            self._count(-reserved)

        try:
            reserve(used)
            mapping = mmap.mmap(file.fileno(), size, flags=mmap.MAP_SHARED)
        except EvidenceError:
            release()
            raise
        except OSError as error:  # of a process whose address space is limited
            release()
            raise _no_room(size, error) from error
        if scattered:
            mapping.madvise(mmap.MADV_RANDOM)
        weakref.finalize(mapping, release)
        return np.frombuffer(mapping, dtype, count), reserve

    def _count(self, size: int) -> None:
        self._taken += size
        self._most = max(self._most, self._taken)

    def copy(self, array: NDArray[Any]) -> NDArray[Any]:
        """A copy, made on all cores."""
        result = self.empty(array.size, array.dtype)
        on_all_cores(lambda start, end: np.copyto(result[start:end], array[start:end]), array.size)
        return result

    def spare(self, room: NDArray[Any]) -> Spare:
        """Passes memory on; of files it keeps none, since new ones need not be read first.

        Args:
            room: memory for a start.
        """
        spare = Spare(self.empty, self.scattered, keeps=not self.on_disk)
        spare.give(room)
        return spare

    def room(self, size: int) -> NDArray[np.uint8]:
        """So many bytes at once, of which only those that are written are ever touched.

        Nothing where columns lie on disk: there each has a file of its own.
        """
        return np.empty(0 if self.on_disk else size, np.uint8)


def storage_for(objects: int) -> Storage:
    """In memory if the columns of so many objects fit there, else on disk.

    Raises:
        EvidenceError: if the disk has no room for them either.
        UsageError: if the environment asks for what is no size.
    """
    room = _room()
    size = objects * _BYTES_PER_OBJECT
    words = f"the columns of {format_count(objects)} objects take up to {format_bytes(size)}"
    if room is None or size + _KEPT_FREE_BYTES <= room.size_bytes:
        return Storage(on_disk=False, reason=f"{words}, in memory")
    there = f"{format_bytes(room.size_bytes)} of memory are left by {room.limit}"
    folder = _folder()
    try:
        disk = os.statvfs(folder)
    except OSError as error:
        raise _no_room(size, error) from error
    free = disk.f_bavail * disk.f_frsize
    in_memory = lies_in_memory(Path(folder))
    if in_memory or free < size + _KEPT_FREE_BYTES:
        room_there = f"{format_bytes(free)} are free in {folder}"
        why = f"{folder} lies in memory too" if in_memory else room_there
        raise EvidenceError(
            f"{words}; {there}, and {why}",
            next_step="set TMPDIR to a folder on a disk with that much room, or "
            f"{LIMIT_VARIABLE} to more than that, to try it in memory",
        )
    return Storage(on_disk=True, reason=f"{words}; {there}: they lie in {folder}, without a name")


def _room() -> Room | None:
    chosen = os.environ.get(LIMIT_VARIABLE)
    if chosen is None:
        return memory_room()
    try:
        return Room(parse_jvm_size(chosen), LIMIT_VARIABLE)
    except ValueError as error:
        raise UsageError(
            f"{LIMIT_VARIABLE} is {chosen!r}, which is no size",
            next_step="write it as 900m or 4g",
        ) from error


def _no_room(size: int, error: OSError) -> EvidenceError:
    return EvidenceError(
        f"a column of the heap, {format_bytes(size)}, cannot be kept in {_folder()}: "
        f"{error.strerror or error}",
        next_step="set TMPDIR to a folder with room for it, or give it more memory",
    )


def _folder() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:
        return "a temporary folder"
