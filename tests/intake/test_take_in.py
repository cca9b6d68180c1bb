"""Files of every kind in trees of every shape, and what is said of those that are of no use."""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from builders.container_logs import attempt, container, dead, died_in_map, done, found
from builders.hprof_builder import Builder

from mprof.errors import EvidenceError
from mprof.report import render_findings
from mprof.trace import read_trace


def test_the_logs_of_a_container_are_joined_whatever_their_names_and_packing(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "logs" / "application_1700000000000_0005" / container(4)
    folder.mkdir(parents=True)
    (folder / "syslog.gz").write_bytes(gzip.compress(died_in_map().encode()))
    (folder / "stderr.gz").write_bytes(gzip.compress(b"std::bad_alloc\n"))
    (folder / "stdout").write_bytes(b"")

    findings = found(tmp_path)

    assert {container(4): "heap"} == dead(findings)
    (trace,) = findings.told[0].diagnosed.runs[0].traces
    assert ("syslog", "stderr") == trace.logs.files
    assert () == findings.unused


@pytest.mark.parametrize("up", range(4))
def test_userlogs_of_hadoop_1_are_read_from_any_level(tmp_path: Path, up: int) -> None:
    died = "attempt_201301010000_0003_m_000001_0"
    folder = tmp_path / "userlogs" / "job_201301010000_0003" / died
    folder.mkdir(parents=True)
    (folder / "syslog").write_text(
        died_in_map().replace("[main] ", "").replace("YarnChild", "Child")
    )

    assert {died: "heap"} == dead(found([folder, *folder.parents][up]))


def test_two_deaths_in_one_folder_are_two(tmp_path: Path) -> None:
    for number, method in ((4, "com.example.A.map"), (5, "com.example.B.map")):
        folder = tmp_path / container(number)
        folder.mkdir()
        (folder / "syslog").write_text(died_in_map(method))

    findings = found(tmp_path)

    assert {container(4): "heap", container(5): "heap"} == dead(findings)
    assert 2 == len(findings.told)


def test_an_error_that_was_caught_and_outlived_is_a_note(tmp_path: Path) -> None:
    own = attempt("m", 1)
    caught = (
        "2024-03-01 10:01:02,424 INFO [communication thread] org.apache.hadoop.mapred.Task: "
        "Communication exception: java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
        "\tat java.nio.HeapByteBuffer.<init>(HeapByteBuffer.java:57)\n"
        "\tat org.apache.hadoop.mapred.Task$TaskReporter.run(Task.java:727)\n\n"
    )
    (tmp_path / "syslog").write_text(caught + done(own))

    findings = found(tmp_path)

    assert {} == dead(findings)
    assert f"Attempt {own} of job job_1700000000000_0005 did not fail" in render_findings(findings)
    assert ["GC overhead limit exceeded" in note for note in findings.notes] == [True]
    # without its end: the task went on for a minute, so this is not what ended it
    later = "2024-03-01 10:02:30,000 INFO [main] org.apache.hadoop.mapred.MapTask: Spilling\n"
    (tmp_path / "syslog").write_text(caught + later)
    assert {} == dead(found(tmp_path))
    # nothing came after it, and a log that just stops says how it stopped
    (tmp_path / "syslog").write_text(caught)
    assert ["gc-overhead"] == [told.diagnosed.evidence.death.kind for told in found(tmp_path).told]


REFUSED = {
    "PHD": (b"\x00\x15portable heap dump\x00\x00\x00\x05abc", "PHD"),
    "javacore": (b"0SECTION       TITLE subcomponent dump routine\n1TISIGINFO     x\n", "javacore"),
    "jstack": (b"2024-03-01 10:00:00\nFull thread dump OpenJDK 64-Bit Server VM\n", "thread dump"),
    "histogram": (b"\n num     #instances         #bytes  class name\n", "class histogram"),
    "histogram with its rows": (
        b" num     #instances  #bytes  class name\n--\n 1: 9201145 846505340 [B\n 2: 7 64 a.Row\n",
        "the largest, with how many: byte",
    ),
    "text of HPROF": (b"JAVA PROFILE 1.0.1, created Fri Mar  1 10:00:00 2024\n", "text form"),
    "anything": (b"Dear all,\nlunch is at noon.\n", "no end of a task"),
    "bytes": (bytes(range(256)) * 20, "of no known kind"),
    "nothing": (b"", "empty"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_of_no_use_is_called_by_its_name(tmp_path: Path, kind: str) -> None:
    content, words = REFUSED[kind]
    file = tmp_path / "heap.hprof"
    file.write_bytes(content)

    with pytest.raises(EvidenceError, match=words):
        found(file)

    (tmp_path / "app.txt").write_text(died_in_map())
    findings = found(tmp_path)
    assert ["heap"] == [told.diagnosed.evidence.death.kind for told in findings.told]
    assert [(str(file), True)] == [(one.name, words in one.why) for one in findings.unused]


def test_the_checksums_that_hadoop_writes_beside_files_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / "app.txt").write_text(died_in_map())
    (tmp_path / ".app.txt.crc").write_bytes(b"crc\0\0\0\2\0abcd")
    (tmp_path / "other").write_bytes(b"crc\0\0\0\2\0abcd")  # of what, it does not say

    findings = found(tmp_path)

    assert [str(tmp_path / "other")] == [one.name for one in findings.unused]
    with pytest.raises(EvidenceError, match="a checksum file of Hadoop"):
        found(tmp_path / ".app.txt.crc")


def test_a_configuration_is_told_from_a_dump_and_joined_with_its_job(tmp_path: Path) -> None:
    conf = tmp_path / "job_1700000000000_0005_conf.xml"
    conf.write_text(
        '<?xml version="1.0"?><configuration><property><name>mapreduce.map.java.opts</name>'
        "<value>-Xmx100m</value></property></configuration>"
    )
    assert () == found(conf).told

    (tmp_path / container(2)).mkdir()
    (tmp_path / container(2) / "x").write_text(died_in_map())
    (told,) = found(tmp_path).told

    assert "-Xmx100m" == told.diagnosed.evidence.conf["mapreduce.map.java.opts"]


def test_a_link_that_leads_out_of_a_folder_is_named_and_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "syslog").write_text(died_in_map())
    (inside / "a").symlink_to(outside / "syslog")
    (inside / "b").symlink_to(outside)
    (inside / "c").symlink_to(inside)

    with pytest.raises(EvidenceError, match="leads out of the folder"):
        found(inside)


def test_what_unpacks_to_too_much_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mprof.intake.walk._MOST_UNPACKED", 1 << 20)
    (tmp_path / "a.gz").write_bytes(gzip.compress(bytes(8 << 20)))
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb", bytes(8 << 20))
    (tmp_path / "c").write_text(died_in_map())

    findings = found(tmp_path)

    assert 1 == len(findings.told)
    assert any("came out of packed files" in one.why for one in findings.unused)


def test_a_heap_dump_beside_the_logs_of_a_container_is_of_it(tmp_path: Path) -> None:
    folder = tmp_path / container(2)
    folder.mkdir()
    (folder / "syslog").write_text(died_in_map())
    (folder / "java_pid7.hprof").write_bytes(Builder().build())

    findings = found(tmp_path)

    assert {container(2): "heap"} == dead(findings)
    assert 1 == len(findings.told)
    assert findings.told[0].diagnosed.runs[0].snapshots


APPLICATION = "application_1700000000000_0005"


def _indexed(logs: str) -> bytes:
    """Uncompressed logs as LogAggregationIndexedFileController keeps them."""
    mark = hashlib.sha256(APPLICATION.encode()).digest()
    return mark + b"\n" + logs.encode() + b"\xac\xed\0\5sr\0index\0\0\0\x0e" + mark


def _tfile(logs: str) -> bytes:
    """The same as LogAggregationTFileController keeps them."""
    mark = bytes.fromhex("d111d36891b5d7b639df414092bae150")
    name = container(2).encode()
    return mark + b"\t\0\x07VERSION\4\0\0\0\1(\0&" + name + b"\0\6syslog" + logs.encode() + mark


@pytest.mark.parametrize("name", [f"{APPLICATION}/w1_45454", "copy"])
@pytest.mark.parametrize("kept", [_indexed, _tfile])
@pytest.mark.parametrize("packed", [False, True])
def test_the_error_of_one_container_is_not_blamed_on_another_in_a_file_of_all_of_a_node(
    tmp_path: Path, kept: Callable[[str], bytes], name: str, packed: bool
) -> None:
    said = "2024-03-01 10:00:01,000 INFO [main] org.apache.hadoop.mapred.MapTask: kvstart = 1\n"
    content = kept(died_in_map() + said * 300 + done(attempt("m", 3)))
    if packed:
        with zipfile.ZipFile(tmp_path / f"{APPLICATION}.zip", "w") as archive:
            archive.writestr(name, content)
    else:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)

    with pytest.raises(EvidenceError, match=r"logs as YARN keeps them.*yarn logs -applicationId"):
        found(tmp_path)


def test_what_only_a_store_takes_is_not_loaded_to_read_logs() -> None:
    loaded = (
        "import mprof.intake, sys; print([x for x in ('pandas', 'duckdb') if x in sys.modules])"
    )
    told = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    )
    assert "[]" == told.stdout.strip()


def test_a_log_that_was_rolled_is_read_from_its_oldest_part_on(tmp_path: Path) -> None:
    folder = tmp_path / container(2)
    folder.mkdir()
    parts = ("syslog.10", "syslog.2", "syslog.1", "syslog")  # as ContainerRollingLogAppender names
    for name in (*parts, "stderr"):
        (folder / name).write_text(f"2024-03-01 10:00:00,000 INFO [main] a.B: in {name}\n")
    # one task after another in the same JVM: the first was done, the second died
    (folder / "syslog.2").write_text(done(attempt("m", 2)))
    with (folder / "syslog").open("a") as file:
        file.write(died_in_map())

    (told,) = found(tmp_path).told

    (trace,) = told.diagnosed.runs[0].traces
    assert (*parts, "stderr") == trace.logs.files
    assert "heap" == trace.death.kind
    assert trace.logs == read_trace(folder).logs
