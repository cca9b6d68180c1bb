"""Larger containers for a job's tasks: what is asked for, and how the driver comes to ask for it.

``RoomForTheAgent`` of the gateway's jar does it inside the driver, as the job is submitted; it is
found there by its entry in the overlay folder, the first of a client's class path.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = [
    "ENOUGH_BESIDE_HEAP_MB",
    "HEADROOM_MB",
    "LEAST_BESIDE_HEAP_MB",
    "ContainerRoom",
    "add_to_overlay",
    "room_properties",
]

HEADROOM_MB: Final = 32
"""What a tight container is made larger by for the agent, in MB. It was measured to take 2 to 6 MB
outside the heap (docs/reference/agent-cost.md); writing a dump or a histogram takes more."""

LEAST_BESIDE_HEAP_MB: Final = 64
"""Room beside the heap below which the JVM alone cannot fit: the plain job's container is killed
before its heap is full, and it must be seen to be. A task's JVM was measured at 80 MB and more."""

ENOUGH_BESIDE_HEAP_MB: Final = 192
"""Room beside the heap from which the agent goes unnoticed. Hadoop's own ratio leaves 204 MB of its
default container of 1024 MB."""

_PREFIX: Final = "mprof.container."
_SERVICE: Final = "META-INF/services/org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider"
_CLASS: Final = "org.mprof.gateway.RoomForTheAgent"


@dataclass(frozen=True, slots=True)
class ContainerRoom:
    """What the containers of a job are to have, in MB.

    Attributes:
        headroom_mb: for the agent, on top of what YARN grants, where the container is tight; 0 for
            none.
        map_mb: at least so much for each map task, None for what the job asks for.
        reduce_mb: the same for reduce tasks.
    """

    headroom_mb: int = HEADROOM_MB
    map_mb: int | None = None
    reduce_mb: int | None = None

    @property
    def wanted(self) -> bool:
        """Whether it asks for anything."""
        return bool(self.headroom_mb or self.map_mb or self.reduce_mb)


def room_properties(room: ContainerRoom, *, most_mb: int) -> dict[str, str]:
    """The properties that the driver's part reads.

    Args:
        room: what is wanted.
        most_mb: the largest container that the cluster grants, which is never exceeded.
    """
    rooms = {"map": room.map_mb, "reduce": room.reduce_mb}
    return {
        f"{_PREFIX}headroom.mb": str(room.headroom_mb),
        f"{_PREFIX}least-beside-heap.mb": str(LEAST_BESIDE_HEAP_MB),
        f"{_PREFIX}enough-beside-heap.mb": str(ENOUGH_BESIDE_HEAP_MB),
        f"{_PREFIX}most.mb": str(most_mb),
        **{f"{_PREFIX}room.{side}.mb": str(mb) for side, mb in rooms.items() if mb is not None},
    }


def add_to_overlay(overlay: Path, gateway_jar: Path) -> bool:
    """Put the driver's part into an overlay folder.

    Returns:
        Whether it is there; not where the user's own configuration folder has a ``META-INF`` or
        classes of that name, which stay as they are.
    """
    if (overlay / "META-INF").exists() or (overlay / "org").exists():
        return False
    entry = _CLASS.replace(".", "/") + ".class"
    with zipfile.ZipFile(gateway_jar) as jar:
        jar.extract(entry, overlay)
    service = overlay / _SERVICE
    service.parent.mkdir(parents=True)
    service.write_text(f"{_CLASS}\n", encoding="ascii")
    return True
