"""Options that several subcommands share."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mprof.errors import UsageError
from mprof.io.files import is_there

__all__ = [
    "CalibrationOption",
    "CaptureOption",
    "CommandArgument",
    "Confidence",
    "ConfigOption",
    "EmbeddedFlag",
    "FailOn",
    "ForceFlag",
    "HeadroomOption",
    "HtmlOption",
    "JsonFlag",
    "KeysFlag",
    "MavenRepositoryOption",
    "PretendFlag",
    "SettingOptions",
    "SourceOptions",
    "age_s",
    "check_sources",
    "parse_settings",
    "time_given",
]


_LONGEST_S = 1_000_000_000
"""30 years. The system waits for no more than 292."""


class Confidence(StrEnum):
    """The confidence in a cause, highest first."""

    sure = "sure"
    likely = "likely"
    possible = "possible"


def _command_given(words: list[str] | None) -> list[str]:
    if not words:
        raise UsageError(
            "no command was given",
            next_step="put it after two dashes: -- hadoop jar JOB.jar MAIN ARGS",
        )
    return words


def _repository_given(url: str | None) -> str | None:
    """What fetches jars reads the variable, and so does every program that this one starts."""
    if url is not None:
        from mprof.hadoop.download import check_address
        from mprof.hadoop.maven_settings import REPOSITORY_VARIABLE

        check_address(url)
        os.environ[REPOSITORY_VARIABLE] = url
    return url


CommandArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="COMMAND...",
        callback=_command_given,
        help="The job's command, after two dashes: -- hadoop jar JOB.jar ...",
        show_default=False,
    ),
]
EmbeddedFlag = Annotated[
    bool, typer.Option("--embedded", help="Use the embedded cluster of this machine.")
]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", help="Client configuration folder; default: HADOOP_CONF_DIR."),
]
CaptureOption = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="New folder for the capture.", metavar="CAPTURE"),
]
KeysFlag = Annotated[bool, typer.Option("--keys", help="Store keys, not only their digests.")]
PretendFlag = Annotated[bool, typer.Option("--dry-run", help="Only show what would be deleted.")]
JsonFlag = Annotated[
    bool, typer.Option("--json", help="Print JSON on stdout; everything else goes to stderr.")
]
FailOn = Annotated[
    Confidence | None,
    typer.Option("--fail-on", help="Exit with 1 if a cause of this confidence or higher is named."),
]
HtmlOption = Annotated[
    Path | None,
    typer.Option("--html", help="Write the report to this HTML file, which works offline."),
]
ForceFlag = Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")]
SourceOptions = Annotated[
    list[Path] | None,
    typer.Option(
        "--source",
        metavar="DIR|JAR",
        help="Sources or classes of the job: the report then quotes the lines it names, and says "
        "which lines filled the holder. May be repeated.",
    ),
]
CalibrationOption = Annotated[
    Path | None,
    typer.Option(
        "--calibration",
        help="File that mprof calibrate wrote: thresholds, profiles and kinds of sickness of this "
        "cluster.",
    ),
]
HeadroomOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=4096,
        metavar="MB",
        help="Memory for the agent in containers that are tight; default 32, 0 for none.",
    ),
]
MavenRepositoryOption = Annotated[
    str | None,
    typer.Option(
        "--maven-repository",
        metavar="URL",
        callback=_repository_given,
        help="Where to fetch Hadoop's jars, once; default: MPROF_MAVEN_REPOSITORY, else the mirror "
        "in ~/.m2/settings.xml, else Maven Central.",
    ),
]
SettingOptions = Annotated[
    list[str] | None,
    typer.Option("-D", help="A setting of the job; overrides the case's own.", metavar="KEY=VALUE"),
]


def check_sources(sources: Sequence[Path] | None) -> tuple[Path, ...]:
    """The places that were named, each of which is there.

    Raises:
        UsageError: if one is not.
    """
    for one in sources or ():
        if not is_there(one):
            raise UsageError(
                f"--source {one}: there is no such file or folder",
                next_step="name a folder or a jar with the job's sources or classes",
            )
    return tuple(sources or ())


def time_given(seconds: float | None) -> float | None:
    """A number of seconds that can be waited for: ``nan`` is below no bound, and above none.

    Raises:
        UsageError: if it is none.
    """
    if seconds is not None and not 0 <= seconds <= _LONGEST_S:
        raise UsageError(
            f"{seconds} is no time to wait for", next_step=f"give seconds, 0 to {_LONGEST_S:,}"
        )
    return seconds


def age_s(text: str | None, *, option: str) -> float | None:
    """Seconds of an age as a user writes it; None for none.

    >>> age_s("7d", option="--keep"), age_s("36h", option="--keep")
    (604800.0, 129600.0)

    Raises:
        UsageError: if it is none.
    """
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]{1,5})([dh])", text)
    if found is None:
        raise UsageError(f"{option} {text} is not an age", next_step="write it as 7d or 36h")
    return int(found[1]) * {"d": 86_400.0, "h": 3_600.0}[found[2]]


def parse_settings(options: Sequence[str]) -> dict[str, str]:
    """The values of ``-D`` options by key; the last one of a key wins, as in Hadoop.

    >>> parse_settings(["mapreduce.job.reduces=6", "mapreduce.map.java.opts=-Xmx1g -Da=b"])
    {'mapreduce.job.reduces': '6', 'mapreduce.map.java.opts': '-Xmx1g -Da=b'}

    Raises:
        UsageError: if one is not KEY=VALUE.
    """
    settings = {}
    for option in options:
        key, equals, value = option.partition("=")
        if not (key and equals):
            raise UsageError(f"-D {option} is not a setting", next_step="write it as -D KEY=VALUE")
        settings[key] = value
    return settings
