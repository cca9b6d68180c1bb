"""Tables in which others wrote whatever they like, from the store to each page made of them.

Every text that a reader can put into the store ends in something hostile, each in the same, so that
what belongs together stays together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from builders.full_stores import JOBS, full_store, rewritten, texts_of
from builders.hostile import ALL, HARMLESS, Shape, obeyed

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
from mprof.triage.facts import facts_of
from mprof.triage.ranking import triage_job
from mprof.views import Wanted, make_site


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return full_store(tmp_path_factory.mktemp("plain") / "store")


WORDS = frozenset({"state", "kind", "what"})
"""Columns of words that mprof knows; what is of no known kind or state is not compared."""


def store_of(plain: Store, folder: Path, text: str) -> Store:
    """The tables with that text behind each of their own, but for six of seven known words."""

    def change(table: str, rows: pa.Table) -> pa.Table:
        for place, column in enumerate(rows.schema.names):
            if column == "source" or column not in texts_of(table):
                continue
            values = [
                one if one is None or (column in WORDS and row % 7)
                else _counters(one, text) if column == "counters"
                else f"{one}{text}"
                for row, one in enumerate(rows.column(place).to_pylist())
            ]  # fmt: skip
            rows = rows.set_column(place, rows.schema.field(place), pa.array(values, pa.string()))
        return rows

    return rewritten(plain, folder, change)


def _counters(one: str, text: str) -> str:
    return json.dumps({**json.loads(one), f"group {text}": {f"counter {text}": 1}})


def shown(store: Store, text: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Whatever is made of the tables, by name."""
    for number, job in enumerate(JOBS, start=1):
        found = triage_job(facts_of(store, f"{job}{text}", diagnose_command="mprof diagnose"))
        yield f"triage-{number}.html", triage_page(found)
        yield f"triage-{number}.txt", triage_text(found)
        yield f"triage-{number}.json", triage_json(found)
    nodes = find_sick_nodes(store)
    pictures = pictures_of(nodes, store, Scope())
    yield "nodes.html", nodes_page(nodes, pictures, store=f"store {text}")
    yield "nodes.txt", nodes_text(nodes)
    yield "nodes.json", nodes_json(nodes)
    make_site(store, folder, Wanted(f"name {text}", live="1"), SilentObserver())
    for path in sorted(folder.rglob("*.*")):
        yield str(path.relative_to(folder)), path.read_text(encoding="utf-8")


def test_nothing_that_is_made_of_tables_has_or_does_what_they_say(
    plain: Store, tmp_path: Path
) -> None:
    made = {}
    for name, text in (("harmless", HARMLESS), ("hostile", ALL)):
        store = store_of(plain, tmp_path / name / "store", text)
        made[name] = dict(shown(store, text, tmp_path / name / "site"))

    assert made["harmless"].keys() == made["hostile"].keys()
    assert {"index.html", "cells/0.js", "tasks/0.js", "tasks/1.js"} <= made["hostile"].keys()
    for name, page in made["hostile"].items():
        assert [] == obeyed(page), name
        if name.endswith(".html"):
            shape = Shape(page)
            assert Shape(made["harmless"][name]).parts == shape.parts, name
            shape.assert_policy()
        elif name.endswith(".js"):
            # A call with a name and a value, and nothing that ends a script that it may stand in.
            assert re.fullmatch(r"mprofPart\(\[?.*\);\n", page), name
            json.loads(f"[{page.removeprefix('mprofPart(').removesuffix(');' + chr(10))}]")
            assert not re.search(r"[<>&]", page), name
        elif name.endswith(".json"):
            json.loads(page)
    assert {*TABLES} == {path.name for path in plain.folder.iterdir() if path.is_dir()}
    assert "onerror" in made["hostile"]["nodes.txt"]
    assert "onerror" in made["hostile"]["triage-1.txt"]
    facts = re.search(r'<script id="facts"[^>]*>(.*?)</script>', made["hostile"]["index.html"])
    assert facts is not None
    assert f"ada{ALL}" in json.loads(facts[1])["users"]
