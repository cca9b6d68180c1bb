"""One check of ``mprof doctor`` and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mprof.errors import MprofError

__all__ = ["Check", "guarded"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check and its result.

    Attributes:
        ok: whether the check passed; None if that is not known.
        next_step: what to do if the check did not pass.
    """

    name: str
    ok: bool | None
    found: str
    next_step: str = ""


def guarded(name: str, look: Callable[[], Check]) -> Check:
    """The check that ``look`` makes; one that did not pass where it ends in an expected error."""
    try:
        return look()
    except MprofError as error:
        return Check(name, ok=False, found=error.what, next_step=error.next_step)
