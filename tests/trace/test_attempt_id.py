"""The id of an attempt names its job, its task and its try."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mprof.trace import find_attempt_id, parse_attempt_id


@given(
    cluster=st.integers(1, 10**13),
    job=st.integers(1, 10**6),
    letter=st.sampled_from("mr"),
    index=st.integers(0, 10**7),
    number=st.integers(0, 99),
)
def test_what_task_attempt_id_writes_is_read_back(
    cluster: int, job: int, letter: str, index: int, number: int
) -> None:
    # TaskAttemptID, TaskID and JobID pad to 6 and 4 digits, and let longer numbers stand.
    text = f"attempt_{cluster}_{job:04d}_{letter}_{index:06d}_{number}"

    found = parse_attempt_id(text)

    assert found is not None
    assert f"job_{cluster}_{job:04d}" == found.job_id
    assert ({"m": "map", "r": "reduce"}[letter], index, number) == (
        found.task_type,
        found.index,
        found.number,
    )
    assert find_attempt_id(f"logs/{text}.d") == found


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "attempt",
        "attempt_1_0001_s_000000_0",
        "attempt_1_0001_m_000000",
        "x attempt_1_0001_m_000000_0",
        "appattempt_1_0001_000001",
    ],
)
def test_anything_else_is_none(text: str | None) -> None:
    assert parse_attempt_id(text) is None
