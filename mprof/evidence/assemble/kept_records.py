"""What looks like the record in flight to the heap, and is of more records than that one.

Hadoop hands out one key object and one value object again and again and has them read each record
anew (``ReduceContextImpl.nextKeyValue``, ``WritableDeserializer.deserialize``). A ``readFields()``
that adds to a collection and never clears it makes an object of all records so far, which is a
result that accumulates. And a record reader may take in far more than its next record: all of its
split, before it hands out the first (``RecordReader.initialize``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mprof.engines import MAPREDUCE, Lifecycle, is_jdk_class
from mprof.evidence.assemble.live_heap import LiveBefore
from mprof.evidence.assemble.moments import Moment
from mprof.evidence.facts import RecordSizes, Unknown, known
from mprof.evidence.thresholds import (
    LARGE_OBJECT,
    MOST_OF_IT,
    RECORD_INFLATION,
    WHOLE_COLLECTION,
)
from mprof.objects import HeapObjects, Holder, HolderKey, LifecycleBytes

__all__ = ["with_kept_records"]


def with_kept_records(
    moments: tuple[Moment, ...],
    death: HeapObjects,
    *,
    place: str | None,
    records: RecordSizes | Unknown | None,
    before: LiveBefore,
) -> tuple[tuple[Moment, ...], HeapObjects]:
    """The heap at every moment, with such an object as memory of the user that lives on.

    It is one where it holds far more than any one record can become, and held most of that before
    R_n was read; a collection, where no record was asked for yet.

    Args:
        moments: before the death.
        death: the heap at death.
        place: where it died.
        records: sizes of R_n and of those before it; where they are not known nothing changes.
        before: what was live before R_n, for want of moments.
    """
    largest = _largest_record(records)
    kept = frozenset(
        each.key
        for each in death.holders
        if each.owner == "record_in_flight" and each.bytes >= LARGE_OBJECT.value
        if (place in {"init", "setup"} and _is_collection(each))
        or (
            largest is not None
            and each.bytes >= RECORD_INFLATION.value * largest
            and (_is_collection(each) or _is_own_class(each))
            and _was_there(each, moments, death, before)
        )
    )
    if not kept:
        return moments, death
    return (
        tuple(replace(each, objects=_owned_by_user(each.objects, kept)) for each in moments),
        _owned_by_user(death, kept),
    )


def _is_own_class(holder: Holder) -> bool:
    """Whether it is a key or value of a class of the job or of a library of its own.

    The readFields() of the engine's classes is known to begin anew; their buffers grow to the
    largest record.
    """
    if not holder.key.is_reused_record or not holder.path:
        return False
    class_name = holder.path[0].class_name
    return not class_name.startswith(MAPREDUCE.package) and not is_jdk_class(class_name)


def _is_collection(holder: Holder) -> bool:
    """Whether a reader holds it, and it is of many objects; a key or a value is one record."""
    many = (holder.length or 0) >= WHOLE_COLLECTION.value and holder.element_class is not None
    return many and not holder.key.is_reused_record


def _largest_record(records: RecordSizes | Unknown | None) -> int | None:
    """Bytes of the largest record that was ever read; None where one is not known."""
    sizes = None if records is None else known(records)
    before = known(sizes.before) if sizes is not None else None
    if sizes is None or before is None or before.count == 0:
        return None
    last = known(sizes.bytes)
    if last is None and not sizes.being_read:
        return None
    return max(round(before.largest), last or 0)


def _was_there(
    holder: Holder, moments: Sequence[Moment], death: HeapObjects, before: LiveBefore
) -> bool:
    """Whether most of it was live before R_n, in a dump or as a collection left it behind."""
    if moments:
        last = max(each.objects.bytes_at(holder.key) for each in moments)
        return last >= MOST_OF_IT.value * holder.bytes
    if before.record is None:
        return False
    return death.live_bytes - before.record < MOST_OF_IT.value * holder.bytes


def _owned_by_user(objects: HeapObjects, keys: frozenset[HolderKey]) -> HeapObjects:
    """The same heap, with these holders owned by the user for as long as the task lives."""
    lifecycle: Lifecycle = "map" if objects.side == "map" else "reduce"
    moved = [each for each in objects.holders if each.key in keys]
    size = sum(each.bytes for each in moved)
    lives = {each.lifecycle: each.bytes for each in objects.lifecycles}
    lives[lifecycle] = lives.get(lifecycle, 0) + size
    change = {"user": size, "record_in_flight": -size}
    return replace(
        objects,
        holders=tuple(
            replace(each, owner="user", lifecycle=lifecycle) if each in moved else each
            for each in objects.holders
        ),
        owners=tuple(
            replace(each, bytes=each.bytes + change.get(each.owner, 0)) for each in objects.owners
        ),
        lifecycles=tuple(LifecycleBytes(name, held) for name, held in sorted(lives.items())),
    )
