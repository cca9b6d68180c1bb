"""The script that a job was compiled from, as far as the job's configuration keeps it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mprof.code import ScriptSite
from mprof.secrets import mask_text

__all__ = ["Script"]

_QUOTED: Final = re.compile(r"'[^']+'")
"""Paths, and what functions are told: passwords too."""


@dataclass(frozen=True, slots=True)
class Script:
    """A script of Pig, and the part of it that the attempt ran.

    Attributes:
        framework: that compiled it.
        name: its file name; None where the job's name does not tell.
        statements: those that the step at death computes, in the order of their lines; empty
            where it computes none, and where nothing tells.
        lines: its text as the job keeps it, secrets included (print ``text_of``).
    """

    framework: str
    name: str | None = None
    statements: tuple[ScriptSite, ...] = ()
    lines: tuple[str, ...] = ()

    def text_of(self, site: ScriptSite) -> str | None:
        """The line that a statement begins on, without what stands in quotes.

        None where that line does not name it: lines are counted in the file that a macro or a
        start-up script stands in, and the job keeps the text of one file alone.
        """
        if site.line is None or site.line > len(self.lines):
            return None
        line = self.lines[site.line - 1].strip()
        if re.search(rf"(?<!\w){re.escape(site.alias)}(?!\w)", line) is None:
            return None
        return mask_text(_QUOTED.sub("'...'", line))
