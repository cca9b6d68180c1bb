"""A clean deletes what can be had again, keeps the rest, and says both."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import msgspec
import pytest
from builders.snapshots import snapshot

from mprof.cli.clean import clean as clean_command
from mprof.errors import UsageError
from mprof.hadoop import state
from mprof.io.base_folders import cache_folder
from mprof.runs.capture import Capture, create_capture
from mprof.runs.cleaning import clean
from mprof.runs.locking import adding_to
from mprof.runs.snapshots import save_snapshot, snapshot_file


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, variable in (("cache", "XDG_CACHE_HOME"), ("state", "XDG_STATE_HOME")):
        monkeypatch.setenv(variable, str(tmp_path / name))
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))


def _capture(path: Path) -> tuple[Capture, Path]:
    """A capture, and the folder of its only attempt."""
    capture = create_capture(path)
    folder = (
        path / "runs" / "001" / "jobs" / "job_1_0001" / "attempts" / "attempt_1_0001_m_000000_0"
    )
    folder.mkdir(parents=True)
    return capture, folder


def _dump(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(b"JAVA PROFILE 1.0.2\0")
    return path


def _filled_cache() -> Path:
    file = cache_folder() / "clusters" / "cluster-x" / "gateway.jar"
    file.parent.mkdir(parents=True)
    file.write_bytes(bytes(2048))
    return file


@pytest.mark.parametrize(
    "name", ["oom.hprof", "oom.hprof.gz", "oom.hprof.p0", "oom.hprof.p12", "oom.hprof.gz.p1"]
)
def test_a_dump_whose_diagnosis_is_kept_is_deleted(tmp_path: Path, name: str) -> None:
    capture, folder = _capture(tmp_path / "capture")
    assert save_snapshot(snapshot_file(folder, "oom"), snapshot("oom", ()))
    dump = _dump(folder, name)

    shown = clean([capture.path], pretend=True)
    assert dump.exists()
    done = clean([capture.path], pretend=False)

    assert shown == done
    assert [(one.path, one.size_bytes) for one in done.deleted] == [(dump, 19)]
    assert done.kept == ()
    assert [each.name for each in folder.iterdir()] == ["snapshot-oom.json"]


@pytest.mark.parametrize("beside", [None, b'{"version": 1, "point": {"name": "oom"}}', b"{"])
def test_a_dump_without_a_readable_snapshot_is_kept_with_the_next_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], beside: bytes | None
) -> None:
    capture, folder = _capture(tmp_path / "capture")
    dump = _dump(folder, "oom.hprof")
    if beside is not None:
        snapshot_file(folder, "oom").write_bytes(beside)

    clean_command([capture.path], pretend=False)

    assert dump.exists()
    said = capsys.readouterr()
    assert said.out == "freed 0 B in 0 paths\n"
    assert f"{dump} is kept: no snapshot of it can be read" in said.err
    assert f"Next step: mprof diagnose {capture.path}" in said.err


def test_a_snapshot_of_this_version_that_lacks_a_field_keeps_the_dump(tmp_path: Path) -> None:
    capture, folder = _capture(tmp_path / "capture")
    dump = _dump(folder, "oom.hprof")
    whole = msgspec.json.decode(msgspec.json.encode(snapshot("oom", ())), type=dict[str, object])
    del whole["holders"]
    snapshot_file(folder, "oom").write_bytes(msgspec.json.encode(whole))

    assert [one.path for one in clean([capture.path], pretend=False).kept] == [dump]
    assert dump.exists()


@pytest.mark.parametrize("name", ["notes-on-oom.hprof.md", "oom.hprof.bak", "oom.hprofile"])
def test_what_is_no_dump_of_an_attempt_is_left_alone(tmp_path: Path, name: str) -> None:
    capture, folder = _capture(tmp_path / "capture")
    for point in ("oom", "notes-on-oom"):
        assert save_snapshot(snapshot_file(folder, point), snapshot(point, ()))
    files = [folder / name, capture.path / "oom.hprof", folder.parent / "oom.hprof"]
    for file in files:
        file.write_bytes(b"mine")

    done = clean([capture.path], pretend=False)

    assert (done.deleted, done.kept) == ((), ())
    assert all(file.exists() for file in files)


def test_of_a_capture_at_work_nothing_is_deleted_nor_of_those_beside_it(tmp_path: Path) -> None:
    captures = [_capture(tmp_path / name) for name in ("a", "b")]
    dumps = [_dump(folder, "oom.hprof") for _, folder in captures]
    for _, folder in captures:
        assert save_snapshot(snapshot_file(folder, "oom"), snapshot("oom", ()))

    paths = [capture.path for capture, _ in captures]
    with adding_to(captures[1][0], new=False):
        with pytest.raises(UsageError, match="another mprof is working on the capture") as refused:
            clean(paths, pretend=False)
        assert refused.value.next_step == "wait until it has ended"
        assert all(dump.exists() for dump in dumps)

    # One that is named twice does not stand in its own way.
    assert [one.path for one in clean([*paths, paths[0]], pretend=False).deleted] == dumps


def test_the_cache_goes(capsys: pytest.CaptureFixture[str]) -> None:
    _filled_cache()

    clean_command(None, pretend=False)

    assert not cache_folder().exists()
    assert capsys.readouterr().out == f"{cache_folder()}  2.0 KB\nfreed 2.0 KB in 1 path\n"


def test_the_cache_stays_while_a_cluster_is_being_started(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = _filled_cache()

    with state.locked():
        clean_command(None, pretend=False)

    assert file.exists()
    said = capsys.readouterr()
    assert said.out == "freed 0 B in 0 paths\n"
    assert "an embedded cluster is being started, joined or stopped" in said.err


def test_no_cluster_is_started_while_the_cache_is_being_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _filled_cache()
    lock = state.state_folder() / "cluster.lock"
    ended: list[int] = []

    def delete(_path: Path, **_how: object) -> None:
        ended.append(subprocess.run(["flock", "-n", str(lock), "true"], check=False).returncode)

    monkeypatch.setattr("mprof.runs.cleaning.shutil.rmtree", delete)
    clean([], pretend=False)

    assert ended == [1]


def test_of_a_cache_that_is_a_link_nothing_is_said_to_be_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = _filled_cache()
    elsewhere = tmp_path / "elsewhere"
    cache_folder().rename(elsewhere)
    cache_folder().symlink_to(elsewhere)

    clean_command(None, pretend=False)

    assert (elsewhere / file.relative_to(cache_folder())).exists()
    said = capsys.readouterr()
    assert said.out == "freed 0 B in 0 paths\n"
    assert f"{cache_folder()} is kept: it is a link to {elsewhere}" in said.err


def test_what_of_the_cache_cannot_be_deleted_is_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left = _filled_cache()
    gone = left.with_name("site.xml")
    gone.write_bytes(bytes(24))
    monkeypatch.setattr("mprof.runs.cleaning.shutil.rmtree", lambda _path, **_how: gone.unlink())

    done = clean([], pretend=False)

    assert [(one.path, one.size_bytes) for one in done.deleted] == [(cache_folder(), 24)]
    assert [(one.path, one.why) for one in done.kept] == [
        (cache_folder(), "2.0 KB of it cannot be deleted")
    ]


def test_a_dump_that_cannot_be_deleted_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture, folder = _capture(tmp_path / "capture")
    assert save_snapshot(snapshot_file(folder, "oom"), snapshot("oom", ()))
    dump = _dump(folder, "oom.hprof")

    def refuse(_path: Path, **_how: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    done = clean([capture.path], pretend=False)

    assert done.deleted == ()
    assert [(one.path, one.why) for one in done.kept] == [
        (dump, "it cannot be deleted: Permission denied")
    ]


def test_faults_of_other_users_are_left_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Path(tempfile.gettempdir()) / "mprof-fault-x.txt"
    fault.write_text("mprof 1")
    cached = _filled_cache()
    mine = os.getuid()

    monkeypatch.setattr("mprof.runs.cleaning.os.getuid", lambda: mine + 1)
    clean([], pretend=False)
    assert (fault.exists(), cached.exists()) == (True, False)

    monkeypatch.setattr("mprof.runs.cleaning.os.getuid", lambda: mine)
    assert [one.path for one in clean([], pretend=False).deleted] == [fault]
