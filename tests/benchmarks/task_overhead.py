r"""Whole-task overhead of watch and profile mode on the embedded cluster, in interleaved runs.

Run it as ``python tests/benchmarks/task_overhead.py --job sort --megabytes 250``, or with a job of
your own that fits its heap (``--jar JOB.jar --main MAIN --input IN``). Each round runs the job in
each of ``--modes``, one after the other, so that drift of the machine hits all of them alike, and
every second round in the opposite order. Modes are ``plain``, ``watch``, ``profile`` (seven points,
a heap dump before the first record and class histograms before the others, as ``mprof rerun`` plans
them for a task of two minutes with a full heap of 1 GB) and ``dumps`` (the paper's method: a heap
dump at each of the seven points). What is compared is the sum of the run times of all attempts and
their CPU time, as the job history and the counters of Hadoop have them. The ratio is the geometric
mean over the rounds, with its 95 % interval (Student's t of the logarithms). The CPU seconds of the
threads, by what they do, are means (``thread_times``). After six rounds or more they end early once
the interval of the run time is ``--within`` wide on either side.

With ``--cores 0,1`` each mode has a cluster of its own on one core, and a round runs all modes at
the same time, each on another core than in the round before: what slows the machine down slows
them all down. The JIT compiler and the collector then have no other core to go to, so the run time
holds all that they do.

Profile mode on a task that fills most of a heap of 1 GB in about two minutes (a record of 50
characters takes some 110 bytes of heap; ``keep.rounds`` is how much work each record is)::

    python tests/benchmarks/task_overhead.py --job keep --megabytes 400 --records 7843000 \
        --modes plain,profile,dumps -D keep.rounds=900 -D mapreduce.job.reduces=0 \
        -D mapreduce.map.memory.mb=1536 -D mapreduce.map.java.opts=-Xmx1g
"""

from __future__ import annotations

import argparse
import contextlib
import math
import multiprocessing
import os
import statistics
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from ending import end_as_by_ctrl_c
from overhead_jobs import JOBS, job_jar, job_lines
from scipy.stats import t
from thread_times import GROUPS, thread_times

from mprof.hadoop import Cluster, JobStatus, connect
from mprof.runs.agent_archive import agent_checksum
from mprof.runs.agent_injection import inject_agent
from mprof.runs.staging import staged_agent

TASK = "org.apache.hadoop.mapreduce.TaskCounter"
JOB = "org.apache.hadoop.mapreduce.JobCounter"
_FEWEST_ROUNDS = 6  # before an interval may end the rounds: it is narrow by chance in fewer
_SPLIT = "mapreduce.input.fileinputformat.split.minsize"


@dataclass(frozen=True)
class Cost:
    """One run: seconds of all its task attempts."""

    run_seconds: float
    cpu_seconds: float
    threads: Mapping[str, float]


def main() -> None:
    """Measure and print a table."""
    end_as_by_ctrl_c()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--job", choices=sorted(JOBS), help="one of the jobs that come with this")
    parser.add_argument("--megabytes", type=int, default=250, help="of its input, one map task")
    parser.add_argument("--jar", type=Path, help="your own job")
    parser.add_argument("--main")
    parser.add_argument("--input", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--modes", default="plain,watch,profile", help="plain comes first")
    parser.add_argument("--within", type=float, default=0.0, help="half an interval: 0.015")
    parser.add_argument("--records", type=int, default=300_000, help="records of a map task")
    parser.add_argument("--cores", default="", help="one for each mode, all at the same time")
    parser.add_argument("-D", dest="settings", action="append", default=[])
    given = parser.parse_args()
    plans = {"profile": _plan(given.records, "h"), "dumps": _plan(given.records, "")}
    rows: dict[str, list[Cost]] = {mode: [] for mode in given.modes.split(",")}
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        lanes = [stack.enter_context(_lane(core, scratch)) for core in given.cores.split(",")]
        if len(lanes) not in {1, len(rows)}:
            parser.error("--cores: as many as modes")
        if given.job:
            given.jar, given.main = job_jar(scratch), JOBS[given.job]
            given.input = scratch / "lines.txt"
            job_lines(given.job, given.input, megabytes=given.megabytes)
            given.settings.insert(0, f"{_SPLIT}={1 << 40}")
        settings = [word for pair in given.settings for word in ("-D", pair)]
        command = ["hadoop", "jar", str(given.jar), given.main, *settings, str(given.input)]

        for number in range(given.rounds + 1):
            modes = list(rows) if number % 2 else list(reversed(rows))
            of = {mode: lanes[(place + number) % len(lanes)] for place, mode in enumerate(rows)}
            for mode in modes:
                out = str(scratch / f"out-{number}-{mode}")
                of[mode].send(([*command, out], mode, plans.get(mode)))
            for mode in modes:
                cost = of[mode].recv()
                if number:  # the first round warms caches
                    rows[mode].append(cost)
            if number:
                _print(rows)
            if number >= _FEWEST_ROUNDS and all(_narrow(rows, mode, given.within) for mode in rows):
                break


@contextlib.contextmanager
def _lane(core: str, scratch: Path) -> Iterator[Connection]:
    """A process that runs one job after the other, on that core where one is given.

    It takes the arguments of ``_run`` and answers with a ``Cost``.
    """
    spawn = multiprocessing.get_context("spawn")  # a forked one would keep other lanes' pipes open
    here, there = spawn.Pipe()
    process = spawn.Process(target=_serve, args=(there, core, scratch))
    process.start()
    there.close()
    try:
        yield here
    finally:
        here.close()
        process.join()


def _serve(orders: Connection, core: str, scratch: Path) -> None:
    if core:
        os.sched_setaffinity(0, {int(core)})  # of what it starts, too
        os.environ["XDG_STATE_HOME"] = str(scratch / f"core-{core}")  # a cluster of its own
    with connect(embedded=True) as cluster, contextlib.suppress(EOFError):
        while True:
            order = orders.recv()
            with thread_times(str(cluster.conf_dir.parent)) as threads:
                job = _run(cluster, *order)
            orders.send(_cost(job, threads))


def _plan(records: int, kind: str) -> str:
    """Seven points of which all but the first are of that kind."""
    later = (f"{1 + k * (records - 1) // 6}{kind}" for k in range(1, 7))
    points = ",".join(("1", *later))
    return f"version=1\ndefault=watch\nm_000000.mode=profile\nm_000000.before_record={points}\n"


def _run(cluster: Cluster, command: list[str], mode: str, plan: str | None) -> JobStatus:
    with contextlib.ExitStack() as stack:
        overlay: Mapping[str, str] = {}
        append: Mapping[str, str] = {}
        if mode != "plain":
            profiled = plan is not None
            staged = stack.enter_context(staged_agent(cluster, plan, print))
            way = inject_agent(
                uuid.uuid4().hex,
                staged,
                jar_checksum=agent_checksum(),
                mode="profile" if profiled else "watch",
                settings={},
                with_plan=profiled,
            )
            overlay, append = way.overlay, way.append
        submission = cluster.submit(command, overlay=overlay, append=append, on_line=_ignore)
        (job,) = cluster.wait(submission.job_ids)
    if job.state != "SUCCEEDED":
        raise SystemExit(f"the job {job.state.lower()}: give it a heap that it fits")
    return job


def _ignore(line: str) -> None:
    del line


def _cost(job: JobStatus, threads: Mapping[str, float]) -> Cost:
    run_ms = sum(job.counters[JOB].get(name, 0) for name in ("MILLIS_MAPS", "MILLIS_REDUCES"))
    cpu_ms = job.counters[TASK]["CPU_MILLISECONDS"]
    return Cost(run_seconds=run_ms / 1000, cpu_seconds=cpu_ms / 1000, threads=threads)


def _narrow(rows: Mapping[str, list[Cost]], mode: str, within: float) -> bool:
    _, low, high = _ratio(
        [c.run_seconds for c in rows[mode]], [c.run_seconds for c in rows["plain"]]
    )
    return (high - low) / 2 <= within


def _ratio(costs: list[float], plain: list[float]) -> tuple[float, float, float]:
    """Geometric mean of the ratios, and its 95 % interval."""
    logs = [math.log(c / p) for c, p in zip(costs, plain, strict=True)]
    mean = statistics.fmean(logs)
    if len(logs) == 1:
        return math.exp(mean), 0.0, math.inf
    half = t.ppf(0.975, len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def _print(rows: Mapping[str, list[Cost]]) -> None:
    plain = rows["plain"]
    print(
        f"{len(plain)} rounds   task s   ratio (95 %)              CPU s   ratio (95 %)         "
        f"   {'   '.join(GROUPS)}",
        flush=True,
    )
    for mode, costs in rows.items():
        run = _ratio([c.run_seconds for c in costs], [c.run_seconds for c in plain])
        cpu = _ratio([c.cpu_seconds for c in costs], [c.cpu_seconds for c in plain])
        run_seconds = statistics.median(c.run_seconds for c in costs)
        cpu_seconds = statistics.median(c.cpu_seconds for c in costs)
        threads = (statistics.fmean(c.threads[group] for c in costs) for group in GROUPS)
        print(
            f"{mode:<9}{run_seconds:8.1f}   {run[0]:.3f} ({run[1]:.3f} to {run[2]:.3f})   "
            f"{cpu_seconds:8.1f}   {cpu[0]:.3f} ({cpu[1]:.3f} to {cpu[2]:.3f})   "
            f"{'   '.join(f'{each:{len(g)}.2f}' for g, each in zip(GROUPS, threads, strict=True))}",
            flush=True,
        )


if __name__ == "__main__":
    main()
