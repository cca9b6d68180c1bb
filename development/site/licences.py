"""The licences of what a built site contains beside its pages, and a check that none is missing.

Zensical says of itself which packages are in its scripts, in ``assets/javascripts/LICENSE``.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["FOLDER", "add_licences", "unnoticed_in"]

FOLDER: Final = "licenses"
"""In the site."""

_NOTICE: Final = "NOTICE.txt"
_OF_SCRIPTS: Final = "assets/javascripts/LICENSE"
_PACKAGE: Final = re.compile(r"^Package: (\S+)@(\S+)$", re.MULTILINE)
_NAMED_FILE: Final = re.compile(r"the file (\S+)$", re.MULTILINE)
_SCRIPT: Final = re.compile(r"^/\*! (\S+ [\d.]+),", re.MULTILINE)
"""The head of a script that stands in the theme of this checkout."""

_UNUSED: Final = "assets/stylesheets/modern"
"""Of the other variant of the theme; no page loads it, and it has icons of another licence."""


def add_licences(site: Path, root: Path) -> None:
    """Put mprof's own licence beside the others of a built site; delete what no page of it uses.

    Args:
        site: the folder of the site.
        root: of the checkout.
    """
    shutil.rmtree(site / _UNUSED, ignore_errors=True)
    shutil.copyfile(root / "LICENSE", site / FOLDER / "LICENSE.txt")


def unnoticed_in(site: Path) -> Iterator[str]:
    """What a site contains without its notice, or names without its licence; one line each."""
    notice = (site / FOLDER / _NOTICE).read_text(encoding="utf-8")
    packages = _PACKAGE.findall((site / _OF_SCRIPTS).read_text(encoding="utf-8"))
    scripts = [
        name
        for file in sorted((site / "assets").rglob("*.js"))
        for name in _SCRIPT.findall(file.read_text(encoding="utf-8"))
    ]
    for name in ("Zensical", *(" ".join(each) for each in packages), *scripts):
        if not re.search(rf"^{re.escape(name)},", notice, re.MULTILINE):
            yield f"{name} is not in {FOLDER}/{_NOTICE}"
    for file in dict.fromkeys(_NAMED_FILE.findall(notice)):
        if not (site / FOLDER / file).is_file():
            yield f"{FOLDER}/{_NOTICE} names {file}, which is not there"
