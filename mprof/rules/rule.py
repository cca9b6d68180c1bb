"""What a rule is, and the three things it may say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from mprof.evidence import Evidence, Holder, HolderKey, Unknown

__all__ = [
    "CannotTell",
    "Category",
    "Confidence",
    "ErrorData",
    "EvidenceLevel",
    "Example",
    "Fires",
    "Rule",
    "Silent",
    "Threshold",
    "Verdict",
    "Verdicts",
    "Where",
    "cannot_tell",
    "where_of",
    "where_of_key",
]

Category = Literal["configuration", "data", "code"]
Confidence = Literal["sure", "likely", "possible"]
EvidenceLevel = Literal["passive", "histogram", "dump", "verified"]
DataKind = Literal[
    "records", "groups", "group", "record", "split", "partition", "external", "buffer", "shuffle"
]


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number that decides. Where it comes from is part of it."""

    name: str
    value: float
    unit: str
    reason: str


@dataclass(frozen=True, slots=True)
class Where:
    """The code that holds the memory: its topmost user frame and the holder path."""

    class_name: str
    method: str
    file: str | None
    line: int | None
    path: str


@dataclass(frozen=True, slots=True)
class ErrorData:
    """The data a cause is about; None for what was not counted."""

    kind: DataKind
    first: int | None = None
    last: int | None = None
    group: int | None = None
    records: int | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Fires:
    """The rule's condition holds.

    Attributes:
        sentence: what was found, every number of it a fact.
        bytes: heap bytes it explains; causes are ranked by them.
        numbers: what the sentence was filled with, and what advice may need, by name.
    """

    confidence: Confidence
    evidence: EvidenceLevel
    sentence: str
    bytes: int | None = None
    where: Where | None = None
    data: ErrorData | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Silent:
    """The rule's condition does not hold. `refers_to`: rules that are asked instead."""

    why: str
    refers_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CannotTell:
    """Evidence is missing; never the same as silent."""

    missing: str
    run_that_would_tell: str


Verdict = Fires | Silent | CannotTell
Verdicts = Mapping[str, Verdict]


@dataclass(frozen=True, slots=True)
class Example:
    """Evidence on which the rule must say one thing: its test, and part of its page."""

    says: Literal["FIRES", "SILENT", "CANNOT_TELL"]
    title: str
    evidence: Callable[[], Evidence]


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of the catalogue.

    Attributes:
        cause: the cause id that the rule names, unique.
        published_as: its number in the paper, None where the paper has none.
        title: the cause in a few words.
        after: causes whose verdicts `ask` reads.
        ask: evidence and the verdicts of `after` to a verdict.
        module: the file it stands in; its docstring is the page.
    """

    cause: str
    published_as: str | None
    category: Category
    title: str
    thresholds: tuple[Threshold, ...]
    ask: Callable[[Evidence, Verdicts], Verdict]
    examples: tuple[Example, ...]
    module: str
    after: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        """The file's name, which reads like the finding."""
        return self.module.rsplit(".", 1)[-1].replace("_", "-")


def cannot_tell(unknown: Unknown) -> CannotTell:
    """The verdict for a fact that is not there."""
    return CannotTell(unknown.missing, unknown.run_that_would_tell)


def where_of(holder: Holder) -> Where:
    """The place in code of a holder.

    Where no user frame has it among its locals (a static, or a death in a thread of the
    framework) class and path stand, taken from its key, and the method is empty.
    """
    if holder.site is not None:
        site = holder.site
        return Where(site.class_name, site.method, site.file, site.line, holder.path)
    return where_of_key(holder.key, holder.class_name, holder.path)


def where_of_key(key: HolderKey, class_name: str = "", path: str | None = None) -> Where:
    """The place in code that a holder's key names, for want of a frame."""
    if key.class_name:
        inner = f"local {key.inner_text}" if key.method else key.inner_text
        return Where(key.class_name, key.method, None, None, path or inner)
    return Where(class_name or str(key), "", None, None, path or str(key))
