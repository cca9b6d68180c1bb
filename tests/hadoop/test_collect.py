"""Files in log folders of this machine are copied, and those that may be moved are moved.

Aggregated logs are waited for, but only once, and one container's do not cost another's.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from mprof.errors import ClusterError, EvidenceError, MprofError
from mprof.hadoop.collect import ContainerLogs, attempt_folders
from mprof.hadoop.gateway import GatewayGoneError
from mprof.hadoop.values import AttemptStatus

CONTAINER = "container_1_0001_01_000002"
ATTEMPT = AttemptStatus(
    "attempt_1_0001_m_000000_0", "MAP", "FAILED", CONTAINER, None, "", None, None
)


@pytest.mark.parametrize(
    ("move", "left"),
    [
        (None, {"syslog", "probe-x.hprof", "oom-x.hprof"}),
        ("probe-*.hprof", {"syslog", "oom-x.hprof"}),
    ],
)
def test_all_files_are_fetched_and_those_to_be_moved_leave_the_nodes_folder(
    move: str | None, left: set[str], tmp_path: Path
) -> None:
    folder = tmp_path / "logs-1" / "application_1_0001" / CONTAINER
    folder.mkdir(parents=True)
    names = {"syslog", "probe-x.hprof", "oom-x.hprof"}
    for name in names:
        (folder / name).write_text(f"bytes of {name}")
    logs = ContainerLogs(cast("Any", None), [tmp_path / "logs-0", tmp_path / "logs-1"], False)

    fetched = attempt_folders(logs, [ATTEMPT], user="me", into=tmp_path / "into", move=move)

    target = fetched[ATTEMPT.attempt_id]
    assert {f"bytes of {name}" for name in names} == {p.read_text() for p in target.iterdir()}
    assert left == {p.name for p in folder.iterdir()}


def test_a_file_that_cannot_be_copied_costs_no_other_and_stays_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "logs" / "application_1_0001" / CONTAINER
    folder.mkdir(parents=True)
    for name, size in (("probe-x.hprof", 300), ("events.jsonl", 20), ("syslog", 10)):
        (folder / name).write_bytes(b"x" * size)
    copied: list[str] = []

    def full(file: Path, target: Path) -> None:
        if file.stat().st_size > 100:
            Path(target).write_bytes(b"xxx")
            raise OSError(errno.ENOSPC, "No space left on device")
        copied.append(file.name)
        Path(target).write_bytes(file.read_bytes())

    monkeypatch.setattr("mprof.hadoop.collect.shutil.copy2", full)
    lost: list[str] = []

    fetched = attempt_folders(
        ContainerLogs(cast("Any", None), [tmp_path / "logs"], False), [ATTEMPT],
        user="me", into=tmp_path / "into", move="probe-*.hprof", on_loss=lost.append,
    )  # fmt: skip

    assert copied == ["syslog", "events.jsonl"]
    assert {p.name for p in fetched[ATTEMPT.attempt_id].iterdir()} == set(copied)
    assert lost == [f"{ATTEMPT.attempt_id}: probe-x.hprof was not copied: No space left on device"]
    assert (folder / "probe-x.hprof").stat().st_size == 300


@dataclass
class _Aggregation:
    """A gateway and a clock; a container's logs are there from a time on, or an error is.

    Attributes:
        there: container -> the second from which its logs are there, or the error.
        now: seconds since the beginning; only waiting takes time.
        asked: the containers in the order in which they were asked for.
    """

    there: dict[str, float | MprofError]
    now: float = 0.0
    asked: list[str] = field(default_factory=list)

    def call(self, method: str, container: str, _node: str, _user: str, folder: str) -> int:
        assert method == "containerLogs"
        self.asked.append(container)
        there = self.there.get(container, float("inf"))
        if isinstance(there, MprofError):
            raise there
        if self.now < there:
            return 0
        (Path(folder) / "syslog").write_text(container)
        return 1

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def _container(number: int) -> str:
    return f"container_1_0001_01_{number:06d}"


def _attempts(*states: str) -> list[AttemptStatus]:
    return [
        AttemptStatus(
            f"attempt_1_0001_m_{number:06d}_0", "MAP", state, _container(number),
            "host:1", "", None, None,
        )
        for number, state in enumerate(states)
    ]  # fmt: skip


Fetch = Callable[[_Aggregation, list[AttemptStatus]], tuple[dict[str, Path], list[str]]]


@pytest.fixture
def fetch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fetch]:
    def fetched(
        cluster: _Aggregation, attempts: list[AttemptStatus]
    ) -> tuple[dict[str, Path], list[str]]:
        monkeypatch.setattr("mprof.hadoop.collect.time", cluster)
        lost: list[str] = []
        logs = ContainerLogs(cast("Any", cluster), None, aggregation=True)
        into = tmp_path / "into"
        return attempt_folders(logs, attempts, user="me", into=into, on_loss=lost.append), lost

    return fetched


def test_logs_that_come_late_are_waited_for(fetch: Fetch) -> None:
    attempts = _attempts("SUCCEEDED", "SUCCEEDED")

    found, lost = fetch(_Aggregation({_container(0): 40.0, _container(1): 50.0}), attempts)

    assert sorted(found) == [each.attempt_id for each in attempts]
    assert lost == []


def test_logs_that_never_come_are_waited_for_once_and_each_failed_attempt_is_a_loss(
    fetch: Fetch, tmp_path: Path
) -> None:
    attempts = _attempts("FAILED", "FAILED", *["SUCCEEDED"] * 98)
    cluster = _Aggregation({_container(99): 0.0})

    found, lost = fetch(cluster, attempts)

    assert cluster.now < 62
    assert list(found) == ["attempt_1_0001_m_000099_0"]
    assert [each.split(": ")[0] for each in lost] == [
        "attempt_1_0001_m_000000_0",
        "attempt_1_0001_m_000001_0",
        "attempt_1_0001_m_000002_0 (and 96 other attempts that did not fail)",
    ]
    assert all("the cluster has no logs of it" in each for each in lost)
    assert [each.name for each in (tmp_path / "into").iterdir()] == list(found)


def test_failed_attempts_come_first(fetch: Fetch) -> None:
    cluster = _Aggregation({_container(number): 0.0 for number in range(4)})

    fetch(cluster, _attempts("SUCCEEDED", "FAILED", "KILLED", "TIPFAILED"))

    assert cluster.asked == [_container(number) for number in (1, 3, 0, 2)]


@pytest.mark.parametrize(
    "error",
    [
        EvidenceError("permission denied: user=me", next_step="ask for access"),
        ClusterError("IllegalArgumentException: x", next_step="see the logs of the cluster"),
    ],
)
def test_an_error_of_one_container_is_a_loss_and_not_the_end_of_the_others(
    fetch: Fetch, error: MprofError
) -> None:
    cluster = _Aggregation({_container(0): error, _container(1): 0.0})

    found, lost = fetch(cluster, _attempts("FAILED", "SUCCEEDED"))

    assert list(found) == ["attempt_1_0001_m_000001_0"]
    assert lost == [f"attempt_1_0001_m_000000_0: its logs cannot be read: {error}"]
    assert cluster.now == 0


def test_a_gateway_that_is_gone_is_not_asked_for_the_others(fetch: Fetch) -> None:
    gone = GatewayGoneError("the connection was lost", next_step="run the command again")
    cluster = _Aggregation({_container(0): gone, _container(1): 0.0})

    with pytest.raises(GatewayGoneError):
        fetch(cluster, _attempts("FAILED", "SUCCEEDED"))

    assert cluster.asked == [_container(0)]
