"""Tables that another program wrote, in which values are missing, and each page made of them.

What mprof imports has some columns in every row; of what another program wrote nothing is sure.
"""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from builders.full_stores import JOBS, full_store, rewritten, texts_of

from mprof.errors import MprofError
from mprof.peers.findings import find_sick_nodes
from mprof.peers.pictures import pictures_of
from mprof.report.nodes import render_html as nodes_page
from mprof.report.nodes import render_json as nodes_json
from mprof.report.nodes import render_text as nodes_text
from mprof.report.triage import render_html as triage_page
from mprof.report.triage import render_json as triage_json
from mprof.report.triage import render_text as triage_text
from mprof.runs import SilentObserver
from mprof.store import TABLES, Scope, Store
from mprof.triage import triage
from mprof.views import Wanted, make_site

COLUMNS = {table: tuple(schema.names) for table, schema in TABLES.items()}
TEXTS = [
    (table, column)
    for table in ("jobs", "attempts", "sources")
    for column in texts_of(table)
    if column != "source" or table == "sources"
]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return full_store(tmp_path_factory.mktemp("plain") / "store", maps=30)


def without(rows: pa.Table, column: str, missing: pa.Array) -> pa.Table:
    place = rows.schema.get_field_index(column)
    field = rows.schema.field(place)
    values = pc.if_else(missing, pa.scalar(None, field.type), rows.column(place))
    return rows.set_column(place, field, values)


def strict(text: str) -> Any:
    """JSON as browsers read it, which know no NaN."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def show_all(store: Store, folder: Path) -> int:
    """Makes all that is made of tables; how many of those can be made.

    What cannot be made for want of rows ends in words, and in nothing else.
    """
    made = 0
    with contextlib.suppress(MprofError):
        found = triage(JOBS[0], store=store.folder, observer=SilentObserver())
        assert triage_page(found)
        assert triage_text(found)
        strict(triage_json(found))
        made += 1
    nodes = find_sick_nodes(store)
    assert nodes_page(nodes, pictures_of(nodes, store, Scope()), store="x")
    assert nodes_text(nodes)
    strict(nodes_json(nodes))
    try:
        make_site(store, folder, Wanted("x", alarms=False), SilentObserver())
    except MprofError:
        return made + 1
    for path in folder.rglob("*.js"):
        part = path.read_text(encoding="utf-8")
        strict(f"[{part.removeprefix('mprofPart(').removesuffix(');' + chr(10))}]")
    page = (folder / "index.html").read_text(encoding="utf-8")
    for name in ("facts", "alarms"):
        found_in_page = re.search(rf'<script id="{name}"[^>]*>(.*?)</script>', page, re.DOTALL)
        assert name == "alarms" or found_in_page is not None
        if found_in_page is not None:
            strict(found_in_page[1])
    return made + 2


def test_all_is_shown_of_tables_that_lack_nothing(plain: Store, tmp_path: Path) -> None:
    assert show_all(plain, tmp_path / "site") == 3


@pytest.mark.parametrize("table", TABLES)
def test_each_row_of_a_table_may_lack_another_value(
    plain: Store, tmp_path: Path, table: str
) -> None:
    def change(name: str, rows: pa.Table) -> pa.Table:
        for turn, column in enumerate(COLUMNS[table] if name == table else ()):
            # The first half is whole: what is compared needs rows that can be.
            missing = [
                row >= rows.num_rows // 2 and row % len(COLUMNS[table]) == turn
                for row in range(rows.num_rows)
            ]
            rows = without(rows, column, pa.array(missing))
        return rows

    assert show_all(rewritten(plain, tmp_path / "store", change), tmp_path / "site") >= 2


@pytest.mark.parametrize("table", TABLES)
def test_a_table_may_have_no_values_at_all(plain: Store, tmp_path: Path, table: str) -> None:
    def change(name: str, rows: pa.Table) -> pa.Table:
        for column in COLUMNS[table] if name == table else ():
            rows = without(rows, column, pa.array([True] * rows.num_rows))
        return rows

    show_all(rewritten(plain, tmp_path / "store", change), tmp_path / "site")


@pytest.mark.parametrize(("table", "column"), TEXTS)
def test_no_row_need_have_a_value_of_a_column(
    plain: Store, tmp_path: Path, table: str, column: str
) -> None:
    def change(name: str, rows: pa.Table) -> pa.Table:
        every = pa.array([True] * rows.num_rows)
        return without(rows, column, every) if name == table else rows

    show_all(rewritten(plain, tmp_path / "store", change), tmp_path / "site")
