"""Progress on stderr: a live line on a terminal, plain lines when piped."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from mprof.cli.chatter import Chatter
from mprof.cli.loudness import Loudness, loudness
from mprof.cli.output import MOST_CHARACTERS
from mprof.io.printable import clipped, one_line, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

__all__ = ["TerminalObserver"]

# In a piped log, a line now and then shows that work goes on; every per cent is too much.
PLAIN_INTERVAL_SECONDS = 10.0

FEWEST_SECONDS = 5.0
"""Before that, a pace tells nothing of the rest."""

TAKEN_FOR_TERMINAL = ("FORCE_COLOR", "TTY_COMPATIBLE")
"""Variables that make rich draw as on a terminal where there is none."""


class TerminalObserver:
    """Shows the progress of a run on stderr (an `mprof.runs.Observer`)."""

    def __init__(self) -> None:
        self._console: Console | None = None
        self._status: Status | None = None
        self._stage = ""
        self._last_plain = 0.0
        self._last_text = ""
        self._last_share = 0.0
        self._began_at = (0.0, 0.0)  # when, and at which share, what is shown now had begun
        self._loudness = loudness()
        # Where nobody looks, a log is wanted whole.
        self._folds = sys.stderr.isatty() and self._loudness is not Loudness.all
        self._chatter = Chatter()

    def __enter__(self) -> Self:
        if self._loudness is Loudness.quiet:
            return self
        if sys.stderr.isatty() or any(name in os.environ for name in TAKEN_FOR_TERMINAL):
            self._start()
        return self

    def _start(self) -> None:
        from rich.console import Console  # takes 0.05 s to import, and is of no use in a pipe

        self._console = Console(stderr=True, highlight=False)
        if self._console.is_terminal:
            self._status = self._console.status("", spinner="dots")
            self._status.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status is not None:
            self._status.stop()
        if not self._chatter.lines:
            return
        if isinstance(error, Exception):  # what led to it may stand there
            for line in self._chatter.kept():
                self._print(printable(line))
        elif self._loudness is not Loudness.quiet:
            self._print(
                f"mprof: {self._chatter.lines} routine lines of Hadoop's client are not shown: "
                "output.txt of the run has them, and -v shows them"
            )

    def stage(self, text: str) -> None:
        """Show the stage that begins."""
        self._stage = text = clipped(one_line(text), MOST_CHARACTERS)
        self._last_plain = time.monotonic()
        self._chatter.begin()
        if self._loudness is Loudness.quiet:
            return
        if self._status is not None:
            self._show(f"mprof: {text}")
        else:
            self._print(f"mprof: {text}")

    def progress(self, text: str, share: float | None) -> None:
        """Show the progress within the stage."""
        text = clipped(one_line(text), MOST_CHARACTERS)
        if self._loudness is Loudness.quiet:
            return
        shown = text if share is None else f"{text} {share * 100:.0f} %{self._left(share)}"
        if self._status is not None:
            self._show(f"mprof: {self._stage} - {shown}")
            return
        now = time.monotonic()
        if shown != self._last_text and now - self._last_plain >= PLAIN_INTERVAL_SECONDS:
            self._last_plain, self._last_text = now, shown
            self._print(f"mprof: {self._stage} - {shown}")

    def _left(self, share: float) -> str:
        """How long the rest takes at the pace so far, where that can be told."""
        now = time.monotonic()
        if share < self._last_share or self._last_share == 0:  # another thing has begun
            self._began_at = (now, share)
        self._last_share = share
        began, at = self._began_at
        if now - began < FEWEST_SECONDS or share <= at or share >= 1:
            return ""
        seconds = (now - began) * (1 - share) / (share - at)
        minutes, rest = divmod(round(seconds), 60)
        return f", about {minutes} min {rest:02d} s left" if minutes else f", about {rest} s left"

    def output(self, line: str) -> None:
        """Print a line of the user's driver, whole; what a terminal would obey is written out.

        On a terminal the routine lines of Hadoop's client become one line of progress.
        """
        if self._folds and self._chatter.takes(line):
            if self._chatter.progress and self._status is not None:
                self._show(f"mprof: {self._stage} - {self._chatter.progress}")
            return
        line = printable(line)
        if self._status is not None and self._console is not None:
            self._console.print(line, markup=False, soft_wrap=True)
        else:
            self._print(line)

    def _show(self, line: str) -> None:
        from rich.text import Text

        if self._status is not None:  # not as a str, whose [brackets] rich takes for markup
            self._status.update(Text(line))

    @staticmethod
    def _print(line: str) -> None:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
