"""Limits of the framework that a job met without running out of memory."""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import Evidence
from mprof.messages.message import Reading, SaidSetting, Source, message
from mprof.messages.said import (
    code_that_asked,
    error_like,
    is_of_hadoop_1,
    name_of,
    options_name,
    setting_of,
    site_in_words,
    top_frame,
    words_like,
)
from mprof.trace.death import OLD_FULL_PERCENT
from mprof.trace.timeout import parse_timeout
from mprof.units import format_count

__all__ = ["MESSAGES"]

_EXCEEDED: Final = r"org\.apache\.hadoop\.mapreduce\.counters\.LimitExceededException"
_OLD_EXCEEDED: Final = (
    r"org\.apache\.hadoop\.mapred\.Counters\$CountersExceededException"
    r"|java\.lang\.RuntimeException"
)
_OLD_LIMIT: Final = "mapreduce.job.counters.limit"
_COUNTER_LIMITS: Final = (
    (_EXCEEDED, r"Too many counters: \d{1,12} max=", "counters", "mapreduce.job.counters.max"),
    (_EXCEEDED, r"Too many counter groups: \d{1,12} max=", "groups of counters",
     "mapreduce.job.counters.groups.max"),
    (_OLD_EXCEEDED, r"Error: Exceeded limits on number of counters - Counters=\d{1,12} Limit=",
     "counters", _OLD_LIMIT),
    (_OLD_EXCEEDED,
     r"Error: Exceeded limits on number of groups in counters - Groups=\d{1,12} Limit=",
     "groups of counters", None),
)  # fmt: skip
"""Class and words of the error, what there is too much of, and the property that sets the limit;
Hadoop 1 has none for groups."""
_KILLED: Final = r"Error: Exceeded counter limits - Counters=\d{1,12} Limit=(\d{1,12})"
_NOT_GIVEN: Final = r"(?:java\.io\.IOException: )?Counters Exceeded limit: (\d{1,12})"
_OF_RPC: Final = r"org\.apache\.hadoop\.ipc\.RemoteException|java\.io\.IOException"


@message(
    "Too many counters",
    Source(
        "1.2",
        "org.apache.hadoop.mapred.Counters$Group.getCounterForName",
        "Error: Exceeded limits on number of counters - Counters=N Limit=N",
    ),
    Source(
        "1.2",
        "org.apache.hadoop.mapred.TaskTracker$TaskInProgress.reportProgress",
        "Error: Exceeded counter limits - Counters=N Limit=N",
    ),
    Source(
        "1.2",
        "org.apache.hadoop.mapred.JobTracker.getJobCounters",
        "Counters Exceeded limit: N",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.mapreduce.counters.Limits.checkCounters",
        "Too many counters: N max=N",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.mapreduce.counters.Limits.checkGroups",
        "Too many counter groups: N max=N",
    ),
)
def too_many_counters(evidence: Evidence) -> Reading | None:
    """Too many counters.

    What it means
        The job made more counters, or groups of counters, than `mapreduce.job.counters.max` (120)
        or `mapreduce.job.counters.groups.max` (50) allow. No memory had run out: the limit protects
        the application master (in Hadoop 1 the JobTracker), which keeps the counters of every task.

    What it does not prove
        How many there would be: the task ends at the first above the limit.

    What to change
        Do not name counters after data (a word, a user, a date): write such counts as output. Where
        the number of names is fixed, raise the limit for the job, and for the JobHistoryServer,
        which else cannot read the job's history.

    What would tell more
        The names of the counters in `mapred job -status JOB`.
    """
    if (refused := error_like(evidence, _OF_RPC, _NOT_GIVEN)) is not None:
        return Reading(
            "The JobTracker did not give a client the counters of a job whose tasks have more than "
            f"{format_count(int(refused[1]))} of them together ({_OLD_LIMIT} in mapred-site.xml of "
            "the JobTracker): no task has ended by that, and no memory had run out. Counters that "
            "are named after data, or after a task, have no end; write such counts as output.",
            "proves",
        )
    met = (
        (error_like(evidence, error, rf"{words}(\d{{1,12}})"), what, name)
        for error, words, what, name in _COUNTER_LIMITS
    )
    quoted = (
        (words_like(evidence, rf".{{0,200}}?{words}(\d{{1,12}})"), what, name)
        for error, words, what, name in _COUNTER_LIMITS
        if error == _EXCEEDED
    )
    killed = (words_like(evidence, _KILLED), "counters", _OLD_LIMIT)
    every = (killed, *met, *quoted)
    found, what, name = next((one for one in every if one[0] is not None), (None, "", ""))
    if found is None:
        return None
    by = f" ({name})" if name else ""
    if (reader := _reader_of_history(evidence)) is not None:
        return _read_by_a_server(reader, int(found[1]), what, name)
    return Reading(
        f"The job made more than {format_count(int(found[1]))} {what}{by}, so the task was ended: "
        "no memory had run out. Counters that are named after data have no end; write such counts "
        "as output. Where their names are fixed, raise the limit for the job and for the "
        "JobHistoryServer.",
        "proves",
    )


# JobDetailsHistory of Hadoop 1, CompletedJob of the JobHistoryServer: both parse the counters of a
# job that has ended, under the limits of their own configuration
_HISTORY_SERVER: Final = "org.apache.hadoop.mapreduce.v2.hs."


def _reader_of_history(evidence: Evidence) -> str | None:
    """The server that met the limit as it read the history of a job; None where a task did."""
    program = evidence.death.program
    if program is not None and program.id == "jobtracker-page":
        return "JobTracker"
    frames = (*evidence.death.stack, *evidence.death.callers)
    by_hs = any(one.class_name.startswith(_HISTORY_SERVER) for one in frames)
    return "JobHistoryServer" if by_hs else None


def _read_by_a_server(server: str, limit: int, what: str, name: str | None) -> Reading:
    """Of counters that a job has, and that a server does not read."""
    old = f" (in Hadoop 1 {_OLD_LIMIT})" if server == "JobTracker" and name != _OLD_LIMIT else ""
    return Reading(
        f"The {server} read the history of a job with more than {format_count(limit)} {what}, the "
        "most that its own configuration allows, and so did not show it: neither a task nor the "
        "job has ended by that, and no memory had run out. "
        + (
            f"{name}{old} in mapred-site.xml of the {server}, "
            if name
            else "A higher limit there, "
        )
        + "which has to be started again, lets it read what the job was allowed. Counters that are "
        "named after data have no end; write such counts as output.",
        "proves",
    )


_ENDED_THREAD: Final = re.compile(r'Exception in thread "([^"]{1,100})" ([^"/;]{1,200}?)(?:"| /)')
"""What the JVM prints of a thread other than those of the task's main method, which catches all."""
_NOT_FULL = "its heap was not full"
"""What the classification of the death says where it knows (`mprof.trace.death`)."""


@message(
    "No progress for too long",
    Source(
        "1.2",
        "org.apache.hadoop.mapred.TaskTracker.markUnresponsiveTasks",
        "Task ATTEMPT failed to report status for N seconds. Killing!",
    ),
    Source(
        "2.2 to 3.0",
        "org.apache.hadoop.mapreduce.v2.app.TaskHeartbeatHandler",
        "AttemptID:ATTEMPT Timed out after N secs",
    ),
    Source(
        "3.4, 3.5",
        "org.apache.hadoop.mapreduce.v2.app.TaskHeartbeatHandler",
        "AttemptID:ATTEMPT task timeout set: Ns, taskTimedOut: true; task stuck timeout "
        "set: Ns, taskStuck: false",
    ),
)
def task_timeout(evidence: Evidence) -> Reading | None:
    """The task made no progress for too long.

    What it means
        The task neither read nor wrote a record, nor reported by itself, for
        `mapreduce.task.timeout` (600 s), and was ended for that.

    What it does not prove
        That memory was short: a call that does not return, a slow service, a loop or a wait for a
        thread that had ended by an error do the same. A full heap does it too, where the collector
        runs all the time.

    What to change
        Where work on one record is long, `context.progress()` in it; `mapreduce.task.timeout` only
        where it is known to be so.

    What would tell more
        A log of the collector (`-Xlog:gc*`, up to JDK 8 `-verbose:gc`) and `jstack PID` of the task
        while it stands still, and what the task itself had printed before. `mprof run` sees a heap
        that is full and names what fills it.
    """
    death = evidence.death
    timeout = parse_timeout(death.message)
    if death.kind != "not-memory" or death.chain or timeout is None:
        return None
    sentence = (
        f"The task reported no progress for {timeout.seconds} s "
        f"({name_of(evidence, 'mapreduce.task.timeout')}) and was ended for that."
    )
    own = code_that_asked(evidence)
    if _NOT_FULL in death.evidence:
        stands = "jstack PID of the task, while it stands still, shows the call."
        if own is not None:
            stands = f"read what {own} calls: it stood there when its threads were listed."
        return Reading(
            f"{sentence} Its heap was not full: a call that does not return, or a loop, does this.",
            "suggests",
            stands,
        )
    thread = _ENDED_THREAD.search(death.evidence)
    if thread is not None:
        return Reading(
            f"{sentence} Its thread {thread[1]} had ended by an error that nothing caught "
            f"({thread[2]}): code that waits for such a thread waits for ever. mprof found "
            "nothing that says whether the task did; a call that does not return and a full heap "
            "do the same.",
            "suggests",
            "read the code that starts that thread, and why it ended; jstack PID of the task, "
            "while it stands still, shows what waits.",
        )
    top = next(iter(death.stack), None)
    at_work = ""
    if top is not None:
        stood = own or site_in_words(top_frame(evidence) or top)
        at_work = f" Its main thread was in {stood} when its threads were listed."
    waits = _waits_in(evidence)
    if waits:
        by = f", called by {own}" if own else ""
        cure = (
            "a read or a connect without a timeout of its own waits for ever. Set one there "
            "(Socket.setSoTimeout, URLConnection.setConnectTimeout and setReadTimeout, the "
            "client's own)"
            if _OF_A_SOCKET.search(waits)
            else "the program that it started did not end. End it after a time"
        )
        return Reading(
            f"{sentence} Its main thread was in {waits}{by} when its threads were listed: {cure}. "
            "A longer timeout of the task only ends it later, and context.progress() is not "
            f"reached while that call lasts.{_measured(evidence)}",
            "suggests",
            _AGAIN,
        )
    name = name_of(evidence, "mapreduce.task.timeout")
    millis = str(_TIMES * timeout.seconds * 1000)
    text = (
        f"First aid: {name}={millis}, {_TIMES} times what it had (in ms), where work on one record "
        "is known to be long. context.progress() in that work is the cure; a call that never "
        "returns only ends later."
    )
    longer = SaidSetting(name, str(timeout.seconds * 1000), millis, text, first_aid=True)
    return Reading(
        f"{sentence}{at_work} A call that does not return does this, long work on one record that "
        f"reports nothing, and a full heap as well.{_collected(evidence)}"
        f"{_measured(evidence)}",
        "suggests",
        _which(evidence) if top is None else _AGAIN,
        (longer,),
    )


_AGAIN: Final = "a second jstack PID some minutes later shows whether it still stands there."
_TIMES: Final = 3
_COLLECTED: Final = "GC time elapsed (ms)"
_WORKED: Final = "CPU time spent (ms)"
_LITTLE: Final = 0.1
"""Share of the CPU time: one whose heap is full collects nearly all the time."""


_IN_USE: Final = "physical memory in use at the last look"
_FREE_PERCENT: Final = 80
"""Of an old generation: with more in use after a collection, a heap may have been short or not."""


def _measured(evidence: Evidence) -> str:
    """What jstat and the NodeManager show in the text, of a process that it does not name."""
    old, used = evidence.death.old_percent, setting_of(evidence, _IN_USE)
    said = []
    if old is not None and not _FREE_PERCENT <= old < OLD_FULL_PERCENT:
        so = "was" if old >= OLD_FULL_PERCENT else "was not"
        shown = f"{old:.2f}".removesuffix(".00")
        said.append(
            f"jstat in the text has the old generation {shown} % full: where it is of such a task, "
            f"its heap {so} short."
        )
    if used:
        said.append(f"The NodeManager's last look in the text has {used} in use by a container.")
    return "".join(f" {one}" for one in said)


# calls in which a thread waits for something outside of its JVM, whatever it reports meanwhile
_WAITS: Final = re.compile(
    r"java\.net\.(?:SocketInputStream\.(?:socketRead0|read)|PlainSocketImpl\.socketConnect)$|"
    r"sun\.nio\.ch\.(?:SocketDispatcher\.read0|Net\.(?:poll|connect0)|NioSocketImpl\.park)$|"
    r"java\.lang\.(?:UNIXProcess|ProcessImpl)\.waitFor$"
)
_OF_A_SOCKET: Final = re.compile(r"socket|Net\.|NioSocket", re.IGNORECASE)


def _waits_in(evidence: Evidence) -> str:
    """The call outside of the JVM in which the main thread was when it was listed; "" of none."""
    top = next(iter(evidence.death.stack), None)
    name = f"{top.class_name}.{top.method}" if top is not None else ""
    return name if _WAITS.match(name) else ""


def _collected(evidence: Evidence) -> str:
    """What counters that the text has say of collections."""
    said = [setting_of(evidence, name) or "" for name in (_COLLECTED, _WORKED)]
    if not all(one.isdecimal() for one in said):
        return ""
    collected, worked = map(int, said)
    if not worked or collected > _LITTLE * worked:
        return ""
    return (
        f" The counters in the text have {format_count(collected)} ms of collections in "
        f"{format_count(worked)} ms of CPU time: where they are of such a task, its heap was not "
        "short."
    )


def _which(evidence: Evidence) -> str:
    """What tells a call that does not return from a full heap."""
    if evidence.attempt.mode != "none":
        return ""
    if is_of_hadoop_1(evidence):
        return (
            "jstack PID of the task, while it stands still, shows a call that does not return; "
            f"-verbose:gc -XX:+PrintGCDetails in {options_name(evidence)} a heap that is full."
        )
    return (
        "mprof run tells which: it sees a heap that is full; jstack PID shows a call that does not "
        "return."
    )


_FETCHES: Final = r".{0,200}?Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out"


@message(
    "Map outputs could not be fetched",
    Source(
        "1.2",
        "org.apache.hadoop.mapred.ReduceTask$ReduceCopier.fetchOutputs",
        "Shuffle Error: Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out.",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.mapreduce.task.reduce.ShuffleSchedulerImpl.checkReducerHealth",
        "Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out.",
    ),
)
def shuffle_fetch_failures(evidence: Evidence) -> Reading | None:
    """A reducer gave up because it could not fetch the outputs of too many map tasks.

    What it means
        The copies from other nodes failed again and again: a node that is gone or overloaded, a
        name that leads to the wrong address, a firewall, the shuffle service of the NodeManager
        (`mapreduce_shuffle`), or local disks that lost the map output. The error ends the reducer
        for that, whatever its heap holds.

    What it does not prove
        Which node it was: the lines above name hosts and reasons (`Failed to connect to`, `fetch
        failed`).

    What to change
        Nothing in memory. What the lines above name.

    What would tell more
        The reducer's syslog, and the NodeManager's log of the host that it names.
    """
    found = error_like(evidence, r"[\w.$]+", _FETCHES) or words_like(evidence, _FETCHES)
    if found is None or evidence.death.kind != "not-memory":
        return None
    return Reading(
        "The reducer gave up because it could not fetch the outputs of too many map tasks. The "
        "words name no lack of memory in the reducer; the cause may be a node, a name, the "
        "network, or the shuffle service in a NodeManager, which may have been short of memory "
        "itself.",
        "proves",
        "the lines before it in its syslog (Failed to connect to HOST:PORT) name the hosts: see "
        "whether the NodeManager of each runs, and read its log.",
    )


MESSAGES = (too_many_counters, task_timeout, shuffle_fetch_failures)
