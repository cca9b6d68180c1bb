"""What a rule is, and the three things it may say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from importlib import import_module
from typing import Final, Literal

from mprof.evidence import Run, known
from mprof.patterns import Confidence, EvidenceLevel, InQuestion, RecordInFlight, Where
from mprof.threshold import Threshold

__all__ = [
    "HOW_IT_GOES_ON",
    "CannotTell",
    "Category",
    "Condition",
    "Confidence",
    "Defer",
    "ErrorData",
    "EvidenceLevel",
    "Fires",
    "Question",
    "Rule",
    "Silent",
    "Step",
    "Verdict",
    "Verdicts",
]

Category = Literal["configuration", "data", "code"]
DataKind = Literal[
    "records", "groups", "group", "record", "split", "partition", "external", "buffer", "shuffle"
]


@dataclass(frozen=True, slots=True)
class ErrorData:
    """The data a cause is about; None for what was not counted."""

    kind: DataKind
    first: int | None = None
    last: int | None = None
    group: int | None = None
    records: int | None = None
    bytes: int | None = None

    @classmethod
    def of_record(cls, record: RecordInFlight) -> ErrorData:
        """R_n alone."""
        at = record.ordinal
        return cls("record", at, at, group=record.group, records=1, bytes=record.bytes)

    @classmethod
    def of_partition(cls, asked: InQuestion) -> ErrorData:
        """The failed reducer's partition."""
        own, records = asked.partitions.own, known(asked.partitions.records)
        size = asked.balance.own_bytes
        return cls(
            "partition", own, own,
            records=records[own] if records else None,
            bytes=round(size) if size is not None else None,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fires:
    """The rule's condition holds.

    Attributes:
        confidence: how sure that is.
        evidence: the strongest evidence it stands on.
        sentence: what was found, every number of it a fact.
        bytes: heap bytes it explains; causes are ranked by them.
        where: the code that holds them.
        data: the data they belong to.
    """

    confidence: Confidence
    evidence: EvidenceLevel
    sentence: str
    bytes: int | None = None
    where: Where | None = None
    data: ErrorData | None = None

    @property
    def held_bytes(self) -> int:
        """Heap bytes it explains; 0 where none are known."""
        return self.bytes or 0

    @property
    def at_most_likely(self) -> Fires:
        """The same, not *sure*."""
        return replace(self, confidence="likely") if self.confidence == "sure" else self


@dataclass(frozen=True, slots=True)
class Silent:
    """The rule's condition does not hold. `refers_to`: rules that are asked instead."""

    why: str
    refers_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CannotTell:
    """Evidence is missing; never the same as silent.

    Attributes:
        missing: what is missing, as a phrase that completes "cannot tell without ...".
        run_that_would_tell: as in `Unknown`.
    """

    missing: str
    run_that_would_tell: Run


HOW_IT_GOES_ON: Final = CannotTell("how the growth continues beyond what was measured", "none")
"""Within the interval of what the laws predict it may fit or not."""

Verdict = Fires | Silent | CannotTell
Verdicts = Mapping[str, Verdict]

Question = Callable[..., Verdict | None]
"""One step of a rule: its docstring is what it asks, its parameters name what it takes.

A parameter is a fact of `Evidence` or a pattern of `Patterns`, by name. One without a default is
needed: where it is not known the rule cannot tell, and where the pattern is absent the rule is
silent, before the question is put. One that defaults to None is taken where it is known.
The answer is a verdict, or None: ask on.
"""


class Defer(Enum):
    """A step at which the table of deferences is consulted (`mprof.rules.deference`).

    ``FOLLOW``: go on only where another rule fires, or has referred its question here.
    ``YIELD``: give way where another rule fires. ``WAIT``: cannot tell as long as another cannot.
    """

    FOLLOW = "follow"
    YIELD = "yield"
    WAIT = "wait"


Step = Question | Defer


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of the verdict: a row of the table with which the page of a rule begins.

    Attributes:
        asked_in: the step of the rule that asks it.
        paper: what the paper asks, or that it does not.
        here: what is asked here.
        differs: why, empty where both ask the same.
    """

    asked_in: Step
    paper: str
    here: str
    differs: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of the catalogue.

    Attributes:
        cause: the cause id that the rule names, unique.
        published_as: its number in the paper, None where the paper has none.
        category: whether code, data or settings are to blame.
        title: the cause in a few words.
        name: the cause as it stands in a sentence of a report.
        asks: its steps, in order; the last one always gives a verdict.
        thresholds: the numbers that decide in its own steps, beside those of what it takes.
        conditions: of its verdict, in the order in which its steps ask them.
        numbers: names of thresholds of what it takes that its page shows beside its own, since the
            verdict hangs on them most.
        module: the file it stands in; its docstring is the page.
    """

    cause: str
    published_as: str | None
    category: Category
    title: str
    name: str
    asks: tuple[Step, ...]
    module: str
    thresholds: tuple[Threshold, ...] = ()
    conditions: tuple[Condition, ...] = ()
    numbers: tuple[str, ...] = ()

    @property
    def what_to_change(self) -> str:
        """The section of that name of its page, as one paragraph."""
        docstring = import_module(self.module).__doc__ or ""
        _, _, rest = docstring.partition("\nWhat to change\n")
        lines = rest.split("\n")
        end = next((n for n, line in enumerate(lines) if line and not line.startswith(" ")), None)
        return " ".join(" ".join(lines[:end]).split())

    @property
    def slug(self) -> str:
        """The file's name, which reads like the finding."""
        return self.module.rsplit(".", 1)[-1].replace("_", "-")
