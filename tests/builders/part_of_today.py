"""Sweeps try a part of what they have to try each day, and all of it in ``PARTS`` days.

Only what asks the same question of many inputs is cut so, never tests of behaviours that differ.
The head of each run says which part it was; ``MPROF_PART=3`` tries that part again, and
``MPROF_PART=all`` (``make test-sweeps``) all of them. ``python -m builders.part_of_today`` prints
for Maven which of the tasks with faults in the agent are today's.
"""

from __future__ import annotations

import datetime as dt
import os
import sys
from collections.abc import Sequence
from typing import Final, TypeVar

__all__ = [
    "PARTS", "faults_of_today", "is_whole", "of_today", "part_in_words", "set_part_of_today",
]  # fmt: skip

PARTS: Final = 5
"""The sweeps took 400 s of processor time whole, a quarter of all tests without a JVM."""

_VARIABLE: Final = "MPROF_PART"
_FAULTY_TASKS: Final = 100
"""As many as `AbstractFaultsTest` tries by itself."""

T = TypeVar("T")


def set_part_of_today() -> None:
    """Choose the part once: the processes of a run that begins before midnight agree on it."""
    os.environ.setdefault(_VARIABLE, str(_today().toordinal() % PARTS))


def is_whole() -> bool:
    """Whether everything is tried."""
    return os.environ[_VARIABLE] == "all"


def of_today(items: Sequence[T]) -> list[T]:
    """Every fifth of them, today's; all if the whole is asked for."""
    return list(items) if is_whole() else list(items[_part() :: PARTS])


def faults_of_today() -> str:
    """Options of Maven: how many tasks meet a fault of the agent, behind how many others."""
    today = of_today(range(_FAULTY_TASKS))
    return f"-Dmprof.faults.tasks={len(today)} -Dmprof.faults.from={today[0] * len(today)}"


def part_in_words() -> str:
    """Which part is tried, and how to try it again."""
    if is_whole():
        return "sweeps: whole"
    return f"sweeps: part {_part()} of 0 to {PARTS - 1} (again: {_VARIABLE}={_part()}; all: =all)"


def _today() -> dt.date:
    return dt.datetime.now(dt.UTC).date()


def _part() -> int:
    said = os.environ[_VARIABLE]
    if not (said.isdecimal() and int(said) < PARTS):
        raise ValueError(f"{_VARIABLE}={said}: a number from 0 to {PARTS - 1}, or all")
    return int(said)


if __name__ == "__main__":
    set_part_of_today()
    sys.stdout.write(f"{faults_of_today()}\n")
