"""Stores a capture in a case: only what the rules read, without heap dumps and machine names.

Kept: event logs and positions of all attempts, logs of the failed ones, snapshots, job history,
and the properties of the configuration that matter. The capture itself is not changed.
"""

from __future__ import annotations

import io
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import fastavro
import msgspec

from development.scrub import Scrubber, scrub_values, this_machine
from mprof.catalogue import Case, run_case
from mprof.catalogue.replaying import expected_verdicts
from mprof.diagnosis import Diagnosed
from mprof.engines import SCRIPT_FRAMEWORKS, ScriptFramework
from mprof.errors import EvidenceError, ExpectationError
from mprof.runs import open_capture

__all__ = ["accept_new_verdicts", "record", "record_case"]

_KEPT = frozenset(
    {
        "capture.json",
        "run.json",
        "job.json",
        "plan",
        "missing.txt",
        "events.jsonl",
        "position.bin",
        "partition-file.json",
        "_partition.lst",
    }
)
_BINARY = frozenset({"position.bin", "_partition.lst"})
_LOGS = frozenset({"syslog", "stderr", "stdout"})
# Longer lines are class paths and the like, which nothing reads.
_LONGEST_LOG_LINE = 2_000
_DEFAULTS = "-default.xml"
_DEFAULTS_KEPT = ("mapreduce.", "mapred.", "io.", "file.", "fs.local.")
_ENCODED = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")  # base64


def record(case: Case, *, capture: Path) -> None:
    """Run a case and rerun it, and keep what it left as its evidence, with the verdicts on it.

    It runs with its own job, settings, seed and input: what others leave is not of the case.

    Args:
        case: the case.
        capture: new folder for the capture; it stays.

    Raises:
        ExpectationError: if the diagnosis is not the expected one; the evidence stays as it was.
    """
    result = run_case(case, capture=capture)
    if not result.judgement.correct:
        problems = "; ".join(result.judgement.problems)
        raise ExpectationError(
            f"not as expected: {case.slug}: {problems}", next_step=f"mprof report {capture}"
        )
    record_case(case, capture)
    _write_verdicts(case, expected_verdicts(result.diagnosed))


def record_case(case: Case, capture: Path) -> Path:
    """Replace the case's ``evidence`` folder by what is kept of a capture.

    Raises:
        EvidenceError: if the folder is not a capture.
    """
    open_capture(capture)
    scrubber = this_machine((capture.resolve(), "/capture"), (Path.cwd(), "/client"))
    fresh = case.folder / ".evidence.new"
    shutil.rmtree(fresh, ignore_errors=True)
    for file in _kept(capture):
        target = fresh / file.relative_to(capture)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_scrubbed(file, scrubber))
    shutil.rmtree(case.evidence, ignore_errors=True)
    fresh.rename(case.evidence)
    return case.evidence


def accept_new_verdicts(case: Case, diagnosed: Diagnosed) -> tuple[str, ...]:
    """Expect what rules say for which nothing is expected yet; the causes of these rules.

    What is expected already stays, whatever the rules say now.
    """
    expected = msgspec.json.decode(case.verdicts.read_bytes(), type=dict[str, str])
    given = expected_verdicts(diagnosed)
    new = tuple(cause for cause in given if cause not in expected)
    if new:
        merged = {cause: expected.get(cause, verdict) for cause, verdict in given.items()}
        _write_verdicts(case, merged)
    return new


def _write_verdicts(case: Case, verdicts: dict[str, str]) -> None:
    case.verdicts.parent.mkdir(exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(verdicts), indent=2)
    case.verdicts.write_bytes(text + b"\n")


def _kept(capture: Path) -> Iterable[Path]:
    for file in sorted(capture.rglob("*")):
        always = file.name in _KEPT or file.name.startswith("snapshot-")
        always = always or file.name.endswith((".jhist", "conf.xml"))
        if file.is_file() and (always or (file.name in _LOGS and _failed(file.parent))):
            yield file


def _failed(attempt: Path) -> bool:
    """Whether the attempt failed: its event log says so, or there is a snapshot of its death."""
    if any(attempt.glob("snapshot-oom*")):
        return True
    events = attempt / "events.jsonl"
    return events.is_file() and b'"type":"failure"' in events.read_bytes().replace(b" ", b"")


def _script_framework(names: set[str]) -> ScriptFramework | None:
    return next((each for each in SCRIPT_FRAMEWORKS if each.marker in names), None)


def _is_of_mapreduce_or(script: ScriptFramework | None, name: str) -> bool:
    """Whether a property is MapReduce's, or of the framework that compiled the job's script."""
    own = (script.marker.partition(".")[0] + ".",) if script is not None else ()
    return name.startswith((*_DEFAULTS_KEPT, *own))


def _scrubbed(file: Path, scrubber: Scrubber) -> bytes:
    if file.name in _BINARY:
        return file.read_bytes()
    if file.name.endswith(".jhist"):
        return _history(file, scrubber)
    if file.name.endswith("conf.xml"):
        return _configuration(file, scrubber)
    if file.name.endswith(".json"):
        values = scrub_values(msgspec.json.decode(file.read_bytes()), scrubber.value)
        return msgspec.json.format(msgspec.json.encode(values), indent=1) + b"\n"
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    if file.name == "events.jsonl":
        return b"".join(_event(line, scrubber) for line in lines)
    short = [scrubber.text(line) for line in lines if len(line) <= _LONGEST_LOG_LINE]
    return ("\n".join(short) + "\n").encode() if short else b""


def _event(line: str, scrubber: Scrubber) -> bytes:
    try:
        values = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return b""  # cut off when the attempt died; readers skip it too
    return msgspec.json.encode(scrub_values(values, scrubber.value)) + b"\n"


def _history(file: Path, scrubber: Scrubber) -> bytes:
    """The same events with scrubbed strings (format: ``mprof.history.avro_events``)."""
    head, _, rest = file.read_bytes().partition(b"\n")
    schema_line, _, body = rest.partition(b"\n")
    if head.strip() != b"Avro-Binary":
        return scrubber.text(file.read_text(encoding="utf-8")).encode()
    try:
        schema: Any = fastavro.parse_schema(msgspec.json.decode(schema_line))
        source, out = io.BytesIO(body), io.BytesIO()
        while source.tell() < len(body):
            record = fastavro.schemaless_reader(
                source, schema, None, return_record_name=True, return_record_name_override=True
            )
            fastavro.schemaless_writer(out, schema, scrub_values(record, scrubber.value))
    except (ValueError, EOFError, IndexError) as error:
        raise EvidenceError(
            f"{file} cannot be read: {str(error)[:200]}", next_step="run the case again"
        ) from error
    return head + b"\n" + schema_line + b"\n" + out.getvalue()


def _configuration(file: Path, scrubber: Scrubber) -> bytes:
    """The properties set by the cluster or the job, and the defaults of MapReduce."""
    root = ET.fromstring(file.read_text(encoding="utf-8"))  # noqa: S314 - our own cluster wrote it
    entries = [
        (each.findtext("name", ""), each.findtext("value", ""), each)
        for each in root.iter("property")
    ]
    script = _script_framework({name for name, _, _ in entries})
    kept = ET.Element("configuration")
    for name, value, entry in entries:
        sources = [each.text or "" for each in entry.iter("source")]
        by_default = any(source.endswith(_DEFAULTS) for source in sources)
        # A framework of scripts sets all properties anew, Hadoop's defaults among them.
        if (by_default or script is not None) and not _is_of_mapreduce_or(script, name):
            continue
        if "classpath" in name or len(value) > _LONGEST_LOG_LINE:
            continue
        if script is not None and name != script.text and _ENCODED.fullmatch(value):
            continue  # nothing reads it, and what it holds cannot be scrubbed
        one = ET.SubElement(kept, "property")
        ET.SubElement(one, "name").text = name
        ET.SubElement(one, "value").text = scrubber.value(value)
        if sources:
            ET.SubElement(one, "source").text = scrubber.text(sources[0])
    ET.indent(kept, space=" ")
    text: bytes = ET.tostring(kept, encoding="utf-8", xml_declaration=True)
    return text + b"\n"
