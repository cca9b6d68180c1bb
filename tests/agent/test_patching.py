"""A task's classes are patched before its ``main``: ahead of time where an archive has them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders.jvm import SOON_OVER
from objects.tasks import hadoop_jars

from mprof.hadoop.java import java_home
from mprof.runs.agent_injection import AGENT_JAR, PATCHED_CLASSES

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

SOURCES = Path(__file__).with_name("patching")
LOADED = re.compile(r"(\S+) source:")
ADDED = ["mprof$log"]
"""The field that the agent gives to the sort buffer of map tasks."""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("patching")
    javac = [java_home() / "bin/javac", *SOON_OVER, "-nowarn", "-d", folder]
    subprocess.run(
        [*map(str, javac), *map(str, SOURCES.glob("*.java"))], check=True, capture_output=True
    )
    return folder


@pytest.fixture(scope="module")
def ahead(jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the agent's jar, and beside it the archive of all classes it patches."""
    folder = tmp_path_factory.mktemp("ahead")
    own = shutil.copy(jar, folder / AGENT_JAR)
    java = [java_home() / "bin/java", "-cp", f"{own}:{hadoop_jars()}", "org.mprof.agent.PatchAhead"]
    done = subprocess.run(
        [*map(str, java), str(folder / PATCHED_CLASSES)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert int(done.stdout) > 30
    assert {AGENT_JAR, PATCHED_CLASSES} == {file.name for file in folder.iterdir()}
    return folder


def _start(
    programs: Path, jar: Path, folder: Path, *options: str, task: str = "m", log: Path | None = None
) -> subprocess.CompletedProcess[str]:
    log = log or folder / "classes.log"
    log.touch()
    done = subprocess.run(
        [
            str(java_home() / "bin/java"), "-Xmx96m", *options, f"-javaagent:{jar}=dir={folder}",
            "-cp", f"{programs}:{hadoop_jars()}", "Patched",
            f"attempt_1763712000000_0007_{task}_000003_0", str(log),
        ],
        cwd=folder, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done


def _events(folder: Path, kind: str) -> list[dict[str, Any]]:
    lines = (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()
    return [one for one in map(json.loads, lines) if one["type"] == kind]


@pytest.mark.parametrize(
    ("task", "needed", "of_the_other", "added"),
    [
        ("m", "mapred.MapTask$MapOutputBuffer$MRResultIterator", "mapred.ReduceTask", ADDED),
        ("r", "mapreduce.task.reduce.MergeManagerImpl", "mapred.MapTask$MapOutputBuffer", []),
    ],
)  # fmt: skip
def test_what_a_task_may_need_is_patched_before_its_main_and_nothing_after_that(
    programs: Path, jar: Path, tmp_path: Path,
    task: str, needed: str, of_the_other: str, added: list[str],
) -> None:  # fmt: skip
    log = tmp_path / "classes.log"
    done = _start(programs, jar, tmp_path, f"-Xlog:class+load:file={log}", task=task, log=log)
    assert done.stdout.split() == added
    lines = Path(f"{log}.before").read_text(encoding="utf-8").splitlines()
    loaded = {LOADED.search(line)[1] for line in lines if LOADED.search(line)}  # type: ignore[index]
    everywhere = ("util.ExitUtil", "hdfs.DistributedFileSystem", "mapreduce.Mapper")
    for name in (needed, *everywhere):
        assert f"org.apache.hadoop.{name}" in loaded
    assert f"org.apache.hadoop.{of_the_other}" not in loaded
    hooks = {name for name in loaded if name.startswith("org.mprof.hadoop29.")}
    assert "org.mprof.hadoop29.FailurePatches$Hooks" in hooks


@pytest.mark.parametrize("task", ["m", "r"])
def test_with_an_archive_beside_the_jar_nothing_is_patched_in_the_task(
    programs: Path, ahead: Path, tmp_path: Path, task: str
) -> None:
    log = tmp_path / "loaded.log"
    options = (f"-Xlog:class+load:file={log}",)

    done = _start(programs, ahead / AGENT_JAR, tmp_path, *options, task=task, log=log)

    (patched,) = _events(tmp_path, "patched")
    assert patched["here"] == 0
    assert patched["ahead"] > 20
    assert _events(tmp_path, "fault") == []
    assert done.stdout.split() == (ADDED if task == "m" else [])
    assert "org.mprof.agent.shaded.asm" not in Path(f"{log}.before").read_text(encoding="utf-8")


def _of_another_agent(folder: Path) -> None:
    with zipfile.ZipFile(folder / AGENT_JAR, "a") as jar:
        jar.writestr("another", "build")


def _cut_off(folder: Path) -> None:
    archive = folder / PATCHED_CLASSES
    archive.write_bytes(archive.read_bytes()[:200_000])


def _damaged(folder: Path) -> None:
    archive = folder / PATCHED_CLASSES
    content = bytearray(archive.read_bytes())
    content[content.index(b"\xca\xfe\xba\xbe") + 100] ^= 0xFF
    archive.write_bytes(content)


def _open_to_others(folder: Path) -> None:
    (folder / PATCHED_CLASSES).chmod(0o666)


def _too_large(folder: Path) -> None:
    with (folder / PATCHED_CLASSES).open("ab") as archive:
        archive.truncate(8 << 20)


def _a_folder(folder: Path) -> None:
    (folder / PATCHED_CLASSES).unlink()
    (folder / PATCHED_CLASSES).mkdir()


@pytest.mark.parametrize(
    ("spoil", "faults"),
    [
        (_of_another_agent, 0),
        (_a_folder, 0),
        (_cut_off, 1),
        (_damaged, 1),
        (_open_to_others, 1),
        (_too_large, 1),
    ],
)
def test_what_the_archive_does_not_give_is_patched_in_the_task(
    programs: Path, ahead: Path, tmp_path: Path, spoil: Callable[[Path], None], faults: int
) -> None:
    agent = Path(shutil.copytree(ahead, tmp_path / "agent"))
    spoil(agent)

    done = _start(programs, agent / AGENT_JAR, tmp_path)

    (patched,) = _events(tmp_path, "patched")
    assert patched["here"] > 20
    told = _events(tmp_path, "fault")
    assert [one["where"] for one in told] == ["patching"] * faults
    assert done.stdout.split() == ADDED
