"""The script or query that a job was compiled from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from mprof.diagnosis import Diagnosed
from mprof.evidence import Script as Facts
from mprof.evidence import ScriptSite
from mprof.report.published.base import Published
from mprof.report.published.cause import Statement

__all__ = ["Line", "Script"]


class Line(Published, frozen=True, kw_only=True):
    """A statement of a script, or a line of a query, as a report lists it.

    Attributes:
        alias: what it defines; empty of a query.
        line: of the script or query; null where it is not known.
        text: that line; empty where the job does not keep it.
        named: a cause names it.
    """

    alias: str
    line: int | None
    text: str
    named: bool


class Script(Published, frozen=True, kw_only=True):
    """The script or query that the job was compiled from (Pig, Hive).

    Attributes:
        framework: that compiled it.
        unit: what its user wrote.
        name: its file name.
        statements: those that the step at death computes, in the order of their lines; none of a
            query.
        option: by which its command line takes a setting.
        lines: of a script the statements of the step at death and those that a cause names; of a
            query its lines, of a long one the clauses that a cause names.
    """

    framework: str
    unit: Literal["script", "query"]
    name: str | None
    statements: tuple[Statement, ...]
    option: str
    lines: tuple[Line, ...]

    @classmethod
    def of(cls, diagnosed: Diagnosed) -> Script | None:
        """None of a job that no script was compiled into."""
        script = diagnosed.evidence.script
        if script is None:
            return None
        places = (one.finding.where for one in diagnosed.diagnosis.causes)
        named = [one.script for one in places if one is not None and one.script is not None]
        listed = _lines_of_query if script.framework.unit == "query" else _statements
        return cls(
            framework=script.framework.name,
            unit=script.framework.unit,
            name=script.name,
            statements=tuple(Statement.of(one, script) for one in script.statements),
            option=_option(diagnosed, script),
            lines=tuple(listed(script, named)),
        )


def _option(diagnosed: Diagnosed, script: Facts) -> str:
    """How a setting is given: where a text shows those of a script, by a SET of its own.

    A SET of the script goes before what its command line has (``HiveConf``, ``PigContext``).
    """
    return "SET" if diagnosed.evidence.stated.in_force else script.framework.option.strip()


def _statements(script: Facts, named: Sequence[ScriptSite]) -> Iterator[Line]:
    sites = {one.alias: one for one in (*script.statements, *named)}
    aliases = {one.alias for one in named}
    for one in sorted(sites.values(), key=lambda one: (script.line_of(one) or 0, one.alias)):
        yield Line(
            alias=one.alias,
            line=script.line_of(one),
            text=script.text_of(one) or "",
            named=one.alias in aliases,
        )


def _lines_of_query(script: Facts, named: Sequence[ScriptSite]) -> Iterator[Line]:
    found = (script.clause_of(one) for one in named)
    clauses = [one for one in found if one is not None]
    marked = {line for one in clauses for line in range(one.line, one.end + 1)}
    lines = script.shown_lines()
    if not lines:
        lines = tuple(dict.fromkeys((one.line, one.text) for one in clauses))
    for number, text in lines:
        yield Line(alias="", line=number, text=text, named=number in marked)
