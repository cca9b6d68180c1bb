"""A real JVM whose heap has waste of known size, for questions and for what is wasted."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.jvm import compile_java, installed_jdks, running

__all__ = ["wasteful_dump"]

_SOURCE = Path(__file__).parents[1] / "heap" / "java" / "WastefulHeap.java"


@pytest.fixture(scope="session")
def wasteful_dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dump of `WastefulHeap`, by a JDK of 12 or newer."""
    jdks = {version: home for version, home in installed_jdks().items() if version >= 12}
    if not jdks:
        pytest.skip("no JDK 12 or newer is installed")
    home = jdks[min(jdks)]
    folder = compile_java(home, [_SOURCE], tmp_path_factory.mktemp("wasteful"))
    options = ("-Xmx128m", "-XX:+UseSerialGC")
    with running(home, folder, "WastefulHeap", str(folder), options=options) as java:
        return java.dump(folder / "wasteful.hprof")
