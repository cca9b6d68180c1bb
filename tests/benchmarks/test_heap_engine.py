"""How long a dump takes, as a user waits for it; run with ``--benchmark-only -m slow``."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from builders.jvm import compile_java, installed_jdks, running
from pytest_benchmark.fixture import BenchmarkFixture

UNITS = int(os.environ.get("MPROF_BENCHMARK_UNITS", "100000"))  # 440 bytes of dump each


@dataclass(frozen=True, slots=True)
class Measured:
    """One run; memory is anonymous memory, without mapped files."""

    wall_seconds: float
    peak_anonymous_bytes: int


def _run(*arguments: str) -> Measured:
    """Starts the verb as a process of its own and watches its memory."""
    start = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "mprof", "heap", *arguments], stdout=subprocess.DEVNULL
    )
    peak = 0
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        for line in status.read_text().splitlines() if status.exists() else ():
            if line.startswith("RssAnon"):
                peak = max(peak, int(line.split()[1]) * 1024)
        time.sleep(0.01)
    assert process.returncode == 0
    return Measured(time.monotonic() - start, peak)


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chosen = os.environ.get("MPROF_BENCHMARK_DUMP")
    if chosen:
        return Path(chosen)
    folder = tmp_path_factory.mktemp("filled")
    home = installed_jdks()[max(installed_jdks())]
    source = Path(__file__).parent / "java" / "HeapFiller.java"
    compile_java(home, [source], folder)
    heap = max(512, UNITS // 600)
    with running(home, folder, "HeapFiller", str(UNITS), options=(f"-Xmx{heap}m",)) as java:
        return java.dump(folder / "filled.hprof")


@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.parametrize("options", [("--json",), ("--json", "--histogram")], ids=" ".join)
def test_the_verb_as_a_process(
    benchmark: BenchmarkFixture, dump: Path, options: tuple[str, ...]
) -> None:
    _run(str(dump), *options)  # compiled kernels and page cache
    measured = benchmark.pedantic(lambda: _run(str(dump), *options), rounds=3)
    benchmark.extra_info["dump_bytes"] = dump.stat().st_size
    benchmark.extra_info["peak_anonymous_bytes"] = measured.peak_anonymous_bytes
    assert measured.peak_anonymous_bytes < 200e6 + 2 * dump.stat().st_size
