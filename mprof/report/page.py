"""From a template and its values to one offline HTML file: no script, no network, light and dark.

Every page extends ``templates/base.html.j2``, which has the colours, the type and the layout;
``templates/parts.html.j2`` has the parts that several pages are made of.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from mprof.report.markup import css_class, in_page, policy
from mprof.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Picture", "page", "templates"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with what is said above and below it."""

    title: str
    svg: Markup
    caption: str


def page(template: str, *, title: str, heading: str, **values: Any) -> str:
    """A page as text; whatever is not `Markup` in its values is escaped."""
    return templates().get_template(f"{template}.html.j2").render(
        title=title, heading=heading, version=__version__, **values
    )  # fmt: skip


@cache
def templates(package: str = __package__, folder: str = "templates") -> Environment:
    """The templates in a folder of a package, and those of this package below them.

    What they print goes through `mprof.report.markup`: each value, each word of ``class`` (the
    filter ``css_class``), and the ``policy`` of the page.
    """
    import jinja2  # 30 ms of CPU time that a command without a page does not need

    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader(package, folder), jinja2.PackageLoader(__package__)]
        ),
        autoescape=True,
        finalize=in_page,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters["css_class"] = css_class
    made.globals["policy"] = policy
    return made
