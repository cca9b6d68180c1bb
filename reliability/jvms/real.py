"""Jobs on the embedded cluster: watched and profiled as users do it, and run with changes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from mprof.catalogue.build import HADOOP_VERSION
from mprof.catalogue.compiling import compile_sources, write_jar
from mprof.diagnosed import Diagnosed
from mprof.hadoop import ContainerRoom, connect
from mprof.hadoop.artifacts import class_path
from mprof.runs import SilentObserver, rerun, run
from mprof.runs.capture import create_capture
from mprof.runs.captured_run import RunRequest, capture_run
from mprof.runs.load import read_status
from mprof.trace import MEMORY_KINDS, Trace, parse_attempt_id, read_trace
from mprof.trace.events import SplitEvent
from reliability.jvms.script import Part, command_of, write_inputs

__all__ = ["Ended", "Ran", "build_jar", "part_of", "run_changes", "run_job"]

_NO_DUMPS: Final = {"oom.dump": "never", "histograms": "0"}


@dataclass(frozen=True)
class Ran:
    """A job as mprof saw it, by the name of the run."""

    diagnosed: dict[str, Diagnosed]
    died: bool


@dataclass(frozen=True)
class Ended:
    """How one task with a change ended.

    Attributes:
        died: of its heap.
        record: at which record of its input, 1-based; 0 before the first.
        kind: of its death; empty where it lived.
    """

    died: bool
    record: int
    kind: str = ""


def build_jar(jar: Path) -> Path:
    """Compile the scripted user code."""
    library = class_path(HADOOP_VERSION, lambda _: None).lib
    with resources.as_file(resources.files("reliability.jvms") / "job") as root:
        sources = {file.relative_to(root).as_posix(): file for file in root.rglob("*.java")}
        with tempfile.TemporaryDirectory(prefix="mprof-scripted-") as scratch:
            classes = Path(scratch)
            compile_sources(sources, classes, class_path=f"{library}/*", what="scripted job")
            write_jar(jar, classes)
    return jar


def run_job(parts: Sequence[Part], jar: Path, folder: Path, *, again: bool = True) -> Ran:
    """Run a job with the agent, and once more with profiling if it died.

    Args:
        parts: what each task of the side in question is given.
        jar: with the user code.
        folder: for its input, its output and its capture.
        again: whether it is profiled.
    """
    source, output = folder / "input", folder / "output"
    write_inputs(parts, source)
    command = command_of(parts, jar, source, output)
    watched = run(command, capture=folder / "capture", embedded=True)
    found = {"watch": watched.diagnosed}
    if watched.job_failed and again:
        profiled = rerun(str(watched.capture.path), command, embedded=True)
        found["rerun"] = profiled.diagnosed
    return Ran(found, died=watched.job_failed)


def run_changes(parts: Sequence[Part], jar: Path, folder: Path) -> list[Ended]:
    """Run tasks that differ by what is changed, all in one job; how each of them ended."""
    source, output = folder / "input", folder / "output"
    write_inputs(parts, source)
    command = command_of(parts, jar, source, output, all_of_them=True)
    request = RunRequest(
        command=command, mode="watch", plan=None, why="tasks with something changed",
        settings=dict(_NO_DUMPS), room=ContainerRoom(0),
    )  # fmt: skip
    capture = create_capture(folder / "capture")
    with connect(embedded=True) as cluster:
        captured = capture_run(cluster, capture, request, SilentObserver())
    job = captured.jobs[0]
    status, _ = read_status(job.path)
    assert status is not None
    letter = parts[0].task.side[0]
    ended: dict[int, Ended] = {}
    folders = {one.attempt_id: one.path for one in job.attempts}
    for attempt in status.attempts:
        side, path = attempt.attempt_id.split("_")[3], folders.get(attempt.attempt_id)
        if side != letter or path is None:
            continue
        has_failed = attempt.state != "SUCCEEDED"
        trace = read_trace(
            path,
            diagnostics=attempt.diagnostics or None,
            state="FAILED" if has_failed else "SUCCEEDED",
        )
        number = part_of(trace)
        if not has_failed:
            ended[number] = Ended(died=False, record=0)
            continue
        position = trace.position
        record = position.records_in if position is not None and position.records_in else 0
        kind = trace.death.kind
        if kind not in MEMORY_KINDS and "imed out" not in attempt.diagnostics:
            raise RuntimeError(f"a changed task failed otherwise: {kind}: {attempt.diagnostics}")
        ended[number] = Ended(died=True, record=record, kind=kind)
    shutil.rmtree(folder, ignore_errors=True)
    missing = set(range(len(parts))) - set(ended)
    if missing:
        raise RuntimeError(f"nothing is known of the changed tasks {sorted(missing)}")
    return [ended[number] for number in range(len(parts))]


def part_of(trace: Trace) -> int:
    """Which part a task was given: of a map task that is in the name of its file."""
    split = trace.last(SplitEvent)
    if split is not None and split.path is not None and "part-" in split.path:
        return int(Path(split.path).stem.removeprefix("part-"))
    attempt = parse_attempt_id(trace.attempt_id)
    assert attempt is not None
    return attempt.index
