"""Where the memory of a killed container was: the heap, native memory, buffers, child processes.

The kernel counts pages, the JVM counts its own pools, and neither says which page is whose. So each
part is known between two bounds, and a place is named where its least exceeds the most that any
other can have been.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import Final, Literal

from mprof.evidence import Evidence, known
from mprof.evidence.container import ContainerFacts, JvmMemory
from mprof.patterns.growth.laws import EVEN, POINTS_OF_A_CHOICE, fit_law, noise_floor_bytes
from mprof.threshold import Threshold
from mprof.units import MIB, format_bytes, format_count

__all__ = [
    "CONTAINER_KINDS",
    "OF_A_JVM",
    "ContainerUse",
    "MemoryPart",
    "MemoryPlace",
    "container_use_of",
    "part_text",
]

MemoryPlace = Literal["heap", "native", "direct", "outside_heap", "child_processes"]

CONTAINER_KINDS: Final = frozenset({"container-physical", "container-virtual"})

OF_A_JVM: Final = Threshold(
    "memory of a JVM itself",
    float(128 * MIB),
    "bytes",
    "what a task's JVM takes beside its heap without any doing of the job: classes, compiled code, "
    "the collector's tables, stacks. It hardly depends on the heap; 80 to 110 MB were measured",
)

_NAMES: Final = {
    "heap": "the Java heap",
    "outside_heap": "the JVM outside its heap",
    "direct": "direct buffers",
    "native": "other native memory of the JVM",
    "child_processes": "child processes",
}


@dataclass(frozen=True, slots=True)
class MemoryPart:
    """A part of the memory; what it took lies between `least_bytes` and `most_bytes`."""

    place: MemoryPlace
    least_bytes: int
    most_bytes: int


@dataclass(frozen=True, slots=True)
class ContainerUse:
    """What the memory of a killed container went to.

    Attributes:
        place: where it was; None where that is not known.
        parts: heap, direct buffers, other native memory (or both as `outside_heap`), child
            processes, in this order; empty where nothing was measured.
        sentence: what is known, or why it is not known.
        run_that_would_tell: `run` or `rerun` where a run would bring what is missing, else None.
    """

    place: MemoryPlace | None
    parts: tuple[MemoryPart, ...]
    sentence: str
    run_that_would_tell: Literal["run", "rerun"] | None = None


def container_use_of(evidence: Evidence) -> ContainerUse | None:
    """Where the memory of the container was; None unless it was killed for its memory."""
    facts = evidence.container
    if evidence.death.kind not in CONTAINER_KINDS or facts is None:
        return None
    if evidence.death.kind == "container-virtual":
        return _of_address_space(facts)
    total = facts.used_bytes or sum(one.resident_bytes for one in facts.processes)
    heap_max = known(evidence.memory.heap_max_bytes)
    if not total or (facts.jvm is None and heap_max is None and not facts.processes):
        return ContainerUse(
            None,
            (),
            "What took the memory is not known: the cluster's words do not say how much each "
            "process took.",
            "rerun",
        )
    parts = _parts(facts, total, heap_max)
    place = _place(parts)
    return ContainerUse(
        place=place,
        parts=_shown(facts, parts),
        sentence=" ".join(_sentences(facts, total, parts, place)),
        run_that_would_tell=None if place is not None else "run" if facts.jvm is None else "rerun",
    )


def _shown(facts: ContainerFacts, parts: dict[MemoryPlace, MemoryPart]) -> tuple[MemoryPart, ...]:
    """The parts; direct buffers and other native memory as one where nothing separates them."""
    if facts.jvm is not None and facts.jvm.direct_bytes is not None:
        return tuple(parts.values())
    heap, native, child = parts["heap"], parts["native"], parts["child_processes"]
    most = native.most_bytes + parts["direct"].least_bytes
    # what may not be theirs but the JVM's, where nothing lists what that took
    of_children = 0 if facts.processes else child.most_bytes - child.least_bytes
    least = max(0, native.most_bytes + heap.least_bytes - heap.most_bytes - of_children)
    return heap, MemoryPart("outside_heap", least, most), child


def part_text(part: MemoryPart) -> str:
    """A part and its size: ``the Java heap 930 MB to 1.0 GB``."""
    least, most = format_bytes(part.least_bytes), format_bytes(part.most_bytes)
    name = _NAMES[part.place]
    return f"{name} {least}" if least == most else f"{name} {least} to {most}"


def _of_address_space(facts: ContainerFacts) -> ContainerUse:
    used = format_bytes(facts.virtual_used_bytes) if facts.virtual_used_bytes else "too much"
    resident = (
        f"; {format_bytes(facts.used_bytes)} of it was memory in use" if facts.used_bytes else ""
    )
    return ContainerUse(
        None,
        (),
        f"The limit was one of address space, of which the processes had {used}{resident}. Address "
        "space is not memory: where it went says nothing of what the job does.",
    )


def _parts(
    facts: ContainerFacts, total: int, heap_max: int | None
) -> dict[MemoryPlace, MemoryPart]:
    jvm = facts.jvm
    task = sum(one.resident_bytes for one in facts.processes if one.is_task)
    if task:
        children = sum(
            one.resident_bytes for one in facts.processes if not one.is_task and not one.is_shell
        )
        child = MemoryPart("child_processes", children, children + facts.unlisted_bytes)
    else:
        # no list of processes: what the JVM did not have when the agent saw it last
        seen = jvm.resident_bytes if jvm is not None else 0
        child = MemoryPart("child_processes", 0, max(0, total - seen))
        task = total
    late = max(0, task - jvm.resident_bytes) if jvm is not None else task
    heap = _heap(jvm, task, late, heap_max)
    # the agent may have looked after the kill, when there was more: of any part, for all it knows
    since = max(0, jvm.resident_bytes - task) if jvm is not None else 0
    direct = max(0, jvm.direct_bytes - since) if jvm is not None and jvm.direct_bytes else 0
    buffers = MemoryPart("direct", direct, min(task - heap.least_bytes, direct + since + late))
    if jvm is not None and jvm.direct_bytes is None:
        buffers = MemoryPart("direct", 0, task - heap.least_bytes)
    of_children = 0 if facts.processes else child.most_bytes - child.least_bytes
    native = MemoryPart(
        "native",
        max(0, task - heap.most_bytes - buffers.most_bytes - of_children),
        max(0, task - heap.least_bytes - buffers.least_bytes),
    )
    return {"heap": heap, "direct": buffers, "native": native, "child_processes": child}


def _heap(jvm: JvmMemory | None, task: int, late: int, heap_max: int | None) -> MemoryPart:
    """Pages once used stay, so the peak bounds it from below; what is committed from above."""
    bound = min(task, heap_max) if heap_max is not None else task
    if jvm is None or jvm.heap_committed_bytes is None:
        return MemoryPart("heap", 0, bound)
    committed = jvm.heap_committed_bytes
    since = max(0, jvm.resident_bytes - task)
    least = max(0, min(jvm.heap_peak_bytes or 0, committed, bound + since) - since)
    return MemoryPart("heap", least, max(least, min(committed + late, bound)))


def _place(parts: dict[MemoryPlace, MemoryPart]) -> MemoryPlace | None:
    own = round(OF_A_JVM.value)
    heap, child = parts["heap"], parts["child_processes"]
    direct, native = parts["direct"], parts["native"]
    task_most = native.most_bytes + heap.least_bytes + direct.least_bytes
    outside_most = max(0, task_most - heap.least_bytes - own)
    outside_least = task_most - heap.most_bytes - own - child.most_bytes + child.least_bytes
    if child.least_bytes > max(heap.most_bytes, outside_most):
        return "child_processes"
    if heap.least_bytes > max(child.most_bytes, outside_most):
        return "heap"
    if outside_least > max(heap.most_bytes, child.most_bytes):
        if direct.least_bytes > max(0, native.most_bytes - own):
            return "direct"
        if native.least_bytes - own > direct.most_bytes:
            return "native"
        return "outside_heap"
    return None


def _sentences(
    facts: ContainerFacts,
    total: int,
    parts: dict[MemoryPlace, MemoryPart],
    place: MemoryPlace | None,
) -> list[str]:
    allowed = f" where {format_bytes(facts.limit_bytes)} were allowed" if facts.limit_bytes else ""
    told = ", ".join(part_text(each) for each in _shown(facts, parts) if each.most_bytes)
    said = [_PLACE_TEXT[place].format(told=told, total=format_bytes(total), allowed=allowed)]
    jvm = facts.jvm
    if place == "child_processes":
        said.append(_children(facts))
    if place in {"native", "outside_heap", "direct"} and jvm is not None:
        said += _of_the_jvm(jvm, place)
    if place in {"direct", "outside_heap"} and facts.direct is not None:
        said.append(facts.direct.in_words)
    if jvm is None and place in {None, "outside_heap"}:
        said.append(
            "The agent did not look at this process, which would separate heap and direct buffers "
            "from the rest."
        )
    return said


_PLACE_TEXT: Final[dict[MemoryPlace | None, str]] = {
    "heap": "The Java heap took the memory of the container: {told}, of {total}{allowed}.",
    "native": (
        "Native memory of the JVM, outside its heap and its direct buffers, took the memory of "
        "the container: {told}, of {total}{allowed}."
    ),
    "direct": "Direct buffers took the memory of the container: {told}, of {total}{allowed}.",
    "outside_heap": (
        "Memory of the JVM outside its heap took the container: {told}, of {total}{allowed}; "
        "whether direct buffers or other native memory is not known."
    ),
    "child_processes": (
        "Child processes took the memory of the container: {told}, of {total}{allowed}."
    ),
    None: (
        "Which part took the memory is not known, because their bounds overlap: {told}, of "
        "{total}{allowed}."
    ),
}


def _children(facts: ContainerFacts) -> str:
    largest = sorted(
        (one for one in facts.processes if not one.is_task and not one.is_shell),
        key=lambda one: -one.resident_bytes,
    )
    first, *rest = largest
    name = f"{first.program} {format_bytes(first.resident_bytes)}"
    smaller = "a smaller one" if len(rest) == 1 else f"{len(rest)} smaller ones"
    more = f", beside {smaller}" if rest else ""
    return f"The largest is {name}{more}."


def _of_the_jvm(jvm: JvmMemory, place: MemoryPlace) -> list[str]:
    said = []
    if place == "direct" and jvm.direct_buffers:
        said.append(f"There were {format_count(jvm.direct_buffers)} direct buffers.")
    if place != "direct":
        known_parts = [
            (jvm.non_heap_bytes, "loaded classes and compiled code"),
            (jvm.of_files_bytes, "mapped files"),
        ]
        text = ", ".join(f"{format_bytes(size)} {name}" for size, name in known_parts if size)
        threads = f"{format_count(jvm.threads)} threads" if jvm.threads else ""
        told = "; ".join(part for part in (text, threads) if part)
        if told:
            said.append(
                f"Known parts of the native memory: {told}; libraries and the JVM itself allocated "
                "the rest."
            )
    said += _grown(jvm)
    return said


def _grown(jvm: JvmMemory) -> list[str]:
    """How the process grew with the records: by so much a record only where it grew evenly."""
    if len(jvm.looks) <= 1:
        return []
    (begun, first), (done, last) = jvm.looks[0], jvm.looks[-1]
    if done <= begun or last <= first:
        return []
    law = fit_law(jvm.looks, noise_floor_bytes=noise_floor_bytes(last))
    how = ""
    is_chosen = law.shape == "linear" and law.points >= POINTS_OF_A_CHOICE.value
    if is_chosen and law.r_squared >= EVEN.value:
        how = f", {format_bytes(law.slope)} a record"
    half = next(record for record, size in jvm.looks if size >= fmean((first, last)))
    if not how and half < done:
        how = f", half of that by record {format_count(half)}"
    text = (
        f"The process grew from {format_bytes(first)} at record {format_count(begun)} to "
        f"{format_bytes(last)} at record {format_count(done)}{how}."
    )
    return [text]
