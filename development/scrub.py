"""Removes folders, host names and the user name of a machine from recorded evidence.

What a rule reads (sizes, counts, class names, settings) is left unchanged.
"""

from __future__ import annotations

import getpass
import re
import socket
import tempfile
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mprof.io.base_folders import cache_folder

__all__ = ["Scrubber", "scrub_values", "this_machine"]

_OTHER_ADDRESS = re.compile(
    r"\b(?!127\.|0\.0\.0\.0)(?:\d{1,3}\.){3}\d{1,3}\b(?!\.\d|-)(?=[:/\"\s]|$)"
)


@dataclass(frozen=True, slots=True)
class Scrubber:
    """Replaces everything that identifies a machine.

    Attributes:
        folders: (pattern, replacement) of folders, the most specific first.
        hosts: host names.
        user: login name.
    """

    folders: tuple[tuple[re.Pattern[str], str], ...]
    hosts: tuple[str, ...]
    user: str

    def text(self, text: str) -> str:
        """A text with folders, addresses and host names replaced."""
        for pattern, replacement in self.folders:
            text = pattern.sub(replacement, text)
        for host in self.hosts:
            # As part of an address only: a host name may be an ordinary word of the log.
            text = re.sub(rf"(?<![\w.-]){re.escape(host)}(?=[:/]\d)", "node", text)
        text = re.sub(rf"((?<=[/=])|(?<=^user\.name: )){re.escape(self.user)}(?=/|$)", "user", text)
        return _OTHER_ADDRESS.sub("10.0.0.1", text)

    def value(self, text: str) -> str:
        """A value with names replaced; all of it may be a host or user name."""
        if text in self.hosts:
            return "node"
        if text == self.user:
            return "user"
        return self.text(text)


def this_machine(*extra: tuple[Path, str]) -> Scrubber:
    """A scrubber for the machine this runs on.

    Args:
        extra: further folders and their replacements.
    """
    cache, temporary = str(cache_folder()), tempfile.gettempdir()
    user, in_url = getpass.getuser(), urllib.parse.quote_plus(temporary)
    folders = [
        (rf"{re.escape(cache)}/clusters/cluster-\w+", "/cluster"),
        (rf"{re.escape(cache)}/cases/[\w-]+", "/input"),
        (rf"{re.escape(cache)}/hadoop", "/hadoop"),
        (rf"{re.escape(cache)}/libraries", "/libraries"),
        (rf"{re.escape(temporary)}/mprof-[\w-]+", "/job"),
        (rf"{re.escape(temporary)}/(temp|pig_)?-?\d[\d-]*", "/job/temp"),  # of Pig
        (rf"{re.escape(temporary)}/hive\.\w+", "/hive"),
        (rf"{re.escape(temporary)}/{re.escape(user)}(?=/|$)", "/hive/user"),
        (rf"{re.escape(in_url)}%2Fmprof-[\w-]+", "%2Fjob"),  # in a query of Hive
        *((re.escape(str(folder)), name) for folder, name in extra),
        (rf"{re.escape(temporary)}/(?!hadoop)(?=\w)", "/temp/"),
        (re.escape(str(Path.home())), "/home/user"),
    ]
    hosts = {socket.gethostname(), socket.getfqdn()} - {"localhost"}
    return Scrubber(
        folders=tuple((re.compile(pattern), name) for pattern, name in folders),
        hosts=tuple(sorted(hosts, key=len, reverse=True)),
        user=user,
    )


def scrub_values(value: Any, scrub: Callable[[str], str]) -> Any:
    """A JSON-like value with ``scrub`` applied to every string in it except keys."""
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, dict):
        return {key: scrub_values(each, scrub) for key, each in value.items()}
    if isinstance(value, list):
        return [scrub_values(each, scrub) for each in value]
    if isinstance(value, tuple):  # in fastavro, a union member with the name of its branch
        return tuple(scrub_values(each, scrub) for each in value)
    return value
