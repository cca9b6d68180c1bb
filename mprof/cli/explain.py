"""``mprof explain``: the page of a rule, a cause or a kind of death."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["explain"]


def explain(
    topic: Annotated[
        str | None,
        typer.Argument(help="A rule (4, 6-1), a cause id or a kind of death.", metavar="RULE"),
    ] = None,
) -> None:
    """Explain a rule, a cause or a kind of memory death; without an argument, list them."""
    from rich.console import Console
    from rich.markdown import Markdown

    from mprof.errors import UsageError
    from mprof.rules import page, page_names

    console = Console(highlight=False)
    if topic is None:
        for name in page_names():
            typer.echo(name)
        return
    text = page(topic)
    if text is None:
        raise UsageError(
            f"there is no rule, cause or kind of death {topic!r}",
            next_step="list them with: mprof explain",
        )
    if console.is_terminal:
        console.print(Markdown(text))
    else:
        typer.echo(text)
