"""Whatever is missing, the rules answer: never a fault, never a cause out of nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mprof.advice import advise
from mprof.diagnosis import Diagnosed, diagnose
from mprof.evidence import Attempt, Death, Evidence, Job, Memory, Unknown
from mprof.rules import RULES, Fires, ask_all

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
    diagnosed = advise(Diagnosed(diagnose(evidence), evidence))
    VALIDATOR.validate(json.loads(json.dumps(diagnosed.to_json())))


@pytest.mark.parametrize("task_type", ["map", "reduce", None])
def test_where_nothing_is_known_nothing_fires(task_type: Any) -> None:
    evidence = Evidence(Job(None), Attempt(None, task_type, None), Death("heap", "a dump"))
    assert not [v for v in ask_all(evidence).values() if isinstance(v, Fires)]
