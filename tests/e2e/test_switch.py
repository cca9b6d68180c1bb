"""Jobs of a cluster that is switched on, started by plain ``hadoop jar``."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from e2e.conftest import Command

from mprof.hadoop import running_cluster

pytestmark = [pytest.mark.hadoop, pytest.mark.slow]


@dataclass(frozen=True)
class Job:
    """What a driver printed, and the job it started."""

    exit_code: int
    output: str

    @property
    def job_id(self) -> str:
        return re.findall(r"job_\d+_\d+", self.output)[-1]


@dataclass(frozen=True)
class Site:
    """A client configuration of the embedded cluster that the tests may change."""

    conf: Path
    area: Path
    agent: Path

    @property
    def where(self) -> list[str]:
        return ["--agent", str(self.agent), "--captures", str(self.area)]

    @property
    def file(self) -> Path:
        return self.conf / "mapred-site.xml"

    def run(self, *words: str) -> Job:
        running = running_cluster()
        assert running is not None
        done = subprocess.run(
            [str(running.bin_dir / "hadoop"), *words],
            env={**os.environ, "HADOOP_CONF_DIR": str(self.conf)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        return Job(done.returncode, done.stdout)


@pytest.fixture(scope="module")
def site(mprof: Command, tmp_path_factory: pytest.TempPathFactory) -> Site:
    running = running_cluster()
    assert running is not None
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(running.conf_dir, folder / "conf")
    made = Site(folder / "conf", area=folder / "captures", agent=folder / "agent")
    early = mprof("switch", "on", "--embedded", *made.where, "--write", str(made.file))
    assert early.exit_code == 4
    assert "mprof switch install" in early.stderr
    installed = mprof("switch", "install", "--embedded", *made.where)
    assert installed.exit_code == 0, installed.stderr
    on = mprof("switch", "on", "--embedded", *made.where, "--write", str(made.file))
    assert on.exit_code == 0, on.stderr
    return made


@pytest.fixture(scope="module")
def words(site: Site, jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Job]:
    """A small job that succeeds, with options of its user's."""
    folder = tmp_path_factory.mktemp("words")
    (folder / "in.txt").write_text("a b\n" * 100)

    def count(name: str, *options: str) -> Job:
        driver = ["jar", str(jar), "acme.Troubled", *options]
        return site.run(*driver, str(folder / "in.txt"), str(folder / name))

    return count


def agents(job: Job) -> int:
    """Number of the job's containers in which the agent attached."""
    running = running_cluster()
    assert running is not None
    app = "application_" + job.job_id.removeprefix("job_")
    logs = [log for folder in running.log_dirs for log in folder.glob(f"{app}/*/stderr")]
    assert logs
    return sum("mprof: attached" in log.read_text() for log in logs)


def test_a_job_that_dies_is_diagnosed_from_its_id_as_if_mprof_had_run_it(
    mprof: Command, site: Site, jar: Path, lines: Path, tmp_path: Path
) -> None:
    plain = site.run("jar", str(jar), "acme.SessionTimes", str(lines), str(tmp_path / "o1"), "48m")

    assert plain.exit_code == 1
    job = site.area / plain.job_id
    (attempt,) = job.glob("attempt_*")
    assert 0o700 == stat.S_IMODE(job.stat().st_mode)
    assert 0o1777 == stat.S_IMODE(site.area.stat().st_mode)
    assert 3 == len(list(attempt.iterdir()))
    (dump,) = attempt.glob("*.hprof*")

    capture = tmp_path / "capture"
    report = mprof("diagnose", plain.job_id, "--embedded", "-o", str(capture), "--json").json
    driver = ["hadoop", "jar", str(jar), "acme.SessionTimes", str(lines), str(tmp_path / "o2")]
    watched = mprof(
        "run", "--embedded", "-o", str(tmp_path / "run"), "--json", "--", *driver, "48m"
    ).json

    # Two jobs, which collect garbage at other moments: what is predicted may be open in one, and
    # what is open is not among the causes.
    causes = [
        [(c["cause"], (c["where"] or {}).get("path")) for c in one["causes"]]
        for one in (report, watched)
    ]
    named = {cause for cause, _ in causes[0] + causes[1]}
    assert report["death"]["kind"] == watched["death"]["kind"]
    assert "large_accumulated_results.map" in {cause for cause, _ in {*causes[0]} & {*causes[1]}}
    for one, told in zip((report, watched), causes, strict=True):
        assert named <= {cause for cause, _ in told} | {each["rule"] for each in one["unknown"]}
    assert (capture / f"runs/001/jobs/{plain.job_id}/attempts/{attempt.name}/{dump.name}").is_file()

    for folder in (capture, tmp_path / "run"):
        patched = [line for log in folder.rglob("events.jsonl") for line in _patched(log)]
        assert patched
        assert all(line["here"] == 0 and line["ahead"] > 20 for line in patched)

    young = mprof("switch", "expire", "--embedded", "--captures", str(site.area), *OLD_ENOUGH_1D)
    assert "not old enough" in young.stdout
    gone = mprof("switch", "expire", "--embedded", "--captures", str(site.area), *OLD_ENOUGH_NOW)
    assert gone.exit_code == 0, gone.stderr
    assert [] == list(site.area.iterdir())


def _patched(log: Path) -> list[dict]:  # type: ignore[type-arg]
    events = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    return [event for event in events if event["type"] == "patched"]


OLD_ENOUGH_1D = ("--older-than", "1d")
OLD_ENOUGH_NOW = ("--older-than", "0h")


def test_a_job_that_succeeds_leaves_nothing_in_the_area(
    site: Site, words: Callable[..., Job]
) -> None:
    job = words("healthy")

    assert (0, 2) == (job.exit_code, agents(job))
    assert not (site.area / job.job_id).exists()


@pytest.mark.parametrize(
    "options",
    [
        ["-Dmapreduce.task.profile=false"],
        ["-Dmapreduce.map.env=MPROF_OFF=1", "-Dmapreduce.reduce.env=MPROF_OFF=1"],
        [f"-Dmapreduce.{side}.java.opts=-Dmprof.off=true" for side in ("map", "reduce")],
        ["-Dmapreduce.task.profile.params=-Dacme=1"],
    ],
    ids=["profile", "environment", "options", "params"],
)  # fmt: skip
def test_a_user_switches_it_off_for_a_job(
    words: Callable[..., Job], options: list[str], request: pytest.FixtureRequest
) -> None:
    job = words(request.node.callspec.id, *options)

    assert (0, 0) == (job.exit_code, agents(job))


def test_doctor_says_what_a_missing_archive_does(
    mprof: Command, site: Site, words: Callable[..., Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    running = running_cluster()
    assert running is not None
    monkeypatch.setenv("PATH", f"{running.bin_dir}{os.pathsep}{os.environ['PATH']}")
    well = mprof("doctor", "--config", str(site.conf)).stdout
    away = site.agent.rename(site.agent.with_name("away"))
    try:
        missing = mprof("doctor", "--config", str(site.conf))
        refused = words("missing")
    finally:
        away.rename(site.agent)

    assert "ok  cluster-wide switch: on" in well
    assert "ok  switch: properties" in well
    assert missing.exit_code == 4
    assert "NO JOB CAN BE SUBMITTED" in missing.stdout
    assert refused.exit_code != 0
    assert "FileNotFoundException" in refused.output
