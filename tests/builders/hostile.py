"""Values that mean harm to whoever shows them, and views that are filled with them."""

from __future__ import annotations

import base64
import hashlib
import re
import types
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from html.parser import HTMLParser
from typing import Any, Literal, TypeVar

from msgspec import Struct

__all__ = [
    "ALL",
    "HARMLESS",
    "HOSTILE",
    "WITHOUT",
    "Shape",
    "assert_same_shape",
    "filled",
    "obeyed",
]

T = TypeVar("T")

HOSTILE = (
    '"><img src=x onerror="document.title=1">',
    "'><svg/onload=document.title=1>",
    "</title></style></script></pre></svg><script>document.title=1</script>",
    "<!--<script>",
    "]]><![CDATA[<script>document.title=1</script>",
    '" onmouseover="document.title=1" x="',
    "`onfocus=document.title=1 autofocus ",
    "javascript:document.title=1",
    "{{ 7 * 7 }}{% include 'base.css' %}{#",
    "&lt;script&gt;&#60;script&#62;&quot;",
    " marked sure verdict\tfine",
    "../../../../etc/passwd",
    "[bold][/nothing][link=file:///etc/passwd]x",
    "\x1b[2J\x1b]0;owned\x07\x9b31m\x00\x7f",
    "\u202egpj.exe\u2066\u2028mprof: done",
    "\nmprof: done\r\nmprof: done",
    "\udcff\ufffe\uffff",
)
"""Each ends what it may stand in, in some grammar: of HTML, scripts, templates, terminals."""

ALL = "\n".join(HOSTILE).replace("\udcff", "")  # no table holds what is no UTF-8
HARMLESS = "harmless"
WITHOUT = 3

# Texts that no reader delivers: the code looks each up in a table of its own words, or gives it.
KEYS = {}

_VOID = frozenset({"meta", "br", "link", "input", "img"})


def filled(kind: type[T], text: str, turn: int) -> T:
    """A value of a frozen class with all there can be in it.

    Args:
        kind: the class.
        text: what each of its texts ends in.
        turn: which of the values is taken that a `Literal` allows; `WITHOUT`: what may be missing
            is.
    """
    made: T = _value(kind, text, turn, "")
    return made


def _value(hint: Any, text: str, turn: int, name: str) -> Any:
    origin, given = typing.get_origin(hint), typing.get_args(hint)
    if is_dataclass(hint):
        owner = typing.cast("type[Any]", hint)
        hints = typing.get_type_hints(owner)
        return owner(**{
            each.name: KEYS[owner.__name__, each.name] if (owner.__name__, each.name) in KEYS
            else _value(hints[each.name], text, turn, each.name)
            for each in fields(owner)
        })  # fmt: skip
    if isinstance(hint, type) and issubclass(hint, Struct):
        hints = typing.get_type_hints(hint)
        return hint(**{
            name: _value(hints[name], text, turn, name) for name in hint.__struct_fields__
        })  # fmt: skip
    if origin is Literal:
        return given[turn % len(given)]
    if origin in {types.UnionType, typing.Union}:
        return None if turn == WITHOUT else _value(given[0], text, turn, name)
    if origin is tuple and given[-1] is not ...:
        return tuple(_value(each, text, turn, name) for each in given)
    if origin is not None:  # of any length
        return tuple(_value(given[0], f"{at}{text}", turn, name) for at in "ab")
    plain: dict[Any, Any] = {str: f"{name} {text}", int: 3, float: 3.0, bool: turn % 2 == 0}
    return plain[hint]


def obeyed(text: str) -> list[str]:
    """What a terminal would obey in a text, or nobody sees, but line breaks."""
    return [each for each in text if not (each.isprintable() or each in "\n\t\u00a0\u202f")]


class Shape(HTMLParser):
    """The elements of a page with their attributes, all but the texts in it.

    Attributes:
        parts: (element, names of its attributes, those of its classes that a style sheet of the
            page has) in order; ends of elements too.
        policy: the directives of its content security policy, before anything that it is about.
        inline: (element, text) of style sheets and scripts.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[tuple[str, ...]] = []
        self.policy: dict[str, list[str]] = {}
        self.inline: list[tuple[str, str]] = []
        self._open: list[str] = []
        self._text = ""
        self._styled: set[str] = set()
        self.feed(page)
        self.close()
        assert [] == self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        self._text = ""
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert len(given) == len(attrs)
        assert not any(name.startswith("on") or name in {"style", "srcdoc"} for name in given)
        if given.get("http-equiv") == "Content-Security-Policy":
            assert not self.inline
            for each in (given["content"] or "").split("; "):
                name, *values = each.split(" ")
                self.policy[name] = values
        for name in ("href", "src"):
            scheme = re.match(r"\s*([a-z]+):", given.get(name) or "", re.IGNORECASE)
            assert scheme is None or scheme[1] in {"file", "data"}
        words = given.get("class") or ""
        script = given.get("type") or ""
        shown = [word for word in words.split() if word in self._styled]
        self.parts.append((tag, *sorted(given), *shown, script if tag == "script" else ""))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        self.parts.append((f"/{tag}",))
        if tag == "style" or (tag == "script" and self.parts[-2][-1] == ""):
            self.inline.append((tag, self._text))
        if tag == "style":
            self._styled |= {*re.findall(r"\.([A-Za-z][\w-]*)", self._text)}

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a section: {data}")

    def assert_policy(self) -> None:
        """Nothing but what stands in the page may be loaded or run, by its digest."""
        assert ["'none'"] == self.policy["default-src"]
        assert ["'none'"] == self.policy["base-uri"]
        assert ["'none'"] == self.policy["form-action"]
        allowed = self.policy["style-src"] + self.policy.get("script-src", [])
        assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "data:", "http:", "https:"} & {
            *allowed
        }
        for tag, text in self.inline:
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in self.policy[f"{tag}-src"]
        assert len(self.inline) == sum(each.startswith("'sha256-") for each in allowed)


def assert_same_shape(make: Callable[[str], str], *, hostile: str) -> None:
    """A page with hostile values has the elements, attributes and scripts of one with harmless."""
    page = make(hostile)
    shape = Shape(page)
    assert Shape(make(HARMLESS)).parts == shape.parts
    shape.assert_policy()
    assert [] == obeyed(page)
