"""Looks at what a running job writes, every few seconds, beside the thread that waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

__all__ = ["Looking"]

_MOST_SECONDS: Final = 10.0
"""Of waiting for the look that is being taken at the end of the context."""


class Looking:
    """A context in which a function is called every few seconds, in a thread.

    What goes wrong there costs a look, never the run: files change while they are read.
    """

    def __init__(self, look: Callable[[], object], *, seconds: float, name: str) -> None:
        self._look = look
        self._seconds = seconds
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end(_MOST_SECONDS)

    @property
    def is_ending(self) -> bool:
        """Whether a look that takes long should stop."""
        return self._ends.is_set()

    def end(self, seconds: float) -> None:
        """No further look; wait so long for the one that is being taken."""
        self._ends.set()
        self._thread.join(timeout=seconds)

    def _loop(self) -> None:
        while not self._ends.wait(self._seconds):
            try:
                self._look()
            except Exception:  # noqa: BLE001, S112 - the edge of a thread that may fail at anything
                continue
