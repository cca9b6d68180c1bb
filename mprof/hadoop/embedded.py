"""The embedded cluster: real Hadoop in a JVM of its own, shared between commands.

One cluster per user. A lock serialises starting, joining and stopping; a state file describes the
running cluster. A cluster that was started for a command stops with the last command that uses it;
one that was started by ``mprof cluster start`` keeps running.

It has a network of its own where the machine allows that (``namespaces``), since Hadoop without
Kerberos runs the code of anybody who can connect.
"""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mprof.errors import ClusterError, MprofError
from mprof.hadoop import artifacts, namespaces, processes, state
from mprof.hadoop.gateway import Gateway
from mprof.hadoop.java import gateway_jar, java_home
from mprof.hadoop.settings import capacity_scheduler, cluster_properties
from mprof.hadoop.sitefiles import site_files, site_text
from mprof.hadoop.state import EmbeddedCluster
from mprof.io.base_folders import cache_folder, made
from mprof.io.ownership import check_writers

__all__ = [
    "EmbeddedCluster",
    "cluster_start",
    "cluster_stop",
    "gateway_of",
    "joined",
    "running_cluster",
]

DEFAULT_VERSION = "3.4.3"

# Measured: 77 s on two cores with a dozen busy processes, 5 s on an idle machine.
_START_SECONDS = 300.0
_STOP_SECONDS = 10.0
_SHIM = Path(__file__).with_name("shim")
_SHARED = "other users of this machine can run programs as you while this cluster runs"

# The variables of the user's environment that the cluster, and through it every task, gets.
_KEPT = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER")

Progress = Callable[[str], None]


def cluster_start(
    *,
    version: str = DEFAULT_VERSION,
    progress: Progress | None = None,
    properties: Mapping[str, str] | None = None,
    shared_network: bool = False,
) -> EmbeddedCluster:
    """Start the embedded cluster, unless it is running, and keep it running.

    Args:
        version: of Hadoop.
        progress: called with a line of text at each step.
        properties: site properties, in addition to those in ``settings``.
        shared_network: give it this machine's network, for jobs that reach other machines.

    Raises:
        ClusterError: if it cannot be started, or another version of it is running, or one with a
            network of its own although this machine's was asked for.
    """
    with state.locked():
        cluster = _running_or_started(
            version, progress or _silent, properties or {}, shared_network=shared_network
        )
        staying = replace(cluster, stays=True)
        state.write_state(staying)
        return staying


def cluster_stop() -> bool:
    """Stop the embedded cluster and all its applications; returns whether one was running."""
    with state.locked():
        return _stop()


def running_cluster() -> EmbeddedCluster | None:
    """The embedded cluster if it is running and responds, else None."""
    cluster = state.read_state()
    return cluster if cluster is not None and _responds(cluster) else None


@contextlib.contextmanager
def joined(*, progress: Progress | None = None) -> Iterator[EmbeddedCluster]:
    """Use the running cluster, or start one that stops with the last of its users."""
    with state.locked():
        running = running_cluster()
        version = running.version if running else DEFAULT_VERSION
        cluster = _running_or_started(version, progress or _silent, {})
        if running is None:
            state.write_state(cluster)
        use = state.begin_use()
    try:
        yield cluster
    finally:
        with state.locked():
            use.unlink(missing_ok=True)
            now = state.read_state()
            if now is not None and now.pid == cluster.pid and not now.stays and not state.in_use():
                _stop()


def _running_or_started(
    version: str,
    progress: Progress,
    properties: Mapping[str, str],
    *,
    shared_network: bool = False,
) -> EmbeddedCluster:
    running = running_cluster()
    if running is None:
        _stop()
        return _start(version, progress, properties, shared_network=shared_network)
    if running.version != version:
        raise ClusterError(
            f"an embedded cluster with Hadoop {running.version} is running",
            next_step="stop it first: mprof cluster stop",
        )
    if shared_network and running.private:
        raise ClusterError(
            "an embedded cluster with a network of its own is running",
            next_step="stop it first: mprof cluster stop",
        )
    return running


def _start(
    version: str, progress: Progress, properties: Mapping[str, str], *, shared_network: bool
) -> EmbeddedCluster:
    home, jar = java_home(), gateway_jar()
    _own_name()  # before anything is fetched
    jars = artifacts.class_path(version, progress)
    progress(f"starting Hadoop {version}")
    parent = made(cache_folder() / "clusters")
    check_writers(parent, what=f"{parent}, from which the cluster runs,")
    work = Path(tempfile.mkdtemp(prefix=state.WORK_PREFIX, dir=parent))
    settings = {**cluster_properties(work=work, lib=jars.lib), **properties}
    _write_work_folder(work, home=home, jar=jar, lib=jars.lib, settings=settings)
    state.write_start(work)
    try:
        facts = _launch(
            work, home=home, jars=jars, progress=progress, shared_network=shared_network
        )
    except BaseException:
        _stop()
        raise
    for name, text in site_files({**settings, **facts["addresses"]}).items():
        state.write_private(work / "conf" / name, text)
    return EmbeddedCluster(
        conf_dir=work / "conf",
        bin_dir=work / "bin",
        log_dirs=tuple(Path(folder) for folder in facts["log_dirs"]),
        pid=facts["pid"],
        gateway_port=facts["port"],
        gateway_token=facts["token"],
        version=version,
        work_dir=work,
        data_dir=Path(facts["data_dir"]),
        stays=False,
        private=facts["private"],
    )


def _own_name() -> str:
    """The name of this user, which Java takes from the system, whatever ``USER`` says.

    Raises:
        ClusterError: if the system has none, as in a container that runs as some number.
    """
    number = os.getuid()
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        raise ClusterError(
            f"user {number} has no name on this machine, and Hadoop does not start without",
            next_step="use an account with a name, or give it one: a line in /etc/passwd",
        ) from None


def _write_work_folder(
    work: Path, *, home: Path, jar: Path, lib: Path, settings: Mapping[str, str]
) -> None:
    for name in ("bin", "conf", "server-conf", "data", "stage", "tmp"):
        (work / name).mkdir()
    (work / "lib").symlink_to(lib)
    # A copy, because a rebuild must not change the jar of a running JVM.
    shutil.copy(jar, work / "gateway.jar")
    (work / "java_home").write_text(f"{home}\n")
    (work / "python").write_text(f"{sys.executable}\n")
    shutil.copy(namespaces.__file__, work)
    for name in ("hadoop", "in-cluster"):
        shutil.copy(_SHIM / name, work / "bin")
        (work / "bin" / name).chmod(0o755)
    for name in ("mapred", "yarn"):
        (work / "bin" / name).symlink_to("hadoop")
    shutil.copy(_SHIM / "log4j.properties", work / "conf")
    for name, text in site_files(settings).items():
        (work / "server-conf" / name).write_text(text)
    (work / "server-conf" / "capacity-scheduler.xml").write_text(site_text(capacity_scheduler()))


def _launch(
    work: Path,
    *,
    home: Path,
    jars: artifacts.ClassPath,
    progress: Progress,
    shared_network: bool,
) -> dict[str, Any]:
    ready, log = work / "ready.json", work / "cluster.log"
    command = [
        str(home / "bin" / "java"),
        # Measured with one node and a few jobs: 150 MB in use. The serial collector adds little.
        "-Xms64m",
        "-Xmx512m",
        "-XX:+UseSerialGC",
        # It idles between jobs: without C2, start and one small job took 15 instead of 30 s of
        # processor time.
        "-XX:TieredStopAtLevel=1",
        # Guice 4, in the web UI of ResourceManager and NodeManager, defines classes by reflection:
        # JDK 9 and later need --add-opens for that; JDK 8 does not know the option.
        "-XX:+IgnoreUnrecognizedVMOptions",
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "-Djava.net.preferIPv4Stack=true",
        f"-Djava.io.tmpdir={work / 'tmp'}",
        f"-Dlog4j.configuration=file:{work / 'conf' / 'log4j.properties'}",
        "-cp",
        os.pathsep.join(
            [
                str(work / "gateway.jar"),
                str(work / "server-conf"),
                f"{jars.cluster_lib}/*",
                f"{jars.lib}/*",
            ]
        ),
        "org.mprof.gateway.Gateway",
        str(ready),
        "--embedded",
        str(work / "data"),
    ]
    environment = {key: os.environ[key] for key in _KEPT if key in os.environ}
    environment["JAVA_HOME"] = str(home)
    environment.setdefault("USER", _own_name())
    # Through a shell that exits at once: the cluster becomes a child of init, which reaps it.
    script = 'log="$1"; shift; "$@" >"$log" 2>&1 </dev/null & echo $!'
    shell = ["/bin/sh", "-c", script, "sh", str(log), *command]
    printed, private = _run_in_network(
        shell, work=work, environment=environment, progress=progress, shared_network=shared_network
    )
    pid = int(printed)
    if private:
        (work / "network-of").write_text(f"{pid}\n")
    # Not told by its command line, which is empty for a moment when the shell becomes Java.
    processes.wait_until(
        lambda: ready.is_file() or not processes.is_running(pid, containing=""),
        seconds=_START_SECONDS,
    )
    facts = json.loads(ready.read_text()) if ready.is_file() else {"error": _last_line(log)}
    if "error" in facts:
        kept = cache_folder() / "last-cluster-start.log"
        shutil.copy(log, kept)
        raise ClusterError(
            f"the embedded cluster did not start: {facts['error']}", next_step=f"see {kept}"
        )
    return {**facts, "pid": pid, "private": private}


def _run_in_network(
    shell: list[str],
    *,
    work: Path,
    environment: Mapping[str, str],
    progress: Progress,
    shared_network: bool,
) -> tuple[str, bool]:
    """Run a command in a new network, else in this machine's, and say so before.

    Returns:
        What it printed, and whether the network is a new one.
    """

    def run(words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=work,
            env=environment,
            start_new_session=True,
            capture_output=True,
            text=True,
            check=False,
        )

    why = "--shared-network"
    if not shared_network:
        done = run([*namespaces.program(), "isolate", *shell])
        if done.returncode == 0:
            return done.stdout, True
        why = done.stderr.strip() or f"exit {done.returncode}"
    progress(f"{_SHARED}: it has no network of its own ({why})")
    return run(shell).stdout, False


def _last_line(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else f"no response in {_START_SECONDS:.0f} s"


def _stop() -> bool:
    """Stop what the state file describes, be it running, dead or half-started."""
    work = state.work_folder()
    if work is None:
        return False
    cluster = state.read_state()
    if cluster is not None and _responds(cluster):
        with contextlib.suppress(MprofError):
            _end_applications(cluster)
    # Containers have sessions of their own; what they share is the data folder in their command
    # lines. Those of drivers contain only conf/; drivers exit when the cluster stops responding.
    of_cluster = (f"{work}/ready.json", f"{work}/data/")
    for text in of_cluster:
        processes.terminate(processes.with_command_line(text), grace_seconds=2.0)
    # Once more, for a container that was just being launched.
    processes.terminate(processes.with_command_line(of_cluster[1]), grace_seconds=0.0)
    shutil.rmtree(work, ignore_errors=True)
    state.forget()
    return cluster is not None


def gateway_of(cluster: EmbeddedCluster) -> Gateway:
    """A connection to its gateway."""
    return Gateway(port=cluster.gateway_port, token=cluster.gateway_token, pid=cluster.pid)


def _end_applications(cluster: EmbeddedCluster) -> None:
    gateway = gateway_of(cluster)
    try:
        live = gateway.ask("liveApplications")
        for application in live:
            gateway.call("kill", application["job_id"])
        if live:
            processes.wait_until(
                lambda: not processes.with_command_line(f"{cluster.data_dir}/"),
                seconds=_STOP_SECONDS,
            )
        gateway.call("halt")
    finally:
        gateway.close()


def _responds(cluster: EmbeddedCluster) -> bool:
    if not processes.is_running(cluster.pid, containing=str(cluster.work_dir)):
        return False
    gateway = gateway_of(cluster)
    try:
        return bool(gateway.call("version"))
    except MprofError:
        return False
    finally:
        gateway.close()


def _silent(_: str) -> None:
    pass
