"""Causes, the code and the statements of a script that they name, and what rules said."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from mprof.code_site import CodeSite
from mprof.diagnosed import ReadCode
from mprof.diagnosis import Cause as NamedCause
from mprof.evidence import Evidence, Holder, Run, Script, ScriptSite, known
from mprof.patterns import Confidence, EvidenceLevel, caller_of
from mprof.patterns import Where as FoundWhere
from mprof.report.published.base import Published
from mprof.rules import RULES, CannotTell, Category, ErrorData, Fires, Rule
from mprof.rules import Verdict as Said

__all__ = [
    "Cause",
    "CauseId",
    "CodeLine",
    "Method",
    "Statement",
    "Undecided",
    "Verdict",
    "Where",
    "lines_of",
    "verdict_of",
]

CauseId = Annotated[str, Meta(extra_json_schema={"enum": [rule.cause for rule in RULES]})]
"""One that the catalogue can name."""


class Method(Published, frozen=True, kw_only=True):
    """A method of Java code."""

    class_name: str = field(name="class")
    method: str


class CodeLine(Published, frozen=True, kw_only=True):
    """A line of the job's code.

    Attributes:
        source: what stands in it; null where no source is at hand.
    """

    class_name: str = field(name="class")
    method: str
    file: str | None
    line: int | None
    source: str | None

    @classmethod
    def of(cls, site: CodeSite, code: ReadCode) -> CodeLine:
        """The line of a site, with its text."""
        return cls.taken(site, source=code.text.get(site))


class Statement(Published, frozen=True, kw_only=True):
    """A statement of a script, or an operator of a query.

    Attributes:
        alias: what the statement defines; of a query the id of the operator.
        line: 1-based line of the script or query.
        operator: class of the operator it was compiled to, without its package; null where no heap
            tells.
        clause: of a query: the clause it was compiled from, without what is quoted; null where that
            cannot be told, and of a script.
        words: the statement and its place in the script, as a report says it; empty where the
            script is not known.
        text: its line of the script; null where the job does not keep it.
    """

    alias: str
    line: int | None
    operator: str | None
    clause: str | None
    text: str | None
    words: str

    @classmethod
    def of(cls, site: ScriptSite, script: Script | None) -> Statement:
        """The statement, and the clause of a query that it was compiled from."""
        clause = script.clause_of(site) if script is not None else None
        return cls(
            alias=site.alias,
            line=site.line if script is None else script.line_of(site),
            operator=site.operator or None,
            clause=clause.text if clause is not None else None,
            text=script.text_of(site) if script is not None else None,
            words=script.shown(site) if script is not None else "",
        )


class Where(Published, frozen=True, kw_only=True):
    """The code that holds the memory.

    Attributes:
        method: empty where no user frame holds it (a static field).
        line: where the topmost user frame stood.
        path: holder path; empty where the object was asked for and refused, so that nothing holds
            it. The first of them where several are meant.
        beside: holder paths of the others that are meant with it.
        called_by: the step of the job that called the code of another class; null where that is the
            code itself, or is not known.
        statement: the statement of a script that the code was at work for; null without one.
        source: what stands in that line; null where no source is at hand.
        filled_by: lines that add to what is held; empty where no code is at hand that tells.
    """

    class_name: str = field(name="class")
    method: str
    file: str | None
    line: int | None
    path: str
    beside: tuple[str, ...] = ()
    called_by: Method | None
    statement: Statement | None
    source: str | None
    filled_by: tuple[CodeLine, ...]

    @classmethod
    def of(cls, where: FoundWhere, evidence: Evidence, code: ReadCode) -> Where:
        """The place, and what called it by the stack at death."""
        at = CodeSite(where.class_name, where.method, where.file, where.line)
        same = (one for one in known(evidence.holders) or () if one.path == where.path)
        holder = next(same, None)
        step = caller_of(where, known(evidence.stack))
        site = where.script
        return cls.taken(
            where,
            called_by=Method.taken(step) if step is not None else None,
            statement=Statement.of(site, evidence.script) if site is not None else None,
            source=code.text.get(at),
            filled_by=lines_of(holder, code),
        )


class Cause(Published, frozen=True, kw_only=True):
    """A cause that is named.

    Attributes:
        rule: slug of the rule's file.
        published_as: number of the rule in the paper.
        evidence: what it rests on.
        bytes: of heap that it explains.
        data: the data it is about.
        name: the cause as it stands in a sentence.
    """

    cause: CauseId
    category: Category
    rule: str
    published_as: str | None
    confidence: Confidence
    evidence: EvidenceLevel
    bytes: int | None
    where: Where | None
    data: ErrorData | None
    sentence: str
    name: str

    @classmethod
    def of(cls, cause: NamedCause, evidence: Evidence, code: ReadCode) -> Cause:
        """The cause with its place in the code."""
        found, rule = cause.finding, cause.rule
        return cls.taken(
            found,
            cause=cause.cause,
            category=rule.category,
            rule=rule.slug,
            published_as=rule.published_as,
            where=Where.of(found.where, evidence, code) if found.where is not None else None,
            name=rule.name,
        )


class Undecided(Published, frozen=True, kw_only=True):
    """A rule that cannot tell.

    Attributes:
        missing: a phrase that completes "cannot tell without ...".
    """

    rule: CauseId
    missing: str
    run_that_would_tell: Run


class Verdict(Published, frozen=True, kw_only=True):
    """What one rule said."""

    cause: CauseId
    rule: str
    published_as: str | None
    verdict: Literal["fires", "silent", "cannot tell"]
    sentence: str

    @classmethod
    def of(cls, rule: Rule, verdict: Said) -> Verdict:
        """The verdict in words."""
        return cls(
            cause=rule.cause,
            rule=rule.slug,
            published_as=rule.published_as,
            verdict=verdict_of(verdict),
            sentence=_sentence(verdict),
        )


def lines_of(holder: Holder | None, code: ReadCode) -> tuple[CodeLine, ...]:
    """The lines that add to a holder."""
    sites = code.fills.get(holder.key, ()) if holder is not None else ()
    return tuple(CodeLine.of(one, code) for one in sites)


def verdict_of(verdict: Said) -> Literal["fires", "silent", "cannot tell"]:
    """The word for a verdict."""
    if isinstance(verdict, Fires):
        return "fires"
    return "cannot tell" if isinstance(verdict, CannotTell) else "silent"


def _sentence(verdict: Said) -> str:
    if isinstance(verdict, Fires):
        return verdict.sentence
    if isinstance(verdict, CannotTell):
        return f"cannot tell without {verdict.missing}"
    return verdict.why
