"""``mprof doctor`` says what is wrong with the client configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.runs import examine
from mprof.runs.check import Check

FINAL = "<property><name>{}</name><value>x</value><final>true</final></property>"


def configuration(folder: Path) -> Check:
    (found,) = (
        check for check in examine(embedded=False, conf_dir=folder) if check.name == "configuration"
    )
    return found


@pytest.fixture(autouse=True)
def without_hadoop(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty PATH has no ``hadoop`` command, so no gateway is started."""
    monkeypatch.setenv("PATH", "")


def test_a_configuration_folder_that_does_not_exist_is_wrong(tmp_path: Path) -> None:
    check = configuration(tmp_path / "nowhere")

    assert check.ok is False
    assert check.found == f"there is no folder {tmp_path / 'nowhere'}"
    assert "HADOOP_CONF_DIR" in check.next_step


def test_a_final_property_that_the_agent_needs_is_named(tmp_path: Path) -> None:
    properties = FINAL.format("mapreduce.task.profile") + FINAL.format("mapreduce.map.memory.mb")
    site = tmp_path / "mapred-site.xml"
    site.write_text(f"<configuration>{properties}</configuration>", encoding="utf-8")

    check = configuration(tmp_path)

    assert check.ok is False
    assert check.found == f"final in {site}: mapreduce.task.profile"


def java(home: Path, prints: str, monkeypatch: pytest.MonkeyPatch) -> Check:
    """What is said of a JAVA_HOME whose java prints this; of one without any where it is empty."""
    if prints:
        program = home / "bin" / "java"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{prints}\n", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(home))
    (found,) = (check for check in examine(embedded=False, conf_dir=home) if check.name == "Java")
    return found


def test_a_java_home_without_java_is_wrong_although_there_is_another_java(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = java(tmp_path / "nowhere", "", monkeypatch)

    assert check.ok is False
    assert check.found == f"JAVA_HOME is {tmp_path / 'nowhere'}, where no bin/java is"
    assert "unset it" in check.next_step


@pytest.mark.parametrize(
    ("version", "is_ok"), [("1.8.0_392", False), ("11.0.21", False), ("17.0.9", True)]
)
def test_a_java_home_that_is_older_than_needed_is_wrong(
    version: str, is_ok: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = java(tmp_path, f"echo 'openjdk version \"{version}\"' >&2", monkeypatch)

    number = version.removeprefix("1.").partition(".")[0]
    assert check.ok is is_ok
    assert check.found.startswith(f"Java {number} in {tmp_path}, from JAVA_HOME")
    assert ("which is older than 17" in check.found) is not is_ok


def test_a_java_that_cannot_be_started_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_bytes(b"\x7fELF of another machine")
    (home / "bin" / "java").chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(home))
    (check,) = (one for one in examine(embedded=False, conf_dir=home) if one.name == "Java")

    assert check.ok is False
    assert "cannot be started" in check.found
