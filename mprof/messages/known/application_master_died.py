"""The application master died.

What it means
    The process that leads the job ended, and the job with it. It keeps the state and counters of
    every task, so jobs of tens of thousands of tasks, or with many counters, need more of it; in
    uber mode (`mapreduce.job.ubertask.enable`) the tasks themselves run in it.

What it does not prove
    That it was for memory, unless its words say so: `running beyond physical memory limits`,
    `Java heap space`, exit code 255 with `Halting due to Out Of Memory Error` in its stderr.

What to change
    For memory: `yarn.app.mapreduce.am.resource.mb` (1536) and `-Xmx` in
    `yarn.app.mapreduce.am.command-opts` (`-Xmx1024m`) together; fewer tasks and counters.

What would tell more
    Its own log: `yarn logs -applicationId APPLICATION -am ALL`.
"""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import Evidence
from mprof.messages.examples import ended
from mprof.messages.message import Example, Message, Reading, SaidSetting, Source
from mprof.messages.said import logs_command, setting_of

__all__ = ["MESSAGE"]

_MEMORY: Final = re.compile(
    r"(?i)beyond (?:the '?)?physical|OutOfMemoryError|Java heap space|Exit ?code is:? -104"
)
_RESOURCE: Final = "yarn.app.mapreduce.am.resource.mb"
_OPTIONS: Final = "yarn.app.mapreduce.am.command-opts"
_RESOURCE_DEFAULT: Final = 1536  # MRJobConfig.DEFAULT_MR_AM_VMEM_MB
_OPTIONS_DEFAULT: Final = "-Xmx1024m"  # MRJobConfig.DEFAULT_MR_AM_COMMAND_OPTS
_TIMES: Final = 2
_HEAP_OF_CONTAINER: Final = 0.8


def _reads(evidence: Evidence) -> Reading | None:
    if evidence.death.kind != "application-master":
        return None
    next_step = f"read its own log: {logs_command(evidence)} -am ALL"
    if _MEMORY.search(evidence.death.evidence) is None:
        return Reading(
            "The application master, which leads the job, ended; its words do not say that it was "
            "for memory.",
            "suggests",
            next_step,
        )
    old = setting_of(evidence, _RESOURCE)
    size = int(old) if old is not None and old.isdecimal() and len(old) < 10 else _RESOURCE_DEFAULT
    new_mb = _TIMES * size
    xmx = f"-Xmx{int(_HEAP_OF_CONTAINER * new_mb)}m"
    old_options = setting_of(evidence, _OPTIONS)
    options = old_options or _OPTIONS_DEFAULT
    new_options = (
        re.sub(r"-Xmx\w+", xmx, options) if "-Xmx" in options else f"{options} {xmx}".strip()
    )
    why = f"Twice its container of {size} MB: it keeps the state and counters of every task."
    return Reading(
        "The application master, which leads the job, ran out of memory itself: it keeps the state "
        "and counters of every task, and in uber mode runs them. No setting of the tasks helps.",
        "proves",
        next_step,
        (
            SaidSetting(_RESOURCE, old, str(new_mb), why),
            SaidSetting(_OPTIONS, old_options, new_options, "Its heap goes with its container."),
        ),
    )


MESSAGE = Message(
    id="application_master_died",
    title="The application master died",
    reads=_reads,
    sources=(
        Source("2.2 to 3.5", "org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt."
               "RMAppAttemptImpl", "AM Container for ATTEMPT exited with  exitCode: N"),
        Source("2.2 to 3.5", "org.apache.hadoop.yarn.YarnUncaughtExceptionHandler",
               "Halting due to Out Of Memory Error..."),
    ),
    examples=(
        Example("killed for physical memory",
                lambda: ended("Container [pid=1,containerID=container_1_0001_01_000001] is running "
                              "beyond physical memory limits.", kind="application-master")),
        Example("an exit code alone",
                lambda: ended("AM Container for appattempt_1_0001_000002 exited with  exitCode: 1",
                              kind="application-master")),
        Example("a task that was killed",
                lambda: ended("is running beyond physical memory limits",
                              kind="container-physical"), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
