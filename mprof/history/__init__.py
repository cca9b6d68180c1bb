"""Job history and job configuration, as files that Hadoop wrote.

``read_history`` reads every format since MapReduce 1, ``read_conf`` the configuration beside it.
Nothing here connects to a cluster.
"""

from __future__ import annotations

from mprof.history.conf import JobConf, RoomGiven, parse_conf, read_conf
from mprof.history.counters import FILE_SYSTEM, NO_COUNTERS, Counters
from mprof.history.job_history import AttemptHistory, JobHistory, TaskHistory
from mprof.history.read import is_history, parse_history, read_history
from mprof.history.rest import jobs_of_answers, listed_in

__all__ = [
    "FILE_SYSTEM",
    "NO_COUNTERS",
    "AttemptHistory",
    "Counters",
    "JobConf",
    "JobHistory",
    "RoomGiven",
    "TaskHistory",
    "is_history",
    "jobs_of_answers",
    "listed_in",
    "parse_conf",
    "parse_history",
    "read_conf",
    "read_history",
]
