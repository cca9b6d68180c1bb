"""``mprof doctor``: whether mprof can work here."""

from __future__ import annotations

from typing import Annotated

import typer

from mprof.cli.options import ConfigOption

__all__ = ["doctor"]

CLUSTER_EXIT_CODE = 4


def doctor(
    embedded: Annotated[
        bool, typer.Option("--embedded", help="Check for use with the embedded cluster.")
    ] = False,
    config: ConfigOption = None,
) -> None:
    """Check Java, jars, disk space, configuration and cluster; say how to fix what is wrong."""
    from mprof.cli.output import say
    from mprof.runs import examine

    checks = examine(embedded=embedded, conf_dir=config)
    words = {True: "ok", False: "no", None: "? "}
    for check in checks:
        say(f"{words[check.ok]}  {check.name}: {check.found}")
        if not check.ok and check.next_step:
            say(f"    next step: {check.next_step}")
    if any(check.ok is False for check in checks):
        raise typer.Exit(CLUSTER_EXIT_CODE)
