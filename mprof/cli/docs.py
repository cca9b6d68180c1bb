"""``mprof docs``: regenerate the reference pages of a checkout (for contributors)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["docs"]


def docs(
    folder: Annotated[
        Path, typer.Argument(help="Folder of the reference pages.", metavar="FOLDER")
    ] = Path("docs/reference"),
) -> None:
    """Regenerate the pages of the rules and the cases; a test writes that of the patches."""
    from mprof.catalogue import cases_root, load_cases
    from mprof.catalogue import write_pages as write_case_pages
    from mprof.errors import UsageError
    from mprof.rules import write_pages as write_rule_pages

    if not folder.is_dir():
        raise UsageError(
            f"there is no folder {folder}", next_step="run it in a checkout, or name the folder"
        )
    write_rule_pages(folder / "rules")
    root = cases_root(None)
    write_case_pages(load_cases(root), root=root, reference=folder)
    typer.echo(str(folder))
