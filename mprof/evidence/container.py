"""What a container was granted, what it took, and who took it, as far as anything says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mprof.history import RoomGiven
from mprof.trace import ContainerProcess
from mprof.units import format_bytes, format_count

__all__ = [
    "ContainerFacts",
    "ContainerProcess",
    "DirectHolder",
    "InOtherRoom",
    "JvmMemory",
    "RoomGiven",
]


@dataclass(frozen=True, slots=True)
class JvmMemory:
    """The memory of the task's JVM as the agent saw it last; None for what was not told.

    Attributes:
        resident_bytes: what the kernel counts; a container is killed by that.
        heap_peak_bytes: the most of the heap that was seen in use, garbage included: those pages
            stay resident while the heap does not shrink.
        heap_committed_bytes: what the heap has asked the system for; not all of it need have been
            touched.
        direct_bytes: buffers made by `ByteBuffer.allocateDirect`.
        non_heap_bytes: loaded classes and compiled code.
        of_files_bytes: pages of mapped files: libraries, jars, files that the job maps.
        record: records taken in when the agent saw it.
        looks: (records taken in, resident bytes) at each, in order; of several at one record the
            last.
    """

    resident_bytes: int
    heap_peak_bytes: int | None = None
    heap_committed_bytes: int | None = None
    direct_bytes: int | None = None
    direct_buffers: int | None = None
    non_heap_bytes: int | None = None
    of_files_bytes: int | None = None
    threads: int | None = None
    record: int | None = None
    looks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class DirectHolder:
    """What holds most of the memory of direct buffers in a heap dump of the task.

    Attributes:
        path: in words.
        class_name: of the container.
        bytes: of its buffers, outside the heap.
        buffers: how many they are.
    """

    path: str
    class_name: str
    bytes: int
    buffers: int

    @property
    def in_words(self) -> str:
        """What holds how much of them, as a sentence."""
        many = f"{format_count(self.buffers)} direct buffers"
        buffers = f"{many}, {format_bytes(self.bytes)} in all"
        if self.buffers == 1:
            buffers = f"a direct buffer of {format_bytes(self.bytes)}"
        name = self.class_name.rpartition(".")[2]
        return f"In a heap dump of the task {self.path}, {name}, holds {buffers}."


@dataclass(frozen=True, slots=True)
class InOtherRoom:
    """The same task in another run of the capture, in a container of another size.

    Attributes:
        asked_mb: what its container was asked for.
        outcome: whether the task finished there, or died, and of what.
        peak_bytes: the most that its processes were seen to take; None where nothing says.
        heap_max_bytes: -Xmx there.
    """

    asked_mb: int
    outcome: Literal["finished", "died"]
    death: str | None
    peak_bytes: int | None
    heap_max_bytes: int | None


@dataclass(frozen=True, slots=True)
class ContainerFacts:
    """What is known about the container of an attempt.

    Attributes:
        limit_bytes: physical memory it was granted.
        used_bytes: what all of its processes took when it was killed.
        processes: those processes, empty where the cluster's words do not list them.
        unlisted_bytes: the most that processes took which that list has lost.
        jvm: what the agent saw; None where it saw nothing.
        peak_bytes: the most that its processes were seen to take.
        room: what mprof did to its size; None where the job ran without mprof.
        elsewhere: the same task in the other runs, oldest first.
        direct: what holds the direct buffers, by the dump that has most; None where none tells.
    """

    limit_bytes: int | None = None
    used_bytes: int | None = None
    virtual_limit_bytes: int | None = None
    virtual_used_bytes: int | None = None
    processes: tuple[ContainerProcess, ...] = ()
    jvm: JvmMemory | None = None
    peak_bytes: int | None = None
    room: RoomGiven | None = None
    elsewhere: tuple[InOtherRoom, ...] = ()
    direct: DirectHolder | None = None
    unlisted_bytes: int = 0
