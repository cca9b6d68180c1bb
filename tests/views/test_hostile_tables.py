"""Tables in which others wrote whatever they like, from the store to each page made of them.

Every text that a reader can put into the store ends in something hostile, each in the same, so that
what belongs together stays together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders.hostile import ALL, HARMLESS, Shape, obeyed
from builders.troubled_jobs import APPLICATION_ERROR, BEGIN_S, TroubledJob, add_rows

from mprof.peers.looking import find_sick_nodes
from mprof.peers.picturing import pictures_of
from mprof.report.nodes import render_html as nodes_page
from mprof.report.nodes import render_json as nodes_json
from mprof.report.nodes import render_text as nodes_text
from mprof.report.triage import render_html as triage_page
from mprof.report.triage import render_json as triage_json
from mprof.report.triage import render_text as triage_text
from mprof.runs import SilentObserver
from mprof.store import Scope, Store
from mprof.triage import facts_of, triage_job
from mprof.views import Wanted, make_site

SICK = 3


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A job with a slow node whose processor is busy, and a task that fails."""
    made = Store(tmp_path_factory.mktemp("plain") / "store")
    job = TroubledJob(slower={SICK: 4}, maps=200, failing_tasks={("reduce", 1): APPLICATION_ERROR})
    job.into(made)
    other = TroubledJob(id="job_1700000000_0002", user="bob", slower={SICK: 4}, at_s=4e3, maps=200)
    other.into(made)
    hosts = [job.host(node) for node in range(job.nodes)]
    rows = [
        {"host": host, "at_s": BEGIN_S + at, "user": 90.0 if node == SICK else 40.0 + at % 5}
        for node, host in enumerate(hosts) for at in range(0, 700, 2)
    ]  # fmt: skip
    racks = [
        {"host": host, "rack": f"rack{n % 2}", "known_from": "x"} for n, host in enumerate(hosts)
    ]
    add_rows(made, "metrics", {"metrics": rows, "nodes": racks})
    return made


def store_of(plain: Store, folder: Path, text: str) -> Store:
    """The tables with that text behind each of their own.

    Attempts of no known kind or state are not compared: it is every seventh that has none.
    """
    made = Store(folder)
    tables: dict[str, list[dict[str, Any]]] = {}
    for table in ("jobs", "attempts", "nodes", "metrics"):
        rows = plain.read(table)
        texts = [name for name in rows if isinstance(rows[name].dropna().iloc[:1].squeeze(), str)]
        for name in texts:
            of = rows.index % 7 == 0 if name in {"state", "kind"} else rows.index >= 0
            if name in {"source", "counters"}:
                continue
            rows.loc[of, name] = rows.loc[of, name].where(rows[name].isna(), rows[name] + text)
        if "counters" in rows:
            rows["counters"] = rows["counters"].map(lambda one: _counters(one, text))
        tables[table] = [
            {name: value for name, value in row.items() if _is_known(value)}
            for row in rows.drop(columns="source").to_dict("records")
        ]
    add_rows(made, "one", tables, path=f"/logs/{text}", kind=text)
    return made


def _counters(one: Any, text: str) -> Any:
    if not isinstance(one, str):
        return one
    return json.dumps({**json.loads(one), f"group {text}": {f"counter {text}": 1}})


def _is_known(value: Any) -> bool:
    return not pd.api.types.is_scalar(value) or not pd.isna(value)


def shown(store: Store, text: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Whatever is made of the tables, by name."""
    for number in (1, 2):
        found = triage_job(
            facts_of(store, f"job_1700000000_000{number}{text}", diagnose_command="mprof diagnose")
        )
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
    assert "onerror" in made["hostile"]["nodes.txt"]
    assert "onerror" in made["hostile"]["triage-1.txt"]
    facts = re.search(r'<script id="facts"[^>]*>(.*?)</script>', made["hostile"]["index.html"])
    assert facts is not None
    assert f"ada{ALL}" in json.loads(facts[1])["users"]
