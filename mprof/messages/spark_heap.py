"""The heap of a driver or an executor of Spark: what it was, and a larger one.

The memory store tells it: ``UnifiedMemoryManager.getMaxMemory`` makes the store of
``Runtime.maxMemory`` less 300 MB, of which ``spark.memory.fraction`` is 0.6 since 2.0 and was 0.75
in 1.6. Before 1.6 it was 0.54 of it all (``spark.storage.memoryFraction`` times
``safetyFraction``). What the JVM gives as its most is up to a ninth less than ``-Xmx``, as one of
the survivor spaces is left out of it.
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
    set_to,
    setting_of,
)
from mprof.messages.spark_memory import (
    CORES,
    SparkProcess,
    half_the_cores,
    jvm_of,
    megabytes_of,
    overhead_mb,
)
from mprof.messages.thresholds import TIMES_A_LIMIT
from mprof.units import GIB, MIB, format_bytes

__all__ = ["heap_of_spark_in_words", "larger_heap_of_spark"]

_STORE: Final = re.compile(r"([\d.]+) ([MG])B")
_RESERVED: Final = 300 * MIB
_OF_STORE: Final = (
    "spark.memory.fraction", "spark.memory.offHeap.enabled", "spark.memory.offHeap.size",
    "spark.storage.memoryFraction",
)  # fmt: skip
_STEP_MB: Final = 512
"""Heaps are set in whole GB or halves."""
_MOST_LESS: Final = 1 / 0.88
"""Runtime.maxMemory leaves out a survivor space of Serial and Parallel: up to a ninth of -Xmx."""
_DEFAULT_MB: Final = 1024  # spark.driver.memory, spark.executor.memory


def _of_store(evidence: Evidence) -> tuple[int, str] | None:
    """The most that the heap may have by the memory store in the text, and how that is said."""
    program, told = evidence.death.program, evidence.death.needs.spark
    store = _STORE.fullmatch(setting_of(evidence, "MemoryStore capacity") or "")
    of_driver = program is not None and program.id in {"spark-master", "spark-local"}
    of_executor = program is not None and program.id == "spark-executor" and told.is_log_of_executor
    if store is None or not (of_driver or of_executor):
        return None
    if any(setting_of(evidence, one) for one in _OF_STORE):
        return None
    size = float(store[1]) * (GIB if store[2] == "G" else MIB)
    makes = "Spark 2 and later make"
    if told.is_before(1, 6):
        heap, makes = size / 0.54, "Spark before 1.6 made"
    elif told.is_before(2, 0):
        heap, makes = size / 0.75 + _RESERVED, "Spark 1.6 makes"
    else:
        heap = size / 0.6 + _RESERVED
    return round(heap), f"a memory store of {store[1]} {store[2]}B, which {makes} of a heap of"


def _xmx_mb(most: int) -> int | None:
    """The only usual -Xmx of which a JVM gives so much as its most, in MB; None of several."""
    least, end = most / MIB, most / MIB * _MOST_LESS
    steps = range(-(-int(least) // _STEP_MB), int(end // _STEP_MB) + 1)
    return steps[0] * _STEP_MB if len(steps) == 1 else None


def heap_of_spark_in_words(evidence: Evidence) -> str:
    """What sets the heap, in brackets, and what it was by the memory store; "" of neither."""
    had, store = heap_setting_of_program(evidence), _of_store(evidence)
    is_set = set_to(had[0], had[1]) if had is not None else ""
    if store is None:
        return f" ({is_set})" if is_set else ""
    heap, words = store
    default = ", that of -Xmx1g, the default" if _xmx_mb(heap) == _DEFAULT_MB else ""
    of_store = f"the text has {words} about {format_bytes(heap)}{default}"
    if had is None:
        return f" ({of_store})"
    if _is_in_force(had[2], heap):
        return f" ({is_set}; {of_store})"
    return f" ({of_store}, so that {is_set} came too late or is of another process)"


def _is_in_force(set_bytes: int, seen_bytes: int) -> bool:
    return set_bytes < TIMES_A_LIMIT.value * seen_bytes


def larger_heap_of_spark(evidence: Evidence) -> tuple[SaidSetting, ...]:
    """The heap that was meant, where another was in force; else twice what it had, as first aid."""
    process = jvm_of(evidence)
    if process is None or evidence.death.kind not in HEAP_KINDS - {"array-limit"}:
        return ()
    had, store = heap_setting_of_program(evidence), _of_store(evidence)
    seen_mb = (_xmx_mb(store[0]) or store[0] // MIB) if store is not None else None
    if had is not None and had[0] != process.heap:  # as the command line of the JVM has it
        seen_mb, had = had[2] // MIB, None
    meant = _meant(evidence, process, seen_mb)
    if meant is not None and seen_mb is not None:
        return (_as_meant(process, meant, seen_mb),)
    if had is not None:
        had_mb, was = had[2] // MIB, f"the {had[1]} that it had"
    elif seen_mb is not None:
        had_mb, was = seen_mb, f"the {seen_mb} MB that it had"
    else:
        return ()
    new_mb = int(TIMES_A_LIMIT.value * had_mb)
    return _within_the_cluster(evidence, process, had_mb, new_mb, was)


def _meant(evidence: Evidence, process: SparkProcess, seen_mb: int | None) -> str | None:
    """The larger size that the text has for the heap, and that was not in force."""
    values = (setting_of(evidence, process.heap), *evidence.stated.doubted.get(process.heap, ()))
    died = evidence.stated.died_with.get(process.heap, ())
    sizes = [
        (size, one)
        for one in values
        if one and one not in died and (size := megabytes_of(one)) is not None
    ]
    if not sizes or seen_mb is None:
        return None
    size, value = max(sizes)
    return value if not _is_in_force(size, seen_mb) else None


def _as_meant(process: SparkProcess, meant: str, seen_mb: int) -> SaidSetting:
    late = (
        "before the session is made, which had executors"
        if process.heap == _OF_EXECUTORS
        else "before the JVM of the driver starts, so not by the program's own code: it had a heap"
    )
    text = (
        f"{_option(process)} {meant} of spark-submit, or spark-defaults.conf: it has to be set "
        f"{late} of {_in_gb(seen_mb)}."
    )
    return SaidSetting(process.heap, _in_gb(seen_mb), meant, text, in_vain=False)


_OF_EXECUTORS: Final = "spark.executor.memory"


def _option(process: SparkProcess) -> str:
    """``--driver-memory``, as spark-submit takes it."""
    return process.heap.replace("spark.", "--").replace(".", "-")


def _in_gb(size_mb: int) -> str:
    """``8g``, or ``1536m`` where it is no whole number of them."""
    return f"{size_mb // 1024}g" if size_mb % 1024 == 0 else f"{size_mb}m"


def _within_the_cluster(
    evidence: Evidence, process: SparkProcess, had_mb: int, new_mb: int, was: str
) -> tuple[SaidSetting, ...]:
    """Twice the heap, or as much of it as the largest container holds with its overhead."""
    told = evidence.death.needs.spark
    is_executor = process.heap == _OF_EXECUTORS
    in_container = not evidence.death.in_pod and (is_executor or told.mode == "cluster")
    much = f"twice {was}"
    if in_container:
        both = new_mb + overhead_mb(evidence, process, new_mb)
        most = container_mb_at_most(evidence, both)
        if most < both:
            new_mb = (most - overhead_mb(evidence, process, most)) // _STEP_MB * _STEP_MB
            much = (
                f"what the largest container holds with its overhead.{cap_in_words(evidence, both)}"
            )
            if new_mb <= had_mb:
                return ()
    new = _in_gb(new_mb)
    text = f"First aid: {process.heap}={new}, {much}".rstrip(".") + "."
    text += _in_time(process, new) if not is_executor else _by_fewer_tasks(evidence)
    was_set = setting_of(evidence, process.heap)
    return (SaidSetting(process.heap, was_set, new, text, first_aid=True),)


def _in_time(process: SparkProcess, new: str) -> str:
    return (
        f" It is {_option(process)} {new} of spark-submit; what the program's own code sets has no "
        "effect on a JVM of the driver that runs by then, as below spark-submit, and in a notebook "
        "whose kernel was not restarted."
    )


def _by_fewer_tasks(evidence: Evidence) -> str:
    """Half as many tasks at once, which have twice as much each of the same heap."""
    half = half_the_cores(evidence)
    if half is None:
        return ""
    return (
        f" {CORES}={half} instead of {setting_of(evidence, CORES)} leaves each task at once more "
        "of the heap that there is."
    )
