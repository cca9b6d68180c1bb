"""Values of thread-locals stay as long as their thread.

What it means
    A `ThreadLocal` has a value for each thread that used it, and keeps it until `remove()` or the
    end of the thread. Threads of a pool, and the task's own, live as long as the task: a buffer or
    a cache that only grows stays in each of them.

What it does not prove
    That it filled this heap: see what was measured.

What to change
    `remove()` in a `finally`, or a bound on what one value may grow to.

What would tell more
    The rows under `ThreadLocalMap` in the report of a run with a heap dump (`mprof run`).
"""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence import Evidence, known
from mprof.messages.examples import holding, out_of_memory
from mprof.messages.leak import known_leak
from mprof.messages.message import Example, Source
from mprof.messages.said import WORTH_TELLING
from mprof.units import format_bytes

__all__ = ["MESSAGE"]

_MAP = "java.lang.ThreadLocal$ThreadLocalMap"


def _values(evidence: Evidence) -> str | None:
    capacity = known(evidence.memory.capacity_bytes)
    values = [one for one in known(evidence.holders) or () if one.key.thread_local]
    size = sum(one.bytes for one in values)
    if capacity is None or not values or size < WORTH_TELLING.value * capacity:
        return None
    return f"values of thread-locals hold {format_bytes(size)}"


def _of_thread_local() -> Evidence:
    evidence = holding("byte[]")
    holders = tuple(
        replace(one, key=replace(one.key, thread_local=True))
        for one in known(evidence.holders) or ()
    )
    return replace(evidence, holders=holders)


MESSAGE = known_leak(
    id="thread_local_values",
    title="Values of thread-locals",
    known="The value of a ThreadLocal is known to stay as long as its thread.",
    cure="Call remove() when it is done with, or bound what one value may grow to.",
    on_stack=((_MAP, "resize", "rehash"),),
    holding=(f"{_MAP}$Entry", _MAP),
    also=_values,
    sources=(Source("JDK", f"{_MAP}.set"),),
    examples=(
        Example("a value holds most of the heap", _of_thread_local),
        Example("the table of a thread grows",
                lambda: out_of_memory(f"{_MAP}.resize", "com.example.Job.map")),
        Example("a value is read",
                lambda: out_of_memory("java.lang.ThreadLocal.get", "com.example.Job.map"),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
