"""What the user's settings of Maven say about where artifacts come from.

The format: https://maven.apache.org/settings.html. What is understood here is a mirror of Maven
Central and the local repository; the rest is left to Maven.
"""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET  # only the user's own settings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

__all__ = ["REPOSITORY_VARIABLE", "MavenSettings", "maven_settings"]

REPOSITORY_VARIABLE: Final = "MPROF_MAVEN_REPOSITORY"
"""Of the environment: URL of the repository, which goes before the settings."""

_PLACEHOLDER: Final = re.compile(r"\$\{(?:env\.(\w+)|([\w.]+))\}")


@dataclass(frozen=True, slots=True)
class MavenSettings:
    """Where artifacts come from.

    Attributes:
        mirror: URL of the mirror of Maven Central; None where the settings name none.
        local: folder of the local repository; it may not exist.
        beyond: what of them only Maven knows how to do, as a clause; None where nothing is.
    """

    mirror: str | None
    local: Path
    beyond: str | None = None


def maven_settings(home: Path | None = None) -> MavenSettings:
    """The settings of a user; where there are none, what Maven does then.

    Args:
        home: the user's home folder; None for this user's.
    """
    folder = (home or Path.home()) / ".m2"
    usual = MavenSettings(mirror=None, local=folder / "repository")
    file = folder / "settings.xml"
    try:
        root = ET.fromstring(file.read_bytes())  # noqa: S314 - the user's own
    except FileNotFoundError:
        return usual
    except (OSError, ET.ParseError) as error:
        return replace(usual, beyond=f"a file that cannot be read ({error})")
    local = _text(root, "localRepository")
    mirror = next(
        (one for one in root.iterfind("{*}mirrors/{*}mirror") if _is_of_central(one)), None
    )
    url = None if mirror is None else _text(mirror, "url")
    return MavenSettings(
        mirror=url,
        local=usual.local if local is None else Path(local),
        beyond=_beyond(root, None if mirror is None else _text(mirror, "id"), (url, local)),
    )


def _is_of_central(mirror: ET.Element) -> bool:
    """Whether a mirror stands for Maven Central, which is external, and reached by https."""
    of = [word.strip() for word in (_text(mirror, "mirrorOf") or "").split(",")]
    return "!central" not in of and not {"*", "central", "external:*"}.isdisjoint(of)


def _beyond(root: ET.Element, mirror: str | None, texts: tuple[str | None, ...]) -> str | None:
    for proxy in root.iterfind("{*}proxies/{*}proxy"):
        if _text(proxy, "active") != "false":
            return "a proxy"
    for server in root.iterfind("{*}servers/{*}server"):
        if mirror is not None and _text(server, "id") == mirror:
            return f"a login for the mirror {mirror}"
    if any(text is not None and "${" in text for text in texts):
        return "a variable that is not of the environment"
    return None


def _text(parent: ET.Element, name: str) -> str | None:
    """The text of a child, with variables of the environment filled in; None where it is empty."""
    found = (parent.findtext(f"{{*}}{name}") or "").strip()
    return _PLACEHOLDER.sub(_value, found) or None


def _value(match: re.Match[str]) -> str:
    name, other = match.groups()
    if other == "user.home":
        return str(Path.home())
    return os.environ.get(name, match[0]) if name else match[0]
