"""Heap and container of a task of Tez, and of its application master: what they are, and more.

Hive asks for ``hive.tez.container.size`` with ``hive.tez.java.opts`` (``DagUtils``). Where those
have no ``-Xmx`` Tez adds one of ``tez.container.max.java.heap.fraction`` (0.8) of the container
(``TezClientUtils.maybeAddDefaultMemoryJavaOpts``).
"""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import SaidSetting
from mprof.messages.said import (
    cap_in_words,
    container_mb_at_most,
    heap_setting_of_program,
    may_be_in_force,
    megabytes_up,
    setting_of,
    with_heap,
)
from mprof.messages.thresholds import HEAP_OF_CONTAINER, TIMES_A_LIMIT
from mprof.units import MIB, format_bytes, format_ratio

__all__ = [
    "heap_of_its_room",
    "heap_of_tez",
    "larger_heap_of_tez",
    "smaller_heap",
    "twice_the_container",
]

_TEZ_ROOM: Final = "hive.tez.container.size"
_TEZ_OPTIONS: Final = "hive.tez.java.opts"


def twice_the_container(evidence: Evidence, limit: int | None) -> tuple[SaidSetting, ...]:
    """First aid for a task of Tez that Hive asked for, where nothing says what took the memory."""
    program = evidence.death.program
    if program is None or program.id != "tez-task" or limit is None:
        return ()
    old_mb = limit // MIB
    new = str(container_mb_at_most(evidence, int(TIMES_A_LIMIT.value * old_mb)))
    if int(new) <= old_mb:
        return ()
    options = setting_of(evidence, _TEZ_OPTIONS)
    kept = "as it is" if options is not None else f"{int(HEAP_OF_CONTAINER * old_mb)} MB or less"
    text = f"First aid in Hive: {_TEZ_ROOM}={new}, with -Xmx in hive.tez.java.opts {kept}."
    return (SaidSetting(_TEZ_ROOM, str(old_mb), new, text, first_aid=True),)


def smaller_heap(evidence: Evidence, limit: int) -> tuple[SaidSetting, ...]:
    """The heap of a task of Tez that Hive asked for, with room beside it in its container."""
    program = evidence.death.program
    if program is None or program.id != "tez-task":
        return ()
    xmx, old = f"-Xmx{int(HEAP_OF_CONTAINER * limit / MIB)}m", setting_of(evidence, _TEZ_OPTIONS)
    new = re.sub(r"-Xmx\w+", xmx, old) if old is not None and "-Xmx" in old else xmx
    text = f"{format_ratio(HEAP_OF_CONTAINER)} of the container; its other options stay."
    return (SaidSetting(_TEZ_OPTIONS, old, new, text),)


def heap_of_its_room(evidence: Evidence) -> tuple[SaidSetting, ...]:
    """First aid for a task of Tez: twice its heap or more, where its container has room."""
    program, had = evidence.death.program, heap_setting_of_program(evidence)
    size = setting_of(evidence, _TEZ_ROOM) or ""
    if program is None or program.id != "tez-task" or had is None or not size.isdecimal():
        return ()
    name, options, heap = had
    new_mb = int(HEAP_OF_CONTAINER * int(size))
    if new_mb * MIB < TIMES_A_LIMIT.value * heap:
        return ()
    text = (
        f"First aid: the container of {format_bytes(int(size) * MIB)} has room for a heap of "
        f"{new_mb} MB, where {format_bytes(heap)} are set; {_TEZ_ROOM} stays."
    )
    new = re.sub(r"-Xmx\w+", f"-Xmx{new_mb}m", options)
    return (SaidSetting(name, options, new, text, first_aid=True),)


_OF_TASKS: Final = (
    (_TEZ_ROOM, _TEZ_OPTIONS),
    ("tez.task.resource.memory.mb", "tez.task.launch.cmd-opts"),
)
_OF_MASTERS: Final = (("tez.am.resource.memory.mb", "tez.am.launch.cmd-opts"),)
_PAIRS: Final = {"tez-task": _OF_TASKS, "tez-master": _OF_MASTERS}
"""What sets the container and the heap, by id of the program."""
_DIGITS: Final = 8  # of a number of MB


def _sizes(evidence: Evidence) -> tuple[str, str, int | None] | None:
    """The properties of container and heap that the text sets, and the container's MB."""
    program = evidence.death.program
    pairs = _PAIRS.get(program.id if program is not None else "", ())
    for room, options in pairs:
        size = setting_of(evidence, room) or ""
        if size.isdecimal() and 0 < len(size) < _DIGITS:
            return room, options, int(size)
    had = heap_setting_of_program(evidence)
    return next(((*pair, None) for pair in pairs if had is not None and pair[1] == had[0]), None)


def heap_of_tez(evidence: Evidence) -> tuple[int, str] | None:
    """The heap in bytes by what the text sets, and by what that is.

    Where it sets the container alone, the heap is its usual share; None where a size of the heap
    stands in the text that may have been in force.
    """
    had, sizes = heap_setting_of_program(evidence), _sizes(evidence)
    if sizes is None:
        return None
    room, options, size_mb = sizes
    if had is not None:
        return had[2], f"{had[0]}={had[1]}"
    died = evidence.stated.died_with.get(options)
    if size_mb is None or may_be_in_force(evidence, options) or died:
        return None
    heap = int(HEAP_OF_CONTAINER * size_mb) * MIB
    share = format_ratio(HEAP_OF_CONTAINER)
    return heap, f"{share} of {room}={size_mb}, where nothing sets -Xmx"


def larger_heap_of_tez(evidence: Evidence) -> tuple[SaidSetting, ...]:
    """First aid: twice the heap, in a container that holds it, where the text has their sizes."""
    idle, sizes, heap = heap_of_its_room(evidence), _sizes(evidence), heap_of_tez(evidence)
    if idle or sizes is None or heap is None or evidence.death.kind not in HEAP_KINDS:
        return idle
    room, options, size_mb = sizes
    wanted = int(TIMES_A_LIMIT.value * heap[0] / MIB)
    new_room = megabytes_up(wanted * MIB / HEAP_OF_CONTAINER)
    if size_mb is not None:
        new_room = int(TIMES_A_LIMIT.value * size_mb)
    cap, most = cap_in_words(evidence, new_room), container_mb_at_most(evidence, new_room)
    new_heap = min(wanted, int(HEAP_OF_CONTAINER * most)) if cap else wanted
    if new_heap * MIB <= heap[0]:
        return ()
    much = "twice" if not cap else "as much as the largest container holds, instead of"
    of_heap = f"{format_bytes(heap[0])} ({heap[1]})"
    old = setting_of(evidence, options)
    text = f"First aid: {room}={most}, with -Xmx{new_heap}m in {options}.{cap}"
    return (
        SaidSetting(room, str(size_mb) if size_mb else None, str(most), text, first_aid=True),
        SaidSetting(
            options, old, with_heap(old or "", new_heap), f"It is {much} {of_heap}.", first_aid=True
        ),
    )
