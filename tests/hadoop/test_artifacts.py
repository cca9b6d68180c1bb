"""The class path is resolved once, with a Maven that only writes down what it was asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mprof.errors import ClusterError, UsageError
from mprof.hadoop import java
from mprof.hadoop.artifacts import class_path


@pytest.fixture
def maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Maven that lists these jars; ``calls`` beside it has a line a call."""
    repository = tmp_path / "repository"
    repository.mkdir()
    names = ["hadoop-common-3.4.3.jar", "hadoop-common-3.4.3-tests.jar", "junit-4.13.2.jar"]
    for name in names:
        (repository / name).touch()
    listing = ":".join(str(repository / name) for name in names)
    program = tmp_path / "bin" / "mvn"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        f'echo "$*" >> "{tmp_path}/calls"\n'
        f'[ -e "{tmp_path}/fail" ] && {{ echo "[ERROR] no such artefact"; exit 1; }}\n'
        f'for a; do case $a in -Dmdep.outputFile=*) echo "{listing}" > "${{a#*=}}";; esac; done\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def calls(maven: Path) -> int:
    return len((maven / "calls").read_text().splitlines()) if (maven / "calls").exists() else 0


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def test_what_only_the_cluster_needs_stays_off_the_tasks_class_path(maven: Path) -> None:
    found = class_path("3.4.3", lambda _: None)

    assert names(found.lib) == {"hadoop-common-3.4.3.jar"}
    assert names(found.cluster_lib) == {"hadoop-common-3.4.3-tests.jar", "junit-4.13.2.jar"}
    assert found.lib.is_relative_to(maven / "cache")


def test_maven_is_asked_once(maven: Path) -> None:
    class_path("3.4.3", lambda _: None)
    class_path("3.4.3", lambda _: None)

    assert calls(maven) == 1


def test_a_repository_that_was_emptied_is_resolved_again(maven: Path) -> None:
    class_path("3.4.3", lambda _: None)
    jar = maven / "repository" / "junit-4.13.2.jar"
    jar.unlink()
    class_path("3.4.3", lambda _: None)

    assert calls(maven) == 2


def test_what_maven_says_is_passed_on_in_one_line(maven: Path) -> None:
    (maven / "fail").touch()

    with pytest.raises(ClusterError, match=r"could not resolve Hadoop 9\.9\.9: no such artefact"):
        class_path("9.9.9", lambda _: None)

    assert calls(maven) == 2  # offline, then with the network


def test_without_maven_the_line_says_what_to_install(
    maven: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(maven))

    with pytest.raises(ClusterError, match="install Maven"):
        class_path("3.4.3", lambda _: None)


@pytest.mark.parametrize("version", ["", "latest", "../3.4.3", "3.4.3; rm"])
def test_what_is_no_version_is_refused_before_anything_runs(maven: Path, version: str) -> None:
    with pytest.raises(UsageError):
        class_path(version, lambda _: None)

    assert calls(maven) == 0


@pytest.mark.parametrize("step", ["cache", "lib", "repository", "jar"])
@pytest.mark.parametrize("how", ["open to all", "another's"])
def test_a_class_path_that_others_could_have_written_is_not_used(
    maven: Path, step: str, how: str
) -> None:
    found = class_path("3.4.3", lambda _: None)
    jar = maven / "repository" / "hadoop-common-3.4.3.jar"
    changed = {
        "cache": maven / "cache", "lib": found.lib, "repository": jar.parent, "jar": jar,
    }[step]  # fmt: skip
    if how == "another's":
        if os.geteuid() != 0:
            pytest.skip("only root can give files to another user")
        os.chown(changed, 65534, -1)
    else:
        changed.chmod(0o777)

    with pytest.raises(ClusterError, match="others could have written it"):
        class_path("3.4.3", lambda _: None)


@pytest.mark.parametrize("name", ["mprof-agent.jar", "mprof-gateway.jar"])
def test_a_jar_that_others_could_have_written_is_not_used(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java, "_PACKAGE", tmp_path / "mprof")
    jar = tmp_path / "mprof" / "jars" / name
    jar.parent.mkdir(parents=True)
    jar.touch(0o644)
    find = java.agent_jar if name == "mprof-agent.jar" else java.gateway_jar
    assert find() == jar

    # Where a checkout would have built a newer one, somebody puts theirs.
    tmp_path.chmod(0o1777)
    planted = tmp_path / java._BUILT[name] / name
    planted.parent.mkdir(parents=True)
    planted.touch(0o644)
    os.utime(planted, (2e9, 2e9))
    (tmp_path / "jvm-agent").chmod(0o777)
    with pytest.raises(ClusterError, match=r"everybody may write to .*jvm-agent"):
        find()
