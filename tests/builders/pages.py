"""What holds for every HTML file that mprof writes."""

from __future__ import annotations

import re
from html.parser import HTMLParser

__all__ = ["assert_whole_and_offline"]


def assert_whole_and_offline(page: str) -> None:
    """Every element is closed, and nothing is fetched or run."""
    parser = _Balance()
    parser.feed(page)
    assert [] == parser.open
    assert [] == parser.addresses
    assert "<script" not in page
    assert not re.search(r"url\(|@import", page)


class _Balance(HTMLParser):
    """Counts what is open; void elements close themselves."""

    VOID = frozenset({"meta", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href"}]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """``<line .../>`` opens nothing."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
