"""Jobs that a command prints: which of them can be its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from mprof.errors import ClusterError, EvidenceError
from mprof.hadoop import Cluster
from mprof.hadoop.gateway import NotFoundError

OWN, PRINTED = "job_1700000000000_0007", "job_1700000000000_0042"


class Gateway:
    """Knows the job with the command's tag; of the one that is printed it says what it is told."""

    def __init__(self, printed: Mapping[str, object] | Exception) -> None:
        self.printed = printed

    def ask(self, name: str, *arguments: str) -> object:
        if name == "siteProperties":
            return {"values": {}, "final": []}
        if name == "applicationsTagged":
            return [
                {"application_id": OWN.replace("job", "application"), "job_id": OWN,
                 "type": "MAPREDUCE", "name": "own", "state": "FAILED"}
            ]  # fmt: skip
        assert (name, arguments) == ("job", (PRINTED,))
        if isinstance(self.printed, Exception):
            raise self.printed
        return {"job_id": PRINTED, **self.printed}


@pytest.mark.parametrize(
    ("printed", "jobs", "said"),
    [
        # by any clock, later than this test
        ({"state": "RUNNING", "submit_time_ms": 4_000_000_000_000}, (OWN, PRINTED), ""),
        # the ResourceManager has forgotten when
        ({"state": "SUCCEEDED", "submit_time_ms": 0}, (OWN, PRINTED), ""),
        (ClusterError("the cluster cannot be reached", next_step="wait"), (OWN, PRINTED), ""),
        (EvidenceError("permission denied", next_step="ask for access"), (OWN, PRINTED), ""),
        (
            NotFoundError("there is no such job", next_step="check the id"),
            (OWN,),
            "is no job of this cluster",
        ),
        ({"state": "FAILED", "submit_time_ms": 1_700_000_000_000}, (OWN,), "before it began"),
    ],
)
def test_a_job_of_another_cluster_or_of_an_old_log_is_not_waited_for(
    printed: Mapping[str, object] | Exception, jobs: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    conf, scratch = tmp_path / "conf", tmp_path / "scratch"
    conf.mkdir()
    scratch.mkdir()
    cluster = Cluster(Gateway(printed), conf, scratch=scratch, embedded=None)  # type: ignore[arg-type]
    lines: list[str] = []

    line = f"24/01/01 00:00:00 INFO mapreduce.Job: Running job: {PRINTED}"
    done = cluster.submit(["echo", line], on_line=lines.append)

    assert done.job_ids == jobs
    assert done.untagged_job_ids == jobs[1:]
    assert [each for each in lines if "which the command printed" in each] == (
        [each for each in lines if each.endswith(said)] if said else []
    )
