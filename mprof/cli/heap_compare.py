"""``mprof heap A B``: what grew between two dumps."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mprof.cli.output import say, say_json
from mprof.units import format_bytes, format_count, format_ratio

if TYPE_CHECKING:
    from mprof.objects.comparison import ClassChange, HeapComparison, HolderChange, PathChange

__all__ = ["compare_heaps", "comparison_lines", "growth_headline"]

_LEAST_SHARE: Final = 0.01
"""Of the larger heap: what changed by less is not listed among holders and paths."""


def compare_heaps(
    before: Path,
    after: Path,
    *,
    as_json: bool,
    top: int,
    progress: Callable[[], Callable[[str, float], None] | None],
) -> None:
    """Compare two dumps and print what changed.

    Raises:
        EvidenceError: if a dump cannot be read.
    """
    from mprof.objects.comparison import compare_dumps

    found = compare_dumps(before, after, progress=progress())
    if as_json:
        say_json(json.dumps(found.to_json()))
        return
    for line in comparison_lines(found, top=top):
        say(line)
    say()
    say("Classes that grew")
    _print_classes([one for one in found.classes if one.growth_bytes > 0][:top])
    shrunk = [one for one in reversed(found.classes) if one.growth_bytes < 0][:top]
    if shrunk:
        say()
        say("Classes that shrank")
        _print_classes(shrunk)


def growth_headline(found: HeapComparison) -> str:
    """One sentence that can be pasted into a ticket: what grew most, by how much, who holds it."""
    grown = next(iter(found.holders), None)
    if grown is None or grown.growth_bytes < _least(found):
        least = format_bytes(int(_least(found)))
        largest = next((one for one in found.classes if one.growth_bytes > 0), None)
        of_class = (
            f"; of all classes {largest.name} grew most, by {format_bytes(largest.growth_bytes)}"
            if largest is not None
            else ""
        )
        return f"No holder grew by {least}, a hundredth of the heap{of_class}."
    share = ""
    if found.growth_bytes >= grown.growth_bytes:
        ratio = format_ratio(grown.growth_bytes / found.growth_bytes)
        share = f", {ratio} of what the heap grew by"
    thread = f'; a method in thread "{grown.thread}" uses it' if grown.thread else ""
    held = f"from {format_bytes(grown.bytes_before)} to {format_bytes(grown.bytes_after)}"
    contents = _contents(grown)
    text = (
        f"{grown.name} grew most, by {format_bytes(grown.growth_bytes)} ({held}){share}"
        f"{': ' if contents else ''}{contents}{thread}."
    )
    return text[0].upper() + text[1:]


def comparison_lines(found: HeapComparison, *, top: int) -> Iterator[str]:
    """The sentence, the two dumps, and holders and paths that grew and shrank."""
    yield growth_headline(found)
    yield ""
    change = _signed(found.growth_bytes)
    yield (
        f"{format_bytes(found.before.shallow_bytes)} in {format_count(found.before.objects)} "
        f"objects before, {format_bytes(found.after.shallow_bytes)} in "
        f"{format_count(found.after.objects)} after: {change}"
    )
    yield _matched_by(found)
    for side in (found.before, found.after):
        for loss in side.losses:
            yield f"Damaged: {side.path}: {loss}"
    least = _least(found)
    grown = [one for one in found.holders if one.growth_bytes >= least]
    shrunk = [one for one in reversed(found.holders) if one.growth_bytes <= -least]
    yield from _section("Holders that grew", chain.from_iterable(map(_holder_lines, grown[:top])))
    yield from _section(
        "Holders that shrank", chain.from_iterable(map(_holder_lines, shrunk[:top]))
    )
    more = [one for one in found.paths if one.growth_bytes >= least]
    fewer = [one for one in reversed(found.paths) if one.growth_bytes <= -least]
    yield from _section(
        "Paths under which more hangs", chain.from_iterable(map(_path_lines, more[:top]))
    )
    yield from _section(
        "Paths under which less hangs", chain.from_iterable(map(_path_lines, fewer[:top]))
    )


def _matched_by(found: HeapComparison) -> str:
    if found.same_process is None:
        return "Whether both dumps are of one process is not known: objects are matched by path."
    if not found.same_process:
        return "The dumps are of two processes: objects are matched by path."
    pairs = [one for one in found.paths if one.same_object is not None]
    same = sum(bool(one.same_object) for one in pairs)
    return (
        f"Both dumps are of one process; {format_count(same)} of "
        f"{format_count(len(pairs))} objects that are matched by path have kept their address."
    )


def _least(found: HeapComparison) -> float:
    return _LEAST_SHARE * max(found.before.shallow_bytes, found.after.shallow_bytes, 1)


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    listed = list(lines)
    if listed:
        yield from ("", title, *listed)


def _holder_lines(one: HolderChange) -> Iterator[str]:
    yield _row(one.growth_bytes, one.bytes_before, one.bytes_after, one.name)
    contents = _contents(one)
    if contents:
        yield f"{'':33}{contents}"


def _path_lines(one: PathChange) -> Iterator[str]:
    count = f" ({one.objects_before} -> {one.objects_after} objects)"
    several = count if max(one.objects_before, one.objects_after) > 1 else ""
    same = ", the same object" if one.same_object else ""
    name = f"{one.class_name}{several}{same}"
    yield _row(one.growth_bytes, one.retained_before, one.retained_after, name)
    for step in one.path:
        yield f"{'':33}{step}"


def _row(growth: int, before: int, after: int, name: str) -> str:
    return f"  {_signed(growth):>8}  {format_bytes(before):>8} -> {format_bytes(after):>8}  {name}"


def _contents(one: HolderChange) -> str:
    """``java.util.ArrayList, 1,000 -> 74,000 entries of Tick``."""
    from mprof.objects.words import contents_in_words

    if not one.length_after:
        return one.class_name if not one.name.endswith(one.class_name) else ""
    words = contents_in_words(one.class_name, one.length_after, one.element_class)
    before = f"{format_count(one.length_before)} -> " if one.length_before is not None else ""
    return f"{one.class_name}, {before}{words}"


def _signed(size: int) -> str:
    return f"{'+' if size >= 0 else '-'}{format_bytes(abs(size))}"


def _print_classes(rows: list[ClassChange]) -> None:
    """Print a table; on a pipe its width is fixed."""
    from rich.console import Console
    from rich.table import Table

    from mprof.io.printable import one_line

    table = Table(box=None, pad_edge=False, show_edge=False)
    for name in ("shallow", "before", "after", "objects", "before", "after"):
        table.add_column(name, justify="right")
    table.add_column("class", overflow="fold")
    for row in rows:
        table.add_row(
            _signed(row.growth_bytes),
            format_bytes(row.shallow_before),
            format_bytes(row.shallow_after),
            f"{row.growth_objects:+,}",
            f"{row.objects_before:,}",
            f"{row.objects_after:,}",
            one_line(row.name),
        )
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    console.print(table, markup=False)
