"""A task and its death, in the words of its job: positions, sizes, and what holds them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.random import Generator

from mprof.evidence import HolderKey
from reliability.model import Consumer, Course, End, Task

__all__ = ["JOB", "Scene", "class_of", "whole"]

JOB: Final = "com.example.Job"
_IN_THE_LOOP: Final = 3  # of five


def whole(value: float) -> int:
    """The nearest whole number of bytes."""
    return round(value)


@dataclass(frozen=True)
class Scene:
    """A task that died, and the chance that decides what nobody planned."""

    task: Task
    course: Course
    end: End
    rng: Generator

    @cached_property
    def within(self) -> int:
        """Which record of the step it died at, 1-based: the first, but where growth is even."""
        within = int(self.rng.integers(1, self.task.grain + 1))
        grown = self._grown
        if not len(grown) or grown.max() <= max(0.0, self.end.flight):
            return 1  # the record itself: each of the step is as large
        most = int(grown.argmax())
        at_once = self._jumps[most] or self.task.consumers[most].level == "record"
        return 1 if at_once else within

    @cached_property
    def is_uncounted(self) -> bool:
        """Whether nothing counts the bytes of its records: of no class whose length is known."""
        return self.task.side == "map" and bool(self.rng.random() < 0.1)

    @cached_property
    def _jumps(self) -> np.ndarray:
        """Consumers that grow at the first record of a step, not evenly over its records."""
        return np.array(
            [one.by == "groups" or one.law.name == "steps" for one in self.task.consumers], bool
        )

    @cached_property
    def _grown(self) -> np.ndarray:
        """What each consumer had grown by in the step of the death."""
        if self.end.step == 0:
            return np.array(self.end.held)
        return np.array(self.end.held) - self.course.after[:, self.end.step - 1]

    @cached_property
    def group_index(self) -> int:
        """Index of G_m."""
        end = self.end
        return int(np.searchsorted(self.task.input.starts, max(end.step, 1) - 1, side="right")) - 1

    @cached_property
    def record(self) -> int:
        """Ordinal of R_n in the task."""
        end = self.end
        return 0 if end.step == 0 else (end.step - 1) * self.task.grain + self.within

    @cached_property
    def record_in_group(self) -> int:
        start = int(self.task.input.starts[self.group_index])
        return self.record - start * self.task.grain

    @cached_property
    def place(self) -> Any:
        end = self.end
        if end.place in ("init", "setup", "shuffle"):
            return end.place
        return self.task.side

    @cached_property
    def is_reading(self) -> bool:
        """Whether R_n had not been handed to user code."""
        end = self.end
        if end is None or end.step == 0:
            return False
        return end.place == "reading" or self.taker == "reader"

    @cached_property
    def taker(self) -> str:
        """Who asked for the memory that was refused: what grew most in the last step."""
        grown = self._grown
        if not len(grown) or grown.max() <= 0:
            return "user"
        return self.task.consumers[int(grown.argmax())].owner

    @cached_property
    def held(self) -> np.ndarray:
        end = self.end
        return np.array(end.held)

    @cached_property
    def before_last(self) -> np.ndarray:
        """Bytes of each consumer right before R_n."""
        end = self.end
        if end.step == 0:
            return self.held
        start = self.course.after[:, end.step - 1]
        part = np.full(len(start), (self.within - 1) / self.task.grain)
        part[self._jumps] = float(self.within > 1)
        part[[one.level == "record" for one in self.task.consumers]] = 0.0
        before: np.ndarray = start + part * self._grown
        return before

    def sizes_at(self, x: float) -> np.ndarray:
        """Bytes of each consumer when so many records of the job had been taken in."""
        if self.end is not None and x >= self.record - 1:
            return self.before_last
        step = x / self.task.grain
        low = int(step)
        part = step - low
        start = self.course.after[:, low]
        if part == 0 or low + 1 >= self.course.after.shape[1]:
            return start
        kept = np.array([one.level != "record" for one in self.task.consumers])
        grown = np.where(kept, self.course.during[:, low + 1] - start, 0.0)
        grown = np.where(grown > 0, grown, self.course.after[:, low + 1] - start)
        sizes: np.ndarray = start + np.where(self._jumps, 1.0, part) * np.where(kept, grown, 0.0)
        return sizes

    @property
    def step(self) -> int:
        return self.end.step

    def key(self, one: Consumer) -> HolderKey:
        """What holds it."""
        if one.owner == "writer":
            return HolderKey("output_buffer", "com.example.BatchWriter", fields=(one.name,))
        if one.owner == "reader":
            return HolderKey("field", "com.example.BlockReader", fields=(one.name,))
        if one.owner == "library":
            return HolderKey("static", "org.apache.hadoop.fs.FileSystem", fields=(one.name,))
        if one.static:
            return HolderKey("static", JOB, fields=(one.name,))
        if one.level in ("group", "record"):
            method = "reduce" if self.task.side == "reduce" else "map"
            return HolderKey("local", JOB, method, class_of(one), fields=(one.name,))
        return HolderKey("field", JOB, fields=(one.name,))

    def lifecycle(self, one: Consumer) -> Any:
        """As the holder's path tells it."""
        return self.task.side if one.level == "setup" else self.level(one)

    def level(self, one: Consumer) -> str:
        """The level as far as a dump tells it.

        A local that reduce() makes anew for each value stands in the same frame as one that it
        keeps for the group. Three in five do, by their size, so that no other draw moves; the rest
        stand in a method that it calls.
        """
        in_the_loop = one.level == "record" and one.owner == "user" and self.task.side == "reduce"
        return "group" if in_the_loop and int(one.bytes) % 5 < _IN_THE_LOOP else one.level


def class_of(one: Consumer) -> str:
    """A class that such an object may have."""
    if one.law.name == "doubling":
        return "java.util.ArrayList"
    if one.level == "record":
        return "java.util.ArrayList" if one.by == "records" else "com.example.Document"
    return {"setup": "double[][]" if one.file is None else "java.util.HashMap",
            "group": "java.util.ArrayList"}.get(one.level, "java.util.HashMap")  # fmt: skip
