"""Which end of copies that failed is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mprof.triage.copies import Blamed, blamed_for_copies

COPIES = st.lists(
    st.tuples(st.sampled_from("123456"), st.sampled_from("abc"), st.sampled_from("abcd"))
)


def test_a_node_that_cannot_read_from_several_is_named_and_they_are_not() -> None:
    found = blamed_for_copies([("m1", "a", "x"), ("m2", "b", "x"), ("m3", "b", "x")])

    assert ((Blamed("x", True, ("m1", "m2", "m3"), frozenset("ab")),), ()) == found


def test_a_node_from_which_several_cannot_read_is_named() -> None:
    found = blamed_for_copies([("m1", "a", "x"), ("m1", "a", "y"), ("m2", "a", "z")])
    assert ((Blamed("a", False, ("m1", "m2"), frozenset("xyz")),), ()) == found


@pytest.mark.parametrize(
    "copies",
    [
        [("m1", "a", "x")],
        # a and x have two other ends each: either explains two of the three
        [("m1", "a", "x"), ("m1", "a", "y"), ("m2", "b", "x")],
    ],
)
def test_where_either_end_may_be_it_nobody_is_named(copies: list[tuple[str, str, str]]) -> None:
    nodes, untold = blamed_for_copies(copies)

    assert nodes == ()
    assert set(untold) == {attempt for attempt, _, _ in copies}


@given(COPIES)
def test_each_failure_is_explained_by_a_node_at_its_end_or_by_none(
    copies: list[tuple[str, str, str]],
) -> None:
    nodes, untold = blamed_for_copies(copies)

    for attempt, wrote, read in copies:
        ends = {(wrote, False), (read, True)}
        told = [one for one in nodes if (one.host, one.reads) in ends and attempt in one.attempts]
        assert told or attempt in untold
    assert all(len(one.others) > 1 for one in nodes)
