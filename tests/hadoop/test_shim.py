"""The embedded cluster's ``hadoop`` command, with a Java that only says how it was called."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import mprof.hadoop

SHIM = Path(mprof.hadoop.__file__).with_name("shim") / "hadoop"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("bin", "conf", "other-conf", "java/bin"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("hadoop", "in-cluster"):
        shutil.copy(SHIM.with_name(name), tmp_path / "bin" / name)
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "bin" / "mapred").symlink_to("hadoop")
    java = tmp_path / "java" / "bin" / "java"
    java.write_text(
        '#!/bin/sh\necho "$CLASSPATH"\necho "$HADOOP_CONF_DIR"\nfor a; do echo "$a"; done\n'
    )
    java.chmod(0o755)
    (tmp_path / "java_home").write_text(f"{tmp_path / 'java'}\n")
    return tmp_path


def call(place: Path, *arguments: str, name: str = "hadoop", **environment: str) -> list[str]:
    """Class path, configuration folder, then Java's arguments, a line each."""
    done = subprocess.run(
        [place / "bin" / name, *arguments],
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_jar_runs_the_jar_with_its_arguments_untouched(place: Path) -> None:
    _, conf, *arguments = call(place, "jar", "a b.jar", "Main", "-Dx=y z", "")

    assert conf == str(place / "conf")
    assert arguments[-5:] == ["org.apache.hadoop.util.RunJar", "a b.jar", "Main", "-Dx=y z", ""]


def test_the_configuration_comes_first_and_extra_jars_last(place: Path) -> None:
    class_path, *_ = call(place, "jar", "a.jar", HADOOP_CLASSPATH="/x.jar")

    assert class_path == f"{place}/conf:{place}/lib/*:/x.jar"


def test_extra_jars_may_be_asked_to_come_before_hadoop(place: Path) -> None:
    class_path, *_ = call(
        place, "jar", "a.jar", HADOOP_CLASSPATH="/x.jar", HADOOP_USER_CLASSPATH_FIRST="true"
    )

    assert class_path == f"{place}/conf:/x.jar:{place}/lib/*"


def test_the_option_names_the_configuration_before_the_environment(place: Path) -> None:
    other = str(place / "other-conf")

    assert call(place, "version", HADOOP_CONF_DIR=other)[1] == other
    assert call(place, "--config", other, "version", HADOOP_CONF_DIR="/nowhere")[1] == other


def test_client_options_are_split_into_words_and_come_after_the_default_heap(place: Path) -> None:
    _, _, *arguments = call(place, "fs", "-ls", "/", HADOOP_CLIENT_OPTS="-Xmx2g -Da=b")

    assert arguments[0] == "-Xmx1g"
    assert arguments[-5:] == ["-Xmx2g", "-Da=b", "org.apache.hadoop.fs.FsShell", "-ls", "/"]


def test_a_heap_without_unit_is_in_megabytes(place: Path) -> None:
    assert call(place, "version", HADOOP_HEAPSIZE_MAX="300")[2] == "-Xmx300m"


def test_the_other_names_of_the_command_work_too(place: Path) -> None:
    arguments = call(place, "job", "-list", name="mapred")

    assert arguments[-2:] == ["org.apache.hadoop.mapred.JobClient", "-list"]


def test_a_class_name_is_run(place: Path) -> None:
    assert call(place, "org.example.Main", "x")[-2:] == ["org.example.Main", "x"]


@pytest.mark.parametrize("network_of", [None, os.getpid()], ids=["shared", "own"])
def test_a_command_runs_where_it_is_called_if_the_cluster_is_there(
    place: Path, network_of: int | None
) -> None:
    if network_of is not None:
        (place / "network-of").write_text(f"{network_of}\n")

    done = subprocess.run(
        [place / "bin" / "in-cluster", "sh", "-c", 'echo "$0 $1"; exit 3', "a b", "c"],
        capture_output=True, text=True,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (3, "a b c\n")


def test_where_the_cluster_has_died_a_command_says_so(place: Path) -> None:
    with subprocess.Popen(["true"]) as ended:
        pass
    (place / "network-of").write_text(f"{ended.pid}\n")

    done = subprocess.run(
        [place / "bin" / "hadoop", "version"],
        env={"PATH": os.environ["PATH"]},
        capture_output=True, text=True,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "ERROR: the embedded cluster is not running any more\n"


def test_the_class_path_is_printed_for_those_who_compile(place: Path) -> None:
    assert call(place, "classpath") == [f"{place}/conf:{place}/lib/*"]


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["--config", "/no/such", "version"]])
def test_a_call_that_cannot_work_says_so_and_fails(place: Path, arguments: list[str]) -> None:
    done = subprocess.run(
        [place / "bin" / "hadoop", *arguments],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr
    assert done.stdout == ""
