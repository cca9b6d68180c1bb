"""Exit codes of processes, and the signals they stand for."""

from __future__ import annotations

import signal
from typing import Final

__all__ = ["end_in_words", "signal_of"]

_SIGNALLED: Final = 128
"""What `Process.exitValue`, as a shell, adds to the number of the signal that ended a process."""


def signal_of(exit_code: int) -> str | None:
    """The signal that ended a process: of 137, as a shell has it, and of -9, as Python has it.

    >>> signal_of(137), signal_of(-9), signal_of(1)
    ('SIGKILL', 'SIGKILL', None)
    """
    number = -exit_code if exit_code < 0 else exit_code - _SIGNALLED
    return signal.Signals(number).name if number in set(signal.Signals) else None


def end_in_words(exit_code: int) -> str:
    """How a process ended.

    >>> end_in_words(1)
    'ended with exit code 1'
    >>> end_in_words(-9)
    'was ended by a signal (SIGKILL)'
    """
    name = signal_of(exit_code)
    if exit_code < 0:
        return f"was ended by a signal ({name or -exit_code})"
    return f"ended with exit code {exit_code}" + (f" ({name})" if name else "")
