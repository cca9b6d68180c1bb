"""A cluster that is switched on, in a share of its tasks, with an agent made bad on purpose."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from builders.jvm import SOON_OVER
from e2e.conftest import Command

from mprof.hadoop import block_in, replace_site_file, running_cluster, with_block
from mprof.runs.agent_injection import checksum
from mprof.runs.switch import Switch

pytestmark = [pytest.mark.hadoop, pytest.mark.slow]

SOURCE = Path(__file__).parent / "programs" / "BadAgent.java"
SHARE = 0.5
MAPS = 12
MOST_JOBS = 4
MAPS_AFTER = 5
"""That the agent would reach none of their six containers by chance is one in 64."""


@pytest.fixture(scope="module")
def bad_agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bad")
    subprocess.run(
        [
            "javac",
            *SOON_OVER,
            "--release",
            "8",
            "-nowarn",
            "-Xlint:-options",
            "-d",
            str(folder / "classes"),
            str(SOURCE),
        ],
        check=True,
    )
    (folder / "manifest").write_text("Premain-Class: BadAgent\n")
    jar = folder / "mprof-agent.jar"
    words = ["jar", "cfm", str(jar), str(folder / "manifest"), "-C", str(folder / "classes"), "."]
    subprocess.run(words, check=True)
    return jar


def test_no_job_fails_of_a_bad_agent_and_it_is_switched_off(
    mprof: Command, jar: Path, bad_agent: Path, tmp_path: Path
) -> None:
    running = running_cluster()
    assert running is not None
    shutil.copytree(running.conf_dir, tmp_path / "conf")
    site = tmp_path / "conf" / "mapred-site.xml"
    own = site.read_bytes()
    agent = checksum(bad_agent.read_bytes())
    switch = Switch(None, str(bad_agent), agent, str(tmp_path / "captures"), share=SHARE)
    replace_site_file(site, with_block(site, switch.properties, {}))
    for name, files in (("in", MAPS), ("in-after", MAPS_AFTER)):
        (tmp_path / name).mkdir()
        for number in range(files):
            (tmp_path / name / f"{number}.txt").write_text("a b\n")

    def run(name: str, inputs: str = "in") -> str:
        done = subprocess.run(
            [str(running.bin_dir / "hadoop"), "jar", str(jar), "acme.Troubled",
             str(tmp_path / inputs), str(tmp_path / name)],
            env={**os.environ, "HADOOP_CONF_DIR": str(tmp_path / "conf")},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
        )  # fmt: skip
        assert 0 == done.returncode, done.stdout
        return re.findall(r"job_\d+_\d+", done.stdout)[-1]

    def check() -> tuple[int, dict]:  # type: ignore[type-arg]
        words = ["switch", "check", "--embedded", "--json", "--state", str(tmp_path / "book")]
        done = mprof(*words, "--off-if-harmful", str(site))
        assert done.exit_code in {0, 1}, done.stderr
        return done.exit_code, done.json

    jobs = []
    for number in range(MOST_JOBS):
        jobs.append(run(f"bad{number}"))
        code, harm = check()
        if code == 1:
            break

    assert (1, True, len(jobs)) == (code, harm["harmful"], harm["jobs"])
    watched, others = harm["attempts"]["watched"], harm["attempts"]["others"]
    assert len(jobs) * (MAPS + 1) == watched + others
    assert {"watched": harm["outcomes"]["failed"]["watched"], "others": 0} == harm["outcomes"][
        "silent"
    ]
    assert 5 <= harm["outcomes"]["silent"]["watched"] <= watched
    assert block_in(site) is None
    assert own == site.read_bytes()

    after = run("after", "in-after")
    app = "application_" + after.removeprefix("job_")
    logs = [log for folder in running.log_dirs for log in folder.glob(f"{app}/*/stderr")]
    assert MAPS_AFTER + 1 <= len(logs) - 1
    assert not [log for log in logs if "BadAgent" in log.read_text()]
