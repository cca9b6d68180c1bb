"""stdout, stderr and syslog of an attempt: errors, and messages of the JVM about its end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import takewhile
from typing import Final

from mprof.code_site import CodeSite
from mprof.engines import OUT_OF_MEMORY_WORDS, names_a_task, pipe_on_stack, server_in
from mprof.trace.crash_report import CrashReport, parse_crash_report
from mprof.trace.excerpt import Excerpt
from mprof.trace.gc_log import Collection, parse_gc_log
from mprof.trace.throwable import (
    Throwable,
    heading_error,
    out_of_memory_in,
    parse_frame,
    parse_throwables,
)

__all__ = [
    "END_OF_STDERR",
    "LOG_NAMES",
    "JvmWord",
    "Log",
    "LoggedError",
    "Logs",
    "joined_logs",
    "log_order",
    "no_memory_in",
    "read_log",
    "refused_in",
]

# %d{ISO8601} %p [%t] %c: %m%n (container-log4j.properties); without [%t] in MapReduce 1; daemons
# often %d{ISO8601} %-5p %c{2} (%F:%M(%L)) - %m%n
_LOG_LINE: Final = re.compile(
    r"^(?P<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[,.]\d{3}) (?P<level>[A-Z]+)\s+"
    r"(?:\[(?P<thread>.*?)\] )?(?P<logger>[\w.$-]+)"
    r"(?:: | \([\w$.]+\.java:[\w$<>]+\(\d{1,6}\)\) - )(?P<message>.*)$"
)
_ENDED_A_TASK: Final = "running child : "  # org.apache.hadoop.mapred.YarnChild
# without one of these there is no error
_SIGNS: Final = (
    "OutOfMemoryError", "\tat ", " at ", "\tat\t", " at\t", _ENDED_A_TASK, "Exception in thread",
)  # fmt: skip
# what HotSpot's Arguments and the launcher say of a JVM that they do not start; of a task's output
# the client of Hadoop 1 prints each line with the id of its attempt
_REFUSED: Final = re.compile(
    r"(?:[\s>|#*]|attempt_\w+: |\[[^\]]{0,40}\])*"  # each character by one of them alone
    r"(?P<said>Invalid (?:maximum|initial) heap size: ?-Xm|"
    r"Unrecognized (?:VM option '?\w|option: -X)|Conflicting collector combinations in option|"
    r"Multiple garbage collectors selected|"
    r"Initial heap size set to a larger value than the maximum heap size|"
    r"Incompatible (?:minimum|initial) and (?:minimum|initial|maximum) heap sizes specified|"
    r"Too small (?:initial|maximum) heap|Could not reserve enough space for .{0,40}heap|"
    r"Error: Could not find or load main class |"
    r"Exception in thread \"main\" java\.lang\.UnsupportedClassVersionError: )"
)
_REFUSES: Final = ("nvalid ", "nrecognized ", "onflicting ", "ultiple garbage", "nitial ", "mall ",
                   "reserve ", "load main", "nsupportedClassVersion")  # fmt: skip
_NO_DUMP: Final = ("Unable to create", "Dump file is incomplete")  # HotSpot, heapDumper.cpp
_DUMPING: Final = re.compile(r"^Dumping heap to (\S.{0,1000}?) \.\.\.\s*$")
_IN_THREAD: Final = re.compile(r'^Exception in thread "(?P<thread>[^"]*)" ')
# kind of message, words that each such line holds, its pattern; the first match wins
_JVM_MESSAGES: Final = (
    (
        "terminating",
        "due to java.lang.OutOfMemoryError",
        re.compile(r"^(?:Terminating|Aborting) due to java\.lang\.OutOfMemoryError"),
    ),
    ("halting", "alting due to", re.compile(r"(?i)Halting due to Out Of Memory Error")),
    (
        "running-child",
        "Error running child",
        re.compile(r"(?:FATAL|ERROR) .*Error running child ?: "),
    ),
    (
        "in-handler",
        "UncaughtExceptionHandler",
        re.compile(r"OutOfMemoryError thrown from the UncaughtExceptionHandler in thread"),
    ),
    (
        "native",
        "insufficient memory",
        re.compile(r"insufficient memory for the Java Runtime Environment"),
    ),
    (
        "native",
        "Native memory allocation",
        re.compile(r"Native memory allocation \(\w+\) failed to (?:map|allocate)"),
    ),
    (
        "native",
        "Could not reserve enough space",
        re.compile(r"Could not reserve enough space for .*heap"),
    ),
    (
        "threads",
        "pthread_create",
        re.compile(r"Failed to start (?:the native )?thread .*pthread_create failed"),
    ),
    # sun.launcher.LauncherHelper, where `java` did not come to run a class
    (
        "launcher",
        "Error: ",
        re.compile(
            r"^Error: (?:Could not find or load main class|Unable to initialize main class|"
            r"Main method (?:not found|must)|LinkageError occurred)"
        ),
    ),
    (
        "crash",
        "A fatal error",
        re.compile(r"^# A fatal error has been detected by the Java Runtime Environment"),
    ),
    ("dumping", "eap", re.compile(r"^(?:Dumping heap to |Heap dump file created)")),
    ("shuffle", "ShuffleError", re.compile(r"\bShuffleError: error in shuffle\b")),
)
# MapTask.MapOutputBuffer: "io.sort.mb = 100" in 1.x, "mapreduce.task.io.sort.mb: 100" since 2.0
_SORT_MB: Final = re.compile(
    r" INFO .*\borg\.apache\.hadoop\.mapred\.MapTask: "
    r"(?:io\.sort\.mb = |mapreduce\.task\.io\.sort\.mb: )(\d{1,4})$"
)
LOG_NAMES: Final = ("syslog", "syslog.shuffle", "stderr", "stdout")
"""The logs of a container, that of the framework first."""

END_OF_STDERR: Final = "end of stderr"
"""The same as a NodeManager quotes it where it tells of the end of a container."""

_ROLLED: Final = re.compile(r"syslog\.(\d{1,5})")  # by ContainerRollingLogAppender; 1 is the newest
_THREAD_IN_HANDLER: Final = re.compile(r'UncaughtExceptionHandler in thread "([^"]*)"')
_CHILD_ERROR: Final = "java.lang.Throwable: Child Error"
_DONE: Final = re.compile(r"mapred\.Task: Task '(attempt_\w+)' done\.")  # Task.done, in all lines
_CAUGHT: Final = frozenset({"TRACE", "DEBUG", "INFO", "WARN"})
_TRIED_AGAIN: Final = "Communication exception"  # Task.TaskReporter.run, in all lines
_MOST_OF_A_LINE: Final = 400  # characters: a longer one is no message before an error
_LIVED_ON_S: Final = 30.0  # a task that is ending writes its last lines in less
_LAST_LINES: Final = 100  # with the stacks that a runtime writes when it dies


@dataclass(frozen=True, slots=True)
class LoggedError:
    """An error in a log.

    Attributes:
        line: of the excerpt, from 1.
        line_of_file: the same of the file, in which several may stand in one.
        how: the text before the error's class name.
        lived_on_s: for how many seconds the log went on after it; None where no time is known.
        dump: the heap dump that the JVM wrote at it, as it says itself; "" where it says nothing.
        is_outlived: whether a task of Spark logged it itself, and its executor went on with others.
    """

    file: str
    line: int
    error: Throwable
    thread: str | None = None
    level: str | None = None
    logger: str | None = None
    how: str = ""
    lived_on_s: float | None = None
    dump: str = ""
    line_of_file: int = 0
    is_outlived: bool = False

    @property
    def survived(self) -> bool:
        """Whether it was caught, logged as no error, and the task went on for a while.

        ``Task.TaskReporter`` logs an error of its own thread at INFO and tries again. A log that
        breaks off there may be of a task that died of it; a part of a log, as people copy it, says
        nothing by where it ends.
        """
        if self.is_outlived:
            return True
        caught = self.level in _CAUGHT and "Last retry, killing" not in self.how
        is_whole = log_order(self.file)[0] < len(LOG_NAMES)
        if caught and not is_whole and self.how.startswith(_TRIED_AGAIN):
            return True
        return caught and (self.lived_on_s or 0) >= _LIVED_ON_S

    @property
    def is_of_a_server(self) -> bool:
        """Whether its frames, or the thread or logger that wrote it, are of a server of a cluster.

        Then no attempt that its text names besides is the one that met it.
        """
        frames = (f"{one.class_name}.{one.method}" for one in self.error.stack)
        return (
            server_in("\n".join((self.thread or "", f"{self.logger}: {self.how}", *frames)))
            is not None
        )

    @property
    def is_uncaught(self) -> bool:
        """Whether the task's main method or the JVM reports it: nothing had caught it."""
        told = (
            "Error running child",
            "Exception running child",
            "Exception in thread",
            "fatalError(attempt_",  # TaskUmbilicalProtocol, in a log of the calls of a server
            " threw an Error.  Shutting down",  # YarnUncaughtExceptionHandler
            "Error starting MRAppMaster",  # MRAppMaster.main
        )
        return any(each in self.how for each in told) or self._is_of_diagnostics

    @property
    def _is_of_diagnostics(self) -> bool:
        """Whether it is what `TaskAttemptListenerImpl` makes of what reached a task's main method.

        The same stack without `Error: ` may be of an error that the job's code caught and logged.
        `TaskRunner` of Hadoop 1 makes an error of its own of the exit of a task.
        """
        if self.error.first_line == _CHILD_ERROR:
            return True
        frames = "\n".join(
            f"{one.class_name}.{one.method}"
            for each in (self.error, *self.error.causes)
            for one in each.stack
        )
        return self.level is None and self.how.strip() == "Error:" and names_a_task(frames)


@dataclass(frozen=True, slots=True)
class JvmWord:
    """A line in which the JVM or the task's main method reports the end of the process."""

    kind: str
    file: str
    line: int
    text: str
    thread: str | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """What one log says.

    Attributes:
        split_line: the framework's "Processing split" line.
        done: the attempt that its last such line says came to its end well.
        ended: whether an error ended the task, or the next one in the same JVM, after that.
        of_hadoop: whether Hadoop's logger wrote it, whatever its name.
        collections: that it tells of.
        left_out: how many of its lines with a hit were not read.
        crash: what the JVM says of its own end for lack of native memory.
        dumped: frames of the main thread in its newest thread dump, which an application master
            asks for before it ends a task that makes no progress (2.8 and later).
        tells_of_others: whether it tells of collections, and not of which process.
        refused: by what words a JVM did not start; "" where none says so.
    """

    file: str
    errors: tuple[LoggedError, ...] = ()
    words: tuple[JvmWord, ...] = ()
    split_line: str | None = None
    sort_mb: int | None = None
    no_memory: tuple[str, ...] = ()
    done: str | None = None
    ended: bool = False
    of_hadoop: bool = False
    collections: tuple[Collection, ...] = ()
    left_out: int = 0
    crash: CrashReport | None = None
    dumped: tuple[CodeSite, ...] = ()
    tells_of_others: bool = False
    refused: str = ""

    def of_a_good_end(self) -> Log:
        """What of it still counts where another log says that the attempt came to its end well.

        Errors that were caught are a note at most if they are of memory; of the collections the
        one that left most and the last one say how full the heap was.
        """
        if not (self.errors or self.collections):
            return self
        majors = [each for each in self.collections if each.major]
        most = max(majors, key=lambda each: each.used_after, default=None)
        kept = (most, self.collections[-1] if self.collections else None)
        return replace(
            self,
            errors=tuple(
                each
                for each in self.errors
                if each.is_uncaught or out_of_memory_in(each.error) is not None
            ),
            collections=tuple({id(each): each for each in kept if each is not None}.values()),
        )


@dataclass(frozen=True, slots=True)
class Logs:
    """The contents of the logs of an attempt, syslog first.

    Attributes:
        split_line: the framework's "Processing split" line.
        sort_mb: the size of the sort buffer as the map task logs it, in Hadoop 1 before it is
            allocated; None where it does not.
        no_memory: words at the end of standard error that say that a program got no memory.
        done: the attempt that the log says came to its end well, None where it does not.
        crash: what the JVM says of its own end for lack of native memory; that which says most.
        dumped: frames of the main thread in a thread dump; the newest.
        tells_of_others: whether beside them there are collections of nobody knows which process.
        refused: by what words a JVM did not start; "" where none says so.
    """

    files: tuple[str, ...] = ()
    errors: tuple[LoggedError, ...] = ()
    words: tuple[JvmWord, ...] = ()
    split_line: str | None = None
    no_memory: tuple[str, ...] = ()
    sort_mb: int | None = None
    done: str | None = None
    crash: CrashReport | None = None
    dumped: tuple[CodeSite, ...] = ()
    tells_of_others: bool = False
    refused: str = ""

    @property
    def survived(self) -> tuple[LoggedError, ...]:
        """OutOfMemoryErrors that were caught, and that the task outlived."""
        return tuple(
            each
            for each in self.errors
            if out_of_memory_in(each.error) is not None
            and (
                each.survived
                or (self.done is not None and each.level in _CAUGHT)
                or self._ended_by_another(each)
            )
        )

    def _ended_by_another(self, caught: LoggedError) -> bool:
        """Whether the task went on after a caught error, and ended by one that is none of memory.

        A thread of Streaming or Pipes catches what it meets, and the task fails of that later.
        """
        frames = (one.class_name for each in (caught.error, *caught.error.causes)
                  for one in each.stack)  # fmt: skip
        if caught.level not in _CAUGHT or pipe_on_stack(frames) is not None:
            return False
        ends = [each for each in self.errors if each.is_uncaught]
        return bool(ends) and all(
            out_of_memory_in(each.error) is None
            and each.file == caught.file
            and each.line > caught.line
            for each in ends
        )

    def word(self, kind: str) -> JvmWord | None:
        """The first message of this kind; None if there is none."""
        return next((each for each in self.words if each.kind == kind), None)


def read_log(file: str, excerpt: Excerpt) -> Log:
    """What one log says, by what of it is worth reading."""
    errors: list[LoggedError] = []
    words: list[JvmWord] = []
    split_line: str | None = None
    sort_mb: int | None = None
    done: str | None = None
    ended = False
    dumped: tuple[CodeSite, ...] = ()
    collections: list[Collection] = []
    last_s: float | None = None
    for first, lines in excerpt.parts:
        text = "\n".join(lines)
        if any(sign in text for sign in _SIGNS):
            if last_s is None:
                last_s = next(
                    (at for line in reversed(excerpt.tail) if (at := _time_s(line))), None
                )
            errors += (
                replace(one, line_of_file=excerpt.of_file(one.line))
                for one in _errors(file, lines, first, last_s)
            )
        words += (
            replace(one, line=excerpt.of_file(one.line)) for one in _words(file, lines, text, first)
        )
        if split_line is None and "Processing split: " in text:
            split_line = next(line for line in lines if "Processing split: " in line)
        if "Task '" in text or "Error running child" in text:
            done, ended = _done(lines, done, ended=ended)
        if '"main" ' in text:
            dumped = _dumped(lines) or dumped
        if sort_mb is None and "sort.mb" in text:
            sort_mb = next((int(it[1]) for x in lines if (it := _SORT_MB.search(x))), None)
        collections += parse_gc_log(text)
    return Log(
        file=file,
        errors=tuple(_with_outlived(errors, excerpt)),
        words=tuple(words),
        split_line=split_line,
        sort_mb=sort_mb,
        no_memory=tuple(_no_memory(excerpt.tail)) if file in {"stderr", END_OF_STDERR} else (),
        done=done,
        ended=ended,
        of_hadoop=file.startswith("syslog")
        or any(_LOG_LINE.match(line) for line in excerpt.all_lines()),
        collections=tuple(collections),
        left_out=excerpt.left_out,
        crash=parse_crash_report(excerpt.all_lines())
        if any(one.kind in {"native", "crash"} for one in words)
        else None,
        dumped=dumped,
        refused=refused_in([line for _, lines in excerpt.parts for line in lines]),
    )


# what reaches the main method of a task of Spark is logged by Executor, or where it is not caught;
# of its driver's loggers TaskSetManager tells of tasks elsewhere
_BY_A_TASK_ITSELF: Final = re.compile(
    r"\d\d:\d\d:\d\d\S* (?:ERROR|WARN|INFO) (?!org\.apache\.)(?!(?:\S*\.)?(?:Executor|"
    r"SparkUncaughtExceptionHandler|Task(?:Set|Scheduler|Context|Memory)\w*|Utils|\w*Backend|"
    r"\w*Scheduler\w*|FileFormatWriter|Transport\w+|BlockManager\w*|Shuffle\w*|Netty\w+|"
    r"\w*SparkContext|\w*Listener\w*)\b)[\w.$]+: \S"
)
_OF_A_TASK_OF_SPARK: Final = re.compile(
    r" (?:\S*\.)?Executor: (Running|Finished|Exception in) task [^(]{0,60}\(TID (\d{1,19})\)"
)


def _with_outlived(errors: Sequence[LoggedError], excerpt: Excerpt) -> Iterator[LoggedError]:
    """The errors, those marked that an executor of Spark outlived.

    It went on with tasks, none failed, and each that is seen to begin before the error has ended.
    """
    own = [one for one in errors if _BY_A_TASK_ITSELF.search(one.how) is not None]
    if not own:
        yield from errors
        return
    told = [
        (number, found[1], found[2])
        for number, line in excerpt.numbered()
        if (found := _OF_A_TASK_OF_SPARK.search(line)) is not None
    ]
    done = {tid for _, what, tid in told if what == "Finished"}
    for one in errors:
        begun = {tid for at, what, tid in told if what == "Running" and at < one.line}
        after = {what for at, what, _ in told if at > one.line}
        went_on = "Finished" in after and "Exception in" not in after and begun <= done
        yield replace(one, is_outlived=True) if one in own and went_on else one


def joined_logs(logs: Sequence[Log]) -> Logs:
    """The logs of an attempt, that of the framework first, as one."""
    done: str | None = None
    for each in logs:
        done = each.done or (None if each.ended else done)
    return Logs(
        files=tuple(each.file for each in logs),
        errors=tuple(error for each in logs for error in each.errors),
        words=tuple(word for each in logs for word in each.words),
        split_line=next((each.split_line for each in logs if each.split_line), None),
        no_memory=tuple(word for each in logs for word in each.no_memory),
        sort_mb=next((each.sort_mb for each in logs if each.sort_mb is not None), None),
        done=done,
        crash=next((each.crash for each in logs if each.crash and each.crash.machine_bytes), None)
        or next((each.crash for each in logs if each.crash), None),
        dumped=next((each.dumped for each in logs if each.dumped), ()),
        tells_of_others=any(each.tells_of_others for each in logs),
        refused=next((each.refused for each in logs if each.refused), ""),
    )


def log_order(name: str) -> tuple[int, int, str]:
    """What the logs of a container are sorted by: as `LOG_NAMES`, and as they were written."""
    rolled = _ROLLED.fullmatch(name)
    if rolled is not None:
        return 0, -int(rolled[1]), name
    if name in LOG_NAMES:
        return LOG_NAMES.index(name), 0, name
    return (0 if name.startswith("syslog") else len(LOG_NAMES)), 0, name


def _done(lines: Sequence[str], done: str | None, *, ended: bool) -> tuple[str | None, bool]:
    """The attempt that the log says is done; None where an error ended what came after it."""
    for line in lines:
        if "Task '" in line and (found := _DONE.search(line)) is not None:
            done, ended = found[1], False
        elif "Error running child" in line:
            # of another task in the same JVM (mapred.job.reuse.jvm.num.tasks)
            done, ended = None, True
    return done, ended


# a frame, a monitor, or what somebody left out between them
_OF_A_THREAD: Final = re.compile(r"at |- |\[[^\]]{1,60}\]$|\.\.\.")


def _dumped(lines: Sequence[str]) -> tuple[CodeSite, ...]:
    """The frames of the main thread in the last thread dump (``Thread::print_on``)."""
    frames: list[CodeSite] = []
    for at, line in enumerate(lines):
        if line.startswith('"main" ') and any("State:" in each for each in lines[at + 1 : at + 2]):
            below = (one.strip() for one in lines[at + 2 :])
            of_thread = takewhile(_OF_A_THREAD.match, below)
            frames = [frame for one in of_thread if (frame := parse_frame(one)) is not None]
    return tuple(frames)


def _time_s(line: str) -> float | None:
    """When a log line was written, in seconds since a fixed moment; None where it says none."""
    match = _LOG_LINE.match(line)
    if match is None:
        return None
    text = match["time"].replace(",", ".").replace(" ", "T")
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _errors(file: str, lines: Sequence[str], first: int, last_s: float | None) -> list[LoggedError]:
    found = []
    errors = dict(parse_throwables(lines))
    for number, line in enumerate(lines):  # an excerpt may end at the line that says it
        ended = _ENDED_A_TASK in line or _IN_THREAD.match(line) is not None
        if ended and number not in errors and (headed := heading_error(line)) is not None:
            errors[number] = headed
    for number, error in sorted(errors.items()):
        line = lines[number]
        log = _LOG_LINE.match(line)
        uncaught = _IN_THREAD.match(line)
        context = log or _log_line_before(lines, number)
        above = lines[number - 1] if number else ""
        at = line.find(error.class_name)
        at_s = _time_s(context.string) if context is not None else None
        found.append(
            LoggedError(
                file=file,
                line=number + first,
                error=error,
                thread=uncaught["thread"] if uncaught else (context["thread"] if context else None),
                level=context["level"] if context and not uncaught else None,
                logger=context["logger"] if context and not uncaught else None,
                how=_how(line[: max(at, 0)], log, context, above).split(error.class_name)[0],
                lived_on_s=last_s - at_s if last_s is not None and at_s is not None else None,
                dump=_dump_below(lines[number + 1 : number + 3]),
            )
        )
    return found


def _dump_below(lines: Sequence[str]) -> str:
    """The heap dump that HotSpot writes where it throws (``HeapDumper::dump_heap_from_oome``).

    What it names and could not write (``Unable to create``, ``Dump file is incomplete``) is none.
    """
    named = _DUMPING.match(lines[0]) if lines else None
    is_lost = len(lines) > 1 and lines[1].startswith(_NO_DUMP)
    return "" if named is None or is_lost else named[1]


def _how(before: str, log: re.Match[str] | None, context: re.Match[str] | None, above: str) -> str:
    """The words before an error: a logger may write it on the line after its message."""
    if log is not None:
        return str(log["message"])
    if before or context is None:  # another logger's line may have the form of any
        is_line = not before and not above[:1].isspace() and len(above) <= _MOST_OF_A_LINE
        return above if is_line else before
    return str(context["message"])


def _log_line_before(lines: Sequence[str], number: int) -> re.Match[str] | None:
    """The log line just above an error that has no log prefix of its own."""
    for back in range(number - 1, max(number - 3, -1), -1):
        match = _LOG_LINE.match(lines[back])
        if match is not None:
            return match
        if lines[back].startswith("\t"):
            return None
    return None


def _no_memory(lines: Sequence[str]) -> list[str]:
    """Of the end alone: a program may go on for hours after one that it could do without."""
    return no_memory_in(lines[-_LAST_LINES:])


def no_memory_in(lines: Sequence[str]) -> list[str]:
    """The words in some lines by which programs say that they got no memory."""
    likely = [line for line in lines if "emory" in line or "alloc" in line]
    return [
        word
        for word, pattern in OUT_OF_MEMORY_WORDS
        if any(pattern.search(line) for line in likely)
    ]


def refused_in(lines: Sequence[str]) -> str:
    """The words by which a JVM did not start: the first line of them; "" without.

    >>> refused_in(["Too small initial heap", "Error: Could not create the Java Virtual Machine."])
    'Too small initial heap'
    """
    likely = (line for line in lines if any(word in line for word in _REFUSES))
    found = next((it for line in likely if (it := _REFUSED.match(line)) is not None), None)
    return "" if found is None else " ".join(found.string[found.start("said") :].split())


def _words(file: str, lines: Sequence[str], text: str, first: int) -> list[JvmWord]:
    # most logs hold none of the words, and ten expressions a line would take most of the time
    likely = [(kind, pattern) for kind, words, pattern in _JVM_MESSAGES if words in text]
    found = []
    for number, line in enumerate(lines if likely else (), start=first):
        for kind, pattern in likely:
            if pattern.search(line):
                log = _LOG_LINE.match(line)
                in_handler = _THREAD_IN_HANDLER.search(line)
                thread = in_handler[1] if in_handler else (log["thread"] if log else None)
                found.append(JvmWord(kind, file, number, line.strip(), thread))
                break
    return found
