"""The page that gathers where rules ask something else than the paper, from the rules' tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from development.pages.folder import MADE_BY
from mprof.rules import RULES
from mprof.rules.rule import Rule

__all__ = ["differences_page"]

_INTRODUCTION: Final = f"""\
# The paper, and where mprof differs

{MADE_BY}

The method is that of Mprof: L. Xu, W. Dou, F. Zhu, C. Gao, J. Liu, J. Wei, *Characterizing and \
Diagnosing Out of Memory Errors in MapReduce Applications*.
Its rules tell from the growth of user objects, and from the dataflow, which of its causes is true.
mprof has the same rules under the same numbers; what each asks beyond the paper, or in another \
way, and why, stands below.

In short:

- **Three answers.** A rule fires, is silent, or cannot tell, and then says which run would tell; \
what is not known denies nothing.
- **Intervals.** Every predicted number, such as the size at the end of a group, has an interval; \
a verdict is *sure* only if it holds at both ends.
- **What passed.** A record or a group is large by comparison with what the same code got through \
in the same heap, not by a fence of statistics.
- **The account of the heap.** Each byte at death belongs to one row, so that modest consumers are \
seen to fill a heap together.
- **A trial.** Where a verdict hangs on one record, a further run hands that record alone to the \
user's code, in a heap as full as it was.

How often the verdicts are right was counted on random jobs of known truth: \
[reliability](../reliability.md).
What the paper says of its own cases, and where mprof says otherwise: [cases](../cases.md).
What tells a sick node apart follows other papers; where the detectors depart from them stands on \
[their pages](../detectors/README.md), of the causes of trouble in a cluster on \
[problems](../problems.md), of kinds of sickness on [synthesis](../synthesis.md).
"""


def differences_page() -> str:
    """The Markdown page: each condition that differs, rule by rule."""
    lines = [_INTRODUCTION]
    for rule in RULES:
        rows = list(_rows(rule))
        if rows:
            number = f"Rule {rule.published_as}: " if rule.published_as else ""
            lines += [
                f"## {number}[{rule.title}]({rule.cause}.md)", "",
                "| the paper | here | why |", "|---|---|---|", *rows, "",
            ]  # fmt: skip
    return "\n".join(lines)


def _rows(rule: Rule) -> Iterable[str]:
    for row in rule.conditions:
        if row.differs:
            yield f"| {row.paper} | {row.here} | {row.differs} |"
