"""Files, folders, archives and standard input, whatever they are -> jobs with their attempts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from mprof.errors import EvidenceError
from mprof.findings import Unused
from mprof.history import parse_conf, parse_history
from mprof.intake.chapters import chapters_of
from mprof.intake.gathered import Gathered
from mprof.intake.join import joined
from mprof.intake.kinds import (
    Kind,
    for_import,
    is_aggregated,
    is_checksum,
    kind_of,
    refusal_of,
)
from mprof.intake.owners import is_log_name, may_be_a_post
from mprof.intake.reported import job_of
from mprof.intake.roles import role_by_words
from mprof.intake.sections import Section, Sections
from mprof.intake.taken_in import TakenIn, together
from mprof.intake.texts import add_text
from mprof.intake.walk import Item, walk
from mprof.io.files import open_file
from mprof.trace import EVENTS_FILE, POSITION_FILE, read_trace

__all__ = ["take_in"]

_OF_AN_END: Final = re.compile(rb"OutOfMemoryError|Error from attempt_|Child Error|RECEIVED SIGNAL")
"""Of the server itself, or of a task (``TaskInProgress``, ``TaskRunner`` of Hadoop 1)."""
_LONGEST_WORD: Final = 20
_PIECE_BYTES: Final = 1 << 20
_MOST_HISTORY: Final = 1 << 30
_MOST_PACKED_HISTORY: Final = 256 << 20  # of 100,000 tasks; more of one file is a bomb
_MOST_CONF: Final = 256 << 20
_NO_TEXTS: Final = ("dump", "history", "conf")
_TEXTS: Final = ("text", "utf-16", "html")
_CAPTURE: Final = "capture.json"
_IN_A_RUN: Final = ("run.json", "job.json")
_DEEPEST: Final = 4
_OF_A_PAGE: Final = b"<h1>mprof &middot; "  # templates/base.html.j2
_OF_MPROF: Final = (
    "mprof wrote it itself, about what it had read. Next step: name the folder of the capture, "
    "that with capture.json in it"
)
_FOR_TRACES: Final = (EVENTS_FILE, POSITION_FILE)


def take_in(what: Iterable[str], progress: Callable[[str], None]) -> TakenIn:
    """Read all that is at the places named, once, and join what belongs together.

    Args:
        what: files, folders, archives, and ``-`` for standard input; each of them exists.
        progress: is told the name of what is being read.
    """
    gathered, sections = Gathered(), Sections()
    for item in walk(what, gathered.account.lose, folder=lambda path: _is_whole(path, gathered)):
        progress(item.name)
        _take(item, sections, gathered)
    last = [*sections.rest()]
    if len(last) == 1 and gathered.account.is_unused() and may_be_a_post(last[0]):
        # nothing else was read that could join what its chapters tell
        return together([joined(_of_text(one)) for one in chapters_of(last[0])])
    _add(last, gathered)
    return joined(gathered)


def _of_text(section: Section) -> Gathered:
    gathered = Gathered()
    add_text(section, gathered)
    return gathered


def _add(sections: Iterable[Section], gathered: Gathered) -> None:
    for section in sections:
        add_text(section, gathered)


def _is_whole(path: Path, gathered: Gathered) -> bool:
    """Whether a folder is one that mprof wrote, read here as a whole."""
    capture = _capture_of(path)
    if capture is not None:
        if capture not in gathered.captures:
            gathered.captures.append(capture)
            gathered.account.count("captures of mprof", str(capture))
        if capture != path:
            gathered.notes.append(f"{path} is a part of {capture}, which is read with all its runs")
        return True
    if any((path / name).is_file() for name in _FOR_TRACES):
        gathered.traces.append(read_trace(path))
        gathered.account.count("folders of attempts with events of mprof", str(path))
        return True
    return False


def _capture_of(path: Path) -> Path | None:
    """The capture that a folder is, or that it is a run or a job of; None of another folder."""
    if (path / _CAPTURE).is_file():
        return path
    if not any((path / name).is_file() for name in _IN_A_RUN):
        return None
    above = [*path.resolve().parents][:_DEEPEST]  # capture/runs/001/jobs/job_1_1
    return next((one for one in above if (one / _CAPTURE).is_file()), None)


def _is_of_mprof(item: Item) -> bool:
    """Whether a file is one that mprof wrote beside what it had read, or a page of its own."""
    if _OF_A_PAGE in item.head:
        return True
    name = item.name.rsplit("/", 1)[-1]
    return name in {_CAPTURE, *_IN_A_RUN} and item.head.lstrip().startswith(b"{")


def _take(item: Item, sections: Sections, gathered: Gathered) -> None:
    if not item.head and is_log_name(item.name):  # as standard output often is
        gathered.account.empty.append(Unused(item.name, "it is empty"))
        return
    if is_checksum(item.head, item.name):
        gathered.account.empty.append(Unused(item.name, "a checksum file of Hadoop"))
        return
    if _is_of_mprof(item):
        gathered.account.lose(item.name, _OF_MPROF)
        return
    kind = kind_of(item.head) if item.head.strip(b"\0 \t\r\n") else None
    refusal = _refusal(item, kind) if kind not in _NO_TEXTS else None
    if refusal is None and kind in _TEXTS:
        _add(sections.take(item, kind), gathered)
        return
    _add(sections.rest(), gathered)  # what was named first is told first
    if refusal is not None:
        gathered.account.lose(item.name, refusal)
    elif kind == "history":
        _take_history(item, gathered)
    elif kind == "conf":
        _take_conf(item, gathered)
    elif item.path is None:
        why = "a heap dump in an archive or on standard input: unpack it, and name the file"
        gathered.account.lose(item.name, why)
    else:
        gathered.dumps.append((item.path, item.place))
        gathered.account.count("heap dumps", item.name)


def _refusal(item: Item, kind: Kind | None) -> str | None:
    """Why a content is no text that can be read here; None where it is one."""
    if kind is None:
        return "it begins with nothing but zeros and spaces" if item.head else "it is empty"
    if kind == "refused" or is_aggregated(item.head, item.path, item.hint):
        return _about_a_cluster(item) or refusal_of(item.head, item.path, item.hint)
    return _about_a_cluster(item)


def _about_a_cluster(item: Item) -> str | None:
    """What to do with a file that belongs into a store; None for all others."""
    if (
        item.path is None
        or is_log_name(item.name)
        or role_by_words(item.head.decode("utf-8", "replace").split("\n"))
    ):
        return None
    about = for_import(item.path, item.head)
    if about in {None, "NodeManager log", "job history"} or _names_an_end(item):
        return None
    return f"{about}: it is about a cluster. Next step: mprof import it into a store"


def _names_an_end(item: Item) -> bool:
    """Whether the log of a server tells of an end, its own or that of a task, however far down."""
    if item.path is None or item.packed:
        return _OF_AN_END.search(item.head) is not None
    with open_file(item.path) as file:
        held = b""
        while piece := file.read(_PIECE_BYTES):
            if _OF_AN_END.search(held + piece):
                return True
            held = piece[-_LONGEST_WORD:]
    return False


def _take_history(item: Item, gathered: Gathered) -> None:
    most = _MOST_PACKED_HISTORY if item.packed else _MOST_HISTORY
    data = item.whole(most)
    if data is None:
        gathered.account.lose(
            item.name, f"it is larger than {most >> 20} MB, too large for a job history"
        )
        return
    try:
        history = parse_history(data, name=item.name)
    except EvidenceError as error:
        gathered.account.lose(item.name, error.what)
        return
    gathered.account.count("job histories", item.name)
    gathered.histories[history.job_id] = history


def _take_conf(item: Item, gathered: Gathered) -> None:
    data = item.whole(_MOST_CONF)
    try:
        if data is None:
            raise EvidenceError("it is too large for a job configuration", next_step="")
        conf = parse_conf(data, name=item.name)
    except EvidenceError as error:
        gathered.account.lose(item.name, error.what)
        return
    file = item.name.rsplit("/", 1)[-1]
    is_of_job = file.endswith("_conf.xml") or conf.get("mapreduce.job.id") is not None
    gathered.account.count(
        "job configurations" if is_of_job or file == "job.xml" else "configuration files", item.name
    )
    gathered.confs[job_of(item.name.rsplit("/", 1)[-1]) or conf.get("mapreduce.job.id")] = conf
