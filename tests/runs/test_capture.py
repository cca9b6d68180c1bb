"""The capture folder: only ever added to, and clear about what it is not."""

from __future__ import annotations

import stat
import time
from pathlib import Path

import pytest
from builders.snapshots import snapshot
from fuzz.worlds import a_dump
from msgspec.structs import replace

from mprof.errors import EvidenceError, UsageError
from mprof.io.secrets import mask_command, mask_text
from mprof.runs.capture import (
    RunManifest,
    create_capture,
    open_capture,
    write_manifest,
)
from mprof.runs.cleaning import clean
from mprof.runs.load import load_job
from mprof.runs.observer import SilentObserver
from mprof.runs.snapshots import save_snapshot, snapshot_file

JOB = "runs/001/jobs/job_1_0001"
ATTEMPT = f"{JOB}/attempts/attempt_1_0001_m_000000_0"


def _record(mode: str = "watch") -> RunManifest:
    return RunManifest(
        mode=mode,  # type: ignore[arg-type]
        command=("hadoop", "jar", "x.jar"),
        job_ids=("job_1_0001",),
        exit_code=1,
        seconds={"run": 1.0},
        started_ms=1,
        why="a test",
    )


def test_a_new_capture_is_private(tmp_path: Path) -> None:
    capture = create_capture(tmp_path / "c")

    assert 0o700 == stat.S_IMODE(capture.path.stat().st_mode)


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")

    with pytest.raises(UsageError, match="not empty"):
        create_capture(tmp_path)

    assert "precious" == (tmp_path / "mine.txt").read_text()


def test_a_capture_whose_only_run_never_finished_is_gone_on_with(tmp_path: Path) -> None:
    create_capture(tmp_path / "c").new_run_folder()

    assert "002" == create_capture(tmp_path / "c").new_run_folder().name


def test_a_capture_with_a_finished_run_is_refused(tmp_path: Path) -> None:
    write_manifest(create_capture(tmp_path / "c").new_run_folder(), _record())

    with pytest.raises(UsageError, match="not empty"):
        create_capture(tmp_path / "c")


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(UsageError, match="cannot be written"):
        create_capture(tmp_path / "file" / "below")


def test_runs_are_numbered_and_only_added(tmp_path: Path) -> None:
    capture = create_capture(tmp_path / "c")
    for mode in ("watch", "profile"):
        write_manifest(capture.new_run_folder(), _record(mode))

    assert [(1, "watch"), (2, "profile")] == [(r.number, r.manifest.mode) for r in capture.runs]


def test_a_run_that_was_cut_short_is_left_out_and_its_number_is_not_used_again(
    tmp_path: Path,
) -> None:
    capture = create_capture(tmp_path / "c")
    capture.new_run_folder()
    write_manifest(capture.new_run_folder(), _record())

    assert [2] == [run.number for run in capture.runs]
    assert "003" == capture.new_run_folder().name


def test_a_capture_without_a_finished_run_says_so(tmp_path: Path) -> None:
    capture = create_capture(tmp_path / "c")

    with pytest.raises(EvidenceError, match="no finished run"):
        _ = capture.latest


@pytest.mark.parametrize("content", ["", "{", '{"format": 99, "mprof": "9.9"}', '{"mprof": 1}'])
def test_a_broken_or_newer_capture_is_one_clear_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "capture.json").write_text(content)

    with pytest.raises(EvidenceError):
        open_capture(tmp_path)


@pytest.mark.parametrize(
    "strange", ["", "..", "../../../../etc", "/etc", "job_1_0001/..", "job_1\n_0001", "job_" * 40]
)
def test_a_job_in_run_json_names_a_folder_of_the_capture_and_no_other(
    tmp_path: Path, strange: str
) -> None:
    capture = create_capture(tmp_path / "c")
    write_manifest(capture.new_run_folder(), replace(_record(), job_ids=("job_1_0001", strange)))

    with pytest.raises(EvidenceError, match="is no id of a job"):
        _ = capture.runs


@pytest.mark.parametrize(
    "place", ["runs", "runs/001", "runs/001/jobs", f"{JOB}", f"{JOB}/attempts", ATTEMPT]
)
def test_nothing_is_written_or_deleted_where_a_link_leads_out_of_a_capture(
    tmp_path: Path, place: str
) -> None:
    capture = create_capture(tmp_path / "c")
    write_manifest(capture.new_run_folder(), _record())
    attempt = capture.path / ATTEMPT
    attempt.mkdir(parents=True)
    for name in ("probe-before_record-3", "oom-a"):
        (attempt / f"{name}.hprof").write_bytes(a_dump())
    save_snapshot(snapshot_file(attempt, "oom-a"), snapshot("oom-a", []))
    outside = tmp_path / "outside"
    (capture.path / place).rename(outside)
    (capture.path / place).symlink_to(outside)
    before = _contents(outside)

    clean([capture.path], pretend=False)
    try:
        said = "".join(load_job(capture.runs[0].jobs[0], "watch", SilentObserver()).losses)
    except EvidenceError as error:
        said = error.what

    assert "link" in said
    assert _contents(outside) == before


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_something_else_is_not_taken_for_a_capture(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="not a capture"):
        open_capture(tmp_path)


@pytest.mark.parametrize(
    ("word", "masked"),
    [
        ("-Ddb.password=abc", "-Ddb.password=***"),
        ("fs.s3a.secret.key=abc", "fs.s3a.secret.key=***"),
        ("-Dfs.azure.account.key.mine.net=a=b=", "-Dfs.azure.account.key.mine.net=***"),
        ("fs.s3a.session.token=abc", "fs.s3a.session.token=***"),
        ("fs.s3a.encryption.key=abc", "fs.s3a.encryption.key=***"),
        ("--passwd=a b", "--passwd=***"),
        ("jdbc:hive2://h/db;user=me;pwd=abc", "jdbc:hive2://h/db;user=me;pwd=***"),
        ("s3a://ID:abc@bucket/in", "s3a://ID:***@bucket/in"),
        (
            "-Dmapreduce.map.java.opts=-Xmx1g -Djavax.net.ssl.keyStorePassword=abc -Dx=1",
            "-Dmapreduce.map.java.opts=-Xmx1g -Djavax.net.ssl.keyStorePassword=*** -Dx=1",
        ),
        ("hdfs://host:9000/in", "hdfs://host:9000/in"),
        ("-Dmapreduce.job.reduces=4", "-Dmapreduce.job.reduces=4"),
        ("in=out", "in=out"),
    ],
)
def test_secrets_on_the_command_line_are_not_kept(word: str, masked: str) -> None:
    assert (masked,) == mask_command([word])


def test_what_follows_an_option_for_a_secret_is_one() -> None:
    command = ["sqoop", "--password", "abc", "-db-token", "x y", "--password-file", "-v", "in"]

    masked = ("sqoop", "--password", "***", "-db-token", "***", "--password-file", "-v", "in")
    assert mask_command(command) == masked


@pytest.mark.parametrize("text", ["a1b2" * 200_000, "token" * 100_000, "://x" * 100_000])
def test_long_values_are_searched_in_linear_time(text: str) -> None:
    started = time.process_time()

    assert mask_text(text) == text
    assert time.process_time() - started < 5  # quadratic: minutes
