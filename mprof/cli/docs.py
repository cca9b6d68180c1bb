"""``mprof docs``: regenerate the reference pages of a checkout (for contributors)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

__all__ = ["docs"]


def docs(
    folder: Annotated[
        Path, typer.Argument(help="Folder of the reference pages.", metavar="FOLDER")
    ] = Path("docs/reference"),
) -> None:
    """Regenerate the pages of rules, detectors, cases and tables, and two schemas.

    A test writes the page of patches.
    """
    from mprof.catalogue import cases_root, load_cases
    from mprof.catalogue import write_pages as write_case_pages
    from mprof.cli.output import say
    from mprof.errors import UsageError
    from mprof.messages import write_pages as write_message_pages
    from mprof.peers.calibration.file import schema_text
    from mprof.peers.pages import write_pages as write_detector_pages
    from mprof.report import schema_of_today
    from mprof.rules import write_pages as write_rule_pages
    from mprof.store import write_page as write_store_page
    from mprof.triage.page import write_page as write_triage_page

    if not folder.is_dir():
        raise UsageError(
            f"there is no folder {folder}", next_step="run it in a checkout, or name the folder"
        )
    write_rule_pages(folder / "rules")
    write_message_pages(folder / "messages")
    write_detector_pages(folder / "detectors")
    write_store_page(folder / "store.md")
    write_triage_page(folder / "triage.md")
    schema = folder / "diagnosis.schema.json"
    today = schema_of_today(msgspec.json.decode(schema.read_bytes()))
    schema.write_bytes(msgspec.json.format(msgspec.json.encode(today), indent=2) + b"\n")
    (folder / "calibration.schema.json").write_text(schema_text(), encoding="utf-8")
    root = cases_root(None)
    write_case_pages(load_cases(root), root=root, reference=folder)
    say(str(folder))
