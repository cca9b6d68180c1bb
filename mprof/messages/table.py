"""The table of messages and of known leaks, and what those that a death bears say of it."""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.known import sort_buffer_does_not_fit
from mprof.messages.message import Message, Reading

__all__ = ["MESSAGES", "read_messages"]

MESSAGES: tuple[Message, ...] = (sort_buffer_does_not_fit.MESSAGE,)
"""In the order in which they are told: what proves most first, known leaks last."""


def read_messages(evidence: Evidence) -> tuple[tuple[Message, Reading], ...]:
    """What the messages and frames of a death say, those that prove something first."""
    if evidence.death.kind == "none" and evidence.job.driver_error is None:
        return ()
    read = [(one, found) for one in MESSAGES if (found := one.reads(evidence)) is not None]
    order = ("proves", "suggests", "known to")
    return tuple(sorted(read, key=lambda pair: order.index(pair[1].proof)))
