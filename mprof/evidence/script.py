"""The script or query that a job was compiled from, as far as the job's configuration keeps it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mprof.code_site import ScriptSite
from mprof.engines import ScriptFramework
from mprof.io.printable import clipped
from mprof.io.secrets import mask_text

__all__ = ["ClauseText", "Script"]

_QUOTED: Final = re.compile(r"'[^']+'")
"""Paths, and what functions are told: passwords too."""

_ASIDE: Final = re.compile(r"""--[^\n]*|(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", re.DOTALL)
"""What is no clause of a query: comments, and what is quoted."""

_NAME: Final = re.compile(r"`[^`\n]*`")
"""A name that is no keyword, whatever it is."""

_WORD: Final = re.compile(r"\w+")
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_BEFORE_NO_ALIAS: Final = frozenset(
    {"select", "distinct", "by", "and", "or", "not", "on", "where", "having", "case", "when",
     "then", "else", "in", "like", "between", "is", "from", "join", "over", "all", "as"}
)  # fmt: skip

_CLAUSE_BEGINS: Final = re.compile(
    r"\b(?:select|from|where|having|limit|(?:group|order|sort|distribute|cluster)\s+by|union"
    r"|insert|lateral\s+view|over|(?:left|right|full|inner|cross|outer|semi|\s)*join)\b",
    re.IGNORECASE,
)
_MOST_LINES: Final = 40
_MOST_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class ClauseText:
    """A clause of a query.

    Attributes:
        text: in one line, without what stands in quotes.
        line: 1-based line of the query that it begins on.
        end: the line that it ends on.
    """

    text: str
    line: int
    end: int


@dataclass(frozen=True, slots=True)
class Script:
    """A script or query, and the part of it that the attempt ran.

    Attributes:
        framework: that compiled it.
        name: its file name; None where the job's name does not tell.
        statements: those that the step at death computes, in the order of their lines; empty
            where it computes none, and where nothing tells.
        lines: its text as the job keeps it, secrets included (print ``text_of``).
    """

    framework: ScriptFramework
    name: str | None = None
    statements: tuple[ScriptSite, ...] = ()
    lines: tuple[str, ...] = ()

    def shown(self, site: ScriptSite) -> str:
        """A place in it, as reports print it.

        ``alias grouped (report.pig:4)``; ``group by day (line 4 of the query, operator GBY_2)``.
        """
        if self.framework.unit == "query":
            clause = self.clause_of(site)
            if clause is None:
                return f"operator {site.alias} of the query"
            return f"{clause.text} (line {clause.line} of the query, operator {site.alias})"
        line = self.line_of(site)
        if line is None:
            return f"alias {site.alias}"
        return f"alias {site.alias} ({self.name or 'line '}{':' if self.name else ''}{line})"

    def line_of(self, site: ScriptSite) -> int | None:
        """The line that a place begins on; None where it is not known."""
        if self.framework.unit == "query":
            clause = self.clause_of(site)
            return clause.line if clause is not None else None
        return site.line or self._assigned_on(site.alias)

    def text_of(self, site: ScriptSite) -> str | None:
        """The line that a statement begins on, or the clause, without what stands in quotes.

        None where that line does not name it: lines are counted in the file that a macro or a
        start-up script stands in, and the job keeps the text of one file alone.
        """
        if self.framework.unit == "query":
            clause = self.clause_of(site)
            return clause.text if clause is not None else None
        number = self.line_of(site)
        if number is None or number > len(self.lines):
            return None
        line = self.lines[number - 1].strip()
        if re.search(rf"(?<!\w){re.escape(site.alias)}(?!\w)", line) is None:
            return None
        return mask_text(_QUOTED.sub("'...'", line))

    def _assigned_on(self, alias: str) -> int | None:
        """The only line of the script that assigns to an alias.

        An operator that Pig has made of two statements has the alias of one, and no line.
        """
        assigns = re.compile(rf"^\s*{re.escape(alias)}\s*=(?!=)")
        found = [number for number, line in enumerate(self.lines, 1) if assigns.match(line)]
        return found[0] if len(found) == 1 else None

    def clause_of(self, site: ScriptSite) -> ClauseText | None:
        """The clause that an operator was compiled from.

        Of several clauses of its kind the only one that names all columns the operator works on,
        and the only one of its kind if it may name them; None where there is none, or more than
        one. What stands in the text of a view is not in that of the query.
        """
        kinds = (c for c in self.framework.clauses if site.operator in c.operators)
        kind = next(kinds, None)
        if kind is None:
            return None
        text = self._blanked()
        found = [(one.start(), _clause_end(text, one.end())) for one in kind.begins.finditer(text)]
        if site.columns:
            wanted = {column.lower() for column in site.columns}
            only = len(found) == 1
            found = [
                (begin, end)
                for begin, end in found
                if wanted <= (words := _words(text[begin:end]))
                or (only and _may_name_others(words, text))
            ]
        if len(found) != 1:
            return None
        begin, end = found[0]
        whole = "\n".join(self.lines)
        end = begin + len(whole[begin:end].rstrip())
        shown = mask_text(" ".join(_ASIDE.sub(_in_short, whole[begin:end]).split()))
        shown = clipped(shown, _MOST_CHARACTERS)
        return ClauseText(shown, 1 + text.count("\n", 0, begin), 1 + text.count("\n", 0, end))

    def shown_lines(self) -> tuple[tuple[int, str], ...]:
        """Its first lines with their numbers, without what stands in quotes; none of a long one.

        Of a query alone: a script's statements are listed instead.
        """
        if self.framework.unit != "query" or len(self.lines) > _MOST_LINES:
            return ()
        text = _ASIDE.sub(_in_as_many_lines, "\n".join(self.lines))
        return tuple(
            (number, mask_text(line.rstrip()))
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip()
        )

    def _blanked(self) -> str:
        """The text with blanks for comments and for what is no keyword; positions stay."""
        text = _ASIDE.sub(lambda aside: re.sub(r"[^\n]", " ", aside[0]), "\n".join(self.lines))
        return _NAME.sub(lambda name: re.sub(_CLAUSE_BEGINS, _blank, name[0]), text)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _words(clause: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(clause)}


def _may_name_others(words: set[str], text: str) -> bool:
    """Whether a clause may mean other columns than it names.

    By their positions, or by an alias that the query gives to an expression.
    """
    if any(word.isdigit() for word in words):
        return True
    tokens = [token.lower() for token in _TOKEN.findall(text)]
    before, after = ["", *tokens], [*tokens[1:], ""]
    return any(
        token in words
        and (last == "as" or (_ends_an_expression(last) and following in {",", ")", "from"}))
        for last, token, following in zip(before, tokens, after, strict=False)
    )


def _ends_an_expression(word: str) -> bool:
    return word == ")" or (_is_word(word[:1] or " ") and word not in _BEFORE_NO_ALIAS)


def _in_short(aside: re.Match[str]) -> str:
    return " " if aside[0].startswith("--") else "'...'"


def _in_as_many_lines(aside: re.Match[str]) -> str:
    return _in_short(aside) + "\n" * aside[0].count("\n")


def _clause_end(text: str, begin: int) -> int:
    """Where a clause ends: before the next one of its level, or the end of its parentheses."""
    depth, at = 0, begin
    while at < len(text):
        char = text[at]
        if char == "(":
            depth += 1
        elif char == ")":
            if depth == 0:
                break
            depth -= 1
        elif char == ";" or (
            depth == 0 and not _is_word(text[at - 1]) and _CLAUSE_BEGINS.match(text, at)
        ):
            break
        at += 1
    return at


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
