"""Conditions that verdicts hang on: each is counted once, and told where it decides nothing."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from development.branches import PACKAGES, Watch, branches_table, conditions_in

SOURCE = """
def sign(x, names=()):
    if x < 0 or (x == 0 and not names):
        return -1
    found = [name for name in names if name]
    while len(found) > 9:
        found.pop()
    return 1 if found else 0
"""


def test_each_test_and_each_part_of_one_is_a_condition() -> None:
    texts = [one.text for one in conditions_in(SOURCE, "signs")]
    assert texts == ["x < 0", "x == 0", "not names", "name", "len(found) > 9", "found"]


def test_what_came_out_alike_is_told_with_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "mprof_signs"
    package.mkdir()
    (package / "__init__.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with Watch(["mprof_signs"]) as watch:
        signs = importlib.import_module("mprof_signs")
    # the module does what it did
    assert [signs.sign(-1), signs.sign(0), signs.sign(1), signs.sign(5, ("a",))] == [-1, -1, 0, 1]
    del sys.modules["mprof_signs"]
    told = {one.text: how for one, how in watch.alike()}
    assert told == {"not names": "true", "name": "true", "len(found) > 9": "false"}
    assert watch.known == 6


def test_the_table_adds_up() -> None:
    root = Path(__file__).parents[2]
    rows = [line.split() for line in branches_table(root).splitlines()]
    counts = [int(row[0].replace(",", "")) for row in rows]
    assert [row[1] for row in rows] == [*(f"mprof.{one}" for one in PACKAGES), "together"]
    assert sum(counts[:-1]) == counts[-1]
    assert min(counts) > 100
