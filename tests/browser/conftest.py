"""Pages that the tests look at: a cluster with one problem of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.job_histories import Job, Machine, SimulatedCluster, store_of

from mprof.peers.findings import find_sick_nodes
from mprof.views import Site, write_site
from mprof.views.picture import picture_of

SICK, FAILING_JOB, SKEWED_JOB = 13, 6, 9


def jobs() -> list[Job]:
    work = [Job(f"user{i % 3}", 600.0 * i) for i in range(12)]
    work[FAILING_JOB - 1] = Job("mallory", 600.0 * (FAILING_JOB - 1), maps=200, fails={"map": 0.9})
    work[SKEWED_JOB - 1] = Job("skye", 600.0 * (SKEWED_JOB - 1), skewed={"reduce": (0, 14.0)})
    return work


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    cluster = SimulatedCluster(seed=7, machines={SICK: Machine(fails=0.7)}).run(jobs())
    attempt = cluster.attempts.query("state == 'failed' and host == 'node013'")["attempt"].iloc[0]
    (folder / "memory").mkdir()
    (folder / "memory" / "page.html").write_text("<title>its memory</title>", encoding="utf-8")
    pages = {attempt: "memory/page.html"}
    found = find_sick_nodes(store_of(cluster, tmp_path_factory.mktemp("store") / "store"))
    write_site(Site("training", picture_of(cluster, found), None, pages), folder)
    return folder
