"""What ``mprof heap DUMP --waste`` prints."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mprof.cli.output import say, say_json
from mprof.units import format_bytes, format_count, format_ratio

if TYPE_CHECKING:
    from mprof.waste import Waste
    from mprof.waste.wasted import LoaderRow, Origin

__all__ = ["WasteFlag", "print_waste"]

WasteFlag = Annotated[
    bool,
    typer.Option(
        "--waste",
        help="Find collections, boxes, copies, arrays and class loaders that could go.",
    ),
]

_FLAWS: Final = {
    "empty": "empty",
    "single": "of one element",
    "sparse": "less than a quarter full",
    "oversized": "with too large an array",
}


def print_waste(
    dump: Path, *, as_json: bool, top: int, progress: Callable[[str, float], None] | None
) -> None:
    """Prints what a heap could do without."""
    from mprof.waste import find_waste

    waste = find_waste(dump, limit=top, progress=progress)
    if as_json:
        say_json(json.dumps(waste.to_json()))
        return
    for line in _lines(waste, top=top):
        say(line)


def _lines(waste: Waste, *, top: int) -> Iterator[str]:
    yield f"What {format_bytes(waste.heap_bytes)} of reachable objects could do without"
    yield "An object may count under more than one head, so that the heads do not add up."
    for loss in waste.losses:
        yield f"Damaged: {loss}"
    yield from _head("Collections", sum(row.saved_bytes for row in waste.collections), waste)
    for row in waste.collections[:top]:
        yield _row(row.saved_bytes, row.objects, f"{row.class_name} {_FLAWS[row.flaw]}")
        yield from _origins(row.origins)
    yield from _more(len(waste.collections), top)
    if waste.strings is not None:
        yield from _head("Equal strings", waste.strings.saved_bytes, waste)
        yield _row(
            waste.strings.saved_bytes,
            waste.strings.copies,
            f"copies of {format_count(waste.strings.distinct)} texts",
        )
        yield from _origins(waste.strings.origins)
        for text in waste.texts[:top]:
            yield _row(text.saved_bytes, text.copies, f"copies of {text.text!r}")
    yield from _head("Equal arrays", sum(row.saved_bytes for row in waste.arrays), waste)
    for copies in waste.arrays[:top]:
        of = f"copies of {format_count(copies.distinct)} {copies.class_name}"
        yield _row(copies.saved_bytes, copies.copies, of)
        yield from _origins(copies.origins)
    yield from _head("Arrays of nothing", sum(row.saved_bytes for row in waste.zeros), waste)
    for zero in waste.zeros[:top]:
        yield _row(zero.saved_bytes, zero.objects, f"{zero.class_name} of zeros or nulls only")
        yield from _origins(zero.origins)
    yield from _head("Boxed values", sum(row.saved_bytes for row in waste.boxes), waste)
    for box in waste.boxes[:top]:
        yield _row(
            box.saved_bytes,
            box.objects,
            f"{box.class_name} of {format_count(box.distinct)} values, "
            f"{format_bytes(box.shallow_bytes)} in all",
        )
        yield from _origins(box.origins)
    yield ""
    yield "Maps in which eight or more keys have one hash"
    for chain in waste.chains[:top]:
        yield (
            f"  {chain.class_name} {chain.id}: {format_count(chain.equal)} keys with one hash "
            f"of {format_count(chain.entries)}; longest chain {format_count(chain.longest)}; "
            f"{chain.origin}"
        )
    if not waste.chains:
        yield "  none"
    yield ""
    yield "Class loaders (how much metaspace each takes, a dump does not say; jcmd PID"
    yield "VM.classloader_stats does)"
    for loader in waste.loaders[:top]:
        yield from _loader(loader)
    yield from _more(len(waste.loaders), top)
    if waste.several:
        yield ""
        yield "Classes that several loaders define"
        for several in waste.several[:top]:
            yield f"  {format_count(several.loaders):>9} loaders  {several.class_name}"


def _head(name: str, saved: int, waste: Waste) -> Iterator[str]:
    yield ""
    share = format_ratio(saved / waste.heap_bytes) if waste.heap_bytes else "0 %"
    yield f"{name}: {format_bytes(saved)} could be saved, {share}"


def _row(saved: int, objects: int, what: str) -> str:
    return f"  {format_bytes(saved):>8}  {objects:>9,} {what}"


def _origins(origins: tuple[Origin, ...]) -> Iterator[str]:
    for one in origins:
        if one.saved_bytes:
            size = format_bytes(one.saved_bytes)
            yield f"            {size:>8}  {one.objects:>9,} from {one.name}"


def _more(rows: int, top: int) -> Iterator[str]:
    if rows > top:
        yield f"  and {format_count(rows - top)} more; --top shows more"


def _loader(row: LoaderRow) -> Iterator[str]:
    name = f' "{row.name}"' if row.name else ""
    where = f" {row.id}" if row.id is not None else ""
    yield (
        f"  {format_count(row.classes):>6} classes, {format_bytes(row.shallow_bytes)} in "
        f"{format_count(row.objects)} instances: {row.class_name}{name}{where}"
    )
    if row.held_by is not None:
        yield "          kept by one reference alone:"
        for step in row.held_by:
            yield f"            {step}"
