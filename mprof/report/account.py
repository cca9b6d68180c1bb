"""The heap at death as a list that adds up: what each row is called, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mprof.evidence import DeathPosition
from mprof.objects.words import contents_in_words
from mprof.patterns import ONE_OF_SEVERAL
from mprof.report.names import filled_text
from mprof.report.published.heap import Account, Item
from mprof.units import format_bytes, format_count

__all__ = ["AccountRow", "account_rows"]

_NAMES: Final = {
    "sort_buffer": "the map-side sort buffer",
    "shuffle": "map output held by the shuffle",
    "framework": "Hadoop's own objects outside its buffers",
    "other_user": "other objects of the job's code",
    "record": "the record at work",
    "record_written": "the record being written",
    "serialization": "serialization buffers",
    "other": "the JVM and libraries",
    "collector": "lost at the ends of regions that G1 gives to one large object each",
    "refused": "asked for at once, and refused, at least",
    "free": "free, in pieces or kept back by the collector",
}

_STYLES: Final = {
    "user": "user", "other_user": "user", "library": "user", "external": "external",
    "writer": "output", "record_written": "output", "record": "record", "reader": "record",
    "serialization": "serialization", "other": "other", "collector": "free",
    "refused": "free", "free": "free",
}  # fmt: skip
"""How a row is drawn; Hadoop's own are all alike."""

_NOT_TOLD: Final = frozenset({"free", "other", "other_user"})

LEAST_LISTED: Final = 0.005
LEAST_IN_LEGEND: Final = 0.05
LEAST_SPARE: Final = 0.10
"""Of an object's bytes."""
LEAST_TOLD: Final = 0.10
"""Share of the heap: what holds less does not explain why it is full."""
MOST_TOLD: Final = 4
"""Rows in a sentence; the whole account stands in the report."""

_WHOSE: Final = {
    "external": "since before the first record",
    "writer": "of the output's writer",
    "reader": "read ahead by the input's reader",
    "library": "in a static field",
}

_LIVES: Final = {"map": "for the whole task", "reduce": "for the whole task",
                 "group": "for one group", "record": "for one record"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AccountRow:
    """One row of the account of the heap at death.

    Attributes:
        name: a holder path, or whose memory it is.
        bytes: of it.
        share: of what live objects may take.
        detail: class, contents, how long it lives and how it grows; "" where it is no object.
        style: how it is drawn.
        listed: it is worth a line of its own.
        in_legend: it is worth a word beside the picture.
        told: the summary says it, where no cause is named.
        is_large_object: an object large enough to be one of several that fill the heap together:
            the summary says it beside causes that do not name it.
    """

    name: str
    bytes: int
    share: float
    detail: str
    style: str
    listed: bool
    in_legend: bool
    told: bool
    is_large_object: bool


def account_rows(
    account: Account | None, position: DeathPosition | None = None
) -> tuple[AccountRow, ...]:
    """The rows, the largest first; empty where no dump at death says what the heap held.

    Args:
        account: the heap at death.
        position: where it died, since what a combiner keeps lives for one of its passes.
    """
    in_combine = position is not None and position.phase == "combine"
    if account is None:
        return ()
    tellable = [one for one in account.items if one.kind not in _NOT_TOLD]
    told = [one for one in tellable if one.share >= LEAST_TOLD][:MOST_TOLD]
    return tuple(
        AccountRow(
            name=_NAMES.get(item.kind, item.path or ""),
            bytes=item.bytes,
            share=item.share,
            detail=", ".join(
                _details(item, account.records_at_once, told=item in told, in_combine=in_combine)
            ),
            style=_style(item),
            listed=item.share >= LEAST_LISTED,
            in_legend=item.share >= LEAST_IN_LEGEND,
            told=item in told,
            is_large_object=item.kind == "holder" and item.share >= ONE_OF_SEVERAL.value,
        )
        for item in account.items
    )


def _style(item: Item) -> str:
    if item.kind == "holder":
        return _STYLES.get(item.owner or "", "user")
    return _STYLES.get(item.kind, "framework")


def _details(item: Item, records_at_once: int, *, told: bool, in_combine: bool) -> Iterator[str]:
    if item.kind == "framework" and told:
        yield "among them what user code opens and never closes, such as file systems"
    if item.kind != "holder":
        return
    yield _short(item.class_name)
    if item.length:
        largest = " in the largest" if item.of_several else ""
        yield contents_in_words(item.class_name, item.length, item.element_class) + largest
    if item.spare_bytes >= LEAST_SPARE * item.bytes:
        yield f"{format_bytes(item.spare_bytes)} of it room that is not in use"
    if item.owner in _WHOSE:
        yield _WHOSE[item.owner]
    if item.lifecycle == "record" and item.owner == "user" and records_at_once > 1:
        yield f"for the {format_count(records_at_once)} records at work at once"
    elif item.lifecycle in _LIVES and item.owner not in ("external", "library"):
        passes = in_combine and item.lifecycle == "reduce"
        yield "for one pass of the combiner" if passes else _LIVES[item.lifecycle]
    if item.site is not None:
        yield f"in {_short(item.site.class_name)}.{item.site.method}"
    if item.growth is not None:
        yield item.growth
    if item.filled_by:
        yield filled_text(item.filled_by)


def _short(class_name: str | None) -> str:
    return (class_name or "").rsplit(".", 1)[-1]
