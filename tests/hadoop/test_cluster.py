"""Real jobs on the embedded cluster, which also serves as a real one through its own client."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders.jvm import SOON_OVER

from mprof.errors import ClusterError, EvidenceError, UsageError
from mprof.hadoop import (
    Cluster,
    EmbeddedCluster,
    JobStatus,
    Submission,
    cluster_start,
    cluster_stop,
    connect,
)

pytestmark = [pytest.mark.hadoop, pytest.mark.slow]

JOBS = Path(__file__).with_name("jobs") / "TinyJobs.java"
TEXT = "".join(f"common word {n % 7}\n" for n in range(500))


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedCluster]:
    """A cluster of its own: whatever the user has running is left alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield cluster_start()
        cluster_stop()


@pytest.fixture(scope="module")
def cluster(embedded: EmbeddedCluster) -> Iterator[Cluster]:
    with connect(embedded=True) as connected:
        yield connected


@pytest.fixture(scope="module")
def jar(embedded: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("job")
    (folder / "classes").mkdir()
    class_path = f"{embedded.work_dir}/lib/*"
    subprocess.run(
        ["javac", *SOON_OVER, "-nowarn", "-cp", class_path, "-d", folder / "classes", JOBS],
        check=True,
        capture_output=True,
    )
    subprocess.run(["jar", "cf", folder / "tiny.jar", "-C", folder / "classes", "."], check=True)
    return folder / "tiny.jar"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "in.txt"
    file.write_text(TEXT)
    return file


def submit(
    cluster: Cluster, jar: Path, kind: str, text: Path, *options: str, **more: dict[str, str]
) -> tuple[Submission, tuple[JobStatus, ...]]:
    lines: list[str] = []
    done = cluster.submit(
        [
            "hadoop",
            "jar",
            str(jar),
            "TinyJobs",
            kind,
            *options,
            str(text),
            str(text.parent / "out"),
        ],
        on_line=lines.append,
        **more,
    )
    assert done.output_tail == tuple(lines[-len(done.output_tail) :])
    return done, cluster.wait(done.job_ids)


def counted(folder: Path) -> dict[str, int]:
    rows = [
        line.split("\t") for part in folder.glob("part-*") for line in part.read_text().splitlines()
    ]
    return {word: int(count) for word, count in rows}


def test_a_job_counts_words_and_leaves_its_history_and_logs(
    cluster: Cluster, jar: Path, text: Path, tmp_path: Path
) -> None:
    done, (job,) = submit(cluster, jar, "tool", text, "-Dmapreduce.job.reduces=2")

    assert counted(tmp_path / "out") == Counter(TEXT.split())
    assert (done.exit_code, job.state, job.name) == (0, "SUCCEEDED", "tool")
    assert sorted(attempt.task_type for attempt in job.attempts) == ["MAP", "REDUCE", "REDUCE"]
    records = job.counters["org.apache.hadoop.mapreduce.TaskCounter"]
    assert records["MAP_OUTPUT_RECORDS"] == len(TEXT.split())
    assert 0 < job.submit_time_ms <= job.start_time_ms < job.finish_time_ms

    history = cluster.fetch_history(job.job_id, tmp_path / "history")
    assert history.jhist.read_bytes().startswith(b"Avro-Binary")
    assert f"<value>{done.tag}</value>" in history.conf_xml.read_text()

    (mapper,) = [each.attempt_id for each in job.attempts if each.task_type == "MAP"]
    folders = cluster.fetch_attempt_files(job.job_id, [mapper], tmp_path / "logs")
    assert folders == {mapper: tmp_path / "logs" / mapper}
    assert "Processing split" in (folders[mapper] / "syslog").read_text()


def test_a_jar_of_libjars_reaches_the_tasks(
    cluster: Cluster, jar: Path, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver, library = tmp_path / "driver.jar", tmp_path / "library.jar"
    for made, of in ((driver, ["", "$Counting"]), (library, ["$Splitting", "$Adding"])):
        parts = [
            part for one in of for part in ("-C", jar.parent / "classes", f"TinyJobs{one}.class")
        ]
        subprocess.run(["jar", "cf", made, *parts], check=True)
    monkeypatch.setenv("HADOOP_CLASSPATH", str(library))

    done, (job,) = submit(cluster, driver, "tool", text, "-libjars", str(library))

    assert (done.exit_code, job.state) == (0, "SUCCEEDED")
    assert counted(tmp_path / "out") == Counter(TEXT.split())


def test_a_failing_job_says_why_for_each_of_its_attempts(
    cluster: Cluster, jar: Path, text: Path, tmp_path: Path
) -> None:
    done, (job,) = submit(cluster, jar, "fails", text)

    assert (done.exit_code, job.state) == (1, "FAILED")
    assert [attempt.failed for attempt in job.attempts] == [True, True]
    assert all("this line cannot be read" in attempt.diagnostics for attempt in job.attempts)
    folders = cluster.fetch_attempt_files(job.job_id, None, tmp_path / "logs")
    assert len(folders) == 2
    for folder in folders.values():
        assert (folder / "stdout").read_text() == "printed by the task\n"


def test_a_container_that_outgrows_its_memory_is_killed_for_it(
    cluster: Cluster, jar: Path, text: Path
) -> None:
    _, (job,) = submit(cluster, jar, "hogs", text)

    (attempt,) = job.attempts
    assert "beyond the 'PHYSICAL' memory limit" in attempt.diagnostics
    assert (attempt.failed, attempt.exit_code) == (True, 143)


def test_a_driver_that_starts_two_jobs_has_both_found_even_if_one_drops_the_tag(
    cluster: Cluster, jar: Path, text: Path
) -> None:
    done, jobs = submit(cluster, jar, "two", text)

    assert [(job.name, job.state) for job in jobs] == [
        ("first", "SUCCEEDED"),
        ("second", "SUCCEEDED"),
    ]
    assert [each.job_id for each in cluster.tagged(done.tag)] == [done.job_ids[0]]
    assert done.untagged_job_ids == (done.job_ids[1],)


def test_a_driver_that_only_submits_is_waited_for_with_progress(
    cluster: Cluster, jar: Path, text: Path, tmp_path: Path
) -> None:
    done = cluster.submit(
        ["hadoop", "jar", str(jar), "TinyJobs", "submits", str(text), str(tmp_path / "out")],
        on_line=lambda _: None,
    )
    seen: list[tuple[str, float, float]] = []
    (job,) = cluster.wait(done.job_ids, lambda _, *progress: seen.append(progress))

    assert job.state == "SUCCEEDED"
    assert seen[0][0] in {"PREP", "RUNNING"}
    assert seen[-1] == ("SUCCEEDED", 1.0, 1.0)
    assert (tmp_path / "out" / "_SUCCESS").exists()


def test_the_overlay_reaches_a_driver_without_tool_runner_through_a_real_client(
    embedded: EmbeddedCluster,
    jar: Path,
    text: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", embedded.environment["PATH"])
    monkeypatch.setenv("HADOOP_CONF_DIR", str(embedded.conf_dir))
    monkeypatch.setenv("HOME", str(tmp_path))
    with connect() as real:
        staged = real.stage({"note.txt": text})
        done, (job,) = submit(
            real,
            jar,
            "plain",
            text,
            overlay={"mapreduce.job.reduces": "2"},
            append={"mapreduce.job.cache.files": f"{staged}/note.txt#note.txt"},
        )
        real.unstage(staged)

        assert not real.is_embedded
        assert (done.exit_code, job.state) == (0, "SUCCEEDED")
        assert len(list((tmp_path / "out").glob("part-r-*"))) == 2
        conf = real.fetch_history(job.job_id, tmp_path / "h").conf_xml.read_text()
        assert f"{staged}/note.txt#note.txt" in conf
        with pytest.raises(EvidenceError, match="does not aggregate logs"):
            real.fetch_attempt_files(job.job_id, None, tmp_path / "logs")
    # The distributed cache put it beside every task: written down with the container's logs.
    logs = [
        file.read_text() for folder in embedded.log_dirs for file in folder.rglob("directory.info")
    ]
    assert any("note.txt" in listing for listing in logs)


def test_files_are_staged_privately_renamed_and_deleted(
    cluster: Cluster, text: Path, tmp_path: Path
) -> None:
    uri = cluster.stage({"a.txt": text})

    assert Path(uri.removeprefix("file:")).stat().st_mode & 0o777 == 0o700
    (entry,) = cluster.list(uri)
    assert (entry.uri, entry.is_folder, entry.size_bytes) == (f"{uri}/a.txt", False, len(TEXT))
    assert entry.modified_ms > text.stat().st_mtime_ns // 1_000_000 - 1000
    cluster.rename(f"{uri}/a.txt", f"{uri}/b.txt")
    assert [cluster.exists(f"{uri}/{name}") for name in ("a.txt", "b.txt")] == [False, True]
    assert cluster.fetch(f"{uri}/b.txt", tmp_path / "back").read_text() == TEXT
    with pytest.raises(EvidenceError, match=r"a\.txt"):
        cluster.rename(f"{uri}/a.txt", f"{uri}/c.txt")
    with pytest.raises(ClusterError, match="is there already"):
        cluster.rename(f"{uri}/b.txt", f"{uri}/b.txt")
    cluster.unstage(uri)
    assert not cluster.exists(uri)


@pytest.mark.parametrize(
    ("job_id", "says"),
    [("job_17_0001", "no job job_17_0001"), ("nonsense", "nonsense is not properly formed")],
)
def test_an_unknown_job_is_one_line(
    cluster: Cluster, job_id: str, says: str, tmp_path: Path
) -> None:
    with pytest.raises(EvidenceError, match=says) as caught:
        cluster.job(job_id)
    with pytest.raises(EvidenceError, match=says):
        cluster.fetch_history(job_id, tmp_path)

    assert "\n" not in str(caught.value)


def test_a_resource_manager_that_does_not_respond_is_one_line(
    embedded: EmbeddedCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", embedded.environment["PATH"])
    site = (embedded.conf_dir / "yarn-site.xml").read_text()
    (port,) = {
        line.strip().removeprefix("<value>localhost:").removesuffix("</value>")
        for line in site.split("<name>yarn.resourcemanager.address</name>")[1].splitlines()[1:2]
    }
    (tmp_path / "yarn-site.xml").write_text(site.replace(f"localhost:{port}<", "localhost:1<"))
    with (
        pytest.raises(ClusterError, match="the cluster does not respond") as caught,
        connect(tmp_path),
    ):
        pass

    assert "\n" not in str(caught.value)


def test_a_missing_client_or_configuration_is_one_line(
    embedded: EmbeddedCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", embedded.environment["PATH"])
    with pytest.raises(ClusterError, match="holds no Hadoop configuration"), connect(tmp_path):
        pass
    with pytest.raises(ClusterError, match="no configuration folder"), connect(tmp_path / "none"):
        pass
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClusterError, match="hadoop was not found"), connect(embedded.conf_dir):
        pass


def test_a_command_for_another_cluster_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="uses the configuration"):
        cluster.submit(["hadoop", "--config", str(tmp_path), "jar", "a.jar"])


def test_nothing_is_left_after_the_cluster_has_stopped(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("other-state")))
    started = cluster_start()
    assert shutil.which("hadoop", path=started.environment["PATH"]) == f"{started.bin_dir}/hadoop"

    assert cluster_stop()

    assert not started.work_dir.exists()
    running = subprocess.run(["ps", "-A", "-ww", "-o", "args="], capture_output=True, text=True)
    assert str(started.work_dir) not in running.stdout
