"""Gathers the pages of the site in one folder: ``docs/``, the cases and a few files of the root.

Links between them lead from file to file of the checkout, so that they work there too; here each is
written anew, because pages lie in other folders of the site.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

__all__ = ["gather_pages"]

_OF_THE_ROOT: Final = ("SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md")
_LICENCES: Final = Path("licenses", "site")
"""Of what the site contains beside its pages."""

_LINK: Final = re.compile(r"(?<=\]\()([^)\s#]+)(?=[)#])")
_ELSEWHERE: Final = re.compile(r"[a-z][a-z+.-]*:")
_FOR_EDITORS: Final = re.compile(r"^(?:Made|Written) by .{1,99}; do not edit\.\n+", re.MULTILINE)
"""What a generated page says to those who would change it."""
_FENCE: Final = re.compile(r"\s*(```|~~~)")


def gather_pages(root: Path, target: Path) -> None:
    """Fill a folder with the pages of a checkout; whatever is in it is deleted first.

    Args:
        root: of the checkout.
        target: the folder, which only this function writes.
    """
    shutil.rmtree(target, ignore_errors=True)
    for file in _files(root):
        place = target / _place(file, root)
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            text = _FOR_EDITORS.sub("", file.read_text(encoding="utf-8"))
            place.write_text(_with_links(text, file, root), encoding="utf-8")
        else:
            shutil.copyfile(file, place)
    _append_decisions(target / "decisions")


def _files(root: Path) -> Iterator[Path]:
    yield from (file for file in sorted((root / "docs").rglob("*")) if file.is_file())
    yield from sorted((root / "cases").rglob("README.md"))
    yield from sorted((root / _LICENCES).glob("*.txt"))
    yield from (root / name for name in _OF_THE_ROOT)


def _place(file: Path, root: Path) -> Path:
    """Where a file lies in the site: ``docs/`` is its root."""
    path = file.relative_to(root)
    if path.parent == _LICENCES:
        return Path(_LICENCES.parts[0], path.name)
    return path.relative_to("docs") if path.parts[0] == "docs" else path


def _with_links(text: str, file: Path, root: Path) -> str:
    """The text of a page with its links as they are in the site; code is left as it is."""
    return "\n".join(
        line if is_code else _LINK.sub(lambda found: _relinked(found.group(), file, root), line)
        for line, is_code in _lines(text)
    )


def _lines(text: str) -> Iterable[tuple[str, bool]]:
    """Each line, and whether it is part of a fenced block."""
    fence: str | None = None
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if found and fence is None:
            fence = found.group(1)
            yield line, True
        elif found and found.group(1) == fence:
            fence = None
            yield line, True
        else:
            yield line, fence is not None


def _relinked(link: str, file: Path, root: Path) -> str:
    """A link from a file, in the site; to the first page of a folder, where it leads to a folder.

    Nothing is done to a link that leads nowhere: the check of the links names it.
    """
    if _ELSEWHERE.match(link):
        return link
    target = Path(os.path.normpath(file.parent / link))
    if (target / "README.md").is_file():
        target /= "README.md"
    if not target.is_file() or root not in target.parents:
        return link
    return os.path.relpath(_place(target, root), _place(file, root).parent)


def _append_decisions(folder: Path) -> None:
    """List the decisions on the first page of their folder, by the first line of each."""
    page = folder / "README.md"
    lines = [page.read_text(encoding="utf-8")]
    for file in sorted(folder.glob("[0-9]*.md")):
        title = file.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
        lines.append(f"- [{title}]({file.name})")
    page.write_text("\n".join([*lines, ""]), encoding="utf-8")
