"""More evidence never makes it less sure, and one view alone is never sure."""

from __future__ import annotations

import math
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from mprof.peers.comparison import Comparison, Look, NodeStanding
from mprof.peers.findings import Suspect
from mprof.peers.verdict.confidence import confidence

ORDER = ("possible", "likely", "sure")
SCORES = st.floats(1, 100) | st.just(math.inf)
SECONDS = st.floats(0, 1e6)
SURENESS = st.floats(0, 20)  # digits of the chance
EVIDENCE = st.tuples(
    st.integers(1, 4), SCORES, SECONDS, st.integers(1, 20), st.booleans(), SURENESS
)


def rank(evidence: tuple[int, float, float, int, bool, float]) -> int:
    views, score, lasted_s, comparisons, like, digits = evidence
    found = confidence(
        views=views, score=score, lasted_s=lasted_s, comparisons=comparisons, like_its_peers=like,
        chance=10**-digits,
    )  # fmt: skip
    return ORDER.index(found)


@given(EVIDENCE, EVIDENCE)
def test_more_of_anything_is_never_less_sure(
    one: tuple[int, float, float, int, bool, float],
    other: tuple[int, float, float, int, bool, float],
) -> None:
    less = tuple(map(min, zip(one, other, strict=True)))
    more = tuple(map(max, zip(one, other, strict=True)))

    assert rank(less) <= rank(one) <= rank(more)
    assert rank(less) <= rank(other) <= rank(more)


@given(SCORES, SECONDS, st.integers(1, 20), SURENESS)
def test_one_view_alone_is_never_sure(
    score: float, lasted_s: float, comparisons: int, digits: float
) -> None:
    assert rank((1, score, lasted_s, comparisons, True, digits)) < ORDER.index("sure")


def test_the_table_of_the_page_is_what_is_computed() -> None:
    told = {
        (2, True, True): "sure", (2, True, False): "sure", (2, False, True): "sure",
        (2, False, False): "likely", (1, True, True): "likely", (1, True, False): "possible",
        (1, False, True): "possible", (1, False, False): "possible",
    }  # fmt: skip

    found = {
        (views, far, long): confidence(
            views=views, score=3.0 if far else 1.2, lasted_s=900.0 if long else 0.0, comparisons=1
        )
        for views, far, long in product((1, 2), (True, False), (True, False))
    }

    assert found == told


def test_a_small_difference_that_is_far_beyond_chance_is_far() -> None:
    found = [
        confidence(views=1, score=1.2, lasted_s=900.0, comparisons=1, chance=chance)
        for chance in (1e-3, 1e-7)
    ]

    assert ["possible", "likely"] == found


def test_two_detectors_of_the_same_attempts_are_one_view() -> None:
    node = NodeStanding("a", indicted=True, score=1.5)
    looks = {
        detector: Look("attempts", Comparison(detector, (node,)), of="attempts")
        for detector in ("wb-durations", "hb-rate")
    }
    metrics = Look("metrics", Comparison("bb-window", (node,)), of="metrics")

    one_view = Suspect("a", tuple((look, node) for look in looks.values()), compared=2)
    two_views = Suspect("a", (*one_view.looks, (metrics, node)), compared=3)

    assert (one_view.views, one_view.confidence) == (("attempts",), "possible")
    assert (two_views.views, two_views.confidence) == (("attempts", "metrics"), "likely")


def test_the_same_evidence_within_a_rack_is_no_second_comparison() -> None:
    node = NodeStanding("a", indicted=True, score=3.0)
    comparison = Comparison("wb-durations", (node,))
    looks = [Look("attempts of job_1", comparison, "attempts", island=rack) for rack in (None, "r")]
    other = Look("attempts of job_2", comparison, "attempts")

    again = Suspect("a", tuple((look, node) for look in looks), compared=2)
    two_jobs = Suspect("a", ((looks[0], node), (other, node)), compared=2)

    assert (again.confidence, two_jobs.confidence) == ("possible", "likely")
