"""The routine lines of Hadoop's client, which a terminal shows as one line of progress.

A wrapped command's output is its user's. Only a line of log4j at INFO, of a logger that is one of
Hadoop's client and that tells of no failure, is routine; of the others, what a job's own code logs
or prints among them, none is.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Final

__all__ = ["Chatter"]

# log4j's pattern in Hadoop's own log4j.properties, "%d{ISO8601} %p %c{2}: %m%n"; before Hadoop 3
# with dates as "%d{yy/MM/dd HH:mm:ss}".
_LOGGED: Final = re.compile(
    r"(?:\d{4}-\d\d-\d\d|\d\d/\d\d/\d\d) \d\d:\d\d:\d\d(?:[,.]\d{3})? INFO +(?P<logger>[\w.]+): ?"
    r"(?P<says>.*)"
)
_LOGGERS: Final = frozenset(
    {
        "Configuration.deprecation",
        "client.AHSProxy",
        "client.ConfiguredRMFailoverProxyProvider",
        "client.DefaultNoHARMFailoverProxyProvider",
        "client.RMProxy",
        "conf.Configuration",
        "impl.TimelineClientImpl",
        "impl.YarnClientImpl",
        "input.FileInputFormat",
        "mapred.ClientServiceDelegate",
        "mapred.FileInputFormat",
        "mapreduce.Job",
        "mapreduce.JobResourceUploader",
        "mapreduce.JobSubmitter",
        "resource.ResourceUtils",
        "sasl.SaslDataTransferClient",
    }
)
_TELLS_OF_FAILURE: Final = re.compile(r"(?i)fail|kill|error|exception|retry")
_SHARES: Final = re.compile(r"map (\d+)% reduce (\d+)%")
_COUNTERS: Final = re.compile(r"Counters: \d+$")
_MOST_KEPT: Final = 2_000


class Chatter:
    """Takes the routine lines out of a command's output, and keeps them.

    Attributes:
        lines: how many it took.
        progress: how far the job is by the last of them, "" where none has told.
    """

    def __init__(self) -> None:
        self.lines = 0
        self.progress = ""
        self._kept: deque[str] = deque(maxlen=_MOST_KEPT)
        self._in_counters = False

    def begin(self) -> None:
        """Another command begins: what the last one told of its progress is none of it."""
        self.progress = ""

    def takes(self, line: str) -> bool:
        """Whether a line is routine."""
        found = _LOGGED.fullmatch(line)
        if found is None:
            # The counters of a job are one event of many lines, each of which begins with a tab.
            is_routine = self._in_counters and line.startswith("\t")
        else:
            says = found["says"]
            is_routine = found["logger"] in _LOGGERS and not _TELLS_OF_FAILURE.search(says)
            if is_routine and (shares := _SHARES.search(says)) is not None:
                self.progress = f"map {shares[1]} %, reduce {shares[2]} %"
        self._in_counters = is_routine and (found is None or bool(_COUNTERS.match(found["says"])))
        if is_routine:
            self.lines += 1
            self._kept.append(line)
        return is_routine

    def kept(self) -> tuple[str, ...]:
        """What it took, the last 2,000 lines."""
        return tuple(self._kept)
