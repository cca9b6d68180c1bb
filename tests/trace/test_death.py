"""Each kind of death, from each place that can tell it."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.attempts import EventWriter

from mprof.trace import Death, Trace, read_trace
from mprof.trace.death import VERIFY_MARKER

ATTEMPT = "attempt_1700000000000_0001_m_000003_0"
USER_STACK = [
    "com.example.WordMapper.map(WordMapper.java:18)",
    "com.example.WordMapper.map(WordMapper.java:8)",
    "org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:159)",
    "org.apache.hadoop.mapred.MapTask.runNewMapper(MapTask.java:800)",
]
GROWING = ["java.base/java.util.HashMap.resize(HashMap.java:700)", *USER_STACK]
TASK_END = "\n\tat ".join(["", *GROWING])

CONTAINER_2 = (
    "Container [pid=4711,containerID=container_1_0001_01_000002] is running beyond physical memory"
    " limits. Current usage: 1.0 GB of 1 GB physical memory used; 2.7 GB of 2.1 GB virtual memory"
    " used. Killing container.\nDump of the process-tree for container_1_0001_01_000002 :\n"
    "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS)"
    " VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
    "\t|- 4711 4710 4711 4711 (java) 910 80 2899102924 262100 /usr/bin/java -Dsecret=x YarnChild\n"
    "\t|- 4799 4711 4711 4711 (awk) 5 1 1024 20 awk {print}\n\n"
    "Container killed on request. Exit code is 143\n"
)
CONTAINER_3 = (
    "[2024-05-01 10:00:00.000]Container [pid=4711,containerID=container_e3_1_0001_01_000002] is"
    " running 12345678B beyond the '{limit}' memory limit. Current usage: 1.1 GB of 1 GB physical"
    " memory used; 2.7 GB of 2.1 GB virtual memory used. Killing container.\n"
    "[2024-05-01 10:00:00.010]Container killed on request. Exit code is 143\n"
)
CGROUP = (
    "Container container_1_0001_01_000002 is under oom because it exceeded its physical memory"
    " limit. Exit code is 137"
)


def _failure(message: str | None, stack: list[str], **more: object) -> EventWriter:
    text = {} if message is None else {"message": message}
    return EventWriter(ATTEMPT).add(
        "failure",
        class_="java.lang.OutOfMemoryError",
        thread="main",
        stack=stack,
        **text,
        **more,
    )


def _read(writer: EventWriter, tmp_path: Path, **files: str) -> Trace:
    return read_trace(writer.write(tmp_path, files=files), diagnostics=None)


def _from_logs(tmp_path: Path, diagnostics: str | None = None, **files: str) -> Death:
    folder = tmp_path / ATTEMPT
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    return read_trace(folder, diagnostics=diagnostics).death


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Java heap space", "heap"),
        ("Java heap space: failed reallocation of scalar replaced objects", "heap"),
        ("GC overhead limit exceeded", "gc-overhead"),
        ("Requested array size exceeds VM limit", "array-limit"),
        ("Metaspace", "metaspace"),
        ("Compressed class space", "metaspace"),
        ("PermGen space", "metaspace"),
        ("unable to create new native thread", "threads"),
        (
            (
                "unable to create native thread: possibly out of memory or process/resource limits"
                " reached"
            ),
            "threads",
        ),
    ],
)
def test_the_texts_of_the_vm_tell_the_kind(message: str, kind: str, tmp_path: Path) -> None:
    death = _read(_failure(message, GROWING), tmp_path).death

    assert death.kind == kind
    assert death.message == message
    assert death.thread == "main"
    assert death.place == "map"
    assert death.stack[0].method == "resize"
    assert (death.stack[1].file, death.stack[1].line) == ("WordMapper.java", 18)


@pytest.mark.parametrize(
    ("message", "top", "kind"),
    [
        (
            "Cannot reserve 1048576 bytes of direct buffer memory (allocated: 1, limit: 2)",
            "java.base/java.nio.Bits.reserveMemory(Bits.java:178)",
            "direct",
        ),
        ("Direct buffer memory", "java.nio.Bits.reserveMemory(Bits.java:694)", "direct"),
        (
            "Map failed",
            "java.base/sun.nio.ch.FileChannelImpl.map(F.java:1)",
            "native",
        ),
        (
            "Unable to allocate 1048576 bytes",
            "java.base/jdk.internal.misc.Unsafe.allocateMemory(Unsafe.java:632)",
            "native",
        ),
        (None, "sun.misc.Unsafe.allocateMemory(Native Method)", "native"),
        (
            "Required length exceeds implementation limit",
            "java.base/jdk.internal.util.ArraysSupport.hugeLength(ArraysSupport.java:649)",
            "array-limit",
        ),
        (None, "java.util.ArrayList.hugeCapacity(ArrayList.java:285)", "array-limit"),
        (
            "Overflow: String length out of range",
            "java.base/java.lang.StringConcatHelper.checkOverflow(StringConcatHelper.java:57)",
            "array-limit",
        ),
    ],
)
def test_errors_that_the_jdk_constructs_are_not_the_applications(
    message: str | None, top: str, kind: str, tmp_path: Path
) -> None:
    assert _read(_failure(message, [top, *USER_STACK]), tmp_path).death.kind == kind


@pytest.mark.parametrize("message", ["cache is full", None, "Direct buffer memory"])
def test_an_error_constructed_by_user_code_is_application_made(
    message: str | None, tmp_path: Path
) -> None:
    death = _read(_failure(message, USER_STACK), tmp_path).death

    assert death.kind == "application-made"
    assert death.stack[0].class_name == "com.example.WordMapper"


def test_the_cause_counts_and_its_own_stack_is_shown(tmp_path: Path) -> None:
    writer = EventWriter(ATTEMPT).add(
        "failure",
        class_="org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError",
        message="error in shuffle in fetcher#3",
        stack=["org.apache.hadoop.mapreduce.task.reduce.Shuffle.run(Shuffle.java:134)"],
        causes=[
            {
                "class": "java.lang.OutOfMemoryError",
                "message": "Java heap space",
                "stack": [
                    "org.apache.hadoop.io.BoundedByteArrayOutputStream.<init>(B.java:56)",
                    "org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>(I.java:64)",
                ],
            }
        ],
        place="shuffle",
    )

    death = _read(writer, tmp_path).death

    assert (death.kind, death.place) == ("heap", "shuffle")
    assert death.stack[0].class_name.endswith("BoundedByteArrayOutputStream")


HADOOPS_THREAD = {
    "class_": "java.lang.OutOfMemoryError",
    "message": "GC overhead limit exceeded",
    "thread": "Thread for syncLogs",
    "place": "other",
    "stack": ["org.apache.hadoop.mapred.TaskLog.syncLogs(TaskLog.java:246)"],
}


@pytest.mark.parametrize("first", ["the task's", "Hadoop's"])
def test_of_threads_that_die_in_the_same_moment_the_tasks_own_tells_the_death(
    first: str, tmp_path: Path
) -> None:
    writer = EventWriter(ATTEMPT)
    if first == "Hadoop's":
        writer.add("failure", **HADOOPS_THREAD)
    writer.add(
        "failure",
        class_="java.lang.OutOfMemoryError",
        message="Java heap space",
        thread="main",
        place="map",
        stack=GROWING,
        record={"ordinal": 41, "bytes": 300},
    )
    if first == "the task's":
        writer.add("failure", **HADOOPS_THREAD)

    trace = _read(writer, tmp_path)

    assert (trace.death.kind, trace.death.thread, trace.death.place) == ("heap", "main", "map")
    assert trace.failure is not None
    assert trace.failure.record is not None
    assert trace.failure.record.ordinal == 41


@pytest.mark.parametrize("place", ["combine", "map"])
def test_what_fails_while_the_task_is_closed_is_not_what_it_died_of(
    place: str, tmp_path: Path
) -> None:
    error = {"class_": "java.lang.OutOfMemoryError", "message": "Java heap space"}
    writer = EventWriter(ATTEMPT)
    writer.add("failure", **error, place=place, stack=GROWING, record={"ordinal": 7, "bytes": 52})
    writer.add("failure", **error, place=place, stack=GROWING, record={"ordinal": 9, "bytes": 61})
    writer.add("failure", **error, place="sort", stack=["org.apache.hadoop.mapred.X.y(X.java:1)"])

    trace = _read(writer, tmp_path)

    assert trace.death.place == place
    assert trace.failure is not None
    assert trace.failure.record is not None
    assert trace.failure.record.ordinal == 9


def test_an_error_of_memory_in_another_thread_says_more_than_the_tasks_own_of_another_kind(
    tmp_path: Path,
) -> None:
    writer = EventWriter(ATTEMPT).add("failure", **HADOOPS_THREAD)
    writer.add(
        "failure",
        class_="java.io.IOException",
        message="Stream closed",
        thread="main",
        place="map",
        stack=USER_STACK,
    )

    death = _read(writer, tmp_path).death

    assert (death.kind, death.thread) == ("gc-overhead", "Thread for syncLogs")


READER = {
    "class_": "java.io.IOException",
    "message": "Stream closed",
    "place": "map",
    "stack": ["java.io.BufferedInputStream.getBufIfOpen(BufferedInputStream.java:176)"],
}


def test_an_error_that_the_job_lived_on_with_is_not_the_failure_of_another_threads_death(
    tmp_path: Path,
) -> None:
    writer = EventWriter(ATTEMPT)
    writer.add("failure", **READER, thread="main", record={"ordinal": 6})
    writer.add("failure", **{**HADOOPS_THREAD, "thread": "pool-1"})

    trace = _read(writer, tmp_path)

    assert (trace.death.kind, trace.death.thread) == ("gc-overhead", "pool-1")
    assert trace.failure is None


def test_an_error_that_the_job_lived_on_with_is_not_the_failure_of_a_killed_container(
    tmp_path: Path,
) -> None:
    writer = EventWriter(ATTEMPT).add("failure", **READER, thread="main", record={"ordinal": 6})

    trace = read_trace(writer.write(tmp_path), diagnostics=CONTAINER_2)

    assert trace.death.kind == "container-physical"
    assert trace.failure is None


def test_an_input_closed_under_a_thread_that_still_reads_it_is_no_failure_of_memory(
    tmp_path: Path,
) -> None:
    writer = EventWriter(ATTEMPT).add(
        "failure",
        class_="java.lang.OutOfMemoryError",
        message="Java heap space",
        thread="Thread-5",
        place="map",
        stack=GROWING,
        record={"ordinal": 10},
    )
    writer.add("failure", **READER, thread="Thread-6", record={"ordinal": 11})

    trace = _read(writer, tmp_path)

    assert trace.failure is not None
    assert (trace.death.thread, trace.failure.thread) == ("Thread-5", "Thread-5")


def test_the_commit_is_the_work_of_the_task_though_it_is_none_of_its_steps(tmp_path: Path) -> None:
    error = {"class_": "java.lang.OutOfMemoryError", "message": "Java heap space"}
    writer = EventWriter(ATTEMPT).add("failure", **{**HADOOPS_THREAD, "thread": "pool-1"})
    writer.add("failure", **error, thread="main", place="other", stack=GROWING)

    trace = _read(writer, tmp_path)

    assert (trace.death.thread, trace.death.stack[0].method) == ("main", "resize")
    assert trace.failure is not None


def test_the_syslog_alone_tells_kind_thread_stack_and_place(tmp_path: Path) -> None:
    death = _from_logs(
        tmp_path,
        syslog="2024-05-01 10:00:00,000 INFO [main] org.apache.hadoop.mapred.MapTask: x\n"
        "2024-05-01 10:00:01,000 ERROR [main] org.apache.hadoop.mapred.YarnChild: "
        f"Error running child : java.lang.OutOfMemoryError: Java heap space{TASK_END}\n\n"
        "2024-05-01 10:00:02,000 INFO [main] org.apache.hadoop.metrics2.impl: stopped\n",
    )

    assert (death.kind, death.thread, death.place) == ("heap", "main", "map")
    assert death.evidence == "java.lang.OutOfMemoryError: Java heap space (syslog, line 2)"
    assert len(death.stack) == 5


def test_an_error_in_another_thread_halts_the_task_and_is_a_heap_death(tmp_path: Path) -> None:
    death = _from_logs(
        tmp_path,
        stderr="Exception: java.lang.OutOfMemoryError thrown from the UncaughtExceptionHandler in"
        ' thread "IPC Client (1) connection to /127.0.0.1:4"\n'
        "Halting due to Out Of Memory Error...\n",
    )

    assert death.kind == "heap"
    assert "Halting" in death.evidence


@pytest.mark.parametrize(
    ("stdout", "kind"),
    [
        ("Terminating due to java.lang.OutOfMemoryError: Java heap space\n", "heap"),
        ("Aborting due to java.lang.OutOfMemoryError: Metaspace\n", "metaspace"),
        (
            (
                "java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
                "Dumping heap to java_pid1.hprof ...\n"
            ),
            "gc-overhead",
        ),
        (
            (
                "# There is insufficient memory for the Java Runtime Environment to continue.\n"
                "# Native memory allocation (mmap) failed to map 65536 bytes. Error detail: x\n"
            ),
            "native",
        ),
        (
            (
                "[1.2s][warning][os,thread] Failed to start the native thread for java.lang.Thread"
                ' "t-9" pthread_create failed (EAGAIN) for attributes: stacksize: 1024k\n'
            ),
            "threads",
        ),
    ],
)
def test_lines_of_the_jvm_itself_tell_the_kind(stdout: str, kind: str, tmp_path: Path) -> None:
    assert _from_logs(tmp_path, stdout=stdout).kind == kind


@pytest.mark.parametrize(
    ("diagnostics", "kind"),
    [
        ("Error: Java heap space\n", "heap"),
        ("AttemptID:attempt_1_1_m_0_0 Info:Error: GC overhead limit exceeded", "gc-overhead"),
        ("Error: Metaspace", "metaspace"),
        (
            ("Error: org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle"
            " in fetcher#1\n\tat org.apache.hadoop.mapreduce.task.reduce.Shuffle.run(S.java:1)"
            "\nCaused by: java.lang.OutOfMemoryError: Java heap space\n\tat a.B.c(B.java:1)\n"),
            "heap",
        ),
        (
            ("Error: java.io.IOException: Spill failed\n\tat org.apache.hadoop.mapred.MapTask"
            "$MapOutputBuffer.checkSpillException(MapTask.java:1)\nCaused by: java.lang."
            "OutOfMemoryError: Java heap space\n\tat java.util.Arrays.copyOf(Arrays.java:1)\n"),
            "heap",
        ),
        (CONTAINER_2, "container-physical"),
        (CONTAINER_3.format(limit="PHYSICAL"), "container-physical"),
        (CONTAINER_3.format(limit="VIRTUAL"), "container-virtual"),
        (CGROUP, "container-physical"),
        (
            ("TaskTree [pid=9,tipID=attempt_2013_1_m_000000_0] is running beyond memory-limits."
            " Current usage : 1400bytes. Limit : 1000bytes. Killing task."),
            "container-virtual",
        ),
        ("Container exited with  exitCode: -104 and no more", "container-physical"),
        ("Error: java.lang.RuntimeException: no\n\tat a.B.c(B.java:1)\n", "not-memory"),
        ("Container killed on request. Exit code is 137\n", "not-memory"),
        ("Container killed by the ApplicationMaster.\nExit code is 143", "not-memory"),
        ("Task KILLED by user", "not-memory"),
        ("Error: com.example.MyOutOfMemoryException: Java heap space\n\tat a.B.c(B.java:1)",
         "not-memory"),
    ],
)  # fmt: skip
def test_the_clusters_diagnostics_alone_tell_the_kind(
    diagnostics: str, kind: str, tmp_path: Path
) -> None:
    assert _from_logs(tmp_path, diagnostics).kind == kind


def test_a_container_kill_keeps_the_figures_and_the_processes_but_no_command_line(
    tmp_path: Path,
) -> None:
    death = _from_logs(tmp_path, CONTAINER_2)

    assert death.container is not None
    assert death.container.physical_used_bytes == 1 << 30
    assert death.container.virtual_limit_bytes == round(2.1 * (1 << 30))
    assert death.container.exit_code == 143
    assert [each.program for each in death.container.processes] == ["java", "awk"]
    assert death.container.processes[0].resident_bytes == 262_100 * 4096
    assert "secret" not in repr(death)
    assert death.evidence.startswith("Container [pid=4711")


def test_another_failure_is_named_by_its_first_line(tmp_path: Path) -> None:
    writer = EventWriter(ATTEMPT).add(
        "failure",
        class_="java.lang.IllegalStateException",
        message="bad input\nsecond line",
        stack=USER_STACK,
        place="map",
    )

    death = _read(writer, tmp_path).death

    assert death.kind == "not-memory"
    assert death.evidence == "java.lang.IllegalStateException: bad input (event log)"


def test_a_warning_with_a_stack_is_not_the_death(tmp_path: Path) -> None:
    death = _from_logs(
        tmp_path,
        "Task KILLED by user",
        syslog="2024-05-01 10:00:01,000 WARN [main] org.apache.hadoop.Client: retry\n"
        "java.net.ConnectException: refused\n\tat a.B.c(B.java:1)\n",
    )

    assert (death.kind, death.message) == ("not-memory", "Task KILLED by user")


def test_an_attempt_that_succeeded_died_of_nothing_whatever_it_logged(tmp_path: Path) -> None:
    writer = _failure("Java heap space", GROWING).add("end", outcome="done")

    assert _read(writer, tmp_path).death.kind == "none"
    assert read_trace(tmp_path / ATTEMPT, diagnostics="", state="FAILED").death.kind == "heap"


def test_an_attempt_that_left_no_word_but_failed_is_no_memory_death(tmp_path: Path) -> None:
    folder = EventWriter(ATTEMPT).write(tmp_path, position={"phase": 3, "records_in": 1885})

    trace = read_trace(folder, diagnostics=None, state="FAILED")

    assert trace.death.kind == "not-memory"
    assert "nothing that was read says why" in trace.death.evidence
    assert trace.position is not None
    assert trace.position.records_in == 1885


def test_the_end_of_a_verify_attempt_is_no_failure_of_the_job(tmp_path: Path) -> None:
    writer = EventWriter(ATTEMPT, mode="verify").add(
        "failure", class_="java.lang.RuntimeException", message="mprof verify: done"
    )

    trace = read_trace(
        writer.write(tmp_path),
        diagnostics="Error: java.lang.RuntimeException: mprof verify: done\n\tat a.B.c(B.java:1)",
        state="FAILED",
    )

    assert trace.death.kind == "none"


def test_the_marker_of_a_verify_attempt_is_what_the_agent_throws() -> None:
    core = Path(__file__).resolve().parents[2] / "jvm-agent" / "core" / "src" / "main" / "java"
    source = core / "org" / "mprof" / "agent" / "MarkedFailure.java"

    assert f'String PREFIX = "{VERIFY_MARKER}";' in source.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "diagnostics",
    [
        "Task KILL is received. Killing attempt!",
        "Attmpt state missing from History : marked as KILLED",  # the history server's spelling
    ],
)
def test_an_attempt_that_the_application_master_killed_says_so(
    diagnostics: str, tmp_path: Path
) -> None:
    folder = EventWriter(ATTEMPT).write(tmp_path)

    trace = read_trace(folder, diagnostics=diagnostics)

    assert (trace.state, trace.death.kind) == ("KILLED", "not-memory")


def test_the_log_completes_a_stack_that_the_event_could_not_hold(tmp_path: Path) -> None:
    writer = _failure("Java heap space", [])
    syslog = (
        "2024-05-01 10:00:01,000 ERROR [main] org.apache.hadoop.mapred.YarnChild: "
        f"Error running child : java.lang.OutOfMemoryError: Java heap space{TASK_END}\n"
    )

    death = read_trace(writer.write(tmp_path, files={"syslog": syslog})).death

    assert (death.kind, death.place) == ("heap", "map")
    assert death.stack[0].method == "resize"
