"""``mprof heap DUMP --sql`` and ``--waste``, called as a user calls them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from builders.hprof_builder import Builder, FrameSpec
from typer.testing import CliRunner

from mprof.cli.subcommands import app
from mprof.errors import EvidenceError, UsageError
from mprof.heap import open_heap
from mprof.questions.examples import EXAMPLES

pytest.importorskip("duckdb", reason="duckdb is not there: pip install 'mprof-hadoop[sql]'")

DOCS = Path(__file__).parents[2] / "docs"
UGLY = 'a "text", with\ncommas, \x1b[2J and \u202e marks'


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    builder = Builder()
    builder.class_("app.Job", fields={"cache": "object", "done": "boolean", "rate": "double"})
    builder.class_("java.util.ArrayList", fields={"size": "int", "elementData": "object"})
    empty = builder.instance("java.util.ArrayList", elementData=builder.array("java.lang.Object"))
    texts = [builder.string("the same text") for _ in range(6)] + [_ugly(builder)]
    cache = builder.array("java.lang.Object", [*texts, empty])
    job = builder.instance("app.Job", cache=cache, done=True, rate=float("nan"))
    builder.thread("main", [FrameSpec("app.Job", "map", "Job.java", 12, [job])])
    path = tmp_path / "job.hprof"
    path.write_bytes(builder.build())
    return path


def _ugly(builder: Builder) -> int:
    raw = UGLY.encode("utf-16-le")
    value = builder._primitive("byte", len(raw), raw)
    return builder.instance("java.lang.String", value=value, coder=1)


def _heap(*words: object) -> Any:
    return CliRunner().invoke(app, ["heap", *map(str, words)])


def test_a_table_has_identifiers_in_hex_and_says_how_many_rows_there_are(dump: Path) -> None:
    result = _heap(dump, "--sql", "SELECT id, text FROM strings ORDER BY id", "--top", 2)
    assert 0 == result.exit_code, result.output
    heap = open_heap(dump)
    first = min(heap.address(node) for node in heap.instances("java.lang.String").tolist())
    lines = result.stdout.splitlines()
    assert ["id", "text"] == lines[0].split()
    assert [f"0x{first:x}", "the", "same", "text"] == lines[1].split()
    assert "2 of 8 rows; --top shows more, --csv and --output have all" == lines[3]
    assert 4 == len(lines)


def test_nothing_that_a_text_holds_reaches_the_terminal_as_it_is(dump: Path) -> None:
    query = ("--sql", "SELECT text, [text] AS list, {'text': text} AS struct FROM strings")
    for form in ((), ("--json",)):
        result = _heap(dump, *query, *form)
        assert "\x1b" not in result.stdout
        assert "\u202e" not in result.stdout
    one_column = _heap(dump, "--sql", "SELECT text FROM strings").stdout
    assert 1 + 8 == len(one_column.splitlines())


def test_json_and_csv_have_every_row_with_exact_values(dump: Path) -> None:
    query = ("--sql", "SELECT id, text, length FROM strings ORDER BY id", "--top", 1)
    value = json.loads(_heap(dump, *query, "--json").stdout)
    assert [{"name": "id", "type": "id"}, {"name": "text", "type": "string"},
            {"name": "length", "type": "number"}] == value["columns"]  # fmt: skip
    assert 1 == value["schema_version"]
    rows = list(csv.reader(io.StringIO(_heap(dump, *query, "--csv").stdout)))
    assert ["id", "text", "length"] == rows[0]
    assert [[i, t, str(n)] for i, t, n in value["rows"]] == rows[1:]
    heap = open_heap(dump)
    assert {
        f"0x{heap.address(node):x}": heap.string(node)
        for node in heap.instances("java.lang.String").tolist()
    } == {row[0]: row[1] for row in value["rows"]}
    assert UGLY in {row[1] for row in value["rows"]}


def test_values_of_other_types_are_valid_json(dump: Path) -> None:
    query = (
        "SELECT sum(id) AS big, any_value(rate) AS rate, any_value(done) AS done, "
        "[1.5, NULL] AS list, DATE '2026-01-02' AS day, 'x'::BLOB AS bytes, NULL AS nothing, "
        '0.5::DECIMAL(4, 2) AS half FROM "app.Job"'
    )
    value = json.loads(_heap(dump, "--sql", query, "--json").stdout)
    address = open_heap(dump).address(open_heap(dump).instances("app.Job")[0])
    assert [[address, None, True, [1.5, None], "2026-01-02", "78", None, 0.5]] == value["rows"]
    assert "NaN" not in _heap(dump, "--sql", query, "--json").stdout


@pytest.mark.parametrize("suffix", ["parquet", "csv", "json"])
def test_a_file_has_every_row_and_is_never_overwritten(dump: Path, suffix: str) -> None:
    output = dump.with_name(f"out.{suffix}")
    query = ("--sql", "SELECT id, text FROM strings ORDER BY id")
    result = _heap(dump, *query, "-o", output)
    assert (0, f"8 rows in {output}\n") == (result.exit_code, result.stdout)
    expected = [
        (row[0], row[1]) for row in json.loads(_heap(dump, *query, "--json").stdout)["rows"]
    ]
    if suffix == "parquet":
        import pyarrow.parquet as pq

        found = [(f"0x{row['id']:x}", row["text"]) for row in pq.read_table(output).to_pylist()]
    elif suffix == "csv":
        with output.open(encoding="utf-8", newline="") as file:
            found = [(row[0], row[1]) for row in list(csv.reader(file))[1:]]
    else:
        found = [(row[0], row[1]) for row in json.loads(output.read_text("utf-8"))["rows"]]
    assert expected == found
    again = _heap(dump, *query, "-o", output)
    assert isinstance(again.exception, UsageError)
    assert "already exists" in str(again.exception)
    assert {dump, output} == set(dump.parent.iterdir())


def test_a_question_that_fails_halfway_leaves_no_file(dump: Path) -> None:
    output = dump.with_name("out.csv")
    result = _heap(dump, "--sql", "SELECT CAST(text AS INT) FROM strings", "-o", output)
    assert isinstance(result.exception, UsageError)
    assert [dump] == list(dump.parent.iterdir())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--sql", "SELECT siez FROM objects"), "objects has id, class"),
        (("--sql", "DROP TABLE objects"), "is not one SELECT"),
        (("--sql", "SELECT 1", "--sql-example", "threads"), "give one of them"),
        (("--sql", "SELECT 1", "--waste"), "--waste and --sql exclude each other"),
        (("--histogram", "--strings"), "--histogram and --strings exclude each other"),
        (("--sql-example", "nothing"), "choose one of histogram"),
        (("--sql", "SELECT 1", "--csv", "--json"), "ask for one of them"),
        (("--sql", "SELECT 1", "--csv", "-o", "x.csv"), "leave one of them out"),
        (("--sql", "SELECT 1", "-o", "x.xlsx"), ".parquet, .csv or .json"),
        (("--csv",), "add --sql QUERY"),
        (("-o", "x.csv"), "add --sql QUERY"),
    ],
)
def test_what_is_wrong_is_one_error_with_the_next_step(
    dump: Path, words: tuple[str, ...], says: str
) -> None:
    result = _heap(dump, *words)
    assert isinstance(result.exception, UsageError)
    assert says in str(result.exception)
    assert "\n" not in str(result.exception)


def test_what_is_no_dump_is_said_before_the_question(tmp_path: Path) -> None:
    path = tmp_path / "no.hprof"
    path.write_bytes(b"no dump at all")
    assert isinstance(_heap(path, "--sql", "SELECT 1").exception, EvidenceError)
    assert isinstance(_heap(path, "--waste").exception, EvidenceError)


def test_the_list_of_examples_needs_no_dump(tmp_path: Path) -> None:
    result = _heap(tmp_path / "nowhere", "--sql-example", "list")
    assert [one.name for one in EXAMPLES] == [
        line.partition(":")[0] for line in result.stdout.splitlines()
        if line and not line.startswith(" ")
    ]  # fmt: skip
    value = json.loads(_heap(tmp_path / "nowhere", "--sql-example", "list", "--json").stdout)
    assert [one.sql.strip() for one in EXAMPLES] == [one["sql"] for one in value["examples"]]


def test_waste_is_said_in_text_and_json(dump: Path) -> None:
    text = _heap(dump, "--waste")
    assert 0 == text.exit_code, text.output
    assert "java.util.ArrayList empty" in text.stdout
    assert "1 from app.Job.cache" in text.stdout
    assert "5 copies of 'the same text'" in text.stdout
    assert "\x1b" not in text.stdout
    value = json.loads(_heap(dump, "--waste", "--json").stdout)
    (row,) = value["collections"]
    assert ("java.util.ArrayList", "empty", 1) == (row["class"], row["flaw"], row["objects"])
    # the list of 12 + 4 + 4 and its array of 16, which nothing else holds
    assert 24 + 16 == row["saved_bytes"]
    schema = json.loads((DOCS / "reference" / "waste.schema.json").read_text("utf-8"))
    jsonschema.validate(value, schema)
    assert value.keys() == schema["properties"].keys()
