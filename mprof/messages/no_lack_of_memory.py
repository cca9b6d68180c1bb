"""Ends that look like any other, and that no lack of memory brings about."""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import Evidence
from mprof.messages import (
    addresses,
    files_of_containers,
    hbase,
    libraries,
    network,
    queues,
    refused_sizes,
    start_up,
    storage,
    taken_away,
)
from mprof.messages.ends import MEMORY_IS_NOT_IT, PAGE, KnownEnd, SaidOfEnd, message_of
from mprof.messages.message import Message, Reading, Source
from mprof.messages.said import (
    is_of_hadoop_1,
    logs_command,
)

__all__ = ["ENDS", "MESSAGES"]


def _token(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "A delegation token was refused: it has expired, was cancelled at the end of another job, "
        "or is not known to that service. That is a matter of permissions, not of memory.",
    )


def _server(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "A server that was called (the NameNode, the ResourceManager or another) ran out of memory "
        "and said so to its client: it is the heap of that server, not of the process that says it."
    )


def _no_fork(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "The operating system refused another process: a limit of processes and threads of its "
        "user, its service or its container was met. It is no lack of heap."
    )


def _no_number(found: re.Match[str], _text: str) -> SaidOfEnd:
    megabytes = int(found["number"]) * _MB_OF[found["unit"].lower()]
    whole = f" ({megabytes} for {found['value']})" if megabytes else ""
    return SaidOfEnd(
        f"Hadoop reads a whole number from a property that has {found['value']}. Sizes in MB, such "
        "as mapreduce.map.memory.mb, mapreduce.reduce.memory.mb, mapreduce.task.io.sort.mb and "
        f"yarn.app.mapreduce.am.resource.mb, take no unit{whole}. No memory had run out.",
    )


_MB_OF: Final = {"k": 0, "m": 1, "g": 1024, "t": 1 << 20}


def _too_deep(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "The stack of a thread was full, and not the heap: calls were nested too deep, as by a "
        "recursion that does not end, a regular expression on a long text, or a long chain of "
        "objects that is serialised. A larger -Xmx does not help; a larger -Xss (-Xss4m in the "
        "JVM options) does where the nesting has an end."
    )


def _not_read_to_its_end(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "The program of the Streaming job had ended, or closed its input, before all records were "
        "written to it. Its own standard error shows an exception or a wrong interpreter. Where "
        "that is empty, the program stopped reading (head, grep -q, an early exit: all of the "
        "input has to be read), or it was killed: look for exit code 137 or 143, and dmesg -T. The "
        "heap of the JVM has no part in that."
    )


def _without_a_unit(found: re.Match[str], _text: str) -> SaidOfEnd:
    option, number = found.groups()
    return SaidOfEnd(
        f"{option}{number} has no unit. Given so, it is {int(number):,} bytes, and HotSpot does "
        "not start with so small a heap: it exits with 1 before any code of the job runs. "
        f"{option}{number}m is {int(number):,} MB."
    )


def _counters_of_tez(found: re.Match[str], _text: str) -> SaidOfEnd:
    of_groups, limit = found[1] != "s", int(found[3])
    what = "groups of counters" if of_groups else "counters"
    name = "tez.counters.max.groups" if of_groups else "tez.counters.max"
    return SaidOfEnd(
        f"There were more {what} than the {limit:,} that this process allowed ({name}): no "
        "memory had run out. A client applies the limit of its own configuration, so a DAG may "
        "have completed although its client failed."
    )


ENDS: Final = (
    *files_of_containers.ENDS,
    *storage.ENDS,
    *addresses.ENDS,
    *hbase.ENDS,
    *libraries.ENDS,
    *network.ENDS,
    *queues.ENDS,
    *taken_away.ENDS,
    *start_up.ENDS,
    *refused_sizes.ENDS,
    KnownEnd(
        id="token_refused",
        title="A delegation token was refused",
        words=(
            r"SecretManager\$InvalidToken\)?: |Unauthorized request to start container\. |"
            r"Failed to renew token: |"
            r"DELEGATION_TOKEN [^\n]{0,200}(?:is expired|can't be found in cache)"
        ),
        says=_token,
        first="A delegation token has expired, or is not known.",
        means=(
            "On a cluster with Kerberos a job works with delegation tokens that were made when it "
            "was submitted. They end after `dfs.namenode.delegation.token.max-lifetime` (7 days), "
            "must be renewed each day, and are cancelled when the job that they were made for "
            "ends, unless `mapreduce.job.complete.cancel.delegation.tokens=false`."
        ),
        not_proven=MEMORY_IS_NOT_IT,
        change=(
            "A job that runs longer needs a keytab (Spark: `--principal`, `--keytab`); a process "
            "that submits several jobs needs tokens of its own for each."
        ),
        more="The log of the NameNode or the service names the token and why it was refused.",
        next_step="compare the token's number with the log of the service that refused it.",
        sources=(
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.security.token.delegation.AbstractDelegationTokenSecretManager",
                "can't be found in cache",
            ),
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.yarn.server.resourcemanager.security.DelegationTokenRenewer",
                "Failed to renew token: ",
            ),
        ),
    ),
    KnownEnd(
        id="server_out_of_memory",
        title="A server that was called ran out of memory",
        words=r"RemoteException\(java\.lang\.OutOfMemoryError\)",
        says=_server,
        first="A server answered a call with an OutOfMemoryError of its own.",
        means=(
            "Hadoop's RPC hands the error of a server to its client as a `RemoteException` with "
            "the class in brackets. The heap that ran out is that of the NameNode, the "
            "ResourceManager or another server."
        ),
        not_proven="That the client lacked memory, or which server it was.",
        change="Nothing in the client or its job: the heap of that server, or what fills it.",
        more="The log of that server at that time.",
        next_step="the frames below name the server; read its log at that time.",
        sources=(
            Source(
                "1.2 to 3.5",
                "org.apache.hadoop.ipc.RemoteException",
                "RemoteException(java.lang.OutOfMemoryError)",
            ),
        ),
    ),
    KnownEnd(
        id="fork_refused",
        title="The operating system refused another process",
        words=r"fork: (?:retry: )?(?:Resource temporarily unavailable|No child processes)",
        says=_no_fork,
        first="A shell could not start a process: a limit of processes and threads was met.",
        means=(
            "`fork` was refused with EAGAIN: the user, the service or the container has as many "
            "processes and threads as it may have. Threads of JVMs count. The heap of none of "
            "them is too small for that, and a larger one does not help."
        ),
        not_proven="Whose threads they are.",
        change=(
            "The limit of the user that runs the containers (`nproc` in limits.conf, `TasksMax` of "
            "the service), or what starts so many threads on that node."
        ),
        more="`ps -eLf | awk '{print $1}' | sort | uniq -c` on that node counts them by user.",
        next_step="ulimit -u of the user that runs the containers, and TasksMax of the service; "
        "ps -eLf on that node counts the threads.",
        sources=(Source("bash", "jobs.c, make_child", "fork: retry: "),),
    ),
    KnownEnd(
        id="size_with_a_unit",
        title="A number of Hadoop's has a unit",
        words=(
            r"NumberFormatException: For input string: "
            r'"(?P<value>(?P<number>\d{1,9}) ?(?P<unit>[kKmMgGtT])[bB]?)"'
        ),
        says=_no_number,
        first="A property that Hadoop reads as a whole number has a unit behind it.",
        means=(
            "`Configuration.getInt` and `getLong` take digits alone. Sizes in MB are such numbers "
            "(`mapreduce.map.memory.mb`); units belong into the options of a JVM (`-Xmx4g`) and "
            "into properties of Spark and of block sizes."
        ),
        not_proven="Which property has it: the text of the error names the value alone.",
        change="The value: 4096 instead of `4g` where the property is in MB.",
        more="The frames above `Configuration` say what was read.",
        next_step="search the configuration of the job for that value.",
        sources=(Source("1.2 to 3.5", "org.apache.hadoop.conf.Configuration.getInt"),),
        engine=r"\borg\.apache\.hadoop\.conf\.Configuration\b",
    ),
    KnownEnd(
        id="stack_overflow",
        title="The stack of a thread was full",
        words=r"java\.lang\.StackOverflowError",
        says=_too_deep,
        first="Calls were nested deeper than the stack of a thread allows.",
        means=(
            "Each thread has a stack of a fixed size beside the heap (`-Xss`, 1 MB as a rule on "
            "64-bit Linux). A method that calls itself without end fills any stack; one that does "
            "so for each character, node or element fills it on a large enough input: "
            "`java.util.regex` with a repeated group, trees and linked objects that are "
            "serialised, a deep plan of a query."
        ),
        not_proven="Whether the nesting has an end: the frames that repeat in the stack show it.",
        change=(
            "The code or pattern whose frames repeat. `-Xss4m` in the JVM options of the process "
            "(`mapreduce.{map,reduce}.java.opts`) where the nesting has an end."
        ),
        more="The stack in full: which frames repeat.",
        next_step="read which frames repeat in the whole stack: that code goes too deep.",
        sources=(Source("HotSpot", "sharedRuntime.cpp", "java.lang.StackOverflowError"),),
    ),
    KnownEnd(
        id="streaming_pipe_closed",
        title="The program of a Streaming job had closed its input",
        words=r"java\.io\.IOException: (?:Broken pipe|Stream closed)",
        says=_not_read_to_its_end,
        first="The program that Streaming ran did not read its input to the end.",
        means=(
            "Streaming writes each record to the standard input of the program. Where that has "
            "ended, crashed or was never able to start, the next write fails with `Broken pipe`."
        ),
        not_proven="Why the program ended; it may have been killed for its memory, too.",
        change="Nothing in the JVM: the program, or how it is started.",
        more=(
            "The standard error of the attempt has what the program printed; run it by hand on a "
            "part of the input."
        ),
        next_step="read the standard error of the attempt, which has what the program printed.",
        sources=(
            Source("1.2 to 3.5", "org.apache.hadoop.streaming.io.TextInputWriter.writeKey"),
            Source("JDK", "java.io.FileOutputStream.writeBytes", "Broken pipe"),
        ),
        engine=r"\borg\.apache\.hadoop\.streaming\.",
    ),
    KnownEnd(
        id="heap_option_without_unit",
        title="A size of the heap without a unit",
        words=r"(?<![\w-])(-Xm[xs])(\d{1,6})(?=[\s\"'`<,;)]|\.?$|\.\s)",
        says=_without_a_unit,
        first="The maximum or initial size of the heap is given without a unit.",
        means=(
            "A size without a unit is in bytes. A maximum below 2 MB ends HotSpot while it starts "
            "(`Too small maximum heap`, `Too small initial heap`), so each attempt ends with exit "
            "code 1, those that set up or clean up the job included."
        ),
        not_proven="That the process which failed was started with this option.",
        change="Write the unit: `-Xmx512m`.",
        more="The standard output or error of an attempt that failed so has the words of the JVM.",
        next_step="write the unit; of an attempt that failed so, the standard output or error has "
        "the words of the JVM.",
        sources=(
            Source("HotSpot", "arguments.cpp, Arguments::parse_each_vm_init_arg", "-Xmx"),
            Source("HotSpot", "genArguments.cpp, collectorPolicy.cpp", "Too small maximum heap"),
        ),
    ),
    KnownEnd(
        id="tez_too_many_counters",
        title="Too many counters for Tez",
        words=(
            r"tez\.common\.counters\.LimitExceededException: Too many counter( groups|s): "
            r"(\d{1,9}) max=(\d{1,9})"
        ),
        says=_counters_of_tez,
        first="A DAG has more counters, or groups of counters, than a process of Tez accepts.",
        means=(
            "Tasks, the application master and the client each apply the limit that they have read "
            "(`tez.counters.max`, 1,200; `tez.counters.max.groups`, 500). Many vertices and "
            "operators make many counters."
        ),
        not_proven=(
            "That the DAG failed: the client also fails so when it reads the counters of one that "
            "completed. Nor that the configured limit is too low: the process may not have read it "
            "(TEZ-2629)."
        ),
        change=(
            "The limit, in the configuration of the process that failed; where it is higher there "
            "already, a version of Tez that reads it, or fewer vertices in the query."
        ),
        more="The line `Counter limits initialized with parameters` in the log of that process.",
        next_step=(
            'the line "Counter limits initialized with parameters" in the log of that process '
            "shows the limit that it has read."
        ),
        sources=(
            Source(
                "Tez 0.5 to 0.10",
                "org.apache.tez.common.counters.Limits.checkCounters",
                "Too many counters: N max=N",
            ),
            Source(
                "Tez 0.5 to 0.10",
                "org.apache.tez.common.counters.Limits.checkGroups",
                "Too many counter groups: N max=N",
            ),
        ),
    ),
)

_NOT_TOLD: Final = re.compile(
    r"(?:the job (?:failed|was killed), and nothing says why|Task failed task_\S+ ?|NA ?)"
    r"(?:\(diagnostics\))?$"
)


_CARRIERS: Final = (
    "java.lang.reflect.InvocationTargetException",
    "java.lang.RuntimeException: Error in configuring object",  # ReflectionUtils.setJobConf
    "java.lang.reflect.UndeclaredThrowableException",
)
"""Errors that are thrown for another one, which is their cause."""


def _reason_is_elsewhere(evidence: Evidence) -> Reading | None:
    death = evidence.death
    if death.kind != "not-memory":
        return None
    if death.chain and death.chain[-1].startswith(_CARRIERS):
        return Reading(
            "What the job's own code threw is cut off: the innermost error that is told only "
            "carries it. It may have been one of memory.",
            "suggests",
            f"read what stands behind its last Caused by: {logs_command(evidence)}",
        )
    if evidence.attempt.attempt_id is not None or death.chain:
        return None
    if not _NOT_TOLD.match(death.evidence):
        return None
    if (evidence.job.job_id or "").startswith("job_local"):
        return Reading(
            "Only the end is told here, not why: the job ran in the JVM of the command "
            "(LocalJobRunner), and what it printed above names the error.",
            "suggests",
            "give mprof all that the command printed.",
        )
    command = logs_command(evidence)
    step = (
        f"name {command} to mprof diagnose."
        if is_of_hadoop_1(evidence)
        else f"{command} > logs.txt, and mprof diagnose logs.txt."
    )
    one = "of the task that is named" if "Task failed" in death.evidence else "of the job"
    return Reading(
        f"Only the end is told here, not why: that stands in the logs {one}. mprof cannot tell "
        "whether memory was the reason.",
        "suggests",
        step,
    )


reason_is_elsewhere: Final = Message(
    "reason_is_elsewhere",
    "The reason stands elsewhere",
    _reason_is_elsewhere,
    (
        Source(
            "2.2 to 3.5",
            "org.apache.hadoop.mapreduce.v2.app.job.impl.JobImpl",
            "Task failed task_N",
        ),
        Source(
            "2.2 to 3.5",
            "org.apache.hadoop.mapreduce.Job.monitorAndPrintJob",
            "failed with state FAILED due to: ",
        ),
        Source(
            "1.2 to 3.5",
            "org.apache.hadoop.util.ReflectionUtils.setJobConf",
            "Error in configuring object",
        ),
    ),
    PAGE.format(
        first="A job is said to have failed, and not why.",
        means=(
            "The application master gives as its reason that a task failed four times "
            "(`mapreduce.{map,reduce}.maxattempts`), and the command prints no more. What ended "
            "the attempts stands in their own logs, and in the log of the application master. Or a "
            "stack is cut off: an `InvocationTargetException` only carries what the job's code "
            "threw in a constructor or in `configure()`."
        ),
        not_proven="Anything about memory, in either direction.",
        change="Nothing, before those are read.",
        more="`yarn logs -applicationId APPLICATION > logs.txt`, then `mprof diagnose logs.txt`.",
    ),
)

MESSAGES = (*map(message_of, ENDS), reason_is_elsewhere)
