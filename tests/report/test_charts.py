"""Pictures: what is drawn stands where its number says."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from mprof.report.charts import (
    Bar,
    Curve,
    Part,
    bars_svg,
    composition_svg,
    curves_svg,
)
from mprof.report.ticks import ticks
from mprof.units import KIB, MIB


@given(st.floats(1, 1e15), st.sampled_from([1, KIB, MIB]))
def test_an_axis_has_a_few_marks_at_round_values(most: float, unit: int) -> None:
    marks = list(ticks(most, unit))

    assert marks[0] == 0
    assert marks[-1] <= most
    assert len(marks) <= 5
    for tick in marks[1:2]:  # the step: 1, 2 or 5 with zeros, in whole units
        assert re.fullmatch("[125]0*", str(tick // unit))
        assert tick % unit == 0
    assert [tick * marks[1] for tick in range(len(marks))] == marks if marks[1:] else True


def test_a_curve_is_drawn_to_the_ring_that_marks_its_death() -> None:
    curve = Curve("x", ((0.0, 0.0), (50.0, 40.0)), "user", death=(100.0, 80.0))

    svg = curves_svg([curve], x_title="records", limit_bytes=100, limit_title="max heap")

    line = re.search(r'points="([^"]*)"', svg)
    ring = re.search(r'class="death" cx="([\d.]+)" cy="([\d.]+)"', svg)
    assert line is not None
    assert ring is not None
    ends = [tuple(map(float, at.split(","))) for at in line[1].split()]
    assert ends[-1] == (float(ring[1]), float(ring[2]))
    assert ends[1][0] - ends[0][0] == ends[2][0] - ends[1][0]  # 0, 50 and 100 records
    assert abs((ends[0][1] - ends[1][1]) - (ends[1][1] - ends[2][1])) < 0.2


def test_pieces_fill_the_bar_in_turn_and_small_ones_are_not_in_the_legend() -> None:
    parts = [Part("user", 0.6, "user objects"), Part("record", 0.0001, None),
             Part("other", 0.3999, "JVM")]  # fmt: skip

    svg = composition_svg(parts, title="t")

    bars = re.findall(r'class="owner (\w+)" x="([\d.]+)" y="4.0" width="([\d.]+)"', svg)
    assert [(owner, float(x), float(width)) for owner, x, width in bars] == [
        ("user", 0.0, 408.0),
        ("record", 408.0, 0.1),
        ("other", 408.1, 271.9),
    ]
    assert re.findall(r"<text[^>]*>([^<]*)", svg) == ["user objects", "JVM"]


def test_bars_are_as_long_as_their_values() -> None:
    svg = bars_svg([Bar("a", 80, "80 B", marked=True), Bar("b", 20, "20 B")], title="t")

    long, short = re.findall(r'class="bar( marked)?" [^>]*width="([\d.]+)"', svg)
    assert (long[0], short[0]) == (" marked", "")
    assert float(long[1]) == 4 * float(short[1])
