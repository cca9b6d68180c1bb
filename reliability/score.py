"""Jobs drawn, run, diagnosed and counted: how often each word and each rule was right."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from statsmodels.stats.proportion import proportion_confint

from mprof.diagnosis import Diagnosis, diagnose
from mprof.evidence import Evidence, is_heap_death
from mprof.rules import CannotTell, Fires
from reliability.draw import draw
from reliability.model import Task
from reliability.observe import RUNS, Run, observe
from reliability.truth import CAUSES, Truth, truth_of

__all__ = ["MARKS", "WORDS", "Outcome", "Result", "Said", "Share", "answers_of",
           "contradictions_in", "judge_job", "judge_jobs", "marks_missed", "result_of"]  # fmt: skip

WORDS: Final = ("sure", "likely", "possible")
MARKS: Final = {"sure": 0.99, "likely": 0.90, "possible": 0.60}
"""How often each word must be right."""
MOST_DENIED: Final = 0.01
"""Of the true causes, how many may be denied."""
MOST_OPEN: Final = 0.15
"""Of the true causes, how many may be left open after a rerun."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one verdict was worth.

    Attributes:
        said: the word of confidence, `silent` or `cannot tell`.
        word: `true`, `may` or `false`.
    """

    run: Run
    cause: str
    said: str
    word: str

    @property
    def fault(self) -> str | None:
        """`wrong` (a false cause named), `denied` (a true one silently left out), else None."""
        if self.said in WORDS and self.word == "false":
            return "wrong"
        return "denied" if self.said == "silent" and self.word == "true" else None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One job, and what its runs said.

    Attributes:
        crashed: of each run whose diagnosis failed, the error.
        contradictions: causes that one run is sure of and another denies.
        silent: runs after whose death every verdict was silent.
    """

    seed: int
    index: int
    kinds: tuple[str, ...]
    died: bool
    true: tuple[str, ...]
    said: tuple[Said, ...]
    contradictions: tuple[str, ...] = ()
    silent: tuple[Run, ...] = ()
    crashed: tuple[tuple[Run, str], ...] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        """The faults of its runs, each as `KIND CAUSE RUN`."""
        found = [f"{one.fault} {one.cause} {one.run} {one.said}" for one in self.said if one.fault]
        found += [f"contradiction {cause}" for cause in self.contradictions]
        found += [f"silent death {run}" for run in self.silent]
        return tuple(found + [f"crash {run} {error}" for run, error in self.crashed])

    def as_json(self) -> str:
        """One line for a file."""
        return json.dumps(
            {
                "job": f"{self.seed}:{self.index}", "kinds": self.kinds, "died": self.died,
                "true": self.true, "faults": self.faults,
                "said": [[s.run, s.cause, s.said, s.word] for s in self.said],
            }
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many, with the Wilson interval of 95 %."""

    count: int
    of: int

    @property
    def value(self) -> float:
        """The share; 1 of nothing, where there is nothing to be wrong about."""
        return self.count / self.of if self.of else 1.0

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies, 95 times in 100."""
        if not self.of:
            return 0.0, 1.0
        low, high = proportion_confint(self.count, self.of, method="wilson")
        return float(low), float(high)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:6.1%} [{low:.1%}, {high:.1%}] of {self.of}"


@dataclass(frozen=True, slots=True)
class Result:
    """Outcomes, and what they come to."""

    outcomes: tuple[Outcome, ...]
    runs: tuple[Run, ...] = RUNS
    _said: list[Said] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._said.extend(said for outcome in self.outcomes for said in outcome.said)

    def named(self, wanted: Callable[[Said], bool]) -> tuple[Share, int]:
        """How often causes named were right, and how many were tolerated beside that."""
        many = Counter(s.word for s in self._said if s.said in WORDS and wanted(s))
        return Share(many["true"], many["true"] + many["false"]), many["may"]

    def answered(self, answer: str, wanted: Callable[[Said], bool]) -> Share:
        """Of the true causes, how many got this answer."""
        true = [s for s in self._said if s.word == "true" and wanted(s)]
        return Share(sum(s.said == answer for s in true), len(true))

    def open_verdicts(self, run: Run) -> Share:
        """Of all verdicts after one kind of run, how many cannot tell."""
        every = [s for s in self._said if s.run == run]
        return Share(sum(s.said == "cannot tell" for s in every), len(every))

    @property
    def contradictions(self) -> int:
        """Causes that one run of a job is sure of and another denies."""
        return sum(len(one.contradictions) for one in self.outcomes)

    def contradictory(self) -> list[tuple[str, int]]:
        """(cause, jobs in which its verdicts contradict each other), the most frequent first."""
        return Counter(
            cause for outcome in self.outcomes for cause in outcome.contradictions
        ).most_common()

    @property
    def silent_deaths(self) -> Share:
        """Deaths after which every verdict was silent."""
        died = [one for one in self.outcomes if one.died]
        return Share(sum(len(one.silent) for one in died), len(died) * len(self.runs))

    @property
    def crashes(self) -> int:
        """Diagnoses that ended in an error."""
        return sum(len(one.crashed) for one in self.outcomes)

    def worst_kinds(self) -> list[tuple[str, int, int]]:
        """(kind, jobs with a fault, jobs), the worst first."""
        jobs: Counter[str] = Counter()
        faulty: Counter[str] = Counter()
        for one in self.outcomes:
            for kind in one.kinds:
                jobs[kind] += 1
                faulty[kind] += bool(one.faults)
        ranked = sorted(jobs, key=lambda kind: (-faulty[kind] / jobs[kind], kind))
        return [(kind, faulty[kind], jobs[kind]) for kind in ranked]

    def worst_faults(self) -> list[tuple[str, int]]:
        """(fault, how often), the most frequent first."""
        return Counter(
            f"{s.fault} {s.cause} {s.run} {s.said}" for s in self._said if s.fault
        ).most_common()


def judge_job(seed: int, index: int, runs: Sequence[Run] = RUNS) -> Outcome:
    """Draw a job, and judge what is said of it after each run."""
    task = draw(seed, index)
    truth = truth_of(task)
    said: list[Said] = []
    silent: list[Run] = []
    crashed: list[tuple[Run, str]] = []
    for run in runs:
        evidence = observe(task, run, (seed, index))
        try:
            answers = answers_of(diagnose(evidence).diagnosis, evidence)
        except Exception as error:  # noqa: BLE001  # a diagnosis that fails is a fault of its own
            crashed.append((run, f"{type(error).__name__}: {error}"))
            continue
        said += [Said(run, cause, answers[cause], truth.of(cause)) for cause in CAUSES]
        if truth.end is not None and set(answers.values()) == {"silent"}:
            silent.append(run)
    return Outcome(
        seed, index, task.kinds, truth.end is not None,
        tuple(cause for cause in CAUSES if cause in truth.true),
        tuple(said), contradictions_in(said), tuple(silent), tuple(crashed),
    )  # fmt: skip


def answers_of(diagnosis: Diagnosis, evidence: Evidence) -> dict[str, str]:
    """What was said of each cause; of a job that did not die only what was named."""
    named = {cause.cause for cause in diagnosis.causes}
    sought = is_heap_death(evidence)
    answers: dict[str, str] = {}
    for cause, verdict in diagnosis.verdicts.items():
        if isinstance(verdict, Fires):
            answers[cause] = verdict.confidence if sought or cause in named else "not sought"
        else:
            answers[cause] = "cannot tell" if isinstance(verdict, CannotTell) else "silent"
    return answers


def contradictions_in(said: Iterable[Said]) -> tuple[str, ...]:
    """Causes that one run is sure of and another denies."""
    by_cause: dict[str, set[str]] = {}
    for one in said:
        by_cause.setdefault(one.cause, set()).add(one.said)
    pairs = [("sure", "silent")]
    return tuple(
        cause for cause, words in by_cause.items()
        if any(pair in pairs or pair[::-1] in pairs for pair in combinations(sorted(words), 2))
    )  # fmt: skip


def judge_jobs(
    seed: int,
    jobs: int,
    *,
    runs: Sequence[Run] = RUNS,
    kinds: Sequence[str] = (),
    first: int = 0,
) -> Iterator[Outcome]:
    """The outcomes of the jobs of a seed.

    Args:
        seed: of the jobs.
        jobs: how many.
        runs: that are made of each.
        kinds: only jobs one of whose kinds contains one of these words.
        first: index of the first.
    """
    index, left = first, jobs
    while left > 0:
        task = draw(seed, index)
        if not kinds or any(word in kind for word in kinds for kind in task.kinds):
            yield judge_job(seed, index, runs)
            left -= 1
        index += 1


def result_of(outcomes: Iterable[Outcome], runs: Sequence[Run] = RUNS) -> Result:
    """What outcomes come to."""
    return Result(tuple(outcomes), tuple(runs))


def marks_missed(result: Result) -> list[str]:
    """The marks that a result misses, one sentence each; empty where it meets all."""
    missed = []
    for word, mark in MARKS.items():
        share, _ = result.named(lambda s, w=word: s.said == w)  # type: ignore[misc]
        if share.of and share.value < mark:
            missed.append(f"{word} was right {share}, the mark is {mark:.0%}")
    denied = result.answered("silent", lambda _: True)
    if denied.of and denied.value > MOST_DENIED:
        missed.append(f"true causes denied: {denied}, the mark is {MOST_DENIED:.0%}")
    for run in result.runs:
        if run == "watch":
            continue
        left = result.answered("cannot tell", lambda s, r=run: s.run == r)  # type: ignore[misc]
        if left.of and left.value >= MOST_OPEN:
            missed.append(f"true causes left open after {run}: {left}, the mark is {MOST_OPEN:.0%}")
    return missed


def truth_and_runs(
    seed: int, index: int, runs: Sequence[Run]
) -> tuple[Task, Truth, dict[Run, Diagnosis]]:
    """The job, what is true of it, and the verdicts of each run, to be shown."""
    task = draw(seed, index)
    found = {run: diagnose(observe(task, run, (seed, index))).diagnosis for run in runs}
    return task, truth_of(task), found
