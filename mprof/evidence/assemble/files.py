"""The files that the attempt opened, and those that it was loading when it died."""

from __future__ import annotations

from itertools import zip_longest
from typing import Final

from mprof.dataflow import split_of
from mprof.evidence.facts import OpenedFile
from mprof.history import JobConf
from mprof.trace import Position as TracePosition
from mprof.trace import Trace
from mprof.trace.events import Open
from mprof.units import parse_long

__all__ = ["loading_of", "opened_of"]

_CACHE_FILES: Final = "mapreduce.job.cache.files"
_CODE: Final = (".jar", ".class")  # -libjars are files of the cache too


def opened_of(trace: Trace, conf: JobConf | None) -> tuple[OpenedFile, ...]:
    """Files opened besides the split, then the job's cached files that nobody saw opened."""
    split = split_of(trace)
    files = _listed(conf, _CACHE_FILES)
    seen: dict[str, OpenedFile] = {}
    for each in _opened_by_user_code(trace):
        if split is not None and each.path == split.path:
            continue
        before = each.at is not None and not _is_at_a_record(each.at)
        seen[each.path] = OpenedFile(each.path, each.length, before_data=before)
    opened = {_name(path) for path in seen}
    sizes = _listed(conf, _CACHE_FILES + ".filesizes")
    for path, size in zip_longest(files, sizes[: len(files)]):
        if _name(path) not in opened and not path.endswith(_CODE):
            length = parse_long(size)
            path = path.partition("#")[0]
            seen[path] = OpenedFile(path, length, seen=False)
    return tuple(seen.values())


def loading_of(trace: Trace, place: str | None) -> tuple[OpenedFile, ...] | None:
    """The files that user code was loading when it died; None where it was loading none.

    In setup(), the combiner's too, whatever it has opened. Later, files that it opened while the
    record in flight was processed, if it opened none for a record before: a table that the first
    call loads, or the first that needs it. Code that opens a file a record loads no external data.
    """
    at = trace.position
    if place == "setup" or (place == "combine" and at and at.in_combine and _in_its_setup(at)):
        return ()
    if at is None or place not in {"map", "reduce", "combine"}:
        return None
    during = [
        each for each in _opened_by_user_code(trace)
        if each.at is not None and _is_at_a_record(each.at)
    ]  # fmt: skip
    if not during or any(_record_of(each.at, place) != _record_of(at, place) for each in during):
        return None
    return tuple(OpenedFile(each.path, each.length) for each in during)


def _opened_by_user_code(trace: Trace) -> tuple[Open, ...]:
    """Without the task's own spills and merges."""
    own = trace.attempt_id
    return tuple(each for each in trace.of(Open) if own is None or own not in each.path)


def _is_at_a_record(at: TracePosition) -> bool:
    return bool(at.records_in or at.combine_records_in)


def _in_its_setup(at: TracePosition) -> bool:
    """Whether the combiner has not met a group of its pass yet."""
    return not at.combine_group and not at.combine_records_in


def _record_of(at: TracePosition | None, place: str) -> tuple[int | None, ...]:
    if at is None:
        return ()
    if place == "combine":
        return (at.combine_call, at.combine_group, at.combine_records_in)
    return (at.records_in,)


def _listed(conf: JobConf | None, name: str) -> list[str]:
    return [entry for entry in ((conf.get(name) if conf else None) or "").split(",") if entry]


def _name(path: str) -> str:
    return path.partition("#")[0].rpartition("/")[2]
