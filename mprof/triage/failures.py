"""What the diagnostics of failed attempts say: memory, the node, the job's own code, or nothing.

Hadoop's own words for what a machine does to a task are few, and stand in the table below with the
class that writes them. An error of Java that is none of these is the job's, or of what it calls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from mprof.trace import MEMORY_KINDS, Death, classify_death, parse_timeout

__all__ = ["NOT_COPIED", "Failure", "FailureKind", "failure_of"]

FailureKind = Literal["memory", "node", "application", "timeout", "not known"]

NOT_COPIED: Final = "its output could not be copied from the node"
"""Two nodes took part in it: the one that wrote the output, and the one that could not read it."""

_BY_THE_NODE: Final = tuple(
    (re.compile(pattern), what)
    for pattern, what in (
        # SchedulerUtils.LOST_CONTAINER of the ResourceManager
        (r"(?i)Container released on a \*?lost\*? node", "its node was lost"),
        # RMContainerAllocator of the application master
        (r"(?i)ran on (?:an )?unusable node", "its node became unusable"),
        # JobTracker of MapReduce 1
        (r"(?i)Lost task ?tracker", "its node was lost"),
        # TaskAttemptImpl.TOO_MANY_FETCH_FAILURES: reducers could not copy the output of this map
        (r"(?i)Too many fetch[ -]failures", NOT_COPIED),
        # java.io of Linux; DiskChecker and LocalDirAllocator of Hadoop
        (r"No space left on device", "a disk of the node was full"),
        (r"DiskChecker\$Disk(?:Error|OutOfSpace)Exception", "no local folder could be written"),
        (r"(?i)Read-only file system", "a disk of the node was read-only"),
        # ContainerLauncherImpl of the application master
        (r"(?i)Container launch failed for", "its container could not be launched"),
    )
)
# TaskAttemptImpl.TooManyFetchFailureTransition, since Hadoop 2.8
_REPORTED_FROM: Final = re.compile(r"Last failure reported by \S+ from host (\S+)")
# YarnChild: of a java.lang.Error without a cause it reports the message and no class; those of the
# virtual machine's own were told as memory before.
_ERROR: Final = "Error: "
_LONGEST_QUOTE: Final = 160


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt did not succeed, as far as its diagnostics say.

    Attributes:
        kind: whose fault that speaks for; a task that timed out hangs by itself or on its node.
        signature: what attempts have in common that failed for the same reason: the class of the
            error and the method that threw it, or Hadoop's words in short.
        quoted: the line it was told from.
        death: as the diagnosis of memory tells it; None where there are no diagnostics.
        reported_from: the host that could not copy the output; None where nothing says which.
    """

    kind: FailureKind
    signature: str
    quoted: str
    death: Death | None = None
    reported_from: str | None = None


def failure_of(diagnostics: str | None) -> Failure:
    """What the diagnostics of an attempt say that failed or was killed."""
    if not diagnostics or not diagnostics.strip():
        return Failure("not known", "no diagnostics", "")
    death = classify_death(diagnostics=diagnostics, succeeded=False)
    if death.kind in MEMORY_KINDS:
        return Failure("memory", death.kind, _quote(death.evidence), death)
    for pattern, what in _BY_THE_NODE:
        match = pattern.search(diagnostics)
        if match is not None:
            reporter = _REPORTED_FROM.search(diagnostics) if what == NOT_COPIED else None
            return Failure(
                "node", what, _quote(_line_with(diagnostics, match)), death,
                None if reporter is None else reporter[1],
            )  # fmt: skip
    timeout = parse_timeout(diagnostics)
    if timeout is not None:
        return Failure("timeout", "no progress until the timeout", _quote(timeout.line), death)
    if death.error_class is not None:
        frame = death.stack[0] if death.stack else None
        at = f" at {frame.class_name}.{frame.method}" if frame is not None else ""
        quoted = _quote(death.evidence.removesuffix(" (diagnostics)"))
        return Failure("application", f"{death.error_class}{at}", quoted, death)
    first = _quote(diagnostics)
    if first.startswith(_ERROR):
        return Failure("application", first, first, death)
    return Failure("not known", "killed, or failed without an error of Java", first)


def _line_with(text: str, match: re.Match[str]) -> str:
    begin = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    return text[begin : end if end >= 0 else len(text)]


def _quote(text: str) -> str:
    first = text.strip().partition("\n")[0].strip()
    return first if len(first) <= _LONGEST_QUOTE else first[: _LONGEST_QUOTE - 4] + " ..."
