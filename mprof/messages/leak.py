"""What is known of classes and frames: told where they stand on the stack or hold the heap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mprof.engines import is_jdk_class
from mprof.evidence import HEAP_KINDS, Evidence, Kind
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import holder_of, stands_on_stack
from mprof.units import format_bytes

__all__ = ["Frame", "known_leak"]

_HADOOP: Final = "org.apache.hadoop."

Frame = tuple[str, ...]
"""A class, and the methods of it that count; any where there are none."""


def known_leak(
    *,
    id: str,  # noqa: A002 - the field of the message is called so
    title: str,
    known: str,
    cure: str,
    sources: tuple[Source, ...],
    examples: tuple[Example, ...],
    module: str,
    on_stack: tuple[Frame, ...] = (),
    holding: tuple[str, ...] = (),
    kinds: frozenset[Kind] = HEAP_KINDS,
    also: Callable[[Evidence], str | None] | None = None,
) -> Message:
    """An entry that tells what is known of such code, and where it was met.

    Args:
        id: of the page.
        title: in a few words.
        known: one sentence that says what such code is known to do.
        cure: what to do about it, an imperative sentence.
        sources: where that is written.
        examples: its tests.
        module: its file.
        on_stack: frames of the dying thread.
        holding: classes of which, or in which, a tenth of the heap or more stands.
        kinds: of death in which it can matter.
        also: what else shows it, as a phrase; None where it does not.
    """

    def reads(evidence: Evidence) -> Reading | None:
        if evidence.death.kind not in kinds:
            return None
        holder = holder_of(evidence, *holding) if holding else None
        met = also(evidence) if also is not None else None
        if holder is not None:
            met = f"{holder.path} holds {format_bytes(holder.bytes)}"
        elif met is None and _of_the_job(evidence, on_stack):
            met = "such a frame stood on the stack of the thread that died, which is no proof"
        if met is None:
            return None
        return Reading(f"{known} Here {met}. {cure}", "known to")

    return Message(
        id=id, title=title, reads=reads, sources=sources, examples=examples, module=module
    )


def _of_the_job(evidence: Evidence, on_stack: tuple[Frame, ...]) -> bool:
    """Whether such a frame is on the stack, called by what is neither Hadoop's nor the JDK's.

    Hadoop itself makes a configuration, a file system and a decompressor for each task.
    """
    own = (
        one
        for one in evidence.death.stack
        if not is_jdk_class(one.class_name) and not one.class_name.startswith(_HADOOP)
    )
    return any(own) and any(stands_on_stack(evidence, *frame) for frame in on_stack)
