"""``mprof clean``: remove heap dumps of captures, or leftovers of mprof."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["clean"]


def clean(
    captures: Annotated[
        list[Path] | None,
        typer.Argument(help="Captures whose heap dumps may go; without any, mprof's own caches."),
    ] = None,
    pretend: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be removed.")
    ] = False,
) -> None:
    """Remove heap dumps of captures (their diagnosis stays), or mprof's caches and leftovers."""
    from mprof.runs import clean as clean_up
    from mprof.units import format_bytes

    cleaned = clean_up(captures or [], pretend=pretend)
    for one in cleaned:
        typer.echo(f"{one.path}  {format_bytes(one.size_bytes)}")
    total = format_bytes(sum(one.size_bytes for one in cleaned))
    typer.echo(f"{'would free' if pretend else 'freed'} {total} in {len(cleaned)} places")
