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
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mprof.errors import EvidenceError, UsageError
from mprof.io.memory import Room, lies_in_memory, memory_room
from mprof.kernels.cores import on_all_cores, touch
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

_MOST_PARTS: Final = 6
"""Passes over a dump or over all references, each for some of the places that they write to."""

_MANY_STRETCHES: Final = 256 * MIB
"""Room for what is read around many places: devices read up to 8 MB around each."""

_READ_AHEAD: Final = 512 * 1024
"""So much is read ahead at once, by any kernel."""

_CACHE_SHARE: Final = 4
"""Of memory, one of so many parts is left for what is read and written in order."""


class Storage:
    """Makes the columns of one heap.

    Args:
        on_disk: whether they lie in files.
        reason: in words, where they lie and why.
        room_bytes: of memory, for columns on disk: for those that are read here and there, and for
            what the system keeps of the files.

    Attributes:
        on_disk: as above.
        reason: as above.
    """

    def __init__(self, *, on_disk: bool, reason: str = "", room_bytes: int = 0) -> None:
        self.on_disk = on_disk
        self.reason = reason
        self._room_bytes = room_bytes
        self._held = 0
        self._files: dict[int, Any] = {}  # by the address of the mapping
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
        """The same, for an array that a search reads here and there: in memory while there is room.

        In a file a page that is missed would be read with megabytes around it, which pushes others
        out; so those are read one by one.
        """
        size = count * np.dtype(dtype).itemsize
        if not self.on_disk or not _SMALLEST <= size <= self.left_bytes:
            return self.growing(count, dtype, used=count, scattered=True)[0]
        array: NDArray[Any] = np.empty(count, dtype)
        touch(array)  # what is not backed yet is not known to be taken
        self._hold(size)
        weakref.finalize(array, self._hold, -size)
        return array

    @property
    def left_bytes(self) -> int:
        """What of memory is left for arrays that are read here and there."""
        kept_free = max(_KEPT_FREE_BYTES, self._room_bytes // _CACHE_SHARE)
        return max(0, self._cache_bytes - kept_free)

    @property
    def _cache_bytes(self) -> int:
        """How much the system may keep of files: others take memory meanwhile, a compiler too."""
        now = memory_room()
        left = self._room_bytes - self._held
        return left if now is None else min(left, now.size_bytes)

    def _hold(self, size: int) -> None:
        self._held += size

    def read_anywhere(self, array: NDArray[Any]) -> NDArray[Any]:
        """The same array for what is read of it here and there while it is read in order, too.

        Of a file it is a second mapping: what is missed in that is read alone, unless there is room
        for the file and for what is read around each of many places.
        """
        file = self._files.get(array.ctypes.data)
        if file is None or max(array.nbytes, _MANY_STRETCHES) <= self._cache_bytes:
            return array
        try:
            mapping = mmap.mmap(file.fileno(), array.nbytes, prot=mmap.PROT_READ)
        except OSError as error:
            raise _no_room(array.nbytes, error) from error
        mapping.madvise(mmap.MADV_RANDOM)
        return np.frombuffer(mapping, array.dtype, array.size)

    def read_ahead(self, *arrays: NDArray[Any]) -> None:
        """Has arrays read in order that a search is about to read here and there, if they fit."""
        if not self.on_disk or sum(array.nbytes for array in arrays) > self._cache_bytes:
            return
        for array in arrays:
            file = self._files.get(array.ctypes.data)
            if file is not None:
                for at in range(0, array.nbytes, _READ_AHEAD):
                    os.posix_fadvise(file.fileno(), at, _READ_AHEAD, os.POSIX_FADV_WILLNEED)

    def brought(self, array: NDArray[Any]) -> NDArray[Any]:
        """An array from now on read here and there; what to read instead, the caller's to drop."""
        if array.ctypes.data not in self._files or array.nbytes > self.left_bytes:
            return array
        room = self.scattered(array.size, array.dtype)
        np.copyto(room, array)
        return room

    def settled(self, array: NDArray[Any]) -> NDArray[Any]:
        """Where an array lies once it is read in order only; the caller must drop the old one."""
        if not self.on_disk or array.base is not None:  # a file's has one
            return array
        return self.copy(array)

    def in_parts(
        self,
        columns: Sequence[NDArray[Any]],
        write: Callable[[list[NDArray[Any]], int], None],
    ) -> None:
        """Has columns written in any order: of those in files, one stretch in memory after another.

        Args:
            columns: of one length; uninitialised.
            write: called with a stretch of each, and where it begins; writes what belongs there.
        """
        for first, last in self.parts(columns[0].size, sum(each.itemsize for each in columns)):
            self._in_part([each[first:last] for each in columns], first, write)

    def _in_part(
        self,
        places: list[NDArray[Any]],
        first: int,
        write: Callable[[list[NDArray[Any]], int], None],
    ) -> None:
        rooms = (
            [self.scattered(each.size, each.dtype) for each in places] if self.on_disk else places
        )
        write(rooms, first)
        if self.on_disk:
            for place, room in zip(places, rooms, strict=True):
                np.copyto(place, room)

    def parts(self, count: int, bytes_each: int) -> list[tuple[int, int]]:
        """The stretches in which so many places are written in any order, one after the other.

        For each there is room in memory, unless there would be too many: then it is one, for files.

        Args:
            count: how many places there are.
            bytes_each: what each of them takes.
        """
        parts = 1
        if self.on_disk and count * bytes_each >= _SMALLEST:
            parts = -(-count // max(1, self.left_bytes // bytes_each))
            parts = parts if parts <= _MOST_PARTS else 1
        return list(pairwise(count * part // parts for part in range(parts + 1)))

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
        reserved = address = 0
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
            self._files.pop(address, None)
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
        array = np.frombuffer(mapping, dtype, count)
        address = array.ctypes.data
        self._files[address] = file
        return array, reserve

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
    return Storage(
        on_disk=True,
        reason=f"{words}; {there}: they lie in {folder}, without a name",
        room_bytes=room.size_bytes,
    )


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
