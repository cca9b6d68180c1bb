"""Whether mprof can work here: Java, jars, the cluster's configuration, disk space for dumps."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from mprof.errors import MprofError
from mprof.hadoop import (
    agent_jar,
    connect,
    final_properties,
    gateway_jar,
    java_home,
    running_cluster,
)
from mprof.history import read_conf
from mprof.runs.check import Check, guarded
from mprof.runs.installation import examine_names
from mprof.runs.switch import examine_switch
from mprof.units import GIB, format_bytes

__all__ = ["examine"]

OLDEST_JAVA = 17
_SET_JAVA_HOME = f"set JAVA_HOME to a JDK {OLDEST_JAVA} or newer"
# A heap dump is about as large as the live heap; with less than this the agent would skip most.
MIN_FREE_BYTES = 2 * GIB


def examine(*, embedded: bool, conf_dir: Path | None) -> tuple[Check, ...]:
    """Check everything that a run needs; nothing is started but a connection to the cluster."""
    checks = [
        examine_names(),
        guarded("Java", _java),
        guarded("jars", _jars),
        _disk(Path.cwd()),
    ]
    if embedded:
        if running_cluster() is None:
            found = "not running; a command with --embedded starts one"
            return (*checks, Check("embedded cluster", ok=True, found=found))
        return (*checks, *_cluster("embedded cluster", None, embedded=True))
    named = conf_dir or os.environ.get("HADOOP_CONF_DIR")
    if not named:
        missing = Check(
            "cluster",
            ok=False,
            found="HADOOP_CONF_DIR is not set",
            next_step="set it to the client configuration folder, or use --embedded",
        )
        return (*checks, missing)
    folder = Path(named)
    return (
        *checks,
        guarded("configuration", lambda: _configuration(folder)),
        guarded("log aggregation", lambda: _aggregation(folder)),
        *_cluster("cluster", folder, embedded=False),
    )


def _java() -> Check:
    named = os.environ.get("JAVA_HOME")
    if named and not (Path(named) / "bin" / "java").is_file():
        # mprof takes the Java on the PATH then; Hadoop's own commands end.
        return Check(
            "Java",
            ok=False,
            found=f"JAVA_HOME is {named}, where no bin/java is",
            next_step=f"{_SET_JAVA_HOME}, or unset it to use the java on the PATH",
        )
    java = java_home() / "bin" / "java"
    found_by = "JAVA_HOME" if named else "the PATH"
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    except OSError as error:
        return Check(
            "Java",
            ok=False,
            found=f"{java}, from {found_by}, cannot be started: {error.strerror}",
            next_step=_SET_JAVA_HOME,
        )
    match = re.search(r'version "(?:1\.)?(\d+)', done.stderr)
    if match is None:
        return Check("Java", ok=None, found=f"{java} -version prints no version")
    version = int(match.group(1))
    older = "" if version >= OLDEST_JAVA else f", which is older than {OLDEST_JAVA}"
    return Check(
        "Java",
        ok=version >= OLDEST_JAVA,
        found=f"Java {version} in {java.parents[1]}, from {found_by}{older}",
        next_step=_SET_JAVA_HOME,
    )


def _jars() -> Check:
    names = ", ".join(jar.name for jar in (agent_jar(), gateway_jar()))
    return Check("jars", ok=True, found=names)


def _disk(folder: Path) -> Check:
    free = shutil.disk_usage(folder).free
    return Check(
        "disk",
        ok=free >= MIN_FREE_BYTES,
        found=f"{format_bytes(free)} free in the working folder",
        next_step="captures hold heap dumps: free some space, or work in another folder",
    )


def _configuration(folder: Path) -> Check:
    if not folder.is_dir():
        return Check(
            "configuration",
            ok=False,
            found=f"there is no folder {folder}",
            next_step="set HADOOP_CONF_DIR or --config to the client configuration folder",
        )
    site = folder / "mapred-site.xml"
    if not site.is_file():
        return Check("configuration", ok=True, found=f"{folder} has no mapred-site.xml")
    keys = {"mapreduce.task.profile", "mapreduce.job.cache.archives", "mapreduce.job.tags"}
    final = sorted(keys & final_properties(site))
    return Check(
        "configuration",
        ok=not final,
        found=f"final in {site}: {', '.join(final)}" if final else f"{site} allows the agent",
        next_step="ask for these properties to be made non-final, or set them in the job",
    )


def _aggregation(folder: Path) -> Check:
    site = folder / "yarn-site.xml"
    enabled = site.is_file() and read_conf(site).get("yarn.log-aggregation-enable") == "true"
    return Check(
        "log aggregation",
        ok=True if enabled else None,
        found="on"
        if enabled
        else "off, or not set here: heap dumps stay on the nodes where they were made",
        next_step="set yarn.log-aggregation-enable=true, or give the agent a capture folder",
    )


def _cluster(name: str, folder: Path | None, *, embedded: bool) -> tuple[Check, ...]:
    """Whether it can be reached, and what it says of the cluster-wide switch."""
    try:
        with connect(folder, embedded=embedded) as cluster:
            found = f"reached with the configuration in {cluster.conf_dir}"
            return (Check(name, ok=True, found=found), *examine_switch(cluster))
    except MprofError as error:
        return (
            Check(name, ok=False, found=error.what, next_step=error.next_step),
            Check(
                "cluster-wide switch",
                ok=None,
                found="not known, because the cluster was not reached",
                next_step=error.next_step,
            ),
        )
