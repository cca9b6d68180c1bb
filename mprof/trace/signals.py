"""The expressions by which a log is searched: what names an end, whose it is, what else is read.

Both are read by RE2 and by re, and hold what both read alike; nothing in them matches the end of a
line, as a class of all white space would, since many lines are searched at once.
"""

from __future__ import annotations

from typing import Final

__all__ = ["END", "QUIET", "SIGNAL", "STRONG", "WHOSE"]

END: Final = (
    r"OutOfMemory|Error running child|Exception running child|Exception in thread|"
    r"containerID=|Task Id : |Diagnostics report from |- exited : |"
    r"Container id: |Container ?Id: |Exit code from container|xit status|exitCode|"
    r"under oom|elastic cgroups OOM|memory limit|memory-limit|"
    r" to (?:state )?(?:FAILED|KILLED|ERROR|EXITED_WITH_FAILURE)\b|final state: (?:FAILED|KILLED)|"
    r"MapredLocalTask|MemoryExhaustion|exceeding \w* ?memory limits|hash maps used in map|"
    r"Killing container|MAX_FAILED_UNIQUE_FETCHES|Too many counter|"
    r"ExecutorLostFailure|Lost executor|Lost task|due to stage failure|"
    r"from a bad node|subprocess (?:failed|exited) with|too many fetch failures|"
    r"Failed (?:map|reduce) tasks=| : Child Error|AttemptID:attempt_|InvalidResourceRequest|"
    r"above the max threshold|"
    r"failed in [\d.]+ s due to|Execution Error, return code|Job failed!|"
    r"Possible error:|marked as failed|failed with state|Ended Job = |"
    r"Diagnostic Messages|^[ \t]*task_|"
    r"Application application_|finalStatus=(?:FAILED|KILLED)|"
    r"Could not reserve enough space|"
    r"OOMKilled|isassociated|Unable to acquire|maxResultSize|"
    r"insufficient memory|pthread_create|Native memory allocation|^# A fatal error|"
    r"due to java\.lang|due to Out Of Memory|Last retry, killing|"
    r"Final Status is|attempt_\w+ FAILED|YarnChild \S+ \d+ attempt_"
)
"""What names an end that was no good one."""
QUIET: Final = (
    r"Diagnostics report from attempt_\w+: (?:\[[^\]]*\] ?)?Container killed by the Appl|"
    r"Exit code from container \S+ is ?: ?(?:0|143)\b"
)
"""What is written of every container that is ended because its attempt is done, too."""
WHOSE: Final = (
    r"using containerId: |Assigned container |Task 'attempt_|Task succeeded with|"
    r" to (?:state )?KILLING\b|Job Transitioned from|Job complete: |completed successfully|"
    r"Running job: |Starting Job = |appId=application_|finalStatus|MRAppMaster metrics|"
    r"JobClient: +Launched (?:map|reduce) tasks=|"
    r"End of LogType|^Success!|^Failed!|^Some jobs have failed|^Job (?:DAG:|Stats \()|"
    r"^Failed Jobs:|^job_\d+_\d+[\t ]|FAILED: Operation"
)
"""Whose an end is, that something runs, or that it ended well: a line or more for each attempt."""
STRONG: Final = END + "|" + WHOSE
SIGNAL: Final = (
    STRONG + r"|^[ \t]+at \S|^[ \t]+\.\.\. \d|Caused by|Suppressed:|Exception|Error|ERROR|"
    r"Throwable|FATAL|emory|alloc|xceeded|Processing split|mapred\.Task: |xit code|xitCode|"
    r"Kill|kill|Status : |Diagnostics|Dumping heap|Heap dump file|\|- |-Xm|"
    r"-dirs (?:turned|are) bad|-dirs (?:have errors|usable)|Retrying connect|DELEGATION_TOKEN|"
    r"find or load main|auxService|failed to report|imed out|taskTimedOut|taskStuck|[Tt]oo many|"
    r"No space|ShuffleError|out of its limits|submitted hadoop job|"
    r"MemAvailable|limit_in_bytes| total \d+K, used|"  # of a crash of the JVM
    r"sort\.mb|<name>|<value>|executor-memory|asked [A-Z]|answered [A-Z]|added a comment|"
    r" commented |wrote:|"
    r"\[GC|\[Full GC|\bGC\(\d|"
    r"^#{1,6}[ \t]*\S"  # a heading of somebody's text: below it may stand what is only advised
)
"""What a diagnosis reads; mprof.trace.logs finds nothing in lines without it."""
