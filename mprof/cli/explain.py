"""``mprof explain``: the page of a rule, a cause or a kind of death."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["explain"]


def explain(
    topic: Annotated[
        str | None,
        typer.Argument(
            help="A rule (4, 6-1), a cause (hotspot_key) or a kind of death (metaspace).",
            metavar="RULE",
        ),
    ] = None,
) -> None:
    """Explain a rule, a cause or a kind of death; without an argument, list them all."""
    from rich.console import Console
    from rich.markdown import Markdown

    from mprof.cli.output import say_text
    from mprof.rules import explain_topic, topics

    console = Console(highlight=False)
    if topic is None:
        for name, summary in topics():
            console.print(f"{name}  {summary}", soft_wrap=True, markup=False)
        return
    text = explain_topic(topic)
    if console.is_terminal:
        console.print(Markdown(text))
    else:
        say_text(text)
