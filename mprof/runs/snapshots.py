"""Heap dumps of an attempt; each is read once, and saved as ``snapshot-<name>.json`` beside it.

A probe's dump is deleted once its snapshot is written: nothing else is read from it. The dump at
death is kept, because people also want to open it with other tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from mprof.engines import MAPREDUCE, UserClasses
from mprof.errors import EvidenceError
from mprof.io.files import UnreadableError, read_file, replace_file
from mprof.io.json import decode_json
from mprof.io.printable import printable
from mprof.objects import SNAPSHOT_VERSION, HeapObjects, SnapshotPoint, read_objects
from mprof.trace import DumpEvent, Trace
from mprof.units import parse_long

__all__ = [
    "has_snapshot",
    "point_of",
    "read_lone_dump",
    "read_snapshots",
    "save_snapshot",
    "snapshot_file",
]

_PROBE = "probe-"
_PREFIX = "snapshot-"
_MAX_SNAPSHOT_BYTES = 64 << 20  # the largest that was seen has 60 KB: holders are a few hundred


@dataclass(frozen=True, slots=True)
class _Versioned:
    """What every version of a snapshot has."""

    version: int


def read_snapshots(
    trace: Trace,
    folder: Path,
    user_classes: UserClasses,
    on_dump: Callable[[str], None],
    *,
    keep: bool = False,
) -> tuple[tuple[HeapObjects, ...], tuple[str, ...]]:
    """The snapshots of an attempt in order of their points, and what could not be read.

    Args:
        trace: of the attempt; its dump events say at which point a dump was made.
        folder: with the files of the attempt.
        user_classes: the classes that the job's configuration names as its own.
        on_dump: called with the name of each dump before it is read.
        keep: leave the folder as it is: write nothing into it and delete nothing.
    """
    events = {event.file: event for event in trace.dumps}
    snapshots: dict[str, HeapObjects] = {}
    losses: list[str] = []
    outdated: dict[str, str] = {}
    for path in sorted(folder.glob(f"{_PREFIX}*.json")):
        try:
            content = read_file(path, limit_bytes=_MAX_SNAPSHOT_BYTES)
            version = decode_json(content, _Versioned, path).version
            if version != SNAPSHOT_VERSION:
                outdated[path.stem.removeprefix(_PREFIX)] = _outdated(path, version)
                continue
            snapshot = decode_json(content, HeapObjects, path)
        except UnreadableError as error:
            losses.append(f"{path.name} cannot be read: {error.reason}")
            continue
        snapshots[snapshot.point.name] = snapshot
    before = frozenset(snapshots)
    for dump in _dumps(folder):
        point = point_of(dump, events.get(dump.name), trace)
        if point.name in snapshots:
            if point.name in before and not keep and not point.at_death:
                dump.unlink(missing_ok=True)  # it was read while the job ran
            continue
        on_dump(dump.name)
        try:
            snapshot = read_objects(dump, user_classes=user_classes, point=point)
        except EvidenceError as error:
            losses.append(f"{dump.name}: {error.what}")
            continue
        snapshots[point.name] = snapshot
        if keep:
            continue
        saved = save_snapshot(snapshot_file(folder, point.name), snapshot)
        if saved and not point.at_death:
            dump.unlink(missing_ok=True)
    losses += [line for name, line in outdated.items() if name not in snapshots]
    ordered = sorted(snapshots.values(), key=_order)
    return tuple(ordered), tuple(losses)


def _outdated(path: Path, version: int) -> str:
    """What to say of a snapshot whose dump is gone; where it is there, it is read again."""
    return (
        f"{path.name} is of format {version}, this mprof reads format {SNAPSHOT_VERSION}, and its "
        "heap dump is no longer there. Next step: diagnose with the version of mprof that recorded "
        "it, or run the job again with mprof run or mprof rerun"
    )


def read_lone_dump(dump: Path) -> HeapObjects:
    """The snapshot of a dump without a trace; it is assumed to be the dump at death.

    Raises:
        EvidenceError: if the file is not a heap dump.
    """
    name = _name_of(dump)
    point = SnapshotPoint(name=name, at_death=True)
    return read_objects(dump, user_classes=UserClasses(MAPREDUCE), point=point)


def _dumps(folder: Path) -> Iterable[Path]:
    return sorted(p for p in folder.iterdir() if p.name.endswith((".hprof", ".hprof.gz")))


def snapshot_file(folder: Path, name: str) -> Path:
    """The file of a snapshot in the folder of its attempt."""
    return folder / f"{_PREFIX}{name}.json"


def has_snapshot(dump: Path, name: str) -> bool:
    """Whether a diagnosis takes what it needs of a dump from the snapshot beside it.

    Args:
        dump: a dump of an attempt, or a part of one.
        name: of the dump, without what stands behind its point.
    """
    point = printable(name)
    try:
        file = snapshot_file(dump.parent, point)
        content = read_file(file, limit_bytes=_MAX_SNAPSHOT_BYTES)
        snapshot = decode_json(content, HeapObjects, file)
    except UnreadableError:
        return False
    return snapshot.version == SNAPSHOT_VERSION and snapshot.point.name == point


def point_of(dump: Path, event: DumpEvent | None, trace: Trace) -> SnapshotPoint:
    """The moment that a dump shows."""
    name = _name_of(dump)
    if event is None and name.startswith(_PROBE):
        return _named_point(name)
    at_death = event is None or event.is_of_death
    at = event.at if event is not None else trace.position
    if at is None:
        return SnapshotPoint(name=name, at_death=at_death)
    return SnapshotPoint(
        name=name,
        at_death=at_death,
        record=at.records_in,
        group=at.group,
        record_in_group=at.record_in_group,
    )


def _name_of(dump: Path) -> str:
    """The name of a dump's point; bytes of the file's name that are not UTF-8 are written out."""
    return printable(dump.name.removesuffix(".gz").removesuffix(".hprof"))


def _named_point(name: str) -> SnapshotPoint:
    """The point in a probe's name, for a dump whose event is missing: the task died right after."""
    kind, *ordinals = name.removeprefix(_PROBE).split("-")
    numbers = [number for word in ordinals if (number := parse_long(word)) is not None]
    if kind == "before_record" and len(numbers) == 1:
        return SnapshotPoint(name=name, record=numbers[0])
    if kind == "before_group" and len(numbers) == 1:
        return SnapshotPoint(name=name, group=numbers[0])
    if kind == "in_group" and len(numbers) == 2:
        return SnapshotPoint(name=name, group=numbers[0], record_in_group=numbers[1])
    return SnapshotPoint(name=name)


def _order(snapshot: HeapObjects) -> tuple[bool, int, int, int]:
    point = snapshot.point
    return (point.at_death, point.group or 0, point.record or 0, point.record_in_group or 0)


def save_snapshot(path: Path, snapshot: HeapObjects) -> bool:
    """Write a snapshot, whole or not at all; False where it cannot be written."""
    try:
        replace_file(path, msgspec.json.format(msgspec.json.encode(snapshot), indent=1))
    except OSError:  # no permission or no space: the dump is read again next time
        return False
    return True
