"""``mprof heap DUMP --redact OUT``: a dump that may leave the house."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from mprof.cli.output import say, say_json

__all__ = ["redact_heap"]


def redact_heap(
    dump: Path,
    target: Path,
    *,
    keep: Sequence[str],
    as_json: bool,
    progress: Callable[[], Callable[[str, float], None] | None],
) -> None:
    """Write the new dump, and say what it holds.

    Raises:
        UsageError: if the target is there already, or a word is not known.
        EvidenceError: if the dump cannot be read.
    """
    from mprof.redaction import kept_of, redact_dump
    from mprof.units import format_bytes, format_count

    kept = kept_of(keep)
    written = redact_dump(dump, target, kept=kept, progress=progress())
    if as_json:
        value = {
            "schema_version": 1,
            "path": str(written.path),
            "bytes": written.bytes,
            "objects": written.objects,
            "names": written.names,
            "kept": written.kept,
            "losses": list(written.losses),
        }
        say_json(json.dumps(value))
        return
    say(
        f"Wrote {written.path}: {format_count(written.objects)} objects, "
        f"{format_bytes(written.bytes)} unpacked"
    )
    say(
        f"Kept: {format_count(written.names)} names of classes, fields, methods and source files; "
        f"{written.kept}"
    )
    say("Emptied: all other values and texts, those of arrays, statics and constants among them")
    for loss in written.losses:
        say(f"Left out, because it could not be read: {loss}")
