"""The pages of rules and kinds of death: made from docstrings and thresholds.

`mprof explain` prints them; a test compares them with those committed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from importlib import import_module
from itertools import zip_longest
from pathlib import Path

from development.pages.deaths import DEATHS, DeathPage
from development.pages.differences import differences_page
from development.pages.folder import MADE_BY, replace_pages
from development.thresholds import first_thresholds_of, rows_of, thresholds_of
from mprof.errors import RuleError
from mprof.patterns import Patterns
from mprof.rules import RULES
from mprof.rules.deference import DEFERENCES, Deference
from mprof.rules.engine import FROM_OTHER_RULES, taken_by
from mprof.rules.rule import Defer, Rule
from mprof.threshold import Threshold
from mprof.units import format_bytes

__all__ = ["HEADINGS", "rule_page", "write_pages"]

HEADINGS = (
    "What it means", "Why it happens", "Patterns", "What to change", "For example", "Sources",
)  # fmt: skip
"""Of the docstring of every rule, in this order; ``Patterns`` may be left out."""

_OTHER_NUMBERS = (
    "All that decide what it takes, with their reasons: [numbers](numbers.md).",
    "How growth is seen and predicted: [laws of growth](../growth-laws.md).",
    "How far each number can be moved: [thresholds](../thresholds.md).",
)
_WHERE = {
    Defer.FOLLOW: "none fires",
    Defer.YIELD: "one fires",
    Defer.WAIT: "one cannot tell",
}


def rule_page(rule: Rule) -> str:
    """The page of one rule.

    Raises:
        RuleError: if the headings of its docstring are not those of every page.
    """
    docstring = import_module(rule.module).__doc__ or ""
    _check_headings(rule, docstring)
    first, _, rest = docstring.strip().partition("\n")
    head = [f"# {rule.title}", "", f"`{rule.cause}`" + _numbered(rule) + f", {rule.category}", ""]
    table = [*_conditions(rule), *_table("Numbers of this verdict", first_thresholds_of(rule))]
    sections = "\n".join(_sections(rest.lstrip("\n")))
    before, heading, after = sections.partition("## What to change")
    parts = [
        *head, *table, first, "", before + "\n".join(_asked(rule)), heading + after,
        "## Other numbers", "", *_OTHER_NUMBERS, "",
    ]  # fmt: skip
    return "\n".join(parts)


def _conditions(rule: Rule) -> Iterable[str]:
    """The table of the conditions, each with the name of the function that asks it."""
    if rule.conditions:
        yield from ("| the paper | here | why it differs |", "|---|---|---|")
    for row in rule.conditions:
        step = row.asked_in
        name = "deference.py" if isinstance(step, Defer) else step.__name__
        yield f"| {row.paper} | `{name}`: {row.here} | {row.differs} |"
    if rule.conditions:
        yield ""


def _numbers_page() -> str:
    """Every number that decides a rule, once, with its reason and the rules that it decides."""
    deciding: dict[Threshold, list[str]] = {}
    for rule in RULES:
        for one in thresholds_of(rule):
            deciding.setdefault(one, []).append(
                f"[{rule.published_as or rule.title}]({rule.cause}.md)"
            )
    lines = [
        "# Numbers that decide rules", "", MADE_BY, "",
        "How far each can be moved: [thresholds](../thresholds.md).",
        "What those of growth mean: [laws of growth](../growth-laws.md).", "",
        "| name | value | unit | reason | rules |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for one, rules in sorted(deciding.items(), key=lambda item: item[0].name):
        every = "all" if len(rules) == len(RULES) else ", ".join(rules)
        lines.append(f"| {_cells(one)} | {every} |")
    return "\n".join([*lines, ""])


def _cells(one: Threshold) -> str:
    return f"{one.name} | {_value(one.default, one.unit)} | {one.unit} | {one.reason}"


def _table(title: str, thresholds: Sequence[Threshold]) -> Iterable[str]:
    if thresholds:
        yield from (f"## {title}", "", "| name | value | unit | reason |", "|---|---|---|---|")
        for one in thresholds:
            yield f"| {_cells(one)} |"
        yield ""


def _check_headings(rule: Rule, docstring: str) -> None:
    found = [line for line in docstring.split("\n")[1:] if line and not line.startswith(" ")]
    expected = [one for one in HEADINGS if one != "Patterns" or one in found]
    for heading, wanted in zip_longest(found, expected):
        if heading != wanted:
            stands = "the docstring ends" if heading is None else f"{heading!r} stands"
            wants = "it should end" if wanted is None else f"{wanted!r} should stand"
            raise RuleError(
                f"{rule.module.replace('.', '/')}.py: {stands} where {wants}",
                next_step=f"give its docstring the headings {', '.join(expected)}, at the margin",
            )


def _asked(rule: Rule) -> Iterable[str]:
    """The steps of the rule as a numbered list: the docstrings of its questions, and the table."""
    yield from ("## What it asks", "")
    number = 0
    for step in rule.asks:
        if isinstance(step, Defer):
            rows = [row for row in rows_of(rule) if row.step is step]
            lines = [line for row in rows for line in _deferred(row)]
        else:
            first, _, rest = (inspect.getdoc(step) or "").partition("\n")
            lines = [f"{first} {' '.join(rest.split())}".strip()]
        for line in lines:
            number += 1
            yield f"{number}. {line}"
    yield ""
    names = dict.fromkeys(
        each.name
        for step in rule.asks
        if not isinstance(step, Defer)
        for each in taken_by(step)
        if each.name not in FROM_OTHER_RULES
    )
    of_patterns = {field.name for field in fields(Patterns)}
    for title, wanted in (("Patterns", True), ("Facts", False)):
        some = sorted(name for name in names if (name in of_patterns) is wanted)
        if some:
            yield f"{title} that it takes: {', '.join(f'`{name}`' for name in some)}."
    yield ""


def _deferred(row: Deference) -> Iterable[str]:
    """A row of the table as a sentence."""
    others = " or ".join(f"`{cause}`" for cause in row.to)
    only_if = "" if row.only_if is None else f", and {_uncapitalised(row.only_if)}"
    says = row.says if isinstance(row.says, str) else _uncapitalised(row.says) if row.says else ""
    if row.step is Defer.FOLLOW:
        referred = "".join(
            f", or has `{cause}` referred its question here" for cause in row.referrers
        )
        yield f"Has {others} fired{referred}? If not, silent: {says}."
    elif row.step is Defer.YIELD:
        yield f"If {others} fires{only_if}, it gives way: {says}."
    else:
        yield f"If {others} cannot tell{only_if}, it cannot tell either."


def _uncapitalised(function: Callable[..., object]) -> str:
    text = (inspect.getdoc(function) or "").partition("\n")[0].rstrip(".")
    return text[:1].lower() + text[1:]


def _death_page(death: DeathPage) -> str:
    """The page of one kind of death."""
    parts = [
        f"# {death.title}", "", f"`{death.kind}`, a kind of death", "",
        "## What it means", "", death.means, "",
        "## How mprof recognises it", "", death.told_by, "",
        "## What to change", "", death.change, "",
    ]  # fmt: skip
    if death.source:
        parts += ["## Sources", "", death.source, ""]
    return "\n".join(parts)


def write_pages(folder: Path) -> None:
    """Write every page as `<name>.md` into a folder, and an index `README.md`.

    Pages of rules that there are no more are deleted, where the index says that the folder is ours.

    Raises:
        RuleError: if the headings of a rule's docstring are not those of every page.
    """
    pages = {f"{rule.cause}.md": rule_page(rule) for rule in RULES}
    pages |= {f"death.{death.kind}.md": _death_page(death) for death in DEATHS.values()}
    pages |= {"README.md": _index(), "numbers.md": _numbers_page()}
    pages["differences.md"] = differences_page()
    replace_pages(folder, pages)


def _index() -> str:
    lines = ["# Rules and kinds of death", "", MADE_BY, "",
             "| rule of the paper | cause | category | title |", "|---|---|---|---|"]  # fmt: skip
    lines += [
        f"| {rule.published_as or ''} | [`{rule.cause}`]({rule.cause}.md) | {rule.category} "
        f"| {rule.title} |"
        for rule in RULES
    ]
    lines += ["", "| kind of death | title |", "|---|---|"]
    lines += [f"| [`{d.kind}`](death.{d.kind}.md) | {d.title} |" for d in DEATHS.values()]
    lines += ["", "Every number that decides one of them, with its reason: [numbers](numbers.md)."]
    lines += ["Where they ask something else than the paper: [differences](differences.md)."]
    lines += ["", "## Which rule defers to which", "",
              "| rule | where | of these rules | it says |", "|---|---|---|---|"]  # fmt: skip
    lines += [_deference_line(row) for row in DEFERENCES]
    return "\n".join([*lines, ""])


def _deference_line(row: Deference) -> str:
    """A row of the table as a row of the index."""
    of = ", ".join(f"`{cause}`" for cause in row.to)
    where = _WHERE[row.step] + "".join(
        f", and `{one}` does not refer to it" for one in row.referrers
    )
    if row.only_if is not None:
        where += f", and {_uncapitalised(row.only_if)}"
    return f"| `{row.rule}` | {where} | {of} | {_said(row)} |"


def _said(row: Deference) -> str:
    """What the rule says where the row holds, in a few words."""
    if row.says is None:
        return "the same"
    return f"silent: {row.says}" if isinstance(row.says, str) else _uncapitalised(row.says)


def _numbered(rule: Rule) -> str:
    return f", rule {rule.published_as} of the paper" if rule.published_as else ""


def _value(value: float, unit: str) -> str:
    return format_bytes(value) if unit.startswith("bytes") else f"{value:g}"


def _sections(text: str) -> Iterable[str]:
    """Headings stand at the margin of the docstring, their text is indented by four."""
    for line in text.split("\n"):
        if line and not line.startswith(" "):
            yield from (f"## {line}", "")
        else:
            yield line.removeprefix("    ")
    yield ""
