"""Counters that are named after the data.

What it means
    Each counter is an object with two names, in the task, again in every report to the application
    master, and there for each task. A counter for each word, user or date grows with the data; the
    limit on counters (`mapreduce.job.counters.max`) is there for that, and may have been raised.

What it does not prove
    That it filled this heap: see what was measured.

What to change
    Write such counts as output; count only what has a fixed set of names.

What would tell more
    `mapred job -status JOB` lists the counters of a running job.
"""

from __future__ import annotations

from mprof.messages.examples import holding, out_of_memory
from mprof.messages.leak import known_leak
from mprof.messages.message import Example, Source

__all__ = ["MESSAGE"]

_PACKAGE = "org.apache.hadoop.mapreduce.counters"
_COUNTERS = (
    "org.apache.hadoop.mapreduce.Counters", "org.apache.hadoop.mapred.Counters",
    "org.apache.hadoop.mapred.Counters$Group", "org.apache.hadoop.mapred.Counters$Counter",
    f"{_PACKAGE}.AbstractCounters", f"{_PACKAGE}.AbstractCounterGroup",
    f"{_PACKAGE}.GenericCounter",
)  # fmt: skip

MESSAGE = known_leak(
    id="counters_of_the_data",
    title="Counters named after the data",
    known=(
        "Counters that are named after data are known to grow with it, in the task and in the "
        "application master."
    ),
    cure="Write such counts as output.",
    on_stack=((f"{_PACKAGE}.AbstractCounterGroup", "addCounter", "addCounterImpl"),
              (f"{_PACKAGE}.AbstractCounters", "addGroup")),
    holding=_COUNTERS,
    sources=(
        Source("1.2", "org.apache.hadoop.mapred.Counters$Group.getCounterForName"),
        Source("2.2 to 3.5", f"{_PACKAGE}.AbstractCounterGroup.addCounter"),
    ),
    examples=(
        Example("another is made",
                lambda: out_of_memory(f"{_PACKAGE}.AbstractCounterGroup.addCounterImpl",
                                      "com.example.Job.map")),
        Example("they fill the heap", lambda: holding(f"{_PACKAGE}.GenericCounter")),
        Example("one is counted up",
                lambda: out_of_memory(f"{_PACKAGE}.GenericCounter.increment",
                                      "com.example.Job.map"), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
