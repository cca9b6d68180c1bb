"""A benchmark that is ended by SIGTERM clears up as one that is ended by Ctrl-C does."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

__all__ = ["end_as_by_ctrl_c"]


def end_as_by_ctrl_c() -> None:
    """From now on both signals end this process so, whatever its parent had it ignore."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # once is enough: what follows is clearing up
    raise KeyboardInterrupt
