"""What a report says of the container."""

from __future__ import annotations

from typing import Final

from mprof.diagnosis import Diagnosis
from mprof.evidence import ContainerFacts, Evidence
from mprof.patterns import MemoryPlace
from mprof.report.view.model import ContainerPart, ContainerView

__all__ = ["container_of"]

_NAMES: Final[dict[MemoryPlace, str]] = {
    "heap": "Java heap",
    "direct": "direct buffers",
    "outside_heap": "JVM outside its heap",
    "native": "other native memory of the JVM",
    "child_processes": "child processes",
}


def container_of(diagnosis: Diagnosis, evidence: Evidence) -> ContainerView | None:
    """Where its memory was; None where it was not killed and nothing was done to its size."""
    use = diagnosis.container
    if use is None and not diagnosis.room:
        return None
    facts = evidence.container if use is not None else None
    return ContainerView(
        sentence=use.sentence if use is not None else "",
        parts=tuple(
            ContainerPart(_NAMES[one.place], one.least_bytes, one.most_bytes)
            for one in (use.parts if use is not None else ())
        ),
        processes=_processes(facts),
        room=diagnosis.room,
    )


def _processes(facts: ContainerFacts | None) -> tuple[ContainerPart, ...]:
    """The processes of a killed container, without the shells around the task's JVM."""
    listed = [one for one in (facts.processes if facts else ()) if not one.is_shell]
    ordered = sorted(listed, key=lambda one: -one.resident_bytes)
    return tuple(
        ContainerPart(
            f"{one.program} (the task's JVM)" if one.is_task else one.program,
            one.resident_bytes,
            one.resident_bytes,
        )
        for one in ordered
    )
