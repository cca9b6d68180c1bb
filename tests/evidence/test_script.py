"""The script of a job: from its configuration, and what reports and advice say of it."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from builders.evidence import reduce_attempt, with_growth
from builders.examples import examples_of

from mprof.advice import advise
from mprof.catalogue import find_case, replay_case
from mprof.catalogue.case import load_case
from mprof.code_site import CodeSite, ScriptSite
from mprof.diagnosis import Advice, Diagnosed, diagnose
from mprof.engines import SCRIPT_FRAMEWORKS, Place
from mprof.evidence import Evidence, Group, GroupSizes, Partitions, Script, Unknown
from mprof.evidence.assemble.script import script_of
from mprof.history import JobConf
from mprof.report import render_html, render_text, to_json
from mprof.rules import RULES
from mprof.units import MIB

ROOT = Path(__file__).parents[2]
CASE = ROOT / "cases" / "pig-distinct-count"
SCHEMA = json.loads((ROOT / "docs" / "reference" / "diagnosis.schema.json").read_text())
TEXT = "-- a script\nrows = LOAD 'in';\ng = GROUP rows BY $0;\nSTORE g INTO 'out?password=x1';\n"
FRAMEWORK = next(each for each in SCRIPT_FRAMEWORKS if each.name == "Pig")
PIG = {
    "pig.script.id": "3019631c",
    "mapreduce.workflow.name": "/home/user/count by rank.pig",
    "pig.alias.location": "M: rows[2,7],rows[-1,-1],1-1[3,4] C: g[3,4],n[4,1] R: g[3,4]",
}


def stored(text: str) -> str:
    """As Java's ObjectOutputStream writes a String, deflated and in base64."""
    data = text.encode()
    is_long = len(data) > 0xFFFF
    head = b"|" + len(data).to_bytes(8, "big") if is_long else b"t" + len(data).to_bytes(2, "big")
    return base64.b64encode(zlib.compress(b"\xac\xed\x00\x05" + head + data)).decode()


def script(task: str = "map", place: Place | None = "map", **conf: str) -> Script:
    found = script_of(JobConf({**PIG, **conf}), task, place)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("task", "place", "statements"),
    [
        ("map", "map", [("rows", 2), ("1-1", 3)]),
        ("map", "combine", [("g", 3), ("n", 4)]),
        ("reduce", "shuffle", [("g", 3), ("n", 4)]),
        ("reduce", "reduce", [("g", 3)]),
        ("map", None, [("rows", 2), ("1-1", 3)]),
        ("map", "init", []),
    ],
)
def test_the_statements_are_those_of_the_step(
    task: str, place: Place | None, statements: list[tuple[str, int]]
) -> None:
    found = script(task, place)

    assert [(one.alias, one.line) for one in found.statements] == statements
    assert {one.framework for one in found.statements} <= {"Pig"}


@pytest.mark.parametrize("size", [0, 3000])
def test_the_text_is_that_of_the_script(size: int) -> None:
    found = script(**{"pig.script": stored(TEXT + "-- a longer script\n" * size)})

    assert found.name == "count by rank.pig"
    assert found.lines[:3] == ("-- a script", "rows = LOAD 'in';", "g = GROUP rows BY $0;")
    assert len(found.lines) == 5 + size
    assert found.text_of(ScriptSite("Pig", "g", 3)) == "g = GROUP rows BY $0;"
    assert found.text_of(ScriptSite("Pig", "g", 99999)) is None


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("d = LOAD 'x' USING D('root', 's3cr3t');", "d = LOAD '...' USING D('...', '...');"),
        ("d = FILTER a BY token=abc;", "d = FILTER a BY token=***;"),
        ("  d=DISTINCT b;", "d=DISTINCT b;"),
        ("SET fs.s3a.secret.key 'AKIA';", None),
        ("%declare d_PASSWORD 'hunter2'", None),
        ("added = LOAD 'x';", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_line_is_shown_where_it_names_the_statement_without_what_is_quoted(
    line: str, shown: str | None
) -> None:
    found = Script(FRAMEWORK, lines=("", line))

    assert found.text_of(ScriptSite("Pig", "d", 2)) == shown


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = LOAD 'x';\n placed = FOREACH a GENERATE $0;\nb = GROUP placed BY $0;", 2),
        ("placed = LOAD 'x';\nplaced = FOREACH placed GENERATE $0;", None),
        ("a = FILTER b BY placed == 3;", None),
        ("displaced = LOAD 'x';", None),
    ],
)
def test_an_alias_without_a_line_stands_where_it_is_assigned_if_that_is_one_line(
    text: str, line: int | None
) -> None:
    found = Script(FRAMEWORK, name="x.pig", lines=tuple(text.split("\n")))
    site = ScriptSite("Pig", "placed", None)

    assert found.line_of(site) == line
    assert found.shown(site) == ("alias placed" if line is None else "alias placed (x.pig:2)")
    assert (found.text_of(site) is None) == (line is None)


def test_lines_are_counted_as_pig_does() -> None:
    odd = "a = LOAD 'x' USING PigStorage('\x1e');\x0c\x85\u2028\ng = GROUP a BY $0;"

    found = script(**{"pig.script": stored(odd)})

    assert found.text_of(ScriptSite("Pig", "g", 2)) == "g = GROUP a BY $0;"


@pytest.mark.parametrize(
    "text",
    [
        "", "not base64!", base64.b64encode(b"not deflated").decode(),
        base64.b64encode(zlib.compress(b"no Java stream")).decode(),
        base64.b64encode(zlib.compress(b"\xac\xed\x00\x05sr\x00\x01a")).decode(),
    ],
)  # fmt: skip
def test_a_text_that_cannot_be_read_is_none(text: str) -> None:
    assert script(**{"pig.script": text}).lines == ()


def test_a_text_that_unpacks_to_very_much_is_cut() -> None:
    found = script(**{"pig.script": stored("x" * (64 << 20))})

    assert sum(map(len, found.lines)) <= 1 << 20


@pytest.mark.parametrize("name", ["default", "", None])
def test_without_a_file_name_there_is_none(name: str | None) -> None:
    conf = {key: value for key, value in PIG.items() if key != "mapreduce.workflow.name"}
    named = {} if name is None else {"mapreduce.workflow.name": name}
    found = script_of(JobConf({**conf, **named, "mapreduce.job.name": "a.b"}), "map", "map")

    assert found is not None
    assert found.name is None


@pytest.mark.parametrize("conf", [None, JobConf({}), JobConf({"pig.version": "0.18.0"})])
def test_another_job_has_no_script(conf: JobConf | None) -> None:
    assert script_of(conf, "map", "map") is None


@pytest.mark.parametrize(
    "aliases", ["", "M:", "M: a[", "a[1,2]", "M: [1,2] C", "X: a[1,2]", "M: a[99999999999,1]"]
)
def test_aliases_that_cannot_be_read_are_none(aliases: str) -> None:
    assert script(**{"pig.alias.location": aliases}).statements == ()


@pytest.fixture(scope="module")
def recorded() -> Diagnosed:
    return replay_case(load_case(CASE)).diagnosed


def test_a_real_job_names_the_lines_of_its_script(recorded: Diagnosed) -> None:
    found = recorded.evidence.script
    own = (CASE / "job" / "distinct-count.pig").read_text().splitlines()

    assert found is not None
    assert "\n".join(found.lines).splitlines() == own
    line = next(number for number, text in enumerate(own, 1) if text.startswith("grouped ="))
    for cause in recorded.diagnosis.causes:
        assert cause.finding.where is not None
        assert cause.finding.where.script == ScriptSite("Pig", "grouped", line, "POPackage")


def test_reports_speak_of_the_script(recorded: Diagnosed) -> None:
    text, page, public = render_text(recorded), render_html(recorded), to_json(recorded)

    jsonschema.validate(public, SCHEMA)
    assert public["causes"][0]["where"]["statement"]["alias"] == "grouped"
    assert public["script"]["name"] == "distinct-count.pig"
    assert "alias grouped (distinct-count.pig:4)" in " ".join(text.split())
    assert "line 4     grouped = GROUP rankings BY pageRank PARALLEL 2;  <=" in text
    assert "line 5     counts = FOREACH grouped {\n" in text
    assert "<h2>The script</h2>" in page
    assert "grouped = GROUP rankings BY pageRank PARALLEL 2;" in page


def test_a_job_without_a_script_has_no_section() -> None:
    other = replay_case(find_case(ROOT / "cases", "reduce-merge")).diagnosed

    assert to_json(other)["script"] is None
    assert "THE SCRIPT" not in render_text(other)
    assert "The script" not in render_html(other)


# --- advice ---------------------------------------------------------------------------------------


def of_pig(evidence: Evidence, **conf: str) -> Evidence:
    site = ScriptSite("Pig", "g", 3, "POPackage")
    holders = evidence.holders if isinstance(evidence.holders, tuple) else ()
    code = CodeSite("org.apache.pig.data.POPackage", "getNext", "POPackage.java", 7)
    return replace(
        evidence,
        script=Script(
            FRAMEWORK, "a.pig", (site,), ("-- g", "", "g = GROUP rows BY $0 parallel 2;")
        ),
        holders=tuple(replace(one, script=site, site=code) for one in holders),
        conf={**evidence.conf, **conf},
        set_in_code=frozenset({"pig.exec.nocombiner", "pig.cachedbag.memusage"}),
    )


def in_group(**conf: str) -> Evidence:
    """A list of 200 MB after 50,000 records of a hot group."""
    groups = GroupSizes(Group(31, 50_001, whole=True))
    evidence = with_growth(
        reduce_attempt(groups=groups), "local bag", 150 * MIB,
        lifecycle="group", unit="record_in_group", last_x=50_000,
    )  # fmt: skip
    return of_pig(evidence, **conf)


def advice(evidence: Evidence) -> dict[str | None, Advice]:
    return {one.property: one for one in advise(diagnose(evidence)).diagnosis.advice}


def test_pigs_bags_are_to_spill_before_the_heap_is_full() -> None:
    found = advice(in_group(**{"pig.cachedbag.memusage": "0.9"}))

    bags = found["pig.cachedbag.memusage"]
    assert bags.old == "0.9"
    assert bags.new is not None
    # Half of the room that is left: 85 % of the heap less what does not grow.
    memory = diagnose(in_group()).patterns.memory
    assert memory is not None
    rest = memory.live_bytes - 150 * MIB
    heap = diagnose(in_group()).evidence.memory.heap_max_bytes
    assert not isinstance(heap, Unknown)
    assert float(bags.new) == pytest.approx(
        (0.85 * memory.capacity_bytes - rest) / 2 / heap, abs=0.01
    )
    assert bags.text.endswith(f"In the script: SET pig.cachedbag.memusage {bags.new};")
    assert "(alias g, line 3)" in found[None].text
    assert "pig.exec.nocombiner" not in found  # it died in reduce()


@pytest.mark.parametrize("share", ["0.01", "much"])
def test_bags_that_are_small_already_stay(share: str) -> None:
    assert "pig.cachedbag.memusage" not in advice(in_group(**{"pig.cachedbag.memusage": share}))


def test_the_combiner_is_switched_off_where_it_died_in_it() -> None:
    inside = replace(in_group(), place="combine")

    assert advice(inside)["pig.exec.nocombiner"].new == "true"
    off = replace(inside, conf={"pig.exec.nocombiner": "true"})
    assert "pig.exec.nocombiner" not in advice(off)


@pytest.mark.parametrize(
    ("feature", "words"),
    [
        ("HASH_JOIN", "USING 'skewed'"),
        ("GROUP_BY,COMBINER", "GROUP BY (the key"),
        ("COGROUP", "GROUP BY (the key"),
        ("MERGE_COGROUP", "GROUP BY (the key"),
    ],
)
def test_a_hot_key_is_spread_in_the_words_of_the_script(
    recorded: Diagnosed, feature: str, words: str
) -> None:
    evidence = replace(recorded.evidence, conf={"pig.job.feature": feature})

    found = advise(diagnose(evidence)).diagnosis.advice

    (spread,) = [one for one in found if one.cause == "hotspot_key"]
    assert words in spread.text
    assert "(alias grouped, line 4)" in spread.text


@pytest.mark.parametrize("requested", ["2", "-1", None])
def test_parallel_goes_before_the_property(requested: str | None) -> None:
    cause = "improper_partition.few_reducers"
    (rule,) = [one for one in RULES if one.cause == cause]
    example = next(one for one in examples_of(rule) if one.says == "FIRES").evidence()
    conf = {} if requested is None else {"pig.info.reducers.requested.parallel": requested}

    (line,) = [one for one in advice(of_pig(example, **conf)).values() if one.cause == cause]

    # JobControlCompiler overwrites mapreduce.job.reduces.
    assert line.property is None
    assert "mapreduce.job.reduces" not in line.text
    if requested == "2":
        assert "instead of PARALLEL 2 (line 3): " in line.text
    else:
        assert line.text.startswith("SET default_parallel ")


def test_where_no_number_of_reducers_helps_no_default_is_set() -> None:
    # a key for each reducer: any more would stay empty
    cause = "improper_partition.few_reducers"
    (rule,) = [one for one in RULES if one.cause == cause]
    example = next(one for one in examples_of(rule) if one.says == "FIRES").evidence()
    assert isinstance(example.partitions, Partitions)
    partitions = replace(example.partitions, keys=(1, 1, 1))

    found = advise(diagnose(replace(of_pig(example), partitions=partitions))).diagnosis.advice

    (line,) = [one for one in found if one.cause == cause]
    assert line.kind == "data"
    assert line.text.startswith("More than the 3 reducers are not advised: ")


def test_what_a_function_of_the_users_keeps_is_no_bag() -> None:
    evidence = in_group(**{"pig.cachedbag.memusage": "0.9"})
    own = CodeSite("com.example.Udf", "exec", "Udf.java", 7)
    holders = evidence.holders if isinstance(evidence.holders, tuple) else ()
    evidence = replace(evidence, holders=tuple(replace(one, site=own) for one in holders))

    found = advice(evidence)

    assert "pig.cachedbag.memusage" not in found
    assert "(Udf.exec(), line 7)" in found[None].text


def test_a_value_of_several_words_stands_in_quotes() -> None:
    name = "mapreduce.map.java.opts"
    (rule,) = [one for one in RULES if one.cause == "large_external_data"]
    firing = (one.evidence() for one in examples_of(rule) if one.says == "FIRES")
    example = next(one for one in firing if name in advice(one))

    line = advice(of_pig(example, **{name: "-Da=b -Xmx250m"}))[name]

    assert line.text.endswith(f"SET mapreduce.map.java.opts '{line.new}';")


def test_a_smaller_split_is_one_that_pig_does_not_undo() -> None:
    (rule,) = [one for one in RULES if one.cause == "large_input_split"]
    example = next(one for one in examples_of(rule) if one.says == "FIRES").evidence()

    found = advice(of_pig(example))

    split = found["mapreduce.input.fileinputformat.split.maxsize"]
    assert found["pig.maxCombinedSplitSize"].new == split.new
