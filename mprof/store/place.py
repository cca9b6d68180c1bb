"""Whether a folder holds a store: told without what takes long to import."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mprof.errors import EvidenceError
from mprof.remote.address import Place

__all__ = ["MARK", "NEXT_STEP", "check_folder", "check_store", "is_store"]

MARK: Final = "mprof-store.txt"
"""The file that makes a folder one."""

NEXT_STEP: Final = "name the folder that mprof import filled, or import into a new one"


def is_store(folder: Place) -> bool:
    """Whether a store stands in a folder, or at an address, whose server is asked.

    Raises:
        EvidenceError: if that does not answer.
        UsageError: if a library is missing for it.
    """
    if isinstance(folder, Path):
        return (folder / MARK).is_file()
    from mprof.remote.systems import entries

    return MARK in entries(folder)


def check_store(folder: Place) -> None:
    """Make sure that a store stands in a folder, or at an address.

    Raises:
        EvidenceError: if none does, or the server of the address does not answer.
        UsageError: if a library is missing for the address.
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
