"""A value of a setting as a text states it, with why it may not have been in force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from mprof.intake.outcomes import Outcome

__all__ = [
    "DIED_TOO", "OF_ANOTHER_RUN", "OF_A_COMMAND", "OF_A_PROCESS", "OF_A_SESSION", "TWO_VALUES",
    "WENT_THROUGH", "Row", "Stated",
]  # fmt: skip

OF_A_COMMAND: Final = 1
OF_A_SESSION: Final = 2
OF_A_PROCESS: Final = 3
WENT_THROUGH: Final = "the text says that it went through with it"
OF_ANOTHER_RUN: Final = "the text gives it for another run"
DIED_TOO: Final = "the text says that it died with it as well"
TWO_VALUES: Final = "the text gives several values"


@dataclass(frozen=True, slots=True)
class Stated:
    """A value that a text states.

    Attributes:
        name: of the property, as it is written there.
        value: as Hadoop would read it.
        line: in which it stands.
        in_command: whether it is an option of a command.
        rank: what goes before what: -1 for a size that stands without its property, 0 for a file
            or a sentence, 1 for an option of a command, 2 for what a session, a script or the
            job's code sets when it has been started, 3 for what the command line of the process
            itself shows.
        fragment: the lines that follow one another with no sentence between have the same.
        why_not: why it may not have been in force; "" where nothing says so.
        outcome: what became of a run with it, where that was another one, or may have been.
        was: what it had before it was changed to that; "" where it was not set; None of none said.
    """

    name: str
    value: str
    line: int
    in_command: bool = False
    why_not: str = ""
    rank: int = 0
    fragment: int = 0
    outcome: Outcome = ""
    was: str | None = None


class Row(NamedTuple):
    """A line, and the sentence that introduces it if one does."""

    number: int
    line: str
    above: str
    fragment: int = 0
    asked: str = ""  # NAME, where `set NAME;` was typed right above
    behind: str = ""  # what somebody goes on with, to the end of the paragraph
    row: Outcome = ""  # what became of a run of which the line is a row
    begun: str = ""  # of the sentence that goes on in the line, what stands above it
    supposed: str = ""  # the word by which its paragraph began to suppose
