"""Options that several verbs share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

__all__ = ["Confidence", "FailOn", "JsonFlag"]


class Confidence(StrEnum):
    """How sure a cause is, from most to least."""

    sure = "sure"
    likely = "likely"
    possible = "possible"


JsonFlag = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on stdout; the rest goes to stderr.")
]
FailOn = Annotated[
    Confidence | None,
    typer.Option("--fail-on", help="Exit with 1 if a cause of at least this confidence was found."),
]
