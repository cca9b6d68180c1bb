"""A replay is right only where the verdict of every rule was expected, and expected so."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from mprof.catalogue import Case, find_case, replay_case

ROOT = Path(__file__).parents[2] / "cases"
CASE = find_case(ROOT, "grep")
EXPECTED: dict[str, str] = json.loads(CASE.verdicts.read_text(encoding="utf-8"))
RULE = "hotspot_key"


def case_expecting(text: str | None, folder: Path) -> Case:
    """The recorded case with another file of expected verdicts, or without one."""
    folder.joinpath("evidence").symlink_to(CASE.evidence)
    if text is not None:
        folder.joinpath("expected").mkdir()
        folder.joinpath("expected", "verdicts.json").write_text(text, encoding="utf-8")
    return msgspec.structs.replace(CASE, folder=folder)


def test_the_expected_verdict_of_every_rule_is_right(tmp_path: Path) -> None:
    case = case_expecting(json.dumps(EXPECTED), tmp_path)

    assert replay_case(case).judgement.problems == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            json.dumps({cause: EXPECTED[cause] for cause in EXPECTED if cause != RULE}),
            f"no verdict is expected for {RULE}; it is {EXPECTED[RULE]!r}",
        ),
        (
            json.dumps({**EXPECTED, RULE: "fires"}),
            f"the verdict for {RULE} is {EXPECTED[RULE]!r}, expected 'fires'",
        ),
        (
            json.dumps({**EXPECTED, "sunspots": "silent"}),
            "a verdict is expected for sunspots, but no rule names that cause",
        ),
        (None, "the expected verdicts (expected/verdicts.json) are missing"),
        ("{", "the expected verdicts (expected/verdicts.json) cannot be read"),
        ("[]", "the expected verdicts (expected/verdicts.json) cannot be read"),
    ],
)
def test_a_replay_without_the_right_expected_verdicts_is_wrong(
    text: str | None, problem: str, tmp_path: Path
) -> None:
    judgement = replay_case(case_expecting(text, tmp_path)).judgement

    assert judgement.correct is False
    (found,) = judgement.problems
    assert found.startswith(problem)
    assert judgement.lacks_new_verdicts_only is found.startswith("no verdict is expected")


def test_the_first_run_is_not_compared_rule_by_rule(tmp_path: Path) -> None:
    assert replay_case(case_expecting(None, tmp_path), first_run=True).judgement.problems == ()
