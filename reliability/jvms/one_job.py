"""One job: drawn, run, judged by changes, compared with what was said of it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mprof.diagnosed import Diagnosed
from mprof.trace import MEMORY_KINDS
from reliability.jvms.changes import Found, in_line, judged
from reliability.jvms.drawn import Drawn, drawn
from reliability.jvms.real import part_of, run_changes, run_job
from reliability.jvms.script import Part
from reliability.model import Task, end_of
from reliability.score import Said, answers_of, contradictions_in
from reliability.truth import CAUSES, Truth
from reliability.words import job_in_words, verdict_in_words

__all__ = ["run_one"]


def run_one(
    seed: int, index: int, jar: Path, folder: Path, say: Callable[[str], None]
) -> dict[str, Any]:
    """Everything that is to be kept of one job.

    Args:
        seed: of the jobs.
        index: of this one.
        jar: with the scripted user code.
        folder: of its own; what is in it is deleted, but for the capture of a job with a fault.
        say: is told what is being done.
    """
    began = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    job = drawn(seed, index)
    task = job.task
    expected = end_of(task)
    say(f"{seed}:{index} {' + '.join(task.kinds)}")
    parts = [Part(job.of_part(i)) for i in range(len(job.parts))]
    ran = run_job(parts, jar, folder)
    line: dict[str, Any] = {
        "seed": seed,
        "index": index,
        "kinds": list(task.kinds),
        "heap": [task.heap_max >> 20, task.collector],
        "expected": None if expected is None else [expected.place, expected.step * task.grain],
        "died": ran.died,
        "runs_seconds": round(time.monotonic() - began, 1),
    }
    if not ran.died:
        truth, found = Truth(None), None
    else:
        watched = ran.diagnosed["watch"].evidence
        line["death"] = {
            run: [one.evidence.death.kind, one.evidence.attempt.index, *_place(one)]
            for run, one in ran.diagnosed.items()
        }
        if watched.death.kind not in MEMORY_KINDS or watched.attempt.index is None:
            line["other"] = watched.death.evidence
            return line
        traces = ran.diagnosed["watch"].runs[-1].traces
        mine = next(part_of(one) for one in traces if one.attempt_id == watched.attempt.attempt_id)
        found = _truth(job, mine, ran.diagnosed["watch"], jar, folder)
        truth = found.truth
        line |= _told(found)
    said = [
        Said(run, cause, answer, truth.of(cause))  # type: ignore[arg-type]
        for run, one in ran.diagnosed.items()
        for cause, answer in answers_of(one.diagnosis, one.evidence).items()
    ]
    silent = [
        run
        for run in ran.diagnosed
        if ran.died and {one.said for one in said if one.run == run} == {"silent"}
    ]
    line["said"] = [[one.run, one.cause, one.said, one.word] for one in said]
    line["contradictions"] = list(contradictions_in(said))
    line["silent"] = silent
    line["faults"] = [
        [one.run, one.cause, verdict_in_words(ran.diagnosed[one.run].diagnosis.verdicts[one.cause])]
        for one in said
        if one.fault
    ]
    if line["faults"]:
        line["job"] = job_in_words(task, truth)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    line["seconds"] = round(time.monotonic() - began, 1)
    return line


def _truth(job: Drawn, part: int, watched: Diagnosed, jar: Path, folder: Path) -> Found:
    task = job.of_part(part)
    step, place = _step(task, watched)
    task, end = in_line(task, step, place)
    rounds = iter(range(100))
    return judged(
        task, end, lambda parts: run_changes(parts, jar, folder / f"changes-{next(rounds)}")
    )


def _step(task: Task, watched: Diagnosed) -> tuple[int, str]:
    """At which record of the model it died, and where."""
    evidence = watched.evidence
    place, record = _place(watched)
    if task.shuffling is not None and place in ("shuffle", "sort", "merge"):
        return 0, "shuffle"
    if record == 0:
        return 0, "init" if place == "init" else "setup"
    step = min(int(np.ceil(record / task.grain)), task.input.records)
    unread = getattr(evidence.position, "unread", False)
    return step, "reading" if unread else "work"


def _place(diagnosed: Diagnosed) -> tuple[str, int]:
    position = diagnosed.evidence.position
    phase = getattr(position, "phase", None) or str(diagnosed.evidence.death.place or "")
    record = getattr(position, "record", None)
    return phase, int(record) if isinstance(record, int) else 0


def _told(found: Found) -> dict[str, Any]:
    end = found.truth.end
    assert end is not None
    changes = [
        [
            one.about,
            round(one.load, 3),
            None if one.on_paper is None else one.on_paper.step,
            None if one.ended is None else [one.ended.record, one.ended.kind],
        ]
        for one in found.changes
        if one.ended is not None
    ]
    return {
        "true": sorted(found.truth.true, key=CAUSES.index),
        "may": sorted(found.truth.may, key=CAUSES.index),
        "why": dict(found.truth.why),
        "changes": changes,
        "asked": len(found.changes),
    }
