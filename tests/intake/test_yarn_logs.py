"""``yarn logs`` of every line: as a file of any name, in a folder, packed, on standard input."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from builders.container_logs import (
    Stdin,
    attempt,
    container,
    dead,
    died_in_map,
    done,
    found,
    yarn_logs,
)

from mprof.report import render_findings, render_findings_json


def _tar(data: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        info = tarfile.TarInfo("application/app.log")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def _zip(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a/b/c/whatever", data)
    return out.getvalue()


def _zstd_in_blocks(data: bytes) -> bytes:
    """Several frames behind one another, as a stream that is flushed now and then has them."""
    cuts = range(0, len(data), 100)
    return b"".join(pa.compress(data[at : at + 100], "zstd", asbytes=True) for at in cuts)


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: data,
    "gz": gzip.compress,
    "gz of gz": lambda data: gzip.compress(gzip.compress(data)),
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: pa.compress(data, "zstd", asbytes=True),
    "zst of several frames": _zstd_in_blocks,
    "tar.gz": _tar,
    "zip": _zip,
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "UTF-8 with a mark": lambda data: b"\xef\xbb\xbf" + data,
}


@pytest.mark.parametrize("line", ["2.2", "2.7", "3.3"])
def test_each_container_in_the_output_of_each_line_is_told_by_its_id(
    tmp_path: Path, line: str
) -> None:
    text = yarn_logs(
        [
            (container(2), "stderr", "log4j:WARN No appenders\n"),
            (container(2), "syslog", died_in_map()),
            (container(3), "syslog", done(attempt("m", 1))),
            (container(4), "syslog", died_in_map("com.example.Other.map", 9)),
        ],
        line=line,
    )
    file = tmp_path / "notes from Tuesday"
    file.write_text(text)

    findings = found(file)

    assert {container(2): "heap", container(4): "heap"} == dead(findings)
    assert 2 == len(findings.told)
    stacks = [{one.class_name for one in told.diagnosed.evidence.stack} for told in findings.told]  # type: ignore[union-attr]
    assert "com.example.JoinMapper" in stacks[0] | stacks[1]
    assert "com.example.Other" in stacks[0] ^ stacks[1]
    told = render_findings(findings)
    assert all(container(number) in told for number in (2, 4))
    assert container(3) not in told


@pytest.mark.parametrize("head", ["", "LogType:syslog\n", "LogType:syslog\nLogLength:9\n"])
def test_of_a_head_that_somebody_has_shortened_the_log_is_read(tmp_path: Path, head: str) -> None:
    text = f"spark.executor.memory 4g\n\nContainer: {container(2)} on w2_45454\n{head}"
    (tmp_path / "shortened.txt").write_text(text + died_in_map())

    assert {container(2): "heap"} == dead(found(tmp_path))


@pytest.mark.parametrize("packing", PACKINGS)
def test_the_packing_and_the_encoding_make_no_difference(tmp_path: Path, packing: str) -> None:
    text = yarn_logs([(container(2), "syslog", died_in_map())])
    (tmp_path / "x").write_bytes(PACKINGS[packing](text.encode()))

    assert {container(2): "heap"} == dead(found(tmp_path / "x"))
    assert {container(2): "heap"} == dead(found(tmp_path))


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = yarn_logs([(container(2), "syslog", died_in_map())])
    for data in (text.encode(), gzip.compress(text.encode())):
        monkeypatch.setattr("sys.stdin", Stdin(data))

        assert {container(2): "heap"} == dead(found("-"))


def test_the_same_deaths_are_folded_and_each_is_named(tmp_path: Path) -> None:
    logs = [(container(number), "syslog", died_in_map()) for number in range(2, 9)]
    (tmp_path / "a.log").write_text(yarn_logs(logs))

    findings = found(tmp_path)

    assert 1 == len(findings.told)
    assert {container(number): "heap" for number in range(2, 9)} == dead(findings)
    assert all(container(number) in render_findings(findings) for number in range(2, 9))
    value = json.loads(render_findings_json(findings))
    assert [container(number) for number in range(2, 9)] == sorted(
        one["container_id"] for one in value["deaths"]
    )
    assert {0} == {one["diagnosis"] for one in value["deaths"]}


def test_two_applications_in_one_file_are_two_jobs(tmp_path: Path) -> None:
    other = container(2, "1700000000000_0006")
    text = yarn_logs([(container(2), "syslog", died_in_map()), (other, "syslog", died_in_map())])
    (tmp_path / "a").write_text(text)

    findings = found(tmp_path / "a")

    assert {"job_1700000000000_0005", "job_1700000000000_0006"} == {
        one.job_id for told in findings.told for one in told.dead
    }


def test_a_text_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    text = yarn_logs(
        [(container(2), "syslog", died_in_map()), (container(3), "syslog", died_in_map())]
    )
    (tmp_path / "a").write_text(text[: text.rindex("Error running child") + 60])

    assert {container(2), container(3)} == set(dead(found(tmp_path / "a")))
    packed = gzip.compress(text.encode())
    (tmp_path / "b.gz").write_bytes(packed[: len(packed) - 12])
    findings = found(tmp_path / "b.gz")
    assert {container(2), container(3)} == set(dead(findings))
    assert any("cut off" in one.why for one in findings.unused)


def test_of_one_death_the_json_object_is_that_of_its_diagnosis(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(yarn_logs([(container(2), "syslog", died_in_map())]))

    value = json.loads(render_findings_json(found(tmp_path / "a")))

    assert "heap" == value["death"]["kind"]
    assert container(2) == value["attempt"]["container_id"]


def test_a_setting_is_told_with_its_line_of_the_whole_text(tmp_path: Path) -> None:
    name = "mapreduce.map.java.opts"
    logs = yarn_logs([(container(2), "syslog", died_in_map())])
    text = f"This is what I have:\n\n{logs}\nWe run with {name}=-Xmx300m.\n"
    path = tmp_path / "post.txt"
    path.write_text(text)
    line = next(at for at, one in enumerate(text.split("\n"), 1) if name in one)

    told = " ".join(render_findings(found(path)).split())

    assert f"{name}=-Xmx300m (line {line})" in told
