"""Output folders: moved aside only where that is certainly safe."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from mprof.errors import ClusterError
from mprof.hadoop import Cluster, FileStatus
from mprof.history import read_conf
from mprof.runs.outputs import (
    OUTPUT_PROPERTY,
    JobOutput,
    check_outputs,
    move_outputs_aside,
    written_for_good,
)

STARTED = 1_000_000
OUT = JobOutput(uri="file:/data/out", not_before_ms=STARTED)
COMMAND = ("hadoop", "jar", "x.jar", "in", "/data/out")


@dataclass
class Folders:
    """A cluster that only knows folders: name to (entry, modification time)."""

    folders: dict[str, list[tuple[str, int]]] = field(default_factory=dict)

    def exists(self, uri: str) -> bool:
        return uri in self.folders

    def list(self, uri: str) -> tuple[FileStatus, ...]:
        return tuple(
            FileStatus(uri=f"{uri}/{name}", is_folder=False, size_bytes=1, modified_ms=at)
            for name, at in self.folders[uri]
        )

    def rename(self, source: str, target: str) -> None:
        self.folders[target] = self.folders.pop(source)


def _cluster(**folders: list[tuple[str, int]]) -> Cluster:
    named = {f"file:/data/{name}": entries for name, entries in folders.items()}
    return cast("Cluster", Folders(named))


def test_what_the_recorded_run_left_is_moved_beside() -> None:
    cluster = _cluster(out=[("_temporary", STARTED + 5000)])

    moved = move_outputs_aside(cluster, check_outputs(cluster, [OUT], COMMAND, same=True))

    assert ["file:/data/out.mprof-aside-1"] == [m.now_at for m in moved]
    assert not cluster.exists("file:/data/out")


def test_a_second_rerun_takes_the_next_free_name() -> None:
    cluster = _cluster(out=[], **{"out.mprof-aside-1": []})

    moved = move_outputs_aside(cluster, [OUT.uri])

    assert ["file:/data/out.mprof-aside-2"] == [m.now_at for m in moved]


def test_a_finished_output_is_refused() -> None:
    cluster = _cluster(out=[("_SUCCESS", STARTED + 5000)])

    with pytest.raises(ClusterError, match="_SUCCESS"):
        check_outputs(cluster, [OUT], COMMAND, same=True)


def test_an_output_that_was_there_before_is_refused() -> None:
    cluster = _cluster(out=[("part-00000", STARTED - 60_000), ("_temporary", STARTED + 1)])

    with pytest.raises(ClusterError, match="older than the failed run"):
        check_outputs(cluster, [OUT], COMMAND, same=True)


def test_an_output_that_the_new_command_does_not_name_is_left_alone() -> None:
    cluster = _cluster(out=[("_SUCCESS", STARTED)])
    elsewhere = ("hadoop", "jar", "x.jar", "in", "/data/other")

    assert () == check_outputs(cluster, [OUT], elsewhere, same=False)


def test_nothing_is_in_the_way_where_nothing_is() -> None:
    assert () == check_outputs(_cluster(), [OUT], COMMAND, same=True)


_DATABASE = "org.apache.hadoop.mapreduce.lib.db.DBOutputFormat"


@pytest.mark.parametrize(
    ("settings", "writes"),
    [
        ({"mapreduce.job.outputformat.class": _DATABASE}, _DATABASE),
        ({"mapred.output.format.class": "com.acme.ToKafka"}, "com.acme.ToKafka"),
        ({"mapreduce.job.outputformat.class": "com.acme.Rows", OUTPUT_PROPERTY: "/out"}, None),
        (
            {
                "mapreduce.job.outputformat.class": (
                    "org.apache.hadoop.mapreduce.lib.output.NullOutputFormat"
                )
            },
            None,
        ),
        (
            {"mapred.output.format.class": "org.apache.hadoop.hive.ql.io.HiveOutputFormatImpl"},
            None,
        ),
        ({"mapreduce.job.name": "x"}, None),
    ],
)
def test_what_a_writer_keeps_before_its_task_commits_is_told_by_the_output_format(
    tmp_path: Path, settings: dict[str, str], writes: str | None
) -> None:
    properties = "".join(
        f"<property><name>{name}</name><value>{value}</value></property>"
        for name, value in settings.items()
    )
    conf = tmp_path / "conf.xml"
    conf.write_text(f"<configuration>{properties}</configuration>", encoding="utf-8")

    assert written_for_good(read_conf(conf)) == writes
