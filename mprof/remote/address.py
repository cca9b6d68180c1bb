"""Names of files and folders of other file systems, and what a user may name: a path or an address.

Told without any library, since every verb that takes a place asks first what it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from mprof.errors import UsageError
from mprof.io.files import is_address

__all__ = ["Address", "Place", "check_address", "name_of", "place_of"]

_PASSWORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://[^/@]*:[^/@]*@")
_OF_THIS_MACHINE: Final = re.compile(r"(?i)(?:file|local)://(?:localhost)?(/.*)")


@dataclass(frozen=True, slots=True)
class Address:
    """A file or a folder of another file system.

    Attributes:
        text: with the scheme, without a slash at its end: ``webhdfs://namenode:9870/store``.
        bytes: of its content, where it is known.
    """

    text: str
    bytes: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.text

    def __truediv__(self, name: str) -> Address:
        return Address(f"{self.text}/{name}")

    @property
    def name(self) -> str:
        """The last part."""
        return self.text.rpartition("/")[2]

    @property
    def parent(self) -> Address:
        """The folder."""
        return Address(self.text.rpartition("/")[0])


Place = Path | Address
"""Where files lie: in a folder of this machine, or at an address."""


def place_of(named: str | Path | Address) -> Place:
    """What a user names: an address where it has a scheme; of ``file://`` the path.

    Raises:
        UsageError: if the address has a password in it, which would be stored and printed.
    """
    if not isinstance(named, str):
        return named
    here = _OF_THIS_MACHINE.fullmatch(named)
    if here is not None:
        return Path(unquote(here[1]))
    if not is_address(named):
        return Path(named)
    check_address(named)
    return Address(named.rstrip("/"))


def check_address(address: str) -> None:
    """Refuse an address with a password in it.

    Raises:
        UsageError: if it has one.
    """
    if _PASSWORD.match(address):
        scheme, _, rest = address.partition("://")
        raise UsageError(
            f"{scheme}://...@{rest.rpartition('@')[2]} has a password in it, and addresses are"
            " stored with the tables",
            next_step=f"give it to fsspec: export FSSPEC_{scheme.upper()}_PASSWORD=...",
        )


def name_of(place: Place) -> str:
    """The last part of a path, whatever leads to it, or of an address."""
    return place.name if isinstance(place, Address) else place.resolve().name
