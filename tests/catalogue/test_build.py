"""Jobs are compiled from their folder; the repair's own files stand in for the job's."""

from __future__ import annotations

import zipfile
from pathlib import Path

import msgspec
import pytest

from mprof.catalogue import Case, build, load_cases
from mprof.catalogue.build import ReadyJob, build_jar, job_sources
from mprof.errors import ClusterError
from mprof.hadoop import demo_job_jar

CASES = {case.slug: case for case in load_cases(Path(__file__).parents[2] / "cases")}
CASE = CASES["in-mem-word-count"]
PACKAGE = "org/example/wordcount"


def elsewhere(case: Case, folder: Path) -> Case:
    return msgspec.structs.replace(case, folder=folder)


def test_the_repair_replaces_files_and_keeps_the_others() -> None:
    job, fixed = job_sources(CASE, fixed=False), job_sources(CASE, fixed=True)

    assert fixed[f"{PACKAGE}/WordCount.java"] != job[f"{PACKAGE}/WordCount.java"]
    assert fixed[f"{PACKAGE}/SumReducer.java"] == job[f"{PACKAGE}/SumReducer.java"]
    assert f"{PACKAGE}/TokenMapper.java" in fixed
    assert f"{PACKAGE}/TokenMapper.java" not in job


def test_the_command_is_what_a_user_would_type() -> None:
    job = ReadyJob(CASE, Path("/x/job.jar"))
    command = job.command(Path("/x/in"), Path("/x/out"), changed={"mapreduce.task.io.sort.mb": 10})

    assert command[:4] == ("hadoop", "jar", "/x/job.jar", "org.example.wordcount.WordCount")
    assert command[-2:] == ("/x/in", "/x/out")
    assert "mapreduce.task.io.sort.mb=10" in command
    assert command.count("-D") == len(CASE.job.settings)


@pytest.mark.jvm
def test_the_same_sources_make_the_same_jar(tmp_path: Path) -> None:
    one, other = tmp_path / "one.jar", tmp_path / "other.jar"

    build_jar(CASE, one, fixed=True)
    build_jar(CASE, other, fixed=True)

    assert one.read_bytes() == other.read_bytes()
    with zipfile.ZipFile(one) as jar:
        assert f"{PACKAGE}/TokenMapper.class" in jar.namelist()


@pytest.mark.jvm
def test_the_shipped_job_of_the_demonstration_is_the_case(tmp_path: Path) -> None:
    compiled = tmp_path / "compiled.jar"
    build_jar(CASE, compiled, fixed=False)

    assert classes(compiled) == classes(demo_job_jar())


def test_without_a_compiler_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = tmp_path / "jre" / "bin" / "java"
    runtime.parent.mkdir(parents=True)
    runtime.touch()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jre"))
    monkeypatch.setattr(build, "class_path", lambda *_: pytest.fail("Hadoop was fetched"))
    with pytest.raises(ClusterError, match=r"cannot be compiled: .* holds no javac") as found:
        build_jar(CASE, tmp_path / "x.jar", fixed=False)

    assert "install a JDK" in found.value.next_step


def classes(jar: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(jar) as packed:
        return {name: packed.read(name) for name in packed.namelist() if name.endswith(".class")}


@pytest.mark.jvm
def test_a_job_that_does_not_compile_is_one_line(tmp_path: Path) -> None:
    source = tmp_path / "job" / "Broken.java"
    source.parent.mkdir()
    source.write_text("class Broken { int x = nothing; }")

    with pytest.raises(ClusterError, match="does not compile") as raised:
        build_jar(elsewhere(CASE, tmp_path), tmp_path / "x.jar", fixed=False)

    assert "\n" not in raised.value.what
