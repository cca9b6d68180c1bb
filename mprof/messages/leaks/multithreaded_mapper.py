"""Several threads in one map task, each with a mapper and a record of its own.

What it means
    `MultithreadedMapper` (and, of the old API, `MultithreadedMapRunner`) runs `map()` in 10 threads
    by default. Each has a mapper of its own, with all of its fields, and a copy of the record that
    it is at work on.

What it does not prove
    That it filled this heap: see what was measured.

What to change
    `mapreduce.mapper.multithreadedmapper.threads`; what is the same for all threads belongs in a
    static field that is filled once.

What would tell more
    The report of `mprof run` counts how many records were in `map()` at once.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import out_of_memory
from mprof.messages.leak import known_leak
from mprof.messages.message import Example, Source
from mprof.messages.said import setting_of

__all__ = ["MESSAGE"]

_NEW = "org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper"
_OLD = "org.apache.hadoop.mapred.lib.MultithreadedMapRunner"
_THREADS = "mapreduce.mapper.multithreadedmapper.threads"


def _set_up(evidence: Evidence) -> str | None:
    if not evidence.is_map or setting_of(evidence, "mapreduce.job.map.class") != _NEW:
        return None
    return f"{setting_of(evidence, _THREADS) or '10'} threads are set ({_THREADS})"


MESSAGE = known_leak(
    id="multithreaded_mapper",
    title="A mapper and a record for each thread",
    known=(
        "MultithreadedMapper is known to multiply what a mapper needs: each of its threads has a "
        "mapper and a record of its own."
    ),
    cure="Set fewer threads, or keep what is the same for all of them once, in a static field.",
    on_stack=((f"{_NEW}$MapRunner",), (f"{_OLD}$MapperInvokeRunable",)),
    also=_set_up,
    sources=(
        Source("1.2 to 3.5", f"{_NEW}$MapRunner.run"),
        Source("1.2 to 3.5", f"{_OLD}$MapperInvokeRunable.run"),
    ),
    examples=(
        Example("one of its threads died",
                lambda: out_of_memory("com.example.Job.map", f"{_NEW}$MapRunner.run")),
        Example("the job sets it",
                lambda: out_of_memory(conf={"mapreduce.job.map.class": _NEW, _THREADS: "32"})),
        Example("an ordinary mapper",
                lambda: out_of_memory("com.example.Job.map",
                                      "org.apache.hadoop.mapreduce.Mapper.run"), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
