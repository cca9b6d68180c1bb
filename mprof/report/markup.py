"""The one place where a value becomes a part of a page or of a drawing.

Names of jobs, hosts and classes, states, paths and messages come from files that others wrote. In
a page each of them is text, or the value of an attribute, or a word of ``class``, and never an
element or a script. So nothing but this module makes `Markup`: pages are filled in from templates
(`mprof.report.page`), pictures are drawn with `element`, and whatever is no `Markup` is escaped on
the way. Characters that a terminal would obey, and that no SVG file may hold, are written out.

What a page may load and run is said in itself as well, by `policy`: if something does slip
through, a browser runs none of it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any, Final

from markupsafe import Markup, escape

from mprof.io.printable import printable

__all__ = ["css_class", "element", "in_page", "policy", "script_data"]

_NOT_OF_CLASS: Final = re.compile(r"[^A-Za-z0-9_-]+")
_IN_SCRIPT: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def in_page(value: object) -> Markup:
    r"""A value as text of a page, or in the quotes of an attribute; markup stays what it is.

    >>> in_page("<b>\x1b")
    Markup('&lt;b&gt;\\x1b')
    """
    return value if isinstance(value, Markup) else escape(printable(str(value)))


def css_class(word: object) -> Markup:
    """A value as one word of ``class``; what cannot stand in one is a dash.

    >>> css_class('failed marked"><img>')
    Markup('failed-marked-img-')
    """
    return Markup(_NOT_OF_CLASS.sub("-", str(word)))  # noqa: S704 - letters, digits and dashes


def element(name: str, *children: object, **attributes: object) -> Markup:
    """An element of a drawing.

    Args:
        name: of the element.
        children: markup, or values that become text; without any the element closes itself.
        attributes: an underscore of a name stands for its dash; ``style`` for words of ``class``.
    """
    words = " ".join(css_class(word) for word in str(attributes.pop("style", "")).split())
    given = {"class": words, **attributes} if words else attributes
    head = "".join(f' {key.replace("_", "-")}="{in_page(value)}"' for key, value in given.items())
    body = "".join(in_page(each) for each in children)
    whole = f"<{name}{head}>{body}</{name}>" if children else f"<{name}{head}/>"
    return Markup(whole)  # noqa: S704 - each value in it went through in_page


def script_data(value: Any) -> Markup:
    """A value as JSON on one line that may stand in a script of a page, or be one."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return Markup(text.translate(_IN_SCRIPT))  # noqa: S704 - it ends no script


def policy(
    *, styles: Sequence[str] = (), scripts: Sequence[str] = (), others: Sequence[str] = ()
) -> str:
    """The content security policy of a page: what stands in it, and nothing else.

    Args:
        styles: the text of each style sheet in the page.
        scripts: the text of each script in it; they may load the scripts that lie beside it.
        others: further directives.
    """
    # A page on a disk has no origin that 'self' would match in each browser; what a script of ours
    # loads is trusted by 'strict-dynamic', and 'self' is for those that do not know that.
    of_scripts = (
        [f"script-src {_hashes(scripts)} 'strict-dynamic' 'self'"] if scripts else []
    )  # fmt: skip
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {_hashes(styles)}",
            *of_scripts,
            *others,
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _hashes(texts: Sequence[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(each).decode()}'" for each in digests) or "'none'"
