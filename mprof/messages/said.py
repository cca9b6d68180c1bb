"""What a death says: its error, its frames, and the settings at hand beside it."""

from __future__ import annotations

import math
import re

from mprof.evidence import Evidence, known
from mprof.history.deprecated import OLD_NAMES
from mprof.units import MIB, format_bytes

__all__ = [
    "container_bytes",
    "error_like",
    "heap_bytes",
    "heap_in_words",
    "logs_command",
    "options_name",
    "setting_of",
    "side_of",
    "stands_on_stack",
    "whole_megabytes",
    "words_like",
]


def side_of(evidence: Evidence) -> str:
    """`map` or `reduce`, as property names have it."""
    return "reduce" if evidence.is_reduce else "map"


def options_name(evidence: Evidence) -> str:
    """The property that holds the JVM options of the attempt's side."""
    return f"mapreduce.{side_of(evidence)}.java.opts"


def heap_bytes(evidence: Evidence) -> int | None:
    """-Xmx; None where nothing at hand says."""
    return known(evidence.memory.heap_max_bytes)


def container_bytes(evidence: Evidence) -> int | None:
    """What the container was granted; None where nothing at hand says."""
    return known(evidence.memory.container_bytes)


def heap_in_words(evidence: Evidence) -> str:
    """``-Xmx256m``, or that it is not known."""
    heap = heap_bytes(evidence)
    return f"-Xmx{heap // MIB}m" if heap is not None else "-Xmx, which these files do not tell"


def whole_megabytes(size_bytes: float, step: int) -> int:
    """A size in MB, rounded up to whole steps."""
    return math.ceil(size_bytes / MIB / step) * step


def setting_of(evidence: Evidence, name: str) -> str | None:
    """A property of the job under its new name or an old one; None where it is not at hand."""
    names = (name, *OLD_NAMES.get(name, ()))
    return next((value for one in names if (value := evidence.conf.get(one)) is not None), None)


def stands_on_stack(evidence: Evidence, class_name: str, *methods: str) -> bool:
    """Whether a frame of the dying thread is of that class, or nested in it, and of a method."""
    logged = [(one.class_name, one.method) for one in evidence.death.stack]
    dumped = [(one.class_name, one.method) for one in known(evidence.stack) or ()]
    return any(
        (name == class_name or name.startswith(f"{class_name}$"))
        and (not methods or method in methods)
        for name, method in (*logged, *dumped)
    )


def error_like(evidence: Evidence, class_name: str, words: str) -> re.Match[str] | None:
    """The message of an error of that class in the chain that ended the task, as it begins.

    The class counts as much as the words: code of the job may say the same of something else.

    Args:
        evidence: of the attempt.
        class_name: a pattern for the full name.
        words: a pattern for the beginning of the message.
    """
    pattern = re.compile(rf"(?:{class_name}): (?:{words})")
    return next((found for one in evidence.death.chain if (found := pattern.match(one))), None)


def words_like(evidence: Evidence, words: str) -> re.Match[str] | None:
    """The cluster's own words of an end that no error of the task explains."""
    if evidence.death.chain:
        return None
    return re.search(words, evidence.death.evidence)


def logs_command(evidence: Evidence) -> str:
    """The command that prints the logs of the job's containers."""
    job = evidence.job.job_id or ""
    number = job.removeprefix("job_")
    application = f"application_{number}" if number and number != job else "APPLICATION"
    return f"yarn logs -applicationId {application}"


def size_text(size_bytes: int | None, otherwise: str) -> str:
    """A size, or what stands for one that is not known."""
    return format_bytes(size_bytes) if size_bytes is not None else otherwise
