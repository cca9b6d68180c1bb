"""What became of runs with a value that a text gives by its number alone."""

from __future__ import annotations

import pytest

from mprof.intake.settings import stated_in

_SHARE = "mapreduce.reduce.shuffle.input.buffer.percent"
_FACTOR = "mapreduce.reduce.shuffle.memory.limit.percent"


def _outcomes(text: str) -> dict[str, str]:
    found = stated_in(enumerate(text.split("\n"), 1))
    return {one.value: one.outcome for one in found if one.name == _SHARE and one.outcome}


@pytest.mark.parametrize(
    ("told", "outcomes"),
    [
        ("With 0.5 it died the same way.", {"0.5": "died"}),
        ("With 0.3 the job went through.", {"0.3": "passed"}),
        ("Lowering it to .30 did the trick.", {"0.30": "passed"}),
        ("0.50 was not enough (died the same way).", {"0.50": "died"}),
        ("0.25 was enough.", {"0.25": "passed"}),
        ("I thought that 0.25 was enough.", {}),
        ("0.25 was enough for months.", {}),
        # nothing is told of a run, or the number is no fraction
        ("Should I use 0.3?", {}),
        ("At 0.67 progress it still died again.", {}),
        ("Hadoop 0.20.2 worked.", {}),
        ("It took 0.5% and the job went through.", {}),
    ],
)
def test_a_fraction_is_of_the_only_property_that_takes_one(
    told: str, outcomes: dict[str, str]
) -> None:
    text = f"We looked at {_SHARE}.\nIts default is fine for others.\n{told}\n"

    assert _outcomes(text) == outcomes
    assert _outcomes(f"We looked at {_FACTOR} as well.\n{text}") == {}
    assert _outcomes(told) == {}
    # a number of streams is no fraction
    assert _outcomes(f"Also mapreduce.task.io.sort.factor.\n{text}") == outcomes
