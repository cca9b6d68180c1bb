"""Recorded runs of clusters: a store each, and what is known to have been wrong.

A folder is a recording if it is a store, holds one named ``store``, or holds files that
`mprof import` reads. ``label.json`` in it says what was wrong: an object whose ``fault`` is the
name of the fault, or null, and whose ``node`` is the host that had it, ``master`` for a fault of
the master; other fields are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mprof.errors import EvidenceError
from mprof.io.files import is_there
from mprof.io.json import decode_json, read_json
from mprof.remote.address import Address, Place
from mprof.remote.systems import content_of
from mprof.sources import import_files
from mprof.store import Store
from mprof.store.place import check_folder

__all__ = ["LABEL", "MASTER", "Label", "Recording", "recordings_in"]

LABEL: Final = "label.json"
MASTER: Final = "master"
"""What a label names as the node if it is the master."""

_STORE: Final = "store"
Progress = Callable[[str, float | None], None]


@dataclass(frozen=True, slots=True)
class Label:
    """What was wrong in a run.

    Attributes:
        fault: its name; None if nothing was.
        node: the host that had it; `MASTER` for the master.
    """

    fault: str | None
    node: str | None = None

    def __post_init__(self) -> None:
        if self.fault is not None and not self.fault.strip():
            raise ValueError("its fault has no name")
        if self.fault is not None and not self.node:
            raise ValueError("it names a fault, and no node that had it")


@dataclass(frozen=True, slots=True)
class Recording:
    """One run.

    Attributes:
        name: of its folder.
        folder: where it is.
        store: its tables.
        label: what was wrong; None if nothing says.
    """

    name: str
    folder: Place
    store: Store
    label: Label | None

    @property
    def hosts(self) -> frozenset[str]:
        """Nodes that should be there; where nothing lists them, those with metrics and the like."""
        listed = frozenset(self.store.read("nodes", columns=["host"])["host"].dropna())
        tables = ("metrics", "attempts", "heartbeats")
        seen = (self.store.read(each, columns=["host"])["host"].dropna() for each in tables)
        return listed or frozenset().union(*(set(each) for each in seen))


def recordings_in(
    paths: Sequence[Place], *, scratch: Path, progress: Progress
) -> tuple[Recording, ...]:
    """The recordings in these folders; a folder of several stands for all of them.

    Args:
        paths: folders, and addresses of stores.
        scratch: where files are imported that are in no store; must last as long as the recordings.
        progress: is told which one is read.

    Raises:
        EvidenceError: if a folder holds none, or its label is damaged.
    """
    folders = list(
        dict.fromkeys(
            folder.resolve() if isinstance(folder, Path) else folder
            for path in paths
            for folder in ([path] if isinstance(path, Address) else _folders(path))
        )
    )
    found = []
    for number, folder in enumerate(folders):
        progress(f"reading {folder.name}", number / len(folders))
        found.append(
            _opened_at(folder)
            if isinstance(folder, Address)
            else _opened(folder, scratch / f"{number:05d}")
        )
    return tuple(found)


def _folders(path: Path) -> list[Path]:
    check_folder(path)
    if _is_recording(path):
        return [path]
    inside = sorted(each for each in path.iterdir() if each.is_dir() and _is_recording(each))
    return inside or [path]


def _is_recording(path: Path) -> bool:
    return _has_store(path) or _has_store(path / _STORE) or is_there(path / LABEL)


def _has_store(path: Path) -> bool:
    try:
        Store.at(path)
    except EvidenceError:
        return False
    return True


def _opened_at(folder: Address) -> Recording:
    said = content_of(folder / LABEL)
    label = None if said is None else decode_json(said, Label, str(folder / LABEL))
    for place in (folder, folder / _STORE):
        if Store.is_at(place):
            return Recording(folder.name, folder, Store.at(place), label)
    raise EvidenceError(
        f"{folder} is no folder of tables, and holds none named {_STORE}",
        next_step="name the address of each store, or import the files into one first",
    )


def _opened(folder: Path, scratch: Path) -> Recording:
    label = read_json(folder / LABEL, Label) if is_there(folder / LABEL) else None
    for place in (folder, folder / _STORE):
        if _has_store(place):
            return Recording(folder.name, folder, Store.at(place), label)
    parts = sorted(each for each in folder.iterdir() if each.name not in (LABEL, _STORE))
    store = Store(scratch)
    done = list(import_files(parts, store)) if parts else []
    if not any(each.rows for each in done):
        raise EvidenceError(
            f"{folder} holds nothing that mprof import reads",
            next_step="name a folder that mprof import filled, or one with logs and metrics",
        )
    return Recording(folder.name, folder, store, label)
