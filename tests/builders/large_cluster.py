"""Attempts of a whole month on a large cluster, as columns: too many to simulate one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mprof.triage import Cluster

__all__ = ["large_cluster"]


def large_cluster(*, jobs: int, nodes: int, seed: int = 0) -> Cluster:
    """Every job with a map on every node, one in eight with reduces too; node 7 is slow."""
    rng = np.random.default_rng(seed)
    hosts = [f"node{number:04d}.cluster.example" for number in range(nodes)]
    names = [f"job_1700000000_{number:04d}" for number in range(1, jobs + 1)]
    parts = []
    for kind, of in (("map", np.arange(jobs)), ("reduce", np.arange(0, jobs, 8))):
        job = np.repeat(of, nodes)
        node = np.tile(np.arange(nodes), len(of))
        rows = len(job)
        seconds = rng.lognormal(3.5, 0.3, rows) * np.where(node == 7, 4.0, 1.0)
        started = 1.7e9 + 600.0 * job + rng.uniform(0, 20, rows)
        state = np.where(rng.random(rows) < 0.003, "failed", "succeeded")
        data = rng.lognormal(18, 0.2, rows).astype(np.int64)
        attempt = pd.Series(np.arange(rows)).astype(str).str.zfill(6)
        parts.append(
            pd.DataFrame(
                {
                    "job": np.array(names)[job],
                    "attempt": "attempt_1700000000_"
                    + pd.Series(np.array([name[-4:] for name in names])[job])
                    + f"_{kind[0]}_" + attempt + "_0",
                    "kind": kind, "host": np.array(hosts)[node], "rack": None,
                    "started_s": started, "finished_s": started + seconds, "state": state,
                    "error": None, "read_bytes": data, "written_bytes": data // 2,
                    "slices_ms": None,
                }
            )
        )  # fmt: skip
    table = pd.DataFrame(
        {
            "job": names, "name": "nightly", "user": [f"user{i % 9}" for i in range(jobs)],
            "submitted_s": 1.7e9 + 600.0 * np.arange(jobs),
            "launched_s": 1.7e9 + 600.0 * np.arange(jobs),
            "finished_s": 1.7e9 + 600.0 * np.arange(jobs) + 300, "state": "succeeded",
            "maps": nodes, "reduces": 0,
        }
    )  # fmt: skip
    racks = pd.Series([f"rack{number // 40:02d}" for number in range(nodes)], index=hosts)
    return Cluster(table, pd.concat(parts, ignore_index=True), racks, tuple(hosts))
