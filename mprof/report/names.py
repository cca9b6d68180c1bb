"""Names for people: kinds of death, places, units, frames and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mprof.patterns import MemoryPart
from mprof.report.published.cause import CodeLine
from mprof.report.published.heap import Curve, StackFrame
from mprof.report.published.report import Ending, Report
from mprof.units import format_bytes, format_ratio, list_in_words

__all__ = [
    "CONTAINER_PART_NAMES",
    "DEATH_PHRASES",
    "ENDING_PHRASES",
    "EVIDENCE_NAMES",
    "PLACE_NAMES",
    "PLACE_NAMES_OF_MAP",
    "PLACE_NAMES_WITH_CHILD",
    "PROOF_NAMES",
    "RUN_NAMES",
    "UNIT_WORDS",
    "bounds_text",
    "curve_name",
    "filled_text",
    "frame_text",
    "held_text",
    "short_class",
    "shown_frames",
    "size_text",
    "source_text",
    "stack_title",
]

DEATH_PHRASES: Final = {
    "heap": ("ran out of heap space", ""),
    "gc-overhead": ("was stopped", " because it spent nearly all its time collecting garbage"),
    "array-limit": ("asked for an array larger than the JVM allows", ""),
    "direct": ("ran out of direct buffer memory", ""),
    "native": ("could not get native memory from the operating system", ""),
    "metaspace": ("ran out of metaspace", ""),
    "threads": ("could not start another thread", ""),
    "application-made": ("failed", " with an OutOfMemoryError that its own code created"),
    "container-physical": (
        "was killed",
        " because its container exceeded its limit of physical memory",
    ),
    "container-virtual": (
        "was killed",
        " because its container exceeded its limit of virtual memory",
    ),
    "application-master": (
        "died",
        ", and the job with it; no task of the job is known to have failed",
    ),
    "not-memory": ("failed", "; nothing points to memory as the reason"),
    "none": ("did not fail", ""),
}
"""What the task did, and what follows after where it did it."""

ENDING_PHRASES: Final[dict[Ending, tuple[str, str]]] = {
    "own limit": ("ended for lack of heap space", ""),
    "permgen": ("ran out of permanent generation", ""),
    "caught before": ("failed", "; an OutOfMemoryError had been caught before it"),
    "open": ("failed", ""),
    "killed": ("was killed", "; nothing points to memory as the reason"),
    "killed, open": ("was killed", ""),
    "process tree": ("was killed", " because its processes exceeded their limit of memory"),
    "never started": ("was never started", ", so no task of the job ran"),
    "not started again": ("was not started", " when it was tried for the last time"),
    "lost": ("was lost", "; nothing that was read says how it ended"),
    "without its message": ("failed", " with an OutOfMemoryError"),
}
"""The same where the ending is known more exactly than by the kind of the death."""

PLACE_NAMES: Final = {
    "init": "while setting up its buffers, before user code started",
    "setup": "in user set-up code before the first record",
    "map": "in map()",
    "combine": "in combine()",
    "shuffle": "in the shuffle, before reduce()",
    "sort": "in the merge before reduce()",
    "reduce": "in reduce()",
    "cleanup": "in user clean-up code after the last record",
}

PLACE_NAMES_OF_MAP: Final = {"sort": "while spilling or merging its output"}
"""What stands for another step where a map task does it."""

PLACE_NAMES_WITH_CHILD: Final = {
    "setup": "before it handed the first record to its child program",
    "cleanup": "while it waited for the end of its child program",
}
"""What stands for the steps of user code that a child program does instead."""

UNIT_WORDS: Final = {
    "record": ("input record", "input records"),
    "group": ("group", "groups"),
    "record_in_group": ("record of the group at death", "records of the group at death"),
    "byte_read": ("byte read", "bytes read"),
}
"""By the unit of a curve: one of it, and several."""

EVIDENCE_NAMES: Final = {
    "passive": "from event logs and garbage collections",
    "histogram": "from class histograms",
    "dump": "from heap dumps",
    "verified": "verified by running the record alone",
}
"""What a cause rests on."""

PROOF_NAMES: Final = {
    "proves": "explanation proven by the message",
    "suggests": "explanation suggested by the message, not proven",
    "known to": "known of such code, not measured here",
}
"""How far what is said reaches: a title beside it may be a bare fact, such as an exit code."""

_SOURCE_NAMES: Final = {
    "passive": "measured at garbage collections",
    "histogram": "from class histograms",
    "dump": "from heap dumps",
}
"""Where the points of a curve come from."""


RUN_NAMES: Final = {
    "cluster": "the cluster's job history",
    "run": "mprof run",
    "rerun": "mprof rerun",
    "verify": "running the record alone (mprof rerun)",
}
"""The run that would bring what a rule lacks."""


CONTAINER_PART_NAMES: Final = {
    "heap": "Java heap",
    "direct": "direct buffers",
    "outside_heap": "JVM outside its heap",
    "native": "other native memory of the JVM",
    "child_processes": "child processes",
}

LEAST_SHARE: Final = 0.01
"""Share of the user bytes of a stack below which a frame explains nothing: even a hundred of them
would not fill the heap, and they only make the page longer."""


def short_class(name: str) -> str:
    """A class name without its package."""
    return name.rsplit(".", 1)[-1]


def size_text(size: float, share: float) -> str:
    """A size and its share of a whole.

    >>> size_text(430_875_440, 0.8)
    '411 MB, 80 %'
    """
    return f"{format_bytes(size)}, {format_ratio(share)}"


def bounds_text(part: MemoryPart) -> str:
    """The bounds of a size, once where they are the same: ``20 MB to 128 MB``."""
    least, most = format_bytes(part.least_bytes), format_bytes(part.most_bytes)
    return most if least == most else f"{least} to {most}"


def curve_name(curve: Curve) -> str:
    """Whose curve it is: a holder's, that of a class in histograms, or of the whole live heap."""
    if curve.of is None:
        return "live heap"
    return f"all objects of class {curve.of}" if curve.of_class else curve.of


def source_text(curve: Curve) -> str:
    """Where the points of a curve come from."""
    if curve.by_histogram:
        return f"{_SOURCE_NAMES[curve.source]} and class histograms between them"
    return _SOURCE_NAMES[curve.source]


def stack_title(report: Report) -> str:
    """Whose stack it is.

    Of a lone dump without a task it is that of the thread that fills the heap; of an error that a
    call came back with (``RemoteException``) it is the server's.
    """
    if any(one.class_name.startswith("org.apache.hadoop.ipc.Server$") for one in report.stack):
        return "Stack in the server that was called"
    at_work = report.conclusion == "no task" and (
        report.death.program is None or report.account is not None
    )
    return f"Stack of the {'thread at work' if at_work else 'failing thread'}"


def frame_text(frame: StackFrame) -> str:
    """A frame as Java prints it."""
    line = f":{frame.line}" if frame.line else ""
    place = f"({frame.file}{line})" if frame.file else ""
    return f"{frame.class_name}.{frame.method}{place}"


def shown_frames(frames: Sequence[StackFrame], most: int) -> tuple[StackFrame | int, ...]:
    """The topmost frames, and the topmost of the job's own; for those left out, how many."""
    top, rest = frames[:most], frames[most:]
    own = next((one for one in frames if one.user), None)
    at = rest.index(own) if own is not None and own not in top else None
    if own is None or at is None:
        return (*top, len(rest)) if rest else tuple(top)
    below = len(rest) - at - 1
    return (*top, *([at] if at else []), own, *([below] if below else []))


def filled_text(lines: Sequence[CodeLine]) -> str:
    """``filled in Sessions.java:52: all.add(session);``, of several lines where they are."""
    first = lines[0]
    if first.line is None or first.file is None:
        methods = dict.fromkeys(f"{short_class(one.class_name)}.{one.method}" for one in lines)
        return f"filled in {list_in_words(tuple(methods))}"
    if len(lines) == 1:
        source = f": {first.source}" if first.source else ""
        return f"filled in {first.file}:{first.line}{source}"
    if {one.file for one in lines} != {first.file}:
        return f"filled in {list_in_words(tuple(f'{one.file}:{one.line}' for one in lines))}"
    return f"filled in lines {list_in_words(tuple(str(one.line) for one in lines))} of {first.file}"


def held_text(frame: StackFrame) -> str:
    """What its locals reach, where that is enough to say so; else empty."""
    if frame.share is None or frame.bytes is None or frame.share < LEAST_SHARE:
        return ""
    return f"=> {size_text(frame.bytes, frame.share)}"
