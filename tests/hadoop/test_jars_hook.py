"""The build hook, on a copy of the project that has nothing but what the hook looks at."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
AGENT = Path("jvm-agent/bundle/target/mprof-agent.jar")
GATEWAY = Path("jvm-agent/gateway/target/mprof-gateway.jar")
DEMO_JOB = Path("jvm-agent/demo-job/target/mprof-demo-job.jar")

pytest.importorskip("hatchling", reason="hatchling comes with the build, not with the product")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No jar, and a Maven that makes all of them and says so in ``calls``."""
    shutil.copy(ROOT / "hatch_build.py", tmp_path)
    for jar in (AGENT, GATEWAY, DEMO_JOB):
        (tmp_path / jar).parent.mkdir(parents=True)
    maven = tmp_path / "bin" / "mvn"
    maven.parent.mkdir()
    made = "".join(f"echo new > {jar}\n" for jar in (AGENT, GATEWAY, DEMO_JOB))
    maven.write_text(f"#!/bin/sh\necho call >> calls\n{made}")
    maven.chmod(0o755)
    monkeypatch.setenv("PATH", f"{maven.parent}:/usr/bin:/bin")
    return tmp_path


def install(project: Path) -> None:
    module = _loaded(project / "hatch_build.py")
    hook = module.JarsHook(str(project), {}, None, None, "", "sdist")
    hook.initialize("standard", {})


def _loaded(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def jars(project: Path) -> dict[str, str]:
    return {jar.name: jar.read_text().strip() for jar in (project / "mprof" / "jars").iterdir()}


def test_built_jars_are_copied_and_maven_is_not_asked(project: Path) -> None:
    for jar in (AGENT, GATEWAY, DEMO_JOB):
        (project / jar).write_text("built")

    install(project)

    assert jars(project) == dict.fromkeys((AGENT.name, GATEWAY.name, DEMO_JOB.name), "built")
    assert not (project / "calls").exists()


def test_maven_builds_what_is_missing(project: Path) -> None:
    install(project)

    assert jars(project) == dict.fromkeys((AGENT.name, GATEWAY.name, DEMO_JOB.name), "new")


def test_jars_that_came_with_a_source_distribution_are_kept(project: Path) -> None:
    folder = project / "mprof" / "jars"
    folder.mkdir(parents=True)
    for name in (AGENT.name, GATEWAY.name, DEMO_JOB.name):
        (folder / name).write_text("shipped")

    install(project)

    assert set(jars(project).values()) == {"shipped"}
    assert not (project / "calls").exists()


def test_without_maven_one_line_says_what_to_do(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(project))

    with pytest.raises(SystemExit, match="install Maven") as caught:
        install(project)

    assert "\n" not in str(caught.value)


def test_a_build_that_fails_differs_from_one_that_is_missing(project: Path) -> None:
    (project / "bin" / "mvn").write_text("#!/bin/sh\nexit 1\n")

    with pytest.raises(SystemExit, match="Maven could not build"):
        install(project)
