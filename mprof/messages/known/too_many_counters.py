"""Too many counters.

What it means
    The job made more counters, or groups of counters, than `mapreduce.job.counters.max` (120) or
    `mapreduce.job.counters.groups.max` (50) allow. No memory had run out: the limit protects the
    application master (in Hadoop 1 the JobTracker), which keeps the counters of every task.

What it does not prove
    How many there would be: the task ends at the first above the limit.

What to change
    Do not name counters after data (a word, a user, a date): write such counts as output. Where
    the number of names is fixed, raise the limit for the job, and for the JobHistoryServer, which
    else cannot read the job's history.

What would tell more
    The names of the counters in `mapred job -status JOB`.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import ended, failed
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import error_like, words_like
from mprof.units import format_count

__all__ = ["MESSAGE"]

_LIMITS = r"org\.apache\.hadoop\.mapreduce\.counters\.LimitExceededException"
_OF_HADOOP_1 = r"org\.apache\.hadoop\.mapred\.Counters\$CountersExceededException"
_CALLED = r"Too many counters: \d{1,12} max=(\d{1,12})"
_GROUPS = r"Too many counter groups: \d{1,12} max=(\d{1,12})"
_OLD = r"Error: Exceeded limits on number of (?:counters|groups in counters) - "
_KILLED = r"Error: Exceeded counter limits - Counters=\d{1,12} Limit=(\d{1,12})"


def _reads(evidence: Evidence) -> Reading | None:
    counters = error_like(evidence, _LIMITS, _CALLED)
    groups = error_like(evidence, _LIMITS, _GROUPS)
    old = words_like(evidence, _KILLED) or error_like(
        evidence, _OF_HADOOP_1, _OLD + r"(?:Counters|Groups)=\d{1,12} Limit=(\d{1,12})"
    )
    found = counters or groups or old
    if found is None:
        return None
    name = "mapreduce.job.counters.groups.max" if groups else "mapreduce.job.counters.max"
    if old is not None:
        name = "mapreduce.job.counters.limit"
    most = format_count(int(found[1]))
    what = "groups of counters" if groups else "counters"
    return Reading(
        f"The job made more than {most} {what} ({name}), so the task was ended: no memory had run "
        "out. Counters that are named after data have no end; write such counts as output. Where "
        "their names are fixed, raise the limit for the job and for the JobHistoryServer.",
        "proves",
    )


MESSAGE = Message(
    id="too_many_counters",
    title="Too many counters",
    reads=_reads,
    sources=(
        Source("1.2", "org.apache.hadoop.mapred.Counters$Group.getCounterForName",
               "Error: Exceeded limits on number of counters - Counters=N Limit=N"),
        Source("1.2", "org.apache.hadoop.mapred.TaskTracker$TaskInProgress.reportProgress",
               "Error: Exceeded counter limits - Counters=N Limit=N"),
        Source("2.2 to 3.5", "org.apache.hadoop.mapreduce.counters.Limits.checkCounters",
               "Too many counters: N max=N"),
        Source("2.2 to 3.5", "org.apache.hadoop.mapreduce.counters.Limits.checkGroups",
               "Too many counter groups: N max=N"),
    ),
    examples=(
        Example("Hadoop 3",
                lambda: failed("org.apache.hadoop.mapreduce.counters.LimitExceededException: "
                               "Too many counters: 121 max=120")),
        Example("Hadoop 1",
                lambda: failed("org.apache.hadoop.mapred.Counters$CountersExceededException: "
                               "Error: Exceeded limits on number of counters - Counters=120 "
                               "Limit=120")),
        Example("a TaskTracker that ends the task",
                lambda: ended("Error: Exceeded counter limits - Counters=121 Limit=120. "
                              "Groups=3 Limit=50")),
        Example("the same words in an error of the job's own",
                lambda: failed("java.lang.IllegalStateException: Too many counters: 121 max=120"),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
