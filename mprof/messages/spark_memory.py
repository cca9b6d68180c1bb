"""What the container of a process of Spark has beside the heap, and what gives it more of that.

YARN is asked for heap and overhead together, and rounds the sum up (``YarnAllocator``, ``Client``).
Where no overhead is set it is a tenth of the heap, 384 MB at least.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mprof.engines import Program
from mprof.evidence import Evidence
from mprof.messages.message import SaidSetting
from mprof.messages.said import (
    cap_in_words,
    container_mb_at_most,
    heap_setting_of_program,
    other_processes,
    setting_of,
)
from mprof.messages.thresholds import LEFT_FOR_A_HEAP, MORE_THAN_IT_HAD, TIMES_A_LIMIT
from mprof.units import MIB, parse_jvm_size

__all__ = [
    "CORES",
    "SparkProcess",
    "container_in_words",
    "half_the_cores",
    "heap_by_default",
    "heap_in_words_of",
    "jvm_of",
    "megabytes_of",
    "more_overhead",
    "more_overhead_in_a_pod",
    "more_room_of_a_master",
    "overhead_mb",
    "process_of",
]


@dataclass(frozen=True, slots=True)
class SparkProcess:
    """The settings of one of its processes on YARN.

    Attributes:
        one: what it is, with an article.
        heap: the property of its heap.
        overhead: the property of what lies beside the heap.
        old_overhead: the same before Spark 2.3.
        options: the property of other options of its JVM.
    """

    one: str
    heap: str
    overhead: str
    old_overhead: str
    options: str

    def overhead_of(self, evidence: Evidence) -> str | None:
        """The name that the version of the text reads; None where it does not say the version."""
        if self.overhead == self.old_overhead:
            return self.overhead
        before = evidence.death.needs.spark.is_before(*_RENAMED)
        return None if before is None else self.old_overhead if before else self.overhead


_RENAMED: Final = (2, 3)
"""SPARK-22646; from then on the old names are read as well, behind the new ones."""
_EXECUTOR: Final = SparkProcess(
    "an executor of Spark",
    "spark.executor.memory",
    "spark.executor.memoryOverhead",
    "spark.yarn.executor.memoryOverhead",
    "spark.executor.extraJavaOptions",
)
_DRIVER: Final = SparkProcess(
    "the driver of Spark, which runs in the application master in cluster mode",
    "spark.driver.memory",
    "spark.driver.memoryOverhead",
    "spark.yarn.driver.memoryOverhead",
    "spark.driver.extraJavaOptions",
)
_MASTER: Final = SparkProcess(
    "the application master of Spark in client mode, which only asks for executors",
    "spark.yarn.am.memory",
    "spark.yarn.am.memoryOverhead",
    "spark.yarn.am.memoryOverhead",
    "spark.yarn.am.extraJavaOptions",
)
_SIZE: Final = re.compile(r"(\d{1,9})([kKmMgGtT]?)[bB]?")
_LEAST_OVERHEAD_MB: Final = 384  # ResourceProfile.MEMORY_OVERHEAD_MIN_MIB
_SHARE_BESIDE: Final = 1.1
"""spark.executor.memoryOverheadFactor: a tenth of the heap, where no overhead is set."""
_LEAST_WITH_A_SHARE: Final = 4224  # MB: below it, the least overhead is 384 MB


def process_of(evidence: Evidence) -> SparkProcess | None:
    """Which of the processes of Spark on YARN it was; None where the text leaves that open."""
    program, mode = evidence.death.program, evidence.death.needs.spark.mode
    if program is None:
        return None
    if program.id == "spark-executor":
        return _EXECUTOR
    if program.id != "spark-master" or mode is None:
        return None
    return _DRIVER if mode == "cluster" else _MASTER


def jvm_of(evidence: Evidence) -> SparkProcess | None:
    """Whose code the JVM runs that met an error itself: an executor's or the driver's.

    In client mode the driver is no container of YARN.
    """
    program = evidence.death.program
    if program is None or program.id == "spark-executor":
        return process_of(evidence)
    return _DRIVER if program.id in {"spark-master", "spark-local"} else None


def megabytes_of(value: str) -> int | None:
    """A size as Spark reads it, without a unit in MB; None of anything else."""
    found = _SIZE.fullmatch(value)
    return parse_jvm_size(f"{found[1]}{found[2] or 'm'}") // MIB if found is not None else None


def overhead_mb(evidence: Evidence, process: SparkProcess, heap_mb: int) -> int:
    """What it asks for beside a heap of so many MB, by what the text sets or by default."""
    names = (process.overhead, process.old_overhead)
    values = (megabytes_of(setting_of(evidence, one) or "") for one in names)
    by_default = max(_LEAST_OVERHEAD_MB, heap_mb // 10)
    return next((one for one in values if one is not None), by_default)


def container_in_words(evidence: Evidence, program: Program) -> str:
    """What sets the container of a program, by the names that the text's version and mode have."""
    process = process_of(evidence)
    if process is None:
        return program.container
    called = process.overhead_of(evidence)
    if called is None and process.old_overhead in evidence.death.evidence:
        called = f"{process.old_overhead} (from 2.3 on: {process.overhead})"
    elif called is None:
        called = f"{process.overhead} (before 2.3: {process.old_overhead})"
    return f"{process.heap} and {called} together"


def is_of_another_run(evidence: Evidence, heap: int, limit: int) -> bool:
    """Whether Spark would have asked for a smaller container than this for so large a heap.

    It asks for the heap and what is set, or a tenth, beside it, and YARN rounds that up.
    """
    process = process_of(evidence)
    if process is None:
        return False
    names = (process.overhead, process.old_overhead, *_BESIDE, *_factors(process))
    stated = evidence.stated
    for name in names:
        doubted = {*stated.doubted.get(name, ())}
        if setting_of(evidence, name) or doubted.difference(stated.passed_with.get(name, ())):
            return False
    asked_mb = heap // MIB + overhead_mb(evidence, process, heap // MIB)
    return limit // MIB > asked_mb + _LARGEST_STEP_MB


_LARGEST_STEP_MB: Final = 2048
"""yarn.scheduler.minimum-allocation-mb, 1024 where nothing is set, and twice that."""
_BESIDE: Final = ("spark.memory.offHeap.size", "spark.executor.pyspark.memory")


def heap_in_words_of(evidence: Evidence, program: Program) -> str:
    """What sets the heap of a program, likewise."""
    process = process_of(evidence)
    return program.heap if process is None else process.heap


def heap_by_default(evidence: Evidence, limit: int) -> int | None:
    """The heap of an executor whose container is as large as Spark makes it by default.

    None where anything sets an overhead, or where the container is of no such size.
    """
    program = evidence.death.program
    names = (_EXECUTOR.overhead, _EXECUTOR.old_overhead)
    is_set = any(setting_of(evidence, one) or evidence.stated.doubted.get(one) for one in names)
    heap_mb = round(limit / MIB / _SHARE_BESIDE)
    if program is None or program.id != "spark-executor" or is_set or heap_mb % 512:
        return None
    exact = int(heap_mb * _SHARE_BESIDE) == limit // MIB and limit >= _LEAST_WITH_A_SHARE * MIB
    return heap_mb * MIB if exact else None


def more_overhead(evidence: Evidence, heap: int, limit: int) -> tuple[SaidSetting, ...]:
    """Twice what the container had beside its heap, or as much as the text says is wanted.

    What it had is what its limit leaves, whatever is set: YARN rounds a container up, and a setting
    need not have been in force. The name is the one that the version reads, that Spark's own words
    have, or else that the text sets. What was tried is not advised again, nor less.
    """
    process, had_mb = process_of(evidence), (limit - heap) // MIB
    if process is None or had_mb <= 0:
        return ()
    says_old = process.old_overhead in evidence.death.evidence  # up to 2.4
    by_version = process.overhead_of(evidence)
    new_ones = (
        setting_of(evidence, process.overhead),
        *evidence.stated.doubted.get(process.overhead, ()),
    )
    # more than the container had beside its heap was not read
    may_be_unread = by_version == process.old_overhead != process.overhead
    may_be_unread = may_be_unread or (by_version is None and says_old)
    unread = [
        size
        for one in new_ones
        if may_be_unread and (size := megabytes_of(one or "")) is not None and size > had_mb
    ]
    names = (process.overhead, process.old_overhead)
    if unread or (by_version is None and says_old):  # a log of Spark has no name of its own
        names = (process.old_overhead, *(() if unread else (process.overhead,)))
    name = next((one for one in names if setting_of(evidence, one)), None)
    old = setting_of(evidence, name) if name is not None else None
    called = by_version or name or (process.old_overhead if says_old else process.overhead)
    stated_mb = megabytes_of(old or "") or 0
    stated_mb = stated_mb if stated_mb > MORE_THAN_IT_HAD.value * had_mb else 0
    new_mb, much = _wanted(evidence, had_mb, max(*unread, stated_mb, 0), _died(evidence, names))
    before = ""
    if by_version is None and called == process.overhead and (name is None or says_old):
        before = f" Before Spark 2.3 it is {process.old_overhead}."
    if unread:
        before = (
            f" {process.overhead}, which the text has as well, is not read before Spark 2.3; from "
            f"2.3 on it goes before {process.old_overhead}."
        )
    if stated_mb:
        before += f" {name}={old}, which the text has, was not in force in that container."
        old = str(had_mb)
    heap_mb = heap // MIB
    fits, smaller = _within_the_cluster(evidence, process, heap_mb, new_mb)
    if not fits:
        return ()
    text = f"First aid: {called}={new_mb} (MB), {much}; the container grows with it."
    if smaller:
        text = f"First aid: {called}={new_mb} (MB), {much}."
    text += before
    if process is not _MASTER and not smaller:
        text += (
            f" Where the page of the executors shows that the heap is not needed whole, a smaller "
            f"{process.heap} with it keeps the container."
        )
    text += _fewer_tasks(evidence, process)
    larger = SaidSetting(
        called, old, str(new_mb), text, first_aid=True, in_vain=stated_mb != new_mb
    )
    return larger, *smaller


_SHARES_IN_A_POD: Final = {True: 0.4, False: 0.1}
"""spark.kubernetes.memoryOverheadFactor, for jobs in Python and for others."""


def more_overhead_in_a_pod(evidence: Evidence) -> tuple[SaidSetting, ...]:
    """First aid: twice what Spark asks for beside the heap of a pod, by what the text sets."""
    process = jvm_of(evidence)
    heap_mb = megabytes_of(setting_of(evidence, process.heap) or "") if process else None
    if process is None or heap_mb is None:
        return ()
    factor = next(filter(None, (setting_of(evidence, one) for one in _factors(process))), None)
    if factor is not None and _SHARE.fullmatch(factor) is None:
        return ()
    old = setting_of(evidence, process.overhead)
    usual = _SHARES_IN_A_POD[evidence.death.needs.spark.is_python]
    share = usual if factor is None else float(factor)
    by_default = max(_LEAST_OVERHEAD_MB, int(share * heap_mb))
    set_mb = megabytes_of(old or "")
    had_mb = by_default if set_mb is None else set_mb
    when = "where nothing is set" if factor is None else "as the factor says"
    how = f" ({share:g} of the heap {when}, {_LEAST_OVERHEAD_MB} at least)"
    died_mb = _died(evidence, (process.overhead,))
    by = "" if set_mb is not None or died_mb > had_mb else how
    had_mb = max(had_mb, died_mb)
    new_mb = int(TIMES_A_LIMIT.value * had_mb)
    text = (
        f"First aid: {process.overhead}={new_mb} (MB), twice the {had_mb} MB that the pod had "
        f"beside its heap{by}; the limit of the pod grows with it."
    )
    return (SaidSetting(process.overhead, old, str(new_mb), text, first_aid=True),)


_SHARE: Final = re.compile(r"\d{1,3}(?:\.\d{1,9})?|\.\d{1,9}")


def _factors(process: SparkProcess) -> tuple[str, str]:
    """The properties of the share, that of the process first (BasicDriverFeatureStep of 3.3)."""
    return f"{process.overhead}Factor", "spark.kubernetes.memoryOverheadFactor"


def _died(evidence: Evidence, names: Sequence[str]) -> int:
    """The largest overhead with which it died as well, as the text says, in MB; 0 of none."""
    values = [
        size
        for name in names
        for one in evidence.stated.died_with.get(name, ())
        if (size := megabytes_of(one)) is not None
    ]
    return max(values, default=0)


def _wanted(evidence: Evidence, had_mb: int, unused_mb: int, died_mb: int) -> tuple[int, str]:
    """How many MB are wanted beside the heap, and by what that is reckoned.

    Args:
        evidence: of its death.
        had_mb: what the container had there.
        unused_mb: what the text sets, and what was not in force in that container.
        died_mb: the most with which it died as well.
    """
    twice = int(TIMES_A_LIMIT.value * had_mb)
    had = f"the {had_mb} MB that the container had beside its heap"
    found = [(twice, f"twice {had}"), (unused_mb, f"instead of {had}")]
    if died_mb > had_mb:
        more = int(TIMES_A_LIMIT.value * died_mb)
        found.append((more, f"twice the {died_mb} MB with which it died as well"))
    others = -(-other_processes(evidence)[0] // MIB)
    partition = -(-_rows_in_a_worker(evidence) // MIB)
    workers = -(-_workers_of_another(evidence) // MIB)
    as_read = f"the {partition} MB that the largest partition was read as, which are more as"
    listed = f"the {workers} MB that the Python processes of the listed one took"
    found += [
        (had_mb + others, f"the {others} MB that its other processes took and {had}"),
        (had_mb + partition, f"{as_read} objects of Python, and {had}"),
        (had_mb + workers, f"{listed} and {had}"),
    ]
    return max(found, key=lambda one: one[0])


def _within_the_cluster(
    evidence: Evidence, process: SparkProcess, heap_mb: int, new_mb: int
) -> tuple[bool, tuple[SaidSetting, ...]]:
    """Whether a container may hold both, and the smaller heap with which it does."""
    both = heap_mb + new_mb
    most = container_mb_at_most(evidence, both)
    if most >= both:
        return True, ()
    left = most - new_mb
    if left < LEFT_FOR_A_HEAP.value * heap_mb:
        return False, ()
    was = setting_of(evidence, process.heap)
    text = (
        f"With {new_mb} MB beside it the heap has {left} MB of the largest container, instead of "
        f"{heap_mb} MB.{cap_in_words(evidence, both)}"
    )
    return True, (SaidSetting(process.heap, was, f"{left}m", text, first_aid=True),)


CORES: Final = "spark.executor.cores"
"""How many tasks an executor is at work on at once, where a task has one core."""
_MOST_CORES: Final = 1000


def half_the_cores(evidence: Evidence) -> int | None:
    """Half as many tasks at once; None of one, of an unknown number, or where that was in vain."""
    cores = setting_of(evidence, CORES) or ""
    if not cores.isdecimal() or not 1 < int(cores) < _MOST_CORES:
        return None
    half = int(cores) // 2
    died = (int(one) for one in evidence.stated.died_with.get(CORES, ()) if one.isdecimal())
    return None if any(one <= half for one in died) else half


def _fewer_tasks(evidence: Evidence, process: SparkProcess) -> str:
    """Half as many tasks at once in an executor, where the text says how many they are."""
    half = half_the_cores(evidence) if process is _EXECUTOR else None
    if half is None:
        return ""
    return (
        f" Another way is {CORES}={half} instead of {setting_of(evidence, CORES)}: fewer tasks at "
        "once share the same container."
    )


def _rows_in_a_worker(evidence: Evidence) -> int:
    """What the largest partition was read as, where the code takes all of its rows at once."""
    largest = evidence.death.needs.largest_partition
    takes = any(one.is_of_partition for one in evidence.kept_in_code)
    return largest[0] if takes and largest is not None else 0


def _workers_of_another(evidence: Evidence) -> int:
    """What the Python processes took of the one container whose list a text has."""
    return 0 if other_processes(evidence)[0] else evidence.death.needs.python_bytes or 0


_AM_HEAP_MB: Final = 512  # spark.yarn.am.memory


def more_room_of_a_master(
    evidence: Evidence, limit: int | None
) -> tuple[str, tuple[SaidSetting, ...]]:
    """What a driver in cluster mode, or the application master in client mode, wants more.

    Args:
        evidence: of its death.
        limit: of its container, at which it was killed; None where it was not, or that is unknown.

    Returns:
        A sentence that says what heap and what beside it there was, and the settings.
    """
    process, end = process_of(evidence), evidence.death.container
    if process is None or limit is None:
        return "", ()
    had = heap_setting_of_program(evidence) if process is _DRIVER else None
    own = megabytes_of(setting_of(evidence, process.heap) or "")
    heap = end.task_heap_bytes if end is not None else None
    heap = heap or (had[2] if had is not None else own * MIB if own else None)
    assumed = ""
    if heap is None and process is _MASTER:
        heap, assumed = _AM_HEAP_MB * MIB, f" ({process.heap}, which is that where it is not set)"
    if heap is None or heap >= limit:
        return "", ()
    beside = (limit - heap) // MIB
    said = (
        f" Its heap is {heap // MIB} MB{assumed}, so {beside} MB of the container were left for "
        "what is beside the heap."
    )
    if process is _MASTER and setting_of(evidence, _DRIVER.heap):
        said += (
            f" {_DRIVER.heap}, which the text has, is of the JVM of spark-submit in client mode."
        )
    return said, more_overhead(evidence, heap, limit)
