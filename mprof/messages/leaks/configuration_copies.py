"""Copies of the job's configuration.

What it means
    A `Configuration` or `JobConf` holds every property of the site and the job, some of them as
    large as a serialised plan of Hive or Pig: hundreds of kilobytes to several megabytes each.
    `new Configuration(conf)` or `new JobConf(conf)` for each record, file or connection, and
    whatever keeps it, adds up.

What it does not prove
    That it filled this heap: see what was measured.

What to change
    Make one in `setup()` and hand it on; keep the values that are needed, not the configuration.

What would tell more
    The rows that hold a `Configuration` in the report of a run with a heap dump (`mprof run`).
"""

from __future__ import annotations

from mprof.messages.examples import holding, out_of_memory
from mprof.messages.leak import known_leak
from mprof.messages.message import Example, Source

__all__ = ["MESSAGE"]

_CONF = "org.apache.hadoop.conf.Configuration"
_JOB_CONF = "org.apache.hadoop.mapred.JobConf"

MESSAGE = known_leak(
    id="configuration_copies",
    title="Copies of the configuration",
    known=(
        "A copy of a job's Configuration is known to take up to several megabytes, since it has "
        "every property of the site and the job."
    ),
    cure="Make one in setup() and hand it on.",
    on_stack=((_CONF, "<init>", "loadResources", "loadResource"), (_JOB_CONF, "<init>")),
    holding=(_CONF, _JOB_CONF),
    sources=(Source("1.2 to 3.5", f"{_CONF}.<init>"), Source("1.2 to 3.5", f"{_JOB_CONF}.<init>")),
    examples=(
        Example("one more is made in map()",
                lambda: out_of_memory(f"{_CONF}.<init>", f"{_JOB_CONF}.<init>",
                                      "com.example.Job.map")),
        Example("they fill the heap", lambda: holding(_JOB_CONF)),
        Example("Hadoop makes that of the task",
                lambda: out_of_memory(f"{_CONF}.loadResources", f"{_JOB_CONF}.<init>",
                                      "org.apache.hadoop.mapred.YarnChild.main"), speaks=False),
        Example("a property is read",
                lambda: out_of_memory(f"{_CONF}.get", "com.example.Job.map"), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
