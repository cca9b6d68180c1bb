"""The query of a job: from its configuration, its clauses, and what advice says of them."""

from __future__ import annotations

import urllib.parse
from dataclasses import replace

import pytest
from builders.evidence import map_attempt, with_growth
from builders.examples import examples_of

from mprof.advice import advise
from mprof.code_site import CodeSite, ScriptSite
from mprof.diagnosis import Advice, diagnose
from mprof.engines import SCRIPT_FRAMEWORKS
from mprof.evidence import Evidence, Script
from mprof.evidence.assemble.script import script_of
from mprof.history import JobConf
from mprof.report import render_html, render_text
from mprof.rules import RULES
from mprof.units import MIB

HIVE = next(each for each in SCRIPT_FRAMEWORKS if each.name == "Hive")
QUERY = """\
insert overwrite directory '/out?password=x1'
select a.host, n, 'group by nothing'  -- don't group by this
from (
  select host, count(*) n from hits
  where day like '2014-(05)%'
  group by host
) a
left outer join (
  select host, max(coalesce(bytes,
                            0)) m from hits group by host,
    day
) b on (a.host = b.host)
order by n"""

JOIN = (
    "left outer join ( select host, max(coalesce(bytes, 0)) m from hits group by host, day ) "
    "b on (a.host = b.host)"
)


def query(text: str = QUERY) -> Script:
    stored = "\n\n" + text
    found = script_of(JobConf({"hive.query.string": urllib.parse.quote_plus(stored)}), "map", "map")
    assert found is not None
    return found


def site(operator: str, *columns: str) -> ScriptSite:
    return ScriptSite("Hive", "OP_7", None, operator, columns)


def test_the_text_is_that_of_the_query_from_its_first_line() -> None:
    found = query()

    assert "\n".join(found.lines) == QUERY
    assert (found.framework.name, found.name, found.statements) == ("Hive", None, ())


@pytest.mark.parametrize(
    ("operator", "columns", "text", "lines"),
    [
        ("GroupByOperator", ("host",), None, None),  # either
        ("GroupByOperator", (), None, None),
        ("GroupByOperator", ("day", "host"), "group by host, day", (10, 11)),
        ("JoinOperator", (), JOIN, (8, 12)),
        ("FilterOperator", (), "where day like '...'", (5, 5)),
        ("PTFOperator", (), None, None),
        ("FileSinkOperator", (), None, None),
    ],
)  # fmt: skip
def test_an_operator_is_told_by_its_clause(
    operator: str, columns: tuple[str, ...], text: str | None, lines: tuple[int, int] | None
) -> None:
    found = query().clause_of(site(operator, *columns))

    assert (found.text if found else None) == text
    assert ((found.line, found.end) if found else None) == lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("SELECT DISTINCT x, y FROM t", "SELECT DISTINCT x, y"),
        ("select x from t group  by\n x having count(*) > 1", "group by x"),
        ("select x from t group by x; ", "group by x"),
        ("select x from (select x from t group by x)", "group by x"),
        ("select regroup from t sort by group_by", None),
        ("", None),
    ],
)
def test_a_clause_ends_where_the_next_one_of_its_level_begins(text: str, shown: str | None) -> None:
    assert query(text or " ").text_of(site("GroupByOperator")) == shown


def test_a_place_without_a_clause_is_its_operator() -> None:
    assert query().shown(site("GroupByOperator")) == "operator OP_7 of the query"
    assert query().shown(site("GroupByOperator", "day")) == (
        "group by host, day (line 10 of the query, operator OP_7)"
    )


def test_what_is_quoted_is_not_shown() -> None:
    lines = dict(query().shown_lines())

    assert lines[1] == "insert overwrite directory '...'"
    assert lines[2].strip() == "select a.host, n, '...'"
    assert lines[13] == "order by n"
    assert query("select 1\n" * 100).shown_lines() == ()


def test_a_quoted_text_of_several_lines_moves_no_line() -> None:
    assert dict(query("select 'a\nb' x\nfrom t").shown_lines())[3] == "from t"
    assert query("select 'a\nb' x\nfrom t\ngroup by x").line_of(site("GroupByOperator")) == 4


# --- advice ---------------------------------------------------------------------------------------


def of_hive(evidence: Evidence, operator: str, **conf: str) -> Evidence:
    at = site(operator, "day")
    holders = evidence.holders if isinstance(evidence.holders, tuple) else ()
    code = CodeSite(f"org.apache.hadoop.hive.ql.exec.{operator}", "process", None, None)
    return replace(
        evidence,
        script=query(),
        holders=tuple(replace(one, script=at, site=code) for one in holders),
        conf={**evidence.conf, **conf},
    )


def advice(evidence: Evidence) -> dict[tuple[str, str | None], Advice]:
    return {(one.cause, one.property): one for one in advise(diagnose(evidence)).diagnosis.advice}


def in_map(operator: str = "GroupByOperator", **conf: str) -> Evidence:
    grown = with_growth(
        map_attempt(), "local table", 150 * MIB,
        lifecycle="map", unit="record", last_x=50_000,
    )  # fmt: skip
    return of_hive(grown, operator, **conf)


CAUSE = "large_accumulated_results.map"


def test_the_hash_table_is_to_be_emptied_before_the_heap_is_full() -> None:
    evidence = in_map(**{"hive.map.aggr.hash.percentmemory": "0.95"})

    line = advice(evidence)[CAUSE, "hive.map.aggr.hash.percentmemory"]

    assert line.old == "0.95"
    assert line.new is not None
    assert 0 < float(line.new) < 0.5
    assert "group by host, day (line 10 of the query" in line.text
    assert line.text.endswith(f"Before the query: SET hive.map.aggr.hash.percentmemory={line.new};")
    text = render_text(advise(diagnose(evidence))).replace("\N{NO-BREAK SPACE}", " ")
    assert f"--hiveconf hive.map.aggr.hash.percentmemory={line.new}" in text
    assert "-D hive" not in text


def test_a_table_that_is_small_already_is_left_out() -> None:
    found = advice(in_map(**{"hive.map.aggr.hash.percentmemory": "0.01"}))

    assert found[CAUSE, "hive.map.aggr"].new == "false"
    assert (CAUSE, "hive.map.aggr.hash.percentmemory") not in found


def test_another_operator_has_no_hash_table_of_groups() -> None:
    assert not [one for _, one in advice(in_map("PTFOperator")) if one and one.startswith("hive.")]


@pytest.mark.parametrize(
    ("operator", "name"),
    [
        ("GroupByOperator", None),
        ("JoinOperator", "hive.optimize.skewjoin"),
        ("PTFOperator", None),
    ],
)
def test_a_hot_key_is_spread_by_a_setting(operator: str, name: str | None) -> None:
    (rule,) = [one for one in RULES if one.cause == "hotspot_key"]
    examples = [one.evidence() for one in examples_of(rule) if one.says == "FIRES"]
    firing = [one for one in examples if one.holders]  # in the shuffle no clause is at work

    found = [advice(of_hive(one, operator)) for one in firing]

    assert [one for one in found if ("hotspot_key", name) in one]
    assert all(key[1] == name for one in found for key in one if key[0] == "hotspot_key" and name)


@pytest.mark.parametrize(
    ("operator", "kept", "rows"),
    [("JoinOperator", "2000000", True), ("JoinOperator", None, True),
     ("JoinOperator", "10000", False), ("JoinOperator", "x", False),
     ("GroupByOperator", "2000000", False)],
)  # fmt: skip
def test_a_join_that_keeps_more_rows_of_a_key_than_fit_is_told_how_many_do(
    operator: str, kept: str | None, *, rows: bool
) -> None:
    (rule,) = [one for one in RULES if one.cause == "large_accumulated_results.group"]
    growing = next(one for one in examples_of(rule) if one.says == "FIRES").evidence()
    of_join = of_hive(growing, operator)
    conf = {**of_join.conf, **({"hive.join.cache.size": kept} if kept else {})}

    found = advice(replace(of_join, conf=conf))

    # 200 MB for 50,000 rows in a heap of 240 MB: half of the 164 MB of room hold some 20,000
    line = found.get(("large_accumulated_results.group", "hive.join.cache.size"))
    assert (line is not None) == rows
    if line is not None:
        assert (line.old, line.new) == (kept or "25000", "20000")


def test_a_table_that_a_mapper_loads_is_joined_in_the_reducers_instead() -> None:
    (rule,) = [one for one in RULES if one.cause == "large_external_data"]
    example = next(one for one in examples_of(rule) if one.says == "FIRES").evidence()
    evidence = of_hive(example, "MapJoinOperator")
    load = evidence.external
    assert not hasattr(load, "missing")

    found = advice(evidence)

    names = {name for cause, name in found if cause == "large_external_data"}
    where = diagnose(evidence).diagnosis.causes[0].finding.where
    in_reducers = "hive.auto.convert.join" in names
    assert in_reducers == (where is not None and where.script is not None)


def test_the_report_marks_the_clause() -> None:
    diagnosed = advise(diagnose(in_map()))

    text, page = render_text(diagnosed), render_html(diagnosed)

    assert "THE QUERY" in text
    assert "    day  <=" in text
    assert "order by n  <=" not in text
    assert "<h2>The query</h2>" in page
    assert "password=x1" not in text + page


VIEW = "select day, sum(n) from visits_by_visitor where day > '2014' group by day"
ALIAS = "select p, count(*) from (select substr(host, 1, 2) {} from hits) a group by p"


@pytest.mark.parametrize(
    ("text", "columns", "found"),
    [
        # a view groups by visitor and day, and its text is elsewhere
        (VIEW, ("day", "visitor"), None),
        (VIEW, ("day",), "group by day"),
        (VIEW, (), "group by day"),
        (ALIAS.format("p"), ("host",), "group by p"),
        (ALIAS.format("as p"), ("host",), "group by p"),
        ("select substr(host, 1, 2), count(*) from hits group by 1", ("host",), "group by 1"),
    ],
)
def test_the_only_clause_of_its_kind_is_not_named_where_it_cannot_be_meant(
    text: str, columns: tuple[str, ...], found: str | None
) -> None:
    assert query(text).text_of(site("GroupByOperator", *columns)) == found


def test_a_name_in_backquotes_is_no_clause() -> None:
    text = "select `group by`, count(*) from `join` where `order by` = 1 group by `host`, `day`"

    found = query(text)

    assert found.text_of(site("GroupByOperator", "host", "day")) == "group by `host`, `day`"
    assert found.text_of(site("JoinOperator")) is None
