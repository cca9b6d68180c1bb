"""``mprof clean``: delete heap dumps of captures, or mprof's own leftovers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mprof.cli.options import PretendFlag

__all__ = ["clean"]


def clean(
    captures: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[CAPTURES...]",
            help="Captures whose heap dumps to delete; without any, mprof's caches.",
        ),
    ] = None,
    pretend: PretendFlag = False,
) -> None:
    """Delete heap dumps of captures (their diagnosis stays), or mprof's caches and leftovers.

    A dump that was not read yet, or not by this version of mprof, is kept.
    """
    from mprof.cli.output import say
    from mprof.runs import clean as clean_up
    from mprof.units import format_bytes

    cleaned = clean_up(captures or [], pretend=pretend)
    for one in cleaned.deleted:
        say(f"{one.path}  {format_bytes(one.size_bytes)}")
    for kept in cleaned.kept:
        say(f"mprof: {kept}", on_stderr=True)
    total = format_bytes(sum(one.size_bytes for one in cleaned.deleted))
    count = len(cleaned.deleted)
    paths = "1 path" if count == 1 else f"{count} paths"
    say(f"{'would free' if pretend else 'freed'} {total} in {paths}")
