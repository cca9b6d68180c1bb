"""The heap at death: what it held, the stack that reached it, and how it grew."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

from mprof.code_site import CodeSite
from mprof.diagnosed import ReadCode
from mprof.diagnosis import Diagnosed
from mprof.engines import MAPREDUCE, UserClasses
from mprof.evidence import Evidence, Lifecycle, Owner, Point, Series, Source, Unit, known
from mprof.evidence import StackFrame as FrameFacts
from mprof.patterns import Growing
from mprof.patterns import Item as ItemFacts
from mprof.patterns.account import ItemKind, account_of_live_heap
from mprof.report.published.base import Published
from mprof.report.published.cause import CodeLine, Method, lines_of

__all__ = ["Account", "Curve", "CurvePoint", "Item", "StackFrame", "curves_of"]

_BY_NAME: Final = UserClasses(MAPREDUCE)

MOST_CURVES: Final = 3
"""Curves; a fourth could not be told from the others in one small picture."""

_NEAREST_FIRST: Final[dict[Source, int]] = {"dump": 0, "histogram": 1, "passive": 2}
"""A dump measures one object, a histogram its class, a collection only the whole live heap."""


_OF_OBJECTS: Final = ("owner", "lifecycle", "path", "class_name", "element_class", "length", "site",
                      "growth", "filled_by")  # fmt: skip


class Item(Published, frozen=True, kw_only=True):
    """One line of the account; what only an object has is null for the others.

    Attributes:
        share: of capacity_bytes, of live_bytes where that is not known.
        class: of the container in which the memory stands.
        element_class: of most of its elements.
        length: elements, characters or bytes in it.
        site: the method that holds it.
        growth: how it grows with the data, in words; null where that was not measured.
        filled_by: lines that add to it; null where no code is at hand that tells.
        of_several: several objects hold it together, and `length` is that of the largest.
        spare_bytes: of its array, in no use: larger contents left it, or it was made so large.
    """

    kind: ItemKind
    bytes: int
    share: float
    owner: Owner | None
    lifecycle: Lifecycle | None
    path: str | None
    class_name: str | None = field(name="class")
    element_class: str | None
    length: int | None
    site: Method | None
    growth: str | None
    filled_by: tuple[CodeLine, ...] | None
    of_several: bool = False
    spare_bytes: int = 0

    @classmethod
    def of(cls, item: ItemFacts, grown: list[Growing], code: ReadCode) -> Item:
        """The line of one object, or of memory that is named by its kind alone."""
        holder = item.holder
        if holder is None:
            return cls.taken(item, **dict.fromkeys(_OF_OBJECTS), of_several=False, spare_bytes=0)
        told = (one.complexity_of(holder.key) for one in grown)
        growth = next((words for words in told if words is not None), None)
        site = Method.taken(holder.site) if holder.site is not None else None
        return cls.taken(
            holder,
            kind=item.kind,
            share=item.share,
            bytes=item.bytes,
            site=site,
            growth=growth,
            filled_by=lines_of(holder, code) or None,
        )


class Account(Published, frozen=True, kw_only=True):
    """The heap at death, item by item.

    Attributes:
        capacity_bytes: what live objects may take; null where nothing says how large the heap is.
        items: the largest first, what is lost, refused or free last; their bytes add up to
            capacity_bytes, or to live_bytes where that is more or the only number that is known.
        records_at_once: how many records user code was at work on, in threads of their own.
    """

    capacity_bytes: int | None
    live_bytes: int
    items: tuple[Item, ...]
    records_at_once: int

    @classmethod
    def of(cls, diagnosed: Diagnosed) -> Account | None:
        """None where no dump at death says what the heap held, and where nothing failed."""
        account = known(diagnosed.patterns.account)
        is_sized = account is not None
        account = account or account_of_live_heap(diagnosed.evidence)
        if account is None or diagnosed.evidence.death.kind == "none":
            return None
        grown = [one for one in diagnosed.patterns.growths if isinstance(one, Growing)]
        return cls.taken(
            account,
            capacity_bytes=account.capacity_bytes if is_sized else None,
            items=tuple(Item.of(one, grown, diagnosed.code) for one in account.items),
            records_at_once=diagnosed.evidence.records_at_once,
        )


class StackFrame(Published, frozen=True, kw_only=True):
    """A frame of the thread that died.

    Attributes:
        user: it is of the job's code; of a stack that stands in a log alone, by its name.
        bytes: reachable user bytes of its locals.
        share: of all user bytes, 0 to 1.
        source: what stands in the line; null where no source is at hand.
    """

    class_name: str = field(name="class")
    method: str
    file: str | None
    line: int | None
    user: bool
    bytes: int | None
    share: float | None
    source: str | None

    @classmethod
    def of(cls, frame: FrameFacts, code: ReadCode) -> StackFrame:
        """The frame without the statement that it was compiled from."""
        site = CodeSite(frame.class_name, frame.method, frame.file, frame.line)
        named = frame.user_bytes is None and _is_of_no_library(frame.class_name)
        return cls.taken(
            frame,
            user=frame.user or named,
            bytes=frame.user_bytes,
            source=code.text.get(site),
        )


def _is_of_no_library(class_name: str) -> bool:
    return _BY_NAME.is_user(class_name) and not class_name.startswith("org.apache.")


class CurvePoint(Struct, frozen=True):
    """`bytes` when `x` of the curve's unit had been taken in."""

    x: float
    bytes: float


class Curve(Published, frozen=True, kw_only=True):
    """How one object, one class or the live heap grew.

    Attributes:
        of: the holder path or the class; null for the whole live heap.
        of_class: whether it is a class.
        unit: what x counts.
        source: what the points were measured by: dumps, class histograms, or collections.
        points: by x.
        death: the size in the dump at death.
        by_histogram: whether points of an object were read off class histograms between dumps.
    """

    of: str | None
    of_class: bool
    unit: Unit
    source: Source
    points: tuple[CurvePoint, ...]
    death: CurvePoint | None
    by_histogram: bool


def curves_of(evidence: Evidence) -> tuple[Curve, ...]:
    """The most telling ones: of the most exact source first, then the largest at the end.

    What was not there at any point has not been seen to grow.
    """
    measured = [one for one in evidence.series if any(each.size_bytes for each in one.points)]
    measured.sort(key=lambda one: (_NEAREST_FIRST[one.source], -_last(one).size_bytes))
    return tuple(_curve(evidence, one) for one in measured[:MOST_CURVES])


def _last(series: Series) -> Point:
    return series.at_death or max(series.points, key=lambda point: point.x)


def _curve(evidence: Evidence, series: Series) -> Curve:
    holder = evidence.holder(series.holder)
    of = series.class_name if series.holder is None else str(series.holder)
    points = sorted(series.points, key=lambda point: (point.x, point.size_bytes))
    death = series.at_death
    return Curve.taken(
        series,
        of=holder.path if holder is not None else of,
        of_class=series.holder is None and series.class_name is not None,
        points=tuple(CurvePoint(one.x, one.size_bytes) for one in points),
        death=CurvePoint(death.x, death.size_bytes) if death is not None else None,
        by_histogram=series.by_histogram > 0,
    )
