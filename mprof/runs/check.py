"""One check of ``mprof doctor`` and its result."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Check"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check and its result.

    Attributes:
        name: what was checked.
        ok: whether the check passed; None if that is not known.
        found: what was found, one line.
        next_step: what to do if the check did not pass.
    """

    name: str
    ok: bool | None
    found: str
    next_step: str = ""
