"""Checks a built site: each link leads to a file and an anchor, nothing comes from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

__all__ = ["Fault", "faults_of"]

_LOADED: Final = {
    "script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src",
    "embed": "src", "object": "data", "use": "href", "image": "href",
}  # fmt: skip
"""The attribute of an element from which a browser loads something without being asked."""

_LOADED_LINKS: Final = frozenset(
    {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "preconnect", "manifest"}
)
"""What a ``link`` may be whose file a browser loads, or whose host it asks."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A link that leads nowhere, or something that is loaded from another host.

    Attributes:
        page: the page, relative to the site.
        link: as it stands there.
        reason: what is wrong with it.
    """

    page: str
    link: str
    reason: str

    def __str__(self) -> str:
        return f"{self.page}: {self.link}: {self.reason}"


@dataclass(slots=True)
class _Page(HTMLParser):
    """The links of a page, what it loads, and its anchors."""

    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=lambda: {"", "top"})

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        if tag == "link":
            is_loaded = not _LOADED_LINKS.isdisjoint(given.get("rel", "").split())
            (self.loaded if is_loaded else self.links).append(given.get("href", ""))
        elif tag in _LOADED and _LOADED[tag] in given:
            self.loaded.append(given[_LOADED[tag]])
        elif tag == "a" and "href" in given:
            self.links.append(given["href"])


@cache
def _read(file: Path) -> _Page:
    page = _Page()
    page.feed(file.read_text(encoding="utf-8"))
    return page


def faults_of(site: Path) -> Iterator[Fault]:
    """What is wrong with the links of a site, page by page.

    Links to other hosts are not followed: the site is checked without a network.
    """
    for file in sorted(site.rglob("*.html")):
        page = _read(file)
        name = str(file.relative_to(site))
        for link in dict.fromkeys((*page.links, *page.loaded)):
            reason = _reason(link, file, site, is_loaded=link in page.loaded)
            if reason is not None:
                yield Fault(page=name, link=link, reason=reason)


def _reason(link: str, file: Path, site: Path, *, is_loaded: bool) -> str | None:
    try:
        parts = urlsplit(link)
    except ValueError:
        return "it is no address"
    if parts.scheme or parts.netloc:
        return "it is loaded from elsewhere" if is_loaded and parts.scheme != "data" else None
    if parts.path.startswith("/"):
        return "it begins with /, and works on one server only"
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file.resolve()
    if not target.is_relative_to(site.resolve()):
        return "it leads out of the site"
    if not target.is_file():
        return "there is no such file"
    if parts.fragment and target.suffix == ".html":
        anchors = _read(target).anchors
        if unquote(parts.fragment) not in anchors and parts.fragment not in anchors:
            return "there is no such anchor"
    return None
