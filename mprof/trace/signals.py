"""The expressions by which a log is searched: what names an end, and what else a diagnosis reads.

Both are read by RE2 and by re, and hold what both read alike; nothing in them matches the end of a
line, as a class of all white space would, since many lines are searched at once.
"""

from __future__ import annotations

from typing import Final

__all__ = ["SIGNAL", "STRONG"]

STRONG: Final = (
    r"OutOfMemory|Error running child|Exception running child|Exception in thread|"
    r"containerID=|Task Id : |Diagnostics report from |- exited : |"
    r"Container id: |Container ?Id: |Exit code from container|xit status|exitCode|"
    r"under oom|memory limit|memory-limit|"
    r" to (?:state )?(?:FAILED|KILLED|KILLING|ERROR|EXITED_WITH_FAILURE)\b|"
    r"Job Transitioned from|Job complete: |completed successfully|failed with state|"
    r"Running job: |Starting Job = |Ended Job = |Diagnostic Messages|^[ \t]*task_|"
    r"using containerId: |Assigned container |"
    r"Task 'attempt_|Application application_|appId=application_|finalStatus|"
    r"insufficient memory|pthread_create|Native memory allocation|^# A fatal error|"
    r"due to java\.lang|due to Out Of Memory|Last retry, killing|MRAppMaster metrics|"
    r"Final Status is|End of LogType|attempt_\w+ FAILED|YarnChild \S+ \d+ attempt_"
)
"""What names an end, or whose it is; of these lines none is left out before `MOST_STRONG`."""
SIGNAL: Final = (
    STRONG + r"|^[ \t]+at \S|^[ \t]+\.\.\. \d|Caused by|Suppressed:|Exception|Error|ERROR|"
    r"Throwable|FATAL|emory|alloc|xceeded|Processing split|mapred\.Task: |xit code|xitCode|"
    r"Kill|kill|Status : |Diagnostics|Dumping heap|Heap dump file|\|- |-Xm|"
    r"failed to report|imed out|taskTimedOut|taskStuck|[Tt]oo many|No space|ShuffleError|"
    r"\[GC|\[Full GC|\]\[gc"
)
"""What a diagnosis reads; mprof.trace.logs finds nothing in lines without it."""
