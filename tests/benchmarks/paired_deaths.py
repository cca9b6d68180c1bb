"""Whether a job with the agent dies as the plain one does: kind, place, time, collections.

Run it as ``python tests/benchmarks/paired_deaths.py --room close --rounds 1 [SLUG ...]``, for the
cases named, or for all that die of memory. Each round runs a case plain and watched, one after the
other, every second round the other way round. The tasks log their collections and exceptions
themselves (``-Xlog``), in both modes alike. With ``--mode profile`` it is plain and profiled, with
the probe plan of the recorded rerun.

Rooms, granted by a cluster that rounds up by 32 MB only: ``tight``, a container of 1.25 times the
heap, which is Hadoop's default ratio (few heaps of less than 500 MB fit); ``close``, the heap and
160 MB; ``roomy``, twice the heap and 256 MB more.

What is compared is an attempt that failed, the first by its id, or one of the profiled task: its
kind of death and step of the task; the seconds from the first OutOfMemoryError that any thread
threw to the end of the JVM; and the full collections in that time. Printed beside the seconds: a
heap dump, which is made before the error is thrown and so is not in them, and the counting of the
rest of the input, which is in them and taken off the ratios. A plain task that left no stack shows
no place to compare.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import statistics
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from ending import end_as_by_ctrl_c

from mprof.catalogue import Case, at_scale, cases_root, find_case, load_cases
from mprof.catalogue.build import prepare_job
from mprof.catalogue.inputs import make_input
from mprof.hadoop import Cluster, connect, embedded
from mprof.hadoop.settings import cluster_properties
from mprof.hadoop.values import AttemptStatus
from mprof.runs.agent_archive import agent_checksum
from mprof.runs.agent_injection import inject_agent
from mprof.runs.staging import staged_agent
from mprof.trace import MEMORY_KINDS, read_trace
from mprof.trace.events import Rest
from mprof.units import MIB, parse_jvm_size

LOGS = (
    "-Xlog:gc,gc+heap+exit:file=<LOG_DIR>/collections.log:uptime"
    " -Xlog:exceptions=info:file=<LOG_DIR>/exceptions.log:uptime"
)
# Megabytes of container for so many of heap; 0.8 is mapreduce.job.heap.memory-mb.ratio.
ROOMS: Mapping[str, Callable[[int], int]] = {
    "tight": lambda heap: round(heap / 0.8),
    "close": lambda heap: heap + 160,
    "roomy": lambda heap: 2 * heap + 256,
}
TIME = re.compile(r"\[([\d.]+)s\]")
DUMPED = re.compile(r"^Heap dump file created \[\d+ bytes in ([\d.]+) secs\]", re.MULTILINE)
HEAP = re.compile(r"-Xmx(\S+)")


@dataclass(frozen=True)
class Dying:
    """How one run died; what is not known is None: no such error, or a JVM that was killed."""

    kind: str
    place: str | None
    seconds: float | None = None
    dump_seconds: float = 0.0
    rest_seconds: float = 0.0
    full: int | None = None


def main() -> None:
    """Run the pairs and print a line each, and the ratios at the end."""
    end_as_by_ctrl_c()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("slugs", nargs="*")
    parser.add_argument("--cases", type=Path, help="another folder of cases, as of `mprof cases`")
    parser.add_argument("--room", choices=sorted(ROOMS), default="close")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--mode", choices=["watch", "profile"], default="watch")
    parser.add_argument("--scale", help="as of `mprof cases run`; only for cases that are named")
    given = parser.parse_args()
    root = cases_root(given.cases)
    cases = [find_case(root, slug) for slug in given.slugs] or [
        case for case in load_cases(root) if case.fails and case.expected.kind in MEMORY_KINDS
    ]
    if given.mode == "profile":
        cases = [case for case in cases if _plan_of(case).is_file()]
    if given.scale:
        cases = [at_scale(case, given.scale) for case in cases]
    pairs: list[tuple[Dying, Dying]] = []
    with _exact_containers(), connect(embedded=True) as cluster:
        for case in cases:
            for number in range(given.rounds):
                modes = ("plain", given.mode) if number % 2 == 0 else (given.mode, "plain")
                with tempfile.TemporaryDirectory(prefix="mprof-deaths-") as scratch:
                    died = _die(cluster, case, given.room, Path(scratch), modes)
                pairs.append((died["plain"], died[given.mode]))
                _print_pair(case.slug, *pairs[-1])
    _print_ratios(pairs)


@contextlib.contextmanager
def _exact_containers() -> Iterator[None]:
    """Has the cluster that is started meanwhile round containers up by 32 MB only."""
    if embedded.running_cluster() is not None:
        raise SystemExit(
            "an embedded cluster is running that rounds containers up by more; "
            "next step: mprof cluster stop, or wait until its command has ended"
        )

    def exact(*, work: Path, lib: Path) -> dict[str, str]:
        settings = cluster_properties(work=work, lib=lib)
        return {**settings, "yarn.scheduler.minimum-allocation-mb": "32"}

    with mock.patch.object(embedded, "cluster_properties", exact):
        yield


def _die(
    cluster: Cluster, case: Case, room: str, scratch: Path, modes: Sequence[str]
) -> dict[str, Dying]:
    """One run in each mode, in this order."""
    job = prepare_job(case, scratch, fixed=False)
    source = make_input(case, seed=case.input.seed)
    plan = _plan_of(case).read_text(encoding="utf-8") if "profile" in modes else None
    found: dict[str, Dying] = {}
    for mode in modes:
        settings = {side: _side(case, side, room) for side in ("map", "reduce")}
        changed = {key: value for each in settings.values() for key, value in each.items()}
        command = job.command(source, scratch / mode, changed=changed)
        found[mode] = _run(cluster, command, mode, plan, scratch / f"logs-{mode}")
    return found


def _plan_of(case: Case) -> Path:
    """The probe plan of the recorded rerun."""
    return case.evidence / "runs" / "002" / "plan"


def _side(case: Case, side: str, room: str) -> dict[str, str | int]:
    """The settings of the side's tasks: the case's heap, a container for it, and the logs."""
    options = str(case.job.settings.get(f"mapreduce.{side}.java.opts", "-Xmx200m"))
    heap_mb = parse_jvm_size(HEAP.findall(options)[-1]) // MIB
    return {
        f"mapreduce.{side}.java.opts": f"{options} {LOGS}",
        f"mapreduce.{side}.memory.mb": ROOMS[room](heap_mb),
    }


def _run(
    cluster: Cluster, command: Sequence[str], mode: str, plan: str | None, logs: Path
) -> Dying:
    with contextlib.ExitStack() as stack:
        overlay: Mapping[str, str] = {}
        append: Mapping[str, str] = {}
        if mode != "plain":
            shipped = plan if mode == "profile" else None
            staged = stack.enter_context(staged_agent(cluster, shipped, print))
            way = inject_agent(
                uuid.uuid4().hex,
                staged,
                jar_checksum=agent_checksum(),
                mode=mode,
                settings={},
                with_plan=shipped is not None,
            )
            overlay, append = way.overlay, way.append
        submission = cluster.submit(command, overlay=overlay, append=append, on_line=_ignore)
        jobs = cluster.wait(submission.job_ids)
        for job in jobs:
            failed = [one for one in job.attempts if one.state in {"FAILED", "TIPFAILED"}]
            if failed:
                compared = min(
                    failed, key=lambda one: (not _is_profiled(one, plan), one.attempt_id)
                )
                folders = cluster.fetch_attempt_files(job.job_id, [compared.attempt_id], logs)
                return _dying(folders[compared.attempt_id], compared)
    return Dying(kind="succeeded", place=None)


def _is_profiled(attempt: AttemptStatus, plan: str | None) -> bool:
    if plan is None:
        return False
    task = attempt.attempt_id.removeprefix("attempt_").split("_", 2)[2].rpartition("_")[0]
    return f"{task}.mode=profile" in plan.splitlines()


def _dying(folder: Path, attempt: AttemptStatus) -> Dying:
    trace = read_trace(folder, diagnostics=attempt.diagnostics, state="FAILED")
    errors = [
        _seconds(line)
        for line in _lines(folder / "exceptions.log")
        if "OutOfMemoryError" in line and "Exception <" in line
    ]
    if not errors:
        return Dying(trace.death.kind, trace.death.place)
    collections = _lines(folder / "collections.log")
    ends = [_seconds(one) for one in collections if one.endswith("] Heap")]
    full = [one for one in collections if "Pause Full" in one]
    return Dying(
        kind=trace.death.kind,
        place=trace.death.place,
        seconds=ends[-1] - errors[0] if ends else None,
        dump_seconds=_dump_seconds(folder),
        rest_seconds=sum(one.seconds or 0.0 for one in trace.of(Rest)),
        full=sum(_seconds(one) > errors[0] for one in full),
    )


def _dump_seconds(folder: Path) -> float:
    """What the JVM says that it took: ``Heap dump file created [1234 bytes in 0.567 secs]``."""
    said = [folder / "stdout", folder / "stderr"]
    text = "".join(one.read_text(errors="replace") for one in said if one.is_file())
    return sum(float(seconds) for seconds in DUMPED.findall(text))


def _lines(file: Path) -> list[str]:
    if not file.is_file():
        return []
    text = file.read_text(encoding="utf-8", errors="replace")
    return [line for line in text.splitlines() if TIME.match(line)]


def _seconds(line: str) -> float:
    match = TIME.match(line)
    return float(match[1]) if match else 0.0


def _ignore(line: str) -> None:
    del line


def _print_pair(slug: str, plain: Dying, other: Dying) -> None:
    print(
        f"{slug:<24} {'same' if _is_same(plain, other) else 'OTHER':<6} "
        f"plain {_text(plain):<44} with the agent {_text(other)}",
        flush=True,
    )


def _is_same(plain: Dying, other: Dying) -> bool:
    return plain.kind == other.kind and plain.place in {None, other.place}


def _text(one: Dying) -> str:
    told = f"{one.kind} {one.place or '-'}"
    if one.seconds is None:
        return told
    dump = f" (dump {one.dump_seconds:.1f} s)" if one.dump_seconds else ""
    rest = f" (rest {one.rest_seconds:.1f} s)" if one.rest_seconds else ""
    return f"{told}, {one.seconds:.1f} s{dump}{rest}, {one.full} full"


def _print_ratios(pairs: Sequence[tuple[Dying, Dying]]) -> None:
    same = [pair for pair in pairs if _is_same(*pair)]
    timed = [(plain, other) for plain, other in same if plain.seconds and other.seconds]
    print(
        f"{len(pairs)} pairs, the same kind and place in {len(same)}, "
        f"both with a time in {len(timed)} of them"
    )
    if timed:
        took = [(p.seconds or 0.0, (o.seconds or 0.0) - o.rest_seconds) for p, o in timed]
        ratios = sorted(other / plain for plain, other in took)
        plain, other = (sum(each) for each in zip(*took, strict=True))
        full = sum(p.full or 0 for p, _ in timed), sum(o.full or 0 for _, o in timed)
        print(
            f"dying: median ratio {statistics.median(ratios):.2f} of {len(timed)} pairs, from "
            f"{ratios[0]:.2f} to {ratios[-1]:.2f}; all of them {plain:.1f} s plain, {other:.1f} s "
            f"with the agent; full collections {full[0]} plain, {full[1]} with the agent"
        )


if __name__ == "__main__":
    main()
