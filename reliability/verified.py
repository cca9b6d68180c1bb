"""A run of R_n alone: in the room that it had, or in an empty heap."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.random import Generator

from mprof.evidence import Unknown, Verification
from reliability.scene import Scene, whole

__all__ = ["verified_alone"]


def verified_alone(scene: Scene, rng: Generator) -> Verification | None:
    """What becomes of R_n alone: in the room that it had, after other records; or in an empty heap.

    What R_n adds to what is kept is what it would add to objects that hold the records before it in
    the verification, and no more: a container that had grown to its limit is small again.
    """
    task, end, course = scene.task, scene.end, scene.course
    if end.step == 0:
        return None
    if rng.random() < 0.05:
        return Verification(False, Unknown("the record: it was not met again", "none"))
    same_room = bool(rng.random() < 0.7)
    first = 1
    if task.side == "reduce":
        first = int(task.input.starts[scene.group_index]) + 1
    most = max(0, (end.step - first if task.side == "reduce" else end.step - 1))
    warm = min(int(rng.integers(1, 60)), most) if same_room else 0
    worked = np.array([one.level == "record" for one in task.consumers], bool)
    loads = np.array([one.law.name == "lazy" for one in task.consumers], bool)
    loaded = course.after[:, 0].copy()
    if warm and rng.random() < 0.5:  # the other records need what is loaded at first use too
        loaded[loads] = np.array([one.bytes for one in task.consumers])[loads]
    alone = course.during[:, end.step] * worked
    kept, stays = _added_alone(scene, warm)
    late = loads & (loaded == 0) & (course.during[:, end.step] > 0)
    kept = np.where(late, [one.bytes for one in task.consumers], kept)
    stays = np.where(late, kept, stays)
    flight = float(course.flight[end.step])
    fixed = task.base + task.buffer
    if same_room:
        room = float(task.usable) - fixed - float(scene.before_last.sum())
    else:
        room = float(task.usable) - fixed - float(course.after[:, 0].sum())
    room *= 1 + 0.002 * float(rng.standard_normal())
    need = float(alone.sum() + kept.sum()) + flight
    died = need > room
    mine = np.array([one.owner == "user" for one in task.consumers], bool)
    growth = float(stays[mine].sum())
    if died:
        growth = max(0.0, min(float((alone + kept)[mine].sum()), room - flight))
    grown: int | Unknown = whole(growth)
    if rng.random() < 0.04:
        grown = Unknown("heap dumps before and after the record", "verify")
    control = _control(scene, warm, room) if same_room and warm else None
    if control == "died":
        warm = 0  # it is tried again without any record before it
    return Verification(True, grown, died, same_room, warm * task.grain, control)


def _control(scene: Scene, warm: int, room: float) -> Literal["lived", "died"] | None:
    """What becomes of the record after those that warm up, in the room of R_n."""
    task, end, course = scene.task, scene.end, scene.course
    first = int(task.input.starts[scene.group_index]) if task.side == "reduce" else 0
    step = first + warm + 1
    if step >= end.step or task.threads > 1:
        return None
    worked = np.array([one.level == "record" for one in task.consumers], bool)
    keeps = np.array([one.level not in ("record", "setup") for one in task.consumers], bool)
    adds = np.maximum(course.during[:, step] - course.after[:, step - 1], 0.0) * keeps
    need = float((course.during[:, step] * worked).sum() + adds.sum() / task.grain)
    return "died" if need + float(course.flight[step]) > room else "lived"


def _added_alone(scene: Scene, warm: int) -> tuple[np.ndarray, np.ndarray]:
    """What R_n adds to each object that holds the records of the warm-up: during, and after."""
    task, end, course = scene.task, scene.end, scene.course
    first = 0
    if task.side == "reduce":
        first = int(task.input.starts[scene.group_index])
    during, after = np.zeros(len(task.consumers)), np.zeros(len(task.consumers))
    for i, one in enumerate(task.consumers):
        if one.level in ("record", "setup") or one.law.name in ("lazy", "constant"):
            continue
        start = first if one.level == "group" else 0
        low = min(start + warm, course.after.shape[1] - 2)
        scale = 1.0
        if one.by == "bytes":
            scale = float(task.input.sizes[end.step - 1] / task.input.sizes[low])
        during[i] = max(0.0, course.during[i, low + 1] - course.after[i, low]) * scale
        after[i] = max(0.0, course.after[i, low + 1] - course.after[i, low]) * scale
    return during / task.grain, after / task.grain
