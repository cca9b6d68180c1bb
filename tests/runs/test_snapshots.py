"""What is read from a dump is kept beside it; the dump goes only where that worked."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.attempts import EventWriter
from builders.hprof_builder import Builder
from builders.snapshots import snapshot

from mprof.engines import MAPREDUCE, UserClasses
from mprof.runs import snapshots
from mprof.trace import read_trace

PROBE = "probe-before_record-1.hprof"


def test_a_snapshot_that_cannot_be_saved_says_so_and_leaves_nothing_behind(tmp_path: Path) -> None:
    assert not snapshots.save_snapshot(tmp_path / "gone" / "snapshot-x.json", snapshot("x", ()))
    assert snapshots.save_snapshot(tmp_path / "snapshot-x.json", snapshot("x", ()))
    assert [each.name for each in tmp_path.iterdir()] == ["snapshot-x.json"]


@pytest.mark.parametrize("saved", [True, False])
def test_the_dump_of_a_probe_goes_once_its_snapshot_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved: bool
) -> None:
    folder = EventWriter("attempt_1_0001_m_000000_0").write(tmp_path)
    (folder / PROBE).write_bytes(Builder().build())
    if not saved:
        monkeypatch.setattr(snapshots, "save_snapshot", lambda path, snapshot: False)

    found, _ = snapshots.read_snapshots(
        read_trace(folder), folder, UserClasses(MAPREDUCE), lambda name: None
    )

    assert [each.point.name for each in found] == ["probe-before_record-1"]
    assert (folder / PROBE).exists() is not saved


def _of_version_1(folder: Path, name: str) -> Path:
    path = folder / f"snapshot-{name}.json"
    text = '{"version": 1, "holders": [{"key": "field com.Acme.jobs.Job.counts"}]}'
    path.write_text(text, encoding="utf-8")
    return path


def test_an_older_snapshot_whose_dump_is_gone_is_a_loss_with_a_next_step(tmp_path: Path) -> None:
    folder = EventWriter("attempt_1_0001_m_000000_0").write(tmp_path)
    _of_version_1(folder, "oom")

    found, losses = snapshots.read_snapshots(
        read_trace(folder), folder, UserClasses(MAPREDUCE), lambda name: None
    )

    assert found == ()
    (line,) = losses
    assert "snapshot-oom.json is of format 1, this mprof reads format 2" in line
    assert "Next step: " in line


def test_the_dump_of_an_older_snapshot_is_read_again(tmp_path: Path) -> None:
    folder = EventWriter("attempt_1_0001_m_000000_0").write(tmp_path)
    (folder / PROBE).write_bytes(Builder().build())
    path = _of_version_1(folder, "probe-before_record-1")

    for _ in range(2):  # the second time from the new snapshot
        found, losses = snapshots.read_snapshots(
            read_trace(folder), folder, UserClasses(MAPREDUCE), lambda name: None
        )
        assert [each.point.name for each in found] == ["probe-before_record-1"]
        assert losses == ()
    assert '"version": 2' in path.read_text(encoding="utf-8")
