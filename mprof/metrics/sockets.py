"""The largest retransmission timeout of the node's TCP connections."""

from __future__ import annotations

import re
import subprocess
from typing import Final

__all__ = ["largest_rto_ms", "rto_of"]

_RTO: Final = re.compile(rb"\brto:([0-9.]+)")
_COMMAND: Final = ("ss", "-tin")
_LONGEST_S: Final = 2.0


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
