"""Whether a diagnosis is the one a case expects: the death in its place, all causes, no others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mprof.catalogue.case import Case, ExpectedHolder
from mprof.diagnosis import Diagnosed
from mprof.engines import MAPREDUCE, Method
from mprof.evidence import known

__all__ = ["Judgement", "judge", "judge_repair"]

# Any other thread may be the first to find the heap full, and then its stack says nothing about the
# job.
_WORK: Final = frozenset({*MAPREDUCE.task_frames, *MAPREDUCE.workers})


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was expected against what came out.

    Attributes:
        expected: causes that the case expects.
        found: causes that were named.
        missed: expected and not named.
        false: named and not expected.
        elsewhere: what is wrong about the death, one sentence each; empty where it is right.
        misplaced: what is wrong about the code that is blamed; None where it is right.
        other_path: what is wrong about the path from that code to the memory.
        other_verdicts: rules that say something else on recorded evidence than was written down.
    """

    expected: tuple[str, ...]
    found: tuple[str, ...]
    missed: tuple[str, ...]
    false: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()
    misplaced: str | None = None
    other_path: str | None = None
    other_verdicts: tuple[str, ...] = ()

    @property
    def correct(self) -> bool:
        """Nothing is missed, nothing false, death and code are right."""
        return not self.problems

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, in words."""
        words = [f"missed {cause}" for cause in self.missed]
        words += [f"named {cause}, which is not there" for cause in self.false]
        places = [place for place in (self.misplaced, self.other_path) if place]
        return (*words, *self.elsewhere, *self.other_verdicts, *places)


def judge(case: Case, diagnosed: Diagnosed) -> Judgement:
    """Compare a diagnosis of the case's own job with what the case expects."""
    found = _found(diagnosed)
    expected = case.expected.causes
    missed = tuple(cause for cause in expected if cause not in found)
    misplaced, other_path = (None, None) if missed else _wrong_place(case, diagnosed)
    return Judgement(
        expected=expected,
        found=found,
        missed=missed,
        false=tuple(cause for cause in found if cause not in expected),
        elsewhere=tuple(_wrong_death(case, diagnosed)),
        misplaced=misplaced,
        other_path=other_path,
    )


def judge_repair(diagnosed: Diagnosed, *, job_failed: bool) -> Judgement:
    """Compare a diagnosis of the job repaired or advised: it finishes, and no cause is named."""
    found = _found(diagnosed)
    failed = ("the job did not finish",) if job_failed else ()
    return Judgement(expected=(), found=found, missed=(), false=found, elsewhere=failed)


def _found(diagnosed: Diagnosed) -> tuple[str, ...]:
    return tuple(cause.cause for cause in diagnosed.diagnosis.causes)


def _wrong_death(case: Case, diagnosed: Diagnosed) -> list[str]:
    wrong = []
    expected, evidence = case.expected, diagnosed.evidence
    if evidence.death.kind != expected.kind:
        wrong.append(f"the death is {evidence.death.kind}, expected {expected.kind}")
    position = known(evidence.position)
    if position is not None and expected.phase not in (None, position.phase):
        wrong.append(f"it died in the phase {position.phase}, expected {expected.phase}")
    stack = [Method(frame.class_name, frame.method) for frame in known(evidence.stack) or ()]
    if not _WORK.isdisjoint(stack):
        remaining = iter([f"{frame.class_name}.{frame.name}" for frame in stack])
        absent = [frame for frame in expected.frames if frame not in remaining]
        if absent:
            wrong.append(f"{absent[0]} is not on the stack at death")
    return wrong


def _wrong_place(case: Case, diagnosed: Diagnosed) -> tuple[str | None, str | None]:
    """What is wrong about the code and the path blamed by the first expected cause, if any."""
    holder = case.expected.holder
    if holder is None:
        return None, None
    blamed = [
        cause.finding.where
        for cause in diagnosed.diagnosis.causes
        if cause.cause == case.expected.causes[0]
    ]
    where = blamed[0] if blamed else None
    if where is None:
        return f"no code is blamed, expected {_words(holder)}", None
    if where.class_name != holder.class_name or where.method != holder.method:
        return f"{where.class_name}.{where.method} is blamed, expected {_words(holder)}", None
    if holder.path not in (where.path or ""):
        return None, f"the holder path is {where.path}, expected {holder.path} in it"
    return None, None


def _words(holder: ExpectedHolder) -> str:
    return f"{holder.class_name}.{holder.method}"
