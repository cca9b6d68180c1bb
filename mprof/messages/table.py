"""The table of messages and of known leaks, and what those that a death bears say of it."""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages import (
    child_programs,
    containers,
    exit_codes,
    framework_buffers,
    full_heap,
    job_limits,
    leaks,
    native_memory,
    other_processes,
)
from mprof.messages.message import Message, Reading

__all__ = ["MESSAGES", "read_messages"]

MESSAGES: tuple[Message, ...] = (
    *framework_buffers.MESSAGES,
    *full_heap.MESSAGES,
    *native_memory.MESSAGES,
    *containers.MESSAGES,
    *job_limits.MESSAGES,
    *child_programs.MESSAGES,
    *exit_codes.MESSAGES,
    *other_processes.MESSAGES,
    *leaks.MESSAGES,
)
"""In the order in which a report prints them: what proves most first, known leaks last."""


def read_messages(evidence: Evidence) -> tuple[tuple[Message, Reading], ...]:
    """What the messages and frames of a death say, those that prove something first."""
    if evidence.death.kind == "none" and evidence.job.driver_error is None:
        return ()
    read = [(one, found) for one in MESSAGES if (found := one.reads(evidence)) is not None]
    order = ("proves", "suggests", "known to")
    return tuple(sorted(read, key=lambda pair: order.index(pair[1].proof)))
