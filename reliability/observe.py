"""What a run of mprof sees of a task: evidence as `mprof.evidence.assemble` would make it.

`watch` is the first run: counters, events, collections, one dump at the death. `rerun` adds probes
at planned points, `verified` a run of R_n alone. Nothing here knows what is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

import numpy as np
from numpy.random import Generator

from mprof.evidence import Evidence, ExternalLoad, RecordSizes, Unknown, known
from reliability.data_seen import DataSide, finished
from reliability.heap_seen import HeapSide
from reliability.model import Task, course_of, end_of
from reliability.probed import Probed
from reliability.scene import Scene
from reliability.verified import verified_alone

__all__ = ["RUNS", "Run", "observe"]

Run = Literal["watch", "rerun", "verified"]
RUNS: Final[tuple[Run, ...]] = ("watch", "rerun", "verified")


def observe(task: Task, run: Run, seed: Sequence[int]) -> Evidence:
    """The evidence that a run brings; the same numbers wherever two runs see the same thing.

    Args:
        task: that died or did not.
        run: how it was run.
        seed: of its noise.
    """
    course = course_of(task)
    end = end_of(task, course)
    if end is None:
        return finished(task, course)
    scene = Scene(task, course, end, np.random.default_rng([*seed, 1]))
    evidence = _watched(scene)
    if run == "watch":
        dumped = scene.rng.random() >= 0.02
        return _with_lifetimes_lost(evidence, scene.rng) if dumped else _without_dump(evidence)
    evidence = Probed(scene, np.random.default_rng([*seed, 2])).rerun(evidence)
    if run == "verified":
        verified = verified_alone(scene, np.random.default_rng([*seed, 3]))
        if verified is not None:
            evidence = replace(evidence, verification=verified)
    return evidence


def _with_lifetimes_lost(evidence: Evidence, rng: Generator) -> Evidence:
    """Where compiled code held a local of reduce() alone, one dump does not say how it lives."""
    holders = tuple(
        replace(each, lifecycle=None)
        if each.lifecycle == "group" and each.key.kind == "local" and rng.random() < 0.08
        else each
        for each in known(evidence.holders) or ()
    )
    return replace(evidence, holders=holders)


def _without_dump(evidence: Evidence) -> Evidence:
    """Where another task of the node had made the one dump."""
    missing = Unknown("a heap dump made at death", "run")
    bounded = isinstance(evidence.external, ExternalLoad) and not evidence.external.holders
    frames = known(evidence.stack) or ()
    return replace(
        evidence,
        composition=missing,
        holders=missing,
        stack=tuple(replace(each, user_bytes=None, share=None) for each in frames),
        external=evidence.external if bounded else missing,
        death_snapshot=None,
    )


def _watched(scene: Scene) -> Evidence:
    """Of the first run, now and then with a fact missing."""
    evidence = HeapSide(scene).added_to(DataSide(scene).evidence())
    rng = scene.rng
    if rng.random() < 0.03:
        evidence = replace(evidence, progress=Unknown("how far the task was", "rerun"))
    if rng.random() < 0.03 and scene.task.side == "reduce":
        missing = Unknown("what every map task left for each reducer", "run")
        evidence = replace(evidence, partitions=missing)
    if rng.random() < 0.03 and isinstance(evidence.records, RecordSizes):
        sizes = replace(evidence.records, bytes=Unknown("the size of the record in flight"))
        evidence = replace(evidence, records=sizes)
    return evidence
