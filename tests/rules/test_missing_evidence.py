"""Whatever is missing, the rules answer: never a fault, never a cause out of nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from builders.verdicts import verdicts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from mprof.advice import advise
from mprof.diagnosis import diagnose
from mprof.evidence import Attempt, Death, Evidence, Job, Memory, Unknown
from mprof.report import to_json
from mprof.rules import RULES, Fires, Silent

MISSING = Unknown("something", "rerun")
FACTS = [
    "place", "position", "composition", "holders", "stack", "record_growth", "external",
    "progress", "split", "map_buffer", "shuffle", "partitions", "groups", "records",
    "verification", "reducers",
]  # fmt: skip
MAY_BE_NONE = {"external", "split", "map_buffer", "shuffle", "partitions", "groups", "records"}
EXAMPLES: list[Callable[[], Evidence]] = [e.evidence for r in RULES for e in r.examples]
SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/reference/diagnosis.schema.json").read_text()
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@given(
    st.sampled_from(EXAMPLES),
    st.sets(st.sampled_from([*FACTS, "memory", "series"]), max_size=8),
    st.sets(st.sampled_from(sorted(MAY_BE_NONE)), max_size=3),
)
@settings(max_examples=150, deadline=None)
def test_any_fact_may_be_missing(
    build: Callable[[], Evidence], unknown: set[str], none: set[str]
) -> None:
    changes: dict[str, Any] = dict.fromkeys(unknown & set(FACTS), MISSING)
    changes |= dict.fromkeys(none)
    if "memory" in unknown:
        changes["memory"] = Memory()
    if "series" in unknown:
        changes["series"] = ()
    evidence = replace(build(), **changes)
    diagnosed = advise(diagnose(evidence))
    VALIDATOR.validate(json.loads(json.dumps(to_json(diagnosed))))


@pytest.mark.parametrize("task_type", ["map", "reduce", None])
def test_where_nothing_is_known_nothing_fires(task_type: Any) -> None:
    evidence = Evidence(Job(None), Attempt(None, task_type, None), Death("heap", "a dump"))
    assert not [v for v in verdicts_of(evidence).values() if isinstance(v, Fires)]


def with_one_fact_less(evidence: Evidence) -> Iterator[tuple[str, Evidence]]:
    """The evidence again and again, each time without another fact, or a part of one."""
    attempt = replace(evidence.attempt, task_type=None)
    yield "task_type", replace(evidence, attempt=attempt)
    for name in FACTS:
        yield name, replace(evidence, **{name: MISSING})
    for name in (*FACTS, "memory"):
        fact: Any = getattr(evidence, name)
        for part in fields(fact) if is_dataclass(fact) and fact != MISSING else ():
            if "Unknown" in str(part.type):
                less = {name: replace(fact, **{part.name: MISSING})}
                yield f"{name}.{part.name}", replace(evidence, **less)


# One dump at death tells of an object that was refused: all of these facts are known, or none is.
# A place that is not known is that of an attempt of which nothing is, or of one that ended well.
OF_ONE_DUMP = {"composition", "stack", "place", "memory.live_bytes_at_death", "memory.usable_bytes"}


@pytest.mark.parametrize(
    ("cause", "build"),
    [(r.cause, e.evidence) for r in RULES for e in r.examples if e.says == "FIRES"],
    ids=[f"{r.slug}: {e.title}" for r in RULES for e in r.examples if e.says == "FIRES"],
)
def test_a_cause_is_not_denied_for_want_of_a_fact(
    cause: str, build: Callable[[], Evidence]
) -> None:
    evidence = build()
    refused = " asks for " in verdicts_of(evidence)[cause].sentence  # type: ignore[union-attr]
    denied = {
        name: verdict.why
        for name, less in with_one_fact_less(evidence)
        if isinstance(verdict := verdicts_of(less)[cause], Silent)
        and not (name in OF_ONE_DUMP and (refused or name == "place"))
    }
    assert not denied


def test_of_a_dump_without_a_task_nothing_is_said_to_be_a_map_attempts() -> None:
    # a lone dump in which no thread runs a task: rules 2, 3, 6 and 9-2 ask of reducers alone
    dump = Evidence(Job(None), Attempt(None, None, None), Death("heap", "a dump"), place="other")
    silent = [v.why for v in verdicts_of(dump).values() if isinstance(v, Silent)]
    assert silent == []
