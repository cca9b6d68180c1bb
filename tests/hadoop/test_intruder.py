"""Another user of the machine, who knows all but secrets, attacks the embedded cluster."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from builders.jvm import SOON_OVER

from mprof.hadoop import EmbeddedCluster, cluster_stop, namespaces, processes, running_cluster
from mprof.hadoop.java import java_home

pytestmark = [pytest.mark.hadoop, pytest.mark.slow]

INTRUDER = Path(__file__).with_name("jobs") / "Intruder.java"
NOBODY = 65534
NO_NETWORKS = 'echo 0 >/proc/sys/user/max_net_namespaces || exit 3; exec "$@"'
LIMITED = ["unshare", "--user", "--map-root-user", "/bin/sh", "-c", NO_NETWORKS, "sh"]


@pytest.fixture(scope="module", autouse=True)
def _second_user() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody can read."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever cluster the user has running is left alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    yield
    cluster_stop()


def started(*before: str) -> tuple[EmbeddedCluster, str]:
    """A cluster, and what was said while it started."""
    words = [*before, sys.executable, "-m", "mprof", "cluster", "start"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stderr
    cluster = running_cluster()
    assert cluster is not None
    return cluster, said


def attacked(cluster: EmbeddedCluster, public: Path) -> tuple[str | None, str]:
    """The user id with which another user's command ran, and what the attacker's client printed."""
    for folder in (cluster.work_dir / "lib", cluster.conf_dir):
        shutil.copytree(folder, public / folder.name)
    (public / "conf" / "log4j.properties").write_text("log4j.rootLogger=OFF\n")
    class_path = f"{public}:{public}/conf:{public}/lib/*"
    subprocess.run(["javac", *SOON_OVER, "-cp", class_path, "-d", public, INTRUDER], check=True)
    for path in public.rglob("*"):
        path.chmod(0o755)
    result = public / "ran-as"
    done = subprocess.run(
        [java_home() / "bin" / "java", "-Xmx256m", "-cp", class_path, "Intruder",
         f"id -u >{result}"],
        env={"HADOOP_USER_NAME": "root"},
        user=NOBODY, group=NOBODY, extra_groups=[],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    return (result.read_text().strip() if result.exists() else None), done.stdout + done.stderr


def listens_here(cluster: EmbeddedCluster) -> bool:
    """Whether a process of the cluster has a TCP socket in this machine's network."""
    of_cluster: set[str] = set()
    descriptors: list[Path] = []
    for pid in processes.with_command_line(str(cluster.work_dir)):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended in the meantime
            descriptors += Path(f"/proc/{pid}/fd").iterdir()
    for descriptor in descriptors:
        with suppress(FileNotFoundError, ProcessLookupError):  # or has closed this one
            link = str(descriptor.readlink())
            of_cluster |= {link} if link.startswith("socket:") else set()
    assert of_cluster
    tables = [Path("/proc/net") / name for name in ("tcp", "tcp6", "udp", "udp6")]
    inodes = {
        line.split()[9]
        for table in tables
        if table.exists()
        for line in table.read_text().splitlines()[1:]
    }
    return any(re.sub(r"\D", "", link) in inodes for link in of_cluster)


def test_nothing_of_another_user_runs_in_a_cluster_with_a_network_of_its_own(public: Path) -> None:
    if subprocess.run([*namespaces.program(), "isolate", "true"]).returncode != 0:
        pytest.skip("no network namespaces here")
    cluster, said = started()

    assert cluster.private
    assert "run programs as you" not in said
    assert not listens_here(cluster)
    ran_as, printed = attacked(cluster, public)
    assert ran_as is None
    assert "ConnectException" in printed


def test_where_no_network_can_be_had_one_line_says_what_the_same_attack_shows(public: Path) -> None:
    if subprocess.run([*LIMITED, "true"]).returncode != 0:
        pytest.skip("no user namespaces here, or no unshare")
    cluster, said = started(*LIMITED)

    assert not cluster.private
    (line,) = [line for line in said.splitlines() if "run programs as you" in line]
    assert line.endswith("(unshare: No space left on device)")
    assert listens_here(cluster)
    assert attacked(cluster, public)[0] == "0"
