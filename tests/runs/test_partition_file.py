"""A partition file is made of the samples of all map tasks, or not at all."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest
from builders.attempts import EventWriter
from builders.evidence import reduce_attempt

from mprof.diagnosis import diagnose
from mprof.errors import ClusterError
from mprof.hadoop import Cluster
from mprof.history import JobHistory
from mprof.job_run import JobRun, PartitionFile
from mprof.runs.capture import JobFolder
from mprof.runs.observer import SilentObserver
from mprof.runs.partition_file import add_partition_file, read_partition_file
from mprof.trace import Trace, read_trace

JOB = "1700000000000_0001"


@dataclass
class Writing:
    """A cluster that writes the given file, and keeps the arguments."""

    fails: bool = False
    asked: dict[str, Any] = field(default_factory=dict)

    def partition_file(
        self, conf_xml: Path, jars: str, histogram: Path, target: Path, *, partitions: int
    ) -> tuple[int, ...]:
        if self.fails:
            raise ClusterError("no class com.example.Key", next_step="")
        self.asked = {
            "conf": conf_xml.name, "jars": jars, "partitions": partitions,
            "histogram": histogram.read_text().splitlines(),
        }  # fmt: skip
        target.write_bytes(b"SEQ")
        return (5, 4)


def sampled(folder: Path, index: int, keys: list[tuple[bytes, int]] | None) -> Trace:
    writer = EventWriter(f"attempt_{JOB}_m_{index:06d}_0")
    if keys is not None:
        members = [[base64.b64encode(key).decode(), records] for key, records in keys]
        writer.add("key_sample", records=sum(n for _, n in keys), keys=members)
    return read_trace(writer.write(folder))


def recorded(*traces: Trace, mode: Any = "profile", maps: int = 2) -> JobRun:
    history = JobHistory("avro-binary", f"job_{JOB}", total_maps=maps, total_reduces=2)
    return JobRun(f"job_{JOB}", mode, history=history, traces=traces)


def add(
    folder: Path,
    cluster: Writing,
    *job_runs: JobRun,
    command: tuple[str, ...] = (),
    conf: dict[str, str] | None = None,
) -> PartitionFile | None:
    (folder / f"job_{JOB}_conf.xml").write_text("<configuration/>")
    evidence = replace(reduce_attempt(), reducers=2, conf=conf or {})
    return add_partition_file(
        cast("Cluster", cluster),
        JobFolder(f"job_{JOB}", folder),
        job_runs,
        diagnose(evidence),
        command,
        SilentObserver(),
    )


def test_samples_of_all_maps_and_the_jars_of_the_command_go_into_the_file(tmp_path: Path) -> None:
    job, lib = tmp_path / "job.jar", tmp_path / "lib.jar"
    job.touch()
    lib.touch()
    command = ("hadoop", "jar", str(job), "Main", "-libjars", f"{lib},gone.jar", "in", "out")
    traces = (
        sampled(tmp_path / "0", 0, [(b"\x02ab", 3)]),
        sampled(tmp_path / "1", 1, [(b"\x00", 2), (b"\xff\n", 4)]),
    )
    cluster = Writing()

    made = add(tmp_path, cluster, recorded(*traces), command=command)

    assert cluster.asked == {
        "conf": f"job_{JOB}_conf.xml",
        "jars": f"{job}:{lib}",
        "partitions": 2,
        "histogram": ["AmFi\t3", "AA==\t2", "/wo=\t4"],
    }
    assert made == PartitionFile((tmp_path / "_partition.lst").as_uri(), (5, 4))
    assert (made, ()) == read_partition_file(tmp_path)


def test_the_newest_run_that_sampled_every_map_counts(tmp_path: Path) -> None:
    old = recorded(sampled(tmp_path / "0", 0, [(b"a", 1)]), sampled(tmp_path / "1", 1, [(b"b", 1)]))
    half = recorded(sampled(tmp_path / "2", 0, [(b"z", 9)]), sampled(tmp_path / "3", 1, None))
    cluster = Writing()

    assert add(tmp_path, cluster, old, half)

    assert cluster.asked["histogram"] == ["YQ==\t1", "Yg==\t1"]


@pytest.mark.parametrize("fails", [True, False])
def test_a_file_that_cannot_be_made_costs_nothing(fails: bool, tmp_path: Path) -> None:
    keys = [(b"a", 1)] if fails else None  # the cluster refuses; nobody sampled keys
    run = recorded(sampled(tmp_path / "0", 0, keys), maps=1)

    assert not add(tmp_path, Writing(fails=fails), run)
    assert read_partition_file(tmp_path) == (None, ())


def test_keys_that_the_job_groups_by_a_comparator_of_its_own_are_not_cut(tmp_path: Path) -> None:
    run = recorded(sampled(tmp_path / "0", 0, [(b"a", 1)]), maps=1)
    conf = {"mapreduce.job.output.group.comparator.class": "com.example.ByUser"}

    assert not add(tmp_path, Writing(), run, conf=conf)
    assert add(tmp_path, Writing(), run)
