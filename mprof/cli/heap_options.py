"""Which options of ``mprof heap`` go together: it answers one question about one dump, or two."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from mprof.errors import UsageError

__all__ = ["check_together"]

_QUESTIONS: Final = (
    "--object", "--class", "--path", "--dominates", "--html", "--serve", "--redact", "--waste",
    "--sql", "--sql-example", "--histogram", "--strings",
)  # fmt: skip
"""Each asks for something else; without any of them the summary is printed."""

_WITHOUT_JSON: Final = frozenset({"--html", "--serve"})

_SQL: Final = ("--sql", "--sql-example")
_PARTS: Final = {
    "--keep": (("--redact",), "add --redact with the name of a new file"),
    "--csv": (_SQL, "add --sql QUERY or --sql-example NAME"),
    "--output": (_SQL, "add --sql QUERY or --sql-example NAME"),
    "--port": (("--serve",), "add --serve"),
    "--force": (("--html",), "add --html FILE"),
}
"""What is a part of a question, of which ones, and what to add where it stands alone."""


def check_together(given: Collection[str], *, dumps: int, json: bool) -> None:
    """See that nothing that was asked for is left out without a word.

    Raises:
        UsageError: if two options ask for different things, or one is a part of what nobody asks.
    """
    asked = [name for name in _QUESTIONS if name in given]
    if dumps > 1:
        for name in (*asked, *given):
            raise UsageError(f"{name} is for one dump", next_step="name one dump, or leave it out")
    if json and _WITHOUT_JSON.intersection(asked):
        asked.append("--json")
    if len(asked) > 1:
        raise UsageError(f"{' and '.join(asked)} exclude each other", next_step="give one of them")
    for name, (of, next_step) in _PARTS.items():
        if name in given and not set(of).intersection(asked):
            raise UsageError(f"{name} has no part in this without {of[0]}", next_step=next_step)
