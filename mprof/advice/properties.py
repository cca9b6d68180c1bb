"""Hadoop properties that advice sets: their names, old values, and how a value is written."""

from __future__ import annotations

import math
import re

from mprof.diagnosis import Advice
from mprof.evidence import Evidence, known
from mprof.io.secrets import MASK
from mprof.messages.said import is_launcher_of_oozie, name_of
from mprof.messages.thresholds import HEAP_OF_CONTAINER
from mprof.patterns import own_container_bytes
from mprof.units import GIB, MIB

__all__ = [
    "GROUPING",
    "container_for",
    "grouped_by",
    "heap_as_it_is",
    "heap_setting",
    "input_format",
    "setting",
    "side",
]

GROUPING = (
    "mapreduce.job.output.group.comparator.class",
    "mapred.output.value.groupfn.class",
)
"""The job's own comparator of groups, new name and old: keys that differ make one group."""

_GROUPING_OF_COMBINER = ("mapreduce.job.combiner.group.comparator.class",)

_IN_CODE = "The driver sets this by a call in its code, which overrides -D: change it there."

_OF_THE_ACTION = (
    " The job is a launcher of Oozie: set it in the <configuration> of the action. Without the "
    "prefix oozie.launcher. it applies to the job that the action starts."
)

# The evidence has no secrets: options that are repeated with their asterisks would set these.
_MASKED = f" Write your own values for {MASK}, which stands for secrets."

_BOTH_SIDES = "mapred.child.java.opts"

_ONE_WORD = re.compile(r"[\w.]+")  # anything else stands in quotes in a script
_XMX = re.compile(r"-Xmx\d+[kKmMgGtT]?")


def side(evidence: Evidence) -> str:
    """`map` or `reduce`, as property names have it."""
    return "reduce" if evidence.is_reduce else "map"


def input_format(evidence: Evidence) -> str | None:
    """Class of the job's input format, new API or old; None where it is Hadoop's default."""
    names = ("mapreduce.job.inputformat.class", "mapred.input.format.class")
    return next((told for name in names if (told := evidence.conf.get(name))), None)


def grouped_by(evidence: Evidence) -> str | None:
    """The job's own comparator of groups; None where each key makes a group."""
    names = _GROUPING_OF_COMBINER if evidence.place == "combine" else GROUPING
    return next((told for name in names if (told := evidence.conf.get(name))), None)


def setting(
    evidence: Evidence,
    cause: str,
    name: str,
    new: str,
    text: str,
    *,
    peak_bytes: float | None = None,
    old: str | None = None,
) -> Advice:
    """A line `-D name=new`, with the old value from the job's configuration."""
    how = _how_to_set(evidence, name_of(evidence, name), new)
    return Advice(
        cause=cause,
        kind="setting",
        text=f"{text}{how}{_MASKED if MASK in new else ''}",
        property=name_of(evidence, name),
        old=old if old is not None else evidence.conf.get(name),
        new=new,
        predicted_peak_bytes=None if peak_bytes is None else round(peak_bytes),
    )


_NO_OPTIONS = (
    " The driver ignores -D. Set it in the client's mapred-site.xml or in the driver's code, or "
    "make the driver implement Tool and start it through ToolRunner."
)


def _how_to_set(evidence: Evidence, name: str, new: str) -> str:
    """What is to be known where ``-D`` is not enough, or not the only way."""
    if evidence.script is not None:
        # Its framework sets every property by a call, those of its command line too.
        framework = evidence.script.framework
        if framework.unit == "query":
            if name in evidence.stated.in_force:
                return f" In the script, in place of its own: SET {name}={new};"
            return f" Before the query: SET {name}={new};"
        value = new if _ONE_WORD.fullmatch(new) else f"'{new}'"
        return f" In the script: SET {name} {value};"
    if is_launcher_of_oozie(evidence):
        return _OF_THE_ACTION
    if evidence.stated.driver_ignores_options:
        return _NO_OPTIONS
    return f" {_IN_CODE}" if name in evidence.set_in_code else ""


def heap_as_it_is(evidence: Evidence, cause: str, text: str) -> tuple[Advice, ...]:
    """-Xmx of the failed side as the JVM had it, where no options of the job set it."""
    name = f"mapreduce.{side(evidence)}.java.opts"
    options = evidence.conf.get(name, evidence.conf.get(_BOTH_SIDES, ""))
    heap = known(evidence.memory.heap_max_bytes)
    if heap is None or _XMX.search(options):
        return ()
    new = f"{options} -Xmx{math.ceil(heap / MIB)}m".strip()
    return (setting(evidence, cause, name, new, text),)


def heap_setting(
    evidence: Evidence, cause: str, heap_bytes: float, text: str, *, peak_bytes: float | None
) -> tuple[Advice, ...]:
    """-Xmx of the failed side, and `memory.mb` where the container would be too small for it."""
    megabytes = math.ceil(heap_bytes / MIB / 64) * 64
    name = f"mapreduce.{side(evidence)}.java.opts"
    # Where the side has no options of its own, those of both sides hold (JobConf.getTaskJavaOpts);
    # what is advised replaces them, so the user's other options have to come along.
    options = evidence.conf.get(name, evidence.conf.get(_BOTH_SIDES, ""))
    xmx = f"-Xmx{megabytes}m"
    found = _XMX.search(options)
    new = _XMX.sub(xmx, options) if found else f"{options} {xmx}".strip()
    line = setting(evidence, cause, name, new, text, peak_bytes=peak_bytes)
    container = own_container_bytes(evidence)
    needed = container_for(megabytes * MIB)
    if container is None or container >= needed * MIB:
        return (line,)
    memory = setting(
        evidence,
        cause,
        f"mapreduce.{side(evidence)}.memory.mb",
        str(needed),
        "The container has to hold the heap and what the JVM needs beside it.",
        old=str(container // MIB),
    )
    return (line, memory)


def container_for(heap_bytes: float) -> int:
    """`memory.mb` for a heap: Hadoop's ratio, in steps of 128 MB up to 4 GB, of 512 MB above."""
    wanted = heap_bytes / HEAP_OF_CONTAINER
    step = 128 * MIB if wanted <= 4 * GIB else 512 * MIB
    return math.ceil(wanted / step) * step // MIB
