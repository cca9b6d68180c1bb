"""An agent made bad on purpose, in real JVMs that are started as YARN starts those of tasks."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path

import pytest
from builders.drawn_jobs import containers
from builders.jvm import SOON_OVER

from mprof.runs.agent_injection import checksum
from mprof.runs.draw import draw
from mprof.runs.switch import Switch

pytestmark = [
    pytest.mark.jvm,
    pytest.mark.skipif(
        shutil.which("bash") is None or shutil.which("javac") is None, reason="needs bash, a JDK"
    ),
]

SOURCE = Path(__file__).parents[1] / "e2e" / "programs" / "BadAgent.java"
TASK = """package org.apache.hadoop.mapred;
public class YarnChild {
  public static void main(String[] arguments) { System.out.println("ran " + arguments[2]); }
}
"""
SHARE = 0.3


def start(folder: Path, jar: Path, container: str, attempt: str) -> tuple[bool, str]:
    """Whether the task's JVM ended well, and what it printed."""
    switch = Switch(None, str(jar), checksum(jar.read_bytes()), "hdfs://nn/c", share=SHARE)
    params = switch.properties["mapreduce.task.profile.params"] % ()
    task = f"-cp {folder} org.apache.hadoop.mapred.YarnChild 127.0.0.1 4711 {attempt} 2"
    script = (
        f"export CONTAINER_ID={container}\nset -o pipefail -e\n"
        f'exec /bin/bash -c "java -Xmx64m -XX:-CreateCoredumpOnCrash {params} {task} 2>/dev/null"'
    )
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True)
    return done.returncode == 0, done.stdout


def test_it_meets_first_attempts_of_its_share_and_none_after_them(tmp_path: Path) -> None:
    (tmp_path / "YarnChild.java").write_text(TASK)
    sources = [str(tmp_path / "YarnChild.java"), str(SOURCE)]
    options = ["--release", "8", "-nowarn", "-Xlint:-options", "-d", str(tmp_path)]
    subprocess.run(["javac", *SOON_OVER, *options, *sources], check=True)
    (tmp_path / "manifest").write_text("Premain-Class: BadAgent\n")
    jar = tmp_path / "mprof-agent.jar"
    words = ["jar", "cfm", str(jar), str(tmp_path / "manifest"), "-C", str(tmp_path)]
    subprocess.run([*words, "BadAgent.class"], check=True)

    ids = list(itertools.islice(containers(1), 60))
    inside = [each for each in ids if (draw(each) or 0) < SHARE and not each.endswith("0")]
    outside = [each for each in ids if (draw(each) or 0) >= SHARE]
    first, second = (f"attempt_1700000000000_0001_m_000003_{number}" for number in (0, 1))

    # One container for each way in which it is bad: exit, halt, a full heap, an error.
    for digits in ("12", "34", "56", "789"):
        container = next(each for each in inside if each[-1] in digits)
        ended_well, printed = start(tmp_path, jar, container, first)
        assert "ran" not in printed
        assert not ended_well
    assert (True, f"ran {second}\n") == start(tmp_path, jar, container, second)
    assert (True, f"ran {first}\n") == start(tmp_path, jar, outside[0], first)
