"""``mprof heap DUMP``, asked about single objects, as a page, or as a server of the whole heap."""

from __future__ import annotations

import json as json_codec
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mprof.heap import Heap

__all__ = ["Look", "look"]

_LOOPBACK: Final = "127.0.0.1"
_Progress = Callable[[str, float], None] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is to be looked at, one of these: an address, a class, or the whole.

    Attributes:
        object, path, dominates: addresses.
        class_: a name.
        html: file of the page.
        serve: whether to serve the heap.
    """

    object: str | None = None
    class_: str | None = None
    path: str | None = None
    dominates: str | None = None
    html: Path | None = None
    serve: bool = False

    def __bool__(self) -> bool:
        return bool(self.named())

    def named(self) -> list[str]:
        """The options that were given."""
        given = (
            field.name for field in fields(self) if getattr(self, field.name) not in (None, False)
        )
        return [f"--{name.rstrip('_')}" for name in given]


def look(
    dump: Path,
    what: Look,
    *,
    json: bool,
    top: int,
    force: bool,
    port: int,
    progress: _Progress,
) -> None:
    """Answer one question, write the page, or serve until Ctrl-C.

    Raises:
        UsageError: if the page cannot be written.
        EvidenceError: if the dump cannot be read, or has no such object or class.
    """
    if what.html is not None:
        _write_page(dump, what.html, force=force, progress=progress)
    elif what.serve:
        _serve(dump, port, progress)
    else:
        _answer(dump, what, json=json, top=top, progress=progress)


def _answer(dump: Path, what: Look, *, json: bool, top: int, progress: _Progress) -> None:
    from mprof.cli.output import say, say_json
    from mprof.heap import open_heap
    from mprof.heap.browse import check_id
    from mprof.report.heap.text import lines_of

    for identifier in (what.object, what.path, what.dominates):
        if identifier is not None:
            check_id(identifier)
    answer = _asked(open_heap(dump, progress=progress), what, top)
    if json:
        say_json(json_codec.dumps(answer.to_json()))
        return
    for line in lines_of(answer):
        say(line)


def _asked(heap: Heap, what: Look, top: int) -> Any:
    from mprof.heap.browse import ask_class, ask_dominated, ask_object, ask_path, node_of

    if what.class_ is not None:
        return ask_class(heap, what.class_, rows=top)
    if what.path is not None:
        return ask_path(heap, node_of(heap, what.path))
    if what.dominates is not None:
        return ask_dominated(heap, node_of(heap, what.dominates), rows=top)
    return ask_object(heap, node_of(heap, what.object or ""), rows=top)


def _page(dump: Path, progress: _Progress, *, live: bool) -> tuple[Heap, str]:
    from mprof.cli.heap_text import headline
    from mprof.heap.browse import picture_of
    from mprof.objects.summary import summarise_dump
    from mprof.report.heap import page_of

    heap, summary = summarise_dump(dump, progress=progress)
    picture = picture_of(heap, summary, headline(summary), progress=progress)
    return heap, page_of(picture, live=live)


def _write_page(dump: Path, file: Path, *, force: bool, progress: _Progress) -> None:
    from mprof.cli.output import check_new, say, write_file

    check_new(file, force=force)
    _, text = _page(dump, progress, live=False)
    write_file(file, text)
    say(str(file))


def _serve(dump: Path, port: int, progress: _Progress) -> None:
    from mprof.cli.output import say
    from mprof.report.heap.server import heap_handler
    from mprof.report.serving import served

    heap, text = _page(dump, progress, live=True)
    if progress is not None:
        progress("inverting the references", 0.0)
    heap.prepare()
    if progress is not None:
        progress("inverting the references", 1.0)
    with served(heap_handler(heap, text), _LOOPBACK, port) as address:
        say(f"{address} shows {dump} until Ctrl-C")
        sys.stdout.flush()  # whoever reads it through a pipe wants it now
        threading.Event().wait()
