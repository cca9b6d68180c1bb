"""Opens a page in the user's browser, where there is a screen to show it on."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

__all__ = ["has_screen", "open_page"]

_SCREENS: Final = ("DISPLAY", "WAYLAND_DISPLAY")
_REMOTE: Final = ("SSH_CONNECTION", "SSH_TTY")


def open_page(address: str) -> None:
    """Open it, unless there is no screen; neither waits for the browser nor lets it print."""
    environment = dict(os.environ)
    if not has_screen(environment):
        return
    # Without TERM, `webbrowser` takes no browser that would run in this terminal.
    environment.pop("TERM", None)
    with contextlib.suppress(OSError):
        subprocess.Popen(
            [sys.executable, "-m", "webbrowser", address],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def has_screen(environment: Mapping[str, str], *, system: str = sys.platform) -> bool:
    """Whether this is a graphical session.

    Args:
        environment: variables of this process.
        system: as `sys.platform` has it. On a Mac the screen is not named by a variable.

    >>> has_screen({"DISPLAY": ":0"}, system="linux"), has_screen({}, system="linux")
    (True, False)
    """
    if system == "darwin":
        return not any(environment.get(name) for name in _REMOTE)
    return any(environment.get(name) for name in _SCREENS)
