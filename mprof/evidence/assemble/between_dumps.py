"""Sizes of holders at points where the probe was a class histogram, read by the dumps around it.

A class histogram says what each class takes, not who holds it. The dump before it and the one after
it say what of those classes is *not* the holder's: where both say nearly the same, that is what it
was in between, and the rest of the histogram is the holder's.

    size(x) = sum over the holder's classes of (bytes in the histogram - bytes of others)

What others hold is taken to lie between its values in the two dumps; where that leaves the size
open by more than `OPEN`, nothing is said. A sort buffer beside a map of strings is no obstacle,
because it is as large before as after; a second holder of the same classes that grows too is one.

What comes and goes between the dumps, such as a record in flight, refutes that. It shows where the
size comes out below zero or above both dumps, or where the classes that nobody else has do not say
the same; then nothing is said either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from mprof.engines import stable_name
from mprof.evidence.assemble.moments import Moment
from mprof.evidence.thresholds import OPEN, OPEN_OF_HEAP
from mprof.objects import HeapObjects, Holder, HolderKey
from mprof.trace import Trace
from mprof.trace.events import Histogram

__all__ = ["BetweenDumps", "between_dumps"]

_PROBE = "probe"


@dataclass(frozen=True, slots=True)
class BetweenDumps:
    """One point of the plan at which a class histogram was made, and the dumps around it.

    Attributes:
        point: name of the plan's point.
        ordinal: of the record or group about to be handed over, or bytes read.
        group: ordinal of the group for points inside one.
        records: taken in by then, None where no event tells.
        histogram: bytes by class.
        total_bytes: of all classes.
        before: the heap at the nearest dump before it; None where there is none.
        after: the heap at the nearest dump after it, that at death among them.
    """

    point: str | None
    ordinal: int | None
    group: int | None
    records: int | None
    histogram: Mapping[str, int]
    total_bytes: int
    before: HeapObjects | None
    after: HeapObjects

    def bytes_at(self, key: HolderKey) -> int | None:
        """What a holder held, None where the dumps around it leave that open."""
        last = _holder(self.after, key)
        first = _holder(self.before, key) if self.before is not None else None
        classes = {each.class_name for one in (first, last) if one for each in one.classes}
        if last is None or not classes:
            return None
        listed = sum(each.bytes for each in last.classes)
        if listed < (1 - OPEN.value) * last.bytes:
            return None  # it is of many small classes, which a histogram may not list
        # Where no dump is earlier, others may have had none of these classes.
        others = (
            _others(self.before, first, classes) if self.before is not None else {},
            _others(self.after, last, classes),
        )
        total = sum(self.histogram.get(name, 0) for name in classes)
        least = total - sum(max(each.get(name, 0) for each in others) for name in classes)
        most = total - sum(min(each.get(name, 0) for each in others) for name in classes)
        larger = max(one.bytes for one in (first, last) if one is not None)
        open_bytes = OPEN.value * larger
        size = fmean((least, most)) * last.bytes / listed
        if most - least > open_bytes or not -open_bytes <= size <= larger + open_bytes:
            return None
        alone = self._by_its_own_classes(last, others)
        if alone is not None and abs(alone - size) > open_bytes:
            return None
        return max(0, round(size))

    def _by_its_own_classes(
        self, last: Holder, others: Iterable[Mapping[str, int]]
    ) -> float | None:
        """The size by the classes that nobody else has; None where those are few of its bytes."""
        own = {
            each.class_name: each.bytes
            for each in last.classes
            if all(one.get(each.class_name, 0) <= OPEN.value * each.bytes for one in others)
        }
        size = sum(own.values())
        if size < OPEN.value * last.bytes:
            return None
        return sum(self.histogram.get(name, 0) for name in own) * last.bytes / size

    @property
    def user_bytes(self) -> int | None:
        """Memory of user code: the live heap without what is not the user's; None where open."""
        if self.before is None:
            return None
        dumps = (self.before, self.after)
        others = [each.live_bytes - each.user_bytes for each in dumps]
        open_bytes = OPEN_OF_HEAP.value * self.after.live_bytes
        size = self.total_bytes - fmean(others)
        most = max(each.user_bytes for each in dumps)
        if max(others) - min(others) > open_bytes or not -open_bytes <= size <= most + open_bytes:
            return None
        return None if self._is_refuted(size, open_bytes) else max(0, round(size))

    def _is_refuted(self, user_bytes: float, open_bytes: float) -> bool:
        """Whether the largest holder's own size leaves the rest no room, or far too much."""
        main = max(self.after.holders, key=lambda each: each.bytes, default=None)
        size = self.bytes_at(main.key) if main is not None else None
        if main is None or size is None:
            return False
        rests = [
            each.user_bytes - each.bytes_at(main.key)
            for each in (self.before, self.after)
            if each is not None
        ]
        open_bytes = max(open_bytes, OPEN.value * main.bytes)
        rest = user_bytes - size
        return not min(rests) - open_bytes <= rest <= max(rests) + open_bytes


def between_dumps(
    trace: Trace, moments: Sequence[Moment], death: HeapObjects | None
) -> tuple[BetweenDumps, ...]:
    """The points of an attempt at which a class histogram was made, where a dump came later.

    Args:
        trace: of the attempt.
        moments: its dumps before the death, owners decided.
        death: the heap at death, owners decided.
    """
    readable = [each for each in moments if each.n is not None and each.objects.classes]
    dumps = sorted(((each.n or 0, each.objects) for each in readable), key=lambda each: each[0])
    return tuple(
        found
        for event in trace.of(Histogram)
        if event.reason == _PROBE
        if (found := _between(event, dumps, death)) is not None
    )


def _between(
    event: Histogram, dumps: Sequence[tuple[int, HeapObjects]], death: HeapObjects | None
) -> BetweenDumps | None:
    before = [objects for n, objects in dumps if n < event.n]
    after = [objects for n, objects in dumps if n > event.n]
    following = after[0] if after else death
    if following is None or not following.classes or event.total_bytes is None:
        return None
    sizes: dict[str, int] = {}
    for name, _, size in event.classes:
        stable = stable_name(name)
        sizes[stable] = sizes.get(stable, 0) + size
    return BetweenDumps(
        point=event.point,
        ordinal=event.ordinal,
        group=event.group,
        records=event.at.records_in if event.at is not None else None,
        histogram=sizes,
        total_bytes=event.total_bytes,
        before=before[-1] if before else None,
        after=following,
    )


def _holder(objects: HeapObjects, key: HolderKey) -> Holder | None:
    return next((each for each in objects.holders if each.key == key), None)


def _others(objects: HeapObjects, holder: Holder | None, classes: Iterable[str]) -> dict[str, int]:
    """What others than the holder have of its classes in one dump."""
    of_heap = {each.class_name: each.bytes for each in objects.classes}
    own = {each.class_name: each.bytes for each in holder.classes} if holder is not None else {}
    return {name: max(0, of_heap.get(name, 0) - own.get(name, 0)) for name in classes}
