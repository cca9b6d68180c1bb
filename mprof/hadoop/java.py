"""The Java installation of this machine, and mprof's own jars."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from mprof.errors import ClusterError
from mprof.io.ownership import check_writers

__all__ = ["agent_jar", "demo_job_jar", "gateway_jar", "java_home"]

_PACKAGE = Path(__file__).resolve().parents[1]

# Where a checkout builds each jar, relative to the folder that holds the package.
_BUILT = {
    "mprof-agent.jar": "jvm-agent/bundle/target",
    "mprof-gateway.jar": "jvm-agent/gateway/target",
    "mprof-demo-job.jar": "jvm-agent/demo-job/target",
}


def agent_jar() -> Path:
    """The agent's jar: the newer of the one built in the checkout and the installed one.

    Raises:
        ClusterError: if there is none, or others could have written it.
    """
    return _jar("mprof-agent.jar")


def gateway_jar() -> Path:
    """The gateway's jar: the newer of the one built in the checkout and the installed one.

    Raises:
        ClusterError: if there is none, or others could have written it.
    """
    return _jar("mprof-gateway.jar")


def demo_job_jar() -> Path:
    """The jar of the demonstration's job: the newer of the checkout's and the installed one.

    Raises:
        ClusterError: if there is none, or others could have written it.
    """
    return _jar("mprof-demo-job.jar")


def java_home() -> Path:
    """The Java installation: ``JAVA_HOME`` if it has a ``bin/java``, else that on the ``PATH``.

    Raises:
        ClusterError: if there is none.
    """
    named = os.environ.get("JAVA_HOME")
    if named and (Path(named) / "bin" / "java").is_file():
        return Path(named)
    found = shutil.which("java")
    if found is None:
        raise ClusterError(
            "no Java was found",
            next_step="install Java 17 or newer (openjdk-17-jre-headless), or set JAVA_HOME",
        )
    return Path(found).resolve().parents[1]


def _jar(name: str) -> Path:
    candidates = [
        path
        for path in (_PACKAGE / "jars" / name, _PACKAGE.parent / _BUILT[name] / name)
        if path.is_file()
    ]
    if not candidates:
        raise ClusterError(
            f"{name} was not found",
            next_step="run mvn package in the checkout, or reinstall mprof-hadoop",
        )
    newest = max(candidates, key=lambda path: path.stat().st_mtime)
    check_writers(newest, what=str(newest))
    return newest
