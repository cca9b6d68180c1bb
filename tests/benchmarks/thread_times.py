"""CPU time of the threads of task JVMs, by what they do, looked up a few times a second."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mprof.hadoop.processes import with_command_line

__all__ = ["GROUPS", "thread_times"]

GROUPS: Final = ("work", "compiler", "collector", "agent")
_EVERY: Final = 0.2
_TICKS: Final = os.sysconf("SC_CLK_TCK")
# Names are cut to 15 characters; ``work`` is all the others, such as main and SpillThread.
_NAMES: Final = {
    "C1 Compiler": "compiler",
    "C2 Compiler": "compiler",
    "Sweeper": "compiler",
    "G1 ": "collector",
    "GC Thread": "collector",
    "VM Thread": "collector",
    "mprof": "agent",
}


@contextlib.contextmanager
def thread_times(text: str) -> Iterator[dict[str, float]]:
    """CPU seconds of task JVMs whose command line holds the text, by group.

    Filled when the context ends. What a thread uses after it was last looked at, at most a fifth
    of a second before it ended, is not in it.
    """
    ended = threading.Event()
    seen: dict[tuple[int, str], tuple[str, float]] = {}

    def look() -> None:
        while not ended.wait(_EVERY):
            for pid in {*with_command_line(text)}.intersection(with_command_line("YarnChild")):
                seen.update(_threads(pid))

    found = dict.fromkeys(GROUPS, 0.0)
    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield found
    finally:
        ended.set()
        watcher.join()
        for name, seconds in seen.values():
            group = next((of for start, of in _NAMES.items() if name.startswith(start)), "work")
            found[group] += seconds


def _threads(pid: int) -> Iterator[tuple[tuple[int, str], tuple[str, float]]]:
    with contextlib.suppress(OSError):
        for stat in Path(f"/proc/{pid}/task").glob("*/stat"):
            with contextlib.suppress(OSError):
                head, _, rest = stat.read_text(errors="replace").rpartition(")")
                fields = rest.split()
                ticks = int(fields[11]) + int(fields[12])  # utime, stime
                yield (pid, stat.parent.name), (head.partition("(")[2], ticks / _TICKS)
