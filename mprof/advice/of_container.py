"""Is the container large enough for the heap it was given? A finding of its own."""

from __future__ import annotations

from mprof.advice.properties import container_for, setting, side
from mprof.advice.thresholds import HEAP_TOO_LARGE, MORE_THAN_KILLED, SPARE_OF_A_PEAK
from mprof.code_site import KeptInCode
from mprof.diagnosed import Diagnosis
from mprof.diagnosis import Advice
from mprof.evidence import Evidence, InOtherRoom, known
from mprof.history import JobConf
from mprof.messages.reckoned import lists_of_floats_bytes
from mprof.messages.said import megabytes_up
from mprof.patterns import OF_A_JVM, MemoryPlace, own_container_bytes
from mprof.units import MIB, format_bytes, format_count, format_ratio

__all__ = ["CONTAINER_MEMORY", "container_too_small"]

CONTAINER_MEMORY = "container_memory"
"""Stands where a cause id stands in advice: it is a finding, and no cause of a heap death."""

_WHAT_BOUNDS: dict[MemoryPlace, str] = {
    "direct": (
        "Release or reuse the direct buffers; -XX:MaxDirectMemorySize in "
        "mapreduce.{side}.java.opts turns the kill into an OutOfMemoryError with a stack."
    ),
    "native": (
        "Find what allocates natively and never frees it: a Deflater, Inflater or codec that is "
        "not closed, a library behind JNI, threads."
    ),
    "outside_heap": (
        "Find what allocates outside the heap: direct buffers, a Deflater or codec that is not "
        "closed, a library behind JNI, threads."
    ),
    "child_processes": (
        "Leave -Xmx as it is: the heap is not what is short. Bound what the child processes take, "
        "or start fewer of them: their memory counts against the task's container."
    ),
}


def container_too_small(evidence: Evidence, diagnosis: Diagnosis) -> tuple[Advice, ...]:
    """`memory.mb`, where -Xmx and what else the task needs do not fit into it."""
    heap, container = known(evidence.memory.heap_max_bytes), own_container_bytes(evidence)
    if container is None or evidence.attempt.task_type is None:
        return ()  # nothing says that it was a map or reduce task: another property may set it
    if evidence.death.kind == "container-virtual":
        return ()  # of address space, which the message about it is on
    place = diagnosis.container.place if diagnosis.container is not None else None
    if place is None and evidence.death.needs.quiet_heap is not None:
        return ()  # a smaller heap is what the message about it advises
    found = (
        _proven(evidence, container, place)
        or _by_share(heap, container)
        or (_by_kill(evidence, heap, container, place) if _killed(evidence) else None)
    )
    what = _WHAT_BOUNDS.get(place) if place is not None else None
    if found is None:
        return ()
    wanted_mb, text = found
    if what is not None:
        text = f"{text} {what.format(side=side(evidence))}"
    name = f"mapreduce.{side(evidence)}.memory.mb"
    asked = JobConf(evidence.conf).task_container_bytes(side(evidence)) or container
    if asked < container:
        text = f"{format_count(asked // MIB)} MB were asked for, and YARN rounded them up. {text}"
    had = min(asked, container)
    old = str(had // MIB) if had % MIB == 0 else f"about {had // MIB}"  # of a rounded size
    return (setting(evidence, CONTAINER_MEMORY, name, str(wanted_mb), text, old=old),)


def _killed(evidence: Evidence) -> bool:
    return evidence.death.kind == "container-physical"


def _proven(
    evidence: Evidence, container: int, place: MemoryPlace | None
) -> tuple[int, str] | None:
    """By a run in which the same task finished, with the same heap in a larger container."""
    facts = evidence.container
    if facts is None or not _killed(evidence):
        return None
    heap = known(evidence.memory.heap_max_bytes)
    finished = [
        one
        for one in facts.elsewhere
        if one.outcome == "finished" and heap is not None and one.heap_max_bytes == heap
    ]
    what = "this heap" if place in (None, "heap") else "what this task takes"
    return _of_run(finished[-1], container, what) if finished else None


def _of_run(run: InOtherRoom, container: int, what: str) -> tuple[int, str] | None:
    small = f"The container of {format_bytes(container)} is too small for {what}"
    if run.peak_bytes is None:
        return run.asked_mb, (
            f"{small}: in one of {format_count(run.asked_mb)} MB the task finished. How much less "
            "would do is not known."
        )
    wanted = min(megabytes_up(run.peak_bytes * SPARE_OF_A_PEAK.value), run.asked_mb)
    if wanted * MIB <= container:
        return None  # it took less this time: no proof that the container is too small
    return wanted, (
        f"{small}, which is proven: in one of {format_count(run.asked_mb)} MB the task finished, "
        f"and its processes were seen to take {format_bytes(run.peak_bytes)} at most. "
        f"{wanted} MB would have done."
    )


def _by_share(heap: int | None, container: int) -> tuple[int, str] | None:
    if heap is None or heap <= HEAP_TOO_LARGE.value * container:
        return None
    left = (
        f"only {format_bytes(container - heap)} are left" if heap < container else "nothing is left"
    )
    return container_for(heap), (
        f"The heap of {format_bytes(heap)} is {format_ratio(heap / container)} of its "
        f"container: {left} for the code, the threads and the buffers of the JVM."
    )


def _by_kill(
    evidence: Evidence, heap: int | None, container: int, place: MemoryPlace | None
) -> tuple[int, str] | None:
    if heap is None:
        return None
    reached = max(container, evidence.death.container_used_bytes or 0)
    wanted = max(container_for(heap), int(MORE_THAN_KILLED.value * reached) // MIB)
    said = (
        f"The container was killed at {format_bytes(reached)} although the heap is limited "
        f"to {format_bytes(heap)}"
    )
    if place == "child_processes":
        return _for_children(evidence, reached, wanted, f"{said}: child processes filled it.")
    end = evidence.death.container
    rounding = end.rounding_bytes if end is not None else 0
    beside = format_bytes(max(reached - heap - rounding, 0))
    # where the two may have shared it in many ways, this much of it was no heap all the same
    native = place in ("native", "direct", "outside_heap")
    filled = "native memory filled it" if native else f"{beside} or more was not heap"
    if reached - heap <= OF_A_JVM.value:
        return wanted, (
            f"{said}: {filled}. A JVM takes these {beside} for its classes, code and threads: the "
            "container is too small for them."
        )
    return wanted, (
        f"{said}: {filled}. A larger container only postpones the failure if what allocates that "
        "grows with the input."
    )


def _file_of_a_script(evidence: Evidence) -> KeptInCode | None:
    """What a script of Streaming reads from a file before the first line of its input."""
    scripts = (one for one in evidence.kept_in_code if one.language == "python")
    return next((one for one in scripts if one.is_of_file), None)


def _for_a_file(
    evidence: Evidence, loads: KeptInCode, others: int, wanted: int, said: str
) -> tuple[int, str]:
    """What the children take when all of a file is loaded, which no part of the input changes."""
    vectors = evidence.death.needs.vectors
    said = f"{said} `{loads.name}` is filled from a file, of which the whole counts in every task."
    if vectors is None or "float(" not in loads.adds:
        return wanted, f"{said} How much of it had been read is not known: it is a value to try."
    count, each = vectors
    whole = lists_of_floats_bytes(count, each)
    needed = megabytes_up(SPARE_OF_A_PEAK.value * (others + whole))
    return max(wanted, needed), (
        f"{said} By the text it has {count:,} lists of {each:,} numbers: in Python, 32 bytes for "
        f"each number and some 200 for each list and its key, about {format_bytes(whole)}."
    )


def _for_children(evidence: Evidence, reached: int, wanted: int, said: str) -> tuple[int, str]:
    """What the children take at the end of the input, if they go on as they did."""
    progress = known(evidence.progress)
    processes = evidence.container.processes if evidence.container is not None else ()
    of_children = sum(one.resident_bytes for one in processes if not (one.is_task or one.is_shell))
    if (loads := _file_of_a_script(evidence)) is not None:
        return _for_a_file(evidence, loads, max(0, reached - of_children), wanted, said)
    peak = evidence.death.needs.peak_bytes
    if peak is not None and peak > of_children > 0:
        measured = max(0, reached - of_children) + peak
        return max(wanted, megabytes_up(SPARE_OF_A_PEAK.value * measured)), (
            f"{said} By itself the program took {format_bytes(peak)}, as the text has it measured: "
            f"with the rest of the container it needs {format_bytes(measured)}."
        )
    if progress is None or not 0 < progress.done < 1 or not of_children:
        return wanted, f"{said} How much of the input was left is not known: it is a value to try."
    at_the_end = max(0, reached - of_children) + of_children / progress.done
    needed = megabytes_up(SPARE_OF_A_PEAK.value * at_the_end)
    return max(wanted, needed), (
        f"{said} They had reached {format_bytes(of_children)} at {format_ratio(progress.done)} of "
        f"the input: if they grow with it to the end, the container needs "
        f"{format_bytes(at_the_end)}."
    )
