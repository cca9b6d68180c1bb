"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from mprof.errors import UsageError

__all__ = ["Confidence", "FailOn", "JsonFlag", "SettingOptions", "settings_of"]


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
SettingOptions = Annotated[
    list[str] | None,
    typer.Option(
        "-D", help="A setting of the job, in place of the case's own.", metavar="KEY=VALUE"
    ),
]


def settings_of(words: Sequence[str]) -> dict[str, str]:
    """What stands behind each ``-D``; the last one of a key wins, as in Hadoop.

    >>> settings_of(["mapreduce.job.reduces=6", "mapreduce.map.java.opts=-Xmx1g -Da=b"])
    {'mapreduce.job.reduces': '6', 'mapreduce.map.java.opts': '-Xmx1g -Da=b'}

    Raises:
        UsageError: if one is not KEY=VALUE.
    """
    settings = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not (key and equals):
            raise UsageError(f"-D {word} is no setting", next_step="write it as -D KEY=VALUE")
        settings[key] = value
    return settings
