"""Whether a folder holds a store: told without what takes long to import."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mprof.errors import EvidenceError

__all__ = ["MARK", "NEXT_STEP", "check_folder", "check_store", "is_store"]

MARK: Final = "mprof-store.txt"
"""The file that makes a folder one."""

NEXT_STEP: Final = "name the folder that mprof import filled, or import into a new one"


def is_store(folder: Path) -> bool:
    """Whether a store stands in a folder."""
    return (folder / MARK).is_file()


def check_store(folder: Path) -> None:
    """Make sure that a store stands in a folder.

    Raises:
        EvidenceError: if none does.
    """
    if not is_store(folder):
        raise EvidenceError(f"{folder} is no folder of tables", next_step=NEXT_STEP)


def check_folder(path: Path) -> None:
    """Make sure that a folder, which may hold recordings, is there.

    Raises:
        EvidenceError: if none is.
    """
    if not path.is_dir():
        raise EvidenceError(
            f"there is no folder {path}", next_step="name folders that mprof import filled"
        )
