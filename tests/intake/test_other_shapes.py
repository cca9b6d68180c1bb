"""The same deaths in the shapes in which browsers, terminals and log collectors give them."""

from __future__ import annotations

import html
import json
from email.message import EmailMessage
from pathlib import Path
from typing import Final

import pytest
from builders.container_logs import dead, died_in_map, found

from mprof.report import render_findings
from mprof.trace.unwrapping import Unwrapping

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


def _told(path: Path) -> tuple[list[str], str]:
    """The kinds of death that are told of a place, and the report in one line."""
    findings = found(path)
    kinds = [one.diagnosed.evidence.death.kind for one in findings.told]
    return [kind for kind in kinds if kind != "none"], _report(path)


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


_SHUFFLE: Final = (
    "2011-03-24 15:24:03,377 FATAL org.apache.hadoop.mapred.TaskRunner: "
    "attempt_201103221544_0042_r_000003_0 : Map output copy failure : java.lang.OutOfMemoryError: "
    "Java heap space\n"
    "\tat org.apache.hadoop.mapred.ReduceTask$ReduceCopier$MapOutputCopier.shuffleInMemory"
    "(ReduceTask.java:1508)\n"
    "\tat org.apache.hadoop.mapred.ReduceTask$ReduceCopier$MapOutputCopier.run"
    "(ReduceTask.java:1195)\n"
)
_CONSOLE: Final = (
    "11/03/24 15:24:12 INFO mapred.JobClient: Task Id : attempt_201103221544_0042_r_000003_0, "
    "Status : FAILED\nError: java.lang.OutOfMemoryError: Java heap space\n"
)


def test_a_mail_as_it_is_kept_is_read_as_it_was_written(tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "a@example.com", "reducers die"
    mail.set_content(f"Hello,\n\n{_SHUFFLE}\n{_CONSOLE}", cte="quoted-printable")
    (tmp_path / "mail.eml").write_bytes(mail.as_bytes())

    kinds, report = _told(tmp_path)

    assert b"=\n" in mail.as_bytes()
    assert kinds == ["heap"]
    assert "Attempt attempt_201103221544_0042_r_000003_0 of job job_201103221544_0042" in report
    assert "in the shuffle" in report


def test_a_part_of_a_mail_that_is_plain_stays_as_it_is(tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["From"] = "a@example.com"
    mail.set_content(f"I run it with -Dmapreduce.reduce.memory.mb=2048.\n\n{_SHUFFLE}", cte="7bit")
    mail.add_alternative("<p>wide = 1 = 2</p>\n", subtype="html", cte="quoted-printable")
    (tmp_path / "mail.eml").write_bytes(mail.as_bytes())

    text = Unwrapping().of(mail.as_bytes())

    assert b"memory.mb=2048." in text
    assert b"wide = 1 = 2" in text
    assert b"wide =3D 1" in mail.as_bytes()


def test_statuses_of_one_width_are_no_lines_that_were_cut(tmp_path: Path) -> None:
    said = (
        "12/05/01 10:0{0}:00 INFO mapred.JobClient: Task Id : "
        "attempt_201205011000_0001_m_000000_{0}, Status : FAILED\nToo many fetch-failures\n"
    )
    (tmp_path / "console").write_text("".join(said.format(one) for one in range(4)))

    _, report = _told(tmp_path)

    assert "4 FAILURES, ALIKE" in report
    assert "FAILEDToo" not in report


@pytest.mark.parametrize("width", [61, 80, 81, 132])
def test_logs_that_a_page_has_cut_at_its_width_are_whole(width: int, tmp_path: Path) -> None:
    whole = (
        "2015-03-30 08:18:55,201 INFO [main] org.apache.hadoop.mapreduce.v2.app.job.impl.JobImpl: "
        "Uberizing job job_1427365802216_0192: 1m+0r tasks (0 input bytes) will run sequentially "
        "on single node.\n"
        "2015-03-30 08:19:02,377 FATAL [uber-SubtaskRunner] org.apache.hadoop.mapred."
        "LocalContainerLauncher: Error running local (uberized) 'child' : "
        "java.lang.OutOfMemoryError: PermGen space\n"
        "\tat java.lang.ClassLoader.defineClass1(Native Method)\n"
        "2015-03-30 08:19:02,901 INFO [main] org.apache.hadoop.mapreduce.v2.app.MRAppMaster: Job "
        "finished cleanly, recording last MRAppMaster retry, which is a longer line than most are\n"
    )
    cut = [
        line[at : at + width] if not line.startswith("\t") else line
        for line in whole.splitlines()
        for at in range(0, len(line) if not line.startswith("\t") else 1, width)
    ]
    (tmp_path / "forum.txt").write_text("Bom dia pessoal,\n\n" + "\n".join(cut) + "\n")

    kinds, report = _told(tmp_path)

    assert kinds == ["application-master"]
    assert "-XX:MaxPermSize in yarn.app.mapreduce.am.command-opts" in report
    assert "job_1427365802216_0192" in report


def test_a_log_whose_longest_lines_are_alike_stays_as_it_is() -> None:
    line = b"2024-03-01 10:00:00,000 ERROR [main] com.example.Job: what went wrong stands below\n"
    text = (line + b"some words of somebody\n" + line + line + line) * 3

    assert Unwrapping().of(text) == text


def test_logs_in_a_folder_that_is_called_by_the_end_of_an_id_are_of_that_attempt(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "r_000003_0"
    folder.mkdir()
    (folder / "syslog").write_text(died_in_map())
    (tmp_path / "console").write_text(_CONSOLE)

    kinds, report = _told(tmp_path)

    assert kinds == ["heap"]
    assert "FAILURES" not in report
    assert "attempt_201103221544_0042_r_000003_0" in report
