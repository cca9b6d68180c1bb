"""The part of a sweep that is tried each day."""

from __future__ import annotations

import os
from datetime import date
from functools import partial
from itertools import chain

import pytest
from builders import part_of_today
from builders.part_of_today import (
    PARTS,
    faults_of_today,
    of_today,
    part_in_words,
    set_part_of_today,
)

ITEMS = [f"item {number}" for number in range(23)]


def test_in_as_many_days_as_there_are_parts_each_item_is_tried_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []
    for part in range(PARTS):
        monkeypatch.setenv("MPROF_PART", str(part))
        tried.append(of_today(ITEMS))

    assert sorted(ITEMS) == sorted(chain.from_iterable(tried))
    assert {4, 5} == {len(each) for each in tried}


def test_in_these_days_each_of_the_tasks_with_faults_is_tried_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[int] = []
    for part in map(str, range(PARTS)):
        monkeypatch.setenv("MPROF_PART", part)
        count, behind = (int(word.partition("=")[2]) for word in faults_of_today().split())
        tried += range(behind, behind + count)

    assert list(range(100)) == sorted(tried)
    monkeypatch.setenv("MPROF_PART", "all")
    assert "-Dmprof.faults.tasks=100 -Dmprof.faults.from=0" == faults_of_today()


def test_all_of_them_are_tried_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPROF_PART", "all")

    assert ITEMS == of_today(ITEMS)
    assert "sweeps: whole" == part_in_words()


def test_the_head_of_a_run_says_how_to_try_its_part_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPROF_PART", "3")

    assert "MPROF_PART=3" in part_in_words()


def test_the_part_of_a_day_is_another_one_the_next_day_and_stays_what_it_was_at_midnight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MPROF_PART", "all")  # so that the test's own is put back
    seen = []
    for day in range(1, PARTS + 1):
        monkeypatch.delenv("MPROF_PART")
        monkeypatch.setattr(part_of_today, "_today", partial(date, 2026, 11, day))
        set_part_of_today()
        seen.append(os.environ["MPROF_PART"])
        monkeypatch.setattr(part_of_today, "_today", partial(date, 2026, 11, day + 1))
        set_part_of_today()
        assert seen[-1] == os.environ["MPROF_PART"]

    assert {str(part) for part in range(PARTS)} == set(seen)


@pytest.mark.parametrize("wrong", ["5", "-1", "today", ""])
def test_a_part_that_there_is_not_is_refused(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPROF_PART", wrong)

    with pytest.raises(ValueError, match="a number from 0 to 4, or all"):
        of_today(ITEMS)
