"""The large holders of the heap at death, and its live bytes by owner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from mprof.code_site import CodeSite
from mprof.engines import MAPREDUCE
from mprof.evidence.assemble.moments import Moment
from mprof.evidence.facts import Composition, Holder
from mprof.evidence.thresholds import LARGE_OBJECT, LEAST_HOLDER, STILL_THERE
from mprof.history import JobConf
from mprof.objects import HeapObjects, holder_in_words, path_in_words
from mprof.objects import Holder as HeapHolder

__all__ = ["called_methods", "composition_of", "holders_of", "with_called_methods"]

_LOADED_BY_USERS: Final = ("user", "library")
"""Owners of what user code may have loaded before the data."""

_MOST_HOLDERS: Final = 50
"""Holders that are kept, the largest."""


def called_methods(conf: JobConf | None) -> dict[str, str]:
    """Class of the job -> the method the framework calls it by for each record or group."""
    if conf is None:
        return {}
    properties = MAPREDUCE.class_properties.items()
    return {name: method for key, method in properties if method and (name := conf.get(key))}


def holders_of(
    death: HeapObjects,
    moments: Sequence[Moment],
    *,
    in_setup: bool,
) -> tuple[Holder, ...]:
    """The large holders at death, the record in flight among them whatever its size.

    Args:
        death: the dump at death.
        moments: the dumps before it.
        in_setup: no record had been handed to user code.
    """
    first = next((each.objects for each in moments if each.is_before_data), None)
    listed = [
        each
        for each in death.holders
        if each.bytes >= LEAST_HOLDER.value or each.owner == "record_in_flight"
    ]
    # Of a program that runs no task the heap is all there is: it is named as `mprof heap` names it.
    words = holder_in_words if death.side == "unknown" else path_in_words
    return tuple(
        _holder(each, words(each), first, in_setup=in_setup) for each in listed[:_MOST_HOLDERS]
    )


def with_called_methods(holders: Iterable[Holder], called: Mapping[str, str]) -> tuple[Holder, ...]:
    """The holders, a field of the mapper or reducer with the method that is called for each record.

    Between two calls of map() or reduce() no user frame stands on the stack, and none may have
    been seen at another death either; the line is not known then.

    Args:
        holders: at death.
        called: as `called_methods`.
    """
    return tuple(
        replace(each, site=CodeSite(each.key.class_name, called[each.key.class_name]))
        if _is_field_of(each, called)
        else each
        for each in holders
    )


def _is_field_of(holder: Holder, called: Mapping[str, str]) -> bool:
    return (
        holder.site is None
        and holder.key.kind == "field"
        and holder.lifecycle in {"map", "reduce"}
        and holder.key.class_name in called
    )


def _holder(holder: HeapHolder, path: str, first: HeapObjects | None, *, in_setup: bool) -> Holder:
    loaded = _loaded_before(holder, first, in_setup=in_setup)
    return Holder(
        key=holder.key,
        owner="external" if loaded else holder.owner,
        lifecycle=holder.lives_for,
        class_name=holder.class_name,
        path=path,
        bytes=holder.bytes,
        site=holder.site,
        length=holder.length,
        element_class=holder.element_class,
        doubling=holder.doubling,
        loaded_before_first_record=loaded,
        script=holder.script,
        in_writing=_is_in_writing(holder),
        in_initializer=_is_in_initializer(holder),
        of_several=holder.frames > 1 or (holder.copies > 1 and holder.owner != "writer"),
        spare_bytes=holder.spare_bytes,
    )


def _is_in_initializer(holder: HeapHolder) -> bool:
    """Whether a static field is filled by the initializer of its class, which stands on a stack."""
    is_static = holder.key.kind == "static"
    return is_static and holder.site is not None and holder.site.method == "<clinit>"


def _is_in_writing(holder: HeapHolder) -> bool:
    """Whether it is the bytes of a record that user code emits, and no compressor or encoder."""
    is_bytes = holder.key.kind == "buffer" and holder.element_class == "byte"
    return is_bytes and holder.site is not None


def _loaded_before(holder: HeapHolder, first: HeapObjects | None, *, in_setup: bool) -> bool | None:
    if holder.owner not in _LOADED_BY_USERS:
        return None
    if in_setup or holder.lifecycle == "setup":
        return True
    if first is None:
        return None
    before = first.bytes_at(holder.key)
    return before >= LARGE_OBJECT.value and before >= STILL_THERE.value * holder.bytes


def composition_of(death: HeapObjects, holders: Iterable[Holder]) -> Composition:
    """Live bytes by owner; external data is memory of the user's, or of libraries', loaded before.

    Before the data, that is; the static field of a library is filled by what user code calls.
    """
    external = [each for each in holders if each.owner == "external"]
    of_library = sum(each.bytes for each in external if _is_librarys(each, death))
    loaded = {
        "user": min(sum(each.bytes for each in external) - of_library, death.bytes_of("user")),
        "library": min(of_library, death.bytes_of("library")),
    }
    return Composition(
        framework_bytes=death.bytes_of("framework"),
        record_bytes=death.bytes_of("record_in_flight"),
        output_bytes=death.bytes_of("record_being_written"),
        serialization_bytes=death.bytes_of("serialization"),
        external_bytes=sum(loaded.values()),
        user_bytes=death.bytes_of("user") - loaded["user"],
        other_bytes=death.bytes_of("other"),
        shuffle_bytes=death.shuffle_bytes,
        writer_bytes=death.bytes_of("writer"),
        reader_bytes=death.bytes_of("reader"),
        library_bytes=death.bytes_of("library") - loaded["library"],
    )


def _is_librarys(holder: Holder, death: HeapObjects) -> bool:
    """Whether a library's static field holds it, whenever it was loaded."""
    return any(each.key == holder.key and each.owner == "library" for each in death.holders)
