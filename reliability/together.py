"""Changes that cure only together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from reliability.cures import (
    B91,
    CURED,
    FAR,
    G3,
    LOADED,
    M1,
    MOST,
    NONE,
    ORDINARY,
    R2,
    R4,
    S8,
    SAY,
    WELL,
    X5,
)
from reliability.model import Task
from reliability.of_memory import OfMemory
from reliability.of_records import OfRecords

__all__ = ["Together"]


class Together(OfRecords, OfMemory):
    """Pairs and triples of changes."""

    def _joint(self) -> None:
        """Where no single change cures well: the smallest sets that do."""
        changes = {name for name in (M1, R2, G3, X5) if self.members[name]}
        if self.task.buffer:
            changes.add(B91)
        capped = self._capped_work()
        if capped is not None and capped[1] > ORDINARY:
            changes.add(R4)
        names = sorted(changes)
        alone = max((self._changed(self._relieved([name])) for name in names), default=NONE)
        if alone == WELL:
            return
        for least in (WELL, CURED):
            for many in (2, 3):
                sets = [
                    some
                    for some in combinations(names, many)
                    if self._changed(self._relieved(some)) >= least
                ]
                for some in sets:
                    self._say_together(some, capped)
                if sets:
                    return
            if alone == CURED:
                return

    def _say_together(self, names: Sequence[str], capped: tuple[Task, float] | None) -> None:
        for name in names:
            share = self.sizes[name] / self.task.usable
            if name == R4:  # without the record itself
                share = sum(self.end.held[i] for i in self.members[R4]) / self.task.usable
            enough = share >= (LOADED if name in (X5, B91) else SAY)
            if name == R4 and (capped is None or capped[1] <= FAR or self.end.place == "reading"):
                enough = False
            if name in (M1, R2, G3) and self._word(name) == "may":
                enough = enough and self._share_before(self.members[name]) >= MOST
            if name in (X5, B91) and not set(names) <= {X5, B91}:
                enough = False  # it fits beside what outgrows the heap anyway
            if name == X5 and self._loads_at_death(self.members[X5]):
                enough = False
            why = f"cured together with {', '.join(one for one in names if one != name)}"
            self._say(name, "true" if enough else "may", f"{why}; {share:.0%} of the heap")
            self.beside.setdefault(name, tuple(one for one in names if one != name))
            if name == R4 and self._record_is_large():
                self._say(S8, "may", "R_n is larger than what passed")

    def _relieved(self, names: Sequence[str]) -> Task:
        """The task with the changes of these causes made."""
        gone = {i for name in names if name in (M1, R2, G3, X5) for i in self.members[name]}
        task = replace(
            self.task,
            consumers=tuple(
                replace(one, bytes=0.0) if i in gone else one
                for i, one in enumerate(self.task.consumers)
            ),
            buffer=self.task.buffer // 8 if B91 in names else self.task.buffer,
        )
        capped = self._capped_work() if R4 in names else None
        return task if capped is None else task.having(capped[0].input)

    def _base(self, cause: str) -> Task:
        """The task to which a remedy of one cause is applied: with the others of its set cured."""
        return self._relieved(self.beside.get(cause, ()))
