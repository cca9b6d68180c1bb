"""Files in log folders of this machine are copied, and those that may be moved are moved."""

from __future__ import annotations

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
