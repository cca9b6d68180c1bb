"""A watched task dies as a plain one does: as soon, and its failure is told."""

from __future__ import annotations

import json
import logging
import re
import subprocess
from pathlib import Path

import pytest
from objects.tasks import hadoop_jars

from mprof.hadoop.java import java_home

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

SOURCES = Path(__file__).with_name("dying")
LOG = logging.getLogger(__name__)
TIME = re.compile(r"\[([\d.]+)s\]")
LOADED = re.compile(r"(\S+) source:")
DEATHS = 3
_MAPPER = "in 'org/apache/hadoop/mapreduce/Mapper'"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dying")
    javac = [java_home() / "bin/javac", "-nowarn", "-proc:none", "-cp", hadoop_jars(), "-d", folder]
    sources = sorted(map(str, SOURCES.glob("*.java")))
    subprocess.run([*map(str, javac), *sources], check=True, capture_output=True)
    return folder


def _die(program: Path, folder: Path, *options: str, collector: str) -> int:
    """Full collections between the error's leaving the mapper and the end of the JVM."""
    folder.mkdir(parents=True)
    done = subprocess.run(
        [
            str(java_home() / "bin/java"), "-Xmx96m", f"-XX:+Use{collector}GC",
            f"-Xlog:gc:file={folder}/gc.log:uptime",
            f"-Xlog:exceptions=info:file={folder}/exceptions.log:uptime",
            *options, "-cp", f"{program}:{hadoop_jars()}", "FullSetup",
            "attempt_1763712000000_0007_m_000003_0",
        ],
        cwd=folder, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    # Hadoop halts the JVM with -1 where one of its own threads runs out of memory as well.
    assert done.returncode in (3, 255), done.stderr[-2000:]
    errors = (folder / "exceptions.log").read_text(encoding="utf-8").splitlines()
    # thrown in a method (one line), of this thread (the next): those of other threads came before
    of_main = [
        float(TIME.match(first)[1])  # type: ignore[index]
        for first, method, thread in zip(errors, errors[1:], errors[2:], strict=False)
        if "/OutOfMemoryError'" in first and _MAPPER in method and "(main)" in thread
    ]
    collections = (folder / "gc.log").read_text(encoding="utf-8").splitlines()
    full = [float(TIME.match(one)[1]) for one in collections if "Pause Full" in one]  # type: ignore[index]
    for dump in folder.glob("*.hprof"):
        dump.unlink()
    return sum(at > of_main[0] for at in full)


@pytest.mark.parametrize("collector", ["G1", "Serial", "Parallel"])
def test_the_agent_adds_hardly_a_collection_to_a_death_and_tells_every_one(
    program: Path, jar: Path, tmp_path: Path, collector: str
) -> None:
    watched = []
    for death in range(DEATHS):
        folder = tmp_path / f"watched-{death}"
        agent = f"-javaagent:{jar}=dir={folder}"
        watched.append(_die(program, folder, agent, collector=collector))
        lines = (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()
        failures = [one for line in lines if (one := json.loads(line))["type"] == "failure"]
        assert {one["class"] for one in failures} == {"java.lang.OutOfMemoryError"}
        # A thread of Hadoop's may run out of memory in the same moment; its failure is told, too.
        threads = [one["thread"] for one in failures]
        assert threads.count("main") == 1, threads
        assert len(threads) == len(set(threads)), threads

    LOG.info("full collections of a watched death: %s", watched)
    # A plain one makes 1; with hooks that allocated in the full heap it was 6 to 22, and most of
    # these deaths left no failure event. Other threads may die in the meantime: hence the median.
    assert sorted(watched)[DEATHS // 2] <= 5


def _full_collections_of_a_death(program: Path, folder: Path, *options: str, collector: str) -> int:
    folder.mkdir(parents=True)
    done = subprocess.run(
        [
            str(java_home() / "bin/java"), "-Xmx96m", f"-XX:+Use{collector}GC",
            f"-Xlog:gc:file={folder}/gc.log:uptime",
            f"-Xlog:exceptions=info:file={folder}/exceptions.log:uptime",
            *options, "-cp", f"{program}:{hadoop_jars()}", "CaughtOnTheWay",
            "attempt_1763712000000_0007_m_000003_0",
        ],
        cwd=folder, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "died"), done.stderr[-2000:]
    assert "ASSERTION FAILED" not in done.stderr  # what a transformer says in a full heap
    errors = (folder / "exceptions.log").read_text(encoding="utf-8").splitlines()
    first = next(one for one in errors if "/OutOfMemoryError'" in one)
    collections = (folder / "gc.log").read_text(encoding="utf-8").splitlines()
    full = [_time(one) for one in collections if "Pause Full" in one]
    for dump in folder.glob("*.hprof"):
        dump.unlink()
    return sum(at > _time(first) for at in full)


def _time(line: str) -> float:
    match = TIME.match(line)
    assert match is not None, line
    return float(match[1])


@pytest.mark.parametrize("collector", ["G1", "Serial"])
def test_a_class_that_is_loaded_because_of_the_error_costs_no_more_than_without_the_agent(
    program: Path, jar: Path, tmp_path: Path, collector: str
) -> None:
    plain, watched = [], []
    for death in range(DEATHS):
        here = tmp_path / str(death)
        agent = f"-javaagent:{jar}=dir={here}/watched"
        plain.append(_full_collections_of_a_death(program, here / "plain", collector=collector))
        watched.append(
            _full_collections_of_a_death(program, here / "watched", agent, collector=collector)
        )

    LOG.info("full collections of a death: plain %s, watched %s", plain, watched)
    # With a transformer to call it was 13 to 5 (G1).
    assert sorted(watched)[DEATHS // 2] <= sorted(plain)[DEATHS // 2] + 2, (plain, watched)


@pytest.mark.parametrize(
    ("task", "phase", "needed", "of_the_other", "added"),
    [
        ("m", 3, "mapred.MapTask$MapOutputBuffer$MRResultIterator", "mapred.ReduceTask",
         ["mprof$log"]),
        ("r", 9, "mapreduce.task.reduce.MergeManagerImpl", "mapred.MapTask$MapOutputBuffer", []),
    ],
)  # fmt: skip
def test_once_the_work_has_begun_what_the_task_may_need_is_patched_and_nothing_after_that(
    program: Path, jar: Path, tmp_path: Path,
    task: str, phase: int, needed: str, of_the_other: str, added: list[str],
) -> None:  # fmt: skip
    log = tmp_path / "classes.log"
    done = subprocess.run(
        [
            str(java_home() / "bin/java"), "-Xmx96m", f"-Xlog:class+load:file={log}",
            f"-javaagent:{jar}=dir={tmp_path}", "-cp", f"{program}:{hadoop_jars()}", "Begun",
            f"attempt_1763712000000_0007_{task}_000003_0", str(phase), str(log),
            "org.apache.hadoop.util.ExitUtil source:",
        ],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == added
    lines = Path(f"{log}.before").read_text(encoding="utf-8").splitlines()
    loaded = {LOADED.search(line)[1] for line in lines if LOADED.search(line)}  # type: ignore[index]
    assert f"org.apache.hadoop.{needed}" in loaded
    assert f"org.apache.hadoop.{of_the_other}" not in loaded
    assert "org.apache.hadoop.fs.s3a.S3AFileSystem" not in loaded


def test_a_heap_too_full_to_load_classes_is_left_alone_and_what_is_not_patched_is_named(
    program: Path, jar: Path, tmp_path: Path
) -> None:
    events = tmp_path / "events.jsonl"
    done = subprocess.run(
        [
            str(java_home() / "bin/java"), "-Xmx24m", "-XX:+UseSerialGC",
            f"-javaagent:{jar}=dir={tmp_path}", "-cp", f"{program}:{hadoop_jars()}", "Begun",
            "attempt_1763712000000_0007_m_000003_0", "full", str(events), "heap_full",
        ],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, ""), done.stderr[-2000:]
    lines = events.read_text(encoding="utf-8").splitlines()
    (missed,) = [one for line in lines if (one := json.loads(line))["type"] == "patch_missed"]
    assert "MapTask$MapOutputBuffer, " in missed["row"] + ", "
    assert "ReduceTask" not in missed["row"]
