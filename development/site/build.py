"""Builds the site: gathers its pages, adds the reports, calls Zensical, checks the links."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from development.site.gallery import hang_reports
from development.site.licences import add_licences, unnoticed_in
from development.site.links import faults_of
from development.site.pages import gather_pages
from mprof.errors import ExpectationError, UsageError

__all__ = ["build_site"]

_MOST_SHOWN: Final = 20
_OF_A_SERVER: Final = ("404.html", "sitemap.xml")
"""Files that only a server has a use for: their links begin at its root."""


def build_site(root: Path) -> Path:
    """Build the site of a checkout into its folder ``site``, as ``zensical.toml`` says.

    Returns:
        The first page.

    Raises:
        UsageError: if Zensical is not installed.
        ExpectationError: if a page cannot be made, a link leads nowhere, or a licence is missing.
    """
    if find_spec("zensical") is None:
        raise UsageError(
            "the site is made by Zensical, which is not installed",
            next_step="make site installs it, or: pip install -e '.[docs]'",
        )
    pages = root / "build" / "site"
    gather_pages(root, pages)
    hang_reports(pages, cases=root / "cases")
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--clean", "--strict"],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise ExpectationError(
            f"Zensical ended with {done.returncode}: {_plain(done.stdout)}",
            next_step="correct the page that it names",
        )
    for name in _OF_A_SERVER:
        (root / "site" / name).unlink(missing_ok=True)
    add_licences(root / "site", root)
    missing = "; ".join(unnoticed_in(root / "site"))
    if missing:
        raise ExpectationError(
            f"the site contains what its notice does not tell: {missing}",
            next_step="write it into licenses/site/NOTICE.txt, with its licence beside it",
        )
    faults = [str(fault) for fault in faults_of(root / "site")]
    if faults:
        shown = "\n".join(faults[:_MOST_SHOWN])
        raise ExpectationError(
            f"{len(faults)} links of the site are broken:\n{shown}",
            next_step="correct them in the pages of docs/ or cases/",
        )
    return root / "site" / "index.html"


def _plain(text: str) -> str:
    """Without the colours of a terminal, which Zensical writes to a pipe too."""
    return re.sub(r"\x1b\[[\d;]*m", "", text)
