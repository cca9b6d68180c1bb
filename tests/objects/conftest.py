from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from objects.tasks import compile_jobs, forget, run_java


@pytest.fixture(scope="session")
def job_classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    compile_jobs(folder)
    return folder


@pytest.fixture(scope="session")
def known_dumps(job_classes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Dumps of tasks that hold known content, one for each moment of ``Known.java``."""
    folder = tmp_path_factory.mktemp("known")
    output = run_java(
        job_classes, folder, "com.acme.jobs.Known", str(folder),
        options=("-Xmx160m", f"-Ddumps={folder}"),
    )  # fmt: skip
    assert (folder / "old-reducer.hprof").is_file(), output[-2000:]
    yield folder
    forget(folder)
