"""Collections and thread dumps of a task that somebody pasted -> the attempt that they are of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mprof.engines import names_a_task
from mprof.intake.containers import Container
from mprof.intake.gathered import Gathered
from mprof.intake.reported import Reports
from mprof.intake.sections import Section
from mprof.trace import Log, parse_gc_log, parse_timeout

__all__ = ["add_dumps"]

_RUN_BY_TASKS: Final = frozenset({
    "org.apache.hadoop.mapreduce.Mapper", "org.apache.hadoop.mapreduce.Reducer",
})  # fmt: skip
"""What the main thread of a task alone runs, which may be all that is left of its stack."""
_ATTEMPT_OR_END: Final = re.compile(
    r"attempt_\d+_\d+_[mr]_\d+_\d+|(?<![a-zA-Z0-9_])[mr]_\d{6}_\d{1,4}(?!\w)"
)
# in a heading of what a JVM printed
_OTHER_PROCESS: Final = re.compile(
    r"\b[mr]_\d{3,6}|(?<!\w)(?:container|task|attempt)_\d|"
    r"(?i:\b(?:executors?|driver|(?:an)?other|node ?manager|(?:name|data) ?node|region ?server|"
    r"server|master|client|hs2|hiveserver2?)\b)"
)


_LIBRARIES: Final = ("java.", "javax.", "sun.", "jdk.", "scala.", "org.apache.")


def add_dumps(section: Section, reports: Reports, log: Log, to: Gathered) -> None:
    """What a JVM printed and somebody pasted behind what a command did, of an attempt there.

    The line above them names it by its id or the end of that (``r_000013_0``); where one
    attempt failed and no line between names another process, they are of that one. A thread
    dump is of a task where its main thread runs one.

    Args:
        section: the text.
        reports: in it.
        log: what it says as a log.
        to: to which it is added.
    """
    failed = [id_ for id_ in reports.texts if id_.startswith("attempt_")]
    is_task = names_a_task("\n".join(frame.class_name for frame in log.dumped)) or any(
        frame.class_name in _RUN_BY_TASKS and frame.method == "run" for frame in log.dumped
    )
    is_task = is_task or any(
        frame.method in {"map", "reduce"} and not frame.class_name.startswith(_LIBRARIES)
        for frame in log.dumped
    )
    if not (log.collections or is_task) or not failed:
        return
    lines = [line for _, line in section.excerpt.numbered()]
    first = next((at for at, line in enumerate(lines) if _is_of_a_jvm(line)), 0)
    above = next(filter(str.strip, reversed(lines[:first])), "")
    named = [id_ for id_ in failed if id_.split("_", 3)[3] in above]
    end = max((at for at in range(first) if any(id_ in lines[at] for id_ in failed)), default=0)
    is_other = any(map(_OTHER_PROCESS.search, lines[end + 1 : first]))
    if not named and len(failed) == 1 and not is_other:
        named = failed
    dumped_of = named
    if not named and is_task:
        dumped_of = _last_named(section, failed, lines[:first], to)
        named = dumped_of if not log.collections else []
    for id_ in failed if log.collections else named:
        one = to.containers.setdefault(id_, Container(section.place, attempt_id=id_))
        if id_ not in named:
            dumped = log.dumped if is_task and id_ in dumped_of else ()
            one.add(Log(log.file, tells_of_others=True, dumped=dumped))
            continue
        dumped = log.dumped if is_task else ()
        one.add(Log(log.file, collections=log.collections, dumped=dumped))


def _is_of_a_jvm(line: str) -> bool:
    """Whether it tells of a collection, or begins a thread dump or what is left of one."""
    return line.startswith(("Full thread dump", '"main" ')) or bool(parse_gc_log(line))


def _last_named(
    section: Section, failed: Sequence[str], above: Sequence[str], to: Gathered
) -> list[str]:
    """Of several attempts that timed out, the one that was named last above a dump of a task.

    Nothing but that names it, which the report says. Where the last one named is a later
    attempt of the same task, which was still running, the dump is said to be of that one.
    """
    if not all(parse_timeout(to.reports.said_of(one)) for one in failed):
        return []
    ends = {one: one.split("_", 3)[3] for one in failed}
    said = [(at, one) for at, line in enumerate(above) for one, end in ends.items() if end in line]
    if not said:
        return []
    last, own = said[-1]
    job = own.rpartition("_")[0].rsplit("_", 2)[0]
    running = [
        each if each.startswith("attempt_") else f"{job}_{each}"
        for line in above[last + 1 :]
        for each in _ATTEMPT_OR_END.findall(line)
    ]
    if running and running[-1].rpartition("_")[0] != own.rpartition("_")[0]:
        return []
    to.notes.append(
        f"{section.name}: the thread dump is of {running[-1]}, a later attempt of the task of "
        f"{own}; it is shown for that one, of which there is none"
        if running
        else f"{section.name}: the thread dump is given without the id of its attempt; it is "
        f"taken for that of {own}, which is named last above it"
    )
    return [own]
