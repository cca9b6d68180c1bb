"""Settings of a job's command: those that it gives itself give way to others of the same name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from mprof.history.deprecated import NEW_NAMES

__all__ = ["with_settings"]

_OPTIONS: Final = ("-D", "-jobconf", "-hiveconf", "--hiveconf")
"""What a setting follows: of Hadoop (``GenericOptionsParser``) and Pig, of streaming, of Hive."""

_JOINED: Final = re.compile(r"(-D)([^=\s]+)=")  # -Dname=value in one word


def with_settings(command: Sequence[str], settings: Mapping[str, str]) -> tuple[str, ...]:
    """The command with these values for the properties that it sets itself.

    ``-D`` of a command is stronger than any configuration folder. What the command does not set is
    left to the folder: not every driver takes ``-D``.

    Args:
        command: of the driver.
        settings: by the property's new name.

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
        is_setting = joined is not None or (before in _OPTIONS and "=" in word)
        done.append(f"{option}{name}={new}" if is_setting and new is not None else word)
    return tuple(done)
