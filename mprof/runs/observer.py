"""Progress reporting: the interface between ``runs`` and the terminal."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Observer", "SilentObserver"]


class Observer(Protocol):
    """Receives progress of a long operation."""

    def stage(self, text: str) -> None:
        """A new stage has begun."""

    def progress(self, text: str, share: float | None) -> None:
        """Progress within the stage; ``share`` is 0 to 1, or None where that is not known."""

    def output(self, line: str) -> None:
        """A line that the user's driver printed."""


class SilentObserver:
    """Discards all progress."""

    def stage(self, text: str) -> None:
        """See `Observer.stage`."""

    def progress(self, text: str, share: float | None) -> None:
        """See `Observer.progress`."""

    def output(self, line: str) -> None:
        """See `Observer.output`."""
