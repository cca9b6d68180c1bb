"""Every command of mprof on a page is one that mprof takes: its verb, its options and their values.

Those that need nothing but the recordings of the checkout are run by ``test_transcripts``.
"""

from __future__ import annotations

from typing import Any

import pytest
from pages.commands import Written, fenced_commands, inline_commands
from typer.main import get_command

from mprof.cli.subcommands import app

PROGRAM: Any = get_command(app)
FENCED = tuple(dict.fromkeys(fenced_commands()))
INLINE = tuple(dict.fromkeys(inline_commands()))


def test_the_pages_have_commands() -> None:
    assert len(FENCED) > 60
    assert len(INLINE) > 100


@pytest.mark.parametrize("written", FENCED, ids=str)
def test_a_command_of_a_block_is_parsed(written: Written) -> None:
    parse([_filled_in(word) for word in written.words if word != "..."])


@pytest.mark.parametrize("written", INLINE, ids=str)
def test_a_command_of_the_prose_names_a_verb_and_options_that_there_are(written: Written) -> None:
    command, rest = find_verb(list(written.words))
    of_mprof = rest[: rest.index("--")] if "--" in rest else rest
    named = {word.partition("=")[0] for word in of_mprof if word.startswith("-") and word != "-"}
    assert set() == named - options_of(command)


def _filled_in(word: str) -> str:
    """A number where a page has a letter for one."""
    return "1" if word == "N" else word


def parse(words: list[str]) -> None:
    """Parse a command line as mprof does, without doing what it asks for.

    Raises:
        Exception: as typer does where mprof would refuse it.
    """
    command, context, rest = PROGRAM, PROGRAM.make_context("mprof", [*words]), words
    while hasattr(command, "resolve_command"):
        name, command, rest = command.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        context = command.make_context(name, rest, parent=context)


def find_verb(words: list[str]) -> tuple[Any, list[str]]:
    """The command that words name, and those that are left for it."""
    command = PROGRAM
    while words and hasattr(command, "commands") and not words[0].startswith("-"):
        assert words[0] in command.commands, f"there is no {words[0]}"
        command, words = command.commands[words[0]], words[1:]
    return command, words


def options_of(command: Any) -> set[str]:
    """The names of the options of a command."""
    own = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    return own | set(command.context_settings.get("help_option_names", ("-h", "--help")))


@pytest.mark.parametrize(
    "words",
    [
        ["reports", "capture"],
        ["report", "capture", "--as-html", "f"],
        ["report"],
        ["diagnose", "x", "--fail-on", "perhaps"],
        ["cases", "rerun", "hash-join"],
        ["nodes", "store", "--share", "a lot"],
        ["heap", "dump.hprof", "--rows", "3"],
    ],
)
def test_what_mprof_does_not_take_is_seen(words: list[str]) -> None:
    with pytest.raises(Exception, match=r".") as refused:
        parse(words)
    assert hasattr(refused.value, "format_message")
