"""The result of running or replaying a case, and its public JSON object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mprof.catalogue.judging import Judgement
from mprof.diagnosis import Diagnosed
from mprof.report import to_json
from mprof.rules import CannotTell

__all__ = ["CaseResult", "Way"]

Way = Literal["run", "fixed", "advised", "intervened", "replay", "first run"]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of one case.

    Attributes:
        way: ``run`` on a cluster; ``fixed``, repaired; ``advised``, with the advised settings;
            ``intervened``, a run and what ``mprof rerun --advised`` makes of it;
            ``replay`` of recorded evidence; or ``first run``, a run or a replay without the rerun.
        judgement: the diagnosis compared with the expected one.
        seconds: wall-clock seconds by stage.
    """

    case: str
    way: Way
    seed: int
    judgement: Judgement
    diagnosed: Diagnosed
    seconds: Mapping[str, float]
    capture: Path

    @property
    def needs_rerun(self) -> bool:
        """Whether the first run names nothing wrong, and misses what it says it cannot tell.

        A cause, the code to blame, or its path.
        """
        if self.way != "first run" or self.judgement.correct:
            return False
        verdicts, judged = self.diagnosed.diagnosis.verdicts, self.judgement
        unknown = all(isinstance(verdicts[cause], CannotTell) for cause in judged.missed)
        wrong_code = judged.code_problem is not None and judged.blamed is not None
        return unknown and not (judged.false or judged.death_problems or wrong_code)

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the diagnosis, with the members that a case adds."""
        return {
            **to_json(self.diagnosed),
            "case": self.case,
            "way": self.way,
            "seed": self.seed,
            "expected": list(self.judgement.expected),
            "found": list(self.judgement.found),
            "missed": list(self.judgement.missed),
            "false": list(self.judgement.false),
            "correct": self.judgement.correct,
            "problems": list(self.judgement.problems),
            "seconds": dict(self.seconds),
            "capture": str(self.capture),
        }
