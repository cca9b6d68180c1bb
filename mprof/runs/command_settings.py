"""Settings of a job's command: read, refused where Hadoop cannot read them, and replaced.

Those that it gives itself give way to others of the same name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from mprof.errors import UsageError
from mprof.history.deprecated import NEW_NAMES
from mprof.io.secrets import mask_text

__all__ = ["refuse_unreadable", "with_settings"]

_OPTIONS_BEFORE: Final = ("-D", "-jobconf", "-hiveconf", "--hiveconf")
"""What a setting follows: of Hadoop (``GenericOptionsParser``) and Pig, of streaming, of Hive."""

_JOINED: Final = re.compile(r"(-D)([^=\s]+)=")  # -Dname=value in one word


def _is_whole_number(value: str) -> bool:
    """What ``Configuration.getInt`` reads: decimal or hexadecimal digits of 32 bits, no unit."""
    if re.fullmatch(r"-?0[xX][0-9a-fA-F]{1,8}|[+-]?[0-9]{1,10}", value) is None:
        return False
    number = int(value, 16 if "x" in value.lower() else 10)
    return -(2**31) <= number < 2**31


def _is_sort_buffer(value: str) -> bool:
    """What ``MapTask.MapOutputBuffer`` takes: ``(sortmb & 0x7FF) == sortmb``."""
    return _is_whole_number(value) and 0 <= int(value, 16 if "x" in value.lower() else 10) < 2048


def _is_share(value: str) -> bool:
    """What ``MergeManagerImpl`` takes."""
    is_number = re.fullmatch(r"[+-]?([0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20})[fFdD]?", value)
    return is_number is not None and 0 <= float(value.rstrip("fFdD")) <= 1


def _has_readable_sizes(value: str) -> bool:
    """What HotSpot takes for a size: digits and one letter, without ``=`` and without ``b``."""
    sizes = re.findall(r"(?<!\S)-X(?:mx|ms|mn|ss)(\S*)", value)
    return all(re.fullmatch(r"[0-9]{1,18}[kKmMgGtT]?", one) for one in sizes)


_Check = tuple[Callable[[str], bool], str, str]
_MEGABYTES: Final[_Check] = (_is_whole_number, "a whole number of MB without a unit", "2048")
_SHARE: Final[_Check] = (_is_share, "a share from 0 to 1", "0.5")
_OPTIONS: Final[_Check] = (_has_readable_sizes, "with sizes as java reads them", "-Xmx1536m")
_CHECKED: Final[Mapping[str, _Check]] = {
    "mapreduce.map.memory.mb": _MEGABYTES,
    "mapreduce.reduce.memory.mb": _MEGABYTES,
    "yarn.app.mapreduce.am.resource.mb": _MEGABYTES,
    "mapreduce.task.io.sort.mb": (_is_sort_buffer, "a whole number of MB from 0 to 2047", "100"),
    "mapreduce.map.sort.spill.percent": _SHARE,
    "mapreduce.reduce.shuffle.input.buffer.percent": _SHARE,
    "mapreduce.reduce.shuffle.memory.limit.percent": _SHARE,
    "mapreduce.reduce.shuffle.merge.percent": _SHARE,
    "mapreduce.map.java.opts": _OPTIONS,
    "mapreduce.reduce.java.opts": _OPTIONS,
    "mapred.child.java.opts": _OPTIONS,
    "yarn.app.mapreduce.am.command-opts": _OPTIONS,
}
"""By the property's new name: whether Hadoop reads a value, what it reads, and an example."""


def refuse_unreadable(command: Sequence[str]) -> None:
    """Refuse a command that sets a property of memory to what Hadoop cannot read.

    A value with a variable (``${...}``) is Hadoop's to fill in.

    Raises:
        UsageError: for the first such setting.
    """
    for name, value in _settings(command):
        check = _CHECKED.get(NEW_NAMES.get(name, name))
        if check is None or "${" in value or check[0](value.strip()):
            continue
        _, wanted, example = check
        shown = mask_text(value)
        raise UsageError(
            f"{name}={shown} cannot be read: it has to be {wanted}",
            next_step=f"give it such a value, for example {name}={example}",
        )


def _settings(command: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The settings that the command gives, as (name, value)."""
    for before, word in zip(("", *command), command, strict=False):
        joined = _JOINED.match(word)
        if joined is not None:
            yield joined[2], word[joined.end() :]
        elif before in _OPTIONS_BEFORE and "=" in word:
            name, _, value = word.partition("=")
            yield name, value


def with_settings(command: Sequence[str], settings: Mapping[str, str]) -> tuple[str, ...]:
    """The command with these values for the properties that it sets itself.

    ``-D`` of a command is stronger than any configuration folder. What the command does not set is
    left to the folder: not every driver takes ``-D``.

    >>> with_settings(["hadoop", "jar", "a.jar", "-D", "io.sort.mb=9"],
    ...               {"mapreduce.task.io.sort.mb": "5"})
    ('hadoop', 'jar', 'a.jar', '-D', 'io.sort.mb=5')
    """
    done: list[str] = []
    for word in command:
        before = done[-1] if done else ""
        joined = _JOINED.match(word)
        if joined is not None:
            option, name = joined.groups()
        else:
            option, name = "", word.partition("=")[0]
        new = settings.get(NEW_NAMES.get(name, name))
        is_setting = joined is not None or (before in _OPTIONS_BEFORE and "=" in word)
        done.append(f"{option}{name}={new}" if is_setting and new is not None else word)
    return tuple(done)
