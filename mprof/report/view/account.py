"""The heap at death as a list that adds up: what each row is called, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterable

from mprof.evidence import Holder, HolderKey, known
from mprof.patterns import Account, Growing, Patterns
from mprof.report.view.model import AccountRow, Contents, Share
from mprof.units import format_count

__all__ = ["account_of"]

_NAMES = {
    "sort_buffer": "the map-side sort buffer",
    "shuffle": "map output held by the shuffle",
    "framework": "Hadoop's own objects outside its buffers",
    "other_user": "other objects of the job's code",
    "record": "the record at work",
    "record_written": "the record being written",
    "serialization": "serialization buffers",
    "other": "the JVM and libraries",
    "collector": "lost at the ends of regions that G1 gives to one large object each",
    "refused": "asked for at once, and refused",
    "free": "free, in pieces or kept back by the collector",
}

_STYLES = {
    "user": "user", "other_user": "user", "library": "user", "external": "external",
    "writer": "output", "record_written": "output", "record": "record", "reader": "record",
    "serialization": "serialization", "other": "other", "collector": "free",
    "refused": "free", "free": "free",
}  # fmt: skip
"""How a row is drawn; Hadoop's own are all alike."""

_NOT_TOLD = frozenset({"free", "other", "other_user"})

LEAST_LISTED = 0.005
LEAST_IN_LEGEND = 0.05
LEAST_TOLD = 0.10
"""Share of the heap: what holds less does not explain why it is full."""
MOST_TOLD = 4
"""Rows in a sentence; the whole account stands in the report."""

_ONE = {"entries": "entry", "characters": "character", "bytes": "byte"}

_WHOSE = {
    "external": "loaded data",
    "writer": "of the output's writer",
    "reader": "read ahead by the input's reader",
    "library": "in a static field",
}

_LIVES = {"map": "for the whole task", "reduce": "for the whole task", "group": "for one group",
          "record": "for one record"}  # fmt: skip


def account_of(
    patterns: Patterns, contents: dict[HolderKey, Contents | None], *, records_at_once: int = 1
) -> tuple[AccountRow, ...]:
    """The rows, the largest first; empty where no dump at death says what the heap held.

    Args:
        patterns: of the attempt.
        contents: how much each large object holds.
        records_at_once: how many records user code was at work on.
    """
    account = known(patterns.account)
    if account is None:
        return ()
    return tuple(_rows(account, patterns.growths, contents, records_at_once))


def _rows(
    account: Account,
    growths: Iterable[object],
    contents: dict[HolderKey, Contents | None],
    records_at_once: int,
) -> Iterable[AccountRow]:
    grown = [one for one in growths if isinstance(one, Growing)]
    tellable = [one for one in account.items if one.kind not in _NOT_TOLD]
    told = [one for one in tellable if one.share >= LEAST_TOLD][:MOST_TOLD]
    for item in account.items:
        name, detail, style = _NAMES.get(item.kind, ""), "", _STYLES.get(item.kind, "framework")
        if item.kind == "framework" and item in told:
            detail = "among them what user code opens and never closes, such as file systems"
        if item.holder is not None:
            name, style = item.holder.path, _STYLES.get(item.holder.owner, "user")
            held = contents.get(item.holder.key)
            detail = ", ".join(_details(item.holder, grown, held, records_at_once))
        yield AccountRow(
            name,
            Share(item.bytes, item.share),
            detail,
            style=style,
            listed=item.share >= LEAST_LISTED,
            in_legend=item.share >= LEAST_IN_LEGEND,
            told=item in told,
        )


def _details(
    holder: Holder, grown: list[Growing], contents: Contents | None, records_at_once: int
) -> Iterable[str]:
    if contents is not None and contents.count:
        of = f" of {_short(holder.element_class)}" if holder.element_class else ""
        of = "" if contents.counted_in == "bytes" else of
        word = _ONE[contents.counted_in] if contents.count == 1 else contents.counted_in
        held = f"{format_count(contents.count)} {word}{of}"
        yield f"{_short(holder.class_name)}, {held}"
    else:
        yield _short(holder.class_name)
    if holder.owner in _WHOSE:
        yield _WHOSE[holder.owner]
    if holder.lifecycle == "record" and holder.owner == "user" and records_at_once > 1:
        yield f"for the {format_count(records_at_once)} records at work at once"
    elif holder.lifecycle in _LIVES and holder.owner not in ("external", "library"):
        yield _LIVES[holder.lifecycle]
    if holder.site is not None:
        yield f"in {_short(holder.site.class_name)}.{holder.site.method}"
    for one in grown:
        if any(each.key == holder.key for each in one.holders):
            yield one.complexity
            break


def _short(class_name: str | None) -> str:
    return (class_name or "").rsplit(".", 1)[-1]
