"""The pages of the messages: what each says of itself, and where it is from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from development.pages.folder import MADE_BY, replace_pages
from mprof.messages import MESSAGES, Message

__all__ = ["HEADINGS", "write_pages"]

HEADINGS: Final = (
    "What it means", "What it does not prove", "What to change", "What would tell more",
)  # fmt: skip
"""Of the page of every message, in this order."""

_INTRODUCTION: Final = (
    (
        "What stands in a log, in the cluster's diagnostics or on a stack, and what it says of the "
        "death of a task: it *proves* why the task died, *suggests* it, or is *known to* do "
        "so."
    ),
    (
        "Only the error that ended the task is read, by its class and the class of its frames: the "
        "same words in a line of the job's own, or in an error that was caught, say nothing."
    ),
    "What rules measured comes before what a message says of the same.",
)


def write_pages(folder: Path) -> None:
    """Write the index and the page of every message, and delete those of messages that are gone."""
    pages = {f"{one.id}.md": _page(one) for one in MESSAGES}
    replace_pages(folder, {"README.md": _index(), **pages})


def _index() -> str:
    lines = ["# Messages, exit codes and frames", "", MADE_BY, "", *_INTRODUCTION, ""]
    for title, leaks in (("Messages", False), ("Known leaks", True)):
        lines += [f"## {title}", "", "| id | title | from |", "|---|---|---|"]
        lines += [
            f"| [`{one.id}`]({one.id}.md) | {one.title} | "
            f"{', '.join(dict.fromkeys(source.lines for source in one.sources))} |"
            for one in MESSAGES
            if one.is_leak is leaks
        ]
        lines.append("")
    return "\n".join(lines)


def _page(message: Message) -> str:
    first, _, rest = message.page.partition("\n")
    lines = [f"# {message.title}", "", f"`{message.id}`", "", first, ""]
    for line in rest.strip("\n").split("\n"):
        if line and not line.startswith(" "):
            lines += [f"## {line}", ""]
        else:
            lines.append(line.removeprefix("    "))
    return "\n".join([*lines, "", *_sources(message)])


def _sources(message: Message) -> Iterator[str]:
    yield from ("## Where it is from", "", "| line | code | words |", "|---|---|---|")
    for one in message.sources:
        words = f"`{one.words.replace('|', chr(92) + '|')}`" if one.words else "the frame itself"
        yield f"| {one.lines} | `{one.code}` | {words} |"
    yield ""
    if message.causes:
        causes = ", ".join(f"[`{one}`](../rules/{one}.md)" for one in message.causes)
        yield from (f"The rule that measures the same, and then takes its place: {causes}.", "")
