"""What is emptied now and then, and had filled the heap before it was: empty it earlier.

How much had come together is the matter, not how much data there is: neither a smaller split nor
more reducers bring less of it together, and a larger heap helps as far as the next emptying fits.
"""

from __future__ import annotations

from typing import Final

from mprof.advice.thresholds import HEADROOM, OF_THE_ROOM
from mprof.patterns import Growing, MemoryModel
from mprof.units import format_bytes, format_count, rounded_down

__all__ = ["HOW_FULL", "empty_earlier", "more_heap_of_emptied", "room_to_fill"]

HOW_FULL: Final = "how much comes together before it is emptied was not seen"
_CHARACTERS: Final = {"char": "characters", "byte": "bytes in it"}


def room_to_fill(memory: MemoryModel, found: Growing) -> float:
    """Half of the room beside everything else: bytes that may come together before it is emptied.

    The other half is for what comes with one record more, and for the collector.
    """
    room = HEADROOM.value * memory.capacity_bytes - memory.rest_beside(found)
    return OF_THE_ROOM.value * room


def empty_earlier(memory: MemoryModel | None, found: Growing, *, what: str, at: str) -> str:
    """Empty it by the bytes that it holds, at so many, in elements where it has a length.

    Args:
        memory: of the attempt.
        found: what is emptied now and then.
        what: its name and a blank.
        at: the code that fills it, in brackets, with a blank before.
    """
    of_writer = bool(found.holders) and found.holders[0].owner == "writer"
    doing = f"Let the output send {what}earlier{at}" if of_writer else f"Empty {what}earlier{at}"
    held = format_bytes(found.held_bytes)
    said = f"{doing}: it is emptied now and then, but comes to {held}."
    room = room_to_fill(memory, found) if memory is not None else 0.0
    at_so_many = f": at {format_bytes(room)}{_elements(found, room)}" if room > 0 else ""
    return f"{said} Go by the bytes that it holds, not by how many records came{at_so_many}."


def _elements(found: Growing, room: float) -> str:
    """How many elements so many bytes are, by those that it had at the death."""
    if len(found.holders) != 1:
        return ""
    (one,) = found.holders
    if not one.length or one.of_several or not one.bytes:
        return ""
    many = rounded_down(room * one.length / one.bytes)
    if many < 1:
        return ""
    name = _CHARACTERS.get(one.element_class or "", "elements")
    return f", about {format_count(many)} of the {format_count(one.length)} {name} that it had"


def more_heap_of_emptied() -> str:
    """What a larger heap does: nothing says how far it would carry."""
    return f"A larger heap helps only if it has room for that: {HOW_FULL}."
