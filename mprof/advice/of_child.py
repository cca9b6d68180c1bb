"""What to change where a child program, or what it wrote, took the memory."""

from __future__ import annotations

from mprof.advice.properties import heap_as_it_is
from mprof.diagnosed import Diagnosis
from mprof.diagnosis import Advice
from mprof.evidence import ChildProgram, Evidence
from mprof.patterns import ChildUse, program_text
from mprof.units import format_count

__all__ = ["CHILD_PROGRAM", "change_the_child", "keep_the_heap"]

CHILD_PROGRAM = "child_program"
"""Stands where a cause id stands in advice: it is a finding, and no cause of a heap death."""


def change_the_child(evidence: Evidence, diagnosis: Diagnosis) -> tuple[Advice, ...]:
    """What the child program has to do differently, where it or its pipe took the memory."""
    child, use = evidence.child, diagnosis.child
    if child is None or use is None:
        return ()
    if use.place == "pipe_thread":
        text = _of_pipe(child, use)
    elif use.place == "child_process" and use.ended is not None:
        room = (
            "run fewer such tasks at once on a node: the larger the container of each, the fewer "
            "fit, and the program has room beside the JVM"
            if child.killed_by_kernel
            else "raise the limit that refused it more"
        )
        text = (
            f"Make {program_text(child)} keep less in memory, or {room}. No setting of the JVM's "
            "heap changes that."
        )
    else:
        return ()
    return (Advice(CHILD_PROGRAM, "code", text),)


def _of_pipe(child: ChildProgram, use: ChildUse) -> str:
    pipe, who = use.pipe, program_text(child)
    unit = pipe.unit if pipe is not None else "record"
    only = f"A larger heap would only postpone the failure while the size of a {unit} has no bound."
    if pipe is not None and pipe.reads == "standard error":
        return (
            f"Make {who} end its lines on standard error, or write what is long to a file of its "
            f"own. {only}"
        )
    do = "end its lines on standard output" if unit == "line" else "write smaller records"
    after = ""
    if child.records_taken is not None and not child.handing_on:
        after = f"; look at what it writes after {format_count(child.records_taken)} records"
    return f"Make {who} {do}{after}. {only}"


def keep_the_heap(evidence: Evidence, diagnosis: Diagnosis) -> tuple[Advice, ...]:
    """-Xmx as it is, where the job leaves it to Hadoop, which derives it from the container.

    A larger container would bring a larger heap, and the child little more
    (`JobConf.getTaskJavaOpts`, `mapreduce.job.heap.memory-mb.ratio`).
    """
    use = diagnosis.container
    if use is None or use.place != "child_processes":
        return ()
    text = (
        "From Hadoop 3 on the heap would become larger together with the container without it, "
        "and leave the child processes little more."
    )
    return heap_as_it_is(evidence, CHILD_PROGRAM, text)
