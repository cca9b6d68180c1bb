"""Folders for what outlives a command: caches, and the state of the embedded cluster.

They follow the XDG base directory specification.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["cache_folder", "state_folder"]


def cache_folder() -> Path:
    """Folder of what can be regenerated: class paths, machine code, embedded clusters' folders."""
    return _base("XDG_CACHE_HOME", ".cache") / "mprof"


def state_folder() -> Path:
    """Folder of the state of the embedded cluster."""
    return _base("XDG_STATE_HOME", ".local/state") / "mprof"


def _base(variable: str, otherwise: str) -> Path:
    named = os.environ.get(variable, "")
    # The specification says to ignore a relative path here.
    return Path(named) if named.startswith("/") else Path.home() / otherwise
