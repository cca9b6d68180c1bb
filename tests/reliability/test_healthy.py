"""What is said of tasks that came to their end holds where the model runs them with more input."""

from __future__ import annotations

import numpy as np
import pytest

from reliability.healthy import healthy_tasks, judged, more_input
from reliability.model import Input


def test_more_input_is_said_to_fit_only_where_it_does() -> None:
    # 99 of 100 or more in the long run (docs/reference/reliability.md); of so few one more may fail
    found = [judged(*each) for each in healthy_tasks(97, 400)]
    said = [one for one in found if one.safe_times is not None]

    assert len(said) >= len(found) / 8
    assert sum(not one.fits for one in said) <= 2


@pytest.mark.parametrize("times", [1.1, 1.5, 3.0])
def test_more_input_is_no_more_than_so_many_times_it(times: float) -> None:
    rng = np.random.default_rng(3)
    groups = np.array([1, 40, 3, 200, 16, 5])
    given = Input(rng.lognormal(3, 1, int(groups.sum())), np.ones(int(groups.sum())), groups)

    more, longer = more_input(given, times)

    for one in (more, longer):
        assert one.sizes.sum() <= times * given.sizes.sum() * (1 + 1e-9)
        assert set(one.sizes.tolist()) == set(given.sizes.tolist())
    assert longer.groups is not None
    assert len(longer.groups) == len(groups)
    assert 0.95 * 200 * times <= longer.groups[3] <= 200 * times
