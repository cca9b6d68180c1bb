"""The public object of ``mprof diagnose --json``: ``docs/reference/diagnosis.schema.json``.

A contract: members may be added, none is removed or changes its meaning within a schema version.
"""

from __future__ import annotations

from typing import Any, Literal

from mprof.conclusions import Said
from mprof.diagnosis import Advice, Cause, Diagnosed, Diagnosis
from mprof.evidence import (
    Attempt,
    ChildProgram,
    ContainerFacts,
    DeathPosition,
    Evidence,
    Job,
    Probes,
    Script,
    ScriptSite,
    StackFrame,
    known,
)
from mprof.patterns import ChildUse, Forecast, Item, Steepest, Where, caller_of
from mprof.report.advised import advised_json
from mprof.rules import RULES, CannotTell, ErrorData, Fires, Rule, Verdict

__all__ = ["SCHEMA_VERSION", "schema_of_today", "to_json", "verdict_of"]

SCHEMA_VERSION = 1


def schema_of_today(schema: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of the object, with the causes that the catalogue can name today."""
    return {**schema, "$defs": {**schema["$defs"], "cause": {"enum": [r.cause for r in RULES]}}}


def to_json(diagnosed: Diagnosed) -> dict[str, Any]:
    """The diagnosis as an object of strings, numbers, lists and None. Sizes are bytes."""
    evidence, diagnosis = diagnosed.evidence, diagnosed.diagnosis
    related, position = diagnosis.error_related_data, known(evidence.position)
    return {
        "schema_version": SCHEMA_VERSION,
        "job": _job(evidence.job),
        "attempt": _attempt(evidence.attempt, known(evidence.place)),
        "attempts": [
            {"id": one.attempt_id, "death": one.kind, "line": one.line} for one in evidence.attempts
        ],
        "death": {"kind": evidence.death.kind, "evidence": evidence.death.evidence},
        "container": _container(evidence.container, diagnosis),
        "child": _child(evidence.child, diagnosis.child),
        "script": _script(evidence.script),
        "position": None if position is None else _position(position),
        "account": _account(diagnosed),
        "causes": [_cause(one, evidence) for one in diagnosis.causes],
        "messages": [_said(one) for one in diagnosis.said],
        "stack": [_frame(one) for one in known(evidence.stack) or ()],
        "advice": [_advice(one) for one in diagnosis.advice],
        "unknown": [
            {
                "rule": rule.cause,
                "missing": verdict.missing,
                "run_that_would_tell": verdict.run_that_would_tell,
            }
            for rule, verdict in diagnosis.unknown
        ],
        "error_related_data": None if related is None else _related(related),
        "nearness": _nearness(diagnosed),
        "probes": _probes(evidence.probes),
        "advised": advised_json(diagnosed.advised),
        "verdicts": [_verdict(rule, diagnosis.verdicts[rule.cause]) for rule in RULES],
        "losses": list(diagnosed.losses),
    }


def _account(diagnosed: Diagnosed) -> dict[str, Any] | None:
    """The heap at death, item by item; they add up to the capacity."""
    account = known(diagnosed.patterns.account)
    if account is None or diagnosed.evidence.death.kind == "none":
        return None
    return {
        "capacity_bytes": account.capacity_bytes,
        "live_bytes": account.live_bytes,
        "items": [_item(one) for one in account.items],
    }


def _item(item: Item) -> dict[str, Any]:
    holder = item.holder
    return {
        "kind": item.kind,
        "bytes": item.bytes,
        "share": item.share,
        "owner": holder.owner if holder is not None else None,
        "lifecycle": holder.lifecycle if holder is not None else None,
        "path": holder.path if holder is not None else None,
        "class": holder.class_name if holder is not None else None,
        "element_class": holder.element_class if holder is not None else None,
        "length": holder.length if holder is not None else None,
    }


def _said(said: Said) -> dict[str, Any]:
    """What the death's own message says, or what is known of its frames."""
    message, reading = said.message, said.reading
    return {
        "id": message.id,
        "title": message.title,
        "proof": reading.proof,
        "sentence": reading.sentence,
        "next_step": reading.next_step or None,
        "settings": [
            {"property": one.property, "old": one.old, "new": one.new} for one in reading.settings
        ],
    }


def _probes(probes: Probes | None) -> dict[str, Any] | None:
    """What the probes of the attempt cost."""
    if probes is None:
        return None
    return {
        "dumps": probes.dumps,
        "histograms": probes.histograms,
        "seconds": probes.seconds,
        "attempt_seconds": probes.attempt_seconds,
        "planned": probes.planned,
    }


def _nearness(diagnosed: Diagnosed) -> dict[str, Any] | None:
    """How near its limit the attempt came, where none failed."""
    evidence, forecast = diagnosed.evidence, diagnosed.patterns.forecast
    peak = known(evidence.peak)
    if evidence.death.kind != "none" or peak is None:
        return None
    full_at = None
    if isinstance(forecast, Forecast):
        full_at = {
            "unit": forecast.unit,
            "ordinal": round(forecast.at),
            "times": forecast.times,
            "input_bytes": forecast.input_bytes,
            "at_the_earliest": forecast.at_the_earliest,
        }
    return {
        "live_bytes": peak.live_bytes,
        "at_most": peak.at_most,
        "heap_bytes": known(evidence.memory.capacity_bytes),
        "record": peak.records,
        "parts": [
            {"of": one.of, "class": one.class_name, "bytes": one.bytes} for one in peak.parts
        ],
        "full_at": full_at,
    }


def verdict_of(verdict: Verdict) -> Literal["fires", "silent", "cannot tell"]:
    """The word for a verdict."""
    if isinstance(verdict, Fires):
        return "fires"
    return "cannot tell" if isinstance(verdict, CannotTell) else "silent"


def _job(job: Job) -> dict[str, Any] | None:
    if job.job_id is None and job.name is None:
        return None
    return {
        "id": job.job_id,
        "name": job.name,
        "user": job.user,
        "state": job.state,
        "hadoop_version": job.hadoop_version,
        "driver_error": job.driver_error,
        "driver_exit_code": job.driver_exit_code,
        "local_jobs": list(job.local_jobs),
    }


def _attempt(attempt: Attempt, place: str | None) -> dict[str, Any] | None:
    if attempt.attempt_id is None and attempt.task_type is None and attempt.container_id is None:
        return None
    return {
        "id": attempt.attempt_id,
        "task_type": attempt.task_type,
        "index": attempt.index,
        "number": attempt.number,
        "mode": attempt.mode,
        "container_id": attempt.container_id,
        "host": attempt.host,
        "java_version": attempt.java_version,
        "place": place,
    }


def _container(facts: ContainerFacts | None, diagnosis: Diagnosis) -> dict[str, Any] | None:
    use = diagnosis.container
    if facts is None:
        return None
    room = facts.room
    return {
        "limit_bytes": facts.limit_bytes,
        "used_bytes": facts.used_bytes,
        "peak_bytes": facts.peak_bytes,
        "place": use.place if use is not None else None,
        "sentence": use.sentence if use is not None else None,
        "run_that_would_tell": use.run_that_would_tell if use is not None else None,
        "parts": [
            {"place": one.place, "least_bytes": one.least_bytes, "most_bytes": one.most_bytes}
            for one in (use.parts if use is not None else ())
        ],
        "processes": [
            {"pid": one.pid, "program": one.program, "bytes": one.resident_bytes,
             "is_task": one.is_task}
            for one in facts.processes
        ],
        "room": None if room is None else {
            "plain_mb": room.plain_mb,
            "asked_mb": room.asked_mb,
            "wanted_mb": room.wanted_mb,
            "headroom_mb": room.headroom_mb,
            "why_not": room.why_not,
        },
        "elsewhere": [
            {"asked_mb": one.asked_mb, "outcome": one.outcome, "death": one.death,
             "peak_bytes": one.peak_bytes, "heap_max_bytes": one.heap_max_bytes}
            for one in facts.elsewhere
        ],
        "sentences": list(diagnosis.room),
    }  # fmt: skip


def _child(child: ChildProgram | None, use: ChildUse | None) -> dict[str, Any] | None:
    """The child program of the task; null where none is known, and where nothing failed."""
    if child is None or use is None:
        return None
    return {
        "framework": child.framework,
        "programs": [{"name": one.name, "option": one.option} for one in child.programs],
        "place": use.place,
        "reads": use.pipe.reads if use.pipe is not None else None,
        "thread": child.thread,
        "held_bytes": use.held_bytes,
        "exit_code": child.exit_code,
        "out_of_memory_words": list(child.out_of_memory_words),
        "records_handed": child.records_handed,
        "records_taken": child.records_taken,
        "sentence": use.sentence,
        "details": list(use.details),
    }


def _position(position: DeathPosition) -> dict[str, Any]:
    return {
        "phase": position.phase,
        "record": position.record,
        "group": position.group,
        "record_in_group": position.record_in_group,
        "partition": position.partition,
        "spill": position.spill,
    }


def _cause(cause: Cause, evidence: Evidence) -> dict[str, Any]:
    found = cause.finding
    return {
        "cause": cause.cause,
        "category": cause.rule.category,
        "rule": cause.rule.slug,
        "published_as": cause.rule.published_as,
        "confidence": found.confidence,
        "evidence": found.evidence,
        "bytes": found.bytes,
        "where": None if found.where is None else _where(found.where, evidence),
        "data": None if found.data is None else _data(found.data),
        "sentence": found.sentence,
    }


def _where(where: Where, evidence: Evidence) -> dict[str, Any]:
    step = caller_of(where, known(evidence.stack))
    return {
        "class": where.class_name,
        "method": where.method,
        "file": where.file,
        "line": where.line,
        "path": where.path,
        "called_by": None if step is None else {"class": step.class_name, "method": step.method},
        "statement": None if where.script is None else _statement(where.script, evidence.script),
    }


def _script(script: Script | None) -> dict[str, Any] | None:
    """The script or query that the job was compiled from; null of any other job."""
    if script is None:
        return None
    statements = (
        {**_statement(one, script), "text": script.text_of(one)} for one in script.statements
    )
    return {
        "framework": script.framework.name,
        "unit": script.framework.unit,
        "name": script.name,
        "statements": list(statements),
    }


def _statement(site: ScriptSite, script: Script | None) -> dict[str, Any]:
    clause = script.clause_of(site) if script is not None else None
    return {
        "alias": site.alias,
        "line": site.line if script is None else script.line_of(site),
        "operator": site.operator or None,
        "clause": clause.text if clause is not None else None,
    }


def _data(data: ErrorData) -> dict[str, Any]:
    return {
        "kind": data.kind,
        "first": data.first,
        "last": data.last,
        "group": data.group,
        "records": data.records,
        "bytes": data.bytes,
    }


def _frame(frame: StackFrame) -> dict[str, Any]:
    return {
        "class": frame.class_name,
        "method": frame.method,
        "file": frame.file,
        "line": frame.line,
        "user": frame.user,
        "bytes": frame.user_bytes,
        "share": frame.share,
    }


def _advice(one: Advice) -> dict[str, Any]:
    return {
        "cause": one.cause,
        "kind": one.kind,
        "property": one.property,
        "old": one.old,
        "new": one.new,
        "text": one.text,
        "predicted_peak_bytes": one.predicted_peak_bytes,
    }


def _related(steepest: Steepest) -> dict[str, Any]:
    return {
        "kind": steepest.kind,
        "first": steepest.first,
        "last": steepest.last,
        "group": steepest.group,
        "records": steepest.records,
        "bytes": steepest.bytes,
        "text": steepest.text,
    }


def _verdict(rule: Rule, verdict: Verdict) -> dict[str, Any]:
    return {
        "cause": rule.cause,
        "rule": rule.slug,
        "published_as": rule.published_as,
        "verdict": verdict_of(verdict),
        "sentence": _sentence(verdict),
    }


def _sentence(verdict: Verdict) -> str:
    if isinstance(verdict, Fires):
        return verdict.sentence
    if isinstance(verdict, CannotTell):
        return f"cannot tell without {verdict.missing}"
    return verdict.why
