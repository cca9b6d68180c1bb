"""Who holds the memory of a dump, in words: a headline that can be pasted into a ticket, a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from mprof.objects.words import contents_in_words
from mprof.units import format_bytes, format_count, format_ratio

if TYPE_CHECKING:
    from mprof.code_site import CodeSite
    from mprof.heap.summary import HeapSummary, HolderRow

__all__ = ["headline", "holder_lines"]

LEAST_IN_HEADLINE: Final = 0.2
"""Share of the heap: what holds less is one of several."""

_MOST_NAMED: Final = 3

LEAST_LISTED: Final = 0.01


def headline(summary: HeapSummary) -> tuple[str, ...]:
    """A few sentences: what holds most of the heap, which method uses it, and what is not known."""
    return (*_known(summary), *_lost(summary))


def _lost(summary: HeapSummary) -> Iterator[str]:
    if summary.lost_bytes >= LEAST_IN_HEADLINE * (summary.shallow_bytes + summary.lost_bytes):
        yield (
            f"No root of the dump reaches {format_bytes(summary.lost_bytes)} more: it was held by "
            "locals that compiled code has dropped, or is garbage."
        )


def _known(summary: HeapSummary) -> tuple[str, ...]:
    largest = next(iter(summary.holders), None)
    if largest is None:
        nothing = "No static field, field or local of the program's holds a thousandth of the heap."
        return (nothing, *_ran_out(summary))
    if largest.share < LEAST_IN_HEADLINE:
        size = f"{format_bytes(largest.bytes)}, {format_ratio(largest.share)} of the heap"
        nothing = f"Nothing holds most of the heap; the largest holder is {largest.name}: {size}."
        return (nothing, *_ran_out(summary))
    named = [one for one in summary.holders[:_MOST_NAMED] if one.share >= LEAST_IN_HEADLINE]
    held = "; ".join((_holds(largest, " of the heap"), *(_holds(one) for one in named[1:])))
    return (held[0].upper() + held[1:] + ".", *_at_work(summary, named))


def _holds(holder: HolderRow, of: str = "") -> str:
    """``field Index.rows holds 20 MB, 51 %: java.util.TreeMap, 574,180 entries of String``."""
    many = holder.threads > 1 or holder.name.startswith(("objects of ", "thread-locals "))
    size = f"{format_bytes(holder.bytes)}, {format_ratio(holder.share)}{of}"
    what = _what(holder)
    return f"{_name(holder)} {'hold' if many else 'holds'} {size}{': ' if what else ''}{what}"


def _at_work(summary: HeapSummary, named: Sequence[HolderRow]) -> Iterator[str]:
    """The methods, their threads, and whether another thread met the error first."""
    holder = named[0]
    if holder.shared_site is None:
        yield from _of_the_largest(summary, holder)
    else:
        yield f"Most of these threads are in {_place(holder.shared_site)}."
        yield from _ran_out(summary, holder)
    for other in named[1:]:
        known = {one.thread for one in named[: named.index(other)]}
        if other.site is not None and other.thread and other.thread not in known:
            yield f'Thread "{other.thread}" uses {other.name} in {_place(other.site)}.'


def _of_the_largest(summary: HeapSummary, holder: HolderRow) -> Iterator[str]:
    died = _died(summary)
    if holder.site is None or holder.thread is None or died == holder.thread:
        yield from _ran_out(summary, holder)
        return
    yield f'Thread "{holder.thread}" uses it in {_place(holder.site)}.'
    if died is not None:
        yield f'The OutOfMemoryError was thrown in another thread first: "{died}".'


def _ran_out(summary: HeapSummary, holder: HolderRow | None = None) -> Iterator[str]:
    died = _died(summary)
    if died is not None:
        at_work = holder is not None and died == holder.thread
        place = _place(holder.site if holder is not None and at_work else summary.ran_out_in)
        yield f'Thread "{died}" ran out of memory{f" in {place}" if place else ""}.'


def _died(summary: HeapSummary) -> str | None:
    return next((one.name for one in summary.threads if one.ran_out_of_memory), None)


def holder_lines(summary: HeapSummary, *, top: int) -> Iterator[str]:
    """The largest holders, two lines each."""
    for holder in summary.holders[:top]:
        if holder.share < LEAST_LISTED:
            return
        yield f"  {format_bytes(holder.bytes):>8}  {format_ratio(holder.share):>5}  {_name(holder)}"
        details = [_what(holder)]
        if holder.site is not None:
            thread = f', thread "{holder.thread}"' if holder.thread is not None else ""
            details.append(f"{_place(holder.site)}{thread}")
        if any(details):
            yield f"                   {'; '.join(one for one in details if one)}"


def _name(holder: HolderRow) -> str:
    if holder.threads > 1:
        return f"{_several(holder.name)} in {format_count(holder.threads)} threads"
    frames = f" in {format_count(holder.frames)} frames" if holder.frames > 1 else ""
    return f"{holder.name}{frames}"


def _several(name: str) -> str:
    """``locals HashMap of Clearing.settle()``: each thread has one of its own."""
    word, _, rest = name.partition(" ")
    return f"{word}s {rest}" if word in ("local", "field") else name


def _what(holder: HolderRow) -> str:
    """``java.util.TreeMap, 574,180 entries of String``; "" where the name says it all."""
    what, inside = _container(holder), holder.content
    if inside is None:
        return what
    name = inside.class_name.rsplit(".", 1)[-1]
    return f"{what}{', ' if what else ''}{format_count(inside.objects)} objects of {name} in all"


def _container(holder: HolderRow) -> str:
    if not holder.length:
        return holder.class_name if not holder.name.endswith(holder.class_name) else ""
    contents = contents_in_words(holder.class_name, holder.length, holder.element_class)
    if holder.frames > 1 or holder.copies > 1 or holder.objects > 1:
        return f"{holder.class_name}, {contents} in the largest"
    return f"{holder.class_name}, {contents}"


def _place(site: CodeSite | None) -> str:
    if site is None:
        return ""
    line = f":{site.line}" if site.line else ""
    return f"{site.class_name}.{site.method}{f' ({site.file}{line})' if site.file else ''}"
