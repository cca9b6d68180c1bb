"""What mprof did to the size of a container, and what the same task did in a larger one."""

from __future__ import annotations

from typing import Final

from mprof.evidence import ContainerFacts, Evidence, InOtherRoom, RoomGiven, known
from mprof.units import MIB, format_bytes, format_count

__all__ = ["own_container_bytes", "room_sentences"]

_WHY_NOT: Final = {
    "resource": (
        "The job asks for its containers by resource type itself, so none was made larger for the "
        "agent: what it takes of memory counts against them."
    ),
    "hadoop": (
        "This Hadoop cannot make a container larger and leave its heap as it is, so none was: what "
        "the agent takes of memory counts against them."
    ),
}


_NOT_BY_THE_DRIVER: Final = (
    "The driver did not start from the configuration that mprof gave it, so no container was made "
    "larger: what the agent takes of memory counts against it."
)


def own_container_bytes(evidence: Evidence) -> int | None:
    """The container that the job itself asks for, without what mprof added; None if not known."""
    facts = evidence.container
    if facts is not None and facts.room is not None and facts.room.asked_mb is not None:
        return facts.room.plain_mb * MIB if facts.room.plain_mb is not None else None
    return known(evidence.memory.container_bytes)


def room_sentences(evidence: Evidence) -> tuple[str, ...]:
    """How the container differs from the plain job's, and what became of the task elsewhere."""
    facts = evidence.container
    if facts is None:
        return ()
    heap = known(evidence.memory.heap_max_bytes)
    said = [*_given(facts, evidence), *(_elsewhere(one, heap) for one in facts.elsewhere)]
    return tuple(said)


def _given(facts: ContainerFacts, evidence: Evidence) -> list[str]:
    room = facts.room
    if room is None:
        return []
    if room.why_not in _WHY_NOT:
        return [_WHY_NOT[room.why_not]]
    if room.plain_mb is None:
        return [_NOT_BY_THE_DRIVER]
    said = [_larger(room, evidence)] if room.asked_mb is not None else []
    if room.why_not == "maximum":
        said.append("The cluster grants no larger container than that; more was wanted.")
    return said


def _larger(room: RoomGiven, evidence: Evidence) -> str:
    asked = f"{format_count(room.asked_mb or 0)} MB were asked for instead of "
    asked += f"{format_count(room.plain_mb or 0)} MB"
    heap = known(evidence.memory.heap_max_bytes)
    same = f"its heap was the same ({format_bytes(heap)})" if heap else "its heap was the same"
    if room.wanted_mb is not None:
        why = "so that the task can fill its heap before the container is killed"
        return f"For this run the container was larger, {why}: {asked}, and {same}."
    return (
        f"The container was tight for the agent and was made larger by {room.headroom_mb} MB "
        f"beyond what YARN makes of the job's own request: {asked}, and {same}."
    )


def _elsewhere(one: InOtherRoom, heap: int | None) -> str:
    same = "the same heap" if heap is not None and heap == one.heap_max_bytes else "another heap"
    where = f"In a container of {format_count(one.asked_mb)} MB the same task, with {same},"
    took = (
        f"; its processes were seen to take {format_bytes(one.peak_bytes)} at most"
        if one.peak_bytes
        else ""
    )
    end = "finished" if one.outcome == "finished" else f"died too ({one.death})"
    return f"{where} {end}{took}."
