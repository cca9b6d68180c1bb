"""An exit code of YARN's own: a negative one.

What it means
    YARN ended the container, or could not run it, and the code says why: -100 released or lost
    with its node, -101 the node's disks failed, -102 preempted for another queue, -105 and -106
    killed by the application master or the ResourceManager, -107 at the end of the application,
    -108 for another container. Only -103 (virtual) and -104 (physical) are for memory.

What it does not prove
    -105 to -107: the application master also ends the container of an attempt that has reported an
    error, so the reason is in the attempt's diagnostics. Nothing of the task's memory can be told
    from the other codes.

What to change
    Nothing in the job; for -102 the queue's share, for -101 the node's disks.

What would tell more
    The ResourceManager's and the NodeManager's logs name the container.
"""

from __future__ import annotations

from typing import Final

from mprof.evidence import Evidence
from mprof.messages.examples import ended
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import exit_code, logs_command

__all__ = ["MESSAGE"]

_ASKED_FOR: Final = frozenset({-105, -106, -107})
_SAYS: Final = {
    -100: "it was released, or its node was lost",
    -101: "the disks of the node failed",
    -102: "it was preempted for another queue",
    -105: "the application master ended it",
    -106: "the ResourceManager ended it",
    -107: "the ResourceManager did so at the end of the application",
    -108: "the NodeManager ended it in favour of another container",
}
"""``org.apache.hadoop.yarn.api.records.ContainerExitStatus``."""


def _reads(evidence: Evidence) -> Reading | None:
    code = exit_code(evidence)
    says = _SAYS.get(code) if code is not None else None
    if says is None:
        return None
    if code in _ASKED_FOR:
        return Reading(
            f"The container was ended from outside (exit status {code}): {says}. Why, the "
            "attempt's diagnostics and the application master's log say.",
            "suggests",
            f"read the application master's log: {logs_command(evidence)} -am ALL",
        )
    return Reading(
        f"The container was ended from outside (exit status {code}): {says}. That is not for the "
        "memory that the task took.",
        "proves",
    )


_CLASS = "org.apache.hadoop.yarn.api.records.ContainerExitStatus"

MESSAGE = Message(
    id="exit_of_yarn",
    title="The container was ended from outside",
    reads=_reads,
    sources=(
        Source("2.2 to 3.5", f"{_CLASS}.ABORTED", "-100"),
        Source("2.2 to 3.5", f"{_CLASS}.DISKS_FAILED", "-101"),
        Source("2.4 to 3.5", f"{_CLASS}.PREEMPTED", "-102"),
        Source("2.6 to 3.5", f"{_CLASS}.KILLED_BY_APPMASTER", "-105"),
    ),
    examples=(
        Example("preempted", lambda: ended("Exit status: -102", exit_code=-102)),
        Example("killed for memory", lambda: ended("Exit status: -104", kind="container-physical",
                                                   exit_code=-104), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
