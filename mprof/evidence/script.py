"""The script that a job was compiled from, as far as the job's configuration keeps it."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.code import ScriptSite

__all__ = ["Script"]


@dataclass(frozen=True, slots=True)
class Script:
    """A script of Pig, and the part of it that the attempt ran.

    Attributes:
        framework: that compiled it.
        name: its file name; None where the job's name does not tell.
        statements: those that the step at death computes, in the order of their lines; of the
            whole task where the step is none of theirs; empty where nothing tells.
        lines: its text, secrets masked; empty where the job does not keep it.
    """

    framework: str
    name: str | None = None
    statements: tuple[ScriptSite, ...] = ()
    lines: tuple[str, ...] = ()

    def text_of(self, site: ScriptSite) -> str | None:
        """The line that a statement begins on."""
        if site.line is None or site.line > len(self.lines):
            return None
        return self.lines[site.line - 1].strip() or None
