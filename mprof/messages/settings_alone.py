"""What settings say by themselves, where somebody has written them down and nothing has died."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mprof.history.deprecated import OLD_NAMES
from mprof.messages.said import heap_in_options, megabytes_up, size_in
from mprof.messages.thresholds import BUFFER_OF_HEAP, HEAP_OF_CONTAINER, HEAP_TOO_LARGE
from mprof.units import MIB, format_bytes, format_ratio

__all__ = ["remarks_on_settings"]

_HEAPS: Final = (
    ("mapreduce.map.java.opts", "mapreduce.map.memory.mb"),
    ("mapreduce.reduce.java.opts", "mapreduce.reduce.memory.mb"),
    ("yarn.app.mapreduce.am.command-opts", "yarn.app.mapreduce.am.resource.mb"),
    ("hive.tez.java.opts", "hive.tez.container.size"),
)
"""What sets a heap, and what sets the container that it has to fit into."""
_OF_BOTH: Final = "mapred.child.java.opts"
_SORT_MB: Final = "mapreduce.task.io.sort.mb"
_MOST: Final = ("yarn.scheduler.maximum-allocation-mb", "yarn.nodemanager.resource.memory-mb")
_LEAST: Final = 2 * MIB  # HotSpot does not start with less
_HALF: Final = 0.5


def remarks_on_settings(settings: Mapping[str, str]) -> Iterator[str]:
    """What does not fit together in some settings, or that their heaps fit their containers.

    Args:
        settings: as somebody states them, by the names that they have there.

    >>> next(remarks_on_settings({"io.sort.mb": "300", "mapreduce.map.java.opts": "-Xmx500m"}))[:42]
    'The sort buffer, mapreduce.task.io.sort.mb'
    """
    found = [*_of_heaps(settings), *_of_the_sort_buffer(settings), *_of_the_cluster(settings)]
    yield from found
    yield from _of_both_sides(settings)
    pairs = [pair for pair in _HEAPS if all(_value(settings, one) for one in pair)]
    if pairs and not found and not any(_is_tiny(settings, one) for one, _ in pairs):
        named = " and ".join(one for one, _ in pairs)
        yield (
            f"{'The heap' if len(pairs) == 1 else 'Each heap'} of {named} fits into its container "
            "and leaves it a tenth or more. Settings do not say whether the job needs so much."
        )


def _value(settings: Mapping[str, str], name: str) -> str | None:
    names = (name, *OLD_NAMES.get(name, ()))
    return next((settings[one] for one in names if one in settings), None)


def _is_tiny(settings: Mapping[str, str], name: str) -> bool:
    """Whether it has a heap with which no JVM starts, as one without a unit."""
    heap = heap_in_options(_value(settings, name) or "")
    return heap is not None and heap < _LEAST


def _of_heaps(settings: Mapping[str, str]) -> Iterator[str]:
    for options, size in _HEAPS:
        heap = heap_in_options(_value(settings, options) or "")
        container = size_in(_value(settings, size) or "")
        if heap is None or not container or heap < _LEAST:
            continue
        fits = f"-Xmx{int(HEAP_OF_CONTAINER * container / MIB)}m"
        holds = f"{size}={megabytes_up(heap / HEAP_OF_CONTAINER)}"
        is_set = f"{options}={_value(settings, options)}"
        room = f"{size}={_value(settings, size)} ({format_bytes(container)})"
        if heap > container:
            yield (
                f"{is_set} is larger than its container, {room}. YARN kills a container at its "
                f"limit before such a heap is full, unless that check is off: {fits} fits into it, "
                f"or {holds} holds this heap."
            )
        elif heap >= HEAP_TOO_LARGE.value * container:
            yield (
                f"{is_set} is {format_ratio(heap / container)} of its container, {room}: too "
                f"little is left for what a JVM has beside its heap. {fits} leaves the usual room, "
                f"or {holds} does."
            )
        elif heap < _HALF * container:
            yield (
                f"{is_set} is {format_ratio(heap / container)} of its container, {room}: the rest "
                f"is granted and no heap uses it. Unless a child process needs it, set {fits}, "
                f"or {holds} is enough."
            )


def _of_the_sort_buffer(settings: Mapping[str, str]) -> Iterator[str]:
    heap = heap_in_options(_value(settings, "mapreduce.map.java.opts") or "")
    buffer = _value(settings, _SORT_MB) or ""
    size = size_in(buffer)
    if heap is None or size is None or heap < _LEAST:
        return
    if size > BUFFER_OF_HEAP.value * heap:
        most = int(BUFFER_OF_HEAP.value * heap / MIB)
        yield (
            f"The sort buffer, {_SORT_MB}={buffer}, is {format_ratio(size / heap)} of the heap of "
            f"a map task (-Xmx{heap // MIB}m), which allocates it whole before its first record: "
            f"{most} MB fit at most."
        )


def _of_the_cluster(settings: Mapping[str, str]) -> Iterator[str]:
    limits = [(most, one) for one in _MOST if (most := size_in(settings.get(one, "")))]
    if not limits:
        return
    most, name = min(limits)
    for _, size in _HEAPS:
        asked = size_in(_value(settings, size) or "")
        if asked is not None and asked > most:
            yield (
                f"{size}={asked // MIB} is more than {name}={most // MIB}: YARN refuses such a "
                "container, or the job waits for a node that has so much."
            )


def _of_both_sides(settings: Mapping[str, str]) -> Iterator[str]:
    """Which of the options of one side and of both counts (``MapReduceChildJVM``)."""
    own = [one for one, _ in _HEAPS[:2] if one in settings]
    if _OF_BOTH in settings and own:
        sides = " and ".join(one.split(".")[1] for one in own)
        others = "" if len(own) == len(_HEAPS[:2]) else " It is that of the other tasks."
        yield (
            f"Of {sides} tasks {' and '.join(own)} {'counts' if len(own) == 1 else 'count'}, and "
            f"{_OF_BOTH} has no effect there.{others}"
        )
