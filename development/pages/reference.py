"""All generated pages, and the JSON schemas."""

from __future__ import annotations

from pathlib import Path

import mprof
from development.json_schema import json_schema
from development.pages import (
    cases,
    detectors,
    error_pages,
    man,
    messages,
    rules,
    store,
    triage,
)
from development.pages.errors import messages_of
from mprof.catalogue import load_cases
from mprof.heap import HeapSummary
from mprof.heap.browse import ClassAnswer, DominatedAnswer, ObjectAnswer, PathAnswer
from mprof.objects.comparison import HeapComparison
from mprof.peers.calibration.values import Calibration
from mprof.report import FindingsReport, Report
from mprof.report.captures import CaptureComparison
from mprof.waste import Waste

__all__ = ["HEAP_ANSWERS", "write_reference"]

HEAP_ANSWERS = {
    "heap-object": (ObjectAnswer, "What mprof heap --object --json prints"),
    "heap-path": (PathAnswer, "What mprof heap --path --json prints"),
    "heap-dominates": (DominatedAnswer, "What mprof heap --dominates --json prints"),
    "heap-class": (ClassAnswer, "What mprof heap --class --json prints"),
}
"""Name of the schema's file -> what it is of."""

_PACKAGE = Path(mprof.__file__).parent


def write_reference(folder: Path, *, cases_folder: Path) -> None:
    """Write them into the folder of the reference; a test of the agent writes the page of patches.

    Args:
        folder: ``docs/reference``.
        cases_folder: ``cases``, whose own page is written too.
    """
    rules.write_pages(folder / "rules")
    messages.write_pages(folder / "messages")
    detectors.write_pages(folder / "detectors")
    error_pages.write_pages(folder / "errors", messages_of(_PACKAGE))
    (folder / "store.md").write_text(store.store_page(), encoding="utf-8")
    (folder / "triage.md").write_text(triage.triage_page(), encoding="utf-8")
    (folder / "mprof.1").write_text(man.man_page(), encoding="utf-8")
    cases.write_pages(load_cases(cases_folder), root=cases_folder, reference=folder)
    diagnosis = json_schema(Report, "What mprof diagnose --json prints of one death")
    (folder / "diagnosis.schema.json").write_text(diagnosis, encoding="utf-8")
    findings = json_schema(FindingsReport, "What mprof diagnose --json prints of several deaths")
    (folder / "findings.schema.json").write_text(findings, encoding="utf-8")
    heap = json_schema(HeapSummary, "What mprof heap --json prints")
    (folder / "heap.schema.json").write_text(heap, encoding="utf-8")
    heaps = json_schema(HeapComparison, "What mprof heap DUMP DUMP2 --json prints")
    (folder / "heap-comparison.schema.json").write_text(heaps, encoding="utf-8")
    captures = json_schema(CaptureComparison, "What mprof compare --json prints")
    (folder / "captures.schema.json").write_text(captures, encoding="utf-8")
    for name, (kind, title) in HEAP_ANSWERS.items():
        (folder / f"{name}.schema.json").write_text(json_schema(kind, title), encoding="utf-8")
    waste = json_schema(Waste, "What mprof heap --waste --json prints")
    (folder / "waste.schema.json").write_text(waste, encoding="utf-8")
    calibration = json_schema(Calibration, "What mprof calibrate writes")
    (folder / "calibration.schema.json").write_text(calibration, encoding="utf-8")
