"""What the sentences of a report say in numbers, held against each other and its own members."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from mprof.report.published import Report
from mprof.units import GIB, KIB, MIB

__all__ = ["contradictions"]

_BYTES = {"B": 1, "KB": KIB, "MB": MIB, "GB": GIB}
_SIZE = r"([\d.]+ (?:B|KB|MB|GB))"
_ROUNDING = 0.06
"""Of a size in words: 1.0 GB may be 0.95 to 1.05."""


def contradictions(report: Report, text: str) -> list[str]:
    """Whatever cannot be true at the same time; empty where nothing is.

    Args:
        report: what is published of the diagnosis.
        text: the report for a terminal.
    """
    said = " ".join(
        [
            *(one.sentence for one in report.verdicts),
            *(one.text for one in report.advice),
            *(report.container.sentences if report.container is not None else ()),
            *text.split(),
        ]
    )
    return [
        *_end(report, said),
        *_limits(report),
        *_usable(report, said),
        *_needs(report, said),
        *_container(report, said),
        *_account(report, said),
    ]


def _end(report: Report, said: str) -> Iterator[str]:
    died = report.death.kind != "none"
    if died is not (report.death.end == "died"):
        yield f"{report.death.kind}, and {report.death.end}"
    if died is ("did not fail" in said or "ended is not known" in said):
        yield f"{report.death.kind} in a report that says otherwise"
    if not died and (report.causes or report.account is not None):
        yield "a cause or an account of a heap that did not fill"
    if died and report.nearness is not None:
        yield "how near its limit an attempt came that died"
    if bool(report.causes) is not (report.conclusion == "causes"):
        yield f"{len(report.causes)} causes, and {report.conclusion}"


def _limits(report: Report) -> Iterator[str]:
    """Live at death, the account's capacity, -Xmx and the container, each within the next."""
    memory, near = report.memory, report.nearness
    capacity = report.account.capacity_bytes if report.account is not None else None
    if near is not None and near.heap_bytes is not None and near.live_bytes > near.heap_bytes:
        yield f"{near.live_bytes} live of {near.heap_bytes}"
    known = [
        (name, size)
        for name, size in (
            ("usable", capacity),
            ("the heap", memory.max_heap_bytes),
            ("the container", memory.container_bytes),
        )
        if size is not None
    ]
    for (inner, least), (outer, most) in pairwise(known):
        if least > most * 1.01:
            yield f"{inner} {least} is more than {outer} {most}"
    if memory.live_bytes and memory.max_heap_bytes and memory.live_bytes > memory.max_heap_bytes:
        yield f"{memory.live_bytes} live at death in {memory.max_heap_bytes}"
    for one in report.causes:
        # A sort buffer that was asked for and refused may be more than the heap.
        buffer = one.cause == "large_framework_buffer.map"
        if one.bytes and memory.max_heap_bytes and one.bytes > memory.max_heap_bytes and not buffer:
            yield f"{one.cause} explains {one.bytes} of {memory.max_heap_bytes}"


def _usable(report: Report, said: str) -> Iterator[str]:
    found = [
        *re.findall(rf"{_SIZE} (?:are|that are) (?:usable|available)", said),
        *re.findall(rf"of the usable {_SIZE}", said),
    ]
    sizes = {_bytes(one) for one in found}
    if sizes and not _alike(min(sizes), max(sizes)):
        yield f"usable: {', '.join(sorted(set(found)))}"
    capacity = report.account.capacity_bytes if report.account is not None else None
    yield from (
        f"usable: {one} of {capacity}"
        for one in sizes
        if capacity is not None and not _alike(one, capacity)
    )


def _needs(report: Report, said: str) -> Iterator[str]:
    of_usable = rf"would need {_SIZE},? and {_SIZE} are (?:usable|available)"
    for need, usable in re.findall(of_usable, said):
        if report.death.kind != "none" and _bytes(need) <= _bytes(usable):
            yield f"{report.death.kind} with {need} needed of {usable}"
    for peak, usable in re.findall(rf"peaks? at about {_SIZE} of the usable {_SIZE}", said):
        if _bytes(peak) > _bytes(usable):
            yield f"advice that peaks at {peak} of {usable}"
    for one in report.advice:
        peak, heap = one.predicted_peak_bytes, report.memory.max_heap_bytes
        sets_heap = one.property is not None and one.property.endswith("java.opts")
        if peak is not None and heap is not None and peak > heap and not sets_heap:
            yield f"{one.property}={one.new} peaks at {peak} of {heap}"


def _container(report: Report, said: str) -> Iterator[str]:
    idle = rf"container of {_SIZE} has room for a heap of {_SIZE}, where {_SIZE} are set"
    for container, room, heap in re.findall(idle, said):
        if not _bytes(heap) < _bytes(room) < _bytes(container):
            yield f"room for {room} beside {heap} in {container}"
        for name, size in (
            (container, report.memory.container_bytes),
            (heap, report.memory.max_heap_bytes),
        ):
            if size is not None and not _alike(_bytes(name), size):
                yield f"{name} is {size}"


def _account(report: Report, said: str) -> Iterator[str]:
    account = report.account
    if account is None:
        return
    total, shares = (
        sum(getattr(one, name) for one in account.items) for name in ("bytes", "share")
    )
    if not _alike(total, max(account.capacity_bytes, account.live_bytes)):
        yield f"an account of {total} over {account.capacity_bytes}"
    if abs(shares - total / account.capacity_bytes) > 0.01:
        yield f"shares that add up to {shares}"
    for size, share in re.findall(rf"takes {_SIZE}, (\d+) % of the heap", said):
        if abs(_bytes(size) / account.capacity_bytes - int(share) / 100) > 0.03:
            yield f"{size} are {share} % of {account.capacity_bytes}"


def _bytes(words: str) -> float:
    number, unit = words.split()
    return float(number) * _BYTES[unit]


def _alike(one: float, other: float) -> bool:
    return abs(one - other) <= _ROUNDING * max(one, other) + MIB
