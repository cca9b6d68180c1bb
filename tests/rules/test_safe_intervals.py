"""No recorded verdict hangs on the exact value of a threshold: the quick form of the sweep.

A fifth of the thresholds is moved each day, all of them by `make test-sweeps`. `make sweep` moves
each as far as it goes and makes `docs/reference/thresholds.md`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

import pytest
from builders.part_of_today import of_today

from development.sweep import (
    CaseWitness,
    Limit,
    Swept,
    changes_within,
    load_witnesses,
    sweep_table,
    swept_thresholds,
)
from mprof.catalogue import load_cases
from mprof.threshold import Threshold

ROOT: Final = Path(__file__).parents[2]
SAFE: Final = 0.15
"""The share of its value by which each may be moved, up or down, without another verdict."""

WHOLE: Final = "a whole number: 15 % of it is one more, or one fewer"

NARROW: Final = {
    "points of silence": WHOLE,
    "values of a tail": WHOLE,
    "few keys": WHOLE,
    "elements of each, at least": "a tolerance around one element for each: one itself lies beyond",
    "elements of each, at most": "a tolerance around one element for each: one itself lies beyond",
    "huge": "the first run of mahout-ssvd bounds what was loaded by 29.7 % of the heap, and the "
    "record in writing of nested-distinct holds a third",
    "least room": "the same record: a third of the room that the framework leaves",
    "given up": "the heap of nested-distinct was 82 % full when its task gave up, the dump of "
    "pig-order-limit was made at less than 80 %",
    "sharp": "record-delimiter is refused one object of half the room that was free or more, which "
    "is 21 % of the heap",
    "in one piece": "the same object: half of that room",
    "foreseen": "the growth of in-mem-word-count, taken on to 1.8 times what was measured, is what "
    "no longer fits",
    "noise floor": "the growth of join-large-groups in its first run is noise with 15 % more",
    "one of several": "a map beside the sort buffer of cdh-job holds 24 % of the heap",
    "headroom": "15 % more is above `most of usable`, and what aims there is not advised",
    "most of usable": "15 % less is below `headroom`, which all that is advised aims at",
    "made in time": "the dumps of pig-bag-to-string hold 79 % and 83 % of what the collections "
    "before them left",
    "same room": "what output-batch held before R_n, by the last collection and by its dump, "
    "differs by nearly 2 % of its heap",
    "near the mean": "the largest group of hot-key-index taken away, its partition is 1.11 times "
    "the mean",
}
"""Those that may not yet, and why; the list only shrinks."""

FOR_WORDS_ALONE: Final = {
    "furthest forecast", "worth a phrase",
    "buffer of the heap", "worth telling", "times a limit",
    "collections of a peak", "unseen peak", "steepest unseen growth", "furthest fit", "more input",
}  # fmt: skip
"""Read where no rule takes what they decide: a forecast, more input, a phrase, a message."""


@lru_cache
def witnesses() -> tuple[CaseWitness, ...]:
    return load_witnesses(load_cases(ROOT / "cases"))


@pytest.mark.parametrize("threshold", of_today(swept_thresholds()), ids=lambda one: one.name)
def test_no_recorded_verdict_changes_where_a_threshold_is_moved_by_15_percent(
    threshold: Threshold,
) -> None:
    found = changes_within(witnesses(), threshold, SAFE)

    if threshold.name in NARROW:
        assert found, "it is safe now: take it off the list"
    else:
        assert not found


def test_every_number_that_a_recorded_diagnosis_reads_for_its_verdicts_is_swept() -> None:
    names = {one.name for one in swept_thresholds()}
    read = {name for one in witnesses() for name in one.read_for_verdicts}

    assert read - names == FOR_WORDS_ALONE


def test_the_committed_page_has_every_threshold_with_its_value() -> None:
    limit = Limit(0.0, None)
    rows = sweep_table([Swept(one, 0, limit, limit) for one in swept_thresholds()], witnesses=0)
    page = (ROOT / "docs" / "reference" / "thresholds.md").read_text(encoding="utf-8")

    assert names_and_values(page) == names_and_values(rows)


def names_and_values(page: str) -> set[tuple[str, ...]]:
    return {tuple(row.split(" | ")[:3]) for row in page.splitlines() if row.startswith("| ")}


def test_the_list_of_the_narrow_ones_names_thresholds() -> None:
    assert NARROW.keys() <= {one.name for one in swept_thresholds()}
