"""Small Java programs run with the real agent jar, on every JDK beside the one in use."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from builders.agent_jvm import PROGRAMS, Jvm
from builders.jvm import SOON_OVER

from mprof.errors import MprofError
from mprof.hadoop.java import agent_jar, java_home


def _jdks() -> list[Path]:
    """The Java installation in use, and those in folders beside it, each once."""
    try:
        home = java_home()
    except MprofError:
        return []
    beside = (path.parents[1] for path in sorted(home.parent.glob("*/bin/java")))
    return list(dict.fromkeys(path.resolve() for path in (home, *beside)))


@pytest.fixture(scope="session")
def jar() -> Path:
    return agent_jar()


@pytest.fixture(scope="session")
def classes(jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    sources = sorted(PROGRAMS.glob("*.java"))
    subprocess.run(
        [
            "javac",
            *SOON_OVER,
            "--release",
            "8",
            "-Xlint:-options",
            "-cp",
            jar,
            "-d",
            folder,
            *sources,
        ],
        check=True,
    )
    return folder


@pytest.fixture
def jvm(jar: Path, classes: Path, tmp_path: Path) -> Jvm:
    return Jvm(java_home() / "bin/java", jar, classes, tmp_path / "agent")


@pytest.fixture(params=_jdks(), ids=lambda path: path.name)
def each_jvm(request: pytest.FixtureRequest, jar: Path, classes: Path, tmp_path: Path) -> Jvm:
    return Jvm(request.param / "bin/java", jar, classes, tmp_path / "agent")
