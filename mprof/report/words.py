"""Names for people: causes, kinds of death, places, owners."""

from __future__ import annotations

from mprof.report.view import (
    ContainerPart,
    CurveView,
    FrameView,
    ProbesView,
    ScriptView,
    Share,
    StatementView,
)
from mprof.units import format_bytes, format_ratio

__all__ = [
    "DEATH_PHRASES",
    "EVIDENCE_NAMES",
    "PLACE_NAMES",
    "PLACE_NAMES_OF_MAP",
    "PLACE_NAMES_WITH_CHILD",
    "PROOF_NAMES",
    "RUN_NAMES",
    "SOURCE_NAMES",
    "UNIT_NAMES",
    "bounds_text",
    "curve_name",
    "frame_text",
    "probes_text",
    "script_sentence",
    "share_text",
    "source_text",
    "statement_words",
]

DEATH_PHRASES = {
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

PLACE_NAMES = {
    "init": "while setting up its buffers, before user code started",
    "setup": "in user set-up code before the first record",
    "map": "in map()",
    "combine": "in combine()",
    "shuffle": "in the shuffle while no user code was running",
    "sort": "in the merge before reduce()",
    "reduce": "in reduce()",
    "cleanup": "in user clean-up code after the last record",
}

PLACE_NAMES_OF_MAP = {"sort": "while spilling or merging its output"}
"""What stands for another step where a map task does it."""

PLACE_NAMES_WITH_CHILD = {
    "setup": "before it handed the first record to its child program",
    "cleanup": "after it had handed the last record to its child program",
}
"""What stands for the steps of user code that a child program does instead."""

UNIT_NAMES = {
    "record": "input records",
    "group": "groups",
    "record_in_group": "records of the group at death",
    "byte_read": "bytes read",
}

EVIDENCE_NAMES = {
    "passive": "from event logs and garbage collections",
    "histogram": "from class histograms",
    "dump": "from heap dumps",
    "verified": "verified by running the record alone",
}
"""What a cause rests on."""

PROOF_NAMES = {
    "proves": "proven by the message",
    "suggests": "suggested by the message, not proven",
    "known to": "known of such code, not measured here",
}
"""How far what is said reaches."""

SOURCE_NAMES = {
    "passive": "measured at garbage collections",
    "histogram": "from class histograms",
    "dump": "from heap dumps",
}
"""Where the points of a curve come from."""


def source_text(curve: CurveView) -> str:
    """The same in words, for one curve."""
    if curve.by_histogram:
        return f"{SOURCE_NAMES[curve.source]} and class histograms between them"
    return SOURCE_NAMES[curve.source]


def script_sentence(script: ScriptView) -> str:
    """Which script or query it is, and what the listed statements are."""
    of = f" {script.name}" if script.name else ""
    sentence = f"The job was compiled from the {script.framework} {script.unit}{of}"
    if not script.statements:
        return f"{sentence}."
    named = any(one.named for one in script.statements)
    if script.unit == "query":
        return f"{sentence}{'; the clause that a cause names is marked' if named else ''}:"
    marked = ", the one that a cause names is marked" if named else ""
    return f"{sentence}. The statements of this step{marked}:"


def statement_words(statement: StatementView) -> tuple[str, str]:
    """Where it stands, and its text: the line as it is in the script, or the alias alone."""
    where = f"line {statement.line}" if statement.line is not None else "alias"
    return where, statement.text or statement.alias


def probes_text(probes: ProbesView) -> tuple[str, ...]:
    """What the probes of an attempt cost, and what was expected, one sentence each."""
    counted = ((probes.dumps, "heap dump"), (probes.histograms, "class histogram"))
    what = " and ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counted if n)
    share = ""
    if probes.attempt_seconds:
        ratio = format_ratio(probes.seconds / probes.attempt_seconds)
        share = f", {ratio} of the {probes.attempt_seconds:.0f} s that the attempt took"
    spent = f"{what} before its end took {probes.seconds:.1f} s{share}"
    return (spent, f"the plan was: {probes.planned}") if probes.planned else (spent,)


RUN_NAMES = {
    "cluster": "the cluster's job history",
    "run": "mprof run",
    "rerun": "mprof rerun",
    "verify": "running the record alone (mprof rerun)",
}
"""The run that would bring what a rule lacks."""


def share_text(share: Share) -> str:
    """A size and its share of a whole.

    >>> share_text(Share(430_875_440, 0.8))
    '411 MB, 80 %'
    """
    return f"{format_bytes(share.bytes)}, {format_ratio(share.ratio)}"


def bounds_text(part: ContainerPart) -> str:
    """The bounds of a size, once where they are the same: ``20 MB to 128 MB``."""
    least, most = format_bytes(part.least_bytes), format_bytes(part.most_bytes)
    return most if least == most else f"{least} to {most}"


def curve_name(curve: CurveView) -> str:
    """Whose curve it is: a holder's, that of a class in histograms, or of the whole live heap."""
    if curve.of is None:
        return "live heap"
    return f"all objects of class {curve.of}" if curve.of_class else curve.of


def frame_text(frame: FrameView) -> str:
    """A frame as Java prints it."""
    line = f":{frame.line}" if frame.line else ""
    place = f"({frame.file}{line})" if frame.file else ""
    return f"{frame.class_name}.{frame.method}{place}"
