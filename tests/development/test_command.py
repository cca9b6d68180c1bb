"""``python -m development`` does what its verbs say, and answers what it cannot do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from development import __main__ as command
from mprof.catalogue import find_case
from mprof.errors import UsageError

ROOT = Path(__file__).parents[2]
CASE = "in-mem-word-count"


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cases"
    shutil.copytree(ROOT / "cases" / CASE, folder / CASE)
    monkeypatch.setattr(command, "CASES", folder)
    return folder


def test_what_a_new_rule_says_is_accepted_and_what_was_expected_stays(
    cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = find_case(cases, CASE).verdicts
    before = json.loads(file.read_text())
    kept = {**before, "large_external_data": "fires"}  # as another rule was expected to say
    del kept["hotspot_key"]
    file.write_text(json.dumps(kept))

    assert command.main(["accept"]) == 0

    assert json.loads(file.read_text()) == {**before, "large_external_data": "fires"}
    assert capsys.readouterr().out == f"{CASE}: hotspot_key\n"
    assert command.main(["accept"]) == 0
    assert capsys.readouterr().out == ""


def test_a_threshold_that_there_is_not_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["sweep", "nonsense"]) == UsageError.exit_code
    assert "no threshold called 'nonsense'" in capsys.readouterr().err


def test_a_case_that_there_is_not_ends_with_the_exit_code_of_the_command(
    cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["record", "nonsense"]) == UsageError.exit_code
    assert "no case 'nonsense'" in capsys.readouterr().err


def test_the_pages_are_made_into_another_folder(tmp_path: Path, cases: Path) -> None:
    for name in ("diagnosis.schema.json",):
        shutil.copy(ROOT / "docs" / "reference" / name, tmp_path / name)

    assert command.main(["pages", str(tmp_path)]) == 0

    made = (tmp_path / "rules" / "hotspot_key.md").read_text()
    assert made == (ROOT / "docs/reference/rules/hotspot_key.md").read_text()
    assert (cases / "README.md").is_file()
