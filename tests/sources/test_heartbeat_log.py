"""Logs of JobTrackers and TaskTrackers at DEBUG: a heartbeat, as each of both logged it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from builders.sources_read import read_source

from mprof.peers.detectors.request import Asked
from mprof.peers.published import blimey_hb
from mprof.sources.imports import import_files
from mprof.store import Store

AT_S = datetime.fromisoformat("2010-03-02T10:00:00.000+00:00").timestamp()


def _time(seconds: float) -> str:
    moment = datetime.fromtimestamp(AT_S + round(seconds, 3), tz=UTC)
    return moment.strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]


def _received(seconds: float, host: str, number: int, *, old: bool = False) -> str:
    flags = "" if old else "restarted: false "
    return (
        f"{_time(seconds)} DEBUG org.apache.hadoop.mapred.JobTracker: Got heartbeat from:"
        f" tracker_{host}:localhost/127.0.0.1:40123 ({flags}initialContact: false"
        f" acceptNewTasks: true) with responseId: {number}\n"
    )


def _answered(seconds: float, number: int) -> str:
    return (
        f"{_time(seconds)} DEBUG org.apache.hadoop.mapred.TaskTracker: Got heartbeatResponse from"
        f" JobTracker with responseId: {number} and 1 actions\n"
    )


@pytest.mark.parametrize("old", [True, False])
def test_the_master_logs_the_number_of_the_answer_before(tmp_path: Path, old: bool) -> None:
    log = tmp_path / "hadoop-hdfs-jobtracker-master.log"
    log.write_text(
        _received(0.25, "n1.example.org", 7, old=old)
        + _received(1, "n2", 32767, old=old)
        + f"{_time(2)} INFO org.apache.hadoop.mapred.JobTracker: Adding task\n"
        + f"{_time(3)} DEBUG org.apache.hadoop.mapred.JobTracker: Got heartbeat from: nobody\n"
    )

    kind, tables, losses = read_source(log)

    assert ("JobTracker or TaskTracker log", 1) == (kind, losses.count)
    assert [("n1.example.org", "master", 8), ("n2", "master", -32768)] == [
        (row["host"], row["side"], row["number"]) for row in tables["heartbeat_lines"]
    ]
    assert pytest.approx(AT_S + 0.25, abs=1e-6) == tables["heartbeat_lines"][0]["at_s"]


def test_a_node_logs_the_number_of_the_answer(tmp_path: Path) -> None:
    log = tmp_path / "hadoop-hdfs-tasktracker-n1.example.org.log.2010-03-02"
    log.write_text(_answered(0.5, 8))

    _, tables, losses = read_source(log)

    (row,) = tables["heartbeat_lines"]
    assert ("n1.example.org", "node", 8, 0) == (
        row["host"], row["side"], row["number"], losses.count,
    )  # fmt: skip


def test_two_clocks_that_are_an_hour_apart_and_drift_show_whose_answers_are_late(
    tmp_path: Path,
) -> None:
    # n1 is 40 minutes ahead, and n2 loses a millisecond a second; n3 is sick from the middle on.
    rng = np.random.default_rng(4)
    master = []
    for node, (ahead, drift) in {
        "n1": (2400.0, 0.0), "n2": (0.0, -1e-3), "n3": (-3.0, 0.0), "n4": (0.0, 0.0)
    }.items():  # fmt: skip
        lines = []
        for number in range(200):
            at = 3.0 * number + rng.uniform(0, 0.5)
            late = rng.gamma(2, 0.003) + (rng.exponential(1.5) * (number > 100 and node == "n3"))
            master.append((at, _received(at, node, number)))
            lines.append(_answered(at * (1 + drift) + ahead + late, number + 1))
        (tmp_path / f"hadoop-x-tasktracker-{node}.log").write_text("".join(lines))
    (tmp_path / "hadoop-x-jobtracker-m.log").write_text("".join(line for _, line in sorted(master)))
    store = Store(tmp_path / "store")
    done = list(import_files(sorted(tmp_path.glob("*.log")), store))

    rate, delay = blimey_hb.looks(Asked(store))

    assert [0] * 5 == [one.unread for one in done]
    assert ("rates of TaskTrackers", ()) == (rate.evidence, rate.comparison.indicted)
    assert ("delays of TaskTrackers", ("n3",)) == (delay.evidence, delay.comparison.indicted)
    level = {node.host: node.observations[0].own for node in delay.comparison.nodes}
    assert max(level[host] for host in ("n1", "n2", "n4")) < 0.01 < 0.3 < level["n3"]
