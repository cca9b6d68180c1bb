"""How often what is told of a whole cluster is right: ``python tests/benchmarks/problems.py``.

Prints two parts, which are never one table: simulated clusters, whose problems are known, and
recorded traces, whose problems nobody wrote down.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from builders.job_histories import Job, Machine, SimulatedCluster
from builders.shared_data import SHARED_DATA

from mprof.peers.detectors.wb_jobs import compare_jobs
from mprof.peers.tables.job_scores import score_nodes
from mprof.sources import import_files
from mprof.store import Store
from mprof.triage import Cluster, cluster_of
from mprof.triage.failing_jobs import failing_jobs
from mprof.triage.skew import skewed_jobs

CLUSTERS = 20
NODES, JOBS, USERS = 40, 30, 5


def main() -> None:
    if "--recorded" not in sys.argv:
        simulated()
    if SHARED_DATA.is_dir():
        recorded()


def told(cluster: Cluster) -> dict[str, set[str]]:
    """What is named: kind of problem -> the nodes or jobs; of a question mark, what may be one."""
    scores = score_nodes(cluster.attempts)
    users = dict(cluster.jobs.dropna(subset="user")[["job", "user"]].itertuples(index=False))
    nodes = compare_jobs(scores, users)
    failed = set(cluster.jobs.loc[cluster.jobs["state"] == "failed", "job"])
    named: dict[str, set[str]] = {"node": set(nodes.indicted)}
    named["node?"] = {one.host for one in nodes.nodes if one.indicted is None and one.score > 1}
    for one in failing_jobs(scores, cluster.attempts, failed, named["node"]):
        kind = f"application, {'most nodes' if one.id == 'failures.spread' else 'one task'}"
        named.setdefault(kind + "?" * (one.confidence is None), set()).add(str(one.job))
    named["data skew"] = {str(one.job) for one in skewed_jobs(cluster.attempts)}
    return named


def simulated() -> None:
    print(f"simulated: {CLUSTERS} clusters of {NODES} nodes with {JOBS} jobs of {USERS} users each")
    right, fired, there = Counter(), Counter(), Counter()
    for seed in range(CLUSTERS):
        cluster, truth = troubled(seed)
        found = told(cluster)
        sick = truth["slow node"] | truth["failing node"]
        for kind, subjects in truth.items():
            named = found.get(kind, set())
            if kind in ("slow node", "failing node"):
                # A node that is named wrongly counts as slow.
                others = found["node"] - sick if kind == "slow node" else set()
                named = (found["node"] & subjects) | others
            there[kind] += len(subjects)
            fired[kind] += len(named)
            right[kind] += len(named & subjects)
    print("| problem | put in | named | rightly | precision | recall |\n|---|---|---|---|---|---|")
    for kind in there:
        precision, recall = share(right[kind], fired[kind]), share(right[kind], there[kind])
        print(
            f"| {kind} | {there[kind]} | {fired[kind]} | {right[kind]} | {precision} | {recall} |"
        )
    healthy: Counter[str] = Counter()
    for seed in range(CLUSTERS):
        found = told(SimulatedCluster(NODES, seed=1000 + seed).run(work(seed)))
        healthy.update({kind: len(subjects) for kind, subjects in found.items() if subjects})
    print(f"healthy clusters: {dict(healthy) or 'none'}"
          f" in {CLUSTERS * JOBS} jobs on {CLUSTERS * NODES} nodes")  # fmt: skip


def work(seed: int) -> list[Job]:
    return [
        Job(f"user{(number + seed) % USERS}", 600.0 * number, maps=120, reduces=40)
        for number in range(JOBS)
    ]


def troubled(seed: int) -> tuple[Cluster, dict[str, set[str]]]:
    jobs = work(seed)
    at = [(7 * k + seed) % JOBS for k in range(4)]
    for number, what in zip(
        at,
        ({"fails": {"map": 0.6}}, {"failing_task": {"reduce": 3}},
         {"skewed": {"map": (5, 6.0)}}, {"skewed": {"reduce": (2, 6.0)}}),
        strict=True,
    ):  # fmt: skip
        one = jobs[number]
        jobs[number] = Job(one.user, one.at_s, maps=120, reduces=40, **what)  # type: ignore[arg-type]
    slow, failing = (3 * seed) % NODES, (3 * seed + 17) % NODES
    since = 600.0 * JOBS / 3
    cluster = SimulatedCluster(NODES, seed=seed, machines={
        slow: Machine(slower=3.0, since_s=since), failing: Machine(fails=0.5, since_s=since),
    })  # fmt: skip
    rows = cluster.run(jobs)
    names = rows.jobs["job"].tolist()
    return rows, {
        "application, most nodes": {names[at[0]]},
        "application, one task": {names[at[1]]},
        "data skew": {names[at[2]], names[at[3]]},
        "slow node": {cluster.host(slow)},
        "failing node": {cluster.host(failing)},
    }


def share(part: int, whole: int) -> str:
    """A share with its 95 % interval (Wilson)."""
    if not whole:
        return "-"
    z = 1.96
    p = part / whole
    middle = (p + z * z / (2 * whole)) / (1 + z * z / whole)
    half = z * math.sqrt(p * (1 - p) / whole + z * z / (4 * whole * whole)) / (1 + z * z / whole)
    return f"{p:.2f} ({max(0, middle - half):.2f}-{min(1, middle + half):.2f})"


def recorded() -> None:
    for name in ("gridmix", "mumak"):
        cluster = imported(SHARED_DATA / "jobtraces" / name)
        print(f"\n{name}: {len(cluster.jobs)} jobs, {len(cluster.hosts)} nodes")
        for kind, subjects in sorted(told(cluster).items()):
            print(f"- {kind}: {len(subjects)} {sorted(subjects)[:4]}")
    ahead(cluster)


def ahead(cluster: Cluster) -> None:
    """Nodes named from the first jobs alone, and how they fared with the jobs after these."""
    jobs = cluster.jobs["job"].tolist()
    for number in (9, 11, 13):
        first = set(jobs[:number])
        rows = cluster.attempts
        before = Cluster(
            cluster.jobs[cluster.jobs["job"].isin(first)],
            rows[rows["job"].isin(first)], cluster.racks, cluster.hosts,
        )  # fmt: skip
        named = told(before)["node"]
        later = rows[~rows["job"].isin(first) & rows["state"].isin(("failed", "succeeded"))]
        hit = later["host"].isin(named)
        bad = later["state"] == "failed"
        print(
            f"named from the first {number} jobs: {len(named)}; of their later attempts"
            f" {ratio(bad[hit])} failed, of those of all other nodes {ratio(bad[~hit])};"
            f" {later.loc[hit, 'host'].nunique()} of the named ran any,"
            f" {later[hit & bad]['host'].nunique()} of these failed one"
        )


def ratio(flags: pd.Series) -> str:
    return f"{int(flags.sum())} of {len(flags)} ({flags.mean():.0%})" if len(flags) else "none"


def imported(folder: Path) -> Cluster:
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(Path(scratch) / "store")
        for _ in import_files([folder], store):
            pass
        return cluster_of(store)


if __name__ == "__main__":
    main()
