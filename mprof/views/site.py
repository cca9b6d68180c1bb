"""From tables, captures and detectors to the pages in a folder."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow.compute as pc

from mprof.errors import EvidenceError, UsageError
from mprof.io.files import UnreadableError
from mprof.peers.findings import find_sick_nodes
from mprof.runs import Observer
from mprof.sources.remote import brought
from mprof.store import Store
from mprof.triage import Finding, cluster_of
from mprof.views.alarms import Alarms
from mprof.views.memory import FOLDER, captures_in, write_memory_pages
from mprof.views.page_files import PAGE, PARTS, Site, write_site
from mprof.views.picture import picture_of
from mprof.views.server import STAMP

__all__ = ["Made", "Wanted", "check_folder", "make_site"]

_MARK: Final = "mprof-view.txt"
_MARK_TEXT: Final = "pages of mprof view\n"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the pages are made of.

    Attributes:
        name: of the cluster, for headings.
        captures: folders with captures whose diagnoses failed attempts are to open.
        alarms: whether the detectors are asked.
        live: the pages ask for newer ones; told a stamp of what they were made of.
    """

    name: str
    captures: tuple[Path, ...] = ()
    alarms: bool = True
    live: str | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """What was made.

    Attributes:
        jobs, nodes, attempts: numbers of them.
        findings: that fire or cannot tell.
        diagnoses: failed attempts that open a memory diagnosis.
        not_read: captures and histories that could not be diagnosed, and why.
    """

    jobs: int
    nodes: int
    attempts: int
    findings: tuple[Finding, ...]
    diagnoses: int
    not_read: tuple[str, ...]


def check_folder(folder: Path) -> None:
    """See that pages may be written into a folder: a new one, an empty one, or one with pages.

    Raises:
        UsageError: if it holds anything else, or is a link, which may lead to what is not the
            user's to replace.
    """
    if folder.is_symlink():
        raise UsageError(
            f"{folder} is a link, and pages are not written through one",
            next_step="name the folder that it leads to with -o",
        )
    if folder.is_dir():
        mark = folder / _MARK
        if (mark.is_file() and not mark.is_symlink()) or not any(folder.iterdir()):
            return
    elif not folder.exists():
        return
    raise UsageError(
        f"{folder} holds other things than pages of mprof view",
        next_step="choose a new folder with -o",
    )


def make_site(store: Store, folder: Path, wanted: Wanted, observer: Observer) -> Made:
    """Write the pages.

    Raises:
        EvidenceError: if the tables tell of no attempt on any node, or a folder of captures has
            none.
        UsageError: if the folder holds something else, or cannot be made.
    """
    check_folder(folder)
    observer.stage("reading the jobs and attempts")
    cluster = cluster_of(store)
    if cluster.attempts.empty:
        raise EvidenceError(
            "there is no attempt of a map or reduce task, so that there is nothing to show",
            next_step="import job histories or job traces: mprof import FILES --store DIR",
        )
    captures = [capture for path in wanted.captures for capture in _captures(path)]
    nodes = None
    if wanted.alarms:
        observer.stage("comparing the nodes")
        nodes = find_sick_nodes(store)
    picture = picture_of(cluster, nodes)
    alarms = None if nodes is None else Alarms(nodes.looks)
    with _put_in_place(folder) as beside:
        observer.stage("diagnosing failed attempts")
        with tempfile.TemporaryDirectory(prefix="mprof-") as copies:
            histories, not_copied = _histories(store, Path(copies))
            memory = write_memory_pages([*captures, *histories], beside, observer)
        observer.stage(f"writing the pages into {folder}")
        site = Site(wanted.name, picture, alarms, memory.of_attempts, wanted.live)
        write_site(site, beside)
        if wanted.live is not None:
            (beside / STAMP).write_text(wanted.live, encoding="ascii")
    return Made(
        jobs=len(picture.jobs),
        nodes=len(picture.hosts),
        attempts=len(picture.attempts),
        findings=picture.findings,
        diagnoses=len(memory.of_attempts),
        not_read=(*not_copied, *memory.not_read),
    )


def _captures(path: Path) -> Sequence[Path]:
    found = captures_in(path)
    if not found:
        raise EvidenceError(
            f"there is no capture in {path}", next_step="name a folder that mprof run wrote"
        )
    return found


def _histories(store: Store, copies: Path) -> tuple[list[Path], list[str]]:
    """The histories, where they still are, of jobs of which an attempt failed.

    Args:
        store: that knows where they are.
        copies: a folder for copies of those of other file systems.

    Returns:
        The files, and what could not be copied, and why.
    """
    failed = store.read("attempts", columns=["job"], rows=pc.field("state") == "failed")
    found, faults = [], []
    for place in store.job_histories(failed["job"]):
        try:
            found.append(brought(place, copies))
        except UnreadableError as error:
            faults.append(error.what)
    return found, faults


@contextlib.contextmanager
def _put_in_place(folder: Path) -> Iterator[Path]:
    """A folder for new pages, which take the place of the old ones once the block has ended.

    Until then who looks at the old pages finds all of them. Each takes the place of what has its
    name, which may be a link that somebody has put there: nothing is written through one.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=".making-", dir=folder))
        (beside / _MARK).write_text(_MARK_TEXT, encoding="utf-8")
        (beside / _MARK).replace(folder / _MARK)
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written: {error.strerror}", next_step="choose another folder"
        ) from error
    try:
        yield beside
        for name in (*PARTS, FOLDER):
            _remove(folder / name)
            if (beside / name).is_dir():
                (beside / name).rename(folder / name)
        (beside / PAGE).replace(folder / PAGE)
        if (beside / STAMP).is_file():
            (beside / STAMP).replace(folder / STAMP)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _remove(path: Path) -> None:
    """Remove a folder with all in it; of a link the link alone."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    else:
        shutil.rmtree(path, ignore_errors=True)
