"""Many short tasks of one job under watch, each in a JVM of its own: what they leave behind.

Run it as ``python tests/benchmarks/many_tasks.py --tasks 1000``. A word count of as many map tasks
and one reduce task runs on the embedded cluster by ``mprof run``. Printed are how it ended, how
many attempts have an event log with the end of a task that succeeded, the largest one and the whole
capture, what is new in the machine's temporary folder, and how long ``mprof run`` took, with the
most memory it had.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from ending import end_as_by_ctrl_c
from overhead_jobs import JOBS, job_jar, job_lines

from mprof.units import MIB

_TEMPORARY = Path(tempfile.gettempdir())


def main() -> None:
    """Run the job and print what it left."""
    end_as_by_ctrl_c()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=1000, help="map tasks")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        command = _job(folder, given.tasks)
        capture = folder / "capture"
        there = set(_TEMPORARY.iterdir())
        begun = time.monotonic()
        run = [sys.executable, "-m", "mprof", "run", "--embedded", "--json", "-o", str(capture)]
        ended = subprocess.run([*run, "--", *command], stdout=subprocess.PIPE, text=True)
        seconds = time.monotonic() - begun
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"mprof run: exit code {ended.returncode}, {seconds:.0f} s, at most {most:.0f} MB")
        said = json.loads(ended.stdout)
        print(f"death: {said['death']['kind']}, causes: {said['causes']}")
        _print_logs(capture)
        left = sorted(path.name for path in set(_TEMPORARY.iterdir()) - there)
        print(f"new in {_TEMPORARY.name}: {', '.join(left) or 'nothing'}")


def _job(folder: Path, tasks: int) -> Sequence[str]:
    lines = folder / "lines.txt"
    job_lines("wordcount", lines, megabytes=tasks // 100 + 1)
    split = lines.stat().st_size // tasks + 1
    settings = {
        "mapreduce.input.fileinputformat.split.maxsize": split,
        "mapreduce.map.java.opts": "-Xmx96m",
        "mapreduce.map.memory.mb": 256,
        "mapreduce.task.io.sort.mb": 10,
    }
    words = [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
    jar = str(job_jar(folder))
    return ["hadoop", "jar", jar, JOBS["wordcount"], *words, str(lines), str(folder / "out")]


def _print_logs(capture: Path) -> None:
    logs = sorted(capture.glob("runs/*/jobs/*/attempts/*/events.jsonl"))
    types = [[json.loads(line)["type"] for line in log.read_text().splitlines()] for log in logs]
    ended = sum(1 for of_log in types if of_log.count("end") == 1 and "failure" not in of_log)
    files = [path.stat().st_size for path in capture.rglob("*") if path.is_file()]
    print(f"event logs: {len(logs)}, {ended} of them with the end of a task that succeeded")
    if logs:
        print(f"largest event log: {max(log.stat().st_size for log in logs)} B")
    print(f"capture: {len(files)} files, {sum(files) / MIB:.1f} MB")


if __name__ == "__main__":
    main()
