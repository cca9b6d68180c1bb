"""How much of a container's address space its JVM reserved for the heap alone."""

from __future__ import annotations

from typing import Final, NamedTuple

from mprof.messages.thresholds import HEAP_OF_CONTAINER
from mprof.trace import ContainerEnd
from mprof.units import MIB, format_bytes, format_ratio

__all__ = ["ReservedHeap", "reserved_heap"]


class ReservedHeap(NamedTuple):
    """What is said of it.

    Attributes:
        sentence: how large it is, and whether a smaller one would end the kills.
        old_mb: the -Xmx of the command line; None without one.
        new_mb: one that suits the container.
        suffices: whether it alone would bring the address space below the limit; None where the
            numbers at hand do not say.
    """

    sentence: str
    old_mb: int | None
    new_mb: int
    suffices: bool | None


_RESERVES: Final = "A JVM reserves its whole heap as address space when it starts"


def reserved_heap(end: ContainerEnd | None) -> ReservedHeap | None:
    """Whether the heap explains that a container exceeded its limit of virtual memory.

    HotSpot reserves ``-Xmx`` at once (``Universe::reserve_heap``); without one it is a quarter of
    the machine's memory (``Arguments::set_heap_size``), however small the container. What else
    takes address space stays when the heap is made smaller.

    Args:
        end: of the container; its processes as the NodeManager listed them.

    Returns:
        None where the list has no JVM of the task, or its heap is smaller than the container.
    """
    size = end.physical_limit_bytes if end is not None else None
    jvm = next((one for one in end.processes if one.is_task), None) if end is not None else None
    told = end.task_heap_bytes if end is not None else None  # of a list that is cut off as well
    if end is None or size is None or (jvm is None and told is None):
        return None
    new_mb = int(HEAP_OF_CONTAINER * size // MIB)
    fits = f"-Xmx{new_mb}m, {format_ratio(HEAP_OF_CONTAINER)} of the container,"
    heap = jvm.heap_max_bytes if jvm is not None else told
    if heap is None:
        return ReservedHeap(
            f"{_RESERVES}, and no -Xmx is in the command line that is given; without one the heap "
            f"is a quarter of the machine's memory. {fits} takes less of it; whether it is enough "
            "depends on that memory.",
            None,
            new_mb,
            None,
        )
    if heap < size:
        return None
    used, limit = end.virtual_used_bytes, end.virtual_limit_bytes
    left = used - heap + new_mb * MIB if used is not None else None
    suffices = left <= limit if left is not None and limit is not None else None
    would = f"{fits} takes less of it."
    if left is not None and limit is not None:
        would = (
            f"With {fits} it would take {format_bytes(left)}, within the {format_bytes(limit)} "
            "allowed."
            if suffices
            else f"With {fits} it would still take {format_bytes(left)}, more than the "
            f"{format_bytes(limit)} allowed: by itself that ends no kill."
        )
    return ReservedHeap(
        f"{_RESERVES}, and -Xmx{heap // MIB}m is "
        f"{'larger than' if heap > size else 'as large as'} the container of "
        f"{format_bytes(size)}, which a heap that is used whole exceeds as memory, too. {would}",
        heap // MIB,
        new_mb,
        suffices,
    )
