"""The pages of errors: one for all messages that have one cause and one next step, and an index.

The messages are read from the code, and what a page says beyond them stands in ``errors.toml``.
A message without a page, and a page without a message, are refused.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from development.pages.errors import Message
from development.pages.folder import MADE_BY, replace_pages
from mprof.errors import ExpectationError

__all__ = ["HEADINGS", "ErrorPage", "error_pages", "messages_by_page", "pages_of", "write_pages"]

_TABLE: Final = Path(__file__).with_name("errors.toml")
_BY_NEXT_STEP: Final = "-> "

HEADINGS: Final = ("Messages", "What it means", "Why", "What to do", "Example")
"""Of each page, in this order."""

_INTRODUCTION: Final = """\
# Errors that end a command

{made_by}

Where mprof cannot go on it prints one line that says what is wrong, and one with the next step:

```text
mprof: my-logs is not a capture folder: it has no capture.json
next step: name a folder that mprof run or mprof rerun wrote
```

A page each says what it means, why it happens and what to do; messages that have one cause and \
one next step share a page.
`mprof explain 'MESSAGE'`, with the message as it was printed, finds its page.

Below are all messages, by the exit code of the command and the part of mprof that meets the error.
`<...>` stands for what is filled in.
To find a message, search this page for words of it that are no names of yours.
"""
_CODES: Final[Mapping[int, tuple[str, str]]] = {
    2: ("Wrong usage", "The command line is wrong, or the output could not be written."),
    3: ("Evidence", "What was to be read is missing, damaged or of the wrong kind."),
    4: ("Cluster", "The cluster or the job could not be run."),
    6: ("Expectation", "The result of a case, or of a verification, is not the expected one."),
    70: ("Internal error", "A fault of mprof: report it, with the file that the message names."),
}
_PARTS: Final[Mapping[str, str]] = {
    "advice": "Advice", "api": "Python API", "catalogue": "Cases", "cli": "Command line",
    "engines": "Profiles of engines", "evidence": "Evidence", "extras": "Extras",
    "hadoop": "Hadoop and its cluster", "heap": "Heap dumps", "history":
    "Job histories and configurations", "holder_paths": "Python API", "hprof": "Heap dumps",
    "intake": "What is left of a job", "io": "Files", "lazy_imports": "Extras",
    "metrics": "Metrics of a node", "peers": "Nodes", "pieces": "Pieces and Spark",
    "plan": "Probe plans", "questions": "Heap dumps", "redaction": "Heap dumps",
    "remote": "Files", "report": "Reports",
    "runs": "Runs and captures", "sources": "Imports", "store": "Store", "tables": "Python API",
    "trace": "Logs of tasks", "triage": "Triage", "views": "Views",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorPage:
    """What a page says beyond its messages.

    Attributes:
        name: of its file, and for ``mprof explain``.
        title: in a few words.
        selected: its messages, or next steps of messages, as the table writes them.
        means: what the messages mean, in Markdown; so are the next two.
        why: when it happens.
        do: what to do.
        example: a command, and the lines that it prints.
        given: contents of the files beside which a test runs the example; None if it is not run.
        is_refused: whether mprof does not even take the command: it is none to copy then.
    """

    name: str
    title: str
    selected: tuple[str, ...]
    means: str
    why: str
    do: str
    example: str
    given: Mapping[str, str] | None
    is_refused: bool = False


def error_pages(table: Path = _TABLE) -> tuple[ErrorPage, ...]:
    """The pages, in the order of the table."""
    rows = tomllib.loads(table.read_text(encoding="utf-8"))["page"]
    return tuple(_page_of(row) for row in rows)


def _page_of(row: Mapping[str, Any]) -> ErrorPage:
    texts = {key: row[key].strip() for key in ("means", "why", "do", "example")}
    return ErrorPage(
        name=row["name"],
        title=row["title"],
        selected=tuple(row["messages"]),
        given=row.get("given"),
        is_refused=row.get("is_refused", False),
        **texts,
    )


def messages_by_page(
    messages: Sequence[Message], pages: Sequence[ErrorPage]
) -> dict[str, list[Message]]:
    """The messages of each page, by its name.

    Raises:
        ExpectationError: if a message has no page or several, or a page names none that there is.
    """
    by_words = _selected(pages, is_step=False)
    by_step = _selected(pages, is_step=True)
    found: dict[str, list[Message]] = {page.name: [] for page in pages}
    for one in messages:
        names = by_words.get(one.what) or by_step.get(one.next_step) or []
        if len(names) != 1:
            raise ExpectationError(
                f"{one.what!r} ({one.next_step!r}) has the pages {names}",
                next_step=f"give it one in {_TABLE.name}",
            )
        found[names[0]].append(one)
    idle = by_words.keys() - {one.what for one in messages}
    idle |= by_step.keys() - {one.next_step for one in messages}
    if idle:
        raise ExpectationError(
            f"no message says {', '.join(sorted(map(repr, idle)))}",
            next_step=f"correct {_TABLE.name}",
        )
    return found


def _selected(pages: Sequence[ErrorPage], *, is_step: bool) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for page in pages:
        for text in page.selected:
            if text.startswith(_BY_NEXT_STEP) is is_step:
                names.setdefault(text.removeprefix(_BY_NEXT_STEP), []).append(page.name)
    return names


def write_pages(folder: Path, messages: Sequence[Message]) -> None:
    """Write the index and all pages, and delete those that are gone."""
    replace_pages(folder, pages_of(messages, error_pages()))


def pages_of(messages: Sequence[Message], pages: Sequence[ErrorPage]) -> dict[str, str]:
    """The Markdown of the index and of each page, by the name of its file."""
    found = messages_by_page(messages, pages)
    texts = {f"{page.name}.md": _page_text(page, found[page.name]) for page in pages}
    return {"README.md": _index(found, pages), **texts}


def _page_text(page: ErrorPage, messages: Sequence[Message]) -> str:
    rows = dict.fromkeys(
        f"| {_cell(one.what)} | {_cell(one.next_step)} | {one.exit_code} |" for one in messages
    )
    sections = (
        ["| message | next step | exit code |", "|---|---|---|", *rows],
        [page.means], [page.why], [page.do],
        [f"```{'text' if page.is_refused else 'console'}", page.example, "```"],
    )  # fmt: skip
    lines = [f"# {page.title}", ""]
    for heading, section in zip(HEADINGS, sections, strict=True):
        lines += [f"## {heading}", "", *section, ""]
    return "\n".join([*lines, "[All errors](README.md)", ""])


def _index(found: Mapping[str, Sequence[Message]], pages: Sequence[ErrorPage]) -> str:
    named = sorted((one, page) for page, messages in found.items() for one in messages)
    titles = [f"- [{page.title}]({page.name}.md)" for page in pages]
    lines = [_INTRODUCTION.format(made_by=MADE_BY), "## Pages", "", *titles, ""]
    for code, (title, meaning) in _CODES.items():
        lines += [f"## {code}: {title}", "", meaning, ""]
        of_code = [each for each in named if each[0].exit_code == code]
        for part in sorted({_PARTS[one.part] for one, _ in of_code}):
            here = [each for each in of_code if _PARTS[each[0].part] == part]
            lines += [f"### {part} ({code})", "", *_rows(here), ""]
    return "\n".join(lines)


def _rows(named: Sequence[tuple[Message, str]]) -> Iterator[str]:
    yield from ("| message | next step | page |", "|---|---|---|")
    yield from dict.fromkeys(
        f"| {_cell(one.what)} | {_cell(one.next_step)} | [{page}]({page}.md) |"
        for one, page in named
    )


def _cell(text: str) -> str:
    """A text in a table: nothing in it is Markdown or HTML."""
    return re.sub(r"[\\`*_|]", r"\\\g<0>", text).replace("<", "&lt;")
