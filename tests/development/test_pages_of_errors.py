"""Each message that the program prints has a page, however its call is written."""

from __future__ import annotations

import os
import re
import shlex
from functools import cache
from pathlib import Path

import pytest
from builders.commands import mprof
from pages.test_commands import find_verb, options_of
from pages.transcripts import Step, lay_out

from development.pages.error_pages import (
    HEADINGS,
    ErrorPage,
    error_pages,
    messages_by_page,
    pages_of,
)
from development.pages.errors import Message, messages_of
from mprof.cli.error_pages import pages_of_error
from mprof.errors import ExpectationError

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "mprof"
PAGES = error_pages()
FOLDER = ROOT / "docs" / "reference" / "errors"


@cache
def messages() -> list[Message]:
    """Those of the package; not when this file is collected, since it takes seconds."""
    return messages_of(PACKAGE)


CODE = '''
from mprof.errors import EvidenceError, UsageError

_STEP = "name another file"

class DamagedError(EvidenceError):
    """..."""

class TornError(DamagedError):
    """..."""

def plain():
    raise UsageError("two jobs", next_step="name one")

def filled(path, job):
    raise EvidenceError(f"{path.name} has no {job!r}", next_step=_STEP)

def derived(file_name):
    raise TornError("it is " + str(file_name), next_step=f"copy {shown(file_name)} again")

def chosen(many, jobs):
    told = "some" if many else f"{len(jobs)} of them"
    raise UsageError(told, next_step="see it" if jobs else _STEP)

def made(text, out):
    error = UsageError("unknown {}".format(text), next_step=text)
    _fail(f"{out} is full", "make room", EvidenceError.exit_code)
    _fail("a fault", "report it", FAULT_EXIT_CODE)
    raise ValueError("not for users")
'''


def test_each_form_of_a_call_is_read(tmp_path: Path) -> None:
    (tmp_path / "cli").mkdir()
    (tmp_path / "cli" / "main.py").write_text(CODE)

    expected = {
        Message(2, "cli", "two jobs", "name one"),
        Message(3, "cli", "<name> has no <job>", "name another file"),
        Message(3, "cli", "it is <file name>", "copy <file name> again"),
        Message(2, "cli", "some", "see it"),
        Message(2, "cli", "some", "name another file"),
        Message(2, "cli", "<jobs> of them", "see it"),
        Message(2, "cli", "<jobs> of them", "name another file"),
        Message(2, "cli", "unknown <...>", "<text>"),
        Message(3, "cli", "<out> is full", "make room"),
        Message(70, "cli", "a fault", "report it"),
    }
    assert expected == set(messages_of(tmp_path))


@pytest.mark.parametrize(
    "words",
    [
        ("report", "nowhere"),
        ("report", "docs", "--html", "README.md"),
        ("heap", "README.md"),
        ("heap", "docs"),
        ("diagnose", "nowhere.txt"),
        ("diagnose", "docs/images"),
        ("triage", "job_1700000000000_0042"),
        ("nodes", "docs"),
        ("explain", "nothing"),
        ("cases", "replay", "no-such-case"),
        ("cases", "run", "grep", "-D", "nothing"),
        ("report",),
        ("nodes", "docs", "--since", "yesterday"),
        ("run", "-o", "docs", "--", "hadoop", "jar", "a.jar"),
        ("rerun", "docs", "--", "hadoop", "jar", "a.jar"),
    ],
)
def test_what_a_command_prints_stands_on_the_page(words: tuple[str, ...], tmp_path: Path) -> None:
    done = mprof(*words, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
    what, step = done.stderr.splitlines()[-2:]

    matching = [
        one
        for one in messages()
        if one.exit_code == done.returncode
        and _matches(one.what, what.removeprefix("mprof: "))
        and _matches(one.next_step, step.removeprefix("next step: "))
    ]
    assert matching
    # "<message>" stands for what the parser of options says, and would match anything.
    assert words == ("report",) or any(not one.what.startswith("<message>") for one in matching)


def _matches(template: str, text: str) -> bool:
    parts = (re.escape(part) for part in re.split(r"<[^<>]*>", template))
    return re.fullmatch(".*".join(parts), text) is not None


def test_the_committed_pages_are_up_to_date() -> None:
    found = {page.name: page.read_text(encoding="utf-8") for page in FOLDER.glob("*.md")}
    assert pages_of(messages(), PAGES) == found, "regenerate: make docs"


def test_each_page_has_all_parts() -> None:
    for page in PAGES:
        text = (FOLDER / f"{page.name}.md").read_text(encoding="utf-8")
        assert list(HEADINGS) == re.findall(r"^## (.*)$", text, re.MULTILINE)
        assert all(len(part.split()) > 5 for part in (page.means, page.why, page.do)), page.name


def a_page(name: str, *selected: str) -> ErrorPage:
    return ErrorPage(
        name=name, title="", selected=selected, means="", why="", do="", example="", given=None
    )


SHUT = Message(2, "cli", "<path> is shut", "open it")
LOCKED = Message(2, "cli", "<path> is locked", "open it")


def test_a_message_has_the_page_that_names_it_before_that_of_its_next_step() -> None:
    found = messages_by_page([SHUT, LOCKED], [a_page("a", "-> open it"), a_page("b", SHUT.what)])

    assert {"a": [LOCKED], "b": [SHUT]} == found


@pytest.mark.parametrize(
    ("pages", "what"),
    [
        ([a_page("a", SHUT.what)], "is locked"),
        ([a_page("a", "-> open it"), a_page("b", "-> open it")], r"\['a', 'b'\]"),
        ([a_page("a", "-> open it"), a_page("b", "<path> is open")], "<path> is open"),
        ([a_page("a", "-> open it"), a_page("b", "-> shut it")], "no message says 'shut it'"),
    ],
)
def test_what_has_no_page_or_two_is_refused_and_so_is_a_page_of_nothing(
    pages: list[ErrorPage], what: str
) -> None:
    with pytest.raises(ExpectationError, match=what):
        messages_by_page([SHUT, LOCKED], pages)


def shown(page: ErrorPage) -> tuple[str, list[str]]:
    """The words of the example after ``mprof``, and the lines that it prints."""
    command, *lines = page.example.splitlines()
    return command.removeprefix("$ mprof "), lines


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_an_example_is_a_message_of_its_page_and_leads_to_it(page: ErrorPage) -> None:
    words, (what, step) = shown(page)
    of_page = messages_by_page(messages(), PAGES)[page.name]
    assert any(_matches(one.what, what.removeprefix("mprof: ")) for one in of_page)
    # A verb may know a better next step than the part that met the error.
    assert any(_matches(one.next_step, step.removeprefix("next step: ")) for one in messages())
    asked = (f"{what}\n{step}", what.removeprefix("mprof: "), f"{what}. Next step: {step[11:]}")
    for printed in asked[: None if page.name != "wrong-usage" else 1]:  # it is the parser's
        assert FOLDER / f"{page.name}.md" in pages_of_error(printed, FOLDER)
    command, rest = find_verb(shlex.split(words.partition(" | ")[0].partition(" -- ")[0]))
    assert {each for each in rest if each.startswith("--") and each != "--"} <= options_of(command)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.given is not None], ids=lambda page: page.name
)
def test_an_example_prints_what_its_page_shows(page: ErrorPage, tmp_path: Path) -> None:
    lay_out(tmp_path)
    for name, content in (page.given or {}).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    words, lines = shown(page)
    done = mprof(
        *shlex.split(words),
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "home"),
             "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))},
    )  # fmt: skip
    printed = "\n".join(done.stderr.splitlines()[-2:])

    assert Step((), "\n".join(lines)).is_printed_in(printed), printed
    codes = {one.exit_code for one in messages_by_page(messages(), PAGES)[page.name]}
    assert done.returncode in codes


def test_words_that_are_no_message_have_no_page() -> None:
    assert () == pages_of_error("why does my job die", FOLDER)
    assert () == pages_of_error("a: b", FOLDER)
    assert () == pages_of_error("there is no Java", FOLDER / "nowhere")
