"""The largest retransmission timeout of the node's TCP connections."""

from __future__ import annotations

import re
import resource
import subprocess
import time
from collections.abc import Callable
from typing import Final

__all__ = ["SlowMeasure", "largest_rto_ms", "rto_of"]

_RTO: Final = re.compile(rb"\brto:([0-9.]+)")
_COMMAND: Final = ("ss", "-tin")
_LONGEST_S: Final = 2.0
_SHARE: Final = 0.003
"""Of one processor: the whole collector may take 0.01."""
_OLDEST_S: Final = 15.0
"""A level that is older is not known any more; Prometheus scrapes this often."""


def rto_of(text: bytes) -> float | None:
    r"""The largest of what ``ss -ti`` prints as ``rto``, in ms; None without a connection.

    >>> rto_of(b"cubic wscale:7,7 rto:204 rtt:1.5/3\ncubic rto:1632 backoff:3\n")
    1632.0
    """
    return max(map(float, _RTO.findall(text)), default=None)


def largest_rto_ms() -> float | None:
    """The largest timeout now; None if there is no connection, or no program that tells.

    psutil lists connections without their timers. The program asks the kernel by netlink, and
    needs no rights.
    """
    try:
        done = subprocess.run(
            _COMMAND, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=_LONGEST_S
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return rto_of(done.stdout)


class SlowMeasure:
    """Something that costs much, measured no more often than its cost allows.

    A node with ten thousand connections, or as many threads, must not pay for being watched.

    Args:
        measure: what is measured.
        share: of one processor that it may take.
    """

    def __init__(self, measure: Callable[[], float | None], *, share: float = _SHARE) -> None:
        self._measure = measure
        self._share = share
        self._value: float | None = None
        self._measured_s = -_OLDEST_S
        self._next_s = 0.0

    def value(self) -> float | None:
        """The last measurement, if it is not too old."""
        now_s = time.monotonic()
        if now_s >= self._next_s:
            before = _processor_s()
            self._value = self._measure()
            self._measured_s = now_s
            self._next_s = now_s + (_processor_s() - before) / self._share
        return self._value if now_s - self._measured_s <= _OLDEST_S else None


def _processor_s() -> float:
    """What this process and its children have used."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )
