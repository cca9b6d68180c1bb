"""Data loaded before the first record, once after it, or at the death."""

from __future__ import annotations

from collections.abc import Sequence

from mprof.evidence.assemble.moments import Moment
from mprof.evidence.facts import ExternalLoad, Holder, HolderKey, OpenedFile, Series, Unknown
from mprof.evidence.thresholds import (
    CONSTANT,
    CONSTANT_POINTS,
    FILE_INFLATION,
    LARGE_OBJECT,
    MOST_OF_IT,
    STILL_THERE,
)
from mprof.objects import HeapObjects

__all__ = ["external_of", "loaded_among", "was_loaded_once"]


def external_of(
    holders: Sequence[Holder] | Unknown,
    series: Sequence[Series],
    moments: Sequence[Moment],
    opened: tuple[OpenedFile, ...],
    *,
    place: str | None,
    loading: tuple[OpenedFile, ...] | None,
    bound: int | None,
) -> ExternalLoad | Unknown | None:
    """What was loaded before R_1 or G_1, or once and never grew again.

    Args:
        holders: at death.
        series: curves of the holders, and of the live heap.
        moments: of the heap before the death.
        opened: files the task opened besides its split.
        place: where it died.
        loading: files that were being loaded at death, as `loading_of` tells.
        bound: what a collection left behind at least once after the first record, which what was
            loaded before cannot exceed; None where no collection says.
    """
    if place in {"init", "shuffle", "sort"}:
        return None
    if isinstance(holders, Unknown):
        return _bounded(bound, opened) or holders
    user = [each for each in holders if each.owner in {"user", "external"}]
    if place == "setup":
        return _load(user, "loading", opened)
    if loading is not None:
        last = max(moments, key=lambda each: each.ordinal or 0).objects if moments else None
        new = _as_much_as_came(
            [each for each in user if _is_being_loaded(each, last, series, loading)], series
        )
        if isinstance(new, Unknown):
            return new
        lasting = [each for each in new if each.lifecycle not in {"record", "group"}]
        before = [each for each in user if each.loaded_before_first_record and each not in new]
        if new:
            files = opened if before else loading or opened
            return _load([*before, *(lasting or new)], "loading", files)
    if any(each.is_before_data for each in moments):
        before = [each for each in user if each.loaded_before_first_record]
        others = [each for each in user if each not in before]
        found = loaded_among(before, others, series, opened)
        if found is None or isinstance(found, Unknown):
            return found
        return _load(found, "setup" if found is before else "once", opened)
    # What lives for one record or one group was not there before the first.
    sizes = [each.bytes for each in user if each.lifecycle not in {"record", "group"}]
    if max(sizes, default=0) < LARGE_OBJECT.value:
        return None
    return _bounded(bound, opened) or Unknown("the heap before the first record", "rerun")


def _as_much_as_came(new: list[Holder], series: Sequence[Series]) -> list[Holder] | Unknown:
    """Of holders that may be new since the last probe, those that the live heap leaves room for.

    What a collection left tells how much was live, not whose: the holders at death cannot all be
    new where the live heap has not risen by so much since.
    """
    for one in series:
        of_all = one.holder is None and one.class_name is None and not one.upper_bounds
        if not (new and of_all) or one.at_death is None or not one.points:
            continue
        last = max(one.points, key=lambda point: point.x)
        came = one.at_death.size_bytes - last.size_bytes
        if STILL_THERE.value * _sum_of(new) <= came:
            continue
        fitting = [each for each in new if STILL_THERE.value * each.bytes <= came]
        if len(fitting) != 1:
            return Unknown("what of the objects at death was being loaded", "none")
        new = fitting
    return new


def loaded_among(
    before: Sequence[Holder],
    others: Sequence[Holder],
    series: Sequence[Series],
    opened: Sequence[OpenedFile],
) -> Sequence[Holder] | Unknown | None:
    """What was loaded: before the first record, and what came in one step later if that is much.

    Args:
        before: what stood in the heap before the first record, returned where it is all.
        others: what did not.
        series: curves of the holders.
        opened: files the task opened besides its split.
    """
    lasting = [each for each in others if each.lifecycle not in {"record", "group"}]
    large = [each for each in lasting if each.bytes >= LARGE_OBJECT.value]
    once = {each.holder for each in series if was_loaded_once(each)}
    late = [each for each in large if each.key in once]
    may_be = large if any(not each.before_data for each in opened) else []
    doubtful = [
        each for each in may_be
        if each not in late and _may_be_loaded_late(each.key, series)
    ]  # fmt: skip
    is_much = _sum_of(late) >= MOST_OF_IT.value * _sum_of(before)
    if late and is_much and _sum_of([*before, *late]) > _sum_of(doubtful):
        return [*before, *late]
    if _sum_of(doubtful) > _sum_of(before):
        return Unknown("whether it was loaded after the first record", "none")
    return before or None


def _sum_of(holders: Sequence[Holder]) -> int:
    return sum(each.bytes for each in holders)


def _may_be_loaded_late(key: HolderKey, series: Sequence[Series]) -> bool:
    """Whether it may have been loaded after the first record, and too few points say.

    None of its curves shows it at another size than that which it came with: a reducer's field may
    have come in a group before G_m, and be constant since.
    """
    own = [each for each in series if each.holder == key]
    points = max((len(each.points) for each in own), default=0)
    return points < CONSTANT_POINTS.value or all(_came_at_once(each)[1] for each in own)


def _is_being_loaded(
    holder: Holder,
    last: HeapObjects | None,
    series: Sequence[Series],
    files: Sequence[OpenedFile],
) -> bool:
    """Whether a holder is what files became: not there at the last probe, and not too large.

    A class histogram may be the last probe; its points are those of the holder's curves.
    """
    if _are_too_small(files, holder.bytes):
        return False
    sizes = [
        max(one.points, key=lambda point: point.x).size_bytes
        for one in series
        if one.holder == holder.key and one.by_histogram
    ]
    if last is not None:
        sizes.append(last.bytes_at(holder.key))
    return max(sizes, default=0) < MOST_OF_IT.value * holder.bytes


def _are_too_small(files: Sequence[OpenedFile], held_bytes: int) -> bool:
    """Whether what is held cannot be what these files became: another file was read, unseen."""
    lengths = [each.length_bytes for each in files]
    known_bytes = sum(each for each in lengths if each is not None)
    return bool(files) and None not in lengths and held_bytes > FILE_INFLATION.value * known_bytes


def _bounded(bound: int | None, opened: tuple[OpenedFile, ...]) -> ExternalLoad | None:
    """No more than this can have been loaded; whose it is nobody knows."""
    return None if bound is None else ExternalLoad(bound, (), "setup", opened, "passive")


def _load(holders: Sequence[Holder], when: str, opened: tuple[OpenedFile, ...]) -> ExternalLoad:
    held_bytes = _sum_of(holders)
    return ExternalLoad(
        bytes=held_bytes,
        holders=tuple(each.key for each in holders),
        when="loading" if when == "loading" else ("once" if when == "once" else "setup"),
        opened=() if _are_too_small(opened, held_bytes) else opened,
    )


def was_loaded_once(series: Series) -> bool:
    """It jumped to its size between two points and stayed there for three or more."""
    before, constant = _came_at_once(series)
    since = len(series.points) + (series.at_death is not None) - before
    return constant and before > 0 and since >= CONSTANT_POINTS.value - 1


def _came_at_once(series: Series) -> tuple[int, bool]:
    """How many points it had before it was there, and whether it has been constant since."""
    points = sorted(series.points, key=lambda each: each.x)
    if series.at_death is not None:
        points.append(series.at_death)
    sizes = [each.size_bytes for each in points]
    top = max(sizes, default=0)
    before = next((i for i, each in enumerate(sizes) if each >= MOST_OF_IT.value * top), 0)
    constant = min(sizes[before:], default=0) >= (1 - CONSTANT.value) * top
    return before, constant and top >= LARGE_OBJECT.value
