"""The growth at R_n where nothing but collections tells what was live before it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mprof.evidence import Evidence, Point, Series, Unknown
from mprof.patterns import Absent, Jump, find_patterns
from mprof.rules.examples import holder, map_attempt
from mprof.units import MIB

MISSING = Unknown("heap sizes at earlier records", "rerun")


def died(
    points: list[tuple[float, float]], *, field_mib: float = 150, record_mib: float = 0
) -> Evidence:
    """A map task that died at record 4,001 with 240 MB, points in MB after collections before."""
    series = Series(
        None, "map", "record", tuple(Point(x, size * MIB) for x, size in points), "passive",
        at_death=Point(4001, 240 * MIB),
    )  # fmt: skip
    evidence = map_attempt(
        holders=(holder("this.columns", int(field_mib * MIB)),),
        series=(series,),
        record_growth=MISSING,
    )
    composition = evidence.composition
    assert not isinstance(composition, Unknown)
    in_flight = replace(composition, record_bytes=int(record_mib * MIB))
    return replace(evidence, composition=in_flight)


def jump_of(evidence: Evidence) -> Jump | Absent | Unknown:
    return find_patterns(evidence).jump


def test_it_is_what_was_live_at_the_death_less_what_the_last_collection_left() -> None:
    found = jump_of(died([(1000, 60), (3990, 130), (3990, 128)], record_mib=5))

    assert isinstance(found, Jump)
    assert (found.bytes, found.source) == ((240 - 128 - 5) * MIB, "passive")
    assert found.measured is not None
    assert found.measured.last_records == 11
    assert found.holder is not None
    assert found.holder.path == "this.columns"
    assert found.against_before == "above"


@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param(died([(3990, 160)]), id="the field may have doubled"),
        pytest.param(died([(3990, 200)], field_mib=60), id="less than a fifth of the heap"),
        pytest.param(replace(died([(3990, 130)]), series=()), id="no collection before"),
    ],
)
def test_else_it_is_not_known(evidence: Evidence) -> None:
    assert jump_of(evidence) == MISSING


@pytest.mark.parametrize(("x", "stands"), [(3990, "above"), (80, "cannot tell")])
def test_it_stands_above_what_all_records_before_can_have_added(x: int, stands: str) -> None:
    # 130 MB over 80 records may be 1.6 MB each, and their fence as high as 17 MB
    evidence = died([(x, 130)])
    series = replace(evidence.series[0], at_death=Point(x + 11, 240 * MIB))
    found = jump_of(replace(evidence, series=(series,)))

    assert isinstance(found, Jump)
    assert found.against_before == stands
