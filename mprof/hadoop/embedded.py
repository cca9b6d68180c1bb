"""The embedded cluster: real Hadoop in a JVM of its own, kept alive between commands.

One cluster a user. A lock makes starting, joining and stopping one thing at a time; a state file
says where the running one is found; a cluster that was started for a command ends with the last
command that uses it, one that was started by ``mprof cluster start`` stays.
"""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mprof.errors import ClusterError, MprofError
from mprof.hadoop import artifacts, processes, state
from mprof.hadoop.gateway import Gateway
from mprof.hadoop.java import gateway_jar, java_home
from mprof.hadoop.places import cache_folder
from mprof.hadoop.settings import capacity_scheduler, cluster_properties
from mprof.hadoop.sitefiles import site_files, site_text
from mprof.hadoop.state import EmbeddedCluster

__all__ = ["EmbeddedCluster", "cluster_start", "cluster_stop", "joined", "running_cluster"]

DEFAULT_VERSION = "3.4.3"

# On two cores with a dozen busy processes it took 77 s, on an idle machine 5.
_START_SECONDS = 300.0
_STOP_SECONDS = 10.0
_SHIM = Path(__file__).with_name("shim")

# What the cluster, and through it every task, sees of the user's environment.
_KEPT = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER")

Progress = Callable[[str], None]


def cluster_start(
    *,
    version: str = DEFAULT_VERSION,
    progress: Progress | None = None,
    properties: Mapping[str, str] | None = None,
) -> EmbeddedCluster:
    """Start the embedded cluster and leave it running; one that runs already is kept.

    Args:
        version: of Hadoop.
        progress: told in words what is going on.
        properties: site properties of its own, beside those in ``settings``.

    Raises:
        ClusterError: if it cannot be started, or another version is running.
    """
    with state.locked():
        cluster = _running_or_started(version, progress or _silent, properties or {})
        staying = replace(cluster, stays=True)
        state.write_state(staying)
        return staying


def cluster_stop() -> bool:
    """Stop the embedded cluster with all its applications; says whether there was one."""
    with state.locked():
        return _stop()


def running_cluster() -> EmbeddedCluster | None:
    """The embedded cluster that answers now, or None."""
    cluster = state.read_state()
    return cluster if cluster is not None and _answers(cluster) else None


@contextlib.contextmanager
def joined(*, progress: Progress | None = None) -> Iterator[EmbeddedCluster]:
    """The running cluster, or one that is started now and ends with the last of its users."""
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
    version: str, progress: Progress, properties: Mapping[str, str]
) -> EmbeddedCluster:
    running = running_cluster()
    if running is None:
        _stop()
        return _start(version, progress, properties)
    if running.version != version:
        raise ClusterError(
            f"an embedded cluster with Hadoop {running.version} is running",
            next_step="run `mprof cluster stop` first",
        )
    return running


def _start(version: str, progress: Progress, properties: Mapping[str, str]) -> EmbeddedCluster:
    home, jar = java_home(), gateway_jar()
    jars = artifacts.class_path(version, progress)
    progress(f"starting Hadoop {version}")
    parent = cache_folder() / "clusters"
    parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="cluster-", dir=parent))
    settings = {**cluster_properties(work=work, lib=jars.lib), **properties}
    _lay_out(work, home=home, jar=jar, lib=jars.lib, settings=settings)
    state.write_start(work)
    try:
        facts = _launch(work, home=home, jars=jars)
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
    )


def _lay_out(work: Path, *, home: Path, jar: Path, lib: Path, settings: Mapping[str, str]) -> None:
    for name in ("bin", "conf", "server-conf", "data", "stage", "tmp"):
        (work / name).mkdir()
    (work / "lib").symlink_to(lib)
    # A copy: a jar that is built again must not change below a running JVM.
    shutil.copy(jar, work / "gateway.jar")
    (work / "java_home").write_text(f"{home}\n")
    shutil.copy(_SHIM / "hadoop", work / "bin" / "hadoop")
    (work / "bin" / "hadoop").chmod(0o755)
    for name in ("mapred", "yarn"):
        (work / "bin" / name).symlink_to("hadoop")
    shutil.copy(_SHIM / "log4j.properties", work / "conf")
    for name, text in site_files(settings).items():
        (work / "server-conf" / name).write_text(text)
    (work / "server-conf" / "capacity-scheduler.xml").write_text(site_text(capacity_scheduler()))


def _launch(work: Path, *, home: Path, jars: artifacts.ClassPath) -> dict[str, Any]:
    ready, log = work / "ready.json", work / "cluster.log"
    command = [
        str(home / "bin" / "java"),
        # Measured with one node and a few jobs: 150 MB in use; Serial keeps the rest small too.
        "-Xms64m",
        "-Xmx512m",
        "-XX:+UseSerialGC",
        # Guice 4, under the web pages of ResourceManager and NodeManager, defines classes by
        # reflection (JDK 9 and later refuse that unless told otherwise; JDK 8 knows no such flag).
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
    environment.setdefault("USER", getpass.getuser())
    # Through a shell that ends at once: the cluster is nobody's child and nobody has to reap it.
    script = 'log="$1"; shift; "$@" >"$log" 2>&1 </dev/null & echo $!'
    launched = subprocess.run(
        ["/bin/sh", "-c", script, "sh", str(log), *command],
        cwd=work,
        env=environment,
        start_new_session=True,
        capture_output=True,
        text=True,
        check=True,
    )
    pid = int(launched.stdout)
    processes.wait_until(
        lambda: ready.is_file() or not processes.runs(pid, mentioning=str(work)),
        seconds=_START_SECONDS,
    )
    facts = json.loads(ready.read_text()) if ready.is_file() else {"error": _last_line(log)}
    if "error" in facts:
        kept = cache_folder() / "last-cluster-start.log"
        shutil.copy(log, kept)
        raise ClusterError(
            f"the embedded cluster did not start: {facts['error']}", next_step=f"see {kept}"
        )
    return {**facts, "pid": pid}


def _last_line(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else f"no answer in {_START_SECONDS:.0f} s"


def _stop() -> bool:
    """Ends whatever the state file names: answering, dead or half-started."""
    work = state.work_folder()
    if work is None:
        return False
    cluster = state.read_state()
    if cluster is not None and _answers(cluster):
        with contextlib.suppress(MprofError):
            _end_applications(cluster)
    # Containers are sessions of their own; the folder they work in is what they have in common.
    # Drivers mention only conf/ and end by themselves when nobody answers.
    of_cluster = (f"{work}/ready.json", f"{work}/data/")
    for text in of_cluster:
        processes.end(processes.mentioning(text), grace_seconds=2.0)
    # A container that was just being launched.
    processes.end(processes.mentioning(of_cluster[1]), grace_seconds=0.0)
    shutil.rmtree(work, ignore_errors=True)
    state.forget()
    return cluster is not None


def _end_applications(cluster: EmbeddedCluster) -> None:
    gateway = Gateway(port=cluster.gateway_port, token=cluster.gateway_token)
    try:
        live = gateway.ask("liveApplications")
        for application in live:
            gateway.call("kill", application["job_id"])
        if live:
            processes.wait_until(
                lambda: not processes.mentioning(f"{cluster.data_dir}/"), seconds=_STOP_SECONDS
            )
        gateway.call("halt")
    finally:
        gateway.close()


def _answers(cluster: EmbeddedCluster) -> bool:
    if not processes.runs(cluster.pid, mentioning=str(cluster.work_dir)):
        return False
    gateway = Gateway(port=cluster.gateway_port, token=cluster.gateway_token)
    try:
        return bool(gateway.call("version"))
    except MprofError:
        return False
    finally:
        gateway.close()


def _silent(_: str) -> None:
    pass
