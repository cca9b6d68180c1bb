"""The same deaths in the shapes in which browsers, terminals and log collectors give them."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest
from builders.container_logs import dead, found

from mprof.report import render_findings

_JOB = "1700000000000_0042"
_CONTAINER = f"container_{_JOB}_01_000003"
_FIRST, _SECOND = f"attempt_{_JOB}_r_000002_0", f"attempt_{_JOB}_r_000002_1"
_HEAP = "java.lang.OutOfMemoryError: Java heap space"
_FRAMES = (
    "com.acme.Join.map(Join.java:42)",
    "org.apache.hadoop.mapred.MapTask.run(MapTask.java:9)",
)
_KILL = (
    f"Container [pid=4711,containerID={_CONTAINER}] is running beyond physical memory limits. "
    "Current usage: 1.0 GB of 1 GB physical memory used; 2.7 GB of 2.1 GB virtual memory used. "
    "Killing container."
)
_SYSLOG = (
    f"2024-03-01 10:02:01,424 ERROR [main] org.apache.hadoop.mapred.YarnChild: Error running child"
    f" : {_HEAP}\n" + "".join(f"\tat {one}\n" for one in _FRAMES)
)


def _report(path: Path) -> str:
    return " ".join(render_findings(found(path)).split())


def test_the_rows_of_a_saved_page_are_attempts(tmp_path: Path) -> None:
    path = tmp_path / "attempts.html"
    rows = ((_FIRST, "Error: Java heap space&nbsp;"), (_SECOND, _KILL))
    path.write_text(
        "<!DOCTYPE html><html><body><table>"
        + "".join(
            f"<tr><td>{one}</td><td>FAILED</td><td>w3:8042</td><td>{note}</td></tr>"
            for one, note in rows
        )
        + "</table></body></html>"
    )

    # each with its own end, the second joined with its container
    assert dead(found(path)) == {_FIRST: "heap", _CONTAINER: "container-physical"}
    assert _SECOND in _report(path)


def test_the_rows_that_a_page_of_the_history_server_has_in_a_script_are_attempts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "attempts.html"
    rows = ",\n".join(
        f'["{one}","FAILED","","/default-rack/w3","","Error: Java heap space"]'
        for one in (_FIRST, _SECOND)
    )
    path.write_text(
        f"<html><head><script>var attemptsTableData=[\n{rows}\n]</script></head><body></body>"
        "</html>"
    )

    assert dead(found(path)) == {_FIRST: "heap", _SECOND: "heap"}


def test_a_page_with_the_log_of_a_container_is_of_that_container(tmp_path: Path) -> None:
    path = tmp_path / "log.html"
    path.write_text(
        f"<html><head><title>Logs for {_CONTAINER}</title></head><body><pre>"
        f"{html.escape(_SYSLOG)}</pre></body></html>"
    )

    assert dead(found(path)) == {_CONTAINER: "heap"}


@pytest.mark.parametrize("width", [72, 80, 100, 132])
def test_lines_that_a_terminal_cut_at_its_width_are_read_whole(width: int, tmp_path: Path) -> None:
    lines = (
        "ann@edge:~$ hadoop jar join.jar com.acme.Join /in /out",
        f"24/03/01 10:02:03 INFO mapreduce.Job: Task Id : {_FIRST}, Status : FAILED",
        _KILL,
        (
            f"24/03/01 10:03:03 INFO mapreduce.Job: Job job_{_JOB} failed with state FAILED due "
            f"to: Task failed task_{_JOB}_r_000002"
        ),
    )
    path = tmp_path / "console.txt"
    path.write_text(
        "\n".join(line[at : at + width] for line in lines for at in range(0, len(line), width))
    )

    assert dead(found(path)) == {_CONTAINER: "container-physical"}


def test_lines_of_one_length_are_not_joined(tmp_path: Path) -> None:
    path = tmp_path / "console.txt"
    attempts = [f"attempt_{_JOB}_m_00000{number}_0" for number in range(4)]
    path.write_text(
        "".join(
            f"24/03/01 10:02:03 INFO mapreduce.Job: Task Id : {one}, Status : FAILED\n"
            "Error: Java heap space\n"
            for one in attempts
        )
    )

    assert dead(found(path)) == dict.fromkeys(attempts, "heap")


RECORDS = {
    # org.apache.logging.log4j.core.layout.JsonLayout, with the stack as a text and as objects
    "Log4j 2": {
        "instant": {"epochSecond": 1709287321},
        "thread": "main",
        "level": "FATAL",
        "loggerName": "org.apache.hadoop.mapred.YarnChild",
        "message": f"Error running child : {_HEAP}",
        "thrown": {
            "name": "java.lang.OutOfMemoryError",
            "message": "Java heap space",
            "extendedStackTrace": "\n\tat ".join((_HEAP, *_FRAMES)),
        },
    },
    "Log4j 2, of objects": {
        "thread": "main",
        "level": "FATAL",
        "loggerName": "org.apache.hadoop.mapred.YarnChild",
        "message": "Error running child",
        "thrown": {
            "name": "java.lang.OutOfMemoryError",
            "message": "Java heap space",
            "extendedStackTrace": [
                {"class": "com.acme.Join", "method": "map", "file": "Join.java", "line": 42},
                {
                    "class": "org.apache.hadoop.mapred.MapTask",
                    "method": "run",
                    "file": "MapTask.java",
                    "line": 9,
                },
            ],
        },
    },
    # net.logstash.logback.encoder.LogstashEncoder
    "Logstash": {
        "@timestamp": "2024-03-01T10:02:01.424Z",
        "level": "ERROR",
        "thread_name": "main",
        "logger_name": "org.apache.hadoop.mapred.YarnChild",
        "message": f"Error running child : {_HEAP}",
        "stack_trace": "\n\tat ".join((_HEAP, *_FRAMES)),
    },
}


@pytest.mark.parametrize("writer", RECORDS)
def test_the_stack_of_a_log_in_objects_is_read(writer: str, tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(RECORDS[writer]) + "\n")

    findings = found(path)

    death = findings.told[0].diagnosed.evidence.death
    assert death.kind == "heap"
    assert [f"{one.class_name}.{one.method}" for one in death.stack] == [
        "com.acme.Join.map",
        "org.apache.hadoop.mapred.MapTask.run",
    ]


def test_what_the_kernel_killed_is_told_with_what_had_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "dmesg.txt"
    path.write_text(
        "[123456.790] Memory cgroup out of memory: Killed process 4711 (java) total-vm:4567890kB, "
        "anon-rss:1048576kB, file-rss:0kB, shmem-rss:0kB\n"
        "[123499.790] Out of memory: Kill process 4712 (python) score 900 or sacrifice child\n"
    )

    report = _report(path)

    assert "process 4711 (java), which held 1.0 GB, because its control group" in report
    assert "process 4712 (python), because the machine had no memory left" in report


@pytest.mark.parametrize(
    ("text", "said", "unsaid"),
    [
        (
            "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code: 137\n",
            ("Kubernetes killed the container", "kubectl describe pod"),
            ("NodeManager", "The task"),
        ),
        (
            (
                "24/03/01 10:00:08 ERROR TaskSchedulerImpl: Lost executor 1 on 10.0.0.1:\n"
                "The executor with id 1 exited with exit code 137.\n"
                "state=ContainerState(terminated=ContainerStateTerminated(exitCode=137, "
                "reason=OOMKilled, signal=null))\n"
            ),
            ("An executor of Spark was killed", "spark.executor.memoryOverhead", "OOMKilled"),
            ("nothing points to memory", "NodeManager"),
        ),
    ],
    ids=["kubectl", "Spark"],
)
def test_a_pod_that_reached_its_limit_was_killed_for_memory(
    text: str, said: tuple[str, ...], unsaid: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "pod.txt"
    path.write_text(text)

    report = _report(path)

    assert [one for one in said if one not in report] == []
    assert [one for one in unsaid if one in report] == []
