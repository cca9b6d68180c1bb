"""Logs as the lines of Hadoop write them, built by the tests that read them."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

from mprof.findings import Findings
from mprof.report import render_findings
from mprof.runs import SilentObserver, diagnose_all

APPLICATION = "1700000000000_0005"


def container(number: int, application: str = APPLICATION) -> str:
    return f"container_{application}_01_{number:06}"


def attempt(kind: str, index: int, number: int = 0, application: str = APPLICATION) -> str:
    return f"attempt_{application}_{kind}_{index:06}_{number}"


def died_in_map(method: str = "com.example.JoinMapper.map", line: int = 57) -> str:
    """The syslog of a map task without its id, as most of them are."""
    return (
        "2024-03-01 10:00:01,000 INFO [main] org.apache.hadoop.mapred.MapTask: Processing split: "
        "hdfs://nn/in/part-0:0+134217728\n"
        "2024-03-01 10:00:44,716 FATAL [main] org.apache.hadoop.mapred.YarnChild: "
        "Error running child : java.lang.OutOfMemoryError: Java heap space\n"
        "\tat java.util.Arrays.copyOf(Arrays.java:3332)\n"
        f"\tat {method}({method.rsplit('.', 2)[-2]}.java:{line})\n"
        "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:146)\n"
        "\tat org.apache.hadoop.mapred.MapTask.runNewMapper(MapTask.java:787)\n"
        "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)\n"
        "\tat org.apache.hadoop.mapred.YarnChild.main(YarnChild.java:158)\n"
    )


def done(attempt_id: str) -> str:
    return (
        "2024-03-01 10:00:01,000 INFO [main] org.apache.hadoop.mapred.MapTask: Processing split: "
        "hdfs://nn/in/part-1:0+134217728\n"
        f"2024-03-01 10:03:02,424 INFO [main] org.apache.hadoop.mapred.Task: Task:{attempt_id} is "
        "done. And is in the process of committing\n"
        f"2024-03-01 10:03:03,100 INFO [main] org.apache.hadoop.mapred.Task: Task '{attempt_id}' "
        "done.\n"
    )


def yarn_logs(
    logs: Iterable[tuple[str, str, str]], *, line: str = "2.7", host: str = "w2.example.com_45454"
) -> str:
    """What ``yarn logs`` of that line of Hadoop writes of (container, log type, text)."""
    written = []
    for name, log_type, text in logs:
        head = f"Container: {name} on {host}"
        body = text if text.endswith("\n") else text + "\n"
        if line == "2.2":
            written.append(
                f"\n\n{head}\n{'=' * len(head)}\nLogType: {log_type}\nLogLength: {len(text)}\n"
                f"Log Contents:\n{body}\n"
            )
        elif line == "2.7":
            written.append(
                f"\n\n{head}\n{'=' * len(head)}\nLogType:{log_type}\n"
                "Log Upload Time:Fri Mar 01 10:05:00 +0000 2024\n"
                f"LogLength:{len(text)}\nLog Contents:\n{body}End of LogType:{log_type}\n\n"
            )
        else:
            written.append(
                f"{head}\nLogAggregationType: AGGREGATED\n{'=' * len(head)}\nLogType:{log_type}\n"
                "LogLastModifiedTime:Fri Mar 01 10:05:00 +0000 2024\n"
                f"LogLength:{len(text)}\nLogContents:\n{body}\nEnd of LogType:{log_type}\n"
                f"{'*' * 74}\n\n"
            )
    return "".join(written)


def found(*what: str | Path) -> Findings:
    return diagnose_all(
        [str(each) for each in what],
        embedded=False,
        conf_dir=None,
        capture=None,
        observer=SilentObserver(),
    )


def told_of(folder: Path, text: str) -> tuple[list[str], str]:
    """The kinds of death that are told of a pasted text, and the report in one line."""
    path = folder / "pasted.txt"
    path.write_text(text)
    findings = found(path)
    kinds = [one.diagnosed.evidence.death.kind for one in findings.told]
    return kinds, " ".join(render_findings(findings).split())


def dead(findings: Findings) -> dict[str | None, str]:
    """Container or else attempt -> its kind of death."""
    return {
        one.container_id or one.attempt_id: one.kind for told in findings.told for one in told.dead
    }


class Stdin:
    """Standard input that holds some bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BufferedReader(io.BytesIO(data))  # type: ignore[arg-type]
