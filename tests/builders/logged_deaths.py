"""Builders of evidence for the examples of messages: a death told by logs alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mprof.code_site import CodeSite
from mprof.evidence import Attempt, Death, Evidence, Holder, HolderKey, Job, Kind, Memory
from mprof.trace.container import ContainerEnd
from mprof.units import MIB

__all__ = ["at", "attempt", "ended", "failed", "frames", "holding", "limits", "out_of_memory"]

_JOB = Job("job_1700000000000_0001")
_MAP = Attempt("attempt_1700000000000_0001_m_000003_0", "map", 3)
_REDUCE = Attempt("attempt_1700000000000_0001_r_000002_0", "reduce", 2)


def at(class_name: str, method: str, file: str | None = None, line: int | None = None) -> CodeSite:
    """A frame of a stack."""
    return CodeSite(class_name, method, file, line)


def frames(*names: str) -> tuple[CodeSite, ...]:
    """Frames by class and method: ``com.example.Job.map``."""
    return tuple(at(*_split(name)) for name in names)


def _split(name: str) -> tuple[str, str]:
    class_name, _, method = name.rpartition(".")
    return class_name, method


def attempt(death: Death, *, side: str = "map", **facts: Any) -> Evidence:
    """An attempt that died so; nothing else is known of it."""
    whose = _REDUCE if side == "reduce" else _MAP
    return replace(Evidence(job=_JOB, attempt=whose, death=death), **facts)


def out_of_memory(
    *stack: str, words: str | None = "Java heap space", kind: Kind = "heap", **facts: Any
) -> Evidence:
    """An OutOfMemoryError with that message and stack."""
    line = "java.lang.OutOfMemoryError" + (f": {words}" if words else "")
    death = Death(kind, f"{line} (syslog, line 2)", message=words, stack=frames(*stack),
                  error_class="java.lang.OutOfMemoryError", chain=(line,))  # fmt: skip
    return attempt(death, **facts)


def failed(
    *chain: str, stack: tuple[str, ...] = (), kind: Kind = "not-memory", **facts: Any
) -> Evidence:
    """A failure with that chain of errors, of none of memory unless its kind says so."""
    death = Death(kind, f"{chain[0]} (syslog, line 2)", stack=frames(*stack), chain=chain)
    return attempt(death, **facts)


def ended(
    line: str,
    *,
    kind: Kind = "not-memory",
    exit_code: int | None = None,
    end: ContainerEnd | None = None,
    **facts: Any,
) -> Evidence:
    """An end that the cluster tells, without an error of the task."""
    end = ContainerEnd(None, line, exit_code) if exit_code is not None else end
    return attempt(Death(kind, line, message=line, container=end), **facts)


def limits(*, heap_mb: int | None = None, container_mb: int | None = None) -> Memory:
    """-Xmx and the container, where they are at hand."""
    memory = Memory()
    if heap_mb is not None:
        memory = replace(memory, heap_max_bytes=heap_mb * MIB)
    if container_mb is not None:
        memory = replace(memory, container_bytes=container_mb * MIB)
    return memory


def holding(class_name: str, *, held_by: str = "com.example.Job", mb: int = 170) -> Evidence:
    """A heap of 240 MB in which that class takes so much, held by a field of the other."""
    key = HolderKey("field", held_by, fields=("kept",))
    holder = Holder(key, "user", "map", class_name, "this.kept", mb * MIB)
    memory = replace(limits(heap_mb=256), live_bytes_at_death=240 * MIB)
    return out_of_memory("com.example.Job.map", holders=(holder,), memory=memory)
