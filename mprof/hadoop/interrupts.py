"""Interrupts that wait until what they are to end can be ended."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Final, Self

__all__ = ["HeldInterrupts"]

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class HeldInterrupts:
    """Holds back Ctrl-C and its like until ``release``, or else until it is left.

    A process that is being started is in nobody's hands yet: an interrupt that came then would be
    raised within ``Popen``, and the process would run on. Signals that Python does not handle, as
    those that are ignored, stay as they are; outside the main thread nothing is done.
    """

    def __init__(self) -> None:
        self._handlers: dict[signal.Signals, Callable[[int, FrameType | None], object]] = {}
        self._met: list[tuple[signal.Signals, FrameType | None]] = []

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _ENDING:
                handler = signal.getsignal(number)
                if callable(handler):
                    self._handlers[number] = handler
                    signal.signal(number, self._hold)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Let them through again; what was held back is raised here, the first of several."""
        handlers, self._handlers = self._handlers, {}
        for number, handler in handlers.items():
            signal.signal(number, handler)
        met, self._met = self._met, []
        if met:
            number, frame = met[0]
            handlers[number](number, frame)

    def _hold(self, number: int, frame: FrameType | None) -> None:
        self._met.append((signal.Signals(number), frame))
