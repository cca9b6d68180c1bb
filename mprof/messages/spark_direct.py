"""Direct buffers of a process of Spark that reached their limit: how it is raised, what fills it.

Netty counts its own buffers, and its limit is that of the JVM: ``-XX:MaxDirectMemorySize``, or as
much as the heap where that is not set (``io.netty.util.internal.PlatformDependent``,
``jdk.internal.misc.VM.saveProperties``). A heap that is made larger raises it as well.
"""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import Evidence
from mprof.messages.message import SaidSetting
from mprof.messages.said import heap_setting_of_program, setting_of
from mprof.messages.spark_memory import SparkProcess, jvm_of, overhead_mb
from mprof.messages.thresholds import TIMES_A_LIMIT, UNEVEN
from mprof.units import MIB, format_bytes, parse_jvm_size

__all__ = ["direct_buffers_of_spark"]

_COUNTED: Final = re.compile(r"\(used: \d{1,18}, max: (\d{1,18})\)")
_OF_THE_JDK: Final = re.compile(r"\(allocated: \d{1,18}, limit: (\d{1,18})\)")
_OPTION: Final = re.compile(r"-XX:MaxDirectMemorySize=(\d{1,12}[kKmMgGtT]?)(?=\s|$)")
_IN_FLIGHT: Final = "spark.reducer.maxSizeInFlight"
_TO_DISK: Final = "spark.maxRemoteBlockSizeFetchToMem"
_TO_DISK_SINCE_3: Final = "spark.network.maxRemoteBlockSizeFetchToMem"
_LARGE: Final = "200m"  # the default since 3.0


def direct_buffers_of_spark(evidence: Evidence) -> tuple[str, tuple[SaidSetting, ...]]:
    """What is known of the buffers and their limit, and what to set; nothing of other deaths."""
    death = evidence.death
    if death.kind != "direct" or death.program is None or not death.program.id.startswith("spark"):
        return "", ()
    process = jvm_of(evidence)
    is_executor = death.program.id == "spark-executor"
    limit, said = _limit(evidence, process)
    fetches = any(
        one.class_name.startswith("org.apache.spark.") and "Fetch" in one.class_name
        for one in (*death.stack, *death.callers)
    )
    is_of_netty = _COUNTED.search(death.message or "") is not None
    blocks = ""
    to_disk: tuple[SaidSetting, ...] = ()
    if fetches or (is_executor and is_of_netty):
        blocks, to_disk = _of_blocks(evidence, fetches=fetches)
    larger = _larger_limit(evidence, process, limit) if process is not None and limit else ()
    also = (
        f" A larger {process.heap} raises the limit as well, where that option is not set."
        if process is not None and larger and _OPTION.search(_options(evidence, process)) is None
        else ""
    )
    return f"{said}{also}{blocks}", (*to_disk, *larger)


def _options(evidence: Evidence, process: SparkProcess) -> str:
    return setting_of(evidence, process.options) or ""


def _limit(evidence: Evidence, process: SparkProcess | None) -> tuple[int | None, str]:
    """The limit that was reached, in bytes, and in a sentence."""
    message = evidence.death.message or ""
    found = _COUNTED.search(message) or _OF_THE_JDK.search(message)
    if found is not None:
        return int(found[1]), f" The limit was {format_bytes(int(found[1]))}."
    option = _OPTION.findall(_options(evidence, process)) if process is not None else ()
    if option:
        limit = parse_jvm_size(option[-1])
        return limit, f" The text has -XX:MaxDirectMemorySize={option[-1]} for it."
    had = heap_setting_of_program(evidence)
    if had is not None and process is not None and had[0] == process.heap:
        return had[2], f" With {had[0]}={had[1]} and no such option, it was {format_bytes(had[2])}."
    return None, ""


def _of_blocks(evidence: Evidence, *, fetches: bool) -> tuple[str, tuple[SaidSetting, ...]]:
    """What an executor has of blocks on their way, and the settings that bound it."""
    told = evidence.death.needs.spark
    in_flight = setting_of(evidence, _IN_FLIGHT)
    had = f" (set to {in_flight}; 48m where nothing is set)" if in_flight is not None else " (48m)"
    what = (
        "It fetched blocks of a shuffle"
        if fetches
        else "Netty's buffers in an executor hold blocks on their way, of a shuffle as a rule"
    )
    said = (
        f" {what}: each task that fetches may have {_IN_FLIGHT}{had} of them on their way, or one "
        "block that is larger."
    )
    settings: tuple[SaidSetting, ...] = ()
    has = setting_of(evidence, _TO_DISK) or setting_of(evidence, _TO_DISK_SINCE_3)
    if has is None and told.is_before(2, 3) is not True:
        if told.is_before(3, 0) is False:
            said += f" Blocks of more than {_LARGE} go to disk already ({_TO_DISK_SINCE_3})."
        elif told.is_before(2, 3) is False and told.is_before(3, 0):
            text = "Larger blocks then go to disk; 2.3 and 2.4 take them into memory by default."
            settings = (SaidSetting(_TO_DISK, None, _LARGE, text),)
        else:
            said += (
                f" {_TO_DISK}={_LARGE} lets larger ones go to disk (from 2.3 on; since 3.0 that is "
                f"the default, and its name {_TO_DISK_SINCE_3})."
            )
    largest = evidence.death.needs.largest_partition
    if largest is not None and largest[0] >= UNEVEN.value * largest[1]:
        said += (
            f" By the page of the stage the largest part was read as {format_bytes(largest[0])}, "
            f"half of them as {format_bytes(largest[1])} or less: that one has to be divided, by a "
            "key with more parts; more partitions do not divide the rows of one key."
        )
    return said, settings


def _larger_limit(evidence: Evidence, process: SparkProcess, limit: int) -> tuple[SaidSetting, ...]:
    """First aid: twice the limit, in a container that has as much more beside the heap."""
    old = setting_of(evidence, process.options)
    new_mb = int(TIMES_A_LIMIT.value * limit) // MIB
    flag = f"-XX:MaxDirectMemorySize={new_mb}m"
    kept = [one for one in (old or "").split() if _OPTION.fullmatch(one) is None]
    text = f"First aid: twice the {limit // MIB} MB that were reached."
    option = SaidSetting(process.options, old, " ".join([*kept, flag]), text, first_aid=True)
    had = heap_setting_of_program(evidence)
    heap_mb = had[2] // MIB if had is not None and had[0] == process.heap else None
    if heap_mb is None and _OPTION.search(old or "") is None:
        heap_mb = limit // MIB  # which is as large where no such option is set
    called = process.overhead_of(evidence) or process.overhead
    if heap_mb is None or not _is_in_a_container(evidence):
        return (option,)
    beside = overhead_mb(evidence, process, heap_mb)
    more = limit // MIB
    before = (
        f" Before Spark 2.3 it is {process.old_overhead}."
        if process.overhead_of(evidence) is None
        else ""
    )
    text = (
        f"The container has to hold what direct buffers may take more: the {beside} MB beside its "
        f"heap, as set or by default, and {more} MB.{before}"
    )
    was = setting_of(evidence, process.overhead) or setting_of(evidence, process.old_overhead)
    overhead = SaidSetting(called, was, str(beside + more), text, first_aid=True)
    return option, overhead


def _is_in_a_container(evidence: Evidence) -> bool:
    """Whether YARN granted a container for it: an executor, and a driver in cluster mode."""
    program, mode = evidence.death.program, evidence.death.needs.spark.mode
    is_executor = program is not None and program.id == "spark-executor"
    return not evidence.death.in_pod and (is_executor or mode == "cluster")
