"""The gateway to a real cluster, started by that cluster's own ``hadoop`` command."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from mprof.errors import ClusterError
from mprof.hadoop import processes
from mprof.hadoop.gateway import Gateway
from mprof.hadoop.java import gateway_jar
from mprof.io.ownership import check_writers

__all__ = ["client_folder", "gateway_process"]

_START_SECONDS = 120.0
_CLASS_PATH_SECONDS = 120.0
_SITE_FILES = ("core-site.xml", "yarn-site.xml", "mapred-site.xml")
_SET_FOLDER = "set HADOOP_CONF_DIR to the client configuration folder, or add --embedded"


@contextlib.contextmanager
def gateway_process(conf_dir: Path | None, *, scratch: Path) -> Iterator[tuple[Path, Gateway]]:
    """A gateway JVM for the duration of the context.

    The ``hadoop`` command starts it like any class, so it gets the class path, the JVM and the
    security options of every other client of that cluster.

    Args:
        conf_dir: the client configuration; None for that of the environment.
        scratch: a private folder for its files.

    Yields:
        The client configuration folder and the gateway.

    Raises:
        ClusterError: if the command or the configuration is missing, it cannot be started, or
            others could have written its jar.
    """
    hadoop = _hadoop()
    folder = client_folder(conf_dir, hadoop)
    ready, log = scratch / "gateway.json", scratch / "gateway.log"
    # A copy, because a rebuild must not change the jar of a running JVM.
    jar = shutil.copy(gateway_jar(), scratch / "gateway.jar")
    check_writers(Path(jar), what="the gateway's jar")
    class_path = [str(jar), os.environ.get("HADOOP_CLASSPATH", "")]
    environment = {
        **os.environ,
        "HADOOP_CONF_DIR": str(folder),
        "HADOOP_CLASSPATH": os.pathsep.join(filter(None, class_path)),
        "HADOOP_USER_CLASSPATH_FIRST": "true",
        "HADOOP_ROOT_LOGGER": "WARN,console",
        # The JVM takes the last of two -Xmx.
        "HADOOP_CLIENT_OPTS": f"{os.environ.get('HADOOP_CLIENT_OPTS', '')} -Xmx512m".strip(),
    }
    with (
        log.open("wb") as out,
        subprocess.Popen(
            [hadoop, "--config", str(folder), "org.mprof.gateway.Gateway", str(ready)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.STDOUT,
            # Ctrl-C must not reach the gateway, which is needed to clean up afterwards.
            start_new_session=True,
        ) as process,
    ):
        try:
            gateway = _opened(process, ready, log)
            try:
                yield folder, gateway
            finally:
                gateway.close()
        finally:
            # The gateway exits when its standard input is closed.
            if process.stdin is not None:
                process.stdin.close()
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()


def client_folder(conf_dir: Path | None, hadoop: str) -> Path:
    """The client configuration folder: ``conf_dir``, else HADOOP_CONF_DIR, else the command's.

    Raises:
        ClusterError: if there is none, or it holds no site file.
    """
    named = conf_dir or os.environ.get("HADOOP_CONF_DIR")
    folder = Path(named) if named else _first_of_class_path(hadoop)
    if folder is None:
        raise ClusterError("no cluster is configured", next_step=_SET_FOLDER)
    if not folder.is_dir():
        raise ClusterError(f"there is no configuration folder {folder}", next_step=_SET_FOLDER)
    if not any((folder / name).is_file() for name in _SITE_FILES):
        raise ClusterError(f"{folder} holds no Hadoop configuration", next_step=_SET_FOLDER)
    return folder


def _hadoop() -> str:
    found = shutil.which("hadoop")
    if found is None:
        raise ClusterError(
            "the command hadoop was not found",
            next_step="put the Hadoop client on the PATH, or add --embedded",
        )
    return found


def _first_of_class_path(hadoop: str) -> Path | None:
    """The default configuration folder of the command: the first entry of its class path."""
    try:
        done = subprocess.run(
            [hadoop, "classpath"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_CLASS_PATH_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    first = done.stdout.strip().split(os.pathsep)[0]
    return Path(first) if first and Path(first).is_dir() else None


def _opened(process: subprocess.Popen[bytes], ready: Path, log: Path) -> Gateway:
    processes.wait_until(
        lambda: ready.is_file() or process.poll() is not None, seconds=_START_SECONDS
    )
    if not ready.is_file():
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
        reason = lines[-1] if lines else "it printed nothing"
        raise ClusterError(
            f"the hadoop command could not start the gateway: {reason}",
            next_step="check that hadoop version works with this configuration",
        )
    facts = json.loads(ready.read_text())
    if "error" in facts:
        raise ClusterError(
            f"the gateway did not start: {facts['error']}",
            next_step="check the client configuration",
        )
    # The embedded cluster's hadoop command becomes the JVM, in the cluster's network.
    return Gateway(port=facts["port"], token=facts["token"], pid=process.pid)
