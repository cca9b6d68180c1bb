"""Ends by whoever may take a process away: a scheduler, a probe, whoever asks it to end."""

from __future__ import annotations

import re
from typing import Final

from mprof.messages.ends import MEMORY_IS_NOT_IT, KnownEnd, SaidOfEnd
from mprof.messages.message import Source

__all__ = ["ENDS"]


def _asked_to_end(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "The task was asked to end: its job was killed, another task of it had failed for good, or "
        "somebody killed the task. That is no sign of a lack of memory.",
    )


def _outrun(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "Another attempt of the same task was quicker (speculative execution), and the application "
        "master ended this one. That counts as no failure and is no sign of a lack of memory; exit "
        "code 143 (SIGTERM) beside it is that request."
    )


def _gone_with_its_node(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "The ResourceManager took the node for lost, as one that was not heard of for too long, "
        "was unhealthy, started again or was decommissioned, and gave up the containers on it. "
        "That is no sign of a lack of memory in this one."
    )


def _by_a_user(found: re.Match[str], _text: str) -> SaidOfEnd:
    who = found["user"] or found["other"]
    return SaidOfEnd(
        f"The user {who} killed the application: it did not end by itself, and that is no sign of "
        "a lack of memory."
    )


def _not_alive(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "Kubernetes killed the container because it failed its liveness probe, not for its memory: "
        "exit code 137 or 143 comes of that."
    )


def _server_stopped(found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        f"The {found['server']} was asked to end ({found['signal']}), as whoever stops a server "
        "does. That is no sign of a lack of memory by itself: what the kernel kills for memory has "
        "no time to log anything. A watchdog of the machine's memory, or a command of "
        "-XX:OnOutOfMemoryError, may send that signal too; the latter runs only behind an "
        "OutOfMemoryError in its own log or .out file."
    )


def _preempted(found: re.Match[str], _text: str) -> SaidOfEnd:
    return _taken_back(found, "mapreduce.job.queuename")


def _preempted_of_spark(found: re.Match[str], _text: str) -> SaidOfEnd:
    return _taken_back(found, "spark.yarn.queue (--queue)")


def _taken_back(found: re.Match[str], queue: str) -> SaidOfEnd:
    if found["reducer"]:
        return SaidOfEnd(
            "The application master stopped a reducer of its own job to make room for map tasks "
            "that were waiting, whatever memory it took. A killed attempt does not count as a "
            "failure; its work is done again.",
            "mapreduce.job.reduce.slowstart.completedmaps=0.80 starts the reducers later, when "
            "fewer map tasks can be waiting.",
        )
    return SaidOfEnd(
        "YARN took the container for an application with a better claim (preemption), whatever "
        "memory it took: as a rule because its queue had more than its share. A larger "
        "container takes more of the queue's share, so more of them are taken back. A container "
        "that is preempted does not count as a failed attempt.",
        "yarn queue -status QUEUE shows its share (Capacity, Current Capacity); "
        f"{queue} chooses another one, and its administrator may raise its share or "
        "spare it (yarn.scheduler.capacity.QUEUE-PATH.disable_preemption=true).",
    )


ENDS: Final = (
    KnownEnd(
        id="server_asked_to_end",
        title="A server was asked to end",
        words=(
            r"\b(?P<server>(?:Secondary)?NameNode|DataNode|JournalNode|ResourceManager|NodeManager|"
            r"JobHistoryServer|ApplicationHistoryServer|DFSZKFailoverController): "
            r"RECEIVED SIGNAL \d{1,2}: (?P<signal>SIG(?:TERM|HUP|INT))\b"
        ),
        says=_server_stopped,
        first="A server of Hadoop logged a signal by which somebody asked it to end.",
        means=(
            "The servers of Hadoop log SIGTERM, SIGHUP and SIGINT (`SignalLogger`) and then shut "
            "down in order. `stop-dfs.sh`, `stop-yarn.sh`, `systemctl stop`, a manager of the "
            "cluster and a machine that shuts down send SIGTERM; a terminal that closes sends "
            "SIGHUP to what it started. The kernel's OOM killer sends SIGKILL, which no process "
            "can log; watchdogs such as earlyoom send SIGTERM first."
        ),
        not_proven="Who sent the signal, and why.",
        change="Nothing in memory, unless its own log has an OutOfMemoryError before the signal.",
        more=(
            "What ran on that machine at that second: `journalctl` of its service, the log of the "
            "cluster's manager, `last -x` for a shutdown."
        ),
        next_step=(
            "journalctl of that second, or the log of the cluster's manager, shows what stopped "
            "it; start the server again."
        ),
        sources=(Source("2.2 to 3.5", "org.apache.hadoop.util.SignalLogger", "RECEIVED SIGNAL "),),
    ),
    KnownEnd(
        id="failed_its_liveness_probe",
        title="Kubernetes restarted a container that did not answer",
        words=r"failed liveness probe, will be restarted|Liveness probe failed",
        says=_not_alive,
        first="The kubelet killed a container because its liveness probe failed.",
        means=(
            "The kubelet asks a container at intervals whether it is alive, and kills it where it "
            "does not answer in time, however much memory it has. Its exit code is then 137 or 143."
        ),
        not_proven="Why it did not answer: a start that takes long, no CPU, or long collections.",
        change=(
            "A `startupProbe`, a longer `initialDelaySeconds` or `timeoutSeconds`, or more CPU; "
            "memory only where the log of its collector shows that the heap was full."
        ),
        more="The log of the container before its end: `kubectl logs --previous POD`.",
        next_step="kubectl logs --previous POD shows what it did before.",
        sources=(
            Source("Kubernetes", "kubelet, prober", "Liveness probe failed: "),
            Source("Kubernetes", "kubelet", "failed liveness probe, will be restarted"),
        ),
    ),
    KnownEnd(
        id="preempted",
        title="The scheduler took the container back (preemption)",
        words=(
            r"(?:\bwas preempted\b|Container preempted by scheduler|"
            r"(?P<reducer>Reducer preempted to make room for pending map attempts))"
        ),
        says=_preempted,
        says_in={"spark": _preempted_of_spark},
        first="The scheduler took a container away, for an application with a better claim; or the "
        "application master stopped a reducer of its own job.",
        means=(
            "Where a queue has less than its share, the ResourceManager ends containers of others "
            "(`yarn.resourcemanager.scheduler.monitor.enable`). Where map tasks wait and reducers "
            "hold the room, the application master stops reducers of the same job. The work is "
            "done again."
        ),
        not_proven=MEMORY_IS_NOT_IT,
        change=(
            "Nothing in memory: the share of the queue, or its priority; for reducers that wait "
            "for map tasks, a later start (`mapreduce.job.reduce.slowstart.completedmaps`)."
        ),
        more=(
            "The ResourceManager's log of that time names the containers that it took back; `yarn "
            "queue -status QUEUE` shows the share of the queue."
        ),
        next_step="the ResourceManager's log of that time names what it took back.",
        sources=(
            Source(
                "2.4 to 3.5",
                "org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils",
                "Container preempted by scheduler",
            ),
            Source(
                "2.6 to 3.5",
                "org.apache.hadoop.mapreduce.v2.app.rm.RMContainerAllocator",
                "Reducer preempted to make room for pending map attempts",
            ),
            Source(
                "Spark 1.6 to 3.5", "org.apache.spark.deploy.yarn.YarnAllocator", "was preempted."
            ),
        ),
    ),
    KnownEnd(
        id="speculation_lost",
        title="Another attempt of the task was quicker",
        words=(
            r"(?m:^)[ \t]*Speculation: attempt_\S{1,60} (?:succeeded|committed) first|"
            r"Issuing kill to other attempt attempt_"
        ),
        says=_outrun,
        first="One of two attempts of a task was ended because the other had finished.",
        means=(
            "Of a task that is slower than its like a second attempt is started "
            "(`mapreduce.map.speculative`, `mapreduce.reduce.speculative`), and the one that is "
            "left when the other has finished is killed. It is listed as killed, with exit code "
            "143, and the task has succeeded."
        ),
        not_proven="Why the first attempt was slow: its node, its data, or long collections.",
        change="Nothing. `mapreduce.map.speculative=false` starts no second attempts.",
        more="The log of its collector, and the counters of both attempts beside each other.",
        next_step="nothing has to be changed for it; the page of the task shows both attempts.",
        sources=(
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.mapreduce.v2.app.job.impl.TaskImpl",
                "Issuing kill to other attempt ATTEMPT",
            ),
            Source(
                "2.4 to 3.5",
                "org.apache.hadoop.mapreduce.v2.app.job.impl.TaskImpl",
                "Speculation: ATTEMPT succeeded first!",
            ),
        ),
    ),
    KnownEnd(
        id="node_lost",
        title="The node of the container was lost",
        words=r"Container released on a \*lost\* node",
        says=_gone_with_its_node,
        first="A container was given up because its node was lost.",
        means=(
            "A NodeManager reports at intervals. Where none comes for "
            "`yarn.nm.liveness-monitor.expiry-interval-ms` (10 minutes) the ResourceManager takes "
            "the node for lost, and everything on it: the NodeManager ended, was killed or stands "
            "still, or its machine or network is gone; a rented machine may have been taken back. "
            "A node that is unhealthy, starts again or is decommissioned is given up with the same "
            "words."
        ),
        not_proven=(
            "Why the node was lost. All processes of a machine together may have had too little "
            "memory, so that the kernel killed the NodeManager."
        ),
        change="Nothing in the memory of the job, before it is known what became of the node.",
        more=(
            "`yarn node -list -all` shows the state of the node, its NodeManager's log the end of "
            "that, and `dmesg -T` on it what the kernel killed."
        ),
        next_step="yarn node -list -all shows the state of the node; its NodeManager's log, and "
        "dmesg -T on that machine, say what became of it.",
        sources=(
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils.LOST_CONTAINER",
                "Container released on a *lost* node",
            ),
        ),
    ),
    KnownEnd(
        id="killed_by_a_user",
        title="Somebody killed the application",
        words=(
            r"Application application_\d+_\d+ was killed by user (?P<user>[^\s.,]{1,60})|"
            r"Kill job job_\d+_\d+ received from (?P<other>[^\s.,]{1,60})"
        ),
        says=_by_a_user,
        first="A user killed the application, by a command or a page.",
        means=(
            "`yarn application -kill`, `mapred job -kill`, the page of the ResourceManager, or a "
            "program that does the same for its user (HiveServer2 where a query is cancelled, a "
            "scheduler of workflows). Its containers end with exit code 143 or 137."
        ),
        not_proven="Why: ask the user that is named.",
        change="Nothing in the job.",
        more="The ResourceManager's audit log (`OPERATION=Kill Application Request`) has the host.",
        next_step="ask that user; the ResourceManager's audit log has the host that asked for it.",
        sources=(
            Source(
                "2.6 to 3.5",
                "org.apache.hadoop.yarn.server.resourcemanager.ClientRMService"
                ".forceKillApplication",
                "Application APPLICATION was killed by user USER at HOST",
            ),
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.mapreduce.v2.app.client.MRClientService.killJob",
                "Kill job JOB received from USER",
            ),
        ),
    ),
    KnownEnd(
        id="task_asked_to_end",
        title="The task was asked to end",
        words=r"(?m:^)[ \t]*Task KILL is received\. Killing attempt!",
        says=_asked_to_end,
        first="A task was asked to end, by its job or by somebody.",
        means=(
            "The application master ends all tasks of a job that is killed, or in which another "
            "task has failed for good, and a task that somebody kills by its id. Whoever stops a "
            "query of Hive (`FAILED: Operation cancelled`), or the client that it came from, kills "
            "its job so. Exit code 143 behind it is the same request (SIGTERM)."
        ),
        not_proven="That anything was wrong with this task, or with its memory.",
        change="Nothing about this task: what stopped the job comes first.",
        more=(
            "The job's own diagnostics say whether it was killed or had failed; HiveServer2's log "
            "or the client's at that time says who cancelled the query."
        ),
        next_step="the diagnostics of the job say whether it was killed or a task had failed.",
        sources=(
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.mapreduce.v2.app.job.impl.TaskImpl$KillTransition",
                "Task KILL is received. Killing attempt!",
            ),
        ),
    ),
)
