"""Files in log folders of this machine are copied, and those that may be moved are moved."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any, cast

import pytest

from mprof.hadoop import AttemptStatus
from mprof.hadoop.collect import ContainerLogs, attempt_folders

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
