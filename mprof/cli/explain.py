"""``mprof explain``: the page of a rule, cause, kind of death, message, detector or error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Final, get_args

import typer

from mprof.errors import UsageError

__all__ = ["Topic", "explain", "explained", "topics"]

_PACKAGE: Final = Path(__file__).parents[1]
_REFERENCE: Final = (_PACKAGE / "reference", _PACKAGE.parent / "docs" / "reference")
"""The generated pages: in a wheel they are part of the package (`hatch_build.py`)."""

_OF_COMPARISONS: Final = {
    "islands": "which nodes are compared with each other",
    "racks": "what is reported if whole racks differ",
    "many-looks": "what is reported of a node that only one of many jobs shows",
    "clocks": "what is reported of a node whose clock is off",
    "heard-otherwise": "which silence is none of the node",
    "waiting": "which node is sick, and which one waits for it",
    "confidence": "how sure it is that a node is sick",
    "comparability": "whether the nodes did the same work at all",
    "live": "what is looked at while a store grows",
    "calibration": "how control runs set the detectors",
    "synthesis": "how labelled runs teach kinds of sickness",
}
"""What is made of the detectors' comparisons."""

_ERRORS: Final = "errors/"
_KINDS: Final = ("rules/", "rules/death.", "messages/", "detectors/", _ERRORS)
_LISTED_NAME: Final = re.compile(r"(?!(?:numbers|differences)$|death\.)[a-z][a-z0-9._-]*")
"""None of the pages beside those of the topics."""

_MOST_SUGGESTED: Final = 4


@dataclass(frozen=True, slots=True)
class Topic:
    """What can be explained.

    Attributes:
        name: as the list has it.
        title: in a few words; None for the head of the page.
        file: the page, in the folder of the reference.
        number: of a rule of the paper; two rules may share one.
        slug: of a rule: the name of its file.
    """

    name: str
    title: str | None
    file: str
    number: str | None = None
    slug: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """By which it is found."""
        return tuple(each for each in (self.name, self.number, self.slug) if each is not None)

    @property
    def text(self) -> str:
        """The Markdown page.

        Raises:
            UsageError: if the page is not installed.
        """
        for folder in _REFERENCE:
            if (folder / self.file).is_file():
                return (folder / self.file).read_text(encoding="utf-8")
        raise UsageError(
            f"there is no page of {self.name} yet", next_step="make it, in a checkout: make docs"
        )


def topics() -> tuple[Topic, ...]:
    """Everything that can be explained, in the order of the list."""
    from mprof.evidence.facts import Kind
    from mprof.messages import MESSAGES
    from mprof.peers.detectors.registry import DETECTORS, PUBLISHED
    from mprof.rules import RULES

    found = []
    for rule in RULES:
        number = rule.published_as
        title = f"{rule.title} (rule {number})" if number else rule.title
        found.append(Topic(rule.cause, title, f"rules/{rule.cause}.md", number, rule.slug))
    found += [Topic(kind, None, f"rules/death.{kind}.md") for kind in get_args(Kind)]
    found += [Topic(one.id, one.title, f"messages/{one.id}.md") for one in MESSAGES]
    of_nodes = {**{each.name: each.title for each in (*DETECTORS, *PUBLISHED)}, **_OF_COMPARISONS}
    found += [Topic(name, title, f"detectors/{name}.md") for name, title in of_nodes.items()]
    told = "application, data skew, settings, memory, or node: how a job is judged"
    found.append(Topic("triage", told, "triage.md"))
    return (*found, *_errors())


def _errors() -> Iterator[Topic]:
    """The pages of what mprof prints when it cannot go on."""
    folder = next((one / _ERRORS for one in _REFERENCE if (one / _ERRORS).is_dir()), None)
    for page in sorted(folder.glob("[a-z]*.md")) if folder is not None else ():
        yield Topic(page.stem, None, f"{_ERRORS}{page.name}")


def explained(name: str) -> str:
    """The page of a topic; of a number that stands for two causes, both pages.

    A message of mprof itself is one of the topics too, in the words in which it was printed.

    Raises:
        UsageError: if there is no such topic.
    """
    wanted = name.strip().lower()
    if (page := _page_of(wanted)) is not None:
        return page.read_text(encoding="utf-8")
    if len(name.split()) > 1:  # a sentence: no topic has a name of several words
        from mprof.cli.error_pages import pages_of_error

        pages = [page for folder in _REFERENCE for page in pages_of_error(name, folder / _ERRORS)]
        if pages:
            return "\n".join(page.read_text(encoding="utf-8") for page in pages)
    every = topics()
    exact = [one for one in every if wanted in one.names]
    alike = [one for one in every if _joined(wanted) in map(_joined, one.names)]
    found = exact or alike
    if not found:
        raise UsageError(
            f"there is no rule, cause, kind of death, message, detector or error called {name!r}",
            next_step=_suggested(_near(wanted, every)),
        )
    return "\n".join(one.text for one in found)


def _page_of(name: str) -> Path | None:
    """The page of a topic by the name that the list has for it; None for every other name.

    Told by the files alone: the list takes all rules and facts, which take half a second to load.
    """
    if not _LISTED_NAME.fullmatch(name):
        return None
    files = [f"{kind}{name}.md" for kind in _KINDS]
    places = [folder / file for folder in _REFERENCE for file in files]
    return next((each for each in places if each.is_file()), None)


def _joined(name: str) -> str:
    return name.replace("-", "_")


def _suggested(near: Sequence[str]) -> str:
    every = "mprof explain without a word lists them all"
    return f"try mprof explain {' or '.join(near)}; {every}" if near else every


def _near(wanted: str, every: Sequence[Topic]) -> tuple[str, ...]:
    """Names that begin with the word, else have it inside, else are spelt much like it."""
    numbers = dict.fromkeys(one.number for one in every if one.number is not None)
    names = [*(one.name for one in every), *numbers]
    if not wanted:
        return ()
    begin = [name for name in names if name.startswith(wanted)]
    inside = [name for name in names if wanted in name]
    # The names of errors are phrases: one of their words says nothing of what is looked for.
    phrases = {one.name for one in every if one.file.startswith(_ERRORS)}
    words = {
        word: name
        for name in reversed(names)
        for word in (name, *(() if name in phrases else re.split(r"[._-]", name)))
    }
    alike = [words[word] for word in get_close_matches(wanted, words, cutoff=0.75)]
    return tuple(dict.fromkeys(begin or inside or alike))[:_MOST_SUGGESTED]


def explain(
    topic: Annotated[
        str | None,
        typer.Argument(
            help="A rule (4, 6-1), a cause (hotspot_key), a kind of death (metaspace), a "
            "message (sort_buffer_does_not_fit), a detector (bb-window) or an error of mprof "
            "(not-a-capture, or in quotes as it was printed).",
            metavar="RULE",
        ),
    ] = None,
) -> None:
    """Explain a rule, cause, kind of death, message, detector or error; without one, list all."""
    from rich.console import Console
    from rich.markdown import Markdown

    from mprof.cli.output import say_text

    console = Console(highlight=False)
    if topic is None:
        for one in topics():
            title = one.title or one.text.partition("\n")[0].removeprefix("# ")
            console.print(f"{one.name}  {title}", soft_wrap=True, markup=False)
        return
    text = explained(topic)
    if console.is_terminal:
        console.print(Markdown(text))
    else:
        say_text(text)
