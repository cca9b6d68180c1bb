"""The tables of a heap, row for row what the reader of one node says; SQL over them; its bounds."""

from __future__ import annotations

import gc
import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb", reason="duckdb is not there: pip install 'mprof-hadoop[sql]'")

import duckdb
from builders.hprof_builder import Builder, FrameSpec
from hypothesis import given, settings
from hypothesis import strategies as st

from mprof.errors import UsageError
from mprof.heap import Heap, open_heap
from mprof.questions import HeapTables
from mprof.questions.schema import TABLES

GENERATIONS: list[dict[str, Any]] = [
    {"version": "1.0.1", "width": 4, "compact_strings": False},
    {"version": "1.0.2", "width": 8},
    {"version": "1.0.2", "width": 8, "roots_first": True, "reference": 8, "header": 16,
     "array_header": 24},
]  # fmt: skip
TEXTS = ("", "plain", "Grüße", "Ω and \U0001f600 pairs", "half \ud83d of one", "nul \0 inside")


def _builder(seed: int, **options: Any) -> Builder:
    """Objects of every kind with random references, garbage among them, under a thread."""
    chance = random.Random(seed)
    builder = Builder(**options)
    builder.class_("app.Loader", fields={"parent": "object", "name": "object"})
    loader = builder.instance("app.Loader")
    fields = {"id": "long", "left": "object", "flag": "boolean", "sign": "char", "n": "int",
              "b": "byte", "s": "short", "f": "float", "d": "double"}  # fmt: skip
    builder.class_("app.Node", fields=fields, loader=loader)
    builder.class_("app.Sub", above="app.Node", fields={"left": "object", "N": "int"},
                   loader=loader)  # fmt: skip
    builder.class_("java.lang.ref.Reference", fields={"referent": "object"})
    builder.class_("java.lang.ref.WeakReference", above="java.lang.ref.Reference")
    objects = [_string(builder, text) for text in TEXTS]
    for number in range(chance.randrange(20, 70)):
        values = {"id": chance.randrange(-(1 << 63), 1 << 63), "flag": chance.random() < 0.5,
                  "sign": chance.randrange(1 << 16), "n": number - 30, "b": chance.randrange(-9, 9),
                  "s": -number, "f": number / 4, "d": -number / 8}  # fmt: skip
        objects.append(
            chance.choice([
                lambda v=values: builder.instance("app.Node", **v),
                lambda v=values: builder.instance("app.Sub", **v, N=7),
                lambda: builder.array("app.Node", [0] * chance.randrange(6)),
                lambda: builder.primitives("int", [chance.randrange(2) for _ in range(5)]),
                lambda: builder.primitives("double", [0.0, -0.0, 2.5][: chance.randrange(4)]),
                lambda: builder.instance("java.lang.ref.WeakReference"),
                lambda: builder.string(f"text {chance.randrange(5)}"),
            ])()
        )  # fmt: skip
    for one in objects:
        held = builder._by_identifier[one]
        if held.elements is not None:
            builder.set_elements(one, [chance.choice([0, *objects]) for _ in held.elements])
        elif held.class_ is not None and held.class_.name.startswith("app."):
            builder.set(one, left=chance.choice([0, *objects]))
        elif held.class_ is not None and "Reference" in held.class_.name:
            builder.set(one, referent=chance.choice(objects))
    builder.set_static("app.Node", "HOLDER", "object", chance.choice(objects))
    builder.set_static("app.Node", "LIMIT", "int", -5)
    frames = [FrameSpec("app.Node", f"m{n}", "Node.java", n + 1, chance.choices(objects, k=n))
              for n in range(4)]  # fmt: skip
    builder.thread("main", frames)
    return builder


def _string(builder: Builder, text: str) -> int:
    if builder.compact_strings and max(map(ord, text), default=0) > 255:
        raw = text.encode("utf-16-le", "surrogatepass")
        value = builder._primitive("byte", len(raw), raw)
        return builder.instance("java.lang.String", value=value, coder=1)
    if builder.compact_strings:
        return builder.string(text)
    raw = text.encode("utf-16-be", "surrogatepass")
    return builder.instance(
        "java.lang.String", value=builder._primitive("char", len(raw) // 2, raw)
    )


def _opened(tmp_path: Path, builder: Builder) -> tuple[Heap, HeapTables]:
    path = tmp_path / "built.hprof"
    path.write_bytes(builder.build())
    return open_heap(path), HeapTables(path)


def _rows(tables: HeapTables, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tables.arrow(name).to_pylist()
    return rows


@pytest.fixture(params=range(4))
def seed(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(params=GENERATIONS, ids=["JDK 6", "JDK 17", "JDK 22 without compressed pointers"])
def both(request: pytest.FixtureRequest, tmp_path: Path, seed: int) -> tuple[Heap, HeapTables]:
    return _opened(tmp_path, _builder(seed, **request.param))


def _nearest_object(heap: Heap, node: int) -> int | None:
    above = heap.dominator(node)
    while above and not heap.is_object(above):
        above = heap.dominator(above)
    return heap.address(above) if above else None


def test_objects_are_those_that_a_root_reaches(both: tuple[Heap, HeapTables]) -> None:
    heap, tables = both
    expected = [
        {
            "id": heap.address(node),
            "class": heap.class_name(node),
            "shallow": heap.shallow(node),
            "retained": heap.retained(node),
            "dominator": _nearest_object(heap, node),
            "length": length if (length := heap.array_length(node)) >= 0 else None,
            "reachable": True,
        }
        for node in range(1, heap.nodes)
        if heap.is_object(node)
    ]
    rows = _rows(tables, "objects")
    assert expected == [{name: row[name] for name in expected[0]} for row in rows]
    kinds = Counter(row["kind"] for row in rows)
    assert heap.objects == sum(kinds.values())
    assert kinds["class"] == sum(map(heap.is_class, range(1, heap.nodes)))
    assert {row["kind"] for row in rows if row["length"] is None} == {"class", "instance"}


def test_what_no_root_reaches_is_a_table_of_its_own(both: tuple[Heap, HeapTables]) -> None:
    heap, tables = both
    rows = _rows(tables, "unreachable")
    assert (heap.unreachable.objects, heap.unreachable.shallow_bytes) == (
        len(rows), sum(row["shallow"] for row in rows))  # fmt: skip
    assert not {row["id"] for row in rows} & {row["id"] for row in _rows(tables, "objects")}
    assert not any(row["reachable"] for row in rows)


def test_references_have_the_field_or_the_index(both: tuple[Heap, HeapTables]) -> None:
    heap, tables = both
    expected = Counter(
        (heap.address(node), one.name, heap.address(one.target))
        for node in range(1, heap.nodes)
        if heap.is_object(node)
        for one in heap.references(node)
        if heap.is_object(one.target) and one.name not in ("<frame>", "<thread>")
    )
    rows = _rows(tables, "refs")
    found = Counter(
        (row["source"], row["field"] or f"[{row['index']}]", row["target"])
        for row in rows
        if row["target_class"] is not None
    )
    assert expected == found
    for row in rows:
        node = heap.node_at(row["source"])
        assert node is not None
        assert row["source_class"] == heap.class_name(node)
        target = heap.node_at(row["target"])
        assert row["target_class"] == (None if target is None else heap.class_name(target))


def test_strings_have_their_texts_in_every_coding(both: tuple[Heap, HeapTables]) -> None:
    heap, tables = both
    expected = {
        heap.address(node): heap.string(node)
        for node in heap.instances("java.lang.String").tolist()
    }
    rows = _rows(tables, "strings")
    assert expected == {row["id"]: row["text"] for row in rows}
    # Java counts both halves of a pair.
    assert all(len(row["text"].encode("utf-16-le")) // 2 == row["length"] for row in rows)
    for row in rows:
        value = heap.node_at(row["value"])
        assert value is not None
        assert heap.shallow(value) == row["value_bytes"]


def test_arrays_say_how_much_of_them_is_used(both: tuple[Heap, HeapTables]) -> None:
    heap, tables = both
    expected = {
        heap.address(node): (
            heap.class_name(node),
            heap.array_length(node),
            int((heap.elements(node) >= 0).sum()) if heap.elements(node).size
            else sum(any(raw) for raw in _raw(heap.primitive_array(node))),
        )
        for node in range(1, heap.nodes)
        if heap.array_length(node) >= 0
    }  # fmt: skip
    found = {row["id"]: (row["class"], row["length"], row["filled"])
             for row in _rows(tables, "arrays")}  # fmt: skip
    # Elements that no root reaches otherwise are none: references of arrays are strong.
    assert expected == found


def _raw(values: Any) -> list[bytes]:
    data, size = values.tobytes(), values.dtype.itemsize
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("name", ["app.Node", "app.Sub", "app.Node+"])
def test_a_class_is_a_table_of_its_fields(both: tuple[Heap, HeapTables], name: str) -> None:
    heap, tables = both
    plain = name.removesuffix("+")
    nodes = heap.instances(plain, subclasses=name != plain).tolist()
    rows = _rows(tables, name)
    assert [heap.address(node) for node in nodes] == [row["id"] for row in rows]
    for node, row in zip(nodes, rows, strict=True):
        values = heap.fields(node)
        assert heap.class_name(node) == row["class"]
        assert heap.retained(node) == row["retained"]
        # of Sub, its own left comes first, and app.Node's follows; id is the object's own
        assert values["app.Node.id"] == row["Node.id"]
        # SQL's names have no case, so that n of app.Node is one name with N of app.Sub
        n = "Node.n" if name == "app.Sub" else "n"
        assert values["app.Node.n"] == row[n]
        for field in ("flag", "b", "s", "f", "d"):
            assert values[field] == row[field]
        sign = str(values["sign"])
        assert row["sign"] == (sign if not "\ud800" <= sign <= "\udfff" else "\ufffd")
        left = "app.Node.left" if plain == "app.Node" else "app.Sub.left"
        target = values[left]
        assert row["left"] == (heap.address(int(target)) if target is not None else None) or (
            target is None and heap.node_at(row["left"]) is None
        )
        if name == "app.Sub":
            assert 7 == row["N"]


def test_classes_fields_and_statics_are_those_of_the_dump(both: tuple[Heap, HeapTables]) -> None:
    heap, tables = both
    found: Counter[str] = Counter()
    for row in _rows(tables, "classes"):
        found[row["name"]] += row["objects"]
    assert {one.name: one.objects for one in heap.class_histogram} == {
        name: count for name, count in found.items() if count
    }
    by_name = {row["name"]: row for row in _rows(tables, "classes")}
    loaded = bool(heap.class_objects("app.Sub"))  # else its loader is garbage too
    assert ("app.Loader" if loaded else "(not reachable)", "app.Node", 2, 0) == (
        by_name["app.Sub"]["loader_class"], by_name["app.Sub"]["super_name"],
        by_name["app.Sub"]["fields"], by_name["app.Sub"]["statics"])  # fmt: skip
    assert [("left", "object"), ("N", "int")] == [
        (row["name"], row["type"]) for row in _rows(tables, "fields") if row["class"] == "app.Sub"
    ]
    statics = {row["name"]: row for row in _rows(tables, "statics") if row["class"] == "app.Node"}
    holder = heap.statics("app.Node")["HOLDER"]
    found_class, retained = statics["HOLDER"]["target_class"], statics["HOLDER"]["retained"]
    if isinstance(holder, int):
        assert heap.address(holder) == statics["HOLDER"]["target"]
        assert (heap.class_name(holder), heap.retained(holder)) == (found_class, retained)
    else:  # the class is garbage, and what only it holds
        assert (None, None) == (found_class, retained)
    assert ("-5", None) == (statics["LIMIT"]["value"], statics["LIMIT"]["target"])


def test_threads_frames_and_locals_join(both: tuple[Heap, HeapTables]) -> None:
    heap, tables = both
    answer = tables.sql(
        "SELECT t.name, f.depth, f.method, f.line, l.object FROM threads t "
        "JOIN frames f ON f.thread = t.serial LEFT JOIN locals l "
        "ON l.thread = f.thread AND l.depth = f.depth ORDER BY ALL"
    ).arrow()
    (thread,) = heap.threads
    expected = sorted(
        ("main", depth, frame.method, frame.line, local)
        for depth, frame in enumerate(thread.frames)
        for local in [heap.address(node) for node in frame.locals] or [-1]
    )
    assert expected == [
        tuple(-1 if value is None else value for value in row.values())
        for row in answer.to_pylist()
    ]


# --- questions ------------------------------------------------------------------------------------

COLUMNS = ["id", "class", "kind", "shallow", "retained", "dominator", "length"]
_conditions = st.sampled_from(
    ["shallow > 24", "class LIKE 'app.%'", "length IS NULL", "kind = 'class'", "dominator IS NULL",
     "retained > (SELECT avg(retained) FROM objects)", "COLUMNS('l.*') IS NOT NULL"]
)  # fmt: skip
_selected = st.one_of(
    st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=4, unique=True).map(", ".join),
    st.sampled_from(["*", "* EXCLUDE (id)", "count(*)", "o", "COLUMNS('.*d')", "1",
                     "count(length) FILTER (WHERE shallow > 16)"]),
)  # fmt: skip
_from = st.sampled_from(
    ["objects o", "(SELECT * FROM objects) o", "objects o NATURAL JOIN objects p",
     "objects o JOIN objects p USING (id)", "objects o SEMI JOIN refs r ON r.target = o.id"]
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[HeapTables, Any]:
    """Tables, and a DuckDB that has all of each as an Arrow table."""
    _, tables = _opened(tmp_path_factory.mktemp("whole"), _builder(1))
    connection = duckdb.connect()
    for table in TABLES:
        if table.name in ("objects", "refs", "strings"):
            connection.register(table.name, tables.arrow(table.name))
    return tables, connection


@settings(max_examples=60, deadline=None)
@given(_selected, _from, _conditions)
def test_columns_that_are_left_out_change_no_answer(
    whole: tuple[HeapTables, Any], selected: str, source: str, condition: str
) -> None:
    tables, connection = whole
    if " p" in source or " r" in source:  # names that would be of two tables
        condition, selected = "o.shallow > 24", "o.class, o.retained, p.kind"
        selected = selected if " p" in source else "o.*"
    query = f"SELECT {selected} FROM {source} WHERE {condition}"
    expected = connection.execute(query).fetchall()
    found = tables.sql(query).arrow()
    assert Counter(map(str, expected)) == Counter(
        str(tuple(row)) for row in zip(*(c.to_pylist() for c in found.columns), strict=True)
    )


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{file}')",
        "SELECT * FROM read_text('{file}')",
        "SELECT * FROM read_blob('{file}')",
        "SELECT * FROM parquet_scan('{file}')",
        "SELECT * FROM '{file}'",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM sniff_csv('{file}')",
        "COPY (SELECT 1) TO '{folder}/written.csv'",
        "ATTACH '{folder}/written.db'",
        "EXPORT DATABASE '{folder}/written'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "PRAGMA database_list",
        "CREATE TABLE t AS SELECT 1",
        "DROP VIEW objects",
        "SELECT 1; COPY (SELECT 1) TO '{folder}/written.csv'",
        "SELECT * FROM secret_of_the_program",
    ],
)
def test_a_question_can_neither_read_nor_write_files_nor_change_what_it_may(
    tmp_path: Path, query: str
) -> None:
    secret_of_the_program = duckdb.sql("SELECT 'the secret' AS secret")  # noqa: F841 - a scan of Python's variables would find it
    _, tables = _opened(tmp_path, _builder(0))
    secret = tmp_path / "secret.csv"
    secret.write_text("the,secret\n1,2\n", encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UsageError) as error:
        tables.sql(query.format(file=secret, folder=tmp_path)).arrow()
    assert "the,secret" not in str(error.value)
    assert before == sorted(tmp_path.iterdir())


def test_the_lock_cannot_be_opened_from_inside_a_select(tmp_path: Path) -> None:
    _, tables = _opened(tmp_path, _builder(0))
    found = tables.sql(
        "SELECT name, value FROM duckdb_settings() "
        "WHERE name IN ('enable_external_access', 'lock_configuration') ORDER BY name"
    ).arrow()
    assert [("enable_external_access", "false"), ("lock_configuration", "true")] == [
        tuple(row.values()) for row in found.to_pylist()
    ]


def test_what_is_wrong_is_said_with_the_tables_and_columns_that_there_are(tmp_path: Path) -> None:
    _, tables = _opened(tmp_path, _builder(0))
    with pytest.raises(UsageError) as error:
        tables.sql("SELECT siez FROM objects")
    assert '"siez" not found' in error.value.what
    for table in TABLES:
        assert table.name in error.value.next_step
    assert "objects has id, class, class_id, kind, shallow" in error.value.next_step
    assert "\n" not in str(error.value)
    with pytest.raises(UsageError, match=r"app\.Node has id, class, shallow, retained, Node\.id"):
        tables.sql('SELECT siez FROM "app.Node"')
    with pytest.raises(UsageError, match="Could not convert"):  # found out while it runs
        tables.sql("SELECT CAST(class AS INT) FROM objects").arrow()
    with pytest.raises(UsageError, match="no column siez"):
        tables.arrow("objects", ["siez"])
    with pytest.raises(UsageError, match=r"no table and no class app\.Nothing"):
        tables.arrow("app.Nothing")


def test_a_wrong_question_is_told_before_the_dump_is_analysed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, tables = _opened(tmp_path, _builder(0))
    monkeypatch.setattr("mprof.heap.columns.analyse", lambda *_, **__: pytest.fail("analysed"))
    with pytest.raises(UsageError):
        tables.sql("SELECT siez FROM objects")


def test_only_the_columns_that_are_named_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, tables = _opened(tmp_path, _builder(0))
    monkeypatch.setattr(
        "mprof.heap.columns.HeapColumns.nearest_objects", lambda *_: pytest.fail("made")
    )
    monkeypatch.setattr("mprof.heap.columns.HeapColumns.filled", lambda *_: pytest.fail("made"))
    assert tables.sql("SELECT class, sum(retained) FROM objects GROUP BY class").arrow().num_rows
    assert tables.sql("SELECT max(length) FROM arrays").arrow().num_rows


def test_functions_follow_an_identifier(tmp_path: Path) -> None:
    heap, tables = _opened(tmp_path, _builder(2))
    rows = tables.sql(
        "SELECT id, text_of(id) AS text, class_of(id) AS class, shallow_of(id) AS shallow, "
        "retained_of(id) AS retained FROM objects UNION ALL "
        "SELECT 5, text_of(5), class_of(5), shallow_of(5), retained_of(5) UNION ALL "
        "SELECT NULL, text_of(NULL), class_of(NULL), shallow_of(NULL), retained_of(NULL)"
    ).arrow().to_pylist()  # fmt: skip
    for row in rows:
        node = heap.node_at(row["id"] or 0)
        expected = (
            (None, None, None, None) if node is None
            else (heap.string(node), heap.class_name(node), heap.shallow(node), heap.retained(node))
        )  # fmt: skip
        assert expected == (row["text"], row["class"], row["shallow"], row["retained"])


def test_identifiers_can_be_written_as_text_in_hex(tmp_path: Path) -> None:
    heap, tables = _opened(tmp_path, _builder(3))
    address = heap.address(heap.threads[0].node)
    for written in (f"'0x{address:x}'", str(address)):
        (row,) = tables.sql(f"SELECT class FROM objects WHERE id = {written}").arrow().to_pylist()
        assert "java.lang.Thread" == row["class"]


def test_frames_keep_identifiers_exact_where_one_is_missing(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    heap, tables = _opened(tmp_path, _builder(3))
    frame = tables.frame("objects")
    assert ("UInt64", "Int64", "boolean") == tuple(
        str(frame.dtypes[name]) for name in ("dominator", "length", "reachable")
    )
    assert heap.objects == len(frame) == len(tables.sql("FROM objects").frame())
    assert "<table" in tables.sql("SELECT * FROM threads")._repr_html_()


def test_an_answer_larger_than_one_batch_is_whole(tmp_path: Path) -> None:
    builder = Builder()
    builder.class_("app.Small", fields={"n": "int", "next": "object"})
    array = builder.array("app.Small", [builder.instance("app.Small", n=n) for n in range(300_000)])
    builder.class_("app.Main", statics={"ALL": ("object", array)})
    _, tables = _opened(tmp_path, builder)
    (row,) = tables.sql(
        'SELECT count(*) AS objects, sum(n) AS total, count(DISTINCT id) AS ids FROM "app.Small"'
    ).arrow().to_pylist()  # fmt: skip
    assert (300_000, 300_000 * 299_999 // 2, 300_000) == tuple(row.values())
    (row,) = tables.sql(
        "SELECT count(*), min(index), max(index), count(DISTINCT target) FROM refs "
        "WHERE source_class = 'app.Small[]' AND field IS NULL"
    ).arrow().to_pylist()  # fmt: skip
    assert (300_000, 0, 299_999, 300_000) == tuple(row.values())


@pytest.mark.parametrize(
    "query",
    [
        "SELECT max(a.range * b.range) FROM range(10000000) a, range(10000000) b",
        "SELECT a.range FROM range(10000000) a, range(10000000) b WHERE a.range * b.range = -1",
    ],
    ids=["one row", "many rows"],
)
def test_a_question_that_takes_too_long_ends_when_it_is_interrupted(
    tmp_path: Path, query: str
) -> None:
    _, tables = _opened(tmp_path, _builder(0))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1)
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            tables.sql(query).arrow()
        assert time.monotonic() - started < 20
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_nothing_is_left_of_a_question_where_it_may_spill(tmp_path: Path) -> None:
    path, spill = tmp_path / "built.hprof", tmp_path / "spill"
    spill.mkdir()
    path.write_bytes(_builder(0).build())
    tables = HeapTables(path, spill=spill)
    answer = tables.sql("SELECT * FROM objects ORDER BY id")
    (folder,) = spill.iterdir()
    assert 0o700 == folder.stat().st_mode & 0o777
    assert answer.arrow().num_rows
    del answer
    gc.collect()
    assert [] == list(spill.iterdir())
