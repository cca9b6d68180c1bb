"""From a template and its values to one offline HTML file: no script, no network, light and dark.

Every page extends ``templates/base.html.j2``, which has the colours, the type and the layout;
``templates/parts.html.j2`` has the parts that several pages are made of.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from mprof.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Picture", "page", "trusted_svg"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with what is said above and below it."""

    title: str
    svg: Markup
    caption: str


def trusted_svg(svg: str) -> Markup:
    """A picture that `mprof.report.svg` has drawn: the texts in it are escaped already."""
    return Markup(svg)  # noqa: S704 - our own SVG


def page(template: str, *, title: str, heading: str, **values: Any) -> str:
    """A page as text; whatever is not `Markup` in its values is escaped.

    Args:
        template: name of the file in ``templates``, without ``.html.j2``.
        title: of the browser's window.
        heading: above the page, behind the name of the program.
        values: what the template asks for, each of them.
    """
    return _environment().get_template(f"{template}.html.j2").render(
        title=title, heading=heading, version=__version__, **values
    )  # fmt: skip


@cache
def _environment() -> Environment:
    import jinja2  # 30 ms of CPU time that a command without a page does not need

    return jinja2.Environment(
        loader=jinja2.PackageLoader("mprof.report"),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
