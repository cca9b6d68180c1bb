"""Answers about objects and classes of a heap for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from mprof.heap.browse import ClassAnswer, DominatedAnswer, ObjectAnswer, PathAnswer
from mprof.heap.browse.values import FieldRow, ObjectRow, PathRow
from mprof.units import format_bytes, format_count, format_ratio

__all__ = ["lines_of"]


def lines_of(answer: ObjectAnswer | PathAnswer | DominatedAnswer | ClassAnswer) -> Iterator[str]:
    """An answer, line by line; texts of the heap in them are not made harmless yet."""
    if isinstance(answer, ClassAnswer):
        yield from _class_lines(answer)
        return
    yield from _head(answer.object)
    if isinstance(answer, ObjectAnswer):
        yield from _object_lines(answer)
    elif isinstance(answer, PathAnswer):
        yield from _path_lines(answer.path)
    else:
        yield from _dominated(answer.dominates, answer.dominates_count, answer.dominates_objects)
        if answer.classes:
            yield ""
            yield "By class, with all that these keep alive"
            for each in answer.classes:
                yield (
                    f"  {_sizes(each.retained_bytes, each.share)}  {format_count(each.objects):>11}"
                    f"  {each.name}"
                )


def _head(row: ObjectRow) -> Iterator[str]:
    yield _name(row)
    yield (
        f"{format_bytes(row.retained_bytes)} retained, {_share(row.share)} of the heap; "
        f"{format_bytes(row.shallow_bytes)} itself"
    )


def _object_lines(answer: ObjectAnswer) -> Iterator[str]:
    yield from _path_lines(answer.path)
    if answer.field_count:
        yield ""
        shown = len(answer.fields)
        yield f"Fields and elements{_of(shown, answer.field_count)}"
        width = min(32, max(len(_field_name(each)) for each in answer.fields))
        for each in answer.fields:
            value = each.value if each.object is None else _line(each.object)
            yield f"  {_field_name(each):<{width}}  {value}"
    if answer.referrers is not None and answer.referrer_count:
        yield ""
        yield f"Referred to by{_of(len(answer.referrers), answer.referrer_count)}"
        for one in answer.referrers:
            yield f"  {_line(one.object)}, {one.by}"
    if answer.dominates_count:
        yield from _dominated(answer.dominates, answer.dominates_count, answer.dominates_objects)
    if answer.dominator is not None:
        yield ""
        yield f"Kept alive by {_name(answer.dominator)}"


def _dominated(rows: tuple[ObjectRow, ...], count: int, objects: int) -> Iterator[str]:
    yield ""
    if not count:
        yield "It keeps nothing alive but itself"
        return
    noun = "object" if objects == 1 else "objects"
    yield f"Keeps alive {format_count(objects)} {noun}, directly{_of(len(rows), count)}"
    for row in rows:
        yield f"  {_line(row)}"


def _path_lines(path: tuple[PathRow, ...]) -> Iterator[str]:
    yield ""
    yield "Path from a root"
    for step in path:
        if step.left_out:
            yield f"  ... {format_count(step.left_out)} steps are left out"
        site = f", {step.site}" if step.site else ""
        yield f"  {step.by} -> {_name(step.object)}{site}"


def _class_lines(answer: ClassAnswer) -> Iterator[str]:
    yield answer.name
    noun = "object" if answer.objects == 1 else "objects"
    yield (
        f"{format_count(answer.objects)} {noun}, {format_bytes(answer.shallow_bytes)} themselves; "
        f"{format_bytes(answer.retained_bytes)} retained, {_share(answer.share)} of the heap"
    )
    if answer.subclass_objects:
        yield f"{format_count(answer.subclass_objects)} objects of subclasses"
    if answer.super_classes:
        yield f"Extends {', '.join(answer.super_classes)}"
    for identifier, loader in zip(answer.ids, answer.loaders, strict=True):
        yield f"Loaded by {loader}: class object {identifier}"
    if answer.statics:
        yield ""
        yield "Static fields"
        width = min(32, max(len(_field_name(each)) for each in answer.statics))
        for each in answer.statics:
            value = each.value if each.object is None else _line(each.object)
            yield f"  {_field_name(each):<{width}}  {value}"
    if answer.instances:
        yield ""
        yield f"Objects, the largest first{_of(len(answer.instances), answer.objects)}"
        for row in answer.instances:
            yield f"  {_line(row)}"


def _of(shown: int, count: int) -> str:
    return f" ({format_count(shown)} of {format_count(count)})" if shown < count else ""


def _field_name(field: FieldRow) -> str:
    kind = f" {field.type}" if field.type not in ("", "object") else ""
    return f"{field.name}{kind}"


def _line(row: ObjectRow) -> str:
    return f"{_sizes(row.retained_bytes, row.share)}  {_name(row)}"


def _sizes(size_bytes: int, share: float) -> str:
    return f"{format_bytes(size_bytes):>8}  {_share(share):>7}"


def _share(share: float) -> str:
    """``12 %``, of a small one a digit more."""
    if share >= 0.1 or not share:
        return format_ratio(share)
    return f"{share * 100:.1f} %" if share >= 0.001 else "< 0.1 %"


def _name(row: ObjectRow) -> str:
    return " ".join(each for each in (row.class_name, row.id or "", row.says) if each)
