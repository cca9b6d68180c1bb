"""The class path is made once: by a Maven that only writes down what it was asked, or by mprof."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders.maven_repository import Repository, serving
from builders.maven_repository import pinned as pin_all

from development.jars import list_text, pinned_text
from mprof.errors import ClusterError, UsageError
from mprof.hadoop import java, pinned
from mprof.hadoop.artifacts import MAVEN_CENTRAL, class_path
from mprof.hadoop.maven_settings import maven_settings
from mprof.hadoop.pinned import PINNED_LIST, PINNED_VERSION

OTHER = "3.4.2"
"""A version of Hadoop that is not pinned."""

COMMON = "org/apache/hadoop/hadoop-common/1/hadoop-common-1.jar"
FILES = {COMMON: b"Hadoop" * 1000, "junit/junit/4/junit-4.jar": b"JUnit"}


@pytest.fixture
def maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Maven that lists these jars; ``calls`` beside it has a line a call."""
    repository = tmp_path / "repository"
    repository.mkdir()
    names = ["hadoop-common-3.4.2.jar", "hadoop-common-3.4.2-tests.jar", "junit-4.13.2.jar"]
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
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def calls(maven: Path) -> int:
    return len((maven / "calls").read_text().splitlines()) if (maven / "calls").exists() else 0


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def test_what_only_the_cluster_needs_stays_off_the_tasks_class_path(maven: Path) -> None:
    found = class_path(OTHER, lambda _: None)

    assert names(found.lib) == {"hadoop-common-3.4.2.jar"}
    assert names(found.cluster_lib) == {"hadoop-common-3.4.2-tests.jar", "junit-4.13.2.jar"}
    assert found.lib.is_relative_to(maven / "cache")


def test_maven_is_asked_once(maven: Path) -> None:
    class_path(OTHER, lambda _: None)
    class_path(OTHER, lambda _: None)

    assert calls(maven) == 1


def test_a_repository_that_was_emptied_is_resolved_again(maven: Path) -> None:
    class_path(OTHER, lambda _: None)
    jar = maven / "repository" / "junit-4.13.2.jar"
    jar.unlink()
    class_path(OTHER, lambda _: None)

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
        class_path(OTHER, lambda _: None)


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
    found = class_path(OTHER, lambda _: None)
    jar = maven / "repository" / "hadoop-common-3.4.2.jar"
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
        class_path(OTHER, lambda _: None)


@pytest.fixture
def repository(maven: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    """A repository with all that is pinned, which is two jars here; the settings name it."""
    listed = maven / "embedded-jars.txt"
    listed.write_text(list_text(pin_all(FILES)))
    monkeypatch.setattr(pinned, "PINNED_LIST", listed)
    monkeypatch.delenv("MPROF_MAVEN_REPOSITORY", raising=False)
    with serving(Repository(dict(FILES))) as served:
        write_settings(maven, served.url)
        yield served


def write_settings(home: Path, url: str, more: str = "", of: str = "central") -> None:
    (home / ".m2").mkdir(exist_ok=True)
    (home / ".m2" / "settings.xml").write_text(
        '<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0"><mirrors>'
        "<mirror><id>plain</id><mirrorOf>external:http:*</mirrorOf><url>http://0/</url></mirror>"
        f"<mirror><id>ours</id><mirrorOf>{of}</mirrorOf><url>{url}</url></mirror>"
        f"</mirrors>{more}</settings>"
    )


def linked(folder: Path) -> dict[str, bytes]:
    return {link.name: link.read_bytes() for link in folder.iterdir()}


def test_pinned_jars_come_from_the_mirror_of_the_settings_and_maven_is_not_asked(
    repository: Repository, maven: Path
) -> None:
    said: list[str] = []
    found = class_path(PINNED_VERSION, said.append)

    assert linked(found.lib) == {"hadoop-common-1.jar": FILES[COMMON]}
    assert linked(found.cluster_lib) == {"junit-4.jar": b"JUnit"}
    assert calls(maven) == 0
    assert said[0].startswith(f"fetching Hadoop {PINNED_VERSION}, 0 MB, from {repository.url}")


def test_the_variable_goes_before_the_settings(
    repository: Repository, maven: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_settings(maven, "http://127.0.0.1:1/nowhere")
    monkeypatch.setenv("MPROF_MAVEN_REPOSITORY", repository.url)
    class_path(PINNED_VERSION, lambda _: None)

    assert {path for path, _ in repository.asked} == set(FILES)


def test_an_address_that_is_none_is_refused(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPROF_MAVEN_REPOSITORY", "http://[half")
    with pytest.raises(UsageError, match="is no address of a Maven repository"):
        class_path(PINNED_VERSION, lambda _: None)


def test_what_was_fetched_is_used_without_a_network(repository: Repository, maven: Path) -> None:
    class_path(PINNED_VERSION, lambda _: None)
    shutil.rmtree(maven / "cache" / "mprof" / "hadoop")  # the links, not the jars
    repository.files.clear()
    found = class_path(PINNED_VERSION, lambda _: None)

    assert linked(found.lib) == {"hadoop-common-1.jar": FILES[COMMON]}
    assert len(FILES) == len(repository.asked)


@pytest.mark.parametrize(
    ("content", "mode", "used"),
    [(FILES[COMMON], 0o644, True), (b"hadooP" * 1000, 0o644, False), (FILES[COMMON], 0o666, False)],
    ids=["the same", "another one", "one that others can write"],
)
def test_a_jar_of_mavens_own_repository_is_used_if_it_is_the_pinned_one(
    repository: Repository, maven: Path, content: bytes, mode: int, used: bool
) -> None:
    local = maven / ".m2" / "repository" / COMMON
    local.parent.mkdir(parents=True)
    local.write_bytes(content)
    local.chmod(mode)
    found = class_path(PINNED_VERSION, lambda _: None)

    assert linked(found.lib) == {"hadoop-common-1.jar": FILES[COMMON]}
    assert used == ((found.lib / "hadoop-common-1.jar").resolve() == local.resolve())
    assert used == (COMMON not in {path for path, _ in repository.asked})


@pytest.mark.parametrize(
    "more",
    [
        "<servers><server><id>ours</id><username>me</username></server></servers>",
        "<proxies><proxy><host>proxy</host></proxy></proxies>",
        "<localRepository>${basedir}/x</localRepository>",
    ],
)
def test_settings_that_only_maven_understands_are_left_to_maven_where_it_is(
    repository: Repository, maven: Path, monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    write_settings(maven, repository.url, more)
    class_path(PINNED_VERSION, lambda _: None)
    assert (calls(maven), repository.asked) == (1, [])

    shutil.rmtree(maven / "cache")
    monkeypatch.setenv("PATH", str(maven))
    class_path(PINNED_VERSION, lambda _: None)
    assert {path for path, _ in repository.asked} == set(FILES)


@pytest.mark.parametrize(
    ("of", "is_used"),
    [
        ("central", True),
        ("*", True),
        ("external:*", True),
        ("other, central", True),
        ("*,!central", False),
        ("other", False),
        ("", False),
    ],
)
def test_a_mirror_is_one_of_maven_central_or_none(tmp_path: Path, of: str, is_used: bool) -> None:
    write_settings(tmp_path, "http://mirror/", of=of)

    assert ("http://mirror/" if is_used else None) == maven_settings(tmp_path).mirror


def test_settings_are_what_maven_takes_where_there_are_none(tmp_path: Path) -> None:
    found = maven_settings(tmp_path)

    assert (None, None) == (found.mirror, found.beyond)
    assert tmp_path / ".m2" / "repository" == found.local
    assert MAVEN_CENTRAL.startswith("https://")


def test_a_variable_of_the_environment_is_filled_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MIRROR_HOST", "mirror")
    write_settings(tmp_path, "http://${env.MIRROR_HOST}/maven2")

    assert "http://mirror/maven2" == maven_settings(tmp_path).mirror
    monkeypatch.delenv("MIRROR_HOST")
    assert maven_settings(tmp_path).beyond is not None


def test_settings_that_are_damaged_are_left_to_maven(tmp_path: Path) -> None:
    write_settings(tmp_path, "<")

    assert "cannot be read" in str(maven_settings(tmp_path).beyond)


def test_a_cache_that_cannot_be_written_is_one_line(repository: Repository, maven: Path) -> None:
    (maven / "cache").touch()
    with pytest.raises(ClusterError, match="Hadoop's jars cannot be kept") as raised:
        class_path(PINNED_VERSION, lambda _: None)

    assert "XDG_CACHE_HOME" in raised.value.next_step


@pytest.mark.jvm
def test_what_is_pinned_is_what_maven_resolves() -> None:
    assert PINNED_LIST.read_text(encoding="ascii") == pinned_text()


@pytest.mark.parametrize(
    ("name", "find"),
    [
        ("mprof-agent.jar", java.agent_jar),
        ("mprof-gateway.jar", java.gateway_jar),
        ("mprof-demo-job.jar", java.demo_job_jar),
    ],
)
def test_a_jar_that_others_could_have_written_is_not_used(
    name: str, find: Callable[[], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java, "_PACKAGE", tmp_path / "mprof")
    jar = tmp_path / "mprof" / "jars" / name
    jar.parent.mkdir(parents=True)
    jar.touch(0o644)
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
