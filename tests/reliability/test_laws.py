"""Growth laws against what a loop over the records holds, step by step."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reliability.laws import Law

STEPS = np.arange(0, 1001) / 1000


@pytest.mark.parametrize(
    ("law", "at_half"),
    [
        (Law("linear"), 0.5),
        (Law("power", 2.0), 0.25),
        (Law("power", 0.5), math.sqrt(0.5)),
        (Law("log", 100.0), math.log(51) / math.log(101)),
        (Law("n log n", 100.0), 0.5 * math.log(51) / math.log(101)),
        (Law("saturating", 3.0), (1 - math.exp(-1.5)) / (1 - math.exp(-3))),
        (Law("cache", 0.4), 1.0),
        (Law("late", 0.25), 1 / 3),
        (Law("steps", 4.0), 0.5),
        (Law("lazy", 0.6), 0.0),
        (Law("constant"), 1.0),
        (Law("old", 0.3), 0.3),
        (Law("young", 0.3), 0.2),
    ],
    ids=lambda value: str(value.name) if isinstance(value, Law) else "",
)
def test_a_law_is_its_closed_form_half_way(law: Law, at_half: float) -> None:
    after, during = law.held(STEPS)

    assert after[500] == pytest.approx(at_half)
    assert (during >= after - 1e-12).all()


@pytest.mark.parametrize("name", ["linear", "power", "log", "n log n", "saturating", "cache"])
def test_a_law_is_worth_one_where_its_input_is_the_reference(name: str) -> None:
    after, _ = Law(name, 0.7).held(STEPS)  # type: ignore[arg-type]

    assert after[1000] == pytest.approx(1.0)
    assert after[0] == pytest.approx(0.0)


def test_a_flushed_buffer_is_empty_after_the_record_that_fills_it() -> None:
    rng = np.random.default_rng(3)
    taken = np.concatenate(([0.0], np.cumsum(rng.uniform(0.5, 3, 400))))
    period = 37.0
    held, expected_after, expected_during = 0.0, [0.0], [0.0]
    for grown in np.diff(taken):
        held += grown
        expected_during.append(held / period)
        held = 0.0 if held >= period - 1e-9 else held
        expected_after.append(held / period)

    after, during = Law("flushed", period).held(taken)

    assert expected_after == pytest.approx(after.tolist(), abs=1e-9)
    assert expected_during == pytest.approx(during.tolist(), abs=1e-9)


def test_a_doubling_container_holds_both_arrays_while_it_copies() -> None:
    slots, capacity, element = 1000, 1, 0.6 / 1000
    slot = 0.4 / 1024
    expected_after, expected_during = [capacity * slot], [capacity * slot]
    for count in range(1, slots + 1):
        old = capacity
        while capacity < count:
            capacity *= 2
        copying = old * slot if capacity > old else 0.0
        expected_after.append(count * element + capacity * slot)
        expected_during.append(count * element + capacity * slot + copying)

    after, during = Law("doubling", float(slots)).held(np.arange(slots + 1) / slots)

    assert expected_after == pytest.approx(after.tolist())
    assert expected_during == pytest.approx(during.tolist())


def test_two_generations_add_up_to_a_line() -> None:
    young, _ = Law("young", 0.17).held(STEPS)
    old, _ = Law("old", 0.17).held(STEPS)

    assert (young + old).tolist() == pytest.approx(STEPS.tolist())
    assert young.max() <= 0.17 + 1e-9


def test_a_block_is_there_until_its_last_record_is_done() -> None:
    # two blocks of 500 records, the second twice as large: it is read when the first is done
    after, during = Law("blocks", 0.5, (1.0, 2.0)).held(STEPS)

    assert (after[499], during[499], during[500], after[500]) == (1.0, 1.0, 2.0, 2.0)
    assert after[999] == 2.0
