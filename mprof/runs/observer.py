"""Who watches a long piece of work: the one interface between ``runs`` and the terminal."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Observer", "SilentObserver"]


class Observer(Protocol):
    """Told what happens; never answers back."""

    def stage(self, text: str) -> None:
        """A new stage of the work began."""

    def progress(self, text: str, share: float | None) -> None:
        """How far the present stage is, 0 to 1 where that is known."""

    def output(self, line: str) -> None:
        """A line that the user's driver printed."""


class SilentObserver:
    """Watches and says nothing."""

    def stage(self, text: str) -> None:
        """See `Observer.stage`."""

    def progress(self, text: str, share: float | None) -> None:
        """See `Observer.progress`."""

    def output(self, line: str) -> None:
        """See `Observer.output`."""
