"""Folders for what outlives a command: caches, and the state of the embedded cluster.

They follow the XDG base directory specification.
"""

from __future__ import annotations

import os
from pathlib import Path

from mprof.errors import ClusterError

__all__ = ["cache_folder", "made", "state_folder"]


def cache_folder() -> Path:
    """Folder of what can be regenerated: class paths, machine code, embedded clusters' folders."""
    return _base("XDG_CACHE_HOME", ".cache") / "mprof"


def state_folder() -> Path:
    """Folder of the state of the embedded cluster."""
    return _base("XDG_STATE_HOME", ".local/state") / "mprof"


def made(folder: Path) -> Path:
    """One of these folders, or one in them, made where it is not there.

    Raises:
        ClusterError: if it cannot be made or written; the next step names another place.
    """
    reason = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
    if reason is None and not os.access(folder, os.W_OK | os.X_OK):
        reason = "it cannot be written"
    if reason is None:
        return folder
    raise ClusterError(
        f"{folder} cannot be used: {reason}",
        next_step="name folders that can be written with XDG_CACHE_HOME and XDG_STATE_HOME",
    )


def _base(variable: str, otherwise: str) -> Path:
    named = os.environ.get(variable, "")
    # The specification says to ignore a relative path here.
    return Path(named) if named.startswith("/") else Path.home() / otherwise
