"""An application that its queue refused, whatever the memory."""

from __future__ import annotations

import re
from typing import Final

from mprof.messages.ends import MEMORY_IS_NOT_IT, KnownEnd, SaidOfEnd
from mprof.messages.message import Source

__all__ = ["ENDS"]

_SCHEDULER: Final = "org.apache.hadoop.yarn.server.resourcemanager.scheduler"
_SET_BY: Final = (
    "mapreduce.job.queuename (Spark: spark.yarn.queue; Tez: tez.queue.name; Oozie's launcher: "
    "oozie.launcher.mapreduce.job.queuename)"
)


def _refused(found: re.Match[str], _text: str) -> SaidOfEnd:
    queue = (found["queue"] or found["unknown"] or found["denied"] or "").rstrip(".")
    if found["unknown"] is not None:
        return SaidOfEnd(
            f"The application was refused: the scheduler has no queue {queue}. Set "
            f"{_SET_BY}. No container had been started, and no memory had run out.",
            "mapred queue -list names the queues.",
        )
    user = found["user"] or found["denied_user"]
    return SaidOfEnd(
        f"The application was refused: user {user} may not submit to queue {queue}. Set "
        f"another queue with {_SET_BY}, or have the user or one of their groups added to the list "
        "of that queue: with the CapacityScheduler "
        f"yarn.scheduler.capacity.{queue}.acl_submit_applications, then yarn rmadmin "
        "-refreshQueues; with the FairScheduler aclSubmitApps. Whoever may submit to a parent of "
        "the queue may submit to it as well. No container had been started, and no memory had "
        "run out.",
        "mapred queue -showacls, as that user, lists the queues and what the user may do there.",
    )


ENDS: Final = (
    KnownEnd(
        id="refused_by_its_queue",
        title="A queue refused the application",
        words=(
            r"User (?P<user>\S{1,100}) cannot submit applications? to queue "
            r"(?P<queue>[\w.-]{1,200})|"
            r"User (?P<denied_user>\S{1,100}) does not have permission to submit "
            r"application_\d{1,19}_\d{1,9} to queue (?P<denied>[\w.-]{1,200})|"
            r"submitted by user \S{1,100} to unknown queue: (?P<unknown>[\w.-]{1,200})"
        ),
        says=_refused,
        first="The scheduler does not take an application of that user, or knows no such queue.",
        means=(
            "Each queue has a list of users and groups that may submit to it. An application is "
            "refused before any container is started, whatever memory it asks for."
        ),
        not_proven=MEMORY_IS_NOT_IT,
        change=(
            "The queue of the job (`mapreduce.job.queuename`, `spark.yarn.queue`, "
            "`tez.queue.name`), or the list of the queue, which its administrator keeps "
            "(`yarn.scheduler.capacity.QUEUE.acl_submit_applications`)."
        ),
        more="`mapred queue -showacls`, as that user.",
        next_step="mapred queue -showacls, as that user, lists the queues.",
        sources=(
            Source(
                "2.2 to 3.5",
                f"{_SCHEDULER}.capacity.LeafQueue.submitApplication",
                "cannot submit applications to queue",
            ),
            Source(
                "2.2 to 3.5",
                f"{_SCHEDULER}.fair.FairScheduler.addApplication",
                "cannot submit applications to queue",
            ),
            Source(
                "2.2 to 3.5",
                f"{_SCHEDULER}.capacity.CapacityScheduler.addApplication",
                "to unknown queue: ",
            ),
        ),
    ),
)
