"""The commands of mprof that stand on the pages: in fenced blocks, and in the prose between."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "cases").rglob("README.md")),
    *sorted((ROOT / "testbed").rglob("README.md")),
)
_FENCED = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(mprof [^`]+)`")
_BEFORE = re.compile(
    r"""(?: [\w./]+=\S+                 # a variable of the environment
          | (?:[\d*/,-]+\ +){5}         # the time of a line of cron
        ) \s*""",
    re.VERBOSE,
)
_CONTROL = frozenset({"|", "||", "&&", ";", "&"})


@dataclass(frozen=True, slots=True)
class Written:
    """One command as a page has it.

    Attributes:
        page: the page, relative to the checkout.
        words: those after ``mprof``.
    """

    page: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}: mprof {' '.join(self.words)}"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block.

    Attributes:
        page: the page, relative to the checkout.
        language: as the fence names it.
        text: its lines.
    """

    page: str
    language: str
    text: str


def blocks() -> Iterator[Block]:
    """All fenced blocks of all pages."""
    for page in PAGES:
        for found in _FENCED.finditer(page.read_text(encoding="utf-8")):
            yield Block(str(page.relative_to(ROOT)), found.group(2), found.group(3))


def fenced_commands() -> Iterator[Written]:
    """The commands that begin a line of a block of a shell, or follow a pipe in it."""
    for block in blocks():
        if block.language in ("", "sh", "console"):
            for line in shell_lines(block.text):
                for words in _commands(line):
                    yield Written(block.page, words)


def shell_lines(text: str) -> list[str]:
    """What is typed: lines with a prompt, or without any prompt all of them."""
    lines = text.replace("\\\n", " ").splitlines()
    prompted = [line.strip()[2:] for line in lines if line.strip().startswith("$ ")]
    return prompted or [line.strip() for line in lines]


def _commands(line: str) -> Iterator[tuple[str, ...]]:
    while found := _BEFORE.match(line):
        line = line[found.end() :]
    if not re.search(r"(?:^|\| *)mprof ", line):
        return
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|;&<>")
    lexer.whitespace_split = True
    current: list[str] = []
    redirected = False
    for word in [*lexer, ";"]:
        if word in _CONTROL:
            if current[:1] == ["mprof"]:
                yield tuple(current[1:])
            current = []
        elif word in {">", ">>", "<"}:
            redirected = True
        elif redirected:
            redirected = False
        else:
            current.append(word)


def inline_commands() -> Iterator[Written]:
    """The commands in the prose; a message of mprof, with a colon, is none.

    Decisions are left out: they tell of verbs that went.
    """
    for page in PAGES:
        if page.parent.name == "decisions":
            continue
        text = _FENCED.sub("", page.read_text(encoding="utf-8"))
        for found in _INLINE.finditer(text):
            words = shlex.split(found.group(1).partition("|")[0].partition(">")[0])[1:]
            if words[0] != "…" and not words[0].endswith(":"):
                yield Written(str(page.relative_to(ROOT)), tuple(words))
