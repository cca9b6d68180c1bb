"""The same jobs from other files: split, repeated, shuffled and cut, no answer differs."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders.property_settings import tried
from builders.troubled_jobs import APPLICATION_ERROR, BEGIN_S, DISK_FULL, TroubledJob, add_rows
from hypothesis import given
from hypothesis import strategies as st

from mprof.peers.findings import find_sick_nodes
from mprof.store import Rows, Store
from mprof.triage import cluster_of
from mprof.triage.facts import facts_of
from mprof.triage.ranking import triage_job
from mprof.views.picture import picture_of

JOBS = (
    TroubledJob(slower={3: 4.0}, nodes=8, maps=80, reduces=24, duplicates=3,
                failing_tasks={("reduce", 5): APPLICATION_ERROR}),
    TroubledJob(id="job_1700000000_0002", nodes=8, maps=60, reduces=16, at_s=300.0, seed=1,
                failing_nodes={3: DISK_FULL}),
    TroubledJob(id="job_1700000000_0003", nodes=8, maps=60, reduces=16, at_s=900.0, seed=2),
)  # fmt: skip
Row = dict[str, Any]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store(tmp_path_factory.mktemp("whole") / "store")
    for job in JOBS:
        job.into(store)
    return store


@pytest.fixture(scope="module")
def expected(whole: Store) -> dict[str, Any]:
    found = answers(whole)
    # Else nothing would be compared.
    assert any("node-03" in repr(found[name]) for name in ("nodes", "view"))
    return found


def rows_of(job: TroubledJob, scratch: Path, until_s: float | None = None) -> dict[str, list[Row]]:
    """What a file tells of a job that is whole, or was cut so long after the job's begin."""
    store = Store(scratch)
    dataclasses.replace(job, until_s=until_s).into(store)
    return {
        table: [
            {name: value for name, value in row.items() if name != "source" and _is_known(value)}
            for row in store.read(table).to_dict("records")
        ]
        for table in ("jobs", "attempts")
    }


def _is_known(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))


@pytest.mark.slow
@tried(5)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_answer_depends_on_the_files_that_jobs_are_from(
    tmp_path_factory: pytest.TempPathFactory, expected: dict[str, Any], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    folder = tmp_path_factory.mktemp("drawn")
    sources: list[dict[str, list[Row]]] = [
        {"jobs": [], "attempts": []} for _ in range(rng.integers(2, 6))
    ]
    for number, job in enumerate(JOBS):
        told = rows_of(job, folder / f"whole-{number}")
        for table, rows in told.items():
            for row in rows:  # split, and some rows in several files
                for place in {0, *range(len(sources))} if rng.random() < 0.1 else (0,):
                    shifted = (place + int(rng.integers(len(sources)))) % len(sources)
                    sources[shifted][table].append(row)
        for cut in range(rng.integers(3)):
            until_s = float(rng.uniform(20.0, 400.0))
            sources.append(rows_of(job, folder / f"cut-{number}-{cut}", until_s))
    store = Store(folder / "store")
    names = rng.permutation(len(sources))
    for name, tables in zip(names, sources, strict=True):
        shuffled = {table: [rows[at] for at in rng.permutation(len(rows))]
                    for table, rows in tables.items()}  # fmt: skip
        add_rows(store, f"source-{name}", shuffled)

    found = answers(store)

    for question, answer in expected.items():
        assert answer == found[question], question


def answers(store: Store) -> dict[str, Any]:
    """What `nodes`, `triage` of each job and `view` say, in values that can be compared."""
    triages = [
        triage_job(facts_of(store, job.id, diagnose_command="mprof diagnose FILE")) for job in JOBS
    ]
    nodes = find_sick_nodes(store)
    return {
        "nodes": plain(nodes),
        "triage": plain(triages),
        "view": plain(picture_of(cluster_of(store), nodes)),
    }


def plain(value: Any) -> Any:
    """The same without where it lies, and floats without what the order of a sum changes."""
    if isinstance(value, Store | Rows):
        return None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {each.name: plain(getattr(value, each.name)) for each in fields}
    if isinstance(value, pd.DataFrame):
        return plain(value.drop(columns="source", errors="ignore").to_dict("list"))
    if isinstance(value, pd.Series):
        return plain(value.tolist())
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float | np.floating):
        number = float(value)
        return f"{number:.9g}" if abs(number - BEGIN_S) > 1e6 else f"{number:.3f}"
    return value
