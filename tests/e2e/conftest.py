"""Jobs that mprof has never seen, run through the real command on the real embedded cluster."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from builders.jvm import SOON_OVER

from mprof.hadoop import cluster_start, cluster_stop, running_cluster

JOBS = Path(__file__).parent / "jobs"
LINES_BYTES = 24_000_000


@dataclass(frozen=True)
class Outcome:
    """What a command printed and returned."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> dict[str, Any]:
        """Its JSON object."""
        return json.loads(self.stdout)


Command = Callable[..., Outcome]


@pytest.fixture(scope="session")
def cluster() -> Iterator[None]:
    """A running embedded cluster; one that ran before is left running."""
    was_running = running_cluster() is not None
    cluster_start()
    yield
    if not was_running:
        cluster_stop()


@pytest.fixture(scope="session")
def mprof(cluster: None) -> Command:
    """Calls ``mprof`` as a user does."""

    def call(*words: str, timeout: float = 420) -> Outcome:
        result = subprocess.run(
            [sys.executable, "-m", "mprof", *words],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        return Outcome(result.returncode, result.stdout, result.stderr)

    return call


@pytest.fixture(scope="session")
def jar(cluster: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jobs as one jar."""
    running = running_cluster()
    assert running is not None
    folder = tmp_path_factory.mktemp("acme")
    hadoop = [str(running.bin_dir / "hadoop"), "classpath"]
    class_path = subprocess.run(hadoop, capture_output=True, text=True, check=True).stdout.strip()
    sources = sorted(str(path) for path in JOBS.rglob("*.java"))
    subprocess.run(
        [
            "javac",
            *SOON_OVER,
            "-nowarn",
            "-cp",
            class_path,
            "-d",
            str(folder / "classes"),
            *sources,
        ],
        check=True,
        capture_output=True,
    )
    target = folder / "acme.jar"
    subprocess.run(["jar", "cf", str(target), "-C", str(folder / "classes"), "."], check=True)
    return target


@pytest.fixture(scope="session")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with lines of a session and ten words; two thirds of them belong to 30 sessions."""
    chance = random.Random(20261121)
    folder = tmp_path_factory.mktemp("lines")
    with (folder / "lines.txt").open("w") as file:
        written = 0
        while written < LINES_BYTES:
            hot = chance.random() < 0.66
            session = chance.randrange(30) if hot else 30 + chance.randrange(5000)
            words = " ".join(f"{chance.getrandbits(32):08x}" for _ in range(10))
            written += file.write(f"s{session:05d} {words}\n")
    return folder


@pytest.fixture(scope="session")
def three_lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for jobs that need no more data."""
    folder = tmp_path_factory.mktemp("three")
    (folder / "lines.txt").write_text("s00000 a b\ns00001 c d\ns00002 e f\n")
    return folder
