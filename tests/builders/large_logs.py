"""Logs of any size as clusters leave them, made on the fly, with the deaths that are in them.

Each maker takes a size in bytes and gives `LargeLog`: pieces to be written to a file or read as
standard input, and which containers died, of what. What well-run tasks write is the bulk of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from builders.container_logs import APPLICATION, attempt, container, died_in_map, yarn_logs

__all__ = ["MAKERS", "LargeLog", "large_log"]

_DIRECTORY = "".join(
    f"{9000000 + number} {number % 40:4} -r-x------   1 yarn yarn {number * 977:9} Mar  1 10:00 "
    f"./mr/share/lib{number}.jar\n"
    for number in range(12)
)
_SCRIPT = "#!/bin/bash\n" + "".join(
    f'export VARIABLE_{number}="/data/{number}/yarn/local/usercache/appcache"\n'
    for number in range(40)
)
_JOIN_EVERY = 64  # pieces of a log are written this many lines at a time
_FETCHER = "org.apache.hadoop.mapreduce.task.reduce.Fetcher"


@dataclass
class LargeLog:
    """A large text; its deaths are complete once its pieces have been read."""

    name: str
    size: int
    pieces: Callable[[LargeLog], Iterator[str]]
    deaths: dict[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[bytes]:
        written = 0
        for piece in self.pieces(self):
            data = piece.encode()
            written += len(data)
            yield data
            if written >= self.size:
                return


def _time(number: int) -> str:
    seconds = number // 10
    return (
        f"2024-03-{1 + seconds // 86400 % 28:02} {seconds // 3600 % 24:02}:"
        f"{seconds // 60 % 60:02}:{seconds % 60:02},{number % 10}00"
    )


def _info(number: int) -> str:
    at = _time(number)
    kind = number % 4
    if kind == 0:
        return f"{at} INFO [main] org.apache.hadoop.mapred.MapTask: Spilling map output\n"
    if kind == 1:
        return (
            f"{at} INFO [main] org.apache.hadoop.mapred.MapTask: bufstart = {number}; bufend = "
            f"{number * 7 % 99999937}; bufvoid = 104857600\n"
        )
    if kind == 2:
        return (
            f"{at} INFO [fetcher#{number % 5}] {_FETCHER}: for url=13562/mapOutput?"
            f"job=job_{APPLICATION}&reduce=3&map={attempt('m', number % 5000)} sent hash and "
            "received reply\n"
        )
    return (
        f"{at} INFO [SpillThread] org.apache.hadoop.mapred.MapTask: Finished spill {number % 500}\n"
    )


def _well(number: int, lines: int) -> str:
    """The syslog of a map task that ended well."""
    name = attempt("m", number)
    first = (
        f"{_time(number)} INFO [main] org.apache.hadoop.mapred.MapTask: Processing split: "
        f"hdfs://nn/in/part-{number}:0+134217728\n"
    )
    last = (
        f"{_time(number + lines)} INFO [main] org.apache.hadoop.mapred.Task: Task '{name}' done.\n"
    )
    return "".join([first, *(_info(number + one) for one in range(lines)), last])


def _logs_of_many(log: LargeLog, lines: int, dies: int = 997) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        name = container(number)
        if number % dies == 5:
            log.deaths[name] = "heap"
            yield yarn_logs([(name, "syslog", died_in_map(line=40 + number % 3))])
        else:
            yield yarn_logs(
                [
                    (name, "directory.info", _DIRECTORY),
                    (name, "launch_container.sh", _SCRIPT),
                    (name, "stderr", ""),
                    (name, "stdout", ""),
                    (name, "syslog", _well(number, lines)),
                ]
            )


def _many_containers(log: LargeLog) -> Iterator[str]:
    return _logs_of_many(log, 200)


def _hundreds_of_containers(log: LargeLog) -> Iterator[str]:
    """Of 2 MB each, as the tasks of a job of an hour leave them."""
    return _logs_of_many(log, 16_000, dies=40)


def _short_containers(log: LargeLog) -> Iterator[str]:
    return _logs_of_many(log, 20)


def _one_syslog(log: LargeLog) -> Iterator[str]:
    """One task's log, which died in the end: the last piece is added by its size."""
    written = number = 0
    name = attempt("m", 3)
    log.deaths[name] = "heap"
    first = f"{_time(0)} INFO [main] org.apache.hadoop.mapred.Task: Task:{name} is doing well\n"
    yield first
    while written < log.size - (1 << 16):
        piece = "".join(_info(number + one) for one in range(_JOIN_EVERY))
        number += _JOIN_EVERY
        written += len(piece)
        yield piece
    yield died_in_map()
    yield "\n" * (1 << 17)


def _stacks(log: LargeLog) -> Iterator[str]:
    """Warnings with stacks, one after the other, and the death among them."""
    number = 0
    name = attempt("m", 3)
    log.deaths[name] = "heap"
    yield f"{_time(0)} INFO [main] org.apache.hadoop.mapred.Task: Task:{name} is doing well\n"
    while True:
        number += 1
        yield (
            f"{_time(number)} WARN [main] com.example.Parser: record {number} was skipped\n"
            'java.lang.NumberFormatException: For input string: ""\n'
            "\tat java.lang.Integer.parseInt(Integer.java:592)\n"
            "\tat java.lang.Integer.parseInt(Integer.java:615)\n"
            "\tat com.example.Parser.parse(Parser.java:88)\n"
            "\tat com.example.JoinMapper.map(JoinMapper.java:41)\n"
            "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:146)\n"
            "\tat org.apache.hadoop.mapred.MapTask.runNewMapper(MapTask.java:787)\n"
            "Caused by: java.lang.IllegalStateException: empty\n"
            "\tat com.example.Field.read(Field.java:12)\n"
            "\t... 6 more\n"
        )
        if number == 500:
            yield died_in_map()


def _long_lines(log: LargeLog) -> Iterator[str]:
    """Records printed as lines of up to 4 MB between ordinary ones."""
    number = 0
    name = attempt("m", 3)
    log.deaths[name] = "heap"
    yield f"{_time(0)} INFO [main] org.apache.hadoop.mapred.Task: Task:{name} is doing well\n"
    while True:
        number += 1
        width = (200, 5_000, 70_000, 1_000_000, 4_000_000)[number % 5]
        yield f"{_time(number)} INFO [main] com.example.Printer: {'k=v, ' * (width // 5)}\n"
        if number == 2:
            yield died_in_map()


def _gc_log(log: LargeLog) -> Iterator[str]:
    """A container whose standard output is its collections' log, as -Xlog:gc writes it."""
    name = container(1)
    log.deaths[name] = "heap"
    yield yarn_logs([(name, "syslog", died_in_map())])
    yield f"Container: {name} on w2_45454\n====\nLogType:stdout\nLogLength:1\nLog Contents:\n"
    number = 0
    while True:
        number += 1
        if number % 3:
            yield (
                f"[{number / 10:.3f}s][info][gc] GC({number}) Pause Young (Normal) "
                f"(G1 Evacuation Pause) 700M->{100 + number % 500}M(1024M) 12.{number % 1000:03}"
                "ms\n"
            )
        else:
            yield (
                f"{number / 10:.3f}: [GC (Allocation Failure) [PSYoungGen: 279K->0K(305K)] "
                f"69{number % 1000:03}K->6{number % 1000:03}K(1005056K), 0.0123 secs] "
                "[Times: user=0.01 sys=0.00, real=0.01 secs]\n"
            )


def _node(log: LargeLog) -> Iterator[str]:
    """A NodeManager's log, whose monitor writes a line for each container every 3 seconds."""
    number = started = 0
    logger = "org.apache.hadoop.yarn.server.nodemanager.containermanager"
    while True:
        number += 1
        name = container(1 + number // 400)
        yield (
            f"{_time(number)} INFO {logger}.monitor.ContainersMonitorImpl: Memory usage of "
            f"ProcessTree {number % 32000} for container-id {name}: {200 + number % 700} MB of "
            "1 GB physical memory used; 1.9 GB of 2.1 GB virtual memory used\n"
        )
        if number % 400 == 1:
            started += 1
            yield (
                f"{_time(number)} INFO {logger}.container.ContainerImpl: Container {name} "
                "transitioned from LOCALIZED to RUNNING\n"
            )
        if number % 400 == 399:
            end = "EXITED_WITH_SUCCESS"
            if started % 97 == 5:
                log.deaths[name], end = "container-physical", "KILLING"
                yield _kill(number, name, logger)
            yield (
                f"{_time(number)} INFO {logger}.container.ContainerImpl: Container {name} "
                f"transitioned from RUNNING to {end}\n"
            )


def _kill(number: int, name: str, logger: str) -> str:
    return (
        f"{_time(number)} WARN {logger}.monitor.ContainersMonitorImpl: Container "
        f"[pid=4242,containerID={name}] is running beyond physical memory limits. Current usage: "
        "1.0 GB of 1 GB physical memory used; 2.5 GB of 2.1 GB virtual memory used. Killing "
        f"container.\nDump of the process-tree for {name} :\n"
        "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
        "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
        "\t|- 4242 4240 4242 4242 (bash) 0 0 115834880 364 /bin/bash -c java -Xmx1024m "
        "org.apache.hadoop.mapred.YarnChild\n"
        "\t|- 4250 4242 4242 4242 (java) 900 50 2567561216 262144 java -Xmx1024m "
        "org.apache.hadoop.mapred.YarnChild 10.0.0.5 40001 "
        f"{attempt('m', int(name.rsplit('_', 1)[1]))} 5\n\n"
    )


def _master(log: LargeLog) -> Iterator[str]:
    """An application master's log: an assignment, transitions and progress for each attempt."""
    app = "org.apache.hadoop.mapreduce.v2.app"
    yield (
        f"{_time(0)} INFO [main] {app}.MRAppMaster: Created MRAppMaster for application "
        f"appattempt_{APPLICATION}_000001\n"
    )
    number = 0
    while True:
        number += 1
        one, task = attempt("m", number), f"task_{APPLICATION}_m_{number:06}"
        name = container(number + 1)
        dies = number % 499 == 7
        yield (
            f"{_time(number)} INFO [RMCommunicator Allocator] {app}.rm.RMContainerAllocator: "
            f"Assigned container {name} to {one}\n"
            f"{_time(number)} INFO [AsyncDispatcher event handler] {app}.job.impl.TaskAttemptImpl: "
            f"{one} TaskAttempt Transitioned from UNASSIGNED to ASSIGNED\n"
            f"{_time(number)} INFO [AsyncDispatcher event handler] {app}.job.impl.TaskAttemptImpl: "
            f"TaskAttempt: [{one}] using containerId: [{name} on NM: [w7.example.com:45454]\n"
        )
        for step in range(20):
            yield (
                f"{_time(number)} INFO [IPC Server handler 3 on 40001] "
                f"org.apache.hadoop.mapred.TaskAttemptListenerImpl: Progress of TaskAttempt {one} "
                f"is : {step / 20}\n"
            )
        if dies:
            log.deaths[name] = "heap"
            yield (
                f"{_time(number)} FATAL [IPC Server handler 3 on 40001] "
                f"org.apache.hadoop.mapred.TaskAttemptListenerImpl: Task: {one} - exited : "
                "java.lang.OutOfMemoryError: Java heap space\n"
                "\tat com.example.JoinMapper.map(JoinMapper.java:57)\n"
                "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:146)\n\n"
            )
        else:
            yield (
                f"{_time(number)} INFO [AsyncDispatcher event handler] {app}.job.impl."
                f"TaskAttemptImpl: Diagnostics report from {one}: Container killed by the "
                "ApplicationMaster.\nContainer killed on request. Exit code is 143\n"
                "Container exited with a non-zero exit code 143\n\n"
            )
        end = "FAILED" if dies else "SUCCEEDED"
        yield (
            f"{_time(number)} INFO [AsyncDispatcher event handler] {app}.job.impl.TaskAttemptImpl: "
            f"{one} TaskAttempt Transitioned from RUNNING to {end}\n"
            f"{_time(number)} INFO [AsyncDispatcher event handler] {app}.job.impl.TaskImpl: {task} "
            f"Task Transitioned from RUNNING to {'RUNNING' if dies else 'SUCCEEDED'}\n"
        )


def _console(log: LargeLog) -> Iterator[str]:
    """What jobs print as they run, with a failed attempt now and then."""
    number = 0
    while True:
        number += 1
        at = f"24/03/01 10:00:{number % 60:02}"
        yield f"{at} INFO mapreduce.Job:  map {number % 100}% reduce 0%\n"
        if number % 50_000 == 9:
            one = attempt("m", number)
            log.deaths[one] = "heap"
            yield (
                f"{at} INFO mapreduce.Job: Task Id : {one}, "
                "Status : FAILED\nError: java.lang.OutOfMemoryError: Java heap space\n"
                "\tat com.example.JoinMapper.map(JoinMapper.java:57)\n"
            )


MAKERS: dict[str, Callable[[LargeLog], Iterator[str]]] = {
    "hundreds of containers": _hundreds_of_containers,
    "many containers": _many_containers,
    "short containers": _short_containers,
    "one syslog": _one_syslog,
    "stacks": _stacks,
    "long lines": _long_lines,
    "collections": _gc_log,
    "NodeManager": _node,
    "application master": _master,
    "console": _console,
}
"""Kinds of large texts."""


def large_log(name: str, size: int) -> LargeLog:
    """A text of a kind and at least that size."""
    return LargeLog(name, size, MAKERS[name])
