"""What a text says of sizes is found in bounded time."""

from __future__ import annotations

import time

import pytest

from mprof.trace.needs import needs_in

MOST_SECONDS = 2.0  # one pattern for a whole query took 15 s for 12 KB of them


@pytest.mark.parametrize(
    "half_a_query",
    ["insert from x", "select a from b", "select", "from", "select a from b; join c", "1.1"],
)
def test_half_queries_cost_no_time(half_a_query: str) -> None:
    lines = [f"{half_a_query} " * 20] * (100_000 // (20 * len(half_a_query)))
    started = time.process_time()

    found = needs_in(lines)

    assert time.process_time() - started < MOST_SECONDS
    assert found.clauses == ()


@pytest.mark.parametrize(
    ("query", "clauses"),
    [
        ("select a from b join c on b.x = c.x", ("JOIN",)),
        ("SELECT k, count(*) FROM t GROUP BY k", ("GROUP BY",)),
        ("insert into d select a from b join (select k from c group by k) e", ("JOIN", "GROUP BY")),
        ("select a from b; we join them later", ()),
        ("from b join c", ()),
        ("select a from b" + " where" * 1000 + " group by k", ()),
        ("select a from b join c; set hive.optimize.skewjoin = true", ()),
    ],
)
def test_the_clauses_of_a_query(query: str, clauses: tuple[str, ...]) -> None:
    assert needs_in([query]).clauses == clauses
