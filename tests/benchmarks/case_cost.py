"""What mprof costs a job that dies: a case plain, watched and profiled, one after the other.

Run it as ``python tests/benchmarks/case_cost.py SLUG... [--scale paper] [--rounds N] [--results
FILE]``; without a slug it takes all cases of the paper. Each case is added to the file when it is
done, and left out if the file holds it: an interrupted run goes on.

Each round runs the case's job without mprof, with the agent watching, and with its failed tasks
profiled (dumps at probes), so that drift of the machine hits all three alike. A profiled job dies
as the plain one does, so the time to its death can be compared, as the paper does in its section
7.3. What the rerun diagnosed is compared with what the case expects, as in ``mprof cases run``.

Three times are compared: ``job``, from the start of the driver until its end, ``tasks``, the sum
of the run times of all attempts as the job history has them, and ``cpu``, the sum of their CPU
times, which other work on the machine changes less. A failed attempt has the CPU time of its last
report, up to some seconds before its end, so ``cpu`` is without the dump at the death; it is not
known, a dash, where an attempt failed before its first report. Reading the dumps afterwards keeps
no task waiting and is printed apart, as ``reading``; ``verdict`` is the time from the last error
that left a task's code to the verdict.

With ``--keep FOLDER`` the capture of a case's last round stays there, as ``FOLDER/SLUG``.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ending import end_as_by_ctrl_c

from mprof.catalogue import Case, at_scale, cases_root, find_case, load_cases
from mprof.catalogue.build import ReadyJob, prepare_job
from mprof.catalogue.inputs import make_input
from mprof.catalogue.judging import judge
from mprof.errors import MprofError
from mprof.hadoop import Cluster, connect
from mprof.history import AttemptHistory, read_history
from mprof.runs import RunResult, rerun, run


@dataclass(frozen=True)
class Cost:
    """Seconds of one run; `reading` of its dumps and logs, `verdict` from the last death to it.

    `cpu` is None if an attempt failed before it reported any.
    """

    job: float
    tasks: float
    cpu: float | None
    reading: float = 0.0
    verdict: float = 0.0


def main() -> None:
    """Measure, and print a table a case."""
    end_as_by_ctrl_c()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("slug", nargs="*")
    parser.add_argument("--scale", default=None)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--results", type=Path, default=None)
    parser.add_argument("--keep", type=Path, default=None)
    given = parser.parse_args()
    slugs = given.slug or [each.slug for each in load_cases(cases_root(None)) if each.paper]
    known = _known(given.results)
    for slug in slugs:
        if slug in known:
            continue
        case = find_case(cases_root(None), slug)
        try:
            problems, rows = _measured(
                at_scale(case, given.scale) if given.scale else case, given.rounds, given.keep
            )
        except MprofError as error:
            print(f"{slug}: {error}", flush=True)
            continue
        print(f"{slug}: {'; '.join(problems) or 'as expected'}")
        _print(rows)
        if given.results is not None:
            costs = {mode: [asdict(each) for each in row] for mode, row in rows.items()}
            line = {"case": slug, "scale": given.scale, "problems": problems, **costs}
            with given.results.open("a") as file:
                file.write(f"{json.dumps(line)}\n")


def _known(results: Path | None) -> set[str]:
    if results is None or not results.exists():
        return set()
    return {json.loads(line)["case"] for line in results.read_text().splitlines()}


def _measured(
    case: Case, rounds: int, keep: Path | None
) -> tuple[tuple[str, ...], dict[str, list[Cost]]]:
    """What is wrong about the last diagnosis, and the costs of each round by mode."""
    rows: dict[str, list[Cost]] = {"plain": [], "watch": [], "profile": []}
    problems: tuple[str, ...] = ()
    with connect(embedded=True) as cluster, tempfile.TemporaryDirectory() as scratch:
        job = prepare_job(case, Path(scratch), fixed=False, progress=_ignore)
        source = make_input(case, seed=case.input.seed)
        for number in range(rounds):
            folder = Path(scratch, str(number))
            folder.mkdir()
            rows["plain"].append(_plain(cluster, job, source, folder / "plain"))
            problems, watched, profiled = _with_mprof(case, job, source, folder)
            rows["watch"].append(watched)
            rows["profile"].append(profiled)
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            shutil.move(folder / "capture", keep / case.slug)
    return problems, rows


def _plain(cluster: Cluster, job: ReadyJob, source: Path, output: Path) -> Cost:
    command = job.command(source, output, changed={})
    started = time.monotonic()
    submission = cluster.submit(command, on_line=_ignore)
    cluster.wait(submission.job_ids)
    seconds = time.monotonic() - started
    for job_id in submission.job_ids:
        cluster.fetch_history(job_id, output.with_name("history"))
    history = output.with_name("history")
    return Cost(seconds, _task_seconds(history), _cpu_seconds(history))


def _with_mprof(
    case: Case, job: ReadyJob, source: Path, folder: Path
) -> tuple[tuple[str, ...], Cost, Cost]:
    command = job.command(source, folder / "output", changed={})
    capture = folder / "capture"
    agent = {"keys": "text"} if case.job.keys else {}
    result, watched = _timed(
        lambda: run(command, capture=capture, embedded=True, settings=agent), 0
    )
    profiled = None
    if case.is_profiled:
        result, profiled = _timed(
            lambda: rerun(str(capture), command, embedded=True, verify=False, settings=agent), 1
        )
    return judge(case, result.diagnosed).problems, watched, profiled or watched


def _timed(step: Callable[[], RunResult], index: int) -> tuple[RunResult, Cost]:
    started = time.monotonic()
    result = step()
    whole = time.monotonic() - started
    now = time.time()
    recorded = result.capture.runs[index]
    seconds = recorded.manifest.seconds["run"]
    died = _last_failure_seconds(recorded.path)
    tasks, cpu = _task_seconds(recorded.path), _cpu_seconds(recorded.path)
    return result, Cost(seconds, tasks, cpu, whole - seconds, now - died)


def _last_failure_seconds(folder: Path) -> float:
    """When the last error left the code of a task of a run, in seconds since the epoch.

    NaN where no task has left such an event.
    """
    lines = (line for log in folder.rglob("events.jsonl") for line in log.open())
    events = (json.loads(line) for line in lines if line.endswith("}\n"))
    return max((one["t"] / 1000 for one in events if one["type"] == "failure"), default=math.nan)


def _task_seconds(folder: Path) -> float:
    """Of all attempts, from the history files below a folder."""
    return sum(
        (one.finish_ms - one.start_ms) / 1000
        for one in _attempts(folder)
        if one.start_ms is not None and one.finish_ms is not None
    )


def _cpu_seconds(folder: Path) -> float | None:
    """Of all attempts; None if one that failed has reported none."""
    attempts = _attempts(folder)
    spent = [one.counters.get("CPU_MILLISECONDS") or 0 for one in attempts]
    if any(one.state == "FAILED" and not ms for one, ms in zip(attempts, spent, strict=True)):
        return None
    return sum(spent) / 1000


def _attempts(folder: Path) -> list[AttemptHistory]:
    return [
        one for file in folder.rglob("*.jhist") for one in read_history(file).attempts().values()
    ]


def _ignore(text: str) -> None:
    del text


def _print(rows: Mapping[str, Sequence[Cost]]) -> None:
    plain = rows["plain"]
    print(
        "mode       job s   ratio   tasks s   ratio   cpu ratio   reading s   verdict s   (medians)"
    )
    for mode, costs in rows.items():
        job = statistics.median(c.job / p.job for c, p in zip(costs, plain, strict=True))
        tasks = statistics.median(c.tasks / p.tasks for c, p in zip(costs, plain, strict=True))
        cpu = [c.cpu / p.cpu for c, p in zip(costs, plain, strict=True) if c.cpu and p.cpu]
        print(
            f"{mode:<9}{statistics.median(c.job for c in costs):7.1f}   {job:.3f}   "
            f"{statistics.median(c.tasks for c in costs):7.1f}   {tasks:.3f}   "
            f"{f'{statistics.median(cpu):.3f}' if cpu else '-':>9}   "
            f"{statistics.median(c.reading for c in costs):9.1f}   "
            f"{statistics.median(c.verdict for c in costs):9.1f}"
        )


if __name__ == "__main__":
    main()
