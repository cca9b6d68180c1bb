"""What the code of a job adds to its report: lines as they stand, and which filled the heap."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from builders.jvm import SOON_OVER

from mprof.diagnosis import Diagnosed
from mprof.evidence import known
from mprof.hadoop.java import java_home
from mprof.report import render_html, render_json, render_text
from mprof.runs import SilentObserver, diagnose_capture, open_capture
from mprof.runs.code_at_hand import jars_of

ROOT = Path(__file__).resolve().parents[2]
CASE = ROOT / "cases" / "reduce-merge"
FILE = CASE / "job" / "org" / "example" / "merge" / "MergeReducer.java"


def _diagnosed(*sources: Path) -> Diagnosed:
    return diagnose_capture(open_capture(CASE / "evidence"), SilentObserver(), sources=sources)


def _line_with(words: str) -> tuple[int, str]:
    (found,) = (
        (number, line.strip())
        for number, line in enumerate(FILE.read_text().splitlines(), 1)
        if words in line
    )
    return found


def test_without_code_a_report_is_as_before() -> None:
    diagnosed = _diagnosed()

    assert dict(diagnosed.code.fills) == dict(diagnosed.code.text) == {}
    assert "filled in" not in render_text(diagnosed)


def test_sources_are_quoted_wherever_a_line_is_named() -> None:
    diagnosed = _diagnosed(CASE / "job")

    frames = [one for one in known(diagnosed.evidence.stack) or () if one.user]
    lines = FILE.read_text().splitlines()
    assert frames
    text, page = render_text(diagnosed), render_html(diagnosed)
    stack = json.loads(render_json(diagnosed))["stack"]
    for frame in frames:
        assert frame.line is not None
        quoted = lines[frame.line - 1].strip()
        assert f"{frame.line}: {quoted}" in text
        assert any(one["line"] == frame.line and one["source"] == quoted for one in stack)
    assert "all.add(new Text(fact))" in text
    assert "all.add(new Text(fact))" in page


@pytest.mark.jvm
def test_classes_tell_which_line_filled_what_held_the_memory(tmp_path: Path) -> None:
    # The same reducer without Hadoop's types: its bytecode is what counts, line by line.
    number, line = _line_with("all.add(new Text(fact))")
    body = "\n" * (number - 3) + line.replace("new Text(fact)", "new String(fact)")
    (tmp_path / "src").mkdir()
    source = tmp_path / "src" / "MergeReducer.java"
    head = (
        "package org.example.merge; class MergeReducer { void reduce(Iterable<String> facts) {"
        "java.util.List<String> all = new java.util.ArrayList<>();\n"
        "for (String fact : facts) {\n"
    )
    source.write_text(f"{head}{body}\n}} all.sort(null); }} }}")
    javac = java_home() / "bin" / "javac"
    subprocess.run([javac, *SOON_OVER, "-d", tmp_path / "classes", source], check=True)

    diagnosed = _diagnosed(tmp_path / "classes", CASE / "job")

    said = json.loads(render_json(diagnosed))
    (largest,) = (one for one in said["account"]["items"] if one["kind"] == "holder")
    assert largest["path"] == "local ArrayList of MergeReducer.reduce()"
    (filled,) = largest["filled_by"]
    assert (filled["line"], filled["source"]) == (number, line)
    assert f"filled in MergeReducer.java:{number}: {line}" in " ".join(
        render_text(diagnosed).split()
    )


def test_code_that_cannot_be_used_is_a_gap_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    diagnosed = _diagnosed(tmp_path / "empty")

    assert any(str(tmp_path / "empty") in loss for loss in diagnosed.losses)


def test_the_jar_of_the_command_is_read_unless_it_is_younger_than_the_run(tmp_path: Path) -> None:
    shutil.copytree(CASE / "evidence", tmp_path / "capture")
    jar = tmp_path / "job.jar"
    jar.write_bytes(b"PK")
    for manifest in (tmp_path / "capture" / "runs").glob("*/run.json"):
        value = json.loads(manifest.read_text())
        value["command"] = ["hadoop", "jar", str(jar), "-libjars", f"{jar},/missing.jar", "Main"]
        manifest.write_text(json.dumps(value))
        started_s = value["started_ms"] / 1000
    capture = open_capture(tmp_path / "capture")

    os.utime(jar, (started_s - 60, started_s - 60))
    assert jars_of(capture) == (jar,)
    os.utime(jar, (started_s + 3600, started_s + 3600))
    assert jars_of(capture) == ()
