"""The heap at death as facts: who owns it, which holders are large, on which stack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mprof.code import CodeSite
from mprof.engines import LIFECYCLES, MAPREDUCE, Engine, Lifecycle
from mprof.evidence.assemble_choice import (
    BEFORE_GROUP,
    BEFORE_RECORD,
    IN_GROUP,
    Moment,
)
from mprof.evidence.facts import Composition, Holder, Owner
from mprof.history import JobConf
from mprof.objects import (
    LARGE_OBJECT_BYTES,
    HeapObjects,
    HolderKey,
    StackFrame,
    path_in_words,
)
from mprof.objects import Holder as HeapHolder

__all__ = [
    "LEAST_HOLDER_BYTES",
    "bytes_of",
    "called_methods",
    "composition_of",
    "first_moment",
    "holders_of",
    "lifecycle_of",
    "shuffle_bytes",
    "stack_of",
    "user_bytes",
]

_OWNERS: Final[Mapping[str, Owner]] = {
    "framework": "framework",
    "record_in_flight": "record_in_flight",
    "record_being_written": "record_being_written",
    "serialization": "serialization",
    "user": "user",
    "other": "other",
}
LEAST_HOLDER_BYTES: Final = 1024 * 1024
_MOST_HOLDERS: Final = 50
_STILL_THERE: Final = 0.8
"""What was loaded before R_1 is at death at most a quarter larger: else it grew with the data."""


def composition_of(death: HeapObjects, external: Iterable[Holder]) -> Composition:
    """Live bytes by owner; external data is user memory that was loaded before the data."""
    sizes = {owner: death.bytes_of(owner) for owner in ("framework", "user", "other")}
    loaded = min(sum(each.bytes for each in external), sizes["user"])
    return Composition(
        framework_bytes=sizes["framework"],
        record_bytes=death.bytes_of("record_in_flight"),
        output_bytes=death.bytes_of("record_being_written"),
        serialization_bytes=death.bytes_of("serialization"),
        external_bytes=loaded,
        user_bytes=sizes["user"] - loaded,
        other_bytes=sizes["other"],
        shuffle_bytes=shuffle_bytes(death),
    )


def shuffle_bytes(objects: HeapObjects) -> int:
    """Map output that a reducer's heap holds, in whichever state."""
    return sum(each.bytes for each in objects.framework if each.part.startswith("shuffle_"))


def called_methods(conf: JobConf | None, engine: Engine = MAPREDUCE) -> dict[str, str]:
    """Class of the job -> the method the framework calls it by for each record or group."""
    if conf is None:
        return {}
    properties = engine.class_properties.items()
    return {name: method for key, method in properties if method and (name := conf.get(key))}


def holders_of(
    death: HeapObjects,
    moments: Sequence[Moment],
    *,
    in_setup: bool,
    called: Mapping[str, str],
) -> tuple[Holder, ...]:
    """The large holders at death, the record in flight among them whatever its size.

    Args:
        death: the dump at death.
        moments: the dumps before it.
        in_setup: no record had been handed to user code.
        called: as `called_methods`.
    """
    first = first_moment(moments)
    listed = [
        each
        for each in death.holders
        if each.bytes >= LEAST_HOLDER_BYTES or each.owner == "record_in_flight"
    ]
    return tuple(
        _holder(each, first, in_setup=in_setup, called=called) for each in listed[:_MOST_HOLDERS]
    )


def _holder(
    holder: HeapHolder, first: HeapObjects | None, *, in_setup: bool, called: Mapping[str, str]
) -> Holder:
    loaded = _loaded_before(holder, first, in_setup=in_setup)
    owner = _OWNERS[holder.owner]
    return Holder(
        key=holder.key,
        owner="external" if owner == "user" and loaded else owner,
        lifecycle=lifecycle_of(holder),
        class_name=holder.class_name,
        path=path_in_words(holder),
        bytes=holder.bytes,
        site=_site(holder, called),
        length=holder.length,
        element_class=holder.element_class,
        doubling=holder.doubling,
        loaded_before_first_record=loaded,
    )


def _site(holder: HeapHolder, called: Mapping[str, str]) -> CodeSite | None:
    """The blamed frame; between two calls of map() or reduce() none stands on the stack.

    A field of the mapper or reducer itself is then the method's that is called for each record or
    group; the line is not known.
    """
    if holder.site is not None:
        return holder.site
    owner = holder.key.class_name
    if holder.key.kind == "field" and holder.lifecycle in {"map", "reduce"} and owner in called:
        return CodeSite(owner, called[owner])
    return None


def _loaded_before(holder: HeapHolder, first: HeapObjects | None, *, in_setup: bool) -> bool | None:
    if holder.owner != "user":
        return None
    if in_setup or holder.lifecycle == "setup":
        return True
    if first is None:
        return None
    before = bytes_of(first, holder.key)
    return before >= LARGE_OBJECT_BYTES and before >= _STILL_THERE * holder.bytes


def lifecycle_of(holder: HeapHolder) -> Lifecycle | None:
    """How long it lives, None where the dump cannot say."""
    return next((one for one in LIFECYCLES if one == holder.lifecycle), None)


def stack_of(death: HeapObjects | None, logged: Sequence[CodeSite]) -> tuple[StackFrame, ...]:
    """The dying thread, top first: from the dump with bytes, else from the logs without."""
    if death is not None and death.frames and death.oom_thread is not None:
        return death.frames
    return tuple(StackFrame(each.class_name, each.method, each.file, each.line) for each in logged)


def user_bytes(objects: HeapObjects) -> int:
    """Memory of user code: what it keeps and what it is writing."""
    return objects.bytes_of("user") + objects.bytes_of("record_being_written")


def bytes_of(objects: HeapObjects, key: HolderKey) -> int:
    """Bytes of a holder; one that is not listed held next to nothing."""
    return next((each.bytes for each in objects.holders if each.key == key), 0)


def first_moment(moments: Sequence[Moment]) -> HeapObjects | None:
    """The heap before R_1 or G_1."""
    for moment in moments:
        first = moment.ordinal == 1 and (
            moment.point in {BEFORE_RECORD, BEFORE_GROUP}
            or (moment.point == IN_GROUP and moment.group == 1)
        )
        if first:
            return moment.objects
    return None
