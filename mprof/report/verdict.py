"""The paragraph people paste into a ticket: which task, what filled it, who holds it, what to do.

Every number and name comes from the diagnosis; where it is silent, so is the paragraph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mprof.report.words import (
    CAUSE_NAMES,
    DEATH_NAMES,
    PLACE_NAMES,
    PLACE_NAMES_OF_MAP,
    RUN_NAMES,
    short_class,
)
from mprof.units import format_bytes, format_count

__all__ = ["verdict_paragraph", "where_text"]

Json = Mapping[str, Any]


def verdict_paragraph(diagnosis: Json, *, place: str | None, largest: str | None = None) -> str:
    """The verdict in one paragraph.

    Args:
        diagnosis: the JSON object of a diagnosis.
        place: where the code stood, a key of `PLACE_NAMES`, None where that is not known.
        largest: what holds most of the heap, as a sentence, for want of a cause.
    """
    sentences = [_what_happened(diagnosis, place)]
    sentences += _cause_sentences(diagnosis["causes"])
    if not diagnosis["causes"]:
        sentences.append(_no_cause(diagnosis))
        if largest and diagnosis["death"]["kind"] not in {"not-memory", "none"}:
            sentences.append(largest)
    sentences += _changes(diagnosis["advice"])
    return " ".join(s for s in sentences if s)


def where_text(where: Json | None) -> str:
    """``WordMapper.map (WordMapper.java:49), held through this.counts``; method where known."""
    if not where or not where.get("class"):
        return ""
    text = short_class(where["class"])
    if where.get("method"):
        text += f".{where['method']}"
    if where.get("file"):
        line = f":{where['line']}" if where.get("line") else ""
        text += f" ({where['file']}{line})"
    if where.get("path"):
        text += f", held through {where['path']}"
    return text


def _what_happened(diagnosis: Json, place: str | None) -> str:
    kind = diagnosis["death"]["kind"]
    job = diagnosis["job"] or {}
    attempt = (diagnosis["attempt"] or {}).get("id")
    name = f"of job {job['name']!r} " if job.get("name") else "of the job "
    if kind == "none" and not job and not attempt:
        return "How the task ended is not known."
    if kind == "none":
        return f"The job {job.get('name') or job.get('id') or ''} did not fail: no cause to name."
    whole = f"The job {job.get('name') or job['id']} " if job.get("id") else "The task "
    subject = f"Attempt {attempt} {name}" if attempt else whole
    of_map = (diagnosis["attempt"] or {}).get("task_type") == "map"
    names = {**PLACE_NAMES, **PLACE_NAMES_OF_MAP} if of_map else PLACE_NAMES
    where = f", {names[place]}" if place in names else ""
    return f"{subject}{DEATH_NAMES.get(kind, kind)}{where}{_position(diagnosis['position'])}."


def _position(position: Json | None) -> str:
    if not position:
        return ""
    if position.get("record_in_group") and position.get("group"):
        record = format_count(position["record_in_group"])
        return f", at record {record} of group {format_count(position['group'])}"
    if position.get("record"):
        return f", at record {format_count(position['record'])}"
    return ""


def _cause_sentences(causes: Sequence[Json]) -> list[str]:
    """One sentence a cause; the place in code is said once where they share it."""
    sentences = []
    said = ""
    for cause in causes:
        name = CAUSE_NAMES.get(cause["cause"], cause["cause"])
        # What the mapper holds is no size of the split.
        sized = cause.get("bytes") and cause["cause"] != "large_input_split"
        size = f", {format_bytes(cause['bytes'])}" if sized else ""
        where = where_text(cause.get("where"))
        held = f", in {where}" if where and where != said else ""
        said = where or said
        sentences.append(f"Cause ({cause['confidence']}): {name}{size}{held}.")
    return sentences


def _no_cause(diagnosis: Json) -> str:
    if diagnosis["death"]["kind"] in {"not-memory", "none"}:
        return _quoted(diagnosis["death"].get("evidence"))
    if diagnosis["unknown"]:
        wanted = {u["run_that_would_tell"] for u in diagnosis["unknown"]}
        runs = [text for run, text in RUN_NAMES.items() if run in wanted]
        more = f" More evidence would come from {', '.join(runs)}." if runs else ""
        return f"No cause is named: what is at hand does not tell.{more}"
    return "No cause is named: no rule fires on what was measured."


def _quoted(evidence: str | None) -> str:
    return f"What it said: {evidence.strip()}" if evidence else ""


def _changes(advice: Sequence[Json]) -> list[str]:
    settings = [a for a in advice if a["kind"] == "setting" and a.get("property")]
    if settings:
        lines = " ".join(f"-D {a['property']}={a['new']}" for a in settings)
        return [f"Try: {lines}."]
    return [f"Change: {advice[0]['text']}"] if advice else []
