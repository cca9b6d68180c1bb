"""Compares a diagnosis with what a case expects: the death, all causes, and no others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mprof.catalogue.case import Case, ExpectedHolder
from mprof.diagnosis import Diagnosed
from mprof.engines import MAPREDUCE, Method
from mprof.evidence import known
from mprof.patterns import Where, caller_of, where_of

__all__ = ["Judgement", "judge", "judge_repair"]

# Any other thread may be the first to find the heap full, and then its stack says nothing about the
# job.
_WORK: Final = frozenset({*MAPREDUCE.task_frames, *MAPREDUCE.workers})


@dataclass(frozen=True, slots=True)
class Judgement:
    """A diagnosis compared with what the case expects.

    Attributes:
        missed: causes expected and not named.
        false: causes named and not expected.
        death_problems: what is wrong about the death, one clause each; empty if nothing is.
        blamed: the code that is blamed for the first expected cause, or, where none is expected,
            that holds more of the heap than anything else; None where none is known.
        code_problem: what is wrong about it; None if nothing is.
        path_problem: what is wrong about the path from that code to the memory; None if nothing is.
        verdict_problems: on recorded evidence, rules whose verdict differs from the expected one
            or for which none is expected.
        new_verdicts: those of them for which none is expected yet.
    """

    expected: tuple[str, ...]
    found: tuple[str, ...]
    missed: tuple[str, ...]
    false: tuple[str, ...]
    death_problems: tuple[str, ...] = ()
    blamed: Where | None = None
    code_problem: str | None = None
    path_problem: str | None = None
    verdict_problems: tuple[str, ...] = ()
    new_verdicts: tuple[str, ...] = ()

    @property
    def correct(self) -> bool:
        """Whether all of the diagnosis is as expected."""
        return not self.problems

    @property
    def lacks_new_verdicts_only(self) -> bool:
        """Whether nothing is wrong but that new rules have no expected verdict yet."""
        return bool(self.new_verdicts) and self.problems == self.new_verdicts

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything that is not as expected, one clause each."""
        causes = [f"missed {cause}" for cause in self.missed]
        causes += [f"named {cause}, which is not expected" for cause in self.false]
        holder = [problem for problem in (self.code_problem, self.path_problem) if problem]
        return (*causes, *self.death_problems, *self.verdict_problems, *holder)


def judge(case: Case, diagnosed: Diagnosed) -> Judgement:
    """Compare a diagnosis of the case's own job with what the case expects."""
    found = _found(diagnosed)
    expected = case.expected.causes
    missed = tuple(cause for cause in expected if cause not in found)
    where = _blamed(expected, diagnosed)
    code_problem, path_problem = (
        (None, None) if missed else _holder_problems(case, diagnosed, where)
    )
    return Judgement(
        expected=expected,
        found=found,
        missed=missed,
        false=tuple(cause for cause in found if cause not in expected),
        death_problems=tuple(_death_problems(case, diagnosed)),
        blamed=where,
        code_problem=code_problem,
        path_problem=path_problem,
    )


def judge_repair(diagnosed: Diagnosed, *, job_failed: bool) -> Judgement:
    """Compare a diagnosis of the repaired or reconfigured job: it succeeds, without a cause."""
    found = _found(diagnosed)
    failed = ("the job did not succeed",) if job_failed else ()
    return Judgement(expected=(), found=found, missed=(), false=found, death_problems=failed)


def _found(diagnosed: Diagnosed) -> tuple[str, ...]:
    return tuple(cause.cause for cause in diagnosed.diagnosis.causes)


def _death_problems(case: Case, diagnosed: Diagnosed) -> list[str]:
    problems = []
    expected, evidence = case.expected, diagnosed.evidence
    if evidence.death.kind != expected.kind:
        problems.append(f"the kind of death is {evidence.death.kind}, expected {expected.kind}")
    position = known(evidence.position)
    if position is not None and expected.phase not in (None, position.phase):
        problems.append(f"the phase at death is {position.phase}, expected {expected.phase}")
    stack = [Method(frame.class_name, frame.method) for frame in known(evidence.stack) or ()]
    if not _WORK.isdisjoint(stack):
        remaining = iter([f"{frame.class_name}.{frame.name}" for frame in stack])
        absent = [frame for frame in expected.frames if frame not in remaining]
        if absent:
            problems.append(f"{absent[0]} is not on the stack at death")
    return problems


def _holder_problems(
    case: Case, diagnosed: Diagnosed, where: Where | None
) -> tuple[str | None, str | None]:
    """What is wrong about the code that is blamed, and about its path."""
    holder = case.expected.holder
    if holder is None:
        return None, None
    if where is None:
        return f"no code is blamed, expected {_code(holder)}", None
    step = caller_of(where, known(diagnosed.evidence.stack))
    code = [(where.class_name, where.method)]
    if step is not None:
        code.append((step.class_name, step.method))
    if not any(holder.is_class(name) and holder.method in (None, method) for name, method in code):
        return f"{where.class_name}.{where.method} is blamed, expected {_code(holder)}", None
    script = diagnosed.evidence.script
    statement = script.shown(where.script) if script and where.script else None
    if holder.statement is not None and statement != holder.statement:
        return f"the statement is {statement}, expected {holder.statement}", None
    if holder.path not in (where.path or ""):
        return None, f"the holder path is {where.path}, expected {holder.path} in it"
    return None, None


def _blamed(expected: tuple[str, ...], diagnosed: Diagnosed) -> Where | None:
    """The code that is blamed for the first expected cause, or that holds most of the heap."""
    if not expected:
        account = known(diagnosed.patterns.account)
        most = account.items[0].holder if account is not None and account.items else None
        return where_of(most) if most is not None else None
    causes = diagnosed.diagnosis.causes
    return next((one.finding.where for one in causes if one.cause == expected[0]), None)


def _code(holder: ExpectedHolder) -> str:
    return f"{holder.class_name}.{holder.method}" if holder.method else holder.class_name
