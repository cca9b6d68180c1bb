"""What the threads of some processes do: the part of the metrics that no group counts."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mprof.metrics.proc import read_text

__all__ = ["Tasks", "TasksSeen"]

_STATE: Final = re.compile(rb"^State:\s+(\S)", re.MULTILINE)
_SWITCHES: Final = re.compile(rb"^(?:non)?voluntary_ctxt_switches:\s+([0-9]+)", re.MULTILINE)
_LOAD_S: Final = 60.0
"""Time constant of the first load average (kernel/sched/loadavg.c)."""


@dataclass(frozen=True, slots=True)
class TasksSeen:
    """What was seen of them at one moment.

    Attributes:
        runnable: of those that run or could.
        load: mean of the runnable and the uninterruptible ones since the first moment, with the
            kernel's damping; None at the first.
        switches_per_s: context switches since the moment before; None at the first.
    """

    tasks: int
    runnable: int
    load: float | None
    switches_per_s: float | None


class Tasks:
    """Looks at the threads of processes, one file for each.

    Cost: 30 microseconds a thread, so it is to be asked through a `SlowMeasure`.

    Args:
        processes: gives the ids of the processes.
        proc: where the kernel shows them.
        own: id of the process that looks; it runs while it does.
    """

    def __init__(self, processes: Callable[[], Iterable[int]], *, proc: Path, own: int) -> None:
        self._processes = processes
        self._proc = proc
        self._own = own
        self._switches: Mapping[str, int] = {}
        # What was seen counts by how long it was so: what the very first look happens to find
        # would otherwise be the load of the first minutes.
        self._damped = 0.0
        self._weight = 0.0
        self._at_s: float | None = None

    def look(self) -> TasksSeen:
        """What the threads do now."""
        now_s = time.monotonic()
        elapsed_s = 0.0 if self._at_s is None else now_s - self._at_s
        switches: dict[str, int] = {}
        states = []
        for process in self._processes():
            for status in self._statuses(process):
                text = read_text(status)  # None: the thread has ended since
                state = _STATE.search(text) if text else None
                if text is None or state is None:
                    continue
                if process != self._own:
                    states.append(state[1])
                # A thread's id may be used again, but not in the second between two looks.
                switches[status.parent.name] = sum(map(int, _SWITCHES.findall(text)))
        runnable = states.count(b"R")
        active = runnable + states.count(b"D")
        load = rate = None
        if elapsed_s > 0:
            kept = math.exp(-elapsed_s / _LOAD_S)
            self._damped = self._damped * kept + active * (1 - kept)
            self._weight = self._weight * kept + (1 - kept)
            load = self._damped / self._weight
            grown = sum(
                max(count - self._switches.get(thread, 0), 0) for thread, count in switches.items()
            )
            rate = grown / elapsed_s
        self._switches, self._at_s = switches, now_s
        return TasksSeen(len(switches), runnable, load, rate)

    def _statuses(self, process: int) -> list[Path]:
        folder = self._proc / str(process) / "task"
        try:
            return [thread / "status" for thread in folder.iterdir()]
        except OSError:  # it has ended since
            return []
