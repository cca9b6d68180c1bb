"""Libraries of cases: installed once in the cache, and anew where their family has changed."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import msgspec
import pytest

from mprof.catalogue import Case, load_cases
from mprof.catalogue import libraries as module
from mprof.catalogue.build import prepare_job
from mprof.catalogue.case import load_case
from mprof.catalogue.libraries import install_library
from mprof.errors import ClusterError, UsageError

CASES = Path(__file__).parents[2] / "cases"
SCRIPTS = [case for case in load_cases(CASES) if case.job.command]


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Path]:
    """The POMs that were resolved, each to one jar; the cache is in the test's folder."""
    poms: list[Path] = []
    jar = tmp_path / "repository" / "tool-1.0.jar"
    jar.parent.mkdir()
    jar.touch()

    def resolve(pom: Path, what: str) -> tuple[Path, ...]:
        assert what == pom.parent.name
        poms.append(pom)
        return (jar,)

    monkeypatch.setattr(module, "resolve", resolve)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return poms


def family(folder: Path) -> Path:
    made = folder / "tool"
    (made / "bin").mkdir(parents=True)
    (made / "pom.xml").write_text("<project/>")
    (made / "bin" / "tool").write_text("#!/bin/sh\n")
    (made / "bin" / "tool").chmod(0o755)
    return made


def silent(_: str) -> None:
    """No progress."""


def test_a_family_is_resolved_once(resolved: list[Path], tmp_path: Path) -> None:
    said: list[str] = []

    first = install_library(family(tmp_path), said.append)
    again = install_library(tmp_path / "tool", said.append)

    assert first == again
    assert len(resolved) == len(said) == 1
    assert [jar.name for jar in (first / "lib").iterdir()] == ["tool-1.0.jar"]
    assert (first / "bin" / "tool").stat().st_mode & 0o111


@pytest.mark.parametrize("name", ["bin", "bin/tool", "lib"])
def test_a_family_that_others_could_have_written_is_not_used(
    resolved: list[Path], tmp_path: Path, name: str
) -> None:
    installed = install_library(family(tmp_path), silent)
    (installed / name).chmod(0o777)

    with pytest.raises(ClusterError, match="others could have written it"):
        install_library(tmp_path / "tool", silent)


def test_a_family_that_has_changed_is_another_one(resolved: list[Path], tmp_path: Path) -> None:
    made = family(tmp_path)
    before = install_library(made, silent)
    (made / "bin" / "tool").write_text("#!/bin/bash\n")

    assert install_library(made, silent) != before
    assert len(resolved) == 2


def test_a_command_of_the_repair_replaces_that_of_the_job(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("mprof.catalogue.build.install_library", lambda *_: Path("/lib"))
    case = msgspec.structs.replace(
        SCRIPTS[0],
        job=msgspec.structs.replace(
            SCRIPTS[0].job,
            command=("tool", "--in={input}", "--set {setting}"),
            settings={"a": True},
        ),
        fixed=msgspec.structs.replace(SCRIPTS[0].fixed, command=("other", "-D{setting}")),
    )

    job, fixed = (prepare_job(case, tmp_path, fixed=each) for each in (False, True))

    assert job.command_line[0] == "/lib/bin/tool"
    assert job.command(Path("/in"), Path("/out"), changed={"b": 2})[1:] == (
        "--in=/in", "--set", "a=true", "--set", "b=2",
    )  # fmt: skip
    assert fixed.command_line[0] == "/lib/bin/other"
    assert fixed.command(Path("/in"), Path("/out"), changed={})[1:] == ("-Da=true",)


def test_links_that_lead_nowhere_are_made_anew(resolved: list[Path], tmp_path: Path) -> None:
    folder = install_library(family(tmp_path), silent)
    link = folder / "lib" / "tool-1.0.jar"
    link.resolve().rename(tmp_path / "moved.jar")
    link.resolve().parent.joinpath("tool-1.0.jar").unlink(missing_ok=True)
    assert not link.exists()

    shutil.copyfile(tmp_path / "moved.jar", tmp_path / "repository" / "tool-1.0.jar")
    (folder / "lib" / "gone.jar").symlink_to(tmp_path / "nowhere.jar")
    install_library(tmp_path / "tool", silent)

    assert len(resolved) == 2
    assert [jar.name for jar in (folder / "lib").iterdir()] == ["tool-1.0.jar"]


def test_a_library_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no library 'absent'"):
        install_library(tmp_path / "absent", silent)


@pytest.mark.jvm
def test_classes_of_the_family_that_do_not_compile_are_one_line(
    resolved: list[Path], tmp_path: Path
) -> None:
    made = family(tmp_path)
    (made / "java").mkdir()
    (made / "java" / "Broken.java").write_text("class Broken { int x = nothing; }")

    with pytest.raises(ClusterError, match="library tool does not compile"):
        install_library(made, silent)

    assert len(resolved) == 1
    assert not [each for each in (tmp_path / "cache").rglob("tool-*") if each.is_dir()]


@pytest.mark.parametrize("case", SCRIPTS, ids=lambda case: case.slug)
def test_the_command_of_a_script_names_its_files_and_settings(
    case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiled: list[Path] = []
    monkeypatch.setattr("mprof.catalogue.build.install_library", lambda *_: Path("/lib"))
    monkeypatch.setattr(
        "mprof.catalogue.build.build_jar", lambda _, jar, **__: compiled.append(jar)
    )

    job = prepare_job(case, tmp_path, fixed=True)
    command = job.command(Path("/in"), Path("/out"), changed={"mapreduce.task.io.sort.mb": 7})

    assert command[0] == f"/lib/bin/{case.job.command[0]}"
    assert not [word for word in command if "{" in word]
    given = [word.removeprefix("-D") for word in command if "=" in word]
    for name in {*case.job.settings, "mapreduce.task.io.sort.mb"}:
        assert len([word for word in given if word.startswith(f"{name}=")]) == 1
    assert "mapreduce.task.io.sort.mb=7" in given
    for file in sorted(case.folder.glob("fixed/*")):
        assert (job.place / file.name).read_bytes() == file.read_bytes()
    assert compiled == [job.place / "job.jar"] * bool([*case.folder.glob("job/**/*.java")])


@pytest.mark.jvm
def test_functions_of_a_script_are_in_a_jar_beside_it_without_the_library(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    library = tmp_path / "library"
    (library / "lib").mkdir(parents=True)
    monkeypatch.setattr("mprof.catalogue.build.install_library", lambda *_: library)
    folder = tmp_path / "case"
    (folder / "job" / "org").mkdir(parents=True)
    (folder / "job" / "run.script").write_text("use f")
    (folder / "job" / "org" / "F.java").write_text("package org; class F {}")
    case = msgspec.structs.replace(SCRIPTS[0], folder=folder)

    job = prepare_job(case, tmp_path / "built", fixed=False)

    assert sorted(file.name for file in job.place.iterdir()) == ["job.jar", "run.script"]
    with zipfile.ZipFile(job.place / "job.jar") as jar:
        assert jar.namelist() == ["org/F.class"]


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"main": "org.example.Main"}, "either main or command"),
        ({"command": ()}, "either main or command"),
        ({"arguments": ("x",)}, "takes no arguments"),
    ],
)
def test_a_job_is_either_java_or_a_script(
    changed: dict[str, object], complaint: str, tmp_path: Path
) -> None:
    folder = tmp_path / SCRIPTS[0].slug
    shutil.copytree(SCRIPTS[0].folder, folder, ignore=shutil.ignore_patterns("evidence"))
    job = msgspec.to_builtins(SCRIPTS[0].job) | changed
    text = (folder / "case.toml").read_text()
    head, rest = text.split("[job]\n", 1)
    rest = rest[rest.index("[job.settings]") :]
    own = "".join(f"{key} = {_toml(job[key])}\n" for key in ("main", "command", "arguments"))
    (folder / "case.toml").write_text(f"{head}[job]\n{own}{rest}")

    with pytest.raises(UsageError, match=complaint):
        load_case(folder)


def _toml(value: object) -> str:
    return repr(list(value)) if isinstance(value, (list, tuple)) else repr(value)
