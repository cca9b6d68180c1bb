"""What running or replaying a case came to, and its public JSON object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mprof.catalogue.judge import Judgement
from mprof.diagnosis import Diagnosed
from mprof.report import to_json
from mprof.rules import CannotTell

__all__ = ["CaseResult", "Way"]

Way = Literal["run", "fixed", "advised", "replay", "first run"]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case, one way.

    Attributes:
        case: its slug.
        way: for real, repaired, with the advised settings, or replayed from recorded evidence, all
            of it or that of the first run alone.
        seed: of the input.
        judgement: expected against found.
        diagnosed: the diagnosis.
        seconds: wall seconds by stage.
        capture: the capture folder.
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
        """The first run alone does not tell everything: a cause, and says so, or the path to it."""
        if self.way != "first run" or self.judgement.correct:
            return False
        verdicts, told = self.diagnosed.diagnosis.verdicts, self.judgement
        unknown = all(isinstance(verdicts[cause], CannotTell) for cause in told.missed)
        return unknown and not (told.false or told.elsewhere or told.misplaced)

    def to_json(self) -> dict[str, Any]:
        """The diagnosis' object with what the case adds to it."""
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
