"""Texts that say that something failed, and not why: where the error itself stands.

By engine and version, each as exactly as the words allow: which command, which log, which page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from mprof.engines import (
    OUT_OF_MEMORY_WORDS,
    is_jdk_class,
    names_a_task,
    server_in,
    tells_of_hadoop_1,
)
from mprof.messages.ends import quoted
from mprof.messages.no_lack_of_memory import ENDS
from mprof.messages.said import OF_MEMORY, Where
from mprof.messages.spark import LIMITS
from mprof.trace import Throwable, out_of_memory_in
from mprof.units import KIB, format_bytes, list_in_words

__all__ = ["remarks_on"]

_JOB: Final = re.compile(r"\b(?:job|application)_(\d{12,13}_\d{3,9})\b")
_FAILED_JOB: Final = re.compile(
    r"(?:Ended Job = |Job |LastFailedTask: task_|job )(?:job_)?(\d{12,13}_\d{3,9})"
    r"(?: with err|_[mr]_|  ?failed| has failed)"
)
# org.apache.hadoop.mapred.LocalJobRunner, and what Hive prints of a job that it runs so
_LOCAL: Final = re.compile(
    r"\bjob_local_?\d{1,12}(?:_\d{1,4})?\b|\bLocalJobRunner\b|\(local Hadoop\)"
)
_SPARK: Final = re.compile(r"\borg\.apache\.spark\.|\bspark-(?:submit|shell)\b")
_OLD: Final = re.compile(r"\b(?:job|task|attempt)_(20\d{10}_\d{3,9})")  # by a JobTracker
_LISTS: Final = (
    "yarn application -list -appStates FINISHED,FAILED,KILLED (or the page "
    "http://RESOURCEMANAGER:8088/cluster/apps)"
)
_HIVE_LOG: Final = (
    "Hive's own log (/tmp/USER/hive.log; of a query through HiveServer2, beeline or a driver: the "
    "log of HiveServer2 on its machine)"
)


def _where_in(text: str) -> Where | None:
    if _LOCAL.search(text):
        return "local-job"
    if _SPARK.search(text):
        return "spark"
    return "hadoop-1" if tells_of_hadoop_1(text) else None


def remarks_on(text: str, errors: Sequence[Throwable] = ()) -> Iterator[str]:
    """What is known of the words of a text in which nothing is said to have died.

    The same words may stand in a line that ended nothing: each sentence says what the words mean,
    and none that they are why something failed.

    Args:
        text: what was read.
        errors: that stand in it with their frames.
    """
    is_known = False
    where = _where_in(text)
    for end in (*ENDS, *LIMITS):
        found = end.found_in(text)
        if found is not None:
            line = quoted(found, text)
            sentence, step = end.says_where(where)(found, line)
            is_known = True
            yield f"{sentence} Next step: {step or end.next_step} It is said in: {line}"
    other = [one for one in errors if out_of_memory_in(one) is None]
    beside = (
        *_programs_without_memory(text), *_crashes(text), *_pauses(text), *_given_back(text),
    )  # fmt: skip
    if other and not is_known:
        is_known = True
        yield _of_an_error(other[-1], text, alone=not beside)
    for said in beside:
        is_known = True
        yield said
    for pattern, says in _ENGINES:
        match = pattern.search(text)
        if match is not None:
            is_known = True
            yield says(match, text)
            break  # what stands further down the list is said by all of them
    for side, number in dict.fromkeys(_FAILED_TASKS.findall(text)):
        step = "" if is_known else f", and why stands in their logs. Next step: {_logs(text)}"
        yield f"{number} attempts of {side} tasks failed, by the counters of the job{step}."
        is_known = True
    kills = list(_KERNEL.finditer(text))
    for match in kills[:_MOST_KILLS]:
        yield _by_the_kernel(match, text)
    if not (is_known or kills):
        yield from [*_beside_a_success(text)] or _of_a_server(text)


# org.apache.hadoop.mapreduce.Job.monitorAndPrintJob
_SUCCEEDED: Final = re.compile(r"\bJob (job_\d{12,13}_\d{3,9}) completed successfully")
_LOGGED: Final = re.compile(
    r"\s*(?:\[?\d{2,4}[-/]\d\d|at |Caused by|\S+Exception\b|[$>|])|"
    r"\b(?:INFO|WARN|ERROR|DEBUG)\b|=\d"
)
_FAILS: Final = re.compile(r"(?i)\b(?:fail(?:s|ed|ing|ure)?|crash(?:es|ed)|abort(?:s|ed))\b")
# what denies or supposes it, tells of another time, or of a part that a job does again
_NOT_SO: Final = re.compile(
    r"(?i)\b(?:no|not|never|without|if|whether|unless|last|yesterday|previous\w*|earlier|before|"
    r"used to|(?:task|attempt|map|mapper|reducer|container|shuffle|node|disk)s?)\b|n['\u2019]t\b"
)
_SOLVED: Final = re.compile(r"(?i)\b(?:fix(?:ed|es)|solv\w+|resolv\w+|works? now|now works?)\b")
_LEAST_WORDS: Final = 4
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'\u2019-]*")


def _beside_a_success(text: str) -> Iterator[str]:
    """That what somebody says has failed is not the job, of which the text has the good end.

    Sqoop loads into Hive after its job (``ImportTool.importTable`` of Sqoop 1).
    """
    jobs = [*dict.fromkeys(_SUCCEEDED.findall(text))]
    lines = (one.strip() for one in text.split("\n") if not _LOGGED.search(one))
    failed = next((one for one in lines if _says_that_it_failed(one)), "")
    if not (jobs and failed):
        return
    which = jobs[0] if len(jobs) == 1 else f"{jobs[-1]}, and {len(jobs) - 1:,} before it,"
    loads = re.search(r"(?i)sqoop", text) and re.search(r"(?i)hive", text)
    after = (
        " Sqoop loads what it has imported into Hive after that job, by a command of Hive's own."
        if loads
        else ""
    )
    yield (
        f'The text says: "{_shortened(failed.lstrip("# "))}" {which} completed successfully: what '
        "failed is not that job, but a step after it, another job, or the program that submitted "
        f"it.{after} Next step: read what stands below the job's counters in the output of the "
        "command that submitted it; of a workflow of Oozie or Hue that is the log of the "
        "launcher's own job (yarn logs -applicationId APPLICATION)."
    )


def _says_that_it_failed(line: str) -> bool:
    """Whether a line is a sentence or a title that says, of the present, that something failed."""
    found = _FAILS.search(line)
    if found is None or _SOLVED.search(line) or len(_WORD.findall(line)) < _LEAST_WORDS:
        return False
    return _NOT_SO.search(line[: found.start()]) is None


def _of_an_error(error: Throwable, text: str, *, alone: bool) -> str:
    """Of an error that is none of memory, and may have been caught unless something ended by it.

    Args:
        error: the last one of the text.
        text: in which it stands.
        alone: nothing else in the text may have to do with memory.
    """
    root = (error, *error.causes)[-1]
    frames = (*root.stack, *error.stack)
    site = next((one for one in frames if not is_jdk_class(one.class_name)), None)
    at = f", in {site.class_name}.{site.method}" if site is not None else ""
    line = f" (line {site.line} of {site.file})" if site is not None and site.line else ""
    process = _PROCESS_ENDED.search(text)
    if "Diagnostic Messages for this Task" in text:
        end = "It is the diagnostic message of a task that failed"
    elif re.search(rf'\bException in thread "main" {re.escape(error.class_name)}\b', text):
        end = "Nothing caught it in the main thread of the program that met it, which ended there"
    elif process is not None:
        end = f"The process ended after it ({' '.join(process[0].split())})"
    else:
        end = "Whether anything ended because of it cannot be told from this text"
    is_silent = alone and OF_MEMORY.search(text) is None
    short = ", and nothing here says that memory was short" if is_silent else ""
    return (
        f"The error that stands in the text is {_shortened(root.first_line)}{at}{line}. It is not "
        f"an OutOfMemoryError{short}. {end}. Next step: look at the code that its frames name, and "
        "at the lines of the log before it."
    )


def _programs_without_memory(text: str) -> Iterator[str]:
    """What programs beside a JVM say of memory that they did not get.

    `Cannot allocate memory` may be of the JVM itself, where it starts a process.
    """
    lines = text.split("\n")
    for word, pattern in OUT_OF_MEMORY_WORDS:
        if word != "Cannot allocate memory" and any(map(pattern.search, lines)):
            yield (
                f"A program says that it got no memory ({word}). These are no words of a JVM: -Xmx "
                "does not limit it, and a larger one leaves it less. Its container "
                "(mapreduce.map.memory.mb or mapreduce.reduce.memory.mb of a Streaming job, the "
                "overhead of an executor of Spark), ulimit -v or the machine does. Next step: run "
                "it by hand on a part of the input, with /usr/bin/time -v, which prints its peak."
            )
            return


_CRASH: Final = re.compile(
    r"^#\s+(SIG[A-Z]{3,5}|EXCEPTION_\w+|Internal Error) [^\n]*\n(?:#[^\n]*\n){0,12}?"
    r"# Problematic frame:\s*\n#\s*([^\n]{1,200})",
    re.MULTILINE,
)


def _crashes(text: str) -> Iterator[str]:
    """What a JVM writes of its own crash (HotSpot, ``vmError.cpp``)."""
    match = _CRASH.search(text)
    if match is not None:
        where = " ".join(match[2].split())
        yield (
            f"A JVM crashed ({match[1]}) in {where}: a fault of native code there, a library "
            "or the JVM itself. That is by itself no sign of a lack of memory. Next step: "
            "look for that library and its version; the rest of hs_err_pid*.log has the stack of "
            "the thread and the memory of the machine."
        )


# org.apache.hadoop.util.ExitUtil and StringUtils, HRegionServer.abort
_PROCESS_ENDED: Final = re.compile(
    r"Exiting with status -?\d{1,4}|SHUTDOWN_MSG|ABORTING region server"
)
# org.apache.hadoop.util.JvmPauseMonitor, and that of Hive and HBase
_PAUSE: Final = re.compile(
    r"Detected pause in JVM or host machine \(eg GC\): pause of approximately (\d{1,9})ms"
    r"(?:\s*\n?(?:\d{1,12} )?(No GCs detected|GC pool '[^'\n]{1,60}'[^\n]{0,200}"
    r"(?:\n[^\n]{0,200}?GC pool '[^'\n]{1,60}'[^\n]{0,200}){0,3}))?"
)
_POOL: Final = re.compile(r"(GC pool '[^']{1,60}')[^\n]{0,100}?\btime=(\d{1,9})ms")


# org.apache.spark.ExecutorAllocationManager of 2.x, and of 3.x
_IDLE: Final = re.compile(
    r"\bRemoving executor (\d{1,6}) because it has been idle for|"
    r"\bExecutors (\d{1,6}(?:,\d{1,6}){0,999}) removed due to idle timeout"
)


def _given_back(text: str) -> Iterator[str]:
    """The executors that Spark's dynamic allocation ended."""
    idle = [each for one in _IDLE.finditer(text) for each in (one[1] or one[2]).split(",")]
    if idle:
        ids = [*dict.fromkeys(idle)]
        named = (
            f"executor {ids[0]} because it"
            if len(ids) == 1
            else f"executors {list_in_words(ids)} because they"
        )
        yield (
            f"Spark's dynamic allocation removed {named} had been idle for "
            "spark.dynamicAllocation.executorIdleTimeout. The driver itself asks for that: it is "
            "no failure, and no sign of a lack of memory. Next step: none for that."
        )


def _pauses(text: str) -> Iterator[str]:
    """What Hadoop's servers and tasks write after they stood still; the longest of them."""
    found = sorted(_PAUSE.finditer(text), key=lambda one: int(one[1]))
    if not found:
        return
    longest, by = found[-1], found[-1][2] or ""
    if by.startswith("GC pool"):
        pools = sorted(_POOL.findall(by), key=lambda one: int(one[1]))
        pool = f"{pools[-1][0]}, {int(pools[-1][1]) / 1000:.1f} s" if pools else by.split("' ")[0]
        why = (
            f"and its collector ran then ({pool}). A heap that is nearly full does this, and so "
            "does one that is swapped out. Next step: a log of the collector (-Xlog:gc*, before "
            "JDK 9 -verbose:gc) in the options of that JVM says how much is live after each "
            "collection."
        )
    elif by:
        why = (
            "and no collection is counted in that time: it was probably not its heap, but the "
            "machine or the process that was held up (swap, a disk, the virtual machine). Next "
            "step: vmstat and dmesg -T on that machine at that time."
        )
    else:
        why = (
            "and mprof found no line that says whether it collected. Next step: read the line "
            "below it in the log."
        )
    yield f"A JVM stood still for {int(longest[1]) / 1000:.1f} s, {why}"


def _shortened(line: str) -> str:
    return line if len(line) <= _MOST_OF_AN_ERROR else f"{line[:_MOST_OF_AN_ERROR]} ..."


_MOST_OF_AN_ERROR: Final = 200


def _logs(text: str) -> str:
    """The commands that get the logs of the job's tasks, with its id where one is named."""
    old = _OLD.search(text)
    if old is not None:
        return (
            f"read logs/userlogs/job_{old[1]} on the nodes that ran its tasks, or the page of the "
            f"job, http://JOBTRACKER:50030/jobdetails.jsp?jobid=job_{old[1]}"
        )
    failed = _FAILED_JOB.findall(text)
    named = failed or _JOB.findall(text)
    if named:
        return (
            f"yarn logs -applicationId application_{named[-1]} > logs.txt, and mprof diagnose "
            "logs.txt"
        )
    if _LOCAL.search(text):
        return (
            "read what the command itself printed above: the job ran in its JVM (LocalJobRunner), "
            "its tasks as threads of it, and their errors stand there"
        )
    if tells_of_hadoop_1(text):
        return (
            "http://JOBTRACKER:50030 lists the failed jobs, and logs/userlogs on the nodes that "
            "ran the tasks of one has their logs"
        )
    return (
        "yarn logs -applicationId ID > logs.txt, and mprof diagnose logs.txt; the id stands in "
        f"what was printed before (Running job, Starting Job), or {_LISTS} names it"
    )


def _hive_mapreduce(match: re.Match[str], text: str) -> str:
    code, is_new = int(match[1]), bool(match[2])
    at_jobtracker = (
        "" if is_new or _JOB.search(text)
        else "; with Hadoop 1, http://JOBTRACKER:50030 lists the failed jobs, and userlogs/JOB on "
        "the nodes has the logs"
    )  # fmt: skip
    if code == 1:  # ExecDriver.execute: an exception of its own
        return (
            "Hive's return code 1 from MapRedTask says that Hive met an exception while it "
            "submitted or followed the job, and not which. The exception stands "
            f"in {_HIVE_LOG}, at Job Submission failed with exception. Next step: search that log "
            f"for these words; where the job was started all the same, {_logs(text)}."
        )
    if code != 2:
        return (
            f"Hive's return code {code} from MapRedTask says that the job did not succeed, and "
            f"not why. Next step: {_logs(text)}."
        )
    idle = ""
    is_idle = re.search(r"HDFS Read: 0 .*\bFAIL", text) and "CPU Time Spent: 0 msec" in text
    if is_idle and not names_a_task(text):  # one did start, whatever the counters say
        idle = (
            " It used no CPU and read nothing, so its tasks may never have started: then the "
            "reason is in what yarn application -status ID prints as Diagnostics."
        )
    where = (
        "" if _JOB.search(text) or _OLD.search(text)
        else " Which job it was stands in Hive's output (Starting Job = job_...) and in "
        f"{_HIVE_LOG}."
    )  # fmt: skip
    return (
        "Hive's return code 2 from MapRedTask says that a MapReduce job of the query failed, and "
        "not why: the error stands in the logs of that job's tasks (syslog and stderr of the "
        f"containers).{where}{idle} Next step: {_logs(text)}{at_jobtracker}."
    )


# org.apache.tez.dag.app.dag.impl.DAGImpl, VertexImpl
_KILLED_DAG: Final = re.compile(
    r"DAG killed due to (?:user-initiated|client-initiated) kill|"
    r"DAG did not succeed due to DAG_KILL|Vertex received Kill while in"
)
_FAILED_VERTEX: Final = re.compile(r"Vertex failed|OWN_TASK_FAILURE|failedVertices:[1-9]")


def _hive_tez(match: re.Match[str], text: str) -> str:
    if _KILLED_DAG.search(text) and not _FAILED_VERTEX.search(text):
        none = ", and no vertex of it failed" if "failedVertices:0" in text else ""
        return (
            "The DAG of the query was killed: somebody asked for that, a user, a client that went "
            f"away or HiveServer2{none}. Hive's return code "
            f"{match[1]} from TezTask follows from that, and nothing of it says that memory was "
            f"short. Who asked stands in {_HIVE_LOG}, and in the log of the application master of "
            f"Tez. Next step: {_logs(text)}."
        )
    return (
        f"Hive's return code {match[1]} from TezTask says that the DAG of the query failed, and "
        "not why: the error stands behind Vertex failed in what Hive printed, in the logs of the "
        "application's containers, and on the page of the DAG (Tez UI). Which application it was "
        f"stands in Hive's output (App id application_...) and in {_HIVE_LOG}. Next step: "
        f"{_logs(text)}."
    )


# org.apache.hadoop.hive.ql.ErrorMsg.SPARK_RUNTIME_OOM
_OF_SPARK_OOM: Final = "Spark job failed because of out of memory"


def _hive_spark(match: re.Match[str], text: str) -> str:
    if _OF_SPARK_OOM in text:
        return (
            f"Hive's return code {match[1]} from SparkTask says that the Spark job of the query "
            "failed because memory ran out, and not in which of its processes: which executor or "
            "driver it was stands in the logs of the Spark application, whose id is in "
            f"{_HIVE_LOG}. Next step: {_logs(text)}."
        )
    return (
        f"Hive's return code {match[1]} from SparkTask says that the Spark job of the query did "
        "not start or failed, and not why: the error stands in the logs of the Spark application "
        f"(driver and executors), and which application it was in {_HIVE_LOG}. Next step: "
        f"{_logs(text)}."
    )


def _job_client(_match: re.Match[str], text: str) -> str:
    return (
        "Job failed! is what JobClient.runJob says of every job that did not succeed, and not why. "
        "The command printed the error of each failed attempt further up (Task Id : attempt_..., "
        f"Status : FAILED); else it stands in the logs of the tasks. Next step: {_logs(text)}."
    )


def _sqoop(match: re.Match[str], text: str) -> str:
    return (
        f"{match[1]} job failed! is what Sqoop says of every job that did not succeed, and not "
        f"why: the error stands in the logs of its map tasks. Next step: {_logs(text)}."
    )


def _pig(_match: re.Match[str], text: str) -> str:
    if _LOCAL.search(text) and not _JOB.search(text):
        return (
            "Pig says that a job failed, and not why; the log that Pig names (pig_*.log, in the "
            f"folder it was started in) has more of the message. Next step: {_logs(text)}."
        )
    return (
        "Pig says that a job failed, and not why: the error stands in the logs of the job's tasks; "
        "the job is named under Failed Jobs, with the aliases that it computes, and the log that "
        "Pig names (pig_*.log, in the folder it was started in) has more of the message. Next "
        f"step: {_logs(text)}."
    )


def _hive_refused(match: re.Match[str], _text: str) -> str:
    return (
        f"Hive rejected the query when it compiled it ({_shortened(match[1].strip())}): no task "
        "was started, so there are no logs of containers, and the error is not about memory. Next "
        "step: correct the query at that place."
    )


def _streaming(_match: re.Match[str], text: str) -> str:
    return (
        "Streaming says that the job failed, and not why: the error of a program that ended is in "
        "the standard error of its container, that of the task's JVM in its syslog. Next step: "
        f"{_logs(text)}."
    )


def _oozie(match: re.Match[str], _text: str) -> str:
    return (
        f"Oozie says that the main class of its launcher ({match[1]}) ended with exit code "
        f"{match[2]}, and not why: nothing here says that memory was short, and nothing that it "
        "was not. The error stands in the logs of the launcher, a job of its own, and of the jobs "
        "that it started. Next step: oozie job -info WORKFLOW@ACTION names the launcher (External "
        "ID), and yarn logs -applicationId of that > logs.txt, mprof diagnose logs.txt."
    )


def _emr_step(match: re.Match[str], _text: str) -> str:
    return (
        f"The step of Amazon EMR failed ({match[0]}), and these words do not say why: what the "
        "command printed is in BUCKET/CLUSTER/steps/STEP/ (syslog.gz, stderr.gz), and what its "
        "tasks logged in BUCKET/CLUSTER/containers/APPLICATION/. Next step: aws s3 cp --recursive "
        "that folder, and mprof diagnose it as it is."
    )


_ENGINES: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], str]], ...]] = (
    (
        # org.apache.hadoop.hive.ql.exec.mr.ExecDriver.execute, up to 0.12 without .mr
        re.compile(
            r"return code (\d{1,5}) from org\.apache\.hadoop\.hive\.ql\.exec\.(mr\.)?MapRedTask"
        ),
        _hive_mapreduce,
    ),
    (
        re.compile(r"return code (\d{1,5}) from org\.apache\.hadoop\.hive\.ql\.exec\.tez\.TezTask"),
        _hive_tez,
    ),
    (
        re.compile(
            r"return code (\d{1,5}) from org\.apache\.hadoop\.hive\.ql\.exec\.spark\.SparkTask"
        ),
        _hive_spark,
    ),
    (
        # org.apache.hadoop.hive.ql.Driver.compile
        re.compile(
            r"FAILED: ((?:Semantic|Parse)Exception (?:\[Error \d{1,6}\]: )?"
            r"[Ll]ine \d+:\d+ .{1,300})"
        ),
        _hive_refused,
    ),
    (
        # org.apache.pig.tools.grunt.GruntParser, Launcher.getStats
        re.compile(
            r"ERROR (?:2244|2997|6017|1066)\b|hadoop does not return any error message|"
            r"MapReduceLauncher\s+- Failed!|^Failed Jobs:",
            re.MULTILINE,
        ),
        _pig,
    ),
    (
        # org.apache.oozie.action.hadoop.LauncherMapper, LauncherAM
        re.compile(r"Launcher ERROR, reason: Main [Cc]lass \[([\w.$]+)\], exit code \[(-?\d+)\]"),
        _oozie,
    ),
    (re.compile(r"\b(Import|Export) job failed!"), _sqoop),
    (re.compile(r"Streaming (?:Command|Job) Failed!|StreamJob: Job not successful"), _streaming),
    (re.compile(r"java\.io\.IOException: Job failed!"), _job_client),  # JobClient.runJob
    (re.compile(r"\bSTEP_FAILURE\b|\bStep failed with exitCode \d+|TERMINATED_WITH_ERRORS"),
     _emr_step),
)  # fmt: skip
"""The first that fits speaks."""

_FAILED_TASKS: Final = re.compile(r"Failed (map|reduce) tasks=([1-9]\d{0,6})")
_STARTS: Final = re.compile(r"^[^\n]{0,80}\b(?:Starting|starting) [^\n]{0,80}$", re.MULTILINE)


# Linux, mm/oom_kill.c: of a control group, as of a container, or of the whole machine
_KERNEL: Final = re.compile(
    r"(?i)(Memory cgroup out of memory|Out of memory)[:.] Kill(?:ed)? process (\d{1,10}) "
    r"\(([^()\n]{1,40})\)(?:[^\n]{0,200}?anon-rss:(\d{1,15})kB)?"
)
_MOST_KILLS: Final = 5


def _by_the_kernel(match: re.Match[str], text: str) -> str:
    """What the kernel says of a process that it killed; up to 4.x in two lines."""
    whole = "cgroup" not in match[1]
    beside = re.search(
        rf"\bKilled process {match[2]} \([^\n]{{0,200}}?anon-rss:(\d{{1,15}})kB", text
    )
    size = match[4] or (beside[1] if beside is not None else None)
    held = f", which held {format_bytes(int(size) * KIB)}" if size else ""
    where = (
        "the machine had no memory left: every process on it counts, and the kernel chose this one"
        if whole
        else "its control group (a container of Docker, Kubernetes or YARN) had reached its limit"
    )
    step = (
        "add up what all processes of that machine may take (of a NodeManager's containers "
        "yarn.nodemanager.resource.memory-mb) and what it has; free -m shows it"
        if whole
        else "compare the limit of that container with -Xmx of the process and what it has beside "
        "it; which container it was is in the NodeManager's log (by the id of the process), or in "
        "what docker inspect or kubectl describe pod says (OOMKilled)"
    )
    return (
        f"The kernel killed process {match[2]} ({match[3]}){held}, because {where}. Next step: "
        f"{step}."
    )


def _of_a_server(text: str) -> Iterator[str]:
    """Of the lines of a server that say nothing of an end."""
    server = server_in("\n".join(_STARTS.findall(text)))
    if server is not None:
        yield (
            f"These are lines of {server.one}, and they do not say that it ended, or why. Its heap "
            f"is set by {server.heap}. Next step: read the end of its log from before it was "
            "started again, and dmesg -T on its machine; of a pod, kubectl describe pod POD (Last "
            "State) and kubectl logs --previous POD."
        )
