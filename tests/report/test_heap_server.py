"""The server of a heap: what it answers, to whom, and what it says of what there is not."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from builders.hprof_builder import Builder, FrameSpec

from mprof.heap import Heap, open_heap
from mprof.heap.browse import ask_class, ask_dominated, ask_object, ask_path, node_of
from mprof.report.heap.server import heap_handler
from mprof.report.serving import served

ROWS = 30


@pytest.fixture(scope="module")
def heap(tmp_path_factory: pytest.TempPathFactory) -> Heap:
    builder = Builder()
    builder.class_("shop.Box", fields={"label": "object"})
    boxes = [builder.instance("shop.Box", label=builder.string(f"box {n}")) for n in range(90)]
    shelf = builder.array("shop.Box", boxes)
    builder.class_("shop.Main", statics={"SHELF": ("object", shelf)})
    builder.thread("main", [FrameSpec("shop.Main", "main", "Main.java", 3, boxes[:1])])
    dump = tmp_path_factory.mktemp("heap") / "shop.hprof"
    dump.write_bytes(builder.build())
    opened = open_heap(dump)
    opened.referrers(0)
    return opened


@pytest.fixture(scope="module")
def address(heap: Heap) -> Iterator[str]:
    with served(heap_handler(heap, "<title>the page</title>"), "127.0.0.1", 0) as found:
        yield found


def _asked(address: str, question: str, **given: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(f"{address}ask/{question}?{urllib.parse.urlencode(given)}") as (
            answer
        ):
            assert "application/json" == answer.headers["Content-Type"]
            assert "no-store" == answer.headers["Cache-Control"]
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def _code(request: str | urllib.request.Request) -> int:
    try:
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_it_says_what_the_terminal_says(address: str, heap: Heap) -> None:
    (shelf,) = heap.instances("shop.Box[]").tolist()
    one = hex(heap.address(shelf))
    wanted = {
        ("object", "id", one): ask_object(heap, shelf, rows=ROWS),
        ("path", "id", one): ask_path(heap, shelf),
        ("dominates", "id", one): ask_dominated(heap, shelf, rows=ROWS),
        ("class", "name", "shop.Box"): ask_class(heap, "shop.Box", rows=ROWS),
    }
    for (question, name, value), answer in wanted.items():
        assert (200, answer.to_json()) == _asked(address, question, **{name: value})
    _, longer = _asked(address, "object", id=one, rows="90")
    assert 90 == len(longer["fields"])
    assert 1 == longer["referrer_count"]


@pytest.mark.parametrize(
    ("question", "given", "code", "says"),
    [
        ("object", {"id": "0x1234"}, 404, "is not there"),
        ("object", {"id": "<script>"}, 400, "no address"),
        ("object", {}, 400, "no address"),
        ("class", {"name": "Zebra"}, 404, "no class Zebra"),
        ("object", {"id": "0x10", "rows": "0"}, 400, "no number of rows"),
        ("object", {"id": "0x10", "rows": "9999999999"}, 400, "no number of rows"),
        ("object", {"id": "0x10", "rows": "0000100000000"}, 400, "no number of rows"),
        ("object", {"id": "0x10", "rows": "9" * 5000}, 400, "no number of rows"),
    ],
)
def test_what_there_is_not_is_said(
    address: str, question: str, given: dict[str, str], code: int, says: str
) -> None:
    status, value = _asked(address, question, **given)
    assert code == status
    assert says in value["error"]


@pytest.mark.parametrize("path", ["", "ask/object?id=0x10", "index.html", "ask/nothing"])
def test_who_does_not_know_the_token_gets_nothing(address: str, path: str) -> None:
    root = address.rstrip("/").rpartition("/")[0]
    for guess in (root, f"{root}/x", f"{root}/{'a' * 22}"):
        assert 404 == _code(f"{guess}/{path}")


def test_a_name_that_leads_here_from_elsewhere_is_refused(address: str) -> None:
    request = urllib.request.Request(address, headers={"Host": "evil.example.org"})
    assert 421 == _code(request)


def test_files_beside_it_are_not_given_out(address: str) -> None:
    for path in ("etc/passwd", "../../etc/passwd", "shop.hprof", "ask/../shop.hprof", "ask/"):
        assert 404 == _code(address + path)
    with urllib.request.urlopen(address) as page:
        assert b"<title>the page</title>" == page.read()


def test_many_may_ask_at_once(address: str, heap: Heap) -> None:
    boxes = [hex(heap.address(node)) for node in heap.instances("shop.Box").tolist()]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda one: _asked(address, "object", id=one), boxes))
    assert [(200, one) for one in boxes] == [
        (status, value["object"]["id"]) for status, value in found
    ]
    assert node_of(heap, boxes[0])
