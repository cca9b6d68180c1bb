"""A row is run: each of its jobs twice on the embedded cluster, plain and under ``mprof run``."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compatibility.finding import Finding
from compatibility.rows import SSL_SHUFFLE, Row
from compatibility.tampering import INSTALLED, WAYS
from compatibility.things import NotHadError, Things
from mprof.hadoop import cluster_start, cluster_stop, processes, running_cluster
from mprof.hadoop.artifacts import class_path
from mprof.hadoop.embedded import DEFAULT_VERSION, EmbeddedCluster
from mprof.hadoop.java import agent_jar
from mprof.runs.agent_injection import AGENT_JAR

__all__ = ["Place", "run_row"]

ROOT = Path(__file__).resolve().parents[1]
_CLUSTERS = {"": {}, "ssl": SSL_SHUFFLE}
_MOST_SECONDS = 420
_JOB = re.compile(r"Running job: (job_\d+_\d+)")
_JSON_HISTORY = "-Dmapreduce.jobhistory.jhist.format=json"
_HISTORY_SECONDS = 30.0
# What of an error is another one each time: ids, times, numbers of processes, addresses.
_OWN = re.compile(
    r"\w+_\d{6,}\w*|\[?\d{4}-\d\d-\d\d[ T][\d:.]+\]?"
    r"|\bpid=?\s*\d+|\b0x\w+|\d{3,} (?=K)|\(\w*:?\d+\)|\d{5,}"
)
_SAYS = re.compile(
    r"mprof: (?:not attached|cannot write)|did not attach|without (?:it|the agent)"
    r"|inside the command|application master|not whole|is damaged"
)


@dataclass(frozen=True)
class Place:
    """Where the matrix is made: its folder, and what it has fetched."""

    folder: Path
    things: Things


@dataclass(frozen=True)
class _Ended:
    exit: int
    output: str
    files: Mapping[str, str]


def run_row(row: Row, place: Place) -> list[Finding]:
    """Run the jobs of a row, plain and under mprof."""
    findings = []
    for job in row.jobs:
        try:
            findings.append(_run_job(row, job, place))
        except NotHadError as error:
            findings.append(Finding(row.name, job, not_tried=str(error)))
        except subprocess.TimeoutExpired:
            findings.append(Finding(row.name, job, not_tried=f"more than {_MOST_SECONDS} s"))
    return findings


def _run_job(row: Row, job: str, place: Place) -> Finding:
    jars = class_path(DEFAULT_VERSION, lambda _: None)
    names = _Names(place.things, {"lib": str(jars.lib.resolve())})
    options = [_JSON_HISTORY]
    options += [each.format_map(names) if "{" in each else each for each in row.options]
    properties = {k: v.format_map(names) for k, v in _CLUSTERS[row.cluster].items()}
    cluster = _cluster(place, row.cluster, properties)
    work = place.folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    command = _command(place, cluster, job, options)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    own = {
        **environment,
        "HADOOP_CONF_DIR": str(cluster.conf_dir),
        "PATH": f"{cluster.bin_dir}{os.pathsep}{environment['PATH']}",
    }
    capture = work / "capture"
    installed = _installed(place.folder, row.tamper) if row.tamper in INSTALLED else ROOT
    environment["PYTHONPATH"] = os.pathsep.join(map(str, (installed, ROOT)))
    mprof = [sys.executable, "-m", "mprof", "run", "--embedded", "-o", str(capture), "--"]
    with ThreadPoolExecutor() as pool:
        alone = pool.submit(_call, _recorded(work, "plain", row.tamper, command), own)
        told = _call(
            [*mprof, *_recorded(work, "watched", row.tamper, command)], environment, installed
        )
        alone.result()
    plain, watched = _ended(work, "plain"), _ended(work, "watched")
    attempts = [folder for folder in capture.glob("runs/*/jobs/*/attempts/*") if folder.is_dir()]
    attached = [folder for folder in attempts if _attached(folder)]
    texts = [told.stdout, *(_texts(folder) for folder in attempts if folder not in attached)]
    lines = (line.strip() for text in texts for line in text.splitlines() if _SAYS.search(line))
    says = {line.replace(f"{place.folder}/", "") for line in lines}
    if row.is_off:
        says.add("switched off by the user")
    died = bool(plain.exit or watched.exit)
    return Finding(
        row=row.name,
        job=job,
        starts=_tasks(watched.output) == _tasks(plain.output),
        refused=_refused(told.stdout, place.folder) if not (work / "watched.json").exists() else "",
        attempts=len(attempts),
        attached=len(attached),
        says=tuple(sorted(says)),
        same_output=None if died and not plain.files else plain.files == watched.files,
        exit=(plain.exit, watched.exit),
        death=(_deaths(cluster, plain.output), _deaths(cluster, watched.output)),
        mprof_exit=told.returncode,
    )


class _Names(dict[str, str]):
    """Names in options; `Things` beside what is known here."""

    def __init__(self, things: Things, more: Mapping[str, str]) -> None:
        super().__init__(more)
        self._things = things

    def __missing__(self, name: str) -> str:
        return self._things[name]


def _cluster(place: Place, kind: str, properties: Mapping[str, str]) -> EmbeddedCluster:
    """The running cluster, started anew where it is of another kind."""
    mark = place.folder / "cluster-kind"
    running = running_cluster()
    if running is not None and mark.is_file() and mark.read_text() == kind:
        return running
    cluster_stop()
    started = cluster_start(properties=properties)
    mark.write_text(kind)
    return started


def _command(place: Place, cluster: EmbeddedCluster, job: str, options: list[str]) -> list[str]:
    source = str(_input(place.folder))
    if job == "streaming":
        jar, generic = place.things["streaming"], [each for each in options if each[:2] == "-D"]
        program = ["-input", source, "-output", "OUT", "-mapper", "cat", "-reducer", "uniq -c"]
        return ["hadoop", "jar", jar, *generic, *program]
    given: list[str] = []
    for each in options:
        name, equals, value = each.partition("=")
        given += [name, value] if name == "-libjars" and equals else [each]
    dying = ["-Dmapreduce.map.maxattempts=1", "-Dmapreduce.reduce.maxattempts=1"]
    once = dying if job.startswith(("fill", "throw")) else []
    jar = str(_jobs_jar(place.folder, cluster))
    return ["hadoop", "jar", jar, "Jobs", job, *once, *given, source, "OUT"]


def _recorded(work: Path, name: str, tamper: str, command: list[str]) -> list[str]:
    """The command with its own output folder, behind the one that writes down how it ended."""
    out = f"file://{work / name}"
    own = [out if word == "OUT" else word for word in command]
    observer = [sys.executable, "-m", "compatibility.job_command"]
    observer += ["--record", str(work / f"{name}.json")]
    return [*observer, *(["--tamper", tamper] if tamper in WAYS else []), "--", *own]


def _installed(folder: Path, way: str) -> Path:
    """A folder with a copy of mprof whose agent is damaged."""
    target = folder / "installed"
    shutil.rmtree(target, ignore_errors=True)
    leave = shutil.ignore_patterns("__pycache__")
    package = Path(shutil.copytree(ROOT / "mprof", target / "mprof", ignore=leave))
    jar = package / "jars" / AGENT_JAR
    jar.write_bytes(INSTALLED[way](agent_jar().read_bytes()))
    return target


def _refused(printed: str, folder: Path) -> str:
    """The last that mprof said, without the place where the matrix is made."""
    lines = [line for line in printed.splitlines() if line.startswith("mprof:")]
    return lines[-1].replace(f"{folder}/", "") if lines else ""


def _call(
    command: list[str], environment: Mapping[str, str], folder: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_MOST_SECONDS,
        check=False,
    )


def _ended(work: Path, name: str) -> _Ended:
    record = work / f"{name}.json"
    told: dict[str, Any] = {"exit": -1, "output": ""}
    if record.is_file():
        told = json.loads(record.read_text())
    files = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((work / name).glob("*"))
        if path.is_file() and not path.name.startswith(".")
    }
    return _Ended(told["exit"], told["output"], files)


def _tasks(output: str) -> bool:
    """Whether a task has run, as the client's counters or a task's own error tell."""
    return "Launched map tasks" in output or "Map input records" in output or "Error: " in output


def _deaths(cluster: EmbeddedCluster, output: str) -> tuple[str, ...]:
    """What Hadoop's history says of the attempts that failed, each kind once."""
    found = _JOB.search(output)
    if found is None:
        return ()
    name = f"{found[1]}*.jhist"

    def histories() -> list[Path]:
        return list(cluster.work_dir.glob(f"staging/history/**/{name}"))

    processes.wait_until(lambda: bool(histories()), seconds=_HISTORY_SECONDS)
    told: set[str] = set()
    for history in histories():
        for event in history.read_text(encoding="utf-8", errors="replace").splitlines():
            if "ATTEMPT_FAILED" not in event[:60]:
                continue
            body = next(iter(json.loads(event)["event"].values()))
            told.add(_kind_of(body.get("error") or ""))
    return tuple(sorted(told))


def _kind_of(error: str) -> str:
    """The lines of an error that tell its kind, without what is another one each time."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    kind = [line for line in lines if re.search(r"exit ?code|killed by", line, re.IGNORECASE)]
    return _OWN.sub("…", " | ".join(dict.fromkeys([*lines[:1], *kind])))[:200]


def _attached(folder: Path) -> bool:
    log = folder / "events.jsonl"
    if log.is_file() and '"type":"attach"' in log.read_text(errors="replace").replace(": ", ":"):
        return True
    return "mprof: attached" in _texts(folder)


def _texts(folder: Path) -> str:
    names = ("stderr", "prelaunch.err", "stdout")
    files = (folder / name for name in names)
    return "\n".join(file.read_text(errors="replace") for file in files if file.is_file())


def _input(folder: Path) -> Path:
    """A folder with the words that jobs count."""
    target = folder / "in"
    if not target.exists():
        target.mkdir(parents=True)
        words = [f"word{number * number % 977}" for number in range(20_000)]
        lines = [" ".join(words[at : at + 10]) for at in range(0, len(words), 10)]
        (target / "words.txt").write_text("\n".join(lines) + "\n")
    return target


def _jobs_jar(folder: Path, cluster: EmbeddedCluster) -> Path:
    """The jobs, for Java 8 and later."""
    target, source = folder / "jobs.jar", ROOT / "compatibility/jobs/Jobs.java"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        classes = folder / "classes"
        listing = [str(cluster.bin_dir / "hadoop"), "classpath"]
        path = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.strip()
        compiling = ["javac", "--release", "8", "-nowarn", "-Xlint:-options", "-cp", path]
        subprocess.run([*compiling, "-d", str(classes), str(source)], check=True)
        subprocess.run(["jar", "cf", str(target), "-C", str(classes), "."], check=True)
    return target
