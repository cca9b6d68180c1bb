"""``mprof explain``: the page of a rule, a cause, a kind of death, a message or a detector."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["explain"]


def explain(
    topic: Annotated[
        str | None,
        typer.Argument(
            help="A rule (4, 6-1), a cause (hotspot_key), a kind of death (metaspace), a "
            "message (sort_buffer_does_not_fit) or a detector (bb-window).",
            metavar="RULE",
        ),
    ] = None,
) -> None:
    """Explain a rule, a cause, a kind of death, a message or a detector; without one, list all."""
    from rich.console import Console
    from rich.markdown import Markdown

    from mprof.cli.output import say_text
    from mprof.messages import message_page, message_topics
    from mprof.peers.pages import detector_page, detector_topics
    from mprof.rules import explain_topic, topics
    from mprof.triage.page import TOPIC, triage_page

    console = Console(highlight=False)
    if topic is None:
        for name, summary in (*topics(), *message_topics(), *detector_topics(), TOPIC):
            console.print(f"{name}  {summary}", soft_wrap=True, markup=False)
        return
    is_triage = topic.strip().lower() == TOPIC[0]
    found = triage_page() if is_triage else message_page(topic) or detector_page(topic)
    text = found or explain_topic(topic)
    if console.is_terminal:
        console.print(Markdown(text))
    else:
        say_text(text)
