"""The share of a cluster's tasks that start with the agent: drawn by the shell, and told later."""

from __future__ import annotations

import itertools
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from scipy import stats

from mprof.runs.agent_injection import AGENT_JAR, checksum, profile_params, settings_in
from mprof.runs.draw import draw, in_share, share_in

JAR = b"all of the agent"
ID = "container_1700000000000_0042_01_000002"

with_bash = pytest.mark.skipif(
    shutil.which("bash") is None, reason="needs bash, as YARN's launcher does"
)


def ids(count: int, seed: int = 20261128) -> list[str]:
    """Ids as YARN writes them: after a restart of the ResourceManager with its epoch."""
    chance = random.Random(seed)
    return [
        f"container_{chance.choice(['', 'e08_', 'e173_'])}{chance.randrange(10**12, 2 * 10**12)}_"
        f"{chance.choice([7, 8, 99, 4711, 123456]):04d}_{chance.choice([1, 2, 11]):02d}_"
        f"{chance.choice([9, 10, 77, 1234567]):06d}"
        for _ in range(count)
    ]


def options(
    container: str | None, attempt: str, share: float, folder: Path, shell: str = "bash"
) -> list[str]:
    """The options that a task's JVM gets, after Java's String.format, of YARN's launch script."""
    jar = folder / AGENT_JAR
    jar.write_bytes(JAR)
    settings = {"mode": "watch", "capture.area": "hdfs://nn/c"}
    params = profile_params(settings, jar=str(jar), jar_checksum=checksum(JAR), share=share)
    assert (settings, share) == (settings_in(params), share_in(params.replace("%%", "%")))
    # As MapReduceChildJVM ends the command, of Hadoop 3.4.3.
    task = f"org.apache.hadoop.mapred.YarnChild 127.0.0.1 4711 {attempt} 2 1>&1"
    exported = f"export CONTAINER_ID={container}" if container else "unset CONTAINER_ID"
    script = (
        f'{exported}\nset -o pipefail -e\nexec /bin/bash -c "printf %s\\\\\\n {params % ()} {task}"'
    )
    done = subprocess.run([shell, "-c", script], cwd=folder, capture_output=True, text=True)
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout.splitlines()[:-5]


@with_bash
@pytest.mark.parametrize("shell", ["bash", "dash", "busybox"])
def test_a_shell_draws_what_is_told_later(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    drawn = ids(300)
    script = "\n".join(
        f"CONTAINER_ID={each}; echo $({in_share(0.3)} && echo in)x" for each in drawn
    )
    words = [shell, "sh"] if shell == "busybox" else [shell]

    done = subprocess.run(words, input=script, capture_output=True, text=True, check=True)

    assert "" == done.stderr
    told = ["inx" if (draw(each) or 0) < 0.3 else "x" for each in drawn]
    assert 50 < told.count("inx") < 130
    assert done.stdout.split() == told


@with_bash
def test_only_the_first_attempt_of_a_task_gets_the_agent(tmp_path: Path) -> None:
    first = "attempt_1700000000000_0042_m_000010_0"

    (option,) = options(ID, first, 1.0, tmp_path)

    assert f"-javaagent:{tmp_path}/{AGENT_JAR}=mode=watch,capture.area=hdfs://nn/c" == option
    for later in (1, 2, 10, 1000, 1001):
        assert [] == options(ID, f"attempt_1700000000000_0000_r_000000_{later}", 1.0, tmp_path)


@with_bash
def test_a_task_outside_the_share_or_of_no_container_has_no_option(tmp_path: Path) -> None:
    first = "attempt_1700000000000_0042_m_000010_0"

    assert 0.0467 == draw(ID)
    assert 1 == len(options(ID, first, 0.0468, tmp_path))
    assert [] == options(ID, first, 0.0467, tmp_path)
    for strange in (None, "''", "container_1", "x_y_z"):
        assert [] == options(strange, first, 1.0, tmp_path)


def test_what_is_no_id_draws_nothing() -> None:
    assert draw("container_1700000000000_0042_01") is None
    assert share_in("[ $((h%10000)) -lt x ]") is None


def test_containers_of_a_job_are_drawn_as_by_dice() -> None:
    # Against a uniform distribution, and pairs of containers that follow each other in a job.
    draws = [
        [draw(f"container_17{job * 7919:011d}_{job:04d}_01_{one:06d}") or 0 for one in range(500)]
        for job in range(200)
    ]
    flat = [each for job in draws for each in job]
    together = sum(a < 0.05 and b < 0.05 for job in draws for a, b in itertools.pairwise(job))
    counts = [sum(each < 0.05 for each in job) for job in draws]

    assert stats.kstest(flat, "uniform").pvalue > 0.001
    assert stats.binomtest(together, 200 * 499, 0.0025).pvalue > 0.001
    # The number of each job varies as that of independent draws does.
    spread = sum((each - 25) ** 2 for each in counts) / (500 * 0.05 * 0.95)
    assert 0.001 < stats.chi2.cdf(spread, 200) < 0.999
