"""How much every verb says of what it is doing: ``-q`` less, ``-v`` all of it."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from typer.core import TyperGroup, TyperOption

__all__ = ["Loudness", "add_loudness", "loudness"]


class Loudness(IntEnum):
    """What is shown on stderr, beside errors, which always are."""

    quiet = 0
    """No progress."""
    usual = 1
    """Progress; on a terminal without the routine lines of Hadoop's client."""
    all = 2
    """Progress, and every line that the command prints."""


class _Chosen:
    """What the command line asked for."""

    loudness = Loudness.usual


def loudness() -> Loudness:
    """How much is to be said."""
    return _Chosen.loudness


def add_loudness(command: Any) -> None:
    """Give a command and all below it the options; a group takes them before the verb, too."""
    command.params += [
        TyperOption(
            param_decls=["-q", "--quiet"], is_flag=True, expose_value=False,
            callback=_choosing(Loudness.quiet), help="Show no progress.",
        ),
        TyperOption(
            param_decls=["-v", "--verbose"], is_flag=True, expose_value=False,
            callback=_choosing(Loudness.all),
            help="Show every line that a command prints, on a terminal too.",
        ),
    ]  # fmt: skip
    if isinstance(command, TyperGroup):
        for each in command.commands.values():
            add_loudness(each)


def _choosing(chosen: Loudness) -> Any:
    def choose(_context: Any, _option: Any, is_given: bool) -> None:
        if is_given:
            _Chosen.loudness = chosen

    return choose
