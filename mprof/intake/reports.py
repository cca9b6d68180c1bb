"""What Hadoop's own processes say about containers, attempts and jobs, wherever they say it.

The words are those of the NodeManager (``ContainersMonitorImpl``, ``ContainerImpl``,
``DefaultContainerExecutor``, ``CGroupElasticMemoryController``), of the application master
(``TaskAttemptImpl``, ``JobImpl``, ``TaskAttemptListenerImpl``, ``RMContainerAllocator``), of the
ResourceManager (``RMAppImpl``, ``RMAppAttemptImpl``, ``RMAppManager``), and of the command that
submitted the job (``org.apache.hadoop.mapreduce.Job``; ``JobClient`` in Hadoop 1): in their logs,
on a terminal, or copied from a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from mprof.intake.sections import CONTAINER
from mprof.intake.sentences import SHORTEST_WRAPPED

__all__ = ["Reports", "is_executor", "is_first", "job_of", "read_reports"]

_ATTEMPT: Final = r"attempt_\d{1,19}_\d{1,10}_[a-z]_\d{1,10}_\d{1,10}"
_TASK_AND_NODE: Final = r"task_\d{1,19}_\d{1,10}_[mr]_\d{1,10} \S{1,300} "
_MOST_TEXT: Final = 1 << 14  # of what is said about one attempt
_MOST_BLOCK: Final = 400  # lines
_LONGEST_LINE: Final = 1000
_APPLICATION: Final = re.compile(r"\bapplication_\d{12,13}_\d{3,9}\b")
# a line by itself, so that no report goes on across it
_OF_THE_KERNEL: Final = (
    r"\[ *\d{1,9}\.\d{1,6}\] |\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\] |"
    r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,255} kernel: "
)
"""What the lines of the kernel's log begin with, as dmesg and syslog print it."""
_LINE_BEGIN: Final = re.compile(
    r"^\s*(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d|\d\d/\d\d/\d\d \d\d:\d\d:\d\d |\[?[A-Z]+ *\]? *: "
    r"|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^\]]*\](?:INFO|WARN|ERROR)|map \d+% reduce"
    rf"|{_OF_THE_KERNEL})"
)
# (a word of it, expression with the groups id and rest); the block is the rest, and the lines that
# follow it. Most lines hold none of the words, and to look for one takes a tenth of a search.
_BLOCKS: Final = (
    (
        "Task Id : ",
        re.compile(rf"Task Id : (?P<id>{_ATTEMPT}), Status : (?P<state>[A-Z]+)(?P<rest>)"),
    ),
    (
        "Diagnostics report from ",
        re.compile(rf"Diagnostics report from (?P<id>{_ATTEMPT}): ?(?P<rest>.*)"),
    ),
    # TaskImpl, of an attempt that another one of its task was quicker than
    (
        "Issuing kill to other",
        re.compile(rf"(?P<rest>(?P<state>Issuing kill) to other attempt (?P<id>{_ATTEMPT}))"),
    ),
    (" - exited : ", re.compile(rf"Task: (?P<id>{_ATTEMPT}) - exited : (?P<rest>.*)")),
    (
        "containerID=",
        re.compile(rf"(?P<rest>Container \[pid=-?\d+,containerID=(?P<id>{CONTAINER})\].*)"),
    ),
    (
        " is under oom",
        re.compile(rf"(?P<rest>Container \[?(?P<id>{CONTAINER})\]? is under oom.*)"),
    ),
    ("tipID=", re.compile(rf"(?P<rest>TaskTree \[pid=-?\d+,tipID=(?P<id>{_ATTEMPT})\].*)")),  # 1.x
    # 1.x, TaskRunner.run: the reason is the error below it
    (
        " : Child Error",
        re.compile(rf"\b(?P<id>{_ATTEMPT}) : (?P<state>Child Error)(?P<rest>)"),
    ),
    (
        "AttemptID:",
        re.compile(rf"(?P<rest>AttemptID:(?P<id>{_ATTEMPT}) (?P<state>[Tt]imed out|task).*)"),
    ),
    # 1.x, TaskTracker.markUnresponsiveTasks, wherever somebody quotes it
    (
        " failed to report",
        re.compile(
            rf"(?P<rest>\bTask (?P<id>{_ATTEMPT}) (?P<state>failed to report) status for \d.*)"
        ),
    ),
    # jobfailures.jsp of a JobTracker: attempt, task, node, state and error, a row each
    (
        " task_",
        re.compile(rf"\b(?P<id>{_ATTEMPT}) {_TASK_AND_NODE}(?P<state>FAILED|KILLED)\b(?P<rest>.*)"),
    ),
    # as somebody tells it: "Error: Java heap space" on attempt_...
    (
        "Error: ",
        re.compile(
            r"(?P<rest>Error: (?:Java heap space|GC overhead limit exceeded|Direct buffer memory|"
            r"Metaspace|PermGen space|unable to create new native thread))[\"'`\u201d,]{0,3} "
            rf"(?:on|of|in|for|from|at) (?P<id>{_ATTEMPT})\b(?P<state>)"
        ),
    ),
    ("FAILED", re.compile(rf"\b(?P<id>{_ATTEMPT})\s+(?P<state>FAILED)\b(?P<rest>.*)")),
    ("KILLED", re.compile(rf"\b(?P<id>{_ATTEMPT})\s+(?P<state>KILLED)\b(?P<rest>.*)")),
    ("Container ", re.compile(rf"Container [iI]d: (?P<id>{CONTAINER})(?P<rest>)")),
    # its exit status stands below, where somebody has taken lines together
    (
        " exited with",
        re.compile(rf"Container (?P<id>{CONTAINER}) exited with (?P<rest>(?:exit )?status\b.*)"),
    ),
    # ContainerExecutor: what the script that starts the process printed stands below it
    (
        "container-launch",
        re.compile(
            rf"(?P<rest>Exception from container-launch with container ID: ?(?P<id>{CONTAINER}) "
            r"and exit code.*)"
        ),
    ),
    # what the masters of other engines print of a ContainerStatus, and Flink and Spark of their own
    (
        "xitStatus",
        re.compile(
            rf"\b[cC]ontainerI[dD][=:] ?(?P<id>{CONTAINER}),"
            r"(?P<rest>.{0,200}?\bexitStatus[=:] ?-?[1-9].*)"
        ),
    ),
    (
        "marked as failed",
        re.compile(rf"Container (?P<id>{CONTAINER}) (?P<state>marked as failed)(?P<rest>.*)"),
    ),
    (
        "marked as failed",
        re.compile(rf"(?P<rest>Container (?P<state>marked as failed): (?P<id>{CONTAINER}).*)"),
    ),
    (
        "from a bad node",
        re.compile(rf"(?P<rest>Container (?P<state>from a bad node): (?P<id>{CONTAINER}).*)"),
    ),
    # org.apache.spark.scheduler: TaskSetManager, TaskSchedulerImpl; what a task threw and no
    # OutOfMemoryError is does not end its executor
    (
        "Lost task ",
        re.compile(
            r"(?P<state>Lost task) [\d.]+ in stage [\d.]+ \(TID .{0,200}?"
            r"(?P<id>executor \d{1,9})\): "
            r"(?P<rest>(?:java\.lang\.OutOfMemoryError|ExecutorLostFailure).*)"
        ),
    ),
    (
        "Lost executor ",
        re.compile(r"(?P<rest>(?P<state>Lost) (?P<id>executor \d{1,9}) on (?P<host>\S+?): .*)"),
    ),
    # TaskSetManager.handleFailedTask: for what a task threw a job was given up, and the executor
    # of that task goes on; 3.x closes the bracket behind the TID
    (
        "most recent failure: Lost task ",
        re.compile(
            r"(?P<rest>(?P<state>Lost) (?P<id>task [\d.]{1,12} in stage [\d.]{1,12}) "
            r"\(TID \d{1,19}(?:, |\) \()(?P<host>[^\s,()]{1,255})[^()]{0,100}\): "
            r"(?!ExecutorLostFailure|java\.lang\.OutOfMemoryError)\S.*)"
        ),
    ),
    # o.a.s.deploy.client.StandaloneAppClient, o.a.s.deploy.worker.Worker
    (
        "Command exited with code",
        re.compile(
            r"app-\d{14}-\d{4,9}/(?P<number>\d{1,9}) (?P<state>finished with state|is now) "
            r"(?P<rest>(?:EXITED|FAILED|LOST)\b.{0,20}?Command exited with code [1-9].*)"
        ),
    ),
)
# YarnScheduler: what YARN says of the container of an executor names it
_CONTAINER_OF: Final = re.compile(rf"Lost executor \d+ on \S+: Container ({CONTAINER})\b")
_LOST: Final = re.compile(r"Lost (executor \d{1,9}) on ")
_OF_FAILURE: Final = (
    "Child Error", "Timed out", "timed out", "task", "marked as failed", "from a bad node",
    "Lost task", "Lost", "finished with state", "is now", "failed to report",
)  # fmt: skip
"""Words of reports that say no state, and are made of failures alone."""
_OF_ATTEMPTS: Final = tuple(pattern for _, pattern in _BLOCKS[:3])
_LINKS: Final = re.compile(r"\s*Last 4KB\s*$")  # below an error in such a table
# of a page's table
_ROW: Final = re.compile(rf"\s*({_ATTEMPT})\s+(?:{_TASK_AND_NODE})?(?:FAILED|KILLED|SUCCEEDED)\b")
_OF_APPLICATION: Final = re.compile(
    r"(?P<rest>Application (?P<id>application_\d+_\d+) failed \d+ times? "
    r"(?:in previous \d+ milliseconds )?due to.*)"
)
# RMAppImpl; as `yarn application -status` prints it
_OF_A_USER: Final = re.compile(
    r"(?P<rest>Application (?P<id>application_\d+_\d+) was killed by user .*)"
)
# (framework, expression with the number of a job): what only these print of one:
# HadoopJobExecHelper of Hive, MapReduceLauncher and Launcher of Pig
_FRAMEWORKS: Final = (
    ("Hive", re.compile(r"(?:Starting|Ended) Job = job_(\d+_\d+)")),
    ("Pig", re.compile(r"HadoopJobId: job_(\d+_\d+)")),
    # org.apache.pig.backend.hadoop.executionengine.Launcher, of an error that a task reported
    ("Pig", re.compile(r"recreate exception from backed error: AttemptID:attempt_(\d+_\d+)_")),
)
# (a word of it, expression, state): of the id in group 1
_STATES: Final = (
    (
        "ransitioned from",
        re.compile(
            rf"({_ATTEMPT}) (?:TaskAttempt )?[Tt]ransitioned from (?:state )?\S+ to "
            r"(?:state )?(SUCCEEDED|FAILED|KILLED)\b"
        ),
        None,
    ),
    ("Task '", re.compile(rf"Task '({_ATTEMPT})' done\."), "SUCCEEDED"),
    # a row of a page's table
    ("SUCCEEDED", re.compile(rf"^\W*({_ATTEMPT})\s+SUCCEEDED\b"), "SUCCEEDED"),
    (
        "Task succeeded with",
        re.compile(rf"Task succeeded with attempt ({_ATTEMPT})"),
        "SUCCEEDED",
    ),
    (
        " transitioned from ",
        re.compile(
            rf"\bContainer ({CONTAINER}) transitioned from \S+ to "
            r"(EXITED_WITH_FAILURE|EXITED_WITH_SUCCESS|KILLING)\b"
        ),
        None,
    ),
)
_OF_CONTAINER: Final = {
    "EXITED_WITH_FAILURE": "FAILED",
    "EXITED_WITH_SUCCESS": "SUCCEEDED",
    "KILLING": "STOPPED",  # by the NodeManager: for its memory, as it says, or because it was asked
}
_PAIRS: Final = (
    (
        "using containerId",
        re.compile(
            rf"\[(?P<attempt>{_ATTEMPT})\] using containerId: \[(?P<container>{CONTAINER})"
            r"(?: on NM: \[(?P<host>[^\]:]+))?"
        ),
    ),
    (
        "Assigned container ",
        re.compile(rf"Assigned container (?P<container>{CONTAINER}) to (?P<attempt>{_ATTEMPT})"),
    ),
)
# DefaultOOMHandler: what one of its candidates had taken, and the kill of one, a line each (in 3.1
# both in one); no other line goes on with them
_OVER: Final = re.compile(rf"Container ({CONTAINER}) (is out of its limits, using .*)")
_BY_HANDLER: Final = re.compile(
    rf"[cC]ontainer ({CONTAINER}) (?:was )?killed by elastic cgroups OOM handler.*"
)
_EXIT: Final = re.compile(rf"Exit code from container ({CONTAINER}) is ?: ?(-?\d+)")
_JOBS: Final = (
    (
        "Transitioned",
        re.compile(r"(job_\d+_\d+) ?Job Transitioned from \S+ to (SUCCEEDED|FAILED|KILLED|ERROR)"),
        "",
    ),
    (
        "successfully",
        re.compile(r"Job (job_(?:local)?\d+_\d+) completed successfully"),
        "SUCCEEDED",
    ),
    (
        "with state",
        re.compile(r"Job (job_(?:local)?\d+_\d+) failed with state (FAILED|KILLED|ERROR)"),
        "",
    ),
    ("complete: ", re.compile(r"Job complete: (job_\d+_\d+)"), "ENDED"),
    (
        "finalStatus",
        re.compile(r"appId=(application_\d+_\d+),.*?finalStatus=(SUCCEEDED|FAILED|KILLED)"),
        "",
    ),
    (
        "with exception",
        re.compile(r"Ended Job = (job_\d+_\d+) with exception"),
        "FAILED",
    ),
    (
        "State change from",
        re.compile(r"(application_\d+_\d+) State change from \S+ to (FAILED|KILLED)"),
        "",
    ),
    (
        "with final state",
        re.compile(r"application (application_\d+_\d+) with final state: (FAILED|KILLED)"),
        "",
    ),
    # LocalJobRunner.Job.run logs the error of a job below the line of its id
    ("LocalJobRunner", re.compile(r"LocalJobRunner\s*[:-]\s+(job_local\d+_\d+)\s*$"), "FAILED"),
    # HadoopJobExecHelper of Hive
    ("with errors", re.compile(r"Ended Job = (job_\d+_\d+) with errors"), "FAILED"),
    ("Ended Job", re.compile(r"Ended Job = (job_\d+_\d+)\s*$"), "SUCCEEDED"),
    ("Running job", re.compile(r"Running job: (job_(?:local)?\d+_\d+)"), "RUNNING"),
    ("Starting Job", re.compile(r"Starting Job = (job_\d+_\d+)"), "RUNNING"),
)
_INNER: Final = re.compile(rf"(?:containerID=|Container [iI]d: )({CONTAINER})")
_CHILD: Final = re.compile(rf"YarnChild \S+ \d+ ({_ATTEMPT})")
_MASTER: Final = re.compile(r"\bMRAppMaster\b|\bAM Container for appattempt_")
_OF_HIVE: Final = re.compile(r"^\s*Diagnostic Messages for this Task:")
_BEGINS_WITH_ID: Final = re.compile(r"Task Id : attempt_[\w, :]*$")
_HAS_STATUS: Final = re.compile(rf"Task Id : {_ATTEMPT}, Status : [A-Z]{{4}}")
_GUESS: Final = re.compile(r"^\s*Possible error:")
_HIVE_BEFORE: Final = 30  # lines, in which JobDebugger prints the task, its page, and its guess
_TASK: Final = re.compile(r"\btask_(\d+_\d+)_[mr]_\d+")
_EXAMINES: Final = "Examining task ID"  # JobDebugger looks at each task, failed or not
_CANCELLED: Final = re.compile(r"^\s*FAILED: Operation cancelled")  # of Hive's query
# SimplePigStats: how a script ended, and its tables of jobs: the first has those that succeeded
_PIG_ENDED: Final = re.compile(
    r"^(?:(?P<well>Success!)\s*$|(?P<failed>Failed!)|(?P<partly>Some jobs have failed!))"
)
_PIG_TABLE: Final = re.compile(
    r"^(?:(?P<done>Job Stats \(time in seconds\):)|(?P<failed>Failed Jobs:)|(?P<plan>Job DAG:))"
)
_PIG_STATES: Final[dict[tuple[str | None, str | None], str]] = {
    ("well", None): "SUCCEEDED",
    ("well", "done"): "SUCCEEDED",
    ("well", "plan"): "SUCCEEDED",
    ("partly", "done"): "SUCCEEDED",
    ("partly", "failed"): "FAILED",
    ("failed", "failed"): "FAILED",
    (None, "failed"): "FAILED",
}
"""Of the jobs below, by how the script above ended and by the table, if any."""
_OF_PIG: Final = re.compile(r"^(job_\d{12,13}_\d{3,9})(?:\s+\S|\s*->|,?\s*$)")
# what somebody writes above what they paste of a job: ``[job 0311, SUCCEEDED]``
_HEADED: Final = re.compile(
    r"\W{0,8}[Jj]ob[ _](?:(\d{12,13})_)?(\d{3,9})\b\W{1,6}(SUCCEEDED|FAILED|KILLED)\W*$"
)
# TaskCompletion of JobImpl and JobInProgress, which Pig prints of a job
_LAST_FAILED: Final = re.compile(r"LastFailedTask: (task_(\d+_\d+)_[mr]_\d+)")
_SAYS: Final = re.compile(r"due to: ?(.*)$")
_WITH: Final = re.compile(r"with exception ?(.*)$")
# Counters.log of 1.x; JobInProgress.failedTask counts no attempts, but tasks that failed for good
_COUNTER: Final = re.compile(r"mapred\.JobClient:\s+(Launched|Failed) (?:map|reduce) tasks=[1-9]")
_COMPLETE: Final = re.compile(r"mapred\.JobClient: (?:Running job|(Job complete)): (job_\d+_\d+)")
_NO_SUCCESS: Final = re.compile(r"Job not successful|Job failed!|Job Failed: ")
_RUNNING: Final = ("RUNNING", "ENDED")


@dataclass(slots=True)
class Reports:
    """What was said, by id.

    Attributes:
        texts: diagnostics of attempts and containers.
        states: ``SUCCEEDED``, ``FAILED`` or ``KILLED`` of them; ``STOPPED`` of a container that its
            NodeManager ended.
        exits: exit codes of containers.
        attempts: the attempt that ran in a container.
        hosts: of containers.
        jobs: the state of jobs; ``RUNNING`` where nothing says how they ended.
        job_texts: diagnostics of jobs.
        no_task_failed: jobs of which the client printed that they ended, with counters in which no
            task failed for good.
        beside: of a job with diagnostics, the other lines that name its application.
        tasks: of a job a task that failed, as Hive and Pig name it.
        maps: how many map tasks jobs have.
        map_only: jobs that have no reduce task.
        frameworks: of jobs, where only its console tells of them so: ``Hive`` or ``Pig``.
        masters: containers of application masters.
        over: what the OOM handler of a NodeManager says that a container had taken, until it says
            that it was killed; of one text.
        executors: the containers of executors of Spark, by the name of the executor, which is its
            id where nothing names its container: ``executor 3``; "" where several may be meant.
    """

    texts: dict[str, list[str]] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    exits: dict[str, int] = field(default_factory=dict)
    attempts: dict[str, str] = field(default_factory=dict)
    hosts: dict[str, str] = field(default_factory=dict)
    jobs: dict[str, str] = field(default_factory=dict)
    job_texts: dict[str, str] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, str] = field(default_factory=dict)
    maps: dict[str, int] = field(default_factory=dict)
    map_only: set[str] = field(default_factory=set)
    frameworks: dict[str, str] = field(default_factory=dict)
    masters: set[str] = field(default_factory=set)
    over: dict[str, str] = field(default_factory=dict)
    executors: dict[str, str] = field(default_factory=dict)
    no_task_failed: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.texts or self.states or self.exits or self.jobs or self.job_texts)

    def add(self, other: Reports) -> None:
        """Take in what another text says; what says that something ended counts for more."""
        for id_, texts in other.texts.items():
            for text in texts:
                self.say(id_, text)
        for id_, state in other.states.items():
            if self.states.get(id_) in (None, "STOPPED"):
                self.states[id_] = state
        self.exits.update(other.exits)
        self.attempts.update(other.attempts)
        self.tasks.update(other.tasks)
        self.frameworks.update(other.frameworks)
        self.maps |= other.maps
        self.map_only |= other.map_only
        self.masters |= other.masters
        self.executors.update(other.executors)
        self.hosts.update(other.hosts)
        for id_, state in other.jobs.items():
            if self.jobs.get(id_, "RUNNING") in _RUNNING:
                self.jobs[id_] = state
        for id_, text in other.job_texts.items():
            self.job_texts.setdefault(id_, text)
        self.no_task_failed |= other.no_task_failed
        for id_, text in other.beside.items():
            self.beside.setdefault(id_, text)

    def say(self, id_: str, text: str) -> None:
        """Add a text about an attempt or a container, unless it says nothing new."""
        said = self.texts.setdefault(id_, [])
        text = text.strip()[:_MOST_TEXT]
        if text and not any(text in one for one in said) and sum(map(len, said)) < _MOST_TEXT:
            said.append(text)

    def ran_in(self, container: str, attempt: str) -> None:
        """Keep which attempt ran in a container, where both are of the same job."""
        if job_of(container) == job_of(attempt):
            self.attempts[container] = attempt

    def name_executors(self) -> None:
        """Say of its container what was said of an executor, where that is known."""
        for executor, container in self.executors.items():
            if not container:
                continue
            for text in self.texts.pop(executor, ()):
                self.say(container, text)
            state = self.states.pop(executor, None)
            if state is not None:
                self.states.setdefault(container, state)
            if executor in self.hosts:
                self.hosts.setdefault(container, self.hosts.pop(executor))

    @property
    def is_of_a_task_of_spark(self) -> bool:
        """Whether nothing else is told than that jobs were given up for what a task threw."""
        others = self.exits or self.jobs or self.job_texts
        named = (*self.texts, *self.states)
        return bool(named) and not others and all(one.startswith("task ") for one in named)

    def said_of(self, *ids: str | None) -> str:
        """All that is said about an attempt and its container."""
        texts = [text for id_ in ids if id_ is not None for text in self.texts.get(id_, ())]
        return "\n".join(dict.fromkeys(texts))


def job_of(id_: str) -> str | None:
    """The job of an attempt, container or application.

    >>> job_of("container_e17_1410450250506_0003_01_000002")
    'job_1410450250506_0003'
    """
    found = re.search(r"_(?:e\d+_)?((?:local)?\d{1,19})_(\d{1,10})(?:_|$)", id_)
    return f"job_{found[1]}_{found[2]}" if found else None


def is_first(container: str) -> bool:
    """Whether it is the first container of an attempt of its application.

    >>> is_first("container_e17_1410450250506_0003_01_000001")
    True
    """
    return re.search(r"_0*1$", container) is not None and container.startswith("container_")


def is_executor(id_: str | None) -> bool:
    """Whether it names an executor of Spark by its number, and no container.

    >>> is_executor("executor 3")
    True
    """
    return id_ is not None and id_.startswith("executor ")


# JobImpl.InitTransition, of an application master
_COUNTED: Final = re.compile(
    r"Input size for job (job_\d+_\d+) = \d+\. Number of splits = (\d{1,9})\b"
)
# JobSubmitter.submitJobInternal
# org.apache.hadoop.mapreduce.v2.app.job.impl.JobImpl.InitTransition
_NO_REDUCES: Final = re.compile(r"\bNumber of reduces for job (job_\d{1,19}_\d{1,10}) = 0\s*$")
# org.apache.hadoop.hive.ql.exec.mr.HadoopJobExecHelper, of the job that it has just started
_NO_REDUCERS: Final = re.compile(r"\bnumber of mappers: \d{1,9}; number of reducers: 0\s*$")
_SPLITS: Final = re.compile(r"\bnumber of splits: ?(\d{1,9})\b")


def read_reports(parts: Iterable[tuple[int, Sequence[str]]]) -> Reports:
    """Every report in a text."""
    found = Reports()
    last_job: str | None = None
    splits: re.Match[str] | None = None
    parts = [*parts]
    _read_counters(found, (line for _, part in parts for line in part))
    for _, part in parts:
        lines = _unbroken(part)
        for at, line in enumerate(lines):
            if "_" in line or "xecutor" in line or "Lost task " in line:
                _read_block(found, lines, at)
                _read_state(found, line)
                _read_pair_of_a_line(found, line)
                if "Number of splits" in line and (counted := _COUNTED.search(line)) is not None:
                    found.maps.setdefault(counted[1], int(counted[2]))
                if "Number of reduces" in line and (none := _NO_REDUCES.search(line)) is not None:
                    found.map_only.add(none[1])
                job = _read_job(found, lines, at)
                last_job = job or last_job
                if job is not None and splits is not None:  # counted before it has an id
                    found.maps.setdefault(job, int(splits[1]))
                    splits = None
            elif "umber of splits" in line:
                splits = _SPLITS.search(line) or splits
            elif "umber of reducers: 0" in line:
                if last_job is not None and _NO_REDUCERS.search(line):
                    found.map_only.add(last_job)
            elif last_job is not None and _NO_SUCCESS.search(line):
                found.jobs[last_job] = "FAILED"
            elif _OF_HIVE.match(line):
                _read_hive(found, lines, at, last_job)
            elif _CANCELLED.match(line) and found.jobs.get(last_job or "") == "FAILED":
                found.jobs[last_job or ""] = "KILLED"
        for line in lines if found.job_texts else ():
            for job in map(job_of, _APPLICATION.findall(line)):
                if job in found.job_texts and len(found.beside.get(job, "")) < _MOST_TEXT:
                    found.beside[job] = f"{found.beside.get(job, '')}{line[:_LONGEST_LINE]}\n"
    _read_pig(found, (line for _, part in parts for line in part))
    _read_headings(found, (line for _, part in parts for line in part))
    _read_same(found)
    _join_the_only_ones(found)
    return found


def _read_pair_of_a_line(found: Reports, line: str) -> None:
    """The attempt of a container that was killed, where one line names one of each of a job."""
    containers = {*_INNER.findall(line)} if "containerID=" in line else set[str]()
    attempts = {*_ANY_ATTEMPT.findall(line)} if containers else set[str]()
    if len(containers) == len(attempts) == 1:
        (container,), (attempt,) = containers, attempts
        if job_of(container) == job_of(attempt) and not is_first(container):
            found.attempts.setdefault(container, attempt)


_ANY_ATTEMPT: Final = re.compile(rf"\b{_ATTEMPT}\b")


def _join_the_only_ones(found: Reports) -> None:
    """The only attempt of a text of which nothing is said but its state ran in its only container.

    Where the container failed as well, and is of the same job, and no application master's.
    """
    containers = [one for one in found.texts if one.startswith("container_")]
    attempts = [one for one in {**found.texts, **found.states} if one.startswith("attempt_")]
    if len(containers) != 1 or len(attempts) != 1 or containers[0] in found.attempts:
        return
    (container,), (attempt,) = containers, attempts
    says_nothing = not any(found.texts.get(attempt, ())) and found.states.get(attempt) == "FAILED"
    if says_nothing and job_of(container) == job_of(attempt) and not is_first(container):
        found.attempts[container] = attempt


# what people write in place of a stack that they would have to repeat
_SAME: Final = re.compile(
    r"(?i)\W*(?:(?:the |exactly )?same\b.{0,60}|ditto|idem|(?:as|see) above|and so on|etc)\W*$|"
    r"\s*[\[(]?(?:\.\.\.+|\u2026)[\])]?\s*$"
)
_DIGITS: Final = re.compile(r"\d+")


def _read_same(found: Reports) -> None:
    """Of an attempt of which a text says that it ended as one above did, what is said of that.

    Both begin with the same line but for the numbers in it.
    """
    above: dict[str, list[str]] = {}
    for id_, texts in found.texts.items():
        lines = [line for line in "\n".join(texts).split("\n") if line.strip()]
        if not lines or not id_.startswith("attempt_"):
            continue
        begin = _DIGITS.sub("0", lines[0])
        if len(lines) > 1 and _SAME.match(lines[1]) and begin in above:
            found.texts[id_] = ["\n".join([lines[0], *above[begin][1:]])[:_MOST_TEXT]]
        elif len(lines) > 1:
            above.setdefault(begin, lines)


# the words of the ResourceManager and the client on an end, which a mail breaks at its width
_OF_AN_END: Final = re.compile(
    r"failed with state (?:FAILED|KILLED)\b|\bAM Container for appattempt_\d|"
    r"\bfailed \d+ times? due to\b|\bApplication application_\d+_\d+ failed\b|"
    r"\bexited with +exitCode: ?-?\d"
)
_MAY_BE_BROKEN: Final = re.compile(
    r"(?:\bfailed(?: with(?: state)?| \d+(?: times?(?: due)?)?)?|\bAM(?: Container(?: for)?)?|"
    r"\bApplication(?: application_\d+_\d+)?|\bexited(?: with(?: +exitCode:)?)?)\s*$"
)
"""How a line ends that is broken in such words."""


def _unbroken(lines: Sequence[str]) -> Sequence[str]:
    """The lines, with those in one that a page, a mail or a terminal has broken in a status."""
    found: list[str] | None = None
    begin = 0  # of what the next line may go on with
    for at, next_line in enumerate(lines[1:], 1):
        line = lines[begin] if found is None else found[begin]
        whole = _rejoined(line, next_line)
        if whole is None:
            begin = at
            continue
        found = found if found is not None else list(lines)
        found[begin], found[at] = whole, ""
    return lines if found is None else found


# of the reason that the client prints of a job, only the first line begins with a capital letter
_REASON: Final = re.compile(r"\bfailed with state (?:FAILED|KILLED) due to: \S")
_GOES_ON: Final = re.compile(r"\s*[a-z<(]")


def _rejoined(line: str, after: str) -> str | None:
    """Two lines in one, where they are one of Hadoop's that was broken; None where they are not."""
    if _BEGINS_WITH_ID.search(line) and not _HAS_STATUS.search(line):
        joined = (f"{line.rstrip()}{between}{after.lstrip()}" for between in ("", " "))
        return next((one for one in joined if _HAS_STATUS.search(one)), None)
    if len(line) >= SHORTEST_WRAPPED and _REASON.search(line) and _GOES_ON.match(after):
        return f"{line.rstrip()} {after.lstrip()}"
    if _MAY_BE_BROKEN.search(line):
        whole = f"{line.rstrip()} {after.lstrip()}"
        across = (one for one in _OF_AN_END.finditer(whole) if one.end() > len(line.rstrip()))
        return whole if any(one.start() < len(line.rstrip()) for one in across) else None
    return None


def _read_hive(found: Reports, lines: Sequence[str], at: int, last_job: str | None) -> None:
    """What Hive prints of the task that failed most often (``JobDebugger``)."""
    before = lines[max(at - _HIVE_BEFORE, 0) : at]
    tasks = [*_TASK.finditer("\n".join(line for line in before if _EXAMINES not in line))]
    named = tasks[-1] if tasks else None
    job = f"job_{named[1]}" if named is not None else last_job
    if job is not None:
        found.jobs[job] = "FAILED"
        found.frameworks[job] = "Hive"
        if named is not None:
            found.tasks[job] = named[0]
        guess = next((number for number, line in enumerate(before) if _GUESS.match(line)), None)
        said = () if guess is None else before[guess + 1 :]
        text = "\n".join([*_following(lines, at), *said])
        found.job_texts.setdefault(job, text[:_MOST_TEXT])


def _read_pig(found: Reports, lines: Iterable[str]) -> None:
    """How the jobs of a script of Pig ended, by the tables of them.

    The plan below names all of them: where one failed, it says nothing of the others. That a job
    failed of which no attempt is told is left to the words that say more.
    """
    told = {job_of(one) for one in (*found.texts, *found.states)}
    end, below = None, ""
    for line in lines:
        ended, table = _PIG_ENDED.match(line), _PIG_TABLE.match(line)
        if ended is not None:
            end = ended.lastgroup
            below = _PIG_STATES.get((end, None), "")
        elif table is not None:
            below = _PIG_STATES.get((end, table.lastgroup), "")
        job = _OF_PIG.match(line) if below and line.startswith("job_") else None
        if job is None or (below == "FAILED" and job[1] not in told):
            continue
        if found.jobs.get(job[1], "RUNNING") in _RUNNING:
            found.jobs[job[1]] = below


def _read_headings(found: Reports, lines: Iterable[str]) -> None:
    """How jobs ended by somebody's headings, which may name one by the end of its id."""
    headed = [one for line in lines if "ob" in line and (one := _HEADED.match(line)) is not None]
    if not headed:
        return
    ids = (*found.texts, *found.states, *found.exits)
    named = {job for job in map(job_of, ids) if job is not None}
    for one in headed:
        jobs = [job for job in named if job.endswith(f"{one[1] or ''}_{one[2]}")]
        if len(jobs) == 1 and found.jobs.get(jobs[0], "RUNNING") in _RUNNING:
            found.jobs[jobs[0]] = one[3]


def _read_block(found: Reports, lines: Sequence[str], at: int) -> None:
    line = lines[at]
    row, inner = _ROW.match(line), _INNER.search(line)
    if row is not None and inner is not None:
        found.ran_in(inner[1], row[1])
    for word, pattern in _BLOCKS:
        match = pattern.search(line) if word in line else None
        if match is None:
            continue
        is_told = word == "Error: "  # in a sentence, with which no line goes on
        text = "\n".join([match["rest"], *(() if is_told else _following(lines, at))])
        if match["rest"] == "" and word == "Container " and not _EXITED.search(text):
            text = "\n".join([_exit_above(lines, at), text])
        groups = match.groupdict()
        id_ = groups.get("id") or f"executor {groups['number']}"
        found.say(id_, text)
        found.texts.setdefault(id_, [])
        state = groups.get("state")
        state = "FAILED" if state in _OF_FAILURE else state
        state = "KILLED" if state == "Issuing kill" else state
        if state in {"FAILED", "KILLED", "SUCCEEDED"}:
            found.states.setdefault(id_, state)
        if groups.get("host"):
            found.hosts.setdefault(id_, groups["host"])
        of_executor = _CONTAINER_OF.match(match["rest"]) if is_executor(id_) else None
        if of_executor is not None:
            found.executors[id_] = of_executor[1]
        inner = _INNER.search(text)
        if inner is not None and id_.startswith("attempt"):
            found.ran_in(inner[1], id_)
        if id_.startswith("container"):
            child, lost = _CHILD.search(text), _LOST.search(line)
            if child is not None:
                found.ran_in(id_, child[1])
            if _MASTER.search(text):
                found.masters.add(id_)
            if lost is not None:
                found.executors[lost[1]] = id_
            _read_executor(found, id_, text)
        return


# org.apache.spark.deploy.yarn.ExecutorRunnable, in the list of the processes of a container
_RUNS_EXECUTOR: Final = re.compile(
    r"\bCoarseGrainedExecutorBackend\b[^\n]{0,1000}? --executor-id (\d{1,9})\b"
)


def _read_executor(found: Reports, container: str, text: str) -> None:
    """The executor that ran in a container, by its command; of none that two containers name.

    Each application counts its executors from 1.
    """
    command = _RUNS_EXECUTOR.search(text)
    if command is None:
        return
    executor = f"executor {command[1]}"
    other = found.executors.setdefault(executor, container)
    if other != container:
        found.executors[executor] = ""


_EXITED: Final = re.compile(r"(?i)\bexit ?(?:code|status)\b")


def _exit_above(lines: Sequence[str], at: int) -> str:
    """The exit code that stands in the line above a container's id, and below none of another."""
    above = lines[at - 1] if at else ""
    others = lines[max(at - _MOST_ABOVE, 0) : at]
    is_own = _EXITED.search(above) is not None and not any(map(_INNER.search, others))
    return above if is_own else ""


_MOST_ABOVE: Final = 20


def _read_state(found: Reports, line: str) -> None:
    for word, pattern, state in _STATES:
        match = pattern.search(line) if word in line else None
        if match is not None:
            told = state or _OF_CONTAINER.get(match[2], match[2])
            if found.states.get(match[1]) in (None, "STOPPED"):
                found.states[match[1]] = told
    for word, pattern in _PAIRS:
        match = pattern.search(line) if word in line else None
        if match is not None:
            found.ran_in(match["container"], match["attempt"])
            host = match.groupdict().get("host")
            if host is not None:
                found.hosts[match["container"]] = host
    last = _LAST_FAILED.search(line) if "LastFailedTask" in line else None
    if last is not None:
        found.tasks.setdefault(f"job_{last[2]}", last[1])
    for framework, pattern in _FRAMEWORKS:
        match = pattern.search(line) if "job_" in line or "backed error" in line else None
        if match is not None:
            found.frameworks[f"job_{match[1]}"] = framework
    over = _OVER.search(line) if "is out of its limits" in line else None
    if over is not None:
        found.over[over[1]] = over[2]
    by_handler = _BY_HANDLER.search(line) if "elastic cgroups OOM" in line else None
    if by_handler is not None:
        id_ = by_handler[1]
        found.say(id_, f"{by_handler[0]} {found.over.get(id_, '')}")
        if found.states.get(id_) in (None, "STOPPED"):
            found.states[id_] = "FAILED"
    match = _EXIT.search(line) if "Exit code from container" in line else None
    if match is not None:
        found.exits[match[1]] = int(match[2])


def _read_job(found: Reports, lines: Sequence[str], at: int) -> str | None:
    """The job whose state the line tells; and what it says about it."""
    line = lines[at]
    match = _OF_APPLICATION.search(line) if "Application application_" in line else None
    by_user = _OF_A_USER.search(line) if " was killed by user " in line else None
    if by_user is not None and (job := job_of(by_user["id"])) is not None:
        found.jobs[job] = "KILLED"
        found.job_texts.setdefault(job, by_user["rest"].strip())
        return job
    if match is not None:
        job = job_of(match["id"])
        if job is not None:
            text = "\n".join([match["rest"], *_following(lines, at)])
            found.job_texts.setdefault(job, text[:_MOST_TEXT])
            found.jobs[job] = "FAILED"
            if _MASTER.search(match["rest"]):
                found.masters.update(_INNER.findall(text))
        return job
    for word, pattern, state in _JOBS:
        match = pattern.search(line) if word in line else None
        if match is None:
            continue
        job = job_of(match[1])
        if job is None:
            continue
        told = state or match[2]
        if told != "RUNNING" or job not in found.jobs:
            found.jobs[job] = told
        says = _SAYS.search(line)
        if told == "FAILED" and word == "LocalJobRunner":
            found.job_texts.setdefault(job, "\n".join(_following(lines, at))[:_MOST_TEXT])
        if told in {"FAILED", "KILLED", "ERROR"} and says is None and " with exception" in line:
            says = _WITH.search(line)
        if told in {"FAILED", "KILLED", "ERROR"} and says is not None:
            text = "\n".join([says[1], *_following(lines, at)])
            found.job_texts.setdefault(job, text[:_MOST_TEXT])
        return job
    return None


def _read_counters(found: Reports, lines: Iterable[str]) -> None:
    """The jobs that ended with counters of tasks that ran, and of none that failed for good.

    A job that is killed has such counters too, and its progress is set to 100 %
    (``JobInProgress.terminateJob``).
    """
    job = None
    counted: dict[str, set[str]] = {}
    for line in lines:
        begins = _COMPLETE.search(line) if "JobClient" in line else None
        if begins is not None:
            job = begins[2] if begins[1] else None
        elif job is not None and _NO_SUCCESS.search(line):
            counted.setdefault(job, set()).add("Failed")
        elif job is not None:
            counted.setdefault(job, set()).update(_COUNTER.findall(line))
    found.no_task_failed = {job for job, words in counted.items() if words == {"Launched"}}


_OF_SPARK: Final = ("Lost executor ", "Lost task ")  # which stand in no report of another


_LEFT_OUT: Final = re.compile(r"\W*(?:\.{3,}|\u2026|snip)\W*")


def _following(lines: Sequence[str], at: int) -> list[str]:
    """The lines that belong to the report that begins there."""
    found: list[str] = []
    for line in lines[at + 1 : at + 1 + _MOST_BLOCK]:
        if (
            _LINE_BEGIN.match(line)
            or _ROW.match(line)
            or _LINKS.match(line)
            or any(word in line for word in _OF_SPARK)
            or any(pattern.search(line) for pattern in _OF_ATTEMPTS if "attempt_" in line)
        ):
            break
        if _LEFT_OUT.fullmatch(line) and not any(map(str.strip, found)):
            return []  # what it said somebody has left out, and below stands something else
        found.append(line)
    by_kernel = len(found) < len(lines) - at - 1 and re.match(
        _OF_THE_KERNEL, lines[at + 1 + len(found)]
    )
    while found and (not found[-1].strip() or (by_kernel and found[-1].rstrip().endswith(":"))):
        found.pop()
    while found and not found[0].strip():
        found.pop(0)
    return found
